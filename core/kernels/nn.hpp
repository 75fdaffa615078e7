// Softmax and normalisation of one row of numbers, forward and backward.
// Which rows there are, their strides and their dtypes are left to the caller.
#pragma once

#include <cstdint>

namespace wend {

// How a row is normalised: (x - mean) / sqrt(variance + eps), or, not centred, x / rms(x).
struct Normalization {
  double eps;
  bool centred;
};

// Rows are contiguous, of n > 0 elements. The output of a forward kernel may be its input; of a
// backward kernel it may be the gradient.
template <class T>
struct RowKernels {
  void (*softmax)(T* out, const T* in, int64_t n);
  void (*log_softmax)(T* out, const T* in, int64_t n);
  // From the gradient and the result of the forward kernel.
  void (*softmax_backward)(T* out, const T* g, const T* result, int64_t n);
  void (*log_softmax_backward)(T* out, const T* g, const T* result, int64_t n);
  // Weight and bias may be null.
  void (*normalize)(T* out, const T* in, const T* weight, const T* bias, int64_t n,
                    Normalization how);
  // The gradient of the row, from that of the result.
  void (*normalize_backward)(T* out, const T* g, const T* in, const T* weight, int64_t n,
                             Normalization how);
};

template <class T>
const RowKernels<T>& row_kernels();

}  // namespace wend
