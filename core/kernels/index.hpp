// kernels/index.hpp: moving elements to and from places that an array of integers names.
// Which integers are legal, and what the dimensions mean, is settled by the ops.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/copy.hpp"

namespace wend {

// What becomes of the element that is written to.
enum class Combine : uint8_t { assign, add, mul, amin, amax };

// Element p of an iteration lies `index[p] * scale` elements further on than its strides say.
// Strides of the index are in elements, 0 along dimensions that it does not vary with.
struct Places {
  const int64_t* index;
  std::span<const int64_t> strides;
  int64_t scale;
};

// out[p] = in[p at its place]. Both have one dtype.
void pick(std::span<const int64_t> sizes, Strided out, Strided in, Places places);
// out[p at its place] = in[p], or combined with it. Along a dimension where the place varies `out`
// has stride 0, and only there. Of equal places the last one in row-major order wins. 16-bit floats
// can be added and multiplied onto float32.
void put(std::span<const int64_t> sizes, Strided out, Strided in, Places places, Combine combine);

// out[i] += in[i]; `overlaps` says that places of out may coincide.
void add_to(std::span<const int64_t> sizes, Strided out, Strided in, bool overlaps);

// The first index, in some order, that is outside [low, high), or null.
const int64_t* find_outside(std::span<const int64_t> sizes, std::span<const int64_t> strides,
                            const int64_t* index, int64_t low, int64_t high);
// sums[p] += index[p] * scale, where an index below 0 counts from `size`.
void add_places(std::span<const int64_t> sizes, std::span<const int64_t> strides,
                const int64_t* index, int64_t size, int64_t scale, int64_t* sums);

// How many elements are not zero, and their positions in row-major order: `n` first coordinates,
// then `n` second ones, and so on.
int64_t count_nonzero(std::span<const int64_t> sizes, Strided in);
void find_nonzero(std::span<const int64_t> sizes, Strided in, int64_t* coordinates, int64_t n);

}  // namespace wend
