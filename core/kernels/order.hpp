// Orders the elements along one dimension and answers with their places: sorting and selection.
// What becomes of the places is left to core/ops/order.cpp.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/copy.hpp"

namespace wend {

enum class Select : uint8_t {
  first,      // the places of the first k elements, in order
  kth,        // the place of element k, counted from 0
  median,     // of the lower median, or of NaN if there is one
  nanmedian,  // of the lower median of what is not NaN
  mode,       // the last place of the most frequent element, the smallest of those
};

// Rows lie along `dim`, of n elements; out has k places along it and is otherwise of the same
// sizes.
struct Ordering {
  Select what;
  bool descending;  // NaN counts as larger than everything; equal elements keep their order
  int64_t k;
  std::span<const int64_t> sizes;  // of the input
  Strided in;
  int dim;
  int64_t* out;
  std::span<const int64_t> out_strides;  // in elements, of all dimensions of the input
};

void order(const Ordering& o);

}  // namespace wend
