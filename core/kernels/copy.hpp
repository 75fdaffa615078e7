// kernels/copy.hpp: strided copies with conversion, over raw memory.
#pragma once

#include <cstdint>
#include <span>

#include "base/dtype.hpp"

namespace wend {

// Memory of one shape: where the first element is, its dtype, and strides in elements.
struct Strided {
  char* data;
  DType dtype;
  std::span<const int64_t> strides;
};

// out[i] = in[i], converted, for every index within `sizes`.
void copy(std::span<const int64_t> sizes, Strided out, Strided in);
void fill_zero(char* data, int64_t bytes);

}  // namespace wend
