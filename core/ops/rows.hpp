// ops/rows.hpp: running a row kernel over all rows of some operands, whatever their strides and
// dtypes. The row kernels themselves are kernels/nn.
#pragma once

#include <algorithm>
#include <vector>

#include "base/layout.hpp"
#include "base/threads.hpp"
#include "graph/node.hpp"
#include "kernels/cast.hpp"
#include "kernels/iterate.hpp"

namespace wend {

// Operands whose rows correspond; the first is the output. Rows that are not contiguous memory of
// type T, in which the kernel computes, are copied in and out.
template <class T>
class Rows {
 public:
  // Rows of n elements, as many as `outer` says.
  Rows(std::span<const int64_t> outer, int64_t n) : n_(n) {
    it_.begin(outer);
    sizes_ = outer;
  }
  // Strides are in elements: those between rows, and the one within a row.
  void add(char* data, DType dtype, std::span<const int64_t> outer, int64_t within) {
    const int k = it_.operands;
    dtype_[k] = dtype;
    step_[k] = within * size_of(dtype);
    direct_[k] = dtype == compute() && (step_[k] == sizeof(T) || n_ == 1);
    it_.add(data, outer, sizes_, size_of(dtype));
  }

  // Calls kernel(output row, input rows, n) for every row.
  template <class Kernel>
  void each(double cost, Kernel kernel) {
    it_.simplify();
    // A last dimension of one makes every step of the walk a row.
    it_.size[it_.ndim] = 1;
    for (int k = 0; k < it_.operands; ++k) it_.stride[k][it_.ndim] = 0;
    ++it_.ndim;
    const auto grain = static_cast<int64_t>(32768 / (cost * static_cast<double>(n_)));
    parallel_for(it_.outer(), std::max<int64_t>(1, grain), [&](int64_t begin, int64_t end) {
      std::vector<T> copies[kMaxOperands];
      for (int k = 0; k < it_.operands; ++k)
        if (!direct_[k]) copies[k].resize(n_);
      it_.walk(begin, end, [&](char** at, const int64_t*, int64_t) { one(at, copies, kernel); });
    });
  }

 private:
  static constexpr DType compute() { return sizeof(T) == 4 ? DType::float32 : DType::float64; }

  template <class Kernel>
  void one(char** at, std::vector<T>* copies, Kernel& kernel) {
    T* row[kMaxOperands];
    for (int k = 0; k < it_.operands; ++k) {
      row[k] = direct_[k] ? reinterpret_cast<T*>(at[k]) : copies[k].data();
      if (k && !direct_[k])
        cast_loop(compute(), dtype_[k])(reinterpret_cast<char*>(row[k]), sizeof(T), at[k], step_[k],
                                        n_);
    }
    kernel(row[0], row + 1, n_);
    if (!direct_[0])
      cast_loop(dtype_[0], compute())(at[0], step_[0], reinterpret_cast<char*>(row[0]), sizeof(T),
                                      n_);
  }

  Iteration it_;
  std::span<const int64_t> sizes_;
  int64_t n_;
  DType dtype_[kMaxOperands];
  int64_t step_[kMaxOperands];
  bool direct_[kMaxOperands];
};

// Calls f with a value of the type in which floats of this dtype are computed.
template <class F>
void by_compute_type(DType dtype, F&& f) {
  if (dtype == DType::float64)
    f(double{});
  else
    f(float{});
}

}  // namespace wend
