// ops/bins.cpp: counting by value: bins, positions among sorted boundaries, and distinct elements.
// The loops are kernels/bins. Where the size of a result depends on values, they are looked at
// here.
#include "kernels/bins.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>

#include "base/checked.hpp"
#include "graph/read.hpp"
#include "ops/families.hpp"
#include "ops/functions.hpp"
#include "ops/places.hpp"

namespace wend {
namespace {

void check_places(const int64_t* places, int64_t total, int64_t n) {
  if (std::any_of(places, places + total, [n](int64_t p) { return p < 0 || p >= n; }))
    fail(ErrorKind::runtime, "torch.searchsorted(): sorter index out of range");
}

// Inputs: boundaries, values, and perhaps the sorter. Attribute: right.
void infer_search(Infer& s) {
  const Node& values = *s.in[1];
  const DType common = result_type(s.in.first(2));
  if (common == DType::bool_ && values.numel() > 0) not_for("searchsorted_out_cpu", common);
  s.layout = contiguous(values.sizes());
  s.dtype = DType::int64;
  const int64_t n = s.in[0]->size(s.in[0]->ndim() - 1);
  if (s.in.size() > 2)
    look_at_given(*s.in[2], [=](const int64_t* at, int64_t all) { check_places(at, all, n); });
  for (int i = 0; i < 2; ++i) s.in[i] = cast(s.in[i], common);
  for (Value& in : s.in)
    if (!in->layout->contiguous) in = contiguous_copy(in);
}

void run_search(Run& s) {
  const Node &boundaries = s.in(0), &values = s.in(1);
  const int64_t n = boundaries.size(boundaries.ndim() - 1);
  int64_t rows = 1;
  for (int i = 0; i + 1 < boundaries.ndim(); ++i) rows *= boundaries.size(i);
  const int64_t* sorter = s.node.n_inputs > 2 ? indices(s.in(2)) : nullptr;
  if (sorter) check_places(sorter, rows * n, n);
  search({boundaries.dtype, boundaries.data(), sorter, rows, n, values.data(),
          values.numel() / rows, s.attr(0).as_bool(), reinterpret_cast<int64_t*>(s.out())});
}

void check_search(const Node& boundaries, const Node& values) {
  const auto have = boundaries.sizes(), asked = values.sizes();
  if (have.empty())
    fail(ErrorKind::runtime,
         "torch.searchsorted(): boundaries tensor should have positive "
         "dimension, but got 0 dimension");
  if (asked.empty() && have.size() != 1)
    fail(ErrorKind::runtime,
         "torch.searchsorted(): input value can be a scalar only when "
         "boundaries tensor dimension is 1, but we got boundaries tensor dim(",
         have.size(), ") and input value's dim(0) numel(1)");
  const bool one_row = have.size() == 1;
  if (!one_row &&
      (have.size() != asked.size() || !std::equal(have.begin(), have.end() - 1, asked.begin())))
    fail(ErrorKind::runtime,
         "torch.searchsorted(): boundaries tensor should be 1 dimension or the "
         "first N-1 dimensions of boundaries tensor and input value tensor must match, but we got "
         "boundaries tensor ",
         show(have), " and input value tensor ", show(asked));
}

void check_sorter(const Node& boundaries, const Node& sorter) {
  if (!std::ranges::equal(boundaries.sizes(), sorter.sizes()))
    fail(ErrorKind::runtime,
         "torch.searchsorted(): boundary and sorter must have the same size, "
         "but got boundary tensor ",
         show(boundaries.sizes()), "and got sorter tensor ", show(sorter.sizes()));
  if (sorter.dtype != DType::int64)
    fail(ErrorKind::runtime,
         "torch.searchsorted(): sorter must be a tensor of long dtype but got "
         "dtype ",
         scalar_type_name(sorter.dtype));
}

// Whether equal values go to the right, from `right` and `side`, which may say the same twice.
bool goes_right(const Arg& right, const Arg& side) {
  if (side.is_none()) return right.as_bool();
  const std::string_view text(side.text_p, side.n);
  if (text != "left" && text != "right")
    fail(ErrorKind::runtime, "torch.searchsorted(): side can only be 'left' or 'right' but got ",
         text);
  if (text == "left" && right.as_bool())
    fail(ErrorKind::runtime,
         "torch.searchsorted(): side and right can't be set to opposites, got "
         "side of left while right was True");
  return text == "right";
}

Value positions(std::span<Value> in, bool right, bool as_int32) {
  const Arg attrs[] = {Arg::of(right)};
  const Value found = record(op_named("positions"), in, attrs);
  return as_int32 ? cast(found, DType::int32) : found;
}

Values body_searchsorted(Call& c) {
  Values in = {c.tensor(0), c.tensor(1)};
  check_search(*in[0], *in[1]);
  if (!c[5].is_none()) {
    in.push_back(c.tensor(5));
    check_sorter(*in[0], *in[2]);
  }
  return {positions(in, goes_right(c[3], c[4]), c[2].as_bool())};
}

Values body_bucketize(Call& c) {
  Values in = {c.tensor(1), c.tensor(0)};
  if (in[0]->ndim() != 1)
    fail(ErrorKind::runtime, "boundaries tensor must be 1 dimension, but got dim(", in[0]->ndim(),
         ")");
  return {positions(in, c[3].as_bool(), c[2].as_bool())};
}

// A valued tensor of one dimension.
template <class T>
Value list_of(const std::vector<T>& items, DType dtype) {
  BufferRef buffer = allocate(items.size() * sizeof(T));
  if (!items.empty()) std::memcpy(buffer->data, items.data(), items.size() * sizeof(T));
  const LayoutRef layout = contiguous(Dims{static_cast<int64_t>(items.size())});
  return from_buffer(op_named("computed"), std::move(buffer), dtype, layout.get());
}

// All elements of `a`, contiguous.
Value elements_of(const Value& a) {
  const Value own = a->layout->contiguous ? a : contiguous_copy(a);
  read_bytes(own);
  return own;
}

// Zeros that `fill` makes something of.
template <class T, class Fill>
Value filled_list(int64_t n, DType dtype, Fill fill) {
  const LayoutRef layout = contiguous(Dims{n});
  BufferRef buffer = allocate(n * sizeof(T));
  fill(std::uninitialized_fill_n(reinterpret_cast<T*>(buffer->data), n, T{}) - n);
  return from_buffer(op_named("computed"), std::move(buffer), dtype, layout.get());
}

// A value that cannot be differentiated, which says so to whoever tries.
Value with_history(const char* op, const Value& value, const Value& of) {
  return mode.grad && of->needs_grad() ? record(op_named(op), {value, of}) : value;
}

template <class T>
Value weighted_bincount(const Node& values, const Value& weights, int64_t bins, DType dtype) {
  const Value given = elements_of(cast(weights, dtype));
  const Value sums = filled_list<T>(bins, dtype, [&](T* out) {
    sum_weights(indices(values), values.numel(), reinterpret_cast<const T*>(given->data()), out);
  });
  return with_history("bincount_of", sums, weights);
}

Values body_bincount(Call& c) {
  const Value a = c.tensor(0);
  if (is_floating(a->dtype) || a->dtype == DType::bool_)
    fail(ErrorKind::not_implemented, "\"bincount_cpu\" not implemented for '",
         scalar_type_name(a->dtype), "'");
  if (c[2].as_int() < 0) fail(ErrorKind::runtime, "minlength should be >= 0");
  const char* rule = "bincount only supports 1-d non-negative integral inputs.";
  if (a->ndim() != 1) fail(ErrorKind::runtime, rule);
  if (a->numel() == 0) return {full(Dims{c[2].as_int()}.span(), 0, DType::int64)};
  if (!c[1].is_none() && (c.tensor(1)->ndim() != 1 || c.tensor(1)->numel() != a->numel()))
    fail(ErrorKind::runtime, "weights should be 1-d and have the same length as input");
  const Value values = elements_of(cast(a, DType::int64));
  const int64_t *first = indices(*values), *end = first + values->numel();
  int64_t bins = c[2].as_int();
  for (const int64_t* v = first; v < end; ++v) {
    if (*v < 0) fail(ErrorKind::runtime, rule);
    bins = std::max(bins, checked_add(*v, 1));
  }
  if (!c[1].is_none() && c.tensor(1)->dtype == DType::float32)
    return {weighted_bincount<float>(*values, c.tensor(1), bins, DType::float32)};
  if (!c[1].is_none())
    return {weighted_bincount<double>(*values, c.tensor(1), bins, DType::float64)};
  return {filled_list<int64_t>(
      bins, DType::int64, [&](int64_t* counts) { count_values(first, values->numel(), counts); })};
}

// Attributes: bins, min, max; equal ones mean the range of the values.
void infer_histc(Infer& s) {
  s.dtype = s.in[0]->dtype;
  if (s.attrs[0].as_int() <= 0)
    fail(ErrorKind::runtime, "torch.histogram(): bins must be > 0, but got ", s.attrs[0].as_int(),
         " for dimension 0");
  if (s.attrs[1].as_real() > s.attrs[2].as_real())
    fail(ErrorKind::runtime, "torch.histc: max must be larger than min");
  s.layout = contiguous(Dims{s.attrs[0].as_int()});
  if (!s.in[0]->layout->contiguous) s.in[0] = contiguous_copy(s.in[0]);
}

template <class T>
void histc_as(Run& s) {
  const int64_t n = s.in(0).numel(), bins = s.attr(0).as_int();
  const T* x = reinterpret_cast<const T*>(s.in(0).data());
  T* counts = reinterpret_cast<T*>(s.out());
  std::fill_n(counts, bins, T{});
  T low = static_cast<T>(s.attr(1).as_real()), high = static_cast<T>(s.attr(2).as_real());
  if (low == high && n > 0) {
    low = *std::min_element(x, x + n);
    high = *std::max_element(x, x + n);
    if (std::any_of(x, x + n, [](T v) { return std::isnan(v); })) low = high = std::nan("");
  }
  if (low == high) low -= 1, high += 1;
  if (!std::isfinite(low) || !std::isfinite(high))
    fail(ErrorKind::runtime, "torch.histc: range of [", low, ", ", high, "] is not finite");
  histogram(x, n, low, high, bins, counts);
}

void run_histc(Run& s) {
  s.node.dtype == DType::float32 ? histc_as<float>(s) : histc_as<double>(s);
}

// (values, inverse, counts) of the distinct elements, or of the distinct slices of a dimension.
Values body_distinct(Call& c) {
  const Value a = alias_without_grad(c.tensor(0));
  const bool flat = c[1].is_none();
  if (!flat && a->ndim() == 0)
    fail(ErrorKind::index, "Dimension specified as ", c[1].as_int(),
         " but tensor has no dimensions");
  const int dim = flat ? 0 : wrap_dim(c[1].as_int(), a->ndim());
  const Value whole = flat ? reshape(a, {-1}) : a;
  const int64_t n = whole->size(dim), width = n ? whole->numel() / n : 0;
  for (int i = 0; i < whole->ndim(); ++i)
    if (i != dim && whole->size(i) == 0)
      fail(ErrorKind::runtime,
           "There are 0 sized dimensions, and they aren't selected, so unique "
           "cannot be applied");
  Dims order{dim};  // slices are compared in the order of the other dimensions
  for (int i = 0; i < whole->ndim(); ++i)
    if (i != dim) order.push(i);
  const Value rows = elements_of(permute(whole, order));
  const Groups groups = group_rows(a->dtype, rows->data(), n, width, c[2].as_bool());
  const Value inverse = list_of(groups.inverse, DType::int64);
  const Value found = index_select(whole, dim, list_of(groups.first, DType::int64));
  return {with_history("distinct_of", found, c.tensor(0)),
          flat ? reshape(inverse, a->sizes()) : inverse, list_of(groups.counts, DType::int64)};
}

// 16-bit floats are counted in float32.
Values body_histc(Call& c) {
  const Value a = c.tensor(0);
  if (!is_floating(a->dtype)) not_for("histogram_cpu", a->dtype);
  const DType wide = is_half(a->dtype) ? DType::float32 : a->dtype;
  return {cast(record(op_named("bin_counts"), {cast(a, wide)}, {c[1], c[2], c[3]}), a->dtype)};
}

constexpr Op kOps[] = {
    {.name = "searchsorted",
     .signature = "(Tensor sorted_sequence, Operand input, *, bool out_int32=False, bool "
                  "right=False, str? side=None, Tensor? sorter=None) -> Tensor",
     .doc = "Where values would go into sorted sequences.",
     .example = "searchsorted(tensor([1., 3., 5.]), tensor([3., 4.]))",
     .body = body_searchsorted,
     .method = false},
    {.name = "bucketize",
     .signature =
         "(Operand input, Tensor boundaries, *, bool out_int32=False, bool right=False) -> "
         "Tensor",
     .doc = "The bucket between sorted boundaries that each element falls into.",
     .example = "bucketize(tensor([3., 4.]), tensor([1., 3., 5.]))",
     .body = body_bucketize,
     .method = false},
    {.name = "positions",
     .doc = "Where the elements of input 1 would go into the sorted rows of input 0.",
     .infer = infer_search,
     .kernel = run_search,
     .differentiable = false,
     .cost = 20,
     .hidden = true},
    {.name = "bincount",
     .signature = "(Tensor input, Tensor? weights=None, int minlength=0) -> Tensor",
     .doc = "How often each non-negative integer occurs, or the sum of its weights.",
     .example = "bincount(tensor([0, 2, 2]))",
     .body = body_bincount,
     .out = false},
    {.name = "histc",
     .signature = "(Tensor input, int bins=100, Number min=0, Number max=0) -> Tensor",
     .doc = "How many elements fall into each of equal bins.",
     .example = "histc(tensor([1., 2., 1.]), bins=4, min=0, max=3)",
     .body = body_histc},
    {.name = "bin_counts",
     .doc = "histc of float32 or float64.",
     .infer = infer_histc,
     .kernel = run_histc,
     .differentiable = false,
     .at_once = true,
     .hidden = true},
    {.name = "_distinct",
     .signature = "(Tensor input, int? dim, bool consecutive) -> Tensor[]",
     .doc = "The distinct elements or slices, where each is among them, and how often it occurs.",
     .body = body_distinct,
     .method = false},
};

}  // namespace

std::span<const Op> bins_ops() { return kOps; }

}  // namespace wend
