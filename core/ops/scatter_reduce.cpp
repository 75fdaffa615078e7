// ops/scatter_reduce.cpp: many elements reduced into the places that an index names. The moving of
// elements is ops/gather; here are the starting values, the mean, and the gradients.
#include <limits>
#include <string_view>

#include "graph/read.hpp"
#include "ops/places.hpp"

namespace wend {
namespace {

enum class How { sum, prod, mean, amax, amin };

constexpr const char* kNames[] = {"sum", "prod", "mean", "amax", "amin"};

How how_of(const Arg& text) {
  const std::string_view given(text.text_p, text.n);
  for (int i = 0; i < 5; ++i)
    if (given == kNames[i]) return static_cast<How>(i);
  fail(ErrorKind::runtime, "reduce argument must be either sum, prod, mean, amax or amin, got ",
       given);
}

Value as_scatter(How how, const Value& a, int64_t dim, const Value& by, const Value& source) {
  static const char* names[] = {"scatter_add", "scatter_mul", "scatter_add", "scatter_amax",
                                "scatter_amin"};
  return record(op_named(names[static_cast<int>(how)]), {a, by, source}, {Arg::of(dim)});
}

// What a reduction of no elements gives.
Value neutral(How how, DType dtype) {
  if (how == How::sum || how == How::mean) return constant(int64_t{0}, dtype);
  if (how == How::prod) return constant(int64_t{1}, dtype);
  const bool most = how == How::amin;
  if (is_floating(dtype)) {
    const double infinite = std::numeric_limits<double>::infinity();
    return constant(most ? infinite : -infinite, dtype);
  }
  if (dtype == DType::bool_) return constant(int64_t{most}, dtype);
  const int bits = static_cast<int>(size_of(dtype)) * 8 - is_signed(dtype);
  const int64_t highest = bits == 63 ? INT64_MAX : (int64_t{1} << bits) - 1;
  const int64_t lowest = is_signed(dtype) ? -highest - 1 : 0;
  return constant(most ? highest : lowest, dtype);
}

Value filled_at(const Value& a, int64_t dim, const Value& by, const Value& number) {
  static const Op& op = op_named("scatter_number");
  return record(op, {a, by, number}, {Arg::of(dim)});
}

// How many elements each place of the result was reduced from, at least 1.
Value counts(const Value& like, int64_t dim, const Value& by, bool include_self) {
  static const Op& op = op_named("scatter_add_number");
  const Value start = full(like->sizes(), include_self ? 1 : 0, like->dtype);
  const Value n = record(op, {start, by, constant(int64_t{1}, like->dtype)}, {Arg::of(dim)});
  return masked_fill(n, eq(n, 0), 1);
}

Value reduced(How how, const Value& a, int64_t dim, const Value& by, const Value& source,
              bool include_self) {
  const Value start = include_self ? a : filled_at(a, dim, by, neutral(how, a->dtype));
  const Value total = as_scatter(how, start, dim, by, source);
  if (how != How::mean) return total;
  const Value n = counts(a, dim, by, include_self);
  return is_floating(a->dtype) ? total / n : floor_divide(total, n);
}

// The same with its gradient; an index of slices is index_reduce's.
Value scatter_reduce(How how, const Value& a, int64_t dim, const Value& by, const Value& source,
                     bool include_self, bool of_slices = false);

// A node that computes nothing itself: it stands for a reduction whose gradient is not that of the
// ops which compute it. Inputs: the result, the tensor, the index, the source.
// Attributes: the dimension, how, include_self, whether it is index_reduce.
void infer_reduced(Infer& s) {
  infer_like_input(s);
  s.offset = s.in[0]->offset;
}

Value through_places(const GradCall& s, const Value& per_place, const Value& by) {
  return pad_to(gather(per_place, s.attr(0).as_int(), by), s.in(3)->sizes());
}

How how_of(const GradCall& s) { return static_cast<How>(s.attr(1).as_int()); }

// Of several equal extremes each gets an equal share.
Value shares(const GradCall& s, const Value& result, const Value& self, const Value& by,
             const Value& source) {
  const int64_t dim = s.attr(0).as_int();
  const Value at_source = cast(eq(source, through_places(s, result, by)), s.g->dtype);
  const Value at_self = cast(eq(self, result), s.g->dtype);
  const Value start = s.attr(2).as_bool() ? at_self : zeros_like(at_self);
  const Value n = scatter_add(start, dim, by, at_source);
  return s.g / masked_fill(n, eq(n, 0), 1);
}

Value product_gradient_of_self(const GradCall& s, const Value& self, const Value& by,
                               const Value& source) {
  const Value whole = masked_fill(self, eq(self, 0), 1);
  const Value rest = scatter_reduce(How::prod, whole, s.attr(0).as_int(), by, source, true);
  return s.g * rest / whole;
}

// Neither formula below is right a second time if several factors of a place are 0: the gradient of
// each holds for all values of the others only if it is the only one.
Value once_only(const GradCall& s, const Value& gradient, const Value& zeros) {
  if (!mode.grad || zeros->numel() == 0) return gradient;
  Value most;
  {
    WithoutGrad no_grad;
    most = amax(zeros, Dims{}, false);
  }
  if (read_number(most).as_real() < 2) return gradient;
  return record(op_named("reduced_slope"), {alias_without_grad(gradient), gradient}, {s.attr(3)});
}

[[noreturn]] Value refuse_second(const GradCall& s) {
  if (s.attr(0).as_bool())
    fail(ErrorKind::runtime,
         "index_reduce(): Double backward is unsupported for source when >1 zeros in source are "
         "scattered to the same position in self");
  fail(ErrorKind::runtime,
       "scatter_reduce(): Double backward is unsupported for src when >1 zeros in src are "
       "scattered to the same position in self");
}

// Where one factor of a place is 0 its gradient is the product of the others; otherwise the product
// divided by it.
Value product_gradient_of_source(const GradCall& s, const Value& result, const Value& self,
                                 const Value& by, const Value& source) {
  const int64_t dim = s.attr(0).as_int();
  const bool include_self = s.attr(2).as_bool();
  const Value zero = eq(source, 0);
  const Value none = full(self->sizes(), 0, s.g->dtype);
  const Value zeros = gather(scatter_add(none, dim, by, cast(zero, s.g->dtype)), dim, by);
  const Value only = logical_and(zero, eq(zeros, 1));
  const Value others =
      scatter_reduce(How::prod, self, dim, by, masked_fill(source, only, 1), include_self);
  const Value gradient = where(only, gather(s.g * others, dim, by),
                               gather(s.g * result, dim, by) / masked_fill(source, zero, 1));
  return once_only(s, gradient, zeros);
}

Value gradient_of_self(const GradCall& s, const Value& result, const Value& self, const Value& by,
                       const Value& source) {
  const int64_t dim = s.attr(0).as_int();
  if (!s.attr(2).as_bool()) return filled_at(s.g, dim, by, constant(0.0, s.g->dtype));
  switch (how_of(s)) {
    case How::sum:
      return s.g;
    case How::mean:
      return s.g / counts(s.g, dim, by, true);
    case How::prod:
      return product_gradient_of_self(s, self, by, source);
    default:
      return cast(eq(self, result), s.g->dtype) * shares(s, result, self, by, source);
  }
}

Value gradient_of_source(const GradCall& s, const Value& result, const Value& self, const Value& by,
                         const Value& source) {
  const int64_t dim = s.attr(0).as_int();
  switch (how_of(s)) {
    case How::sum:
      return through_places(s, s.g, by);
    case How::mean:
      return through_places(s, s.g / counts(s.g, dim, by, s.attr(2).as_bool()), by);
    case How::prod:
      return product_gradient_of_source(s, result, self, by, source);
    default:
      return cast(eq(source, through_places(s, result, by)), s.g->dtype) *
             through_places(s, shares(s, result, self, by, source), by);
  }
}

Value scatter_reduce(How how, const Value& a, int64_t dim, const Value& by, const Value& source,
                     bool include_self, bool of_slices) {
  static const Op& op = op_named("scatter_reduced");
  Value result;
  {
    WithoutGrad no_grad;
    result = reduced(how, a, dim, by, source, include_self);
  }
  if (!mode.grad || (!a->needs_grad() && !source->needs_grad())) return result;
  return record(op, {result, a, as_index(by), source},
                {Arg::of(static_cast<int64_t>(wrap_dim(dim, a->ndim()))),
                 Arg::of(static_cast<int64_t>(how)), Arg::of(include_self), Arg::of(of_slices)});
}

Values body_scatter_reduce(Call& c) {
  return {scatter_reduce(how_of(c[4]), c.tensor(0), c[1].as_int(), c.tensor(2), c.tensor(3),
                         c[5].as_bool())};
}

// scatter with reduce=; a number stands for a source that has it everywhere.
Values body_scatter(Call& c) {
  const Value a = c.tensor(0), by = c.tensor(2);
  const std::string_view given(c[4].text_p, c[4].n);
  if (given != "add" && given != "multiply")
    fail(ErrorKind::runtime, "reduce argument must be either add or multiply.");
  Value source = c.tensor(3);
  if (source->flags & Node::weak) source = expand(cast(source, a->dtype), by->sizes());
  const How how = given == "add" ? How::sum : How::prod;
  return {scatter_reduce(how, a, c[1].as_int(), by, source, true)};
}

void check_index_reduce(const Node& a, int dim, const Node& index, const Node& source) {
  if (index.dtype != DType::int64 && index.dtype != DType::int32)
    fail(ErrorKind::runtime, "index_reduce(): Expected dtype int32/int64 for index");
  if (index.ndim() > 1)
    fail(ErrorKind::index,
         "index_reduce_(): Index is supposed to be a vector, but got dim: ", index.ndim(),
         " with type: ", scalar_type_name(index.dtype), " and size: ", show(index.sizes()));
  if (a.dtype != source.dtype)
    fail(ErrorKind::runtime, "index_reduce_(): self (", scalar_type_name(a.dtype), ") and source (",
         scalar_type_name(source.dtype), ") must have the same scalar type");
  const int64_t slices = source.ndim() ? source.size(std::min(dim, source.ndim() - 1)) : 1;
  if (index.numel() != slices)
    fail(ErrorKind::runtime, "index_reduce_(): Number of indices (", index.numel(),
         ") should be equal to source.size(dim): (", slices, "), for dim: ", dim);
}

Values body_index_reduce(Call& c) {
  const Value a = c.tensor(0), source = c.tensor(3);
  Value by = c.tensor(2);
  const std::string_view given(c[4].text_p, c[4].n);
  if (given == "sum" || (given != "prod" && given != "mean" && given != "amax" && given != "amin"))
    fail(ErrorKind::runtime,
         "index_reduce(): Expected reduce to be one of prod, mean, amax or amin but got ", given,
         ".");
  const int dim = wrap_dim(c[1].as_int(), a->ndim());
  check_index_reduce(*a, dim, *by, *source);
  // Picking the index itself out of all legal ones raises as PyTorch does where there is none.
  const Value legal =
      record(op_named("counted"), std::span<Value>(),
             {Arg::of(AtLeast1d(*a).sizes[dim]), Arg::of(DType::int64), Arg::of(0), Arg::of(1)});
  by = index_select(legal, 0, by);
  Dims sizes;
  for (int i = 0; i < source->ndim(); ++i) sizes.push(i == dim ? by->numel() : 1);
  by = expand(reshape(by, sizes), source->sizes());
  return {scatter_reduce(how_of(c[4]), a, dim, by, source, c[5].as_bool(), true)};
}

constexpr Op kOps[] = {
    {.name = "scatter_reduced",
     .doc = "The value of input 0 with the gradient of a reduction of the other inputs.",
     .infer = infer_reduced,
     .grad = {{},
              GRAD(gradient_of_self(s, out, b, c, d)),
              {},
              GRAD(gradient_of_source(s, out, b, c, d))},
     .grad_name = "ScatterReduceBackward0",
     .view = true,
     .hidden = true},
    {.name = "reduced_slope",
     .doc = "The value of input 0, which has no gradient; input 1 is where it would go.",
     .infer = infer_reduced,
     .grad = {{}, GRAD(refuse_second(s))},
     .view = true,
     .edges = 0b10,
     .hidden = true},
    {.name = "scatter_reduce",
     .signature = "(Tensor input, int dim, Tensor index, Tensor src, str reduce, *, "
                  "bool include_self=True) -> Tensor",
     .doc =
         "Elements of src reduced, by sum, prod, mean, amax or amin, where index says along dim.",
     .example = "scatter_reduce(zeros(2), 0, tensor([0, 1, 0]), tensor([1., 2., 3.]), 'amax')",
     .body = body_scatter_reduce,
     .inplace = true,
     .apart = true},
    {.name = "scatter",
     .signature = "(Tensor input, int dim, Tensor index, Operand src, *, str reduce) -> Tensor",
     .body = body_scatter,
     .inplace = true,
     .apart = true},
    {.name = "scatter",
     .signature = "(Tensor input, int dim, Tensor index, Operand value, *, str reduce) -> Tensor",
     .body = body_scatter,
     .inplace = true,
     .apart = true},
    {.name = "index_reduce",
     .signature = "(Tensor input, int dim, Tensor index, Tensor source, str reduce, *, "
                  "bool include_self=True) -> Tensor",
     .doc = "Slices of source reduced, by prod, mean, amax or amin, where index says along dim.",
     .example = "index_reduce(ones(2), 0, tensor([0, 1, 0]), tensor([1., 2., 3.]), 'prod')",
     .body = body_index_reduce,
     .inplace = true,
     .apart = true},
};

}  // namespace

std::span<const Op> scatter_reduce_ops() { return kOps; }

}  // namespace wend
