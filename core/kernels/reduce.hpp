// Reductions over raw memory: sums, products and extremes along some dimensions of a strided
// operand. What a reduction means to the user, its shapes and its dtypes, is left to
// core/ops/reduce.cpp.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/copy.hpp"
#include "kernels/elementwise.hpp"

namespace wend {

enum class Reduce : uint8_t { sum, squares, prod, max, min };
constexpr int reduce_count = 5;

// The dtypes that reductions compute in: float32, float64, int64 and uint8 (extremes only). Others
// are converted on the way.
constexpr int reduce_dtype_count = 4;
constexpr int reduce_index(DType compute) {
  if (compute == DType::float32) return 0;
  if (compute == DType::float64) return 1;
  return compute == DType::int64 ? 2 : 3;
}

// One level's loops for one kind of reduction and one dtype. Inputs have unit stride along a row;
// strides are in elements. Sums of floats are kept in doubles but for a few elements at a time,
// others are pairwise, so that their error grows with the logarithm of n.
struct ReduceLoops {
  // out[i] is the reduction of row i, of n elements.
  void (*rows)(const void* x, int64_t n, int64_t row_stride, int64_t count, void* out,
               int64_t out_stride);
  // out[j] is the reduction over the m rows of column j.
  void (*columns)(const void* x, int64_t m, int64_t row_stride, int64_t n, void* out,
                  int64_t out_stride);
};

// Where the extremes are: the first place of NaN if there is one, else of the extreme.
struct ArgLoops {
  int64_t (*find)(const void* x, int64_t n, const void* extreme);
  void (*columns)(const void* x, int64_t m, int64_t row_stride, int64_t n, int64_t* out,
                  int64_t out_stride);
};

struct ReduceTable {
  ReduceLoops loops[reduce_count][reduce_dtype_count];
  ArgLoops arg[2][reduce_dtype_count];  // of the largest, of the smallest
};

// Makes elements when they are asked for, each once, in any order and by any thread.
struct Maker {
  // Writes elements [first, first + n), counted in the order of memory that they would have.
  virtual void make(int64_t first, int64_t n, char* to) const = 0;

 protected:
  ~Maker() = default;
};

// What happens to the elements of a reduction before they are reduced, in this order: they are
// made, unless they are in memory, converted to the dtype that it computes in, `shift` (of that
// dtype, contiguous over the dimensions that are kept) is subtracted, and elementwise loops are
// applied.
struct Before {
  const Maker* maker = nullptr;  // of an operand that is dense; its place in memory is the maker's
  const char* shift = nullptr;
  Loop loops[2] = {};
  const char* operand = nullptr;  // the second operand of loops[1]
};

struct Reduction {
  Reduce kind;
  DType compute;
  std::span<const int64_t> sizes;
  Strided in;
  uint64_t reduced;  // bit i: dimension i is reduced
  char* out;         // of the dtype `compute`, contiguous over the dimensions that are kept
  Before before = {};
  char* sums = nullptr;  // beside the squares of elements, where their sums go; like `out`
};

// The result does not depend on the number of threads.
void reduce(const Reduction& r);
// Of n elements side by side, of the dtype `compute`; in this thread.
void reduce_row(Reduce kind, DType compute, const char* x, int64_t n, char* out);

// out is contiguous over the dimensions other than `dim`, which is not empty.
void arg_extreme(bool largest, DType compute, std::span<const int64_t> sizes, Strided in, int dim,
                 int64_t* out);

}  // namespace wend
