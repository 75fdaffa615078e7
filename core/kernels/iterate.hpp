// kernels/iterate.hpp: walking several strided operands of one shape in step.
// Dimensions are ordered by the first operand's strides and merged where that changes nothing.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "base/limits.hpp"

namespace wend {

constexpr int kMaxOperands = 8;

// Strides are in bytes; operand 0 is usually the output.
template <int kMost>
struct IterationOf {
  int ndim = 0;
  int operands = 0;
  int64_t size[kMaxDims];
  int64_t stride[kMost][kMaxDims];
  char* data[kMost];

  void begin(std::span<const int64_t> sizes) {
    ndim = static_cast<int>(sizes.size());
    std::copy(sizes.begin(), sizes.end(), size);
  }
  // `strides` in elements of `element` bytes, aligned to the last dimension; missing ones are 0.
  void add(char* p, std::span<const int64_t> strides, std::span<const int64_t> sizes,
           int64_t element) {
    const int lead = ndim - static_cast<int>(strides.size());
    for (int i = 0; i < lead; ++i) stride[operands][i] = 0;
    for (int i = lead; i < ndim; ++i)
      stride[operands][i] = sizes[i - lead] == 1 ? 0 : strides[i - lead] * element;
    data[operands++] = p;
  }

  // Outermost dimension first, by falling stride of operand 0; then neighbours are merged.
  void simplify() {
    drop_ones();
    for (int i = 1; i < ndim; ++i)
      for (int j = i; j > 0 && comes_before(j, j - 1); --j) swap_dims(j, j - 1);
    int kept = 0;
    for (int i = 1; i < ndim; ++i) {
      if (mergeable(kept, i)) {
        size[kept] *= size[i];
        for (int k = 0; k < operands; ++k) stride[k][kept] = stride[k][i];
      } else {
        move_dim(++kept, i);
      }
    }
    ndim = ndim ? kept + 1 : 0;
  }

  int64_t inner() const { return ndim ? size[ndim - 1] : 1; }
  // How many times the innermost loop runs.
  int64_t outer() const {
    int64_t n = 1;
    for (int i = 0; i + 1 < ndim; ++i) n *= size[i];
    return n;
  }

  int64_t total() const { return outer() * inner(); }
  // The stride of an operand along the inner dimension; 0 for an operand that is not there.
  int64_t step(int k) const { return ndim && k < operands ? stride[k][ndim - 1] : 0; }

  // Calls body(pointers, count) for steps [begin, end) of all dimensions, in runs along the inner
  // one of at most `longest`. The pointer of an operand that is not there is null.
  template <class Body>
  void runs(int64_t begin, int64_t end, int64_t longest, Body&& body) const {
    while (begin < end) {
      const int64_t first = begin % inner();
      const int64_t count = std::min({end - begin, inner() - first, longest});
      char* at[kMost] = {};
      for (int k = 0; k < operands; ++k) at[k] = data[k] + first * step(k);
      int64_t rest = begin / inner();
      for (int i = ndim - 2; i >= 0; --i) {
        const int64_t index = rest % size[i];
        rest /= size[i];
        for (int k = 0; k < operands; ++k) at[k] += index * stride[k][i];
      }
      body(at, count);
      begin += count;
    }
  }

  // Calls body(pointers, strides of the inner dimension, length) for outer steps [begin, end).
  template <class Body>
  void walk(int64_t begin, int64_t end, Body&& body) const {
    char* at[kMost];
    int64_t step[kMost];
    int64_t index[kMaxDims];
    const int last = ndim - 1;
    int64_t rest = begin;
    for (int i = last - 1; i >= 0; --i) {
      index[i] = rest % size[i];
      rest /= size[i];
    }
    for (int k = 0; k < operands; ++k) {
      at[k] = data[k];
      step[k] = ndim ? stride[k][last] : 0;
      for (int i = 0; i < last; ++i) at[k] += index[i] * stride[k][i];
    }
    for (int64_t n = begin; n < end; ++n) {
      body(at, step, inner());
      for (int i = last - 1; i >= 0; --i) {
        for (int k = 0; k < operands; ++k) at[k] += stride[k][i];
        if (++index[i] < size[i]) break;
        for (int k = 0; k < operands; ++k) at[k] -= stride[k][i] * size[i];
        index[i] = 0;
      }
    }
  }

 private:
  void drop_ones() {
    int kept = 0;
    for (int i = 0; i < ndim; ++i)
      if (size[i] != 1) move_dim(kept++, i);
    ndim = kept;
  }
  bool comes_before(int i, int j) const {
    for (int k = 0; k < operands; ++k)
      if (stride[k][i] != stride[k][j]) return stride[k][i] > stride[k][j];
    return false;
  }
  bool mergeable(int a, int b) const {
    for (int k = 0; k < operands; ++k)
      if (stride[k][a] != stride[k][b] * size[b]) return false;
    return true;
  }
  void swap_dims(int a, int b) {
    std::swap(size[a], size[b]);
    for (int k = 0; k < operands; ++k) std::swap(stride[k][a], stride[k][b]);
  }
  void move_dim(int to, int from) {
    size[to] = size[from];
    for (int k = 0; k < operands; ++k) stride[k][to] = stride[k][from];
  }
};

using Iteration = IterationOf<kMaxOperands>;

}  // namespace wend
