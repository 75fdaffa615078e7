// ops/reshape.cpp: other names and combinations of views: flatten, movedim, narrow and the like.
#include <algorithm>

#include "base/checked.hpp"
#include "ops/families.hpp"
#include "ops/functions.hpp"

namespace wend {
namespace {

Values body_reshape(Call& c) { return {reshape(c.tensor(0), c[1].as_ints())}; }
Values body_reshape_as(Call& c) { return {reshape(c.tensor(0), c.tensor(1)->sizes())}; }
Values body_view_as(Call& c) { return {view(c.tensor(0), c.tensor(1)->sizes())}; }
Values body_expand(Call& c) { return {expand(c.tensor(0), c[1].as_ints())}; }
Values body_expand_as(Call& c) { return {expand(c.tensor(0), c.tensor(1)->sizes())}; }
Values body_transpose(Call& c) { return {transpose(c.tensor(0), c[1].as_int(), c[2].as_int())}; }

Values body_flatten(Call& c) {
  const Value a = c.tensor(0);
  const int first = wrap_dim(c[1].as_int(), a->ndim()), last = wrap_dim(c[2].as_int(), a->ndim());
  if (first > last)
    fail(ErrorKind::runtime, "flatten() has invalid args: start_dim cannot come after end_dim");
  if (a->ndim() == 0) return {reshape(a, Dims{1})};
  if (first == last) return {a};
  Dims sizes(a->sizes());
  for (int i = last; i > first; --i) {
    sizes[first] *= a->size(i);
    sizes.erase(i);
  }
  return {reshape(a, sizes)};
}

Values body_ravel(Call& c) {
  const Value a = c.tensor(0);
  if (a->ndim() == 1 && a->layout->contiguous) return {a};
  return {reshape(a->layout->contiguous ? a : contiguous_copy(a), Dims{-1})};
}

Values body_unflatten(Call& c) {
  const Value a = c.tensor(0);
  const int dim = wrap_dim(c[1].as_int(), a->ndim());
  const auto asked = c[2].as_ints();
  if (asked.empty()) fail(ErrorKind::runtime, "unflatten: sizes must be non-empty");
  if (a->ndim() == 0)
    fail(ErrorKind::runtime, "unflatten got an unexpected error:\nDimension specified as ", dim,
         " but tensor has no dimensions");
  const int64_t unknown = std::ranges::count(asked, -1);
  const int64_t size = a->size(dim);
  if (unknown > 1)
    fail(ErrorKind::runtime,
         "unflatten got an unexpected error:\nonly one dimension can be inferred");
  int64_t known = 1;
  for (int64_t v : asked) known = clamped_mul(known, v == -1 ? 1 : v);
  if (unknown ? known == 0 || size % known : known != size)
    fail(ErrorKind::runtime, "unflatten: Provided sizes ", show(asked),
         " don't multiply up to the size of dim ", dim, " (", size, ") in the input tensor");
  Dims sizes(a->sizes());
  sizes.erase(dim);
  for (size_t i = 0; i < asked.size(); ++i)
    sizes.insert(dim + static_cast<int>(i), asked[i] == -1 ? size / known : asked[i]);
  return {view(a, sizes)};
}

Values body_narrow(Call& c) {
  const Value a = c.tensor(0);
  int64_t start = c[2].as_int();
  const int64_t length = c[3].as_int();
  if (a->ndim() == 0) fail(ErrorKind::runtime, "narrow() cannot be applied to a 0-dim tensor.");
  if (length < 0) fail(ErrorKind::runtime, "narrow(): length must be non-negative.");
  const int dim = wrap_dim(c[1].as_int(), a->ndim());
  const int64_t size = a->size(dim);
  if (start < -size || start > size)
    fail(ErrorKind::index, "start out of range (expected to be in range of [", -size, ", ", size,
         "], but got ", start, ")");
  if (start < 0) start += size;
  if (length > size - start)
    fail(ErrorKind::runtime, "start (", start, ") + length (", length, ") exceeds dimension size (",
         size, ").");
  return {slice(a, dim, start, start + length)};
}

// The dims of `list`, counted from the front and all different.
Dims distinct(std::span<const int64_t> list, int ndim, const char* role) {
  Dims dims(list);
  for (int i = 0; i < dims.n; ++i) {
    dims[i] = wrap_dim(dims[i], ndim);
    if (std::find(dims.begin(), dims.begin() + i, dims[i]) != dims.begin() + i)
      fail(ErrorKind::runtime, "movedim: repeated dim in `", role, "` (", show(list), ")");
  }
  return dims;
}

Values body_movedim(Call& c) {
  const Value a = c.tensor(0);
  const auto list = [](const Arg& given) {
    return given.kind == Arg::ints ? given.as_ints() : std::span(&given.i, 1);
  };
  const auto source = list(c[1]), destination = list(c[2]);
  if (source.size() != destination.size())
    fail(ErrorKind::runtime, "movedim: Invalid source or destination dims: source (", show(source),
         " dims) should contain the same number of dims as destination (", show(destination),
         " dims)");
  const Dims from = distinct(source, a->ndim(), "source");
  const Dims to = distinct(destination, a->ndim(), "destination");
  if (a->ndim() == 0) return {alias(a)};
  Dims order;
  for (int i = 0; i < a->ndim(); ++i)
    if (std::find(from.begin(), from.end(), i) == from.end()) order.push(i);
  Dims where(to.span());
  std::sort(where.begin(), where.end());
  for (int64_t place : where)
    order.insert(static_cast<int>(place),
                 from[static_cast<int>(std::find(to.begin(), to.end(), place) - to.begin())]);
  return {permute(a, order)};
}

Values body_adjoint(Call& c) {
  const Value a = c.tensor(0);
  if (a->ndim() == 1)
    fail(ErrorKind::runtime,
         "tensor.adjoint() is only supported on matrices or batches of matrices. Got 1-D tensor.");
  return {a->ndim() ? transpose(a, -2, -1) : alias(a)};
}

Values body_broadcast_tensors(Call& c) {
  Values out;
  for (Node* n : c[0].as_nodes()) out.emplace_back(n);
  const Dims sizes = broadcast_sizes(out);
  for (Value& v : out) v = expand(v, sizes);
  return out;
}

constexpr const char kMove[] = "(Tensor input, int[] source, int[] destination) -> Tensor";

constexpr Op kOps[] = {
    {.name = "_broadcast_tensors",
     .signature = "(Tensor[] tensors) -> Tensor[]",
     .doc = "Views of the tensors, all of the sizes that they broadcast to.",
     .body = body_broadcast_tensors,
     .method = false},
    {.name = "view_as",
     .signature = "(Tensor input, Tensor other) -> Tensor",
     .doc = "The same elements with the sizes of other; raises where that needs a copy.",
     .example = "arange(6).view_as(zeros(2, 3))",
     .body = body_view_as,
     .function = false},
    {.name = "reshape",
     .signature = "(Tensor input, int[] shape) -> Tensor",
     .doc = "The same elements with other sizes, as a view where possible.",
     .example = "reshape(arange(6), (2, 3))",
     .body = body_reshape,
     .out = false},
    {.name = "reshape_as",
     .signature = "(Tensor input, Tensor other) -> Tensor",
     .doc = "The same elements with the sizes of other, as a view where possible.",
     .example = "arange(6).reshape_as(zeros(2, 3))",
     .body = body_reshape_as,
     .function = false},
    {.name = "flatten",
     .signature = "(Tensor input, int start_dim=0, int end_dim=-1) -> Tensor",
     .doc = "Makes one dimension of those from start_dim to end_dim.",
     .example = "flatten(zeros(2, 3, 4), 1).shape",
     .body = body_flatten,
     .out = false},
    {.name = "unflatten",
     .signature = "(Tensor input, int dim, int[] sizes) -> Tensor",
     .doc = "Makes several dimensions of one.",
     .example = "unflatten(zeros(2, 12), 1, (3, 4)).shape",
     .body = body_unflatten,
     .out = false},
    {.name = "ravel",
     .signature = "(Tensor input) -> Tensor",
     .doc = "All elements in one dimension, as a view where possible.",
     .example = "ravel(zeros(2, 3)).shape",
     .body = body_ravel,
     .out = false},
    {.name = "expand_as",
     .signature = "(Tensor input, Tensor other) -> Tensor",
     .doc = "Repeats dimensions of size 1 without copying, to the sizes of other.",
     .example = "arange(3).expand_as(zeros(2, 3))",
     .body = body_expand_as,
     .function = false},
    {.name = "broadcast_to",
     .signature = "(Tensor input, int[] size) -> Tensor",
     .doc = "Repeats dimensions of size 1 without copying.",
     .example = "broadcast_to(arange(3), (2, 3))",
     .body = body_expand,
     .out = false},
    {.name = "swapaxes",
     .signature = "(Tensor input, int axis0, int axis1) -> Tensor",
     .doc = "Exchanges two dimensions; another name of transpose.",
     .example = "swapaxes(zeros(2, 3), 0, 1).shape",
     .body = body_transpose,
     .inplace = true,
     .out = false},
    {.name = "swapdims",
     .signature = "(Tensor input, int dim0, int dim1) -> Tensor",
     .doc = "Exchanges two dimensions; another name of transpose.",
     .example = "swapdims(zeros(2, 3), 0, 1).shape",
     .body = body_transpose,
     .inplace = true,
     .out = false},
    {.name = "adjoint",
     .signature = "(Tensor input) -> Tensor",
     .doc = "Each matrix of a batch transposed.",
     .example = "adjoint(zeros(5, 2, 3)).shape",
     .body = body_adjoint,
     .out = false},
    {.name = "movedim",
     .signature = "(Tensor input, int source, int destination) -> Tensor",
     .doc = "Moves dimensions to other positions; the rest keep their order.",
     .example = "movedim(zeros(2, 3, 4), 0, 2).shape",
     .body = body_movedim,
     .out = false},
    {.name = "movedim", .signature = kMove, .body = body_movedim, .out = false},
    {.name = "moveaxis",
     .signature = "(Tensor input, int source, int destination) -> Tensor",
     .doc = "Moves dimensions to other positions; another name of movedim.",
     .example = "moveaxis(zeros(2, 3, 4), 0, 2).shape",
     .body = body_movedim,
     .out = false},
    {.name = "moveaxis", .signature = kMove, .body = body_movedim, .out = false},
    {.name = "narrow",
     .signature = "(Tensor input, int dim, int start, int length) -> Tensor",
     .doc = "length elements of a dimension from start on.",
     .example = "narrow(arange(6), 0, 2, 3)",
     .body = body_narrow,
     .out = false},
};

}  // namespace

std::span<const Op> reshape_ops() { return kOps; }

}  // namespace wend
