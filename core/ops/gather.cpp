// ops/gather.cpp: reading and writing along one dimension: gather and scatter, whose index has the
// shape of what is moved, and index_select and its kin, whose index is a list of slices.
#include <algorithm>

#include "ops/batching.hpp"
#include "ops/places.hpp"

namespace wend {
namespace {

void check_index_dtype(const Node& index, const char* name) {
  if (index.dtype != DType::int64 && index.dtype != DType::int32)
    fail(ErrorKind::runtime, name, "(): Expected dtype int32/int64 for index");
}

// Raises unless `index` fits `a` apart from dimension `dim`, and is no larger than `source`.
void check_scatter_sizes(const Node& a, int dim, const Node& index, const Node* source) {
  const Dims sizes = AtLeast1d(a).sizes, given = AtLeast1d(index).sizes;
  if (given.n != sizes.n)
    fail(ErrorKind::runtime, "Index tensor must have the same number of dimensions as self tensor");
  bool fits = true;
  for (int i = 0; i < given.n; ++i) fits &= i == dim || given[i] <= sizes[i];
  if (!source) {
    if (!fits)
      fail(ErrorKind::runtime, "Expected index ", show(index.sizes()),
           " to be no larger than self ", show(a.sizes()), " apart from dimension ", dim);
    return;
  }
  const Dims from = AtLeast1d(*source).sizes;
  if (given.n != from.n)
    fail(ErrorKind::runtime, "Index tensor must have the same number of dimensions as src tensor");
  for (int i = 0; i < given.n; ++i) fits &= given[i] <= from[i];
  if (!fits)
    fail(ErrorKind::runtime, "Expected index ", show(index.sizes()), " to be no larger than self ",
         show(a.sizes()), " apart from dimension ", dim, " and to be no larger size than src ",
         show(source->sizes()));
}

void infer_gather(Infer& s) {
  const Node &a = *s.in[0], &index = *s.in[1];
  const int dim = wrap_dim(s.attrs[0].as_int(), a.ndim());
  if (index.numel() > 0) {
    check_index_dtype(index, "gather");
    const Dims sizes = AtLeast1d(a).sizes, given = AtLeast1d(index).sizes;
    if (sizes.n != given.n)
      fail(ErrorKind::runtime,
           "Index tensor must have the same number of dimensions as input tensor");
    for (int i = 0; i < sizes.n; ++i)
      if (i != dim && given[i] > sizes[i])
        fail(ErrorKind::runtime, "Size does not match at dimension ", i, " expected index ",
             show(index.sizes()), " to be no larger than self ", show(a.sizes()),
             " apart from dimension ", dim);
    check_early(s.in[1], 0, sizes[dim], dim, index_runtime_error);
    s.in[1] = as_index(s.in[1]);
  }
  s.dtype = a.dtype;
  s.layout = contiguous(index.sizes());
}

// `strides` without `dim`, along which the index moves instead.
Dims without(Dims strides, int dim) {
  strides[dim] = 0;
  return strides;
}

void run_gather(Run& s) {
  const AtLeast1d a(s.in(0)), index(s.in(1)), out(s.node);
  const int dim = wrap_dim(s.attr(0).as_int(), a.sizes.n);
  check_bounds(s.in(1), 0, a.sizes[dim], dim, index_runtime_error);
  const Dims rest = without(a.strides, dim);
  pick(index.sizes.span(), {s.out(), s.node.dtype, out.strides.span()},
       {s.in(0).data(), s.node.dtype, rest.span()},
       {indices(s.in(1)), index.strides.span(), a.strides[dim]});
}

// Inputs: the tensor, the index, the source; a source without dimensions is written everywhere.
template <bool kNumber>
void infer_scatter(Infer& s) {
  const Node &a = *s.in[0], &index = *s.in[1], &source = *s.in[2];
  const int dim = wrap_dim(s.attrs[0].as_int(), a.ndim());
  if (a.dtype != source.dtype)
    fail(ErrorKind::runtime, "scatter(): Expected self.dtype to be equal to src.dtype");
  if (index.numel() > 0) {
    check_index_dtype(index, "scatter");
    check_scatter_sizes(a, dim, index, kNumber ? nullptr : &source);
    check_early(s.in[1], 0, AtLeast1d(a).sizes[dim], dim, index_runtime_error);
    s.in[1] = as_index(s.in[1]);
  }
  s.dtype = a.dtype;
  s.layout = contiguous(a.sizes());
}

template <Combine kCombine>
void run_scatter(Run& s) {
  const AtLeast1d out(s.node), index(s.in(1)), source(s.in(2));
  const int dim = wrap_dim(s.attr(0).as_int(), out.sizes.n);
  check_bounds(s.in(1), 0, out.sizes[dim], dim, index_runtime_error);
  if (s.in(1).numel() == 0) return start_from_input(s);
  Dims from = source.strides;
  if (s.in(2).ndim() == 0) {
    from.n = index.sizes.n;
    std::fill(from.begin(), from.end(), 0);
  }
  const Dims rest = without(out.strides, dim);
  put_onto_input(s, index.sizes.span(), rest.span(), {s.in(2).data(), s.node.dtype, from.span()},
                 {indices(s.in(1)), index.strides.span(), out.strides[dim]}, kCombine);
}

// The gradient of the part of a scatter's source that was read; the rest was not.
Value source_gradient(const GradCall& s, const Value& by) {
  const Value read = gather(s.g, s.attr(0).as_int(), by);
  return pad_to(read, s.in(2)->sizes());
}

void infer_index_select(Infer& s) {
  const Node &a = *s.in[0], &index = *s.in[1];
  const int dim = wrap_dim(s.attrs[0].as_int(), a.ndim());
  if (index.ndim() > 1) fail(ErrorKind::index, "index_select(): Index is supposed to be a vector");
  if (a.ndim() == 0 && index.numel() != 1)
    fail(ErrorKind::runtime, "index_select(): Index to scalar can have only 1 value, got ",
         index.numel(), " value(s)");
  if (index.dtype != DType::int64 && index.dtype != DType::int32)
    fail(ErrorKind::runtime, "index_select(): Expected dtype int32 or int64 for index");
  Dims sizes(a.sizes());
  if (sizes.n) sizes[dim] = index.numel();
  check_early(s.in[1], 0, sizes.n ? a.size(dim) : 1, dim, out_of_range_in_self);
  s.in[1] = as_index(s.in[1]);
  s.dtype = a.dtype;
  s.layout = contiguous(sizes);
}

// The strides of a list of indices along `dim` of something with `ndim` dimensions.
Dims along(const Node& index, int dim, int ndim) {
  Dims strides;
  strides.n = ndim;
  std::fill(strides.begin(), strides.end(), 0);
  strides[dim] = index.ndim() ? index.layout->stride(0) : 0;
  return strides;
}

void run_index_select(Run& s) {
  const AtLeast1d a(s.in(0)), out(s.node);
  const int dim = wrap_dim(s.attr(0).as_int(), a.sizes.n);
  check_bounds(s.in(1), 0, a.sizes[dim], dim, out_of_range_in_self);
  const Dims rest = without(a.strides, dim), places = along(s.in(1), dim, a.sizes.n);
  pick(out.sizes.span(), {s.out(), s.node.dtype, out.strides.span()},
       {s.in(0).data(), s.node.dtype, rest.span()},
       {indices(s.in(1)), places.span(), a.strides[dim]});
}

// index_add and index_copy: inputs are the tensor, the list of indices, the slices.
void check_index_add(const Node& a, int dim, const Node& index, const Node& source) {
  if (index.dtype != DType::int64 && index.dtype != DType::int32)
    fail(ErrorKind::runtime, "index_add_(): Expected dtype int32/int64 for index but got: ",
         scalar_type_name(index.dtype));
  if (a.dtype != source.dtype)
    fail(ErrorKind::runtime, "index_add_(): self (", scalar_type_name(a.dtype), ") and source (",
         scalar_type_name(source.dtype), ") must have the same scalar type");
  if (index.ndim() > 1)
    fail(ErrorKind::index,
         "index_add_(): Index is supposed to be a vector, but got dim: ", index.ndim(),
         " with type: ", scalar_type_name(index.dtype), " and size: ", show(index.sizes()));
  const int64_t slices = source.ndim() == 0 ? 1 : source.size(std::min(dim, source.ndim() - 1));
  if (source.ndim() == 0 && index.numel() != 1)
    fail(ErrorKind::index, "Dimension specified as ", dim, " but tensor has no dimensions");
  if (index.numel() != slices)
    fail(ErrorKind::runtime, "index_add_(): Number of indices (", index.numel(),
         ") should be equal to source.size(dim): (", slices, "), for dim: ", dim);
  bool fits = a.ndim() == source.ndim();
  for (int i = 0; fits && i < a.ndim(); ++i) fits = i == dim || a.size(i) == source.size(i);
  if (!fits)
    fail(ErrorKind::runtime,
         "source tensor shape must match self tensor shape, excluding the specified dimension. Got "
         "self.shape = ",
         show(a.sizes()), " source.shape = ", show(source.sizes()));
}

std::string slice_sizes(const Node& n, int dim) {
  std::string text;
  for (int i = 0; i < n.ndim(); ++i)
    if (i != dim) text += (text.empty() ? "" : " ") + std::to_string(n.size(i));
  return text;
}

void check_index_copy(const Node& a, int dim, const Node& index, const Node& source) {
  if (index.ndim() > 1)
    fail(ErrorKind::index, "index_copy_(): Index should have dimension 1 or 0 (got ", index.ndim(),
         ")");
  if (source.ndim() == 0 && index.numel() != 1)
    fail(ErrorKind::index,
         "index_copy_(): When source is scalar, index should have one element (got ", index.numel(),
         ")");
  if (a.ndim() != source.ndim() && a.ndim() && source.ndim())
    fail(ErrorKind::index,
         "index_copy_(): When source and destination are not scalars, their dimensionality must "
         "match. Source dimensionality (",
         source.ndim(), "), destination dimensionality (", a.ndim(), ")");
  if (index.dtype != DType::int64)
    fail(ErrorKind::runtime, "index_copy_(): Expected a long tensor for index, but got ",
         scalar_type_name(index.dtype));
  if (a.dtype != source.dtype)
    fail(ErrorKind::runtime,
         "index_copy_(): self and source expected to have the same dtype, but got (self) ",
         scalar_type_name(a.dtype), " and (source) ", scalar_type_name(source.dtype));
  bool fits = true;
  for (int i = 0; i < std::max(a.ndim(), source.ndim()); ++i)
    fits &= i == dim || (i < a.ndim() && i < source.ndim() && a.size(i) == source.size(i));
  if (!fits)
    fail(ErrorKind::runtime,
         "index_copy_(): Source/destination tensor must have same slice shapes. Destination slice "
         "shape: ",
         slice_sizes(a, dim), " at dimension ", dim,
         " and source slice shape: ", slice_sizes(source, dim), " at dimension 0.");
  if (source.ndim() && index.numel() != source.size(dim))
    fail(ErrorKind::index, "index_copy_(): Number of indices (", index.numel(),
         ") should be equal to source.size(dim) (", source.size(dim), ")");
}

void index_copy_error(int64_t index, int64_t dim, int64_t size) {
  fail(ErrorKind::index, "index_copy_(): index ", index, " is out of bounds for dimension ", dim,
       " with size ", size);
}

// PyTorch has a loop of its own for vectors.
template <Combine kCombine>
OutOfRange slice_error(const Node& out) {
  if (kCombine != Combine::add) return index_copy_error;
  return out.ndim() > 1 ? index_runtime_error : out_of_range_in_self;
}

template <Combine kCombine>
void infer_index_slices(Infer& s) {
  const Node &a = *s.in[0], &index = *s.in[1], &source = *s.in[2];
  const int dim = wrap_dim(s.attrs[0].as_int(), a.ndim());
  (kCombine == Combine::add ? check_index_add : check_index_copy)(a, dim, index, source);
  check_early(s.in[1], 0, AtLeast1d(a).sizes[dim], dim, slice_error<kCombine>(a));
  s.in[1] = as_index(s.in[1]);
  s.dtype = a.dtype;
  s.layout = contiguous(a.sizes());
}

template <Combine kCombine>
void run_index_slices(Run& s) {
  const AtLeast1d out(s.node), source(s.in(2));
  const int dim = wrap_dim(s.attr(0).as_int(), out.sizes.n);
  check_bounds(s.in(1), 0, out.sizes[dim], dim, slice_error<kCombine>(s.node));
  if (s.in(2).numel() == 0) return start_from_input(s);
  const Dims rest = without(out.strides, dim), places = along(s.in(1), dim, out.sizes.n);
  put_onto_input(s, source.sizes.span(), rest.span(),
                 {s.in(2).data(), s.node.dtype, source.strides.span()},
                 {indices(s.in(1)), places.span(), out.strides[dim]}, kCombine);
}

Value slices_gradient(const GradCall& s, const Value& by) {
  return reshape(index_select(s.g, s.attr(0).as_int(), by), s.in(2)->sizes());
}

Value zeros_of(const GradCall& s) { return full(s.in(0)->sizes(), 0, s.g->dtype); }

// A number that is written takes the tensor's dtype.
Value number_as(const Arg& given, DType dtype) {
  const Value value = number(given);
  check_fits(*value, dtype);
  return cast(value, dtype);
}

Value scatter_number(const Value& a, int64_t dim, const Value& by, const Value& number) {
  static const Op& op = op_named("scatter_number");
  return record(op, {a, by, number}, {Arg::of(dim)});
}

Values body_scatter_number(Call& c) {
  const Value a = c.tensor(0);
  return {scatter_number(a, c[1].as_int(), c.tensor(2), number_as(c[3], a->dtype))};
}

Values body_index_add(Call& c) {
  Value source = c.tensor(3);
  const Arg& alpha = c[4];
  if (alpha.as_real() != 1) source = cast(source * number(alpha), source->dtype);
  return {index_add(c.tensor(0), c[1].as_int(), c.tensor(2), source)};
}

void check_index_fill(const Node& index, const Value& value) {
  if (index.dtype != DType::int64)
    fail(ErrorKind::index, "index_fill_(): Expected dtype int64 for index.");
  if (index.ndim() > 1) fail(ErrorKind::runtime, "Index has to be a vector/scalar");
  if (value->ndim() > 0)
    fail(ErrorKind::runtime,
         "index_fill_ only supports a 0-dimensional value tensor, but got tensor with ",
         value->ndim(), " dimension(s).");
}

Values body_index_fill(Call& c) {
  const Value value = c.tensor(3);
  check_index_fill(*c.tensor(2), value);
  check_written(value, c.tensor(0)->dtype);
  return {index_fill(c.tensor(0), c[1].as_int(), c.tensor(2), value)};
}

// One number for all.
Value lift_number(const Lift& s) {
  const int ndim = s.like.ndim();
  if (ndim == 0 || !s.is_shared(2)) return nullptr;
  Value in[] = {with_members(s, 0), with_members(s, 1), s.in[2]};
  const Arg attrs[] = {Arg::of(lifted_dim(s.like.attr(0), ndim))};
  return record(*s.like.op, in, attrs);
}

// From one tensor along its first dimension all members' slices at once; otherwise by gather, with
// an index for every element.
Value lift_index_select(const Lift& s) {
  const int ndim = s.like.ndim();
  if (ndim == 0 || s.like.inputs[1]->ndim() != 1) return nullptr;
  const int64_t dim = lifted_dim(s.like.attr(0), ndim), count = s.like.inputs[1]->numel();
  if (s.is_shared(0) && dim == 1)
    return reshape(index_select(s.in[0], 0, reshape(s.in[1], Dims{s.n() * count})),
                   s.with_n(s.like.sizes()));
  Dims sizes;
  for (int i = 0; i <= ndim; ++i) sizes.push(i == 0 ? s.n() : i == dim ? count : 1);
  const Value index = expand(reshape(with_members(s, 1), sizes), s.with_n(s.like.sizes()));
  return gather(with_members(s, 0), dim, index);
}

constexpr Op kOps[] = {
    {.name = "gather",
     .signature = "(Tensor input, int dim, Tensor index, *, bool sparse_grad=False) -> Tensor",
     .doc = "For each index the element of input at it along dim, and where it stands otherwise.",
     .example = "gather(tensor([[1, 2], [3, 4]]), 1, tensor([[0, 0], [1, 0]]))",
     .infer = infer_gather,
     .kernel = run_gather,
     .grad = {GRAD(scatter_add(zeros_of(s), s.attr(0).as_int(), b, g))},
     .lift = lift_along<>,
     .out_apart = true,
     .out_exact = true},
    {.name = "scatter",
     .signature = "(Tensor input, int dim, Tensor index, Tensor src) -> Tensor",
     .doc = "A copy of input with src written where index says along dim.",
     .example = "scatter(zeros(2, 3), 1, tensor([[2], [0]]), tensor([[5.], [6.]]))",
     .infer = infer_scatter<false>,
     .kernel = run_scatter<Combine::assign>,
     .grad = {GRAD(scatter_number(g, s.attr(0).as_int(), b, constant(0.0, g->dtype))),
              {},
              GRAD(source_gradient(s, b))},
     .lift = lift_along<>,
     .donates = 1,
     .inplace = true,
     .apart = true},
    {.name = "scatter",
     .signature = "(Tensor input, int dim, Tensor index, Number value) -> Tensor",
     .body = body_scatter_number,
     .inplace = true,
     .apart = true},
    {.name = "scatter_number",
     .doc = "A copy of input with one number written where index says along dim.",
     .infer = infer_scatter<true>,
     .kernel = run_scatter<Combine::assign>,
     .grad = {GRAD(scatter_number(g, s.attr(0).as_int(), b, constant(0.0, g->dtype)))},
     .lift = lift_number,
     .grad_name = "ScatterBackward1",
     .donates = 1,
     .hidden = true},
    {.name = "scatter_add_number",
     .doc = "A copy of input with one number added where index says along dim.",
     .infer = infer_scatter<true>,
     .kernel = run_scatter<Combine::add>,
     .grad = {GRAD(g)},
     .lift = lift_number,
     .donates = 1,
     .hidden = true},
    {.name = "scatter_mul",
     .doc = "A copy of input multiplied by src where index says along dim.",
     .infer = infer_scatter<false>,
     .kernel = run_scatter<Combine::mul>,
     .lift = lift_along<>,
     .differentiable = false,
     .donates = 1,
     .hidden = true},
    {.name = "scatter_amax",
     .doc = "A copy of input, or src where it is larger, where index says along dim.",
     .infer = infer_scatter<false>,
     .kernel = run_scatter<Combine::amax>,
     .lift = lift_along<>,
     .differentiable = false,
     .donates = 1,
     .hidden = true},
    {.name = "scatter_amin",
     .doc = "A copy of input, or src where it is smaller, where index says along dim.",
     .infer = infer_scatter<false>,
     .kernel = run_scatter<Combine::amin>,
     .lift = lift_along<>,
     .differentiable = false,
     .donates = 1,
     .hidden = true},
    {.name = "scatter_add",
     .signature = "(Tensor input, int dim, Tensor index, Tensor src) -> Tensor",
     .doc = "A copy of input with src added where index says along dim.",
     .example = "scatter_add(zeros(3), 0, tensor([0, 2, 0]), ones(3))",
     .infer = infer_scatter<false>,
     .kernel = run_scatter<Combine::add>,
     .grad = {GRAD(g), {}, GRAD(source_gradient(s, b))},
     .lift = lift_along<>,
     .donates = 1,
     .adds_to_first = true,
     .inplace = true,
     .apart = true},
    {.name = "index_select",
     .signature = "(Tensor input, int dim, Tensor index) -> Tensor",
     .doc = "The slices of input that index names along dim.",
     .example = "index_select(eye(3), 0, tensor([2, 0]))",
     .infer = infer_index_select,
     .kernel = run_index_select,
     .grad = {GRAD(index_add(zeros_of(s), s.attr(0).as_int(), b, g))},
     .lift = lift_index_select,
     .weights = 1,
     .out_apart = true},
    {.name = "index_add",
     .signature =
         "(Tensor input, int dim, Tensor index, Tensor source, *, Number alpha=1) -> Tensor",
     .doc = "A copy of input with alpha times each slice of source added where index says.",
     .example = "index_add(zeros(3), 0, tensor([2, 2]), tensor([5., 6.]))",
     .body = body_index_add,
     .inplace = true,
     .apart = true},
    {.name = "index_add_slices",
     .doc = "Input with slices of a source added where index says along dim.",
     .infer = infer_index_slices<Combine::add>,
     .kernel = run_index_slices<Combine::add>,
     .grad = {GRAD(g), {}, GRAD(slices_gradient(s, b))},
     .grad_name = "IndexAddBackward0",
     .donates = 1,
     .adds_to_first = true,
     .hidden = true},
    {.name = "index_copy",
     .signature = "(Tensor input, int dim, Tensor index, Tensor source) -> Tensor",
     .doc = "A copy of input with slices of source written where index says.",
     .example = "index_copy(zeros(3), 0, tensor([2, 0]), tensor([5., 6.]))",
     .infer = infer_index_slices<Combine::assign>,
     .kernel = run_index_slices<Combine::assign>,
     .grad = {GRAD(index_fill(g, s.attr(0).as_int(), b, 0)), {}, GRAD(slices_gradient(s, b))},
     .donates = 1,
     .inplace = true,
     .apart = true},
    {.name = "index_fill",
     .signature = "(Tensor input, int dim, Tensor index, Operand value) -> Tensor",
     .doc = "A copy of input with the slices that index names filled with value.",
     .example = "index_fill(zeros(2, 3), 1, tensor([0, -1]), 5.)",
     .body = body_index_fill,
     .inplace = true,
     .apart = true,
     .takes_number = true,
     .out = false},
};

}  // namespace

std::span<const Op> gather_ops() { return kOps; }

Value gather(const Value& a, int64_t dim, const Value& by) {
  static const Op& op = op_named("gather");
  return record(op, {a, by}, {Arg::of(dim)});
}
Value scatter(const Value& a, int64_t dim, const Value& by, const Value& source) {
  static const Op& op = op_named("scatter");
  return record(op, {a, by, source}, {Arg::of(dim)});
}
Value scatter_add(const Value& a, int64_t dim, const Value& by, const Value& source) {
  static const Op& op = op_named("scatter_add");
  return record(op, {a, by, source}, {Arg::of(dim)});
}
Value index_select(const Value& a, int64_t dim, const Value& by) {
  static const Op& op = op_named("index_select");
  return record(op, {a, by}, {Arg::of(dim)});
}
Value index_add(const Value& a, int64_t dim, const Value& by, const Value& source) {
  static const Op& op = op_named("index_add_slices");
  return record(op, {a, by, source}, {Arg::of(dim)});
}
Value index_fill(const Value& a, int64_t asked, const Value& by, const Value& value) {
  const int dim = wrap_dim(asked, a->ndim());
  Dims sizes(a->sizes());
  for (int i = 0; i < sizes.n; ++i) sizes[i] = i == dim ? sizes[i] : 1;
  if (sizes.n == 0) sizes.push(1);
  Values list(sizes.n);
  list[dim] = by;
  const Value nowhere = full(sizes.span(), constant(int64_t{0}, DType::bool_), DType::bool_);
  const Value mask = index_put(nowhere, list, constant(int64_t{1}, DType::bool_), false);
  return masked_fill(a, a->ndim() ? mask : reshape(mask, Dims{}), value);
}

}  // namespace wend
