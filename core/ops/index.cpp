// ops/index.cpp: reading and writing by index tensors, one for each dimension that is indexed, and
// by masks. Indices along one dimension are ops/gather; the syntax x[...] is bind/index.
#include <algorithm>
#include <cstring>

#include "graph/read.hpp"
#include "ops/batching.hpp"
#include "ops/places.hpp"

namespace wend {
namespace {

// Where the elements that an advanced index names come from and go to.
struct Geometry {
  Dims sizes;    // of the result
  Dims strides;  // of the indexed tensor along them, 0 where an index says where
  int at;        // the index's own dimensions begin here
  int ndim;      // ... and are that many
};

Geometry geometry(std::span<const int64_t> sizes, std::span<const int64_t> strides,
                  std::span<const int64_t> dims, std::span<const int64_t> index_sizes) {
  const bool adjacent = dims.back() - dims.front() + 1 == static_cast<int64_t>(dims.size());
  Geometry g;
  g.at = adjacent ? static_cast<int>(dims.front()) : 0;
  g.ndim = static_cast<int>(index_sizes.size());
  for (int i = 0; i < static_cast<int>(sizes.size()); ++i) {
    if (std::ranges::find(dims, i) != dims.end()) continue;
    g.sizes.push(sizes[i]);
    g.strides.push(strides[i]);
  }
  for (int i = 0; i < g.ndim; ++i) {
    g.sizes.insert(g.at + i, index_sizes[i]);
    g.strides.insert(g.at + i, 0);
  }
  return g;
}

Geometry geometry(const Node& a, std::span<const int64_t> dims,
                  std::span<const int64_t> index_sizes) {
  return geometry(a.sizes(), a.strides(), dims, index_sizes);
}

// `strides` of an operand of at most `n` dimensions that is broadcast to them, placed among the
// `total` dimensions of the result.
Dims placed(const Node& operand, std::span<const int64_t> strides, int at, int n, int total) {
  Dims out;
  out.n = total;
  std::fill(out.begin(), out.end(), 0);
  const int lead = n - static_cast<int>(strides.size());
  const int skipped = operand.ndim() - static_cast<int>(strides.size());
  for (int i = lead; i < n; ++i)
    out[at + i] = operand.size(skipped + i - lead) == 1 ? 0 : strides[i - lead];
  return out;
}

// The index tensors of a node: inputs from `first` on, or one input with all of them stacked where
// there are more of them than a gradient can save.
struct Indices {
  std::span<const Value> in;
  std::span<const int64_t> dims;
  bool packed;
  OutOfRange raise;

  Indices(std::span<const Value> inputs, size_t first, const Arg& dims_attr, OutOfRange raise)
      : in(inputs.subspan(first)),
        dims(dims_attr.as_ints()),
        packed(dims.size() > in.size()),
        raise(raise) {}

  Dims sizes() const { return packed ? Dims(in[0]->sizes().subspan(1)) : broadcast_sizes(in); }
  const Node& node(size_t k) const { return packed ? *in[0] : *in[k]; }
  const int64_t* data(size_t k) const {
    return packed ? indices(*in[0]) + k * in[0]->layout->stride(0) : indices(*in[k]);
  }
  std::span<const int64_t> sizes_of(size_t k) const {
    return packed ? in[0]->sizes().subspan(1) : in[k]->sizes();
  }
  std::span<const int64_t> strides_of(size_t k) const {
    return packed ? in[0]->strides().subspan(1) : in[k]->strides();
  }

  // True iff no index is below 0.
  bool check(std::span<const int64_t> sizes) const {
    bool plain = true;
    for (size_t k = 0; k < dims.size(); ++k) {
      if (node(k).numel() == 0) continue;
      const int64_t size = sizes[dims[k]];
      if (!find_outside(sizes_of(k), strides_of(k), data(k), 0, size)) continue;
      plain = false;
      if (auto* bad = find_outside(sizes_of(k), strides_of(k), data(k), -size, size))
        raise(*bad, static_cast<int64_t>(k), size);
    }
    return plain;
  }
};

// The places that the indices name in a tensor of these sizes and strides.
struct Named {
  std::vector<int64_t> sums;
  Dims strides;
  Places places;

  Named(const Indices& by, std::span<const int64_t> sizes,
        std::span<const int64_t> strides_of_whole, const Geometry& g) {
    const bool plain = by.check(sizes);
    if (plain && by.dims.size() == 1) {
      strides = placed(by.node(0), by.strides_of(0), g.at, g.ndim, g.sizes.n);
      places = {by.data(0), strides.span(), strides_of_whole[by.dims[0]]};
      return;
    }
    const auto index_sizes = g.sizes.span().subspan(g.at, g.ndim);
    sums.assign(count(index_sizes), 0);
    for (size_t k = 0; k < by.dims.size(); ++k) {
      const Dims along = placed(by.node(k), by.strides_of(k), 0, g.ndim, g.ndim);
      add_places(index_sizes, along.span(), by.data(k), sizes[by.dims[k]],
                 strides_of_whole[by.dims[k]], sums.data());
    }
    strides = Dims(g.sizes.span());
    std::fill(strides.begin(), strides.end(), 0);
    const Dims rows = contiguous_strides(index_sizes);
    std::copy(rows.begin(), rows.end(), strides.begin() + g.at);
    places = {sums.data(), strides.span(), 1};
  }
};

void check_not_empty(const Node& a, const Indices& by) {
  for (size_t k = 0; k < by.dims.size(); ++k)
    if (a.size(by.dims[k]) == 0 && by.node(k).numel() > 0 && count(by.sizes().span()) > 0)
      fail(ErrorKind::index, "index is out of bounds for dimension with size 0");
}

void take_error(int64_t index, int64_t, int64_t size) {
  fail(ErrorKind::index, "out of range: tried to access index ", index, " on a tensor of ", size,
       " elements.");
}

template <OutOfRange kRaise>
void infer_index(Infer& s) {
  const Node& a = *s.in[0];
  const Indices by(s.in, 1, s.attrs[0], kRaise);
  const Geometry g = geometry(a, by.dims, by.sizes().span());
  check_not_empty(a, by);
  s.dtype = a.dtype;
  if (g.sizes.n < 2 || kRaise == take_error ||
      (a.layout->contiguous && by.dims.size() == 1 && by.in[0]->layout->contiguous)) {
    s.layout = contiguous(g.sizes);
    return;
  }
  std::vector<Dims> strides{g.strides};
  for (size_t k = 0; k < by.dims.size(); ++k)
    strides.push_back(placed(by.node(k), by.strides_of(k), g.at, g.ndim, g.sizes.n));
  s.layout = following(g.sizes.span(), strides);
}

template <OutOfRange kRaise>
void run_index(Run& s) {
  const Node& a = s.in(0);
  const Indices by(s.node.in(), 1, s.attr(0), kRaise);
  const Geometry g = geometry(a, by.dims, by.sizes().span());
  const Named named(by, a.sizes(), a.strides(), g);
  pick(g.sizes.span(), strided(s.node), {a.data(), a.dtype, g.strides.span()}, named.places);
}

// Inputs: the tensor, the values, the indices. Attribute: the dims.
template <OutOfRange kRaise>
void infer_index_put(Infer& s) {
  const Node &a = *s.in[0], &values = *s.in[1];
  const Indices by(s.in, 2, s.attrs[0], kRaise);
  const Geometry g = geometry(a, by.dims, by.sizes().span());
  check_not_empty(a, by);
  const int lead = g.sizes.n - values.ndim();
  bool fits = lead >= 0;
  for (int i = 0; fits && i < values.ndim(); ++i)
    fits = values.size(i) == 1 || values.size(i) == g.sizes[lead + i];
  if (!fits)
    fail(ErrorKind::runtime, "shape mismatch: value tensor of shape ", show(values.sizes()),
         " cannot be broadcast to indexing result of shape ", show(g.sizes));
  if (a.dtype != values.dtype)
    fail(ErrorKind::runtime, "Index put requires the source and destination dtypes match, got ",
         scalar_type_name(a.dtype), " for the destination and ", scalar_type_name(values.dtype),
         " for the source.");
  infer_dense_like_input(s);
}

template <Combine kCombine, OutOfRange kRaise>
void run_index_put(Run& s) {
  const Node& values = s.in(1);
  const Indices by(s.node.in(), 2, s.attr(0), kRaise);
  const Geometry g = geometry(s.node, by.dims, by.sizes().span());
  if (count(g.sizes.span()) == 0) return start_from_input(s);
  const Named named(by, s.node.sizes(), s.node.strides(), g);
  const Dims strides = placed(values, values.strides(), 0, g.sizes.n, g.sizes.n);
  put_onto_input(s, g.sizes.span(), g.strides.span(), {values.data(), values.dtype, strides.span()},
                 named.places, kCombine);
}

// Looks at the indices `given` for dimensions of `a`, none where one is null. Of a place that does
// not exist nothing is taken or written.
void look_at_indices(const Node& a, std::span<const Value> given, OutOfRange raise) {
  const auto is_empty = [](const Value& v) { return v && v->numel() == 0; };
  if (a.numel() == 0 || std::ranges::any_of(given, is_empty)) return;
  int64_t k = 0;  // PyTorch counts the dimensions that are indexed
  for (size_t i = 0; i < given.size(); ++i) {
    const int64_t size = a.size(static_cast<int>(i));
    if (given[i]) check_early(given[i], -size, size, k++, raise);
  }
}

Value record_index(const Value& a, std::span<const Value> index, const Arg& dims,
                   const char* name = "index") {
  const Op& op = op_named(name);
  Value in[4] = {a};
  std::ranges::copy(index, in + 1);
  return record(op, std::span(in, index.size() + 1), std::span(&dims, 1));
}

Value record_index_put(const char* name, const Value& a, const Value& values,
                       std::span<const Value> index, const Arg& dims) {
  Value in[4] = {a, values};
  std::ranges::copy(index, in + 2);
  return record(op_named(name), std::span(in, index.size() + 2), std::span(&dims, 1));
}

std::span<const Value> inputs_from(const GradCall& s, size_t first) {
  return {s.inputs + first, s.node().n_inputs - first};
}

// The gradients name the indices as arguments so that their values are kept.
Value index_gradient(const GradCall& s, const Value&, const Value&) {
  const Value zeros = full(s.in(0)->sizes(), 0, s.g->dtype);
  return record_index_put("index_add_at", zeros, s.g, inputs_from(s, 1), s.attr(0));
}

Value gradient_of_overwritten(const GradCall& s, const Value&, const Value&) {
  return record_index_put("index_put_at", s.g, constant(0.0, s.g->dtype), inputs_from(s, 2),
                          s.attr(0));
}

Value gradient_of_written(const GradCall& s, const Value&, const Value&) {
  return record_index(s.g, inputs_from(s, 2), s.attr(0));
}

bool is_mask(const Node& n) { return n.dtype == DType::bool_ || n.dtype == DType::uint8; }

void check_not_too_many(size_t given, const Value& a) {
  if (static_cast<int>(given) > a->ndim())
    fail(ErrorKind::index, "too many indices for tensor of dimension ", a->ndim(), " (got ", given,
         ")");
}

// With the indices given tensor by tensor, as users have them; some may be masks. Beside others, a
// mask without dimensions says nothing.
Values spread_masks(const Value& a, std::span<Node* const> given) {
  Values by;
  for (Node* n : given) {
    if (is_mask(*n) && n->ndim() == 0) continue;
    if (!is_mask(*n)) {
      if (n->dtype != DType::int64 && n->dtype != DType::int32)
        fail(ErrorKind::index, "tensors used as indices must be long, int, byte or bool tensors");
      by.emplace_back(n);
      continue;
    }
    for (int i = 0; i < n->ndim(); ++i) {
      const int dim = static_cast<int>(by.size()) + i;
      if (dim < a->ndim() && n->size(i) == a->size(dim)) continue;
      fail(ErrorKind::index, "The shape of the mask ", show(n->sizes()), " at index ", i,
           " does not match the shape of the indexed tensor ", show(a->sizes()), " at index ", dim);
    }
    for (Value& v : nonzero_indices(Value(n))) by.push_back(std::move(v));
  }
  check_not_too_many(by.size(), a);
  return by;
}

Values body_index_put(Call& c) {
  const Value a = c.tensor(0), values = c.tensor(2);
  const auto given = c[1].as_nodes();
  check_not_too_many(given.size(), a);
  if (given.size() == 1 && is_mask(*given[0]) && given[0]->ndim() == 0)
    return {where(ne(Value(given[0]), 0), c[3].as_bool() ? a + values : values, a)};
  return {index_put(a, spread_masks(a, given), values, c[3].as_bool())};
}

void check_long(const Value& index, const char* name) {
  if (index->dtype != DType::int64)
    fail(ErrorKind::runtime, name, "(): Expected a long tensor for index, but got ",
         scalar_type_name(index->dtype));
}

Values body_take(Call& c) {
  const Value a = c.tensor(0), by = c.tensor(1);
  check_long(by, "take");
  if (a->numel() == 0 && by->numel() > 0)
    fail(ErrorKind::index, "take(): tried to take from an empty tensor");
  const Dims first{0};
  const Value flat = reshape(a, Dims{-1});
  look_at_indices(*flat, {&by, 1}, take_error);
  return {record_index(flat, {&by, 1}, Arg::of(first.span()), "take_at")};
}

Values body_put(Call& c) {
  const Value a = c.tensor(0), by = c.tensor(1), source = c.tensor(2);
  check_long(by, "put_");
  if (a->dtype != source->dtype)
    fail(ErrorKind::runtime,
         "put_(): self and source expected to have the same dtype, but got self.dtype = ",
         scalar_type_name(a->dtype), " and source.dtype = ", scalar_type_name(source->dtype));
  if (by->numel() != source->numel())
    fail(ErrorKind::index,
         "put_(): Expected source and index to have the same number of elements, but got "
         "source.numel() = ",
         source->numel(), ", index.numel() = ", by->numel());
  if (a->numel() == 0 && by->numel() > 0)
    fail(ErrorKind::index, "put_(): Tried to put elements into an empty tensor");
  const Value list = reshape(by, Dims{-1}), row = reshape(a, Dims{-1});
  look_at_indices(*row, {&by, 1}, take_error);
  const Dims first{0};
  const Value flat = record_index_put(c[3].as_bool() ? "put_adding" : "put_at", row,
                                      reshape(source, Dims{-1}), {&list, 1}, Arg::of(first.span()));
  return {with_layout(reshape(flat, a->sizes()), dense_like(*a->layout).get())};
}

// Sizes of the two broadcast together, apart from `dim`, which each keeps.
Values body_take_along_dim(Call& c) {
  Value a = c.tensor(0), by = c.tensor(1);
  if (c[2].is_none()) return {gather(reshape(a, Dims{-1}), 0, reshape(by, Dims{-1}))};
  if (by->dtype != DType::int64)
    fail(ErrorKind::runtime, "torch.take_along_dim(): dtype of indices should be Long but got ",
         scalar_type_name(by->dtype));
  if (a->ndim() != by->ndim())
    fail(ErrorKind::runtime,
         "torch.take_along_dim(): input and indices should have the same number of dimensions, but "
         "got ",
         a->ndim(), " dimensions for input, and ", by->ndim(), " dimensions for indices");
  const int dim = wrap_dim(c[2].as_int(), a->ndim());
  if (a->ndim() == 0) return {gather(a, 0, by)};
  Dims one(a->sizes());
  one[dim] = by->size(dim);
  Value shapes[] = {expand(slice(a, dim, 0, 1), one), by};
  Dims sizes = a->size(dim) ? broadcast_sizes(shapes) : Dims(by->sizes());
  by = remainder(expand(by, sizes), number(std::max<int64_t>(a->size(dim), 1)));
  sizes[dim] = a->size(dim);
  return {gather(expand(a, sizes), dim, by)};
}

// Indices that do not broadcast raise here; more of them than `most` are stacked.
void gather_up(Values& by, size_t most) {
  const auto same = [&](const Value& v) { return v->layout == by[0]->layout; };
  if (by.size() > 1 && !std::ranges::all_of(by, same)) {
    try {
      broadcast_sizes(by);
    } catch (const Error&) {
      std::string shapes;
      for (const Value& v : by) shapes += (shapes.empty() ? "" : ", ") + show(v->sizes());
      fail(ErrorKind::index,
           "shape mismatch: indexing tensors could not be broadcast together with shapes ", shapes);
    }
  }
  if (by.size() <= most) return;
  const Dims sizes = broadcast_sizes(by);
  for (Value& v : by) v = expand(v, sizes);
  by = {stack(by, 0)};
}

// The indices of all members of a node whose indices are inputs from `first` on.
struct ManyIndices {
  Values by;
  Dims dims;
  int ndim;               // of one member's indices
  int at;                 // where their dimensions begin in one member's result
  bool own = false;       // members differ in them
  bool packed;            // they are too many to be inputs each
  bool spread;            // dimensions between them are not indexed, so theirs come first
  bool in_front = false;  // the result has the members' dimension and the indices' first

  ManyIndices(const Lift& s, size_t first) : dims(s.like.attr(0).as_ints()) {
    const Indices one(s.like.in(), first, s.like.attr(0), index_error);
    ndim = one.sizes().n;
    spread = dims[dims.n - 1] - dims[0] + 1 != dims.n;
    at = spread ? 0 : static_cast<int>(dims[0]);
    packed = one.packed;
    for (size_t i = first; i < s.in.size() && !packed; ++i) {
      own |= !s.is_shared(i);
      by.push_back(aligned(s, static_cast<int>(i), ndim));
    }
  }

  // For a tensor with a dimension for the members in front, which the indices then name as well;
  // unless they are the same for all and stay in their place.
  void name_members(int64_t n) {
    for (int64_t& d : dims) ++d;
    if (!own && !spread) return;
    Dims sizes{n};
    while (sizes.n < ndim + 1) sizes.push(1);
    const Value members = record(op_named("counted"), std::span<Value>(),
                                 {Arg::of(n), Arg::of(DType::int64), Arg::of(0), Arg::of(1)});
    by.insert(by.begin(), reshape(members, sizes));
    dims.insert(0, 0);
    in_front = true;
  }
};

// Dimensions [from, from + n) moved to `to`.
Value moved(const Value& v, int from, int n, int to) {
  if (from == to) return v;
  Dims order;
  for (int i = 0; i < v->ndim(); ++i)
    if (i < from || i >= from + n) order.push(i);
  for (int i = 0; i < n; ++i) order.insert(to + i, from + i);
  return permute(v, order);
}

// As members lie, one behind the other.
Value laid_out(const Value& v, const Lift& s) {
  Dims strides(s.like.strides());
  strides.insert(0, s.like.numel());
  return with_layout(v, intern(v->sizes(), strides.span()).get());
}

Value lift_index(const Lift& s) {
  ManyIndices all(s, 1);
  if (all.packed) return nullptr;
  const bool shared = s.is_shared(0);
  if (!shared) all.name_members(s.n());
  gather_up(all.by, 2);
  Values in{s.in[0]};
  in.insert(in.end(), all.by.begin(), all.by.end());
  const Arg dims = Arg::of(all.dims.span());
  const Value result = record(*s.like.op, in, std::span(&dims, 1));
  if (shared) return laid_out(moved(result, all.at, 1, 0), s);
  return laid_out(all.in_front ? moved(result, 1, all.ndim, 1 + all.at) : result, s);
}

Value lift_index_put(const Lift& s) {
  ManyIndices all(s, 2);
  if (all.packed) return nullptr;
  const Geometry one =
      geometry(s.like, s.like.attr(0).as_ints(),
               Indices(s.like.in(), 2, s.like.attr(0), index_error).sizes().span());
  all.name_members(s.n());
  gather_up(all.by, 2);
  Value values = aligned(s, 1, one.sizes.n);
  if (all.in_front && all.at > 0)
    values = moved(expand(values, s.with_n(one.sizes.span())), 1 + all.at, all.ndim, 1);
  Values in{with_members(s, 0), values};
  in.insert(in.end(), all.by.begin(), all.by.end());
  const Arg dims = Arg::of(all.dims.span());
  return record(*s.like.op, in, std::span(&dims, 1));
}

constexpr Op kOps[] = {
    {.name = "index",
     .doc = "The elements that index tensors name, one index for each dimension of attr 0.",
     .infer = infer_index<index_error>,
     .kernel = run_index<index_error>,
     .grad = {GRAD(index_gradient(s, b, c))},
     .lift = lift_index,
     .hidden = true},
    {.name = "index_put_at",
     .doc = "Input with values written where index tensors say.",
     .infer = infer_index_put<index_error>,
     .kernel = run_index_put<Combine::assign, index_error>,
     .grad = {GRAD(gradient_of_overwritten(s, c, d)), GRAD(gradient_of_written(s, c, d))},
     .lift = lift_index_put,
     .grad_name = "IndexPutBackward0",
     .donates = 1,
     .hidden = true},
    {.name = "index_add_at",
     .doc = "Input with values added where index tensors say.",
     .infer = infer_index_put<index_error>,
     .kernel = run_index_put<Combine::add, index_error>,
     .grad = {GRAD(g), GRAD(gradient_of_written(s, c, d))},
     .lift = lift_index_put,
     .grad_name = "IndexPutBackward0",
     .donates = 1,
     .adds_to_first = true,
     .hidden = true},
    {.name = "index_put",
     .signature =
         "(Tensor input, Tensor[] indices, Tensor values, bool accumulate=False) -> Tensor",
     .doc = "A copy of input with values written, or added, where the indices say.",
     .example = "index_put(zeros(3), (tensor([0, 2]),), tensor([5., 6.]))",
     .body = body_index_put,
     .inplace = true,
     .inplace_function = true,
     .apart = true,
     .out = false},
    {.name = "take_at",
     .doc = "The elements of a list that an index names.",
     .infer = infer_index<take_error>,
     .kernel = run_index<take_error>,
     .grad = {GRAD(index_gradient(s, b, c))},
     .lift = lift_index,
     .grad_name = "TakeBackward0",
     .hidden = true},
    {.name = "put_at",
     .doc = "A list with values written where an index says.",
     .infer = infer_index_put<take_error>,
     .kernel = run_index_put<Combine::assign, take_error>,
     .grad = {GRAD(gradient_of_overwritten(s, c, d)), GRAD(gradient_of_written(s, c, d))},
     .lift = lift_index_put,
     .grad_name = "PutBackward0",
     .donates = 1,
     .hidden = true},
    {.name = "put_adding",
     .doc = "A list with values added where an index says.",
     .infer = infer_index_put<take_error>,
     .kernel = run_index_put<Combine::add, take_error>,
     .grad = {GRAD(g), GRAD(gradient_of_written(s, c, d))},
     .lift = lift_index_put,
     .grad_name = "PutBackward0",
     .donates = 1,
     .adds_to_first = true,
     .hidden = true},
    {.name = "take",
     .signature = "(Tensor input, Tensor index) -> Tensor",
     .doc = "The elements that index names in input taken as one list.",
     .example = "take(arange(6.).view(2, 3), tensor([0, 4]))",
     .body = body_take,
     .out_apart = true},
    {.name = "put",
     .signature = "(Tensor input, Tensor index, Tensor source, bool accumulate=False) -> Tensor",
     .doc = "A copy of input, taken as one list, with source written where index says.",
     .example = "put(zeros(2, 2), tensor([0, 3]), tensor([5., 6.]))",
     .body = body_put,
     .inplace = true,
     .apart = true,
     .out = false},
    {.name = "take_along_dim",
     .signature = "(Tensor input, Tensor indices, int? dim=None) -> Tensor",
     .doc = "gather with the sizes of input and indices broadcast together.",
     .example = "take_along_dim(tensor([[3., 1., 2.]]), tensor([[1, 2, 0]]), 1)",
     .body = body_take_along_dim},
};

}  // namespace

std::span<const Op> index_ops() { return kOps; }

void index_error(int64_t index, int64_t dim, int64_t size) {
  fail(ErrorKind::index, "index ", index, " is out of bounds for dimension ", dim, " with size ",
       size);
}
void index_runtime_error(int64_t index, int64_t dim, int64_t size) {
  fail(ErrorKind::runtime, "index ", index, " is out of bounds for dimension ", dim, " with size ",
       size);
}
void out_of_range_in_self(int64_t, int64_t, int64_t) {
  fail(ErrorKind::index, "index out of range in self");
}

void check_bounds(const Node& index, int64_t low, int64_t size, int64_t dim, OutOfRange raise) {
  if (index.numel() == 0) return;
  if (auto* bad = find_outside(index.sizes(), index.strides(), indices(index), low, size))
    raise(*bad, dim, size);
}

void check_early(const Value& index, int64_t low, int64_t size, int64_t dim, OutOfRange raise) {
  if (low == size && index->numel() > 0) {
    evaluate(index);
    const Value known = as_index(index);
    evaluate(known);
    return check_bounds(*known, low, size, dim, raise);
  }
  look_at_given(*index, [&](const int64_t* at, int64_t n) {
    for (int64_t i = 0; i < n; ++i)
      if (at[i] < low || at[i] >= size) raise(at[i], dim, size);
  });
}

void start_from_input(Run& s) {
  if (!s.donated(0) && s.node.numel()) copy(s.node.sizes(), strided(s.node), strided(s.in(0)));
}

void put_onto_input(Run& s, std::span<const int64_t> sizes, std::span<const int64_t> strides,
                    Strided source, Places places, Combine combine) {
  const bool rounds = is_half(s.node.dtype) && count(sizes) > 1 &&
                      (combine == Combine::add || combine == Combine::mul);
  if (!rounds) {
    start_from_input(s);
    return put(sizes, {s.out(), s.node.dtype, strides}, source, places, combine);
  }
  std::vector<float> exact(s.node.numel());
  const Strided all{reinterpret_cast<char*>(exact.data()), DType::float32, s.node.strides()};
  copy(s.node.sizes(), all, s.donated(0) ? strided(s.node) : strided(s.in(0)));
  put(sizes, {all.data, DType::float32, strides}, source, places, combine);
  copy(s.node.sizes(), strided(s.node), all);
}

void infer_dense_like_input(Infer& s) {
  s.dtype = s.in[0]->dtype;
  s.layout = dense_like(*s.in[0]->layout);
}

namespace {

struct Chosen {
  Dims dims;
  Values by;
};

Chosen present(std::span<const Value> given) {
  Chosen out;
  for (size_t i = 0; i < given.size(); ++i) {
    if (!given[i]) continue;
    out.dims.push(static_cast<int64_t>(i));
    out.by.push_back(as_index(given[i]));
  }
  return out;
}

}  // namespace

Value index(const Value& a, std::span<const Value> given) {
  Chosen named = present(given);
  gather_up(named.by, 2);
  Value taken = record_index(a, named.by, Arg::of(named.dims.span()));
  look_at_indices(*a, given, index_error);
  return taken;
}

Value index_put(const Value& a, std::span<const Value> given, const Value& values,
                bool accumulate) {
  Chosen named = present(given);
  gather_up(named.by, 2);
  Value written = record_index_put(accumulate ? "index_add_at" : "index_put_at", a, values,
                                   named.by, Arg::of(named.dims.span()));
  look_at_indices(*a, given, index_error);
  return written;
}

}  // namespace wend
