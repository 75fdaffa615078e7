// Loops over raw memory for every op of core/kernels/elementwise.def, one per dtype it computes in.
// Broadcasting, many dimensions, casts and the 16-bit floats are left to the caller.
#pragma once

#include <cstdint>

#include "base/dtype.hpp"

namespace wend {

enum class Elementwise : uint16_t {
#define ELEMENTWISE(name, ...) name,
#include "kernels/elementwise.def"
#undef ELEMENTWISE
};

constexpr int elementwise_count = 0
#define ELEMENTWISE(...) +1
#include "kernels/elementwise.def"
#undef ELEMENTWISE
    ;

// What a loop returns. After zero_divisor nothing has been written.
enum LoopResult : int { loop_done = 0, zero_divisor = 1 };

// data[0] is the output, the inputs follow; strides are in bytes, 0 repeats one element. The output
// may be the same memory as an input with the same stride, but may not overlap one in any other
// way.
using Loop = int (*)(char* const* data, const int64_t* stride, int64_t n);

// By op and dtype, for this machine; null before the first choice.
extern const Loop (*chosen_loops)[dtype_count];
void choose_loops();

// Null where the op does not compute in that dtype. Inputs have the dtype `compute`, except that
// the condition of a Select is bool; outputs too, except that Compare and Logic give bool.
inline Loop elementwise_loop(Elementwise op, DType compute) {
  if (!chosen_loops) [[unlikely]]
    choose_loops();
  return chosen_loops[static_cast<int>(op)][static_cast<int>(compute)];
}

}  // namespace wend
