// ops/reduction.hpp: what the families of reductions share: which dimensions go, what the result
// looks like, how a kernel is run, and how a gradient gets the dimensions back.
#pragma once

#include <vector>

#include "kernels/reduce.hpp"
#include "ops/families.hpp"

namespace wend {

inline std::span<const Arg> attrs_of(const Node& node) {
  return node.attrs ? node.attrs->span() : std::span<const Arg>{};
}

// A reduction's attributes begin with (dim, keepdim), or there are fewer than two and everything is
// reduced. dim is None, one number, or a list, of which the empty one means every dimension too.
uint64_t reduced_dims(std::span<const Arg> attrs, int ndim);
// Elements that go into each element of the result.
int64_t reduced_count(const Node& node);
// Where PyTorch finds out first which dims are out of range, then which are there twice.
void check_dims_in_range(const Infer& s);
// Sets the layout of the result.
void infer_reduced_layout(Infer& s);
// Raises where an extreme of nothing is asked for.
void check_not_empty(const Infer& s);

// The dtype in which sums of a dtype are formed, and extremes, which need no room to grow.
DType compute_dtype(DType dtype);
DType extreme_dtype(DType dtype);

double work_of_reduction(const Node& node);

// Reduces input 0 of a node into `out`, of the dtype `compute` and contiguous, and beside squares
// into their `sums`.
void reduce_into(const Node& node, Reduce kind, DType compute, char* out, const Before& before = {},
                 char* sums = nullptr);

// Results that are not computed in the node's dtype wait here to be converted; for a few there is
// room on the stack.
class Results {
 public:
  Results(Run& s, DType compute) : s_(s), compute_(compute) {
    const int64_t bytes = s.node.numel() * size_of(compute);
    if (compute == s.node.dtype) {
      data_ = s.out();
    } else if (bytes <= static_cast<int64_t>(sizeof few_)) {
      data_ = few_;
    } else {
      many_.resize(bytes);
      data_ = many_.data();
    }
  }
  char* data() const { return data_; }
  void store();
  // data[i] = finish(data[i], i)
  template <class Finish>
  void each(Finish finish) {
    if (compute_ == DType::float32)
      each_as<float>(finish);
    else if (compute_ == DType::float64)
      each_as<double>(finish);
  }

 private:
  template <class T, class Finish>
  void each_as(Finish finish) {
    T* data = reinterpret_cast<T*>(data_);
    for (int64_t i = 0; i < s_.node.numel(); ++i) data[i] = finish(data[i], i);
  }

  Run& s_;
  DType compute_;
  char* data_;
  alignas(8) char few_[64];
  std::vector<char> many_;
};

// The whole of an ordinary kernel.
void run_reduction(Run& s, Reduce kind, DType compute);

// A value of the result's sizes, with the reduced dimensions back as size 1.
Value with_dims_back(const GradCall& s, const Value& v);
// ... and repeated to the input's sizes.
Value spread(const GradCall& s, const Value& v);
// The gradient of one element chosen of all: equal ones share it, and NaN is equal to NaN.
Value even_share(const Value& g, const Value& a, const Value& chosen);

}  // namespace wend
