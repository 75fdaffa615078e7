// Copies of a row of elements from one dtype to another, as PyTorch converts them.
// Many dimensions are left to copy.hpp.
#pragma once

#include <cstdint>

#include "base/dtype.hpp"

namespace wend {

// Strides are in bytes; in_stride 0 repeats one element. Floats become integers by dropping the
// fraction, bool by being other than 0, and 16-bit floats by rounding to nearest, ties to even.
// The output may be the memory of the input if size and stride are the same.
using Cast = void (*)(char* out, int64_t out_stride, const char* in, int64_t in_stride, int64_t n);

Cast cast_loop(DType to, DType from);

}  // namespace wend
