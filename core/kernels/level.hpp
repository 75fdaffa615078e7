// The kernels that are compiled once per instruction level, as tables of function pointers.
// level/level.cpp fills one table per level; level.cpp picks the one for this machine.
#pragma once

#include "kernels/cast.hpp"
#include "kernels/elementwise.hpp"
#include "kernels/gemm.hpp"
#include "kernels/nn.hpp"
#include "kernels/reduce.hpp"

namespace wend {

// Three ways to form a product, each best for some shapes (gemm.cpp chooses). Each runs in the
// calling thread, takes any strides that its comment does not exclude, and needs m, n, k > 0.
template <class T>
struct GemmKernels {
  void (*tiles)(const Gemm<T>&);  // the general one
  void (*dots)(const Gemm<T>&);  // inner products: a_col == 1 and b_row == 1, but of m <= 4 or n <=
                                 // 4 the one with so few may have any strides
  void (*axpys)(const Gemm<T>&);  // sums of scaled rows: m == 1 and b_col == 1
  // B with its rows contiguous, each in `width` elements, which are a multiple of 16: those behind
  // the last column may hold anything.
  void (*turn)(const Gemm<T>&, T* to, int64_t width);
};

// To add a kernel: a member here, its source in a level/*.inl, its name in level/level.cpp.
struct LevelKernels {
  const char* name;
  GemmKernels<float> gemm_f32;
  GemmKernels<double> gemm_f64;
  RowKernels<float> rows_f32;
  RowKernels<double> rows_f64;
  const Loop (*elementwise)[2];      // for each op its loop for float and for double, or null
  const Cast (*casts)[dtype_count];  // by the dtype of the output, then of the input
  const ReduceTable* reduce;
};

// The tables that exist are those that the build lists in WEND_LEVELS.
extern const LevelKernels level_base, level_v3, level_v4, level_native;

// The highest level that is built and that this CPU has; WEND_CPU_LEVEL=base or v3 lowers it.
extern const LevelKernels* chosen_level;  // null before the first choice
const LevelKernels& choose_level();
inline const LevelKernels& level() { return chosen_level ? *chosen_level : choose_level(); }

}  // namespace wend
