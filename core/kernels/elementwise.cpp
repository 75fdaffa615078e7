// Puts together the loops of the elementwise ops for every dtype, for this machine.
// Leaves the loops to elementwise_int.cpp and level/elementwise.inl.
#include "kernels/elementwise.hpp"

#include "kernels/elementwise_int.hpp"
#include "kernels/level.hpp"

namespace wend {

const Loop (*chosen_loops)[dtype_count] = nullptr;

void choose_loops() {
  static Loop table[elementwise_count][dtype_count] = {};
  const auto* floats = level().elementwise;
  for (int op = 0; op < elementwise_count; ++op) {
    for (int i = 0; i < static_cast<int>(DType::float16); ++i)
      table[op][i] = elementwise_int_loops[op][i];
    table[op][static_cast<int>(DType::float32)] = floats[op][0];
    table[op][static_cast<int>(DType::float64)] = floats[op][1];
  }
  chosen_loops = table;
}

}  // namespace wend
