// Picks the loop of an elementwise op for a dtype and for this machine.
// Leaves the loops to elementwise_int.cpp and level/elementwise.inl.
#include "kernels/elementwise.hpp"

#include "kernels/elementwise_int.hpp"
#include "kernels/level.hpp"

namespace wend {

Loop elementwise_loop(Elementwise op, DType compute) {
  const int row = static_cast<int>(op);
  if (compute < DType::float16) return elementwise_int_loops[row][static_cast<int>(compute)];
  if (is_half(compute)) return nullptr;
  static const auto* loops = level().elementwise;
  return loops[row][compute == DType::float64];
}

}  // namespace wend
