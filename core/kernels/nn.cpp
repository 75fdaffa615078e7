// Picks the row kernels for this machine.
// Leaves the kernels to level/nn.inl.
#include "kernels/nn.hpp"

#include "kernels/level.hpp"

namespace wend {

template <>
const RowKernels<float>& row_kernels() {
  return level().rows_f32;
}
template <>
const RowKernels<double>& row_kernels() {
  return level().rows_f64;
}

}  // namespace wend
