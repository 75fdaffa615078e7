// ops/places.hpp: what the ops that take an index tensor have in common: its dtype, its bounds, and
// the memory of a node as they move elements in it.
#pragma once

#include <vector>

#include "graph/read.hpp"
#include "kernels/index.hpp"
#include "ops/families.hpp"
#include "ops/functions.hpp"

namespace wend {

// Raises the error for an index that is out of range; `dim` and `size` are what it indexes.
using OutOfRange = void (*)(int64_t index, int64_t dim, int64_t size);

[[noreturn]] void index_error(int64_t index, int64_t dim, int64_t size);
[[noreturn]] void index_runtime_error(int64_t index, int64_t dim, int64_t size);
[[noreturn]] void out_of_range_in_self(int64_t index, int64_t dim, int64_t size);

inline const int64_t* indices(const Node& node) { return reinterpret_cast<int64_t*>(node.data()); }
inline Value as_index(const Value& v) { return cast(v, DType::int64); }

// Raises unless every index is in [low, size).
void check_bounds(const Node& index, int64_t low, int64_t size, int64_t dim, OutOfRange raise);
// The same at record, for an index that came from outside, as yet of any dtype, or that is out of
// range whatever it is; those that were computed are checked when they run.
void check_early(const Value& index, int64_t low, int64_t size, int64_t dim, OutOfRange raise);

// Calls look(first, n) with the integers that came from outside, in row-major order; not at all
// with computed ones.
template <class Look>
void look_at_given(const Node& node, Look look) {
  const char* data = given_data(node);
  const int64_t n = node.numel();
  if (!data || n == 0) return;
  if (node.dtype == DType::int64 && node.layout->contiguous)
    return look(reinterpret_cast<const int64_t*>(data), n);
  std::vector<int64_t> values(n);
  const Dims rows = contiguous_strides(node.sizes());
  copy(node.sizes(), {reinterpret_cast<char*>(values.data()), DType::int64, rows.span()},
       {const_cast<char*>(data), node.dtype, node.strides()});
  look(values.data(), n);
}

// Raises where one number that is to be written everywhere does not fit the dtype.
void check_written(const Value& number, DType dtype);

// The output begins as a copy of input 0, unless it took over its memory.
void start_from_input(Run& s);
// Writes to places of the output, which begins as a copy of input 0. Sums and products of 16-bit
// floats are rounded once, when all is done.
void put_onto_input(Run& s, std::span<const int64_t> sizes, std::span<const int64_t> strides,
                    Strided source, Places places, Combine combine);
// Result takes sizes, dtype and order of memory of input 0.
void infer_dense_like_input(Infer& s);

// A tensor of no dimensions taken as one of one dimension, as many of these ops do.
struct AtLeast1d {
  explicit AtLeast1d(const Node& n) : sizes(n.sizes()), strides(n.strides()) {
    if (sizes.n == 0) sizes.push(1), strides.push(0);
  }
  Dims sizes, strides;
};

}  // namespace wend
