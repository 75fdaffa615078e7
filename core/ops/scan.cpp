// ops/scan.cpp: running totals and extremes along a dimension. Their gradients, and prod's, come
// down to linear recurrences, which are exact where elements are zero. The loops are kernels/scan.
#include "kernels/scan.hpp"

#include <cmath>
#include <cstring>

#include "kernels/cast.hpp"
#include "ops/batching.hpp"
#include "ops/families.hpp"
#include "ops/functions.hpp"

namespace wend {
namespace {

ScanShape shape_around(const Node& node, int64_t given) {
  const int dim = wrap_dim(given, node.ndim());
  ScanShape s = {1, 1, 1};
  for (int i = 0; i < node.ndim(); ++i)
    (i < dim ? s.outer : i == dim ? s.n : s.inner) *= node.size(i);
  return s;
}

// Inputs are made contiguous, so that kernels see three dimensions. Attribute 0 is the dimension.
void infer_scan(Infer& s) {
  wrap_dim(s.attrs[0].as_int(), s.in[0]->ndim());
  for (Value& in : s.in)
    if (!in->layout->contiguous) in = contiguous_copy(in);
  s.dtype = s.in[0]->dtype;
  s.layout = contiguous(s.in[0]->sizes());
}

template <Scan kind>
void run_scan(Run& s) {
  const char* y = s.node.n_inputs > 1 ? s.in(1).data() : nullptr;
  scan(kind, s.node.dtype, shape_around(s.node, s.attr(0).as_int()), s.in(0).data(), y, s.out());
}

void infer_places(Infer& s) {
  infer_scan(s);
  s.dtype = DType::int64;
}

template <bool largest>
void run_extremes(Run& s) {
  scan_extremes(largest, s.in(0).dtype, shape_around(s.node, s.attr(0).as_int()), s.in(0).data(),
                reinterpret_cast<int64_t*>(s.out()));
}

// Attributes: dim, forward or backward by one, and what comes in at the end that becomes free.
void run_shifted(Run& s) {
  const ScanShape shape = shape_around(s.node, s.attr(0).as_int());
  const int64_t element = size_of(s.node.dtype), step = shape.inner * element;
  const int64_t moved = (shape.n - 1) * step;
  const bool forward = s.attr(1).as_bool();
  const double fill = s.attr(2).as_real();
  const Cast cast = cast_loop(s.node.dtype, DType::float64);
  for (int64_t o = 0; o < shape.outer; ++o) {
    const char* in = s.in(0).data() + o * shape.n * step;
    char* out = s.out() + o * shape.n * step;
    std::memcpy(out + (forward ? step : 0), in + (forward ? 0 : step), moved);
    cast(out + (forward ? 0 : moved), element, reinterpret_cast<const char*>(&fill), 0,
         shape.inner);
  }
}

// out[i] = a[i - 1], or a[i + 1], along `dim`; `fill` where there is none.
Value shifted(const Value& a, int64_t dim, bool forward, double fill) {
  return record(op_named("shifted"), {a}, {Arg::of(dim), Arg::of(forward), Arg::of(fill)});
}

// out[i] = x[i] + y[i] out[i - 1], and the same from the other end: out[i] = x[i] + y[i + 1] out[i
// + 1].
Value recurrence(const Value& x, const Value& y, const Arg& dim) {
  return record(op_named("recurrence"), {x, y}, {dim});
}
Value reversed_recurrence(const Value& x, const Value& y, const Arg& dim) {
  return record(op_named("reversed_recurrence"), {x, y}, {dim});
}

Value before(const Value& a, const Arg& dim, double fill) {
  return shifted(a, dim.as_int(), true, fill);
}

// The sum over i >= k of g[i] times the product of all a up to i but a[k].
Value cumprod_gradient(const GradCall& s, const Value& a, const Value& out) {
  return before(out, s.attr(0), 1) * reversed_recurrence(s.g, a, s.attr(0));
}

// The sum over i >= k of g[i] exp(a[k] - out[i]), in steps of exp(out[i - 1] - out[i]) <= 1.
Value logcumsumexp_gradient(const GradCall& s, const Value& a, const Value& out) {
  const Value nothing = eq(out, -INFINITY);
  const Value step = where(nothing, 0, exp(before(out, s.attr(0), -INFINITY) - out));
  const Value share = where(nothing, 0, exp(a - out));
  return share * reversed_recurrence(s.g, step, s.attr(0));
}

// Totals of integers are int64, of 16-bit floats float32 until they are done.
Value total_along(std::string_view name, const Value& a, const Arg& dim, const Arg& asked) {
  const DType dtype = asked.as_dtype(is_floating(a->dtype) ? a->dtype : DType::int64);
  if (mode.grad && a->needs_grad() && !is_floating(dtype))
    fail(ErrorKind::runtime, "Autograd not support dtype: ", scalar_type_name(dtype));
  const DType compute = is_half(dtype) ? DType::float32 : is_floating(dtype) ? dtype : DType::int64;
  return cast(record(op_named(name), {cast(a, compute)}, {dim}), dtype);
}

Values body_cumsum(Call& c) { return {total_along("running_sum", c.tensor(0), c[1], c[2])}; }
Values body_cumprod(Call& c) { return {total_along("running_prod", c.tensor(0), c[1], c[2])}; }
Values body_logcumsumexp(Call& c) {
  const Value a = c.tensor(0);
  wrap_dim(c[1].as_int(), a->ndim());
  if (!is_floating(a->dtype))
    fail(ErrorKind::not_implemented, "\"logcumsumexp_out_cpu\" not implemented for '",
         scalar_type_name(a->dtype), "'");
  return {total_along("running_logsumexp", a, c[1], Arg{})};
}

template <bool largest>
Values body_extremes(Call& c) {
  const Value a = c.tensor(0);
  if (a->numel() == 0)  // PyTorch does not look at dim then
    return {clone(a), full(a->sizes(), 0, DType::int64)};
  const auto name = [](const char* max, const char* min) {
    return std::string_view(largest ? max : min);
  };
  const Value at = record(op_named(name("running_max_at", "running_min_at")), {a}, {c[1]});
  return {pick(name("cummax_values", "cummin_values"), a, at, c[1].as_int()), at};
}

constexpr const char *kTotal = "(Tensor input, int dim, *, dtype? dtype=None) -> Tensor",
                     *kExtremes = "(Tensor input, int dim) -> (Tensor values, Tensor indices)";

constexpr Op kOps[] = {
    {.name = "cumsum",
     .signature = kTotal,
     .doc = "Running sums along a dimension.",
     .example = "cumsum(tensor([1., 2., 3.]), 0)",
     .body = body_cumsum,
     .inplace = true},
    {.name = "cumprod",
     .signature = kTotal,
     .doc = "Running products along a dimension.",
     .example = "cumprod(tensor([1., 2., 3.]), 0)",
     .body = body_cumprod,
     .inplace = true},
    {.name = "logcumsumexp",
     .signature = "(Tensor input, int dim) -> Tensor",
     .doc = "Logarithms of the running sums of exponentials along a dimension.",
     .example = "logcumsumexp(tensor([1., 2., 3.]), 0)",
     .body = body_logcumsumexp},
    {.name = "cummax",
     .signature = kExtremes,
     .doc = "Running largest elements along a dimension, and where they are.",
     .example = "cummax(tensor([1., 3., 2.]), 0)",
     .body = body_extremes<true>},
    {.name = "cummin",
     .signature = kExtremes,
     .doc = "Running smallest elements along a dimension, and where they are.",
     .example = "cummin(tensor([3., 1., 2.]), 0)",
     .body = body_extremes<false>},
    {.name = "running_sum",
     .doc = "Running sums along a dimension.",
     .infer = infer_scan,
     .kernel = run_scan<Scan::sum>,
     .grad = {GRAD(record(op_named("reversed_running_sum"), {g}, {s.attr(0)}))},
     .lift = lift_along<>,
     .grad_name = "CumsumBackward0",
     .hidden = true},
    {.name = "reversed_running_sum",
     .doc = "Running sums from the end of a dimension.",
     .infer = infer_scan,
     .kernel = run_scan<Scan::reversed_sum>,
     .grad = {GRAD(record(op_named("running_sum"), {g}, {s.attr(0)}))},
     .lift = lift_along<>,
     .grad_name = "CumsumBackward0",
     .hidden = true},
    {.name = "running_prod",
     .doc = "Running products along a dimension.",
     .infer = infer_scan,
     .kernel = run_scan<Scan::prod>,
     .grad = {GRAD(cumprod_gradient(s, a, out))},
     .lift = lift_along<>,
     .grad_name = "CumprodBackward0",
     .hidden = true},
    {.name = "running_logsumexp",
     .doc = "Logarithms of the running sums of exponentials along a dimension.",
     .infer = infer_scan,
     .kernel = run_scan<Scan::logsumexp>,
     .grad = {GRAD(logcumsumexp_gradient(s, a, out))},
     .lift = lift_along<>,
     .grad_name = "LogcumsumexpBackward0",
     .cost = 20,
     .hidden = true},
    {.name = "recurrence",
     .doc = "out[i] = input 0[i] + input 1[i] out[i - 1] along a dimension.",
     .infer = infer_scan,
     .kernel = run_scan<Scan::recurrence>,
     .grad = {GRAD(reversed_recurrence(g, b, s.attr(0))),
              GRAD(reversed_recurrence(g, b, s.attr(0)) * before(out, s.attr(0), 0))},
     .lift = lift_along<>,
     .hidden = true},
    {.name = "reversed_recurrence",
     .doc = "out[i] = input 0[i] + input 1[i + 1] out[i + 1] along a dimension.",
     .infer = infer_scan,
     .kernel = run_scan<Scan::reversed_recurrence>,
     .grad = {GRAD(recurrence(g, b, s.attr(0))),
              GRAD(before(recurrence(g, b, s.attr(0)), s.attr(0), 0) * out)},
     .lift = lift_along<>,
     .hidden = true},
    {.name = "shifted",
     .doc = "The elements one further on along a dimension, or one back.",
     .infer = infer_scan,
     .kernel = run_shifted,
     .grad = {GRAD(shifted(g, s.attr(0).as_int(), !s.attr(1).as_bool(), 0))},
     .lift = lift_along<>,
     .hidden = true},
    {.name = "running_max_at",
     .doc = "Where the running largest elements along a dimension are.",
     .infer = infer_places,
     .kernel = run_extremes<true>,
     .lift = lift_along<>,
     .differentiable = false,
     .hidden = true},
    {.name = "running_min_at",
     .doc = "Where the running smallest elements along a dimension are.",
     .infer = infer_places,
     .kernel = run_extremes<false>,
     .lift = lift_along<>,
     .differentiable = false,
     .hidden = true},
};

}  // namespace

std::span<const Op> scan_ops() { return kOps; }

Value product_of_others(const Value& a, int64_t dim) {
  if (is_half(a->dtype)) return product_of_others(cast(a, DType::float32), dim);
  const Value total = record(op_named("running_prod"), {a}, {Arg::of(dim)});
  const Value last = shifted(zeros_like(a), dim, false, 1);
  return shifted(total, dim, true, 1) * reversed_recurrence(last, a, Arg::of(dim));
}

}  // namespace wend
