// ops/join.cpp: putting tensors together, and taking them apart into views of their parts.
#include <algorithm>
#include <array>

#include "base/checked.hpp"
#include "base/forever.hpp"
#include "graph/read.hpp"
#include "ops/batching.hpp"
#include "ops/geometry.hpp"

namespace wend {
namespace {

LayoutRef joined_layout(std::span<const Value> parts, const Dims& sizes) {
  const auto rows = [](const Value& v) { return v->layout->contiguous; };
  const auto channels_last = [](const Value& v) { return is_channels_last(*v->layout); };
  if (std::ranges::any_of(parts, rows) || !std::ranges::all_of(parts, channels_last))
    return contiguous(sizes);
  return like_format(*parts[0]->layout, sizes);
}

// Attributes: the dimension, where each part begins along it.
void infer_joined(Infer& s) {
  const int dim = static_cast<int>(s.attrs[0].as_int());
  Dims sizes(s.in[0]->sizes());
  sizes[dim] = s.attrs[1].as_ints().back() + s.in.back()->size(dim);
  s.dtype = s.in[0]->dtype;
  const auto same = [&](const Value& v) { return v->dtype == s.dtype; };
  if (!std::ranges::all_of(s.in, same)) s.dtype = result_type(s.in);
  s.layout = joined_layout(s.in, sizes);
}

void run_joined(Run& s) {
  const int dim = static_cast<int>(s.attr(0).as_int());
  const auto starts = s.attr(1).as_ints();
  const int64_t step = s.node.layout->stride(dim) * size_of(s.node.dtype);
  for (size_t i = 0; i < s.node.n_inputs; ++i) {
    const Node& part = s.in(static_cast<int>(i));
    if (part.numel() == 0) continue;
    copy(part.sizes(), {s.out() + starts[i] * step, s.node.dtype, s.node.strides()}, strided(part));
  }
}

bool parts_of_joined(const Node& node, PartAt* places) {
  const auto starts = node.attr(1).as_ints();
  const int64_t step = node.layout->stride(static_cast<int>(node.attr(0).as_int()));
  for (int64_t start : starts) *places++ = {node.strides(), start * step};
  return true;
}

Value joined_gradient(const GradCall& s) {
  const int64_t dim = s.attr(0).as_int(), start = s.attr(1).as_ints()[s.index];
  return slice(s.g, dim, start, start + s.in(s.index)->size(static_cast<int>(dim)));
}

void infer_stacked(Infer& s) {
  const int dim = static_cast<int>(s.attrs[0].as_int());
  Dims sizes(s.in[0]->sizes());
  sizes.insert(dim, static_cast<int64_t>(s.in.size()));
  s.dtype = s.in[0]->dtype;
  const auto same = [&](const Value& v) { return v->dtype == s.dtype; };
  if (!std::ranges::all_of(s.in, same)) s.dtype = result_type(s.in);
  s.layout = contiguous(sizes);
}

void run_stacked(Run& s) {
  const int dim = static_cast<int>(s.attr(0).as_int());
  const int64_t step = s.node.layout->stride(dim) * size_of(s.node.dtype);
  Dims strides(s.node.strides());
  strides.erase(dim);
  for (size_t i = 0; i < s.node.n_inputs; ++i)
    copy(s.in(static_cast<int>(i)).sizes(),
         {s.out() + static_cast<int64_t>(i) * step, s.node.dtype, strides.span()},
         strided(s.in(static_cast<int>(i))));
}

// The dimension is counted from the front in both ops, and comes one later in the batch.
Value lift(const Lift& s) {
  const auto given = s.like.attrs->span();
  std::vector<Arg> attrs(given.begin(), given.end());
  attrs[0] = Arg::of(given[0].as_int() + 1);
  Values in;
  for (int i = 0; i < static_cast<int>(s.in.size()); ++i) in.push_back(with_members(s, i));
  return record(*s.like.op, in, attrs);
}

Values values_of(const Arg& tensors) {
  Values out;
  out.reserve(tensors.n);
  for (Node* n : tensors.as_nodes()) out.emplace_back(n);
  return out;
}

// Parts that are [0] stand for nothing, as PyTorch has it for history's sake.
bool is_nothing(const Node& n) { return n.ndim() == 1 && n.size(0) == 0; }

// Says which dimension it is.
int check_parts(std::span<const Value> parts, int64_t dim_asked) {
  if (parts.empty()) fail(ErrorKind::value, "torch.cat(): expected a non-empty list of Tensors");
  const Node* first = nullptr;
  int dim = 0;
  for (size_t i = 0; i < parts.size(); ++i) {
    const Node& n = *parts[i];
    if (n.ndim() == 0)
      fail(ErrorKind::runtime, "zero-dimensional tensor (at position ", i,
           ") cannot be concatenated");
    if (is_nothing(n)) continue;
    if (!first) {
      first = &n;
      dim = wrap_dim(dim_asked, n.ndim());
    }
    if (n.ndim() != first->ndim())
      fail(ErrorKind::runtime, "Tensors must have same number of dimensions: got ", first->ndim(),
           " and ", n.ndim());
    for (int d = 0; d < n.ndim(); ++d)
      if (d != dim && n.size(d) != first->size(d))
        fail(ErrorKind::runtime, "Sizes of tensors must match except in dimension ", dim,
             ". Expected size ", first->size(d), " but got size ", n.size(d), " for tensor number ",
             i, " in the list.");
  }
  return first ? dim : wrap_dim(dim_asked, 1);
}

// Vectors of nothing count for the dtype, and have a gradient: one that needs it becomes a part of
// size 0 beside the others.
void drop_nothing(Values& parts, int dim) {
  const auto other = std::ranges::find_if(parts, [](const Value& v) { return !is_nothing(*v); });
  if (other == parts.end()) return;
  Dims sizes((*other)->sizes());
  sizes[dim] = 0;
  std::erase_if(parts,
                [](const Value& v) { return is_nothing(*v) && !(mode.grad && v->needs_grad()); });
  for (Value& v : parts)
    if (is_nothing(*v)) v = reshape(v, sizes);
}

Value joined(Values parts, int64_t dim_asked) {
  static const Op& op = op_named("joined");
  const int dim = check_parts(parts, dim_asked);
  const auto nothing = [](const Value& v) { return is_nothing(*v); };
  DType dtype = parts[0]->dtype;
  const bool some_drop = std::ranges::any_of(parts, nothing);
  if (some_drop) {
    dtype = result_type(parts);
    drop_nothing(parts, dim);
  }
  int64_t few[16];
  std::vector<int64_t> many(parts.size() > std::size(few) ? parts.size() : 0);
  const std::span starts(many.empty() ? few : many.data(), parts.size());
  int64_t end = 0;
  for (size_t i = 0; i < parts.size(); ++i) {
    starts[i] = end;
    end = checked_add(end, parts[i]->size(dim));
  }
  const Arg attrs[] = {Arg::of(dim), Arg::of(std::span<const int64_t>(starts))};
  Value all = record(op, parts, attrs);
  return some_drop ? cast(all, dtype) : all;
}

Values body_cat(Call& c) { return only(joined(values_of(c[0]), c[1].as_int())); }
Values body_stack(Call& c) { return {stack(values_of(c[0]), c[1].as_int())}; }

// Attributes of part number `number` of a tensor that was split along `dim`.
std::array<Arg, 5> attrs_of_part(int64_t dim, int64_t start, int64_t end, int64_t number) {
  return {Arg::of(dim), Arg::of(start), Arg::of(end), Arg::of(1), Arg::of(number)};
}

Value part(const Op& op, const Value& a, std::span<const Arg> attrs) {
  Value in[] = {a};
  return record(op, in, attrs);
}

// How tensors of one layout come apart in one way: everything about the views of their parts but
// whose they are.
struct Cut {
  uint32_t refs;
  const Op* op;
  LayoutRef of;
  int64_t dim, size;
  std::vector<ViewPart> parts;
};
void release(Cut* cut) { delete cut; }

// Those of late, by a hash; the later of two first.
using Cuts = std::array<std::array<Ref<Cut>, 2>, 64>;

// Parts of `size` along `dim`, `n` of them; `attrs_of` gives those of part i. Whoever goes through
// them holds them: recording may run what is pending, and others may cut meanwhile.
template <class AttrsOf>
Ref<Cut> cut_of(const Op& op, const Node& a, int64_t dim, int64_t size, int64_t n,
                AttrsOf attrs_of) {
  static constinit Forever<Cuts> cuts;
  Hash h;
  h.add(Hash::of(a.layout) ^ static_cast<uint64_t>(size + dim) << 32);
  auto& [later, earlier] = cuts.value[h.state >> 58];
  const auto is_it = [&](const Cut* cut) {
    return cut && cut->of.get() == a.layout && cut->op == &op && cut->dim == dim &&
           cut->size == size;
  };
  if (is_it(later.get())) return later;
  if (is_it(earlier.get())) return earlier;
  auto made = Ref<Cut>::adopt(new Cut{1, &op, LayoutRef(a.layout), dim, size, {}});
  for (int64_t i = 0; i < n; ++i) {
    const auto attrs = attrs_of(i);
    const auto [layout, offset] = geometry_of(op, a.dtype, *a.layout, attrs);
    made->parts.push_back({make_attrs(attrs), layout, offset, {}, 0});
  }
  earlier = std::exchange(later, made);
  return made;
}

template <class AttrsOf>
Values take_apart(const Op& op, const Value& a, int64_t dim, int64_t size, int64_t n,
                  AttrsOf attrs_of) {
  constexpr int64_t kWorthKeeping = 32;
  Values out;
  if (n > kWorthKeeping) {
    out.reserve(n);
    for (int64_t i = 0; i < n; ++i) out.push_back(part(op, a, attrs_of(i)));
    return out;
  }
  const Ref<Cut> cut = cut_of(op, *a, dim, size, n, attrs_of);
  append_parts(op, a, cut->parts, out);
  return out;
}

Values split_evenly(const Value& a, int64_t size, int64_t dim) {
  static const Op& op = op_named("split_part");
  const int64_t total = a->size(static_cast<int>(dim)), step = std::max<int64_t>(size, 1);
  const int64_t n = std::max<int64_t>(total / step + (total % step != 0), 1);
  return take_apart(op, a, dim, size, n, [=](int64_t i) {
    return attrs_of_part(dim, i * step, std::min(i * step + size, total), i);
  });
}

Values body_split(Call& c) {
  const Value a = c.tensor(0);
  const int64_t size = c[1].as_int();
  if (a->ndim() == 0) fail(ErrorKind::runtime, "split expects at least a 1-dimensional tensor");
  if (size < 0)
    fail(ErrorKind::runtime, "split expects split_size be non-negative, but got split_size=", size);
  const int dim = wrap_dim(c[2].as_int(), a->ndim());
  if (size == 0 && a->size(dim) != 0)
    fail(ErrorKind::runtime,
         "split_size can only be 0 if dimension size is 0, but got dimension "
         "size of ",
         a->size(dim));
  return split_evenly(a, size, dim);
}

Values body_split_sizes(Call& c) {
  static const Op& op = op_named("split_sizes_part");
  const Value a = c.tensor(0);
  const auto sizes = c[1].as_ints();
  if (a->ndim() == 0) fail(ErrorKind::runtime, "split expects at least a 1-dimensional tensor");
  const int dim = wrap_dim(c[2].as_int(), a->ndim());
  int64_t total = 0;
  for (int64_t size : sizes) {
    if (size < 0)
      fail(ErrorKind::runtime,
           "split_with_sizes expects split_sizes have only non-negative entries, but got "
           "split_sizes=",
           show(sizes));
    total = clamped_add(total, size);
  }
  if (total != a->size(dim))
    fail(ErrorKind::runtime, "split_with_sizes expects split_sizes to sum exactly to ",
         a->size(dim), " (input tensor's size at dimension ", dim,
         "), but got split_sizes=", show(sizes));
  Values out;
  int64_t start = 0;
  for (int64_t size : sizes) {
    const auto number = static_cast<int64_t>(out.size());
    out.push_back(part(op, a, attrs_of_part(dim, start, start + size, number)));
    start += size;
  }
  return out;
}

// Parts that are empty cost nothing but themselves, so that nothing else would stop them.
void check_parts(int64_t n) {
  constexpr int64_t most = int64_t{1} << 24;
  if (n > most)
    fail(ErrorKind::memory, "can't allocate memory: ", n, " parts of a tensor are too many");
}

Values body_chunk(Call& c) {
  static const Op& op = op_named("split_part");
  const Value a = c.tensor(0);
  const int64_t chunks = c[1].as_int();
  if (a->ndim() == 0) fail(ErrorKind::runtime, "chunk expects at least a 1-dimensional tensor");
  if (chunks <= 0)
    fail(ErrorKind::runtime, "chunk expects `chunks` to be greater than 0, got: ", chunks);
  const int dim = wrap_dim(c[2].as_int(), a->ndim());
  const int64_t size = a->size(dim) / chunks + (a->size(dim) % chunks != 0);
  if (size > 0) return split_evenly(a, size, dim);
  check_parts(chunks);
  Values out;
  for (int64_t i = 0; i < chunks; ++i) out.push_back(part(op, a, attrs_of_part(dim, 0, 0, i)));
  return out;
}

Values body_unbind(Call& c) {
  static const Op& op = op_named("unbind_part");
  const Value a = c.tensor(0);
  if (a->ndim() == 0)
    fail(ErrorKind::index, "Dimension specified as ", c[1].as_int(),
         " but tensor has no dimensions");
  const int dim = wrap_dim(c[1].as_int(), a->ndim());
  return take_apart(op, a, dim, 1, a->size(dim),
                    [=](int64_t i) { return std::array{Arg::of(dim), Arg::of(i)}; });
}

Values tensor_split(const Value& a, int64_t sections, int dim) {
  if (sections <= 0)
    fail(ErrorKind::runtime, "number of sections must be larger than 0, got ", sections);
  const int64_t each = a->size(dim) / sections, longer = a->size(dim) % sections;
  check_parts(sections);
  Values out;
  int64_t start = 0;
  for (int64_t i = 0; i < sections; ++i) {
    const int64_t end = start + each + (i < longer);
    out.push_back(slice(a, dim, start, end));
    start = end;
  }
  return out;
}

Values tensor_split(const Value& a, std::span<const int64_t> indices, int dim) {
  Values out;
  int64_t start = 0;
  for (int64_t end : indices) {
    out.push_back(slice(a, dim, start, end));
    start = end;
  }
  out.push_back(slice(a, dim, start, a->size(dim)));
  return out;
}

Values tensor_split(const Value& a, const Arg& given, int64_t asked) {
  if (a->ndim() == 0)
    fail(ErrorKind::runtime,
         "tensor_split expected at least a 1-dimensional tensor, but got a tensor with 0 dims");
  const int dim = wrap_dim(asked, a->ndim());
  return given.kind == Arg::ints ? tensor_split(a, given.as_ints(), dim)
                                 : tensor_split(a, given.as_int(), dim);
}

Values body_tensor_split(Call& c) { return tensor_split(c.tensor(0), c[1], c[2].as_int()); }

Values body_tensor_split_by(Call& c) {
  const Value by = c.tensor(1);
  if (by->dtype != DType::int64)
    fail(ErrorKind::runtime,
         "tensor_split expected tensor_indices_or_sections to have dtype of long, but got ",
         scalar_type_name(by->dtype));
  if (by->ndim() > 1)
    fail(ErrorKind::runtime,
         "tensor_split expected tensor_indices_or_sections to be a zero-dimensional or "
         "one-dimensional tensor, but got a tensor with ",
         by->ndim(), " dims");
  const Value list = contiguous_copy(by);
  read_bytes(list);
  const auto* numbers = list->numel() ? reinterpret_cast<int64_t*>(list->data()) : nullptr;
  const auto n = static_cast<size_t>(list->numel());
  return tensor_split(c.tensor(0), by->ndim() ? Arg::of(std::span(numbers, n)) : Arg::of(*numbers),
                      c[2].as_int());
}

// hsplit, vsplit and dsplit: along `dim` of a tensor with at least `least` dimensions.
Values split_evenly_along(Call& c, int dim, int least) {
  const Value a = c.tensor(0);
  if (a->ndim() < least)
    fail(ErrorKind::runtime, "torch.", c.op.name, " requires a tensor with at least ", least,
         " dimension, but got a tensor with ", a->ndim(), " dimensions!");
  if (c[1].kind != Arg::ints && (c[1].as_int() == 0 || a->size(dim) % c[1].as_int() != 0))
    fail(ErrorKind::runtime, "torch.", c.op.name, " attempted to split along dimension ", dim,
         ", but the size of the dimension ", a->size(dim), " is not divisible by the split_size ",
         c[1].as_int(), "!");
  return tensor_split(a, c[1], dim);
}
Values body_hsplit(Call& c) { return split_evenly_along(c, c.tensor(0)->ndim() > 1 ? 1 : 0, 1); }
Values body_vsplit(Call& c) { return split_evenly_along(c, 0, 2); }
Values body_dsplit(Call& c) { return split_evenly_along(c, 2, 3); }

Value at_least_1d(const Value& a) { return a->ndim() ? a : reshape(a, Dims{1}); }
Value at_least_2d(const Value& a) { return a->ndim() > 1 ? a : unsqueeze(at_least_1d(a), 0); }
Value at_least_3d(const Value& a) { return a->ndim() > 2 ? a : unsqueeze(at_least_2d(a), 2); }

// Parts with dimensions added as `shape` says, then side by side.
Values joined_as(Call& c, Value (*shape)(const Value&), int64_t dim) {
  Values parts = values_of(c[0]);
  if (parts.empty()) fail(ErrorKind::runtime, c.op.name, " expects a non-empty TensorList");
  for (Value& v : parts) v = shape(v);
  return {cat(parts, dim < 0 ? std::min(parts[0]->ndim() - 1, 1) : dim)};
}
Values body_hstack(Call& c) { return joined_as(c, at_least_1d, -1); }
Values body_vstack(Call& c) { return joined_as(c, at_least_2d, 0); }
Values body_dstack(Call& c) { return joined_as(c, at_least_3d, 2); }
Values body_column_stack(Call& c) {
  return joined_as(
      c, [](const Value& a) { return a->ndim() > 1 ? a : reshape(a, Dims{a->numel(), 1}); }, 1);
}

constexpr Op kOps[] = {
    {.name = "joined",
     .doc = "Inputs side by side along a dimension.",
     .infer = infer_joined,
     .by_layout = true,
     .kernel = run_joined,
     .launches = true,
     .grad_each = GRAD(joined_gradient(s)),
     .lift = lift,
     .parts = parts_of_joined,
     .grad_name = "CatBackward0",
     .hidden = true},
    {.name = "stacked",
     .doc = "Inputs one behind the other in a new dimension.",
     .infer = infer_stacked,
     .by_layout = true,
     .kernel = run_stacked,
     .launches = true,
     .grad_each = GRAD(select(g, s.attr(0).as_int(), s.index)),
     .lift = lift,
     .grad_name = "StackBackward0",
     .hidden = true},
    {.name = "cat",
     .signature = "(Tensor[] tensors, int dim=0) -> Tensor",
     .doc = "Tensors side by side along a dimension.",
     .example = "cat((ones(2), zeros(1)))",
     .by_layout = true,
     .body = body_cat,
     .method = false,
     .out_apart = true},
    {.name = "concat",
     .signature = "(Tensor[] tensors, int dim=0) -> Tensor",
     .doc = "Tensors side by side along a dimension; another name of cat.",
     .example = "concat((ones(2), zeros(1)))",
     .by_layout = true,
     .body = body_cat,
     .method = false,
     .out_apart = true},
    {.name = "concatenate",
     .signature = "(Tensor[] tensors, int dim=0) -> Tensor",
     .doc = "Tensors side by side along a dimension; another name of cat.",
     .example = "concatenate((ones(2), zeros(1)))",
     .by_layout = true,
     .body = body_cat,
     .method = false,
     .out_apart = true},
    {.name = "stack",
     .signature = "(Tensor[] tensors, int dim=0) -> Tensor",
     .doc = "Tensors of one size one behind the other in a new dimension.",
     .example = "stack((ones(2), zeros(2)))",
     .by_layout = true,
     .body = body_stack,
     .method = false},
    {.name = "split",
     .signature = "(Tensor tensor, int split_size_or_sections, int dim=0) -> Tensor[]",
     .doc = "Views of parts of the given size, or sizes; the last may be smaller.",
     .example = "split(arange(5), 2)",
     .body = body_split,
     .method_signature = "(Tensor tensor, int split_size, int dim=0) -> Tensor[]",
     .aliases = "unsafe_split"},
    {.name = "split",
     .signature = "(Tensor tensor, int[] split_size_or_sections, int dim=0) -> Tensor[]",
     .body = body_split_sizes,
     .method_signature = "(Tensor tensor, int[] split_size, int dim=0) -> Tensor[]"},
    {.name = "split_with_sizes",
     .signature = "(Tensor input, int[] split_sizes, int dim=0) -> Tensor[]",
     .doc = "Views of parts of the given sizes.",
     .example = "split_with_sizes(arange(5), (2, 3))",
     .body = body_split_sizes,
     .aliases = "unsafe_split_with_sizes"},
    {.name = "unbind",
     .signature = "(Tensor input, int dim=0) -> Tensor[]",
     .doc = "Views of all slices along a dimension.",
     .example = "unbind(arange(4).view(2, 2))",
     .body = body_unbind},
    {.name = "tensor_split",
     .signature = "(Tensor input, int sections, int dim=0) -> Tensor[]",
     .doc = "Views of parts, as equal as can be, or parted at the given indices.",
     .example = "tensor_split(arange(5), 2)",
     .body = body_tensor_split},
    {.name = "tensor_split",
     .signature = "(Tensor input, int[] indices, int dim=0) -> Tensor[]",
     .body = body_tensor_split},
    {.name = "tensor_split",
     .signature = "(Tensor input, Tensor tensor_indices_or_sections, int dim=0) -> Tensor[]",
     .body = body_tensor_split_by},
    {.name = "hsplit",
     .signature = "(Tensor input, int sections) -> Tensor[]",
     .doc = "Views of equal parts side by side, or parted at the given indices.",
     .example = "hsplit(arange(4).view(2, 2), 2)",
     .body = body_hsplit},
    {.name = "hsplit",
     .signature = "(Tensor input, int[] indices) -> Tensor[]",
     .body = body_hsplit},
    {.name = "vsplit",
     .signature = "(Tensor input, int sections) -> Tensor[]",
     .doc = "Views of equal parts one below the other, or parted at the given indices.",
     .example = "vsplit(arange(4).view(2, 2), 2)",
     .body = body_vsplit},
    {.name = "vsplit",
     .signature = "(Tensor input, int[] indices) -> Tensor[]",
     .body = body_vsplit},
    {.name = "dsplit",
     .signature = "(Tensor input, int sections) -> Tensor[]",
     .doc = "Views of equal parts in depth, or parted at the given indices.",
     .example = "dsplit(arange(8).view(2, 2, 2), 2)",
     .body = body_dsplit},
    {.name = "dsplit",
     .signature = "(Tensor input, int[] indices) -> Tensor[]",
     .body = body_dsplit},
    {.name = "hstack",
     .signature = "(Tensor[] tensors) -> Tensor",
     .doc = "Tensors side by side.",
     .example = "hstack((ones(2), zeros(1)))",
     .body = body_hstack,
     .method = false},
    {.name = "vstack",
     .signature = "(Tensor[] tensors) -> Tensor",
     .doc = "Tensors one below the other.",
     .example = "vstack((ones(2), zeros(2)))",
     .body = body_vstack,
     .method = false},
    {.name = "row_stack",
     .signature = "(Tensor[] tensors) -> Tensor",
     .doc = "Tensors one below the other; another name of vstack.",
     .example = "row_stack((ones(2), zeros(2)))",
     .body = body_vstack,
     .method = false},
    {.name = "dstack",
     .signature = "(Tensor[] tensors) -> Tensor",
     .doc = "Tensors one behind the other.",
     .example = "dstack((ones(2), zeros(2)))",
     .body = body_dstack,
     .method = false},
    {.name = "column_stack",
     .signature = "(Tensor[] tensors) -> Tensor",
     .doc = "Vectors as the columns of a matrix.",
     .example = "column_stack((ones(2), zeros(2)))",
     .body = body_column_stack,
     .method = false},
    {.name = "chunk",
     .signature = "(Tensor input, int chunks, int dim=0) -> Tensor[]",
     .doc = "Views of at most that many parts of one size; the last may be smaller.",
     .example = "chunk(arange(5), 2)",
     .body = body_chunk,
     .aliases = "unsafe_chunk"},
};

}  // namespace

std::span<const Op> join_ops() { return kOps; }

Value cat(std::span<const Value> parts, int64_t dim) {
  return joined(Values(parts.begin(), parts.end()), dim);
}

Value stack(std::span<const Value> parts, int64_t dim) {
  static const Op& op = op_named("stacked");
  if (parts.empty()) fail(ErrorKind::runtime, "stack expects a non-empty TensorList");
  const int at = wrap_dim(dim, parts[0]->ndim() + 1);
  for (size_t i = 1; i < parts.size(); ++i)
    if (parts[i]->layout != parts[0]->layout &&
        !std::ranges::equal(parts[i]->sizes(), parts[0]->sizes()))
      fail(ErrorKind::runtime, "stack expects each tensor to be equal size, but got ",
           show(parts[0]->sizes()), " at entry 0 and ", show(parts[i]->sizes()), " at entry ", i);
  Values in(parts.begin(), parts.end());
  const Arg attr = Arg::of(static_cast<int64_t>(at));
  return record(op, in, std::span(&attr, 1));
}

}  // namespace wend
