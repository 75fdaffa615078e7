// Matrix products over raw memory: C = A·B, or C += A·B, single or in batches.
// Shapes, dtypes and allocation are settled by the caller.
#pragma once

#include <cstdint>

namespace wend {

// One product of an m×k by a k×n matrix. Strides count elements and may have any value, zero
// included, so that transposed, expanded and sliced operands need no copy; C's rows are contiguous
// and do not overlap. A and B may overlap each other, not C.
template <class T>
struct Gemm {
  int64_t m, n, k;
  const T* a;
  int64_t a_row, a_col;
  const T* b;
  int64_t b_row, b_col;
  T* c;
  int64_t c_row;
  bool accumulate;
  // Names what B holds: memory of the same name and place holds the same, whenever it is read. 0
  // where that is not known.
  uint64_t b_name = 0;
};

// The same product gives the same bits every time. Another number of threads may round differently,
// but only products of some hundred rows and columns or more, which go to OpenBLAS.
void gemm(const Gemm<float>& product);
void gemm(const Gemm<double>& product);

// Loads the library that large products go to, which they do themselves otherwise.
void load_gemm_library();

// Distances between one product of a batch and the next; zero shares the operand.
// With c zero the products are added up in order, which asks for `accumulate`.
struct GemmSteps {
  int64_t a, b, c;
};

void gemm_batched(const Gemm<float>& first, int64_t count, const GemmSteps& steps);
void gemm_batched(const Gemm<double>& first, int64_t count, const GemmSteps& steps);

}  // namespace wend
