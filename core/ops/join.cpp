// ops/join.cpp: putting tensors together, and taking them apart into views of their parts.
#include <algorithm>

#include "ops/families.hpp"
#include "ops/functions.hpp"

namespace wend {
namespace {

LayoutRef joined_layout(std::span<const Value> parts, const Dims& sizes) {
  const bool channels_last = std::ranges::all_of(
      parts, [](const Value& v) { return !v->layout->contiguous && is_channels_last(*v->layout); });
  if (!channels_last || sizes.n < 4) return contiguous(sizes);
  const int order4[] = {0, 2, 3, 1}, order5[] = {0, 2, 3, 4, 1};
  return sizes.n == 4 ? permuted(sizes.span(), order4) : permuted(sizes.span(), order5);
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

Values values_of(const Arg& tensors) {
  Values out;
  out.reserve(tensors.n);
  for (Node* n : tensors.as_nodes()) out.emplace_back(n);
  return out;
}

Values body_cat(Call& c) { return {cat(values_of(c[0]), c[1].as_int())}; }
Values body_stack(Call& c) { return {stack(values_of(c[0]), c[1].as_int())}; }

// Part number `number` of a tensor that was split along `dim`.
Value part(const Op& op, const Value& a, int64_t dim, int64_t start, int64_t end, size_t number) {
  return record(op, {a},
                {Arg::of(dim), Arg::of(start), Arg::of(end), Arg::of(1),
                 Arg::of(static_cast<int64_t>(number))});
}

Values split_evenly(const Value& a, int64_t size, int dim) {
  static const Op& op = op_named("split_part");
  const int64_t total = a->size(dim);
  Values out;
  for (int64_t start = 0; start < total || out.empty(); start += std::max<int64_t>(size, 1))
    out.push_back(part(op, a, dim, start, std::min(start + size, total), out.size()));
  return out;
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
    total += size;
  }
  if (total != a->size(dim))
    fail(ErrorKind::runtime, "split_with_sizes expects split_sizes to sum exactly to ",
         a->size(dim), " (input tensor's size at dimension ", dim,
         "), but got split_sizes=", show(sizes));
  Values out;
  int64_t start = 0;
  for (int64_t size : sizes) {
    out.push_back(part(op, a, dim, start, start + size, out.size()));
    start += size;
  }
  return out;
}

Values body_chunk(Call& c) {
  static const Op& op = op_named("split_part");
  const Value a = c.tensor(0);
  const int64_t chunks = c[1].as_int();
  if (a->ndim() == 0) fail(ErrorKind::runtime, "chunk expects at least a 1-dimensional tensor");
  if (chunks <= 0)
    fail(ErrorKind::runtime, "chunk expects `chunks` to be greater than 0, got: ", chunks);
  const int dim = wrap_dim(c[2].as_int(), a->ndim());
  const int64_t size = (a->size(dim) + chunks - 1) / chunks;
  if (size > 0) return split_evenly(a, size, dim);
  Values out;
  for (int64_t i = 0; i < chunks; ++i) out.push_back(part(op, a, dim, 0, 0, out.size()));
  return out;
}

constexpr Op kOps[] = {
    {.name = "joined",
     .doc = "Inputs side by side along a dimension.",
     .infer = infer_joined,
     .kernel = run_joined,
     .grad_each = GRAD(joined_gradient(s)),
     .grad_name = "CatBackward0",
     .hidden = true},
    {.name = "stacked",
     .doc = "Inputs one behind the other in a new dimension.",
     .infer = infer_stacked,
     .kernel = run_stacked,
     .grad_each = GRAD(select(g, s.attr(0).as_int(), s.index)),
     .grad_name = "StackBackward0",
     .hidden = true},
    {.name = "cat",
     .signature = "(Tensor[] tensors, int dim=0) -> Tensor",
     .doc = "Tensors side by side along a dimension.",
     .example = "cat((ones(2), zeros(1)))",
     .body = body_cat,
     .method = false},
    {.name = "concat",
     .signature = "(Tensor[] tensors, int dim=0) -> Tensor",
     .doc = "Tensors side by side along a dimension; another name of cat.",
     .example = "concat((ones(2), zeros(1)))",
     .body = body_cat,
     .method = false},
    {.name = "concatenate",
     .signature = "(Tensor[] tensors, int dim=0) -> Tensor",
     .doc = "Tensors side by side along a dimension; another name of cat.",
     .example = "concatenate((ones(2), zeros(1)))",
     .body = body_cat,
     .method = false},
    {.name = "stack",
     .signature = "(Tensor[] tensors, int dim=0) -> Tensor",
     .doc = "Tensors of one size one behind the other in a new dimension.",
     .example = "stack((ones(2), zeros(2)))",
     .body = body_stack,
     .method = false},
    {.name = "split",
     .signature = "(Tensor tensor, int split_size_or_sections, int dim=0) -> Tensor[]",
     .doc = "Views of parts of the given size, or sizes; the last may be smaller.",
     .example = "split(arange(5), 2)",
     .body = body_split,
     .method_signature = "(Tensor tensor, int split_size, int dim=0) -> Tensor[]"},
    {.name = "split",
     .signature = "(Tensor tensor, int[] split_size_or_sections, int dim=0) -> Tensor[]",
     .body = body_split_sizes,
     .method_signature = "(Tensor tensor, int[] split_size, int dim=0) -> Tensor[]"},
    {.name = "split_with_sizes",
     .signature = "(Tensor input, int[] split_sizes, int dim=0) -> Tensor[]",
     .doc = "Views of parts of the given sizes.",
     .example = "split_with_sizes(arange(5), (2, 3))",
     .body = body_split_sizes},
    {.name = "chunk",
     .signature = "(Tensor input, int chunks, int dim=0) -> Tensor[]",
     .doc = "Views of at most that many parts of one size; the last may be smaller.",
     .example = "chunk(arange(5), 2)",
     .body = body_chunk},
};

// Parts that are [0] stand for nothing, as PyTorch has it for history's sake.
bool is_nothing(const Node& n) { return n.ndim() == 1 && n.size(0) == 0; }

void check_parts(std::span<const Value> parts, int64_t dim_asked) {
  if (parts.empty()) fail(ErrorKind::value, "torch.cat(): expected a non-empty list of Tensors");
  const Node* first = nullptr;
  for (size_t i = 0; i < parts.size(); ++i) {
    const Node& n = *parts[i];
    if (n.ndim() == 0)
      fail(ErrorKind::runtime, "zero-dimensional tensor (at position ", i,
           ") cannot be concatenated");
    if (is_nothing(n)) continue;
    if (!first) first = &n;
    const int dim = wrap_dim(dim_asked, first->ndim());
    if (n.ndim() != first->ndim())
      fail(ErrorKind::runtime, "Tensors must have same number of dimensions: got ", first->ndim(),
           " and ", n.ndim());
    for (int d = 0; d < n.ndim(); ++d)
      if (d != dim && n.size(d) != first->size(d))
        fail(ErrorKind::runtime, "Sizes of tensors must match except in dimension ", dim,
             ". Expected size ", first->size(d), " but got size ", n.size(d), " for tensor number ",
             i, " in the list.");
  }
}

}  // namespace

std::span<const Op> join_ops() { return kOps; }

Value cat(std::span<const Value> parts, int64_t dim_asked) {
  static const Op& op = op_named("joined");
  check_parts(parts, dim_asked);
  Values kept;
  kept.reserve(parts.size());
  for (const Value& v : parts)
    if (!is_nothing(*v)) kept.push_back(v);
  if (kept.empty()) kept.push_back(parts[0]);
  const int dim = wrap_dim(dim_asked, kept[0]->ndim());
  std::vector<int64_t> starts;
  starts.reserve(kept.size());
  int64_t end = 0;
  for (const Value& v : kept) {
    starts.push_back(end);
    end += v->size(dim);
  }
  const Arg attrs[] = {Arg::of(dim), Arg::of(std::span<const int64_t>(starts))};
  const Value joined = record(op, kept, attrs);
  const DType dtype = kept.size() == parts.size() ? joined->dtype : result_type(parts);
  return cast(joined, dtype);
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
