// ops/reduce.cpp: reductions over some or all dimensions.
#include <algorithm>

#include "kernels/iterate.hpp"
#include "ops/families.hpp"
#include "ops/functions.hpp"

namespace wend {
namespace {

uint64_t chosen_dims(const Arg& dims, int ndim) {
  uint64_t mask = 0;
  if (dims.is_none() || dims.n == 0) return ~uint64_t{0};
  for (int64_t d : dims.as_ints()) {
    const int i = wrap_dim(d, ndim);
    if (mask >> i & 1)
      fail(ErrorKind::runtime, "dim ", i, " appears multiple times in the list of dims");
    mask |= uint64_t{1} << i;
  }
  return mask;
}

void infer_sum(Infer& s) {
  const Node& in = *s.in[0];
  const uint64_t mask = chosen_dims(s.attrs[0], in.ndim());
  Dims sizes;
  for (int i = 0; i < in.ndim(); ++i) {
    if (!(mask >> i & 1))
      sizes.push(in.size(i));
    else if (s.attrs[1].as_bool())
      sizes.push(1);
  }
  s.dtype = in.dtype;
  s.layout = contiguous(sizes);
}

template <class T>
void sum_as(Run& s) {
  const Node& in = s.in(0);
  const uint64_t mask = chosen_dims(s.attr(0), in.ndim());
  T* out = reinterpret_cast<T*>(s.out());
  std::fill_n(out, s.node.numel(), T{});
  Dims strides(in.sizes());
  const Dims rows = contiguous_strides(s.node.sizes());
  for (int i = 0, k = 0; i < in.ndim(); ++i) {
    const bool gone = mask >> i & 1;
    strides[i] = gone ? 0 : rows[k];
    if (!gone || s.attr(1).as_bool()) ++k;
  }
  Iteration it;
  it.begin(in.sizes());
  it.add(s.out(), strides.span(), in.sizes(), sizeof(T));
  it.add(in.data(), in.strides(), in.sizes(), sizeof(T));
  it.simplify();
  if (in.numel())
    it.walk(0, it.outer(), [](char** at, const int64_t* step, int64_t n) {
      T total = *reinterpret_cast<T*>(at[0]);
      if (step[0] == 0) {
        for (int64_t i = 0; i < n; ++i) total += *reinterpret_cast<T*>(at[1] + i * step[1]);
        *reinterpret_cast<T*>(at[0]) = total;
      } else {
        for (int64_t i = 0; i < n; ++i)
          *reinterpret_cast<T*>(at[0] + i * step[0]) += *reinterpret_cast<T*>(at[1] + i * step[1]);
      }
    });
}

void run_sum(Run& s) {
  if (s.node.dtype == DType::float32) return sum_as<float>(s);
  if (s.node.dtype == DType::float64) return sum_as<double>(s);
  fail(ErrorKind::not_implemented, "sum of ", name_of(s.node.dtype));
}

Value sum_gradient(const GradCall& s) {
  const Node& in = *s.in(0);
  if (s.g->ndim() == 0) return expand(s.g, in.sizes());
  const uint64_t mask = chosen_dims(s.attr(0), in.ndim());
  Dims kept(in.sizes());
  for (int i = 0; i < kept.n; ++i)
    if (mask >> i & 1) kept[i] = 1;
  return expand(reshape(s.g, kept), in.sizes());
}

constexpr Op kOps[] = {
    {.name = "sum",
     .signature = "(Tensor input, int[1]? dim=None, bool keepdim=False) -> Tensor",
     .doc = "Sum over some or all dimensions.",
     .example = "sum(ones(2, 3), 1)",
     .infer = infer_sum,
     .kernel = run_sum,
     .grad = {GRAD(sum_gradient(s))}},
};

}  // namespace

std::span<const Op> reduce_ops() { return kOps; }

Value sum(const Value& a, std::span<const int64_t> dims, bool keepdim) {
  return record(op_named("sum"), {a}, {Arg::of(dims), Arg::of(keepdim)});
}

Value sum_to(const Value& a, std::span<const int64_t> sizes) {
  const int lead = a->ndim() - static_cast<int>(sizes.size());
  Dims dims;
  for (int i = 0; i < a->ndim(); ++i)
    if (i < lead || (sizes[i - lead] == 1 && a->size(i) != 1)) dims.push(i);
  const Value total = dims.n ? sum(a, dims, true) : a;
  return lead ? reshape(total, sizes) : total;
}

}  // namespace wend
