// kernels/pool.hpp: the largest element, or the mean, of windows of planes of one to three
// dimensions. Where windows lie is the caller's; here they are lists of ranges.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/copy.hpp"

namespace wend {

// Elements begin, begin + step, ... below end, all of them inside the plane. `counted` is how many
// a mean is taken over, which may include some outside.
struct Range {
  int64_t begin, end, counted;
};

// Always three dimensions; a plane that has fewer is of size 1 along the first ones. There is a
// window for each combination of a range of each dimension.
struct Pooling {
  std::vector<Range> ranges[3];
  int64_t step[3];
  int64_t plane[3];         // sizes of the planes ...
  int64_t windows() const;  // ... and of what becomes of one

  int64_t divisor = 0;  // of a mean, where it is not the number of elements
};

// Planes in memory: sizes and strides of what is in front of them, and strides within, in elements.
struct Planes {
  char* data;
  std::span<const int64_t> sizes, strides;
  int64_t inner[3];

  int64_t count() const;
  // Where plane `i` begins, in elements.
  int64_t at(int64_t i) const;
};

// places: of each window the row-major number, in its plane, of the largest element, or of the last
// NaN.
void largest_places(const Pooling& p, DType dtype, const Planes& in, const Planes& places);
// The mean of each window, and its transpose, which adds each mean's share to the plane.
void means(const Pooling& p, DType dtype, const Planes& in, const Planes& out);
void spread_means(const Pooling& p, DType dtype, const Planes& g, const Planes& out);

}  // namespace wend
