// ops/order.cpp: sorting and selection along a dimension. Each is found as places; the values, and
// with them the gradient, follow by ops/pick. The ordering itself is kernels/order.
#include "kernels/order.hpp"

#include <limits>

#include "kernels/cast.hpp"
#include "ops/batching.hpp"
#include "ops/functions.hpp"
#include "ops/reduction.hpp"

namespace wend {
namespace {

double work_of_ordering(const Node& node) { return node.inputs[0]->numel() * 20.0; }

int64_t length_of(const Node& in, int64_t dim) {
  const int i = wrap_dim(dim, in.ndim());
  return in.ndim() ? in.size(i) : 1;
}

void run_order(Run& s, Select what, int64_t dim, bool descending, int64_t k,
               std::span<const int64_t> out_strides) {
  const Node& in = s.in(0);
  order({what, descending, k, in.sizes(), strided(in), wrap_dim(dim, in.ndim()),
         reinterpret_cast<int64_t*>(s.out()), out_strides});
}

// Attributes: dim, descending.
void infer_sorted(Infer& s) {
  wrap_dim(s.attrs[0].as_int(), s.in[0]->ndim());
  s.dtype = DType::int64;
  s.layout = dense_like(*s.in[0]->layout);
}

void run_sorted(Run& s) {
  const int64_t dim = s.attr(0).as_int();
  run_order(s, Select::first, dim, s.attr(1).as_bool(), length_of(s.in(0), dim), s.node.strides());
}

// Attributes: k, dim, largest, sorted.
void infer_top(Infer& s) {
  const Node& in = *s.in[0];
  if (in.dtype == DType::bool_)
    fail(ErrorKind::runtime, "topk does not support bool dtypes on CPU");
  const int dim = wrap_dim(s.attrs[1].as_int(), in.ndim());
  const int64_t k = s.attrs[0].as_int();
  if (k < 0 || k > length_of(in, dim)) fail(ErrorKind::runtime, "selected index k out of range");
  Dims sizes(in.sizes());
  if (sizes.n) sizes[dim] = k;
  s.dtype = DType::int64;
  s.layout = contiguous(sizes);
}

void run_top(Run& s) {
  const int64_t k = s.in(0).ndim() ? s.attr(0).as_int() : 1;
  run_order(s, Select::first, s.attr(1).as_int(), s.attr(2).as_bool(), k, s.node.strides());
}

// One place for each row. Attributes: dim, keepdim, and for kth k.
void infer_place(Infer& s) {
  infer_reduced_layout(s);
  s.dtype = DType::int64;
}

template <Select what>
void run_place(Run& s) {
  const Node& in = s.in(0);
  const int dim = wrap_dim(s.attr(0).as_int(), in.ndim());
  Dims strides(s.node.strides());
  if (strides.n < in.ndim()) strides.insert(dim, 0);
  run_order(s, what, dim, false, what == Select::kth ? s.attr(2).as_int() - 1 : 1, strides.span());
}

void check_has_rows(const Call& c, const Value& a, int64_t dim) {
  if (length_of(*a, dim) == 0)
    fail(ErrorKind::index, c.op.name, "(): Expected reduction dim ", wrap_dim(dim, a->ndim()),
         " to have non-zero size.");
}

void check_not_bool(const Value& a, const char* kernel) {
  if (a->dtype == DType::bool_)
    fail(ErrorKind::not_implemented, "\"", kernel, "\" not implemented for 'Bool'");
}

Values sorted(const Value& a, const Arg& dim, const Arg& descending) {
  const Value at = record(op_named("sorted_places"), {a}, {dim, descending});
  return {pick("sort_values", a, at, dim.as_int()), at};
}

Values body_sort(Call& c) { return sorted(c.tensor(0), c[1], c[2]); }
Values body_stable_sort(Call& c) { return sorted(c.tensor(0), c[2], c[3]); }
Values body_argsort(Call& c) {
  return {record(op_named("sorted_places"), {c.tensor(0)}, {c[1], c[2]})};
}
Values body_stable_argsort(Call& c) {
  return {record(op_named("sorted_places"), {c.tensor(0)}, {c[2], c[3]})};
}
Values body_msort(Call& c) { return {sorted(c.tensor(0), Arg::of(0), Arg::of(false))[0]}; }

Values body_topk(Call& c) {
  const Value a = c.tensor(0), at = record(op_named("top_places"), {a}, {c[1], c[2], c[3], c[4]});
  return {pick("topk_values", a, at, c[2].as_int()), at};
}

Values body_kthvalue(Call& c) {
  const Value a = c.tensor(0);
  const int dim = wrap_dim(c[2].as_int(), a->ndim());
  if (a->ndim() > 0) check_not_bool(a, "kthvalue_cpu");
  check_has_rows(c, a, dim);
  if (c[1].as_int() < 1 || c[1].as_int() > length_of(*a, dim))
    fail(ErrorKind::runtime, "kthvalue(): selected number k out of range for dimension ", dim);
  const Value at = record(op_named("kth_place"), {a}, {c[2], c[3], c[1]});
  return {pick("kthvalue_values", a, at, c[2].as_int()), at};
}

Values body_mode(Call& c) {
  const Value a = c.tensor(0);
  check_has_rows(c, a, c[1].as_int());
  const Value at = record(op_named("mode_place"), {a}, {c[1], c[2]});
  return {pick("mode_values", a, at, c[1].as_int()), at};
}

template <bool skips_nan>
Values body_median(Call& c) {
  const Value a = c.tensor(0);
  check_has_rows(c, a, c[1].as_int());
  check_not_bool(a, "median_out_impl");
  const std::string_view name = skips_nan ? "nanmedian_place" : "median_place";
  const Value at = record(op_named(name), {a}, {c[1], c[2]});
  return {pick(skips_nan ? "nanmedian_values" : "median_values", a, at, c[1].as_int()), at};
}

void infer_median_of_all(Infer& s) {
  if (s.in[0]->numel() > 0) check_not_bool(s.in[0], "median_cpu");
  s.dtype = s.in[0]->dtype;
  s.layout = contiguous(Dims{});
  if (s.in[0]->ndim() != 1) s.in[0] = reshape(s.in[0], {-1});
}

// The median of nothing is NaN, or what NaN becomes as an integer.
template <Select what>
void run_median_of_all(Run& s) {
  const Node& in = s.in(0);
  const int64_t element = size_of(in.dtype);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const char* from = reinterpret_cast<const char*>(&nan);
  DType dtype = DType::float64;
  if (in.numel() > 0) {
    int64_t at;
    const int64_t nowhere[] = {0};
    order({what, false, 1, in.sizes(), strided(in), 0, &at, nowhere});
    from = in.data() + at * in.strides()[0] * element;
    dtype = in.dtype;
  }
  cast_loop(in.dtype, dtype)(s.out(), 0, from, 0, 1);
}

constexpr const char kAlong[] =
    "(Tensor input, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)";

constexpr Op placer(const char* name, void (*infer)(Infer&), void (*kernel)(Run&),
                    Value (*lift)(const Lift&) = lift_along<>) {
  return {.name = name,
          .doc = "Places along a dimension, by the order of the elements.",
          .infer = infer,
          .kernel = kernel,
          .lift = lift,
          .differentiable = false,
          .work = work_of_ordering,
          .hidden = true};
}

constexpr Op kOps[] = {
    {.name = "sort",
     .signature =
         "(Tensor input, int dim=-1, bool descending=False) -> (Tensor values, Tensor indices)",
     .doc = "The elements in order along a dimension, and where they were.",
     .example = "sort(tensor([3., 1., 2.]))",
     .body = body_sort},
    {.name = "sort",
     .signature = "(Tensor input, *, bool? stable, int dim=-1, bool descending=False) -> (Tensor "
                  "values, Tensor indices)",
     .body = body_stable_sort},
    {.name = "argsort",
     .signature = "(Tensor input, int dim=-1, bool descending=False) -> Tensor",
     .doc = "Where the elements in order along a dimension are.",
     .example = "argsort(tensor([3., 1., 2.]))",
     .body = body_argsort,
     .out = false},
    {.name = "argsort",
     .signature = "(Tensor input, *, bool stable, int dim=-1, bool descending=False) -> Tensor",
     .body = body_stable_argsort,
     .out = false},
    {.name = "msort",
     .signature = "(Tensor input) -> Tensor",
     .doc = "The elements in order along the first dimension.",
     .example = "msort(tensor([3., 1., 2.]))",
     .body = body_msort},
    {.name = "topk",
     .signature = "(Tensor input, int k, int dim=-1, bool largest=True, bool sorted=True) -> "
                  "(Tensor values, Tensor indices)",
     .doc = "The k largest elements along a dimension, and where they are.",
     .example = "topk(tensor([1., 3., 2.]), 2)",
     .body = body_topk},
    {.name = "kthvalue",
     .signature = "(Tensor input, int k, int dim=-1, bool keepdim=False) -> (Tensor values, Tensor "
                  "indices)",
     .doc = "The k-th smallest elements along a dimension, and where they are.",
     .example = "kthvalue(tensor([3., 1., 2.]), 2)",
     .body = body_kthvalue,
     .out_apart = true,
     .out_exact = true},
    {.name = "mode",
     .signature =
         "(Tensor input, int dim=-1, bool keepdim=False) -> (Tensor values, Tensor indices)",
     .doc = "The most frequent elements along a dimension, and where they are.",
     .example = "mode(tensor([1, 2, 2, 3]))",
     .body = body_mode},
    {.name = "median",
     .signature = "(Tensor input) -> Tensor",
     .doc = "The lower median of all elements; along a dimension, also where it is.",
     .example = "median(tensor([3., 1., 2.]))",
     .infer = infer_median_of_all,
     .kernel = run_median_of_all<Select::median>,
     .grad = {GRAD(even_share(g, a, out))},
     .work = work_of_ordering,
     .out = false},
    {.name = "median", .signature = kAlong, .body = body_median<false>},
    {.name = "nanmedian",
     .signature = "(Tensor input) -> Tensor",
     .doc =
         "The lower median of the elements that are not NaN; along a dimension, also where it is.",
     .example = "nanmedian(tensor([3., 1., float('nan')]))",
     .infer = infer_median_of_all,
     .kernel = run_median_of_all<Select::nanmedian>,
     .grad = {GRAD(even_share(g, a, out))},
     .work = work_of_ordering,
     .out = false},
    {.name = "nanmedian", .signature = kAlong, .body = body_median<true>},
    placer("sorted_places", infer_sorted, run_sorted),
    placer("top_places", infer_top, run_top, lift_along<1>),
    placer("kth_place", infer_place, run_place<Select::kth>),
    placer("mode_place", infer_place, run_place<Select::mode>),
    placer("median_place", infer_place, run_place<Select::median>),
    placer("nanmedian_place", infer_place, run_place<Select::nanmedian>),
};

}  // namespace

std::span<const Op> order_ops() { return kOps; }

}  // namespace wend
