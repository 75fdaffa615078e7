// ops/reduce.cpp: sums, products, extremes and truth over some or all dimensions.
// Statistics are ops/statistics, what needs an order ops/order, running totals ops/scan; the loops
// are kernels/reduce.
#include <cstring>

#include "kernels/cast.hpp"
#include "ops/batching.hpp"
#include "ops/functions.hpp"
#include "ops/reduction.hpp"

namespace wend {
namespace {

constexpr uint64_t kEveryDim = ~uint64_t{0};

bool no_dims(std::span<const Arg> attrs) {
  return attrs.size() > 1 && attrs[0].kind == Arg::ints && attrs[0].n == 0;
}

}  // namespace

uint64_t reduced_dims(std::span<const Arg> attrs, int ndim) {
  if (attrs.size() < 2 || attrs[0].is_none()) return kEveryDim;
  const Arg& dims = attrs[0];
  if (dims.kind == Arg::integer) return uint64_t{1} << wrap_dim(dims.as_int(), ndim);
  uint64_t mask = 0;
  for (int64_t d : dims.as_ints()) {
    const int i = wrap_dim(d, ndim);
    if (mask >> i & 1)
      fail(ErrorKind::runtime, "dim ", i, " appears multiple times in the list of dims");
    mask |= uint64_t{1} << i;
  }
  return dims.n ? mask : kEveryDim;
}

int64_t reduced_count(const Node& node) {
  const Node& in = *node.inputs[0];
  const uint64_t mask = reduced_dims(attrs_of(node), in.ndim());
  int64_t n = 1;
  for (int i = 0; i < in.ndim(); ++i)
    if (mask >> i & 1) n *= in.size(i);
  return n;
}

void check_dims_in_range(const Infer& s) {
  if (s.attrs.size() > 1 && s.attrs[0].kind == Arg::ints)
    for (int64_t d : s.attrs[0].as_ints()) wrap_dim(d, s.in[0]->ndim());
}

void infer_reduced_layout(Infer& s) {
  const Node& in = *s.in[0];
  const uint64_t mask = reduced_dims(s.attrs, in.ndim());
  const bool keep = s.attrs.size() > 1 && s.attrs[1].as_bool();
  if (mask == kEveryDim && !keep) {
    s.layout = contiguous(Dims{});
    return;
  }
  Dims sizes;
  for (int i = 0; i < in.ndim(); ++i) {
    if (!(mask >> i & 1))
      sizes.push(in.size(i));
    else if (keep)
      sizes.push(1);
  }
  s.layout = contiguous(sizes);
}

void check_not_empty(const Infer& s) {
  const Node& in = *s.in[0];
  if (in.numel() > 0) return;
  if (s.attrs.size() < 2 || s.attrs[0].is_none() || no_dims(s.attrs))
    fail(ErrorKind::runtime, s.op.name,
         "(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction "
         "dim with the 'dim' argument.");
  const uint64_t mask = reduced_dims(s.attrs, in.ndim());
  for (int i = 0; i < in.ndim(); ++i)
    if (mask >> i & 1 && in.size(i) == 0)
      fail(ErrorKind::index, s.op.name, "(): Expected reduction dim ", i,
           " to have non-zero size.");
}

DType compute_dtype(DType dtype) {
  if (dtype == DType::float64) return dtype;
  return is_floating(dtype) ? DType::float32 : DType::int64;
}

DType extreme_dtype(DType dtype) {
  return dtype == DType::bool_ || dtype == DType::uint8 ? dtype : compute_dtype(dtype);
}

double work_of_reduction(const Node& node) { return node.inputs[0]->numel() * 0.3; }

// True iff a row of memory becomes one number, in the dtype that it has.
static bool is_short_row(const Node& node, DType compute) {
  const Node& in = *node.inputs[0];
  return in.dtype == compute && node.numel() == 1 && in.layout->contiguous &&
         in.numel() <= (1 << 15);
}

void reduce_into(const Node& node, Reduce kind, DType compute, char* out, const Before& before,
                 char* sums) {
  const Node& in = *node.inputs[0];
  if (!before.maker && !before.shift && !before.loops[0] && is_short_row(node, compute))
    return reduce_row(kind, compute, in.data(), in.numel(), out);
  const uint64_t mask = reduced_dims(attrs_of(node), in.ndim());
  const Strided made = {const_cast<char*>(reinterpret_cast<const char*>(before.maker)), in.dtype,
                        in.strides()};
  reduce({kind, compute, in.sizes(), before.maker ? made : strided(in), mask, out, before, sums});
}

void Results::store() {
  if (compute_ == s_.node.dtype) return;
  const DType to = s_.node.dtype;
  cast_loop(to, compute_)(s_.out(), size_of(to), data_, size_of(compute_), s_.node.numel());
}

void run_reduction(Run& s, Reduce kind, DType compute) {
  if (!s.maker && s.node.dtype == compute && is_short_row(s.node, compute))
    return reduce_row(kind, compute, s.in(0).data(), s.in(0).numel(), s.out());
  Results results(s, compute);
  reduce_into(s.node, kind, compute, results.data(), {.maker = s.maker});
  results.store();
}

Value with_dims_back(const GradCall& s, const Value& v) {
  const Node& in = *s.in(0);
  if (v->ndim() == in.ndim()) return v;
  const uint64_t mask = reduced_dims(attrs_of(s.node()), in.ndim());
  Dims kept(in.sizes());
  for (int i = 0; i < kept.n; ++i)
    if (mask >> i & 1) kept[i] = 1;
  return reshape(v, kept);
}

Value spread(const GradCall& s, const Value& v) {
  const auto sizes = s.in(0)->sizes();
  if (v->ndim() == 0) return sizes.empty() ? v : expand(v, sizes);
  return expand(with_dims_back(s, v), sizes);
}

namespace {

Value record_sum(const Value& a, const Arg& dims, bool keepdim, const Arg& dtype = {});

// Sums and products of integers are int64, so that they do not overflow easily.
void infer_total(Infer& s) {
  check_dims_in_range(s);
  infer_reduced_layout(s);
  const DType in = s.in[0]->dtype;
  s.dtype = s.attrs.back().as_dtype(is_floating(in) ? in : DType::int64);
  if (mode.grad && s.in[0]->needs_grad() && !is_floating(s.dtype))
    fail(ErrorKind::runtime, "Autograd not support dtype: ", scalar_type_name(s.dtype));
}

// As bool, a sum is whether any element is true, and a product whether all are.
template <Reduce kind>
void run_total(Run& s) {
  if (s.node.dtype == DType::bool_)
    return run_reduction(s, kind == Reduce::prod ? Reduce::min : Reduce::max, DType::bool_);
  run_reduction(s, kind, compute_dtype(s.node.dtype));
}

DType mean_dtype(const char* name, DType in, const Arg& asked) {
  const DType dtype = asked.as_dtype(in);
  if (!is_floating(dtype))
    fail(ErrorKind::runtime, name, "(): could not infer output dtype. ",
         asked.is_none() ? "Input" : "Optional",
         " dtype must be either a floating point or complex dtype. Got: ", scalar_type_name(dtype));
  return dtype;
}

void infer_mean(Infer& s) {
  s.dtype = mean_dtype("mean", s.in[0]->dtype, s.attrs.back());
  check_dims_in_range(s);
  infer_reduced_layout(s);
}

void run_mean(Run& s) {
  Results results(s, compute_dtype(s.node.dtype));
  reduce_into(s.node, Reduce::sum, compute_dtype(s.node.dtype), results.data(), {.maker = s.maker});
  const int64_t n = reduced_count(s.node);
  results.each([n](auto v, int64_t) { return v / static_cast<decltype(v)>(n); });
  results.store();
}

void infer_extreme(Infer& s) {
  check_dims_in_range(s);
  check_not_empty(s);
  infer_reduced_layout(s);
  s.dtype = s.in[0]->dtype;
}

template <Reduce kind>
void run_extreme(Run& s) {
  run_reduction(s, kind, extreme_dtype(s.in(0).dtype));
}

// Equal extremes share the gradient. PyTorch's amax and amin have no gradient but NaN where the
// extreme is NaN, max and min do.
Value extreme_gradient(const GradCall& s, const Value& a, const Value& out) {
  const auto attrs = attrs_of(s.node());
  if (attrs.empty()) return even_share(s.g, a, out);
  const Value reached = eq(a, with_dims_back(s, out));
  return with_dims_back(s, s.g) * reached / record_sum(reached, attrs[0], true);
}

// Bytes stay bytes, as in PyTorch; everything else becomes bool. An empty list of dimensions means
// none here, not all.
void infer_truth(Infer& s) {
  check_dims_in_range(s);
  s.dtype = s.in[0]->dtype == DType::uint8 ? DType::uint8 : DType::bool_;
  if (no_dims(s.attrs))
    s.layout = contiguous(s.in[0]->sizes());
  else
    infer_reduced_layout(s);
}

template <Reduce kind>
void run_truth(Run& s) {
  if (no_dims(attrs_of(s.node)))
    return copy(s.node.sizes(), {s.out(), DType::bool_, s.node.strides()}, strided(s.in(0)));
  // A reduction of nothing starts from the highest byte, not from true.
  if (s.in(0).numel() == 0) {
    std::memset(s.out(), kind == Reduce::min, static_cast<size_t>(s.node.numel()));
    return;
  }
  reduce_into(s.node, kind, DType::bool_, s.out());
}

// The place is counted within the dimension, or within the flat tensor without one.
void infer_arg_extreme(Infer& s) {
  const Node& in = *s.in[0];
  if (in.dtype == DType::bool_)
    fail(ErrorKind::runtime, s.op.name, "(): does not support bool input");
  if (in.numel() == 0 && s.attrs[0].is_none())
    fail(ErrorKind::index, s.op.name,
         "(): Expected reduction dim to be specified for input.numel() == 0.");
  if (!s.attrs[0].is_none()) check_not_empty(s);
  infer_reduced_layout(s);
  s.dtype = DType::int64;
  if (s.attrs[0].is_none() && in.ndim() != 1) s.in[0] = reshape(s.in[0], {-1});
}

template <bool largest>
void run_arg_extreme(Run& s) {
  const Node& in = s.in(0);
  const int dim = s.attr(0).is_none() ? 0 : wrap_dim(s.attr(0).as_int(), in.ndim());
  arg_extreme(largest, extreme_dtype(in.dtype), in.sizes(), strided(in), dim,
              reinterpret_cast<int64_t*>(s.out()));
}

// (values, indices) along one dimension; of equal ones the first.
template <bool largest>
Values body_extreme_along(Call& c) {
  const Value a = c.tensor(0);
  const bool empty = a->numel() == 0 && a->size(wrap_dim(c[1].as_int(), a->ndim())) == 0;
  if (empty)
    fail(ErrorKind::index, c.op.name, "(): Expected reduction dim ",
         wrap_dim(c[1].as_int(), a->ndim()), " to have non-zero size.");
  const Value comparable = a->dtype == DType::bool_ ? cast(a, DType::uint8) : a;
  const Value at = record(op_named(largest ? "argmax" : "argmin"), {comparable}, {c[1], c[2]});
  return {pick(largest ? "max_values" : "min_values", a, at, c[1].as_int()), at};
}

Values body_maximum(Call& c) { return {maximum(c.tensor(0), c.tensor(1))}; }
Values body_minimum(Call& c) { return {minimum(c.tensor(0), c.tensor(1))}; }

Values body_aminmax(Call& c) {
  const Value a = c.tensor(0);
  if (c[1].is_none() && a->numel() == 0)
    fail(ErrorKind::runtime,
         "aminmax(): cannot compute aminmax over an empty dimension as the "
         "operation has no identity.");
  if (!c[1].is_none() && a->ndim() > 0 && a->size(wrap_dim(c[1].as_int(), a->ndim())) == 0)
    fail(ErrorKind::index, "aminmax: Expected reduction dim ", wrap_dim(c[1].as_int(), a->ndim()),
         " to have non-zero size.");
  return {record(op_named("amin"), {a}, {c[1], c[2]}), record(op_named("amax"), {a}, {c[1], c[2]})};
}

Values body_count_nonzero(Call& c) {
  const Value present = ne(c.tensor(0), 0);
  return {record_sum(present, c[1], false)};
}

// NaN counts as nothing.
Values body_nansum(Call& c) {
  const Value a = c.tensor(0);
  reduced_dims(c.args.subspan(1), a->ndim());
  const Value counted = is_floating(a->dtype) ? where(isnan(a), 0, a) : a;
  return {record_sum(counted, c[1], c[2].as_bool(), c[3])};
}

Values body_nanmean(Call& c) {
  const Value a = c.tensor(0);
  if (!is_floating(a->dtype))
    fail(ErrorKind::runtime,
         "nanmean(): expected input to have floating point or complex dtype but got ",
         scalar_type_name(a->dtype));
  mean_dtype("nanmean", a->dtype, c[3]);
  const Value missing = isnan(a);
  const Value total = record_sum(where(missing, 0, a), c[1], c[2].as_bool(), c[3]);
  return {total / record_sum(logical_not(missing), c[1], c[2].as_bool())};
}

Values body_sum_to_size(Call& c) {
  const Value a = c.tensor(0);
  const auto sizes = c[1].as_ints();
  const int lead = a->ndim() - static_cast<int>(sizes.size());
  bool fits = lead >= 0;
  for (size_t i = 0; fits && i < sizes.size(); ++i)
    fits = sizes[i] == 1 || sizes[i] == a->size(lead + static_cast<int>(i));
  if (!fits)
    fail(ErrorKind::runtime, "size {", show(sizes), "} is not expandable to size {",
         show(a->sizes()), "}.");
  return {sizes.empty() ? sum(a) : sum_to(a, sizes)};
}

Value prod_gradient(const GradCall& s, const Value& a) {
  const auto attrs = attrs_of(s.node());
  const Value in = cast(a, s.g->dtype);
  if (attrs.size() > 1) return with_dims_back(s, s.g) * product_of_others(in, attrs[0].as_int());
  return s.g * reshape(product_of_others(reshape(in, {-1}), 0), a->sizes());
}

// The dims that members reduce over, counted from the front of the batch.
Dims lifted_dims(const Lift& s) {
  const int ndim = s.like.inputs[0]->ndim();
  const uint64_t mask = reduced_dims(attrs_of(s.like), ndim);
  Dims dims;
  for (int i = 0; i < ndim; ++i)
    if (mask >> i & 1) dims.push(i + 1);
  return dims;
}

// By the entry that takes a list of dims; what it is besides stands in the last attribute.
template <const char* kName, int kOverload>
Value lift_reduction(const Lift& s);

Value lift_prod(const Lift& s);

// Places are counted along one dimension, or through the whole member.
Value lift_place(const Lift& s) {
  if (!s.like.attr(0).is_none()) return lift_along<>(s);
  Value in[] = {reshape(with_members(s, 0), Dims{s.n(), s.like.inputs[0]->numel()})};
  const Arg attrs[] = {Arg::of(1), Arg::of(false)};
  return reshape(record(*s.like.op, in, attrs), s.with_n(s.like.sizes()));
}

constexpr const char kSum[] = "sum", kMean[] = "mean", kAmax[] = "amax", kAmin[] = "amin",
                     kAny[] = "any", kAll[] = "all";
constexpr const char kAlong[] =
    "(Tensor input, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)";
constexpr const char kOver[] = "(Tensor input, int[1] dim=(), bool keepdim=False) -> Tensor";
constexpr const char kTruthOver[] = "(Tensor input, int[1]? dim, bool keepdim=False) -> Tensor";

constexpr Op kOps[] = {
    {.name = "sum",
     .signature = "(Tensor input, *, dtype? dtype=None) -> Tensor",
     .doc = "Sum of all elements, or over some dimensions.",
     .example = "sum(ones(2, 3), 1)",
     .infer = infer_total,
     .by_layout = true,
     .kernel = run_total<Reduce::sum>,
     .launches = true,
     .grad = {GRAD(spread(s, g))},
     .lift = lift_reduction<kSum, 1>,
     .takes_maker = true,
     .work = work_of_reduction},
    {.name = "sum",
     .signature = "(Tensor input, int[1]? dim, bool keepdim=False, *, dtype? dtype=None) -> Tensor",
     .infer = infer_total,
     .by_layout = true,
     .kernel = run_total<Reduce::sum>,
     .launches = true,
     .grad = {GRAD(spread(s, g))},
     .lift = lift_reduction<kSum, 1>,
     .takes_maker = true,
     .grad_name = "SumBackward1",
     .work = work_of_reduction},
    {.name = "mean",
     .signature = "(Tensor input, *, dtype? dtype=None) -> Tensor",
     .doc = "Mean of all elements, or over some dimensions.",
     .example = "mean(ones(2, 3), 1)",
     .infer = infer_mean,
     .by_layout = true,
     .kernel = run_mean,
     .launches = true,
     .grad = {GRAD(spread(s, g / static_cast<double>(reduced_count(s.node()))))},
     .lift = lift_reduction<kMean, 1>,
     .takes_maker = true,
     .work = work_of_reduction},
    {.name = "mean",
     .signature = "(Tensor input, int[1]? dim, bool keepdim=False, *, dtype? dtype=None) -> Tensor",
     .infer = infer_mean,
     .by_layout = true,
     .kernel = run_mean,
     .launches = true,
     .grad = {GRAD(spread(s, g / static_cast<double>(reduced_count(s.node()))))},
     .lift = lift_reduction<kMean, 1>,
     .takes_maker = true,
     .grad_name = "MeanBackward1",
     .work = work_of_reduction},
    {.name = "prod",
     .signature = "(Tensor input, *, dtype? dtype=None) -> Tensor",
     .doc = "Product of all elements, or along a dimension.",
     .example = "prod(tensor([2., 3., 4.]))",
     .infer = infer_total,
     .by_layout = true,
     .kernel = run_total<Reduce::prod>,
     .grad = {GRAD(prod_gradient(s, a))},
     .lift = lift_prod,
     .takes_maker = true,
     .work = work_of_reduction},
    {.name = "prod",
     .signature = "(Tensor input, int dim, bool keepdim=False, *, dtype? dtype=None) -> Tensor",
     .infer = infer_total,
     .by_layout = true,
     .kernel = run_total<Reduce::prod>,
     .grad = {GRAD(prod_gradient(s, a))},
     .lift = lift_along<>,
     .takes_maker = true,
     .grad_name = "ProdBackward1",
     .work = work_of_reduction},
    {.name = "sum_to_size",
     .signature = "(Tensor input, int[] size) -> Tensor",
     .doc = "Sum over what broadcasting would add to a tensor of these sizes.",
     .example = "ones(2, 3).sum_to_size(1, 3)",
     .body = body_sum_to_size,
     .function = false},
    {.name = "nansum",
     .signature =
         "(Tensor input, int[1]? dim=None, bool keepdim=False, *, dtype? dtype=None) -> Tensor",
     .doc = "Sum in which NaN counts as zero.",
     .example = "nansum(tensor([1., float('nan')]))",
     .body = body_nansum},
    {.name = "nanmean",
     .signature =
         "(Tensor input, int[1]? dim=None, bool keepdim=False, *, dtype? dtype=None) -> Tensor",
     .doc = "Mean of the elements that are not NaN.",
     .example = "nanmean(tensor([1., float('nan')]))",
     .body = body_nanmean},
    {.name = "max",
     .signature = "(Tensor input) -> Tensor",
     .doc = "The largest element; along a dimension, also where it is; of two tensors, the larger.",
     .example = "max(tensor([[1., 3.], [4., 2.]]), 1)",
     .infer = infer_extreme,
     .kernel = run_extreme<Reduce::max>,
     .grad = {GRAD(extreme_gradient(s, a, out))},
     .lift = lift_reduction<kAmax, 0>,
     .takes_maker = true,
     .grad_name = "MaxBackward1",
     .work = work_of_reduction},
    {.name = "max", .signature = "(Tensor input, Tensor other) -> Tensor", .body = body_maximum},
    {.name = "max", .signature = kAlong, .body = body_extreme_along<true>},
    {.name = "min",
     .signature = "(Tensor input) -> Tensor",
     .doc =
         "The smallest element; along a dimension, also where it is; of two tensors, the smaller.",
     .example = "min(tensor([[1., 3.], [4., 2.]]), 1)",
     .infer = infer_extreme,
     .kernel = run_extreme<Reduce::min>,
     .grad = {GRAD(extreme_gradient(s, a, out))},
     .lift = lift_reduction<kAmin, 0>,
     .takes_maker = true,
     .grad_name = "MinBackward1",
     .work = work_of_reduction},
    {.name = "min", .signature = "(Tensor input, Tensor other) -> Tensor", .body = body_minimum},
    {.name = "min", .signature = kAlong, .body = body_extreme_along<false>},
    {.name = "amax",
     .signature = kOver,
     .doc = "The largest elements over some or all dimensions; equal ones share the gradient.",
     .example = "amax(tensor([[1., 3.], [4., 2.]]), 1)",
     .infer = infer_extreme,
     .kernel = run_extreme<Reduce::max>,
     .grad = {GRAD(extreme_gradient(s, a, out))},
     .lift = lift_reduction<kAmax, 0>,
     .takes_maker = true,
     .work = work_of_reduction},
    {.name = "amin",
     .signature = kOver,
     .doc = "The smallest elements over some or all dimensions; equal ones share the gradient.",
     .example = "amin(tensor([[1., 3.], [4., 2.]]), 1)",
     .infer = infer_extreme,
     .kernel = run_extreme<Reduce::min>,
     .grad = {GRAD(extreme_gradient(s, a, out))},
     .lift = lift_reduction<kAmin, 0>,
     .takes_maker = true,
     .work = work_of_reduction},
    {.name = "aminmax",
     .signature =
         "(Tensor input, *, int? dim=None, bool keepdim=False) -> (Tensor min, Tensor max)",
     .doc = "The smallest and the largest elements.",
     .example = "aminmax(tensor([3., 1., 2.]))",
     .body = body_aminmax,
     .out_exact = true},
    {.name = "argmax",
     .signature = "(Tensor input, int? dim=None, bool keepdim=False) -> Tensor",
     .doc = "Where the largest element is; of equal ones the first.",
     .example = "argmax(tensor([1., 3., 2.]))",
     .infer = infer_arg_extreme,
     .kernel = run_arg_extreme<true>,
     .lift = lift_place,
     .differentiable = false,
     .work = work_of_reduction},
    {.name = "argmin",
     .signature = "(Tensor input, int? dim=None, bool keepdim=False) -> Tensor",
     .doc = "Where the smallest element is; of equal ones the first.",
     .example = "argmin(tensor([1., 3., 2.]))",
     .infer = infer_arg_extreme,
     .kernel = run_arg_extreme<false>,
     .lift = lift_place,
     .differentiable = false,
     .work = work_of_reduction},
    {.name = "any",
     .signature = "(Tensor input) -> Tensor",
     .doc = "Whether any element is not zero.",
     .example = "any(tensor([0., 1.]))",
     .infer = infer_truth,
     .kernel = run_truth<Reduce::max>,
     .lift = lift_reduction<kAny, 1>,
     .differentiable = false,
     .work = work_of_reduction},
    {.name = "any",
     .signature = kTruthOver,
     .infer = infer_truth,
     .kernel = run_truth<Reduce::max>,
     .lift = lift_reduction<kAny, 1>,
     .differentiable = false,
     .work = work_of_reduction},
    {.name = "all",
     .signature = "(Tensor input) -> Tensor",
     .doc = "Whether no element is zero.",
     .example = "all(tensor([0., 1.]))",
     .infer = infer_truth,
     .kernel = run_truth<Reduce::min>,
     .lift = lift_reduction<kAll, 1>,
     .differentiable = false,
     .work = work_of_reduction},
    {.name = "all",
     .signature = kTruthOver,
     .infer = infer_truth,
     .kernel = run_truth<Reduce::min>,
     .lift = lift_reduction<kAll, 1>,
     .differentiable = false,
     .work = work_of_reduction},
    {.name = "count_nonzero",
     .signature = "(Tensor input, int[1]? dim=None) -> Tensor",
     .doc = "How many elements are not zero.",
     .example = "count_nonzero(tensor([0., 1., 2.]))",
     .body = body_count_nonzero,
     .out = false},
};

// An entry by its place among those of the same name.
consteval size_t entry(std::string_view name, int overload) {
  for (size_t i = 0; i < std::size(kOps); ++i)
    if (kOps[i].name == name && overload-- == 0) return i;
  throw "no such entry";
}

template <const char* kName, int kOverload>
Value lift_reduction(const Lift& s) {
  const Dims dims = lifted_dims(s);
  if (dims.n == 0) return nullptr;
  const auto attrs = attrs_of(s.like);
  const bool keep = attrs.size() > 1 && attrs[1].as_bool();
  std::vector<Arg> lifted = {Arg::of(dims.span()), Arg::of(keep)};
  if (attrs.size() == 1 || attrs.size() == 3) lifted.push_back(attrs.back());
  Value in[] = {s.in[0]};
  return record(kOps[entry(kName, kOverload)], in, lifted);
}

Value lift_prod(const Lift& s) {
  const Value rows = reshape(with_members(s, 0), Dims{s.n(), s.like.inputs[0]->numel()});
  return record(kOps[entry("prod", 1)], {rows}, {Arg::of(1), Arg::of(false), s.like.attr(0)});
}

Value record_sum(const Value& a, const Arg& dims, bool keepdim, const Arg& dtype) {
  return record(kOps[entry("sum", 1)], {a}, {dims, Arg::of(keepdim), dtype});
}

}  // namespace

std::span<const Op> reduce_ops() { return kOps; }

Value sum(const Value& a) { return record(kOps[entry("sum", 0)], {a}, {Arg{}}); }
Value sum(const Value& a, std::span<const int64_t> dims, bool keepdim) {
  return record_sum(a, Arg::of(dims), keepdim);
}
Value mean(const Value& a, std::span<const int64_t> dims, bool keepdim) {
  return record(kOps[entry("mean", 1)], {a}, {Arg::of(dims), Arg::of(keepdim), Arg{}});
}
Value amax(const Value& a, std::span<const int64_t> dims, bool keepdim) {
  return record(kOps[entry("amax", 0)], {a}, {Arg::of(dims), Arg::of(keepdim)});
}
Value argmax(const Value& a, int64_t dim, bool keepdim) {
  return record(kOps[entry("argmax", 0)], {a}, {Arg::of(dim), Arg::of(keepdim)});
}

Value even_share(const Value& g, const Value& a, const Value& chosen) {
  const Value reached = logical_or(eq(a, chosen), logical_and(isnan(a), isnan(chosen)));
  return where(reached, g / sum(reached), 0);
}

Value sum_to(const Value& a, std::span<const int64_t> sizes) {
  const int lead = a->ndim() - static_cast<int>(sizes.size());
  if (sizes.empty()) return lead ? sum(a) : a;
  Dims dims;
  for (int i = 0; i < a->ndim(); ++i)
    if (i < lead || (sizes[i - lead] == 1 && a->size(i) != 1)) dims.push(i);
  const Value total = dims.n ? sum(a, dims, true) : a;
  return lead ? reshape(total, sizes) : total;
}

}  // namespace wend
