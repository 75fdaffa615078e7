// ops/softmax.cpp: softmax and log_softmax along a dimension. The rows themselves are kernels/nn.
#include "kernels/nn.hpp"
#include "ops/batching.hpp"
#include "ops/families.hpp"
#include "ops/functions.hpp"
#include "ops/rows.hpp"

namespace wend {
namespace {

int row_dim(const Node& node, const Arg& dim) { return wrap_dim(dim.as_int(), node.ndim()); }

void infer_softmax(Infer& s) {
  if (s.attrs[1].kind == Arg::dtype) s.in[0] = cast(s.in[0], s.attrs[1].as_dtype());
  const Node& in = *s.in[0];
  const int dim = row_dim(in, s.attrs[0]);
  if (!is_floating(in.dtype))
    fail(ErrorKind::not_implemented, "\"", s.op.name, dim + 1 >= in.ndim() ? "_lastdim" : "",
         "_kernel_impl\" not implemented for '", scalar_type_name(in.dtype), "'");
  s.dtype = in.dtype;
  s.layout = contiguous(in.sizes());
}

void infer_backward(Infer& s) {
  s.dtype = s.in[1]->dtype;
  s.layout = contiguous(s.in[1]->sizes());
}

// The strides of `node` between rows along `dim`, and within one.
struct RowStrides {
  RowStrides(const Node& node, int dim) : outer(node.strides()) {
    if (node.ndim() == 0) return;
    within = outer[dim];
    outer.erase(dim);
  }
  Dims outer;
  int64_t within = 1;
};

// Calls kernel(output row, input rows, n).
template <class T, class Kernel>
void run_rows(const Run& s, Kernel kernel) {
  const Node& out = s.node;
  const int dim = row_dim(out, s.attr(0));
  Dims outer(out.sizes());
  if (outer.n) outer.erase(dim);
  Rows<T> rows(outer.span(), out.ndim() ? out.size(dim) : 1);
  auto add = [&](const Node& node) {
    const RowStrides strides(node, dim);
    rows.add(node.data(), node.dtype, strides.outer.span(), strides.within);
  };
  add(out);
  for (uint32_t i = 0; i < out.n_inputs; ++i) add(s.in(i));
  rows.each(1, kernel);
}

// The same kernel for float and double, with one input or two.
template <auto f32, auto f64>
void run(Run& s) {
  if (s.node.numel() == 0) return;
  by_compute_type(s.node.dtype, [&](auto t) {
    using T = decltype(t);
    auto* const kernel = [] {
      if constexpr (sizeof(T) == 4)
        return row_kernels<T>().*f32;
      else
        return row_kernels<T>().*f64;
    }();
    run_rows<T>(s, [=](T* out, T* const* in, int64_t n) {
      if constexpr (requires { kernel(out, in[0], n); })
        kernel(out, in[0], n);
      else
        kernel(out, in[0], in[1], n);
    });
  });
}
#define ROW_KERNEL(name) run<&RowKernels<float>::name, &RowKernels<double>::name>

Value softmax_backward(const Value& g, const Value& result, const Arg& dim) {
  static const Op& op = op_named("softmax_backward");
  return record(op, {g, result}, {dim});
}
Value log_softmax_backward(const Value& g, const Value& result, const Arg& dim) {
  static const Op& op = op_named("log_softmax_backward");
  return record(op, {g, result}, {dim});
}

Value sum_along(const Value& v, const Arg& dim) { return sum(v, Dims{dim.as_int()}, true); }

constexpr Op kOps[] = {
    {.name = "softmax",
     .signature = "(Tensor input, int dim, dtype? dtype=None) -> Tensor",
     .doc = "exp(input), scaled so that it sums to 1 along dim.",
     .example = "softmax(tensor([1., 2.]), 0)",
     .infer = infer_softmax,
     .by_layout = true,
     .kernel = ROW_KERNEL(softmax),
     .launches = true,
     .grad = {GRAD(softmax_backward(g, out, s.attr(0)))},
     .lift = lift_along<>,
     .donates = 1,
     .cost = 1.5},
    {.name = "log_softmax",
     .signature = "(Tensor input, int dim, dtype? dtype=None) -> Tensor",
     .doc = "The logarithm of softmax, without overflow.",
     .example = "log_softmax(tensor([1., 2.]), 0)",
     .infer = infer_softmax,
     .by_layout = true,
     .kernel = ROW_KERNEL(log_softmax),
     .launches = true,
     .grad = {GRAD(log_softmax_backward(g, out, s.attr(0)))},
     .lift = lift_along<>,
     .donates = 1,
     .cost = 1.5},
    {.name = "softmax_backward",
     .doc = "The gradient through softmax, of its result.",
     .infer = infer_backward,
     .by_layout = true,
     .kernel = ROW_KERNEL(softmax_backward),
     .launches = true,
     .grad = {GRAD(softmax_backward(g, b, s.attr(0))),
              GRAD(g * (a - sum_along(a * b, s.attr(0))) - a * sum_along(g * b, s.attr(0)))},
     .lift = lift_along<>,
     .donates = 1,
     .hidden = true},
    {.name = "log_softmax_backward",
     .doc = "The gradient through log_softmax, of its result.",
     .infer = infer_backward,
     .by_layout = true,
     .kernel = ROW_KERNEL(log_softmax_backward),
     .launches = true,
     .grad = {GRAD(g - sum_along(g * exp(b), s.attr(0))),
              GRAD(-g * exp(b) * sum_along(a, s.attr(0)))},
     .lift = lift_along<>,
     .donates = 1,
     .cost = 1.5,
     .hidden = true},
};

}  // namespace

std::span<const Op> softmax_ops() { return kOps; }

Value log_softmax(const Value& a, int64_t dim) {
  static const Op& op = op_named("log_softmax");
  return record(op, {a}, {Arg::of(dim), Arg{}});
}

}  // namespace wend
