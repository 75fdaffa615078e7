// ops/mask.cpp: choosing elements by a condition. How many are chosen is read when the op is
// recorded, which are chosen when it runs.
#include <algorithm>

#include "graph/read.hpp"
#include "ops/places.hpp"

namespace wend {
namespace {

// PyTorch's message names the C++ type here.
const char* name_in_messages(DType dtype) {
  static constexpr const char* names[dtype_count] = {
      "bool",     "unsigned char", "signed char",   "short int", "int",
      "long int", "c10::Half",     "c10::BFloat16", "float",     "double"};
  return names[static_cast<int>(dtype)];
}

Values body_masked_fill(Call& c) {
  const Value mask = c.tensor(1), value = c.tensor(2);
  if (mask->dtype != DType::bool_)
    fail(ErrorKind::runtime, "masked_fill_ only supports boolean masks, but got mask with dtype ",
         name_in_messages(mask->dtype));
  if (value->ndim() > 0)
    fail(ErrorKind::runtime,
         "masked_fill_ only supports a 0-dimensional value tensor, but got tensor with ",
         value->ndim(), " dimension(s).");
  check_written(value, c.tensor(0)->dtype);
  const auto in_rows = [](const Value& v) {
    return v->layout->contiguous ? v : contiguous_copy(v);
  };
  return {masked_fill(in_rows(c.tensor(0)), in_rows(mask), value)};
}

Values body_nonzero(Call& c) { return {nonzero(c.tensor(0))}; }

Values body_nonzero_as_tuple(Call& c) {
  if (!c[2].is_none())
    fail(ErrorKind::runtime, "nonzero does not support the out kwarg when as_tuple is True");
  const Value a = c.tensor(0);
  return nonzero_indices(a->ndim() ? a : unsqueeze(a, 0));
}

Values body_where(Call& c) {
  const Value a = c.tensor(0);
  return nonzero_indices(a->ndim() ? a : unsqueeze(a, 0));
}

// Both broadcast together, as lists.
std::pair<Value, Value> as_lists(const Value& a, const Value& mask) {
  const Value both[] = {mask, a};
  const Dims sizes = broadcast_sizes(both);
  return {reshape(expand(a, sizes), Dims{-1}), reshape(expand(mask, sizes), Dims{-1})};
}

Values body_masked_select(Call& c) {
  const Value mask = c.tensor(1);
  if (mask->dtype != DType::bool_)
    fail(ErrorKind::runtime, "masked_select: expected BoolTensor for mask");
  const auto [list, chosen] = as_lists(c.tensor(0), mask);
  return {index(list, nonzero_indices(chosen))};
}

Values body_masked_scatter(Call& c) {
  const Value a = c.tensor(0), mask = c.tensor(1), source = c.tensor(2);
  if (a->dtype != source->dtype)
    fail(ErrorKind::runtime, "masked_scatter: expected self and source to have same dtypes but got",
         scalar_type_name(a->dtype), " and ", scalar_type_name(source->dtype));
  if (mask->dtype != DType::bool_)
    fail(ErrorKind::runtime,
         "masked_scatter_ only supports boolean masks, but got mask with dtype ",
         scalar_type_name(mask->dtype));
  const auto [list, chosen] = as_lists(a, mask);
  const Values where = nonzero_indices(chosen);
  const int64_t n = where[0]->numel();
  if (source->numel() < n)
    fail(ErrorKind::runtime, "Number of elements of source < number of ones in mask");
  const Value values = slice(reshape(source, Dims{-1}), 0, 0, n);
  const Value both[] = {mask, a};
  return {reshape(index_put(list, where, values, false), broadcast_sizes(both))};
}

// Attribute: how many elements are not zero. A column for each dimension.
void infer_nonzero_places(Infer& s) {
  const int64_t n = s.attrs[0].as_int();
  const int64_t sizes[] = {n, s.in[0]->ndim()}, strides[] = {1, std::max<int64_t>(n, 1)};
  s.dtype = DType::int64;
  s.layout = intern(sizes, strides);
}

void run_nonzero_places(Run& s) {
  find_nonzero(s.in(0).sizes(), strided(s.in(0)), reinterpret_cast<int64_t*>(s.out()),
               s.attr(0).as_int());
}

constexpr Op kOps[] = {
    {.name = "masked_fill",
     .signature = "(Tensor input, Tensor mask, Operand value) -> Tensor",
     .doc = "A copy of input with value where mask is true.",
     .example = "masked_fill(arange(3.), tensor([True, False, True]), -1.)",
     .body = body_masked_fill,
     .inplace = true,
     .takes_number = true,
     .out = false},
    {.name = "nonzero",
     .signature = "(Tensor input, *, False as_tuple=False) -> Tensor",
     .doc = "The positions of the elements that are not zero, one in each row.",
     .example = "nonzero(tensor([0., 3., 0., 5.]))",
     .body = body_nonzero},
    {.name = "nonzero",
     .signature = "(Tensor input, *, True as_tuple, Tensor? out=None) -> Tensor[]",
     .body = body_nonzero_as_tuple,
     .out = false},
    {.name = "nonzero_places",
     .signature = "(Tensor input, int n) -> Tensor",
     .infer = infer_nonzero_places,
     .kernel = run_nonzero_places,
     .launches = true,
     .differentiable = false,
     .work = [](const Node& node) { return 2.0 * static_cast<double>(node.inputs[0]->numel()); },
     .hidden = true},
    {.name = "where",
     .signature = "(Tensor condition) -> Tensor[]",
     .doc = "The positions of the elements that are not zero, one list for each dimension.",
     .example = "where(tensor([[True, False], [False, True]]))",
     .body = body_where,
     .method = false,
     .out = false},
    {.name = "masked_select",
     .signature = "(Tensor input, Tensor mask) -> Tensor",
     .doc = "A list of the elements where mask is true.",
     .example = "masked_select(arange(3.), tensor([True, False, True]))",
     .body = body_masked_select,
     .out_apart = true},
    {.name = "masked_scatter",
     .signature = "(Tensor input, Tensor mask, Tensor source) -> Tensor",
     .doc = "A copy of input with the elements of source, in order, where mask is true.",
     .example = "masked_scatter(zeros(3), tensor([True, False, True]), tensor([5., 6.]))",
     .body = body_masked_scatter,
     .inplace = true,
     .apart = true,
     .out = false},
};

}  // namespace

std::span<const Op> mask_ops() { return kOps; }

// Only a dtype that cannot hold every number of the other's makes it necessary to look.
void check_written(const Value& number, DType dtype) {
  if (promote(number->dtype, dtype) == dtype) return;
  evaluate(number);
  check_fits(*number, dtype);
}

Value masked_fill(const Value& a, const Value& mask, const Value& value) {
  return masked_filled(mask, cast(value, a->dtype), a);
}

Value nonzero(const Value& a) {
  static const Op& places = op_named("nonzero_places");
  const int64_t n = read_size(a, [](const Node& known) {
    return known.numel() ? count_nonzero(known.sizes(), strided(known)) : 0;
  });
  return record(places, {a}, {Arg::of(n)});
}

Values nonzero_indices(const Value& given) {
  const Value a = given->ndim() ? given : unsqueeze(given, 0), all = nonzero(a);
  Values out;
  for (int i = 0; i < a->ndim(); ++i) out.push_back(select(all, 1, i));
  return out;
}

}  // namespace wend
