// ops/strided.cpp: views by explicit strides, and writing a part of a tensor.
// How writes through a view reach its base is tensor/variable; gradients of views are ops/parts.
#include <algorithm>
#include <cstring>

#include "base/checked.hpp"
#include "kernels/index.hpp"
#include "ops/batching.hpp"
#include "ops/geometry.hpp"
#include "ops/places.hpp"

namespace wend {
namespace {

// How many elements the storage that a node lies in has, or will have.
int64_t storage_size(const Node& node) {
  const Node* base = &node;
  while (!base->buffer && base->op->view && base->n_inputs) base = base->inputs[0].get();
  if (base->buffer) return static_cast<int64_t>(base->buffer->bytes) / size_of(base->dtype);
  return base->offset + base->layout->span;
}

void check_fits(const Node& whole, const Layout& part, int64_t offset) {
  if (part.numel == 0) return;
  const int64_t element = size_of(whole.dtype), available = storage_size(whole);
  if (part.span <= available && offset <= available - part.span) return;
  fail(ErrorKind::runtime, "setStorage: sizes ", show(part.sizes()), ", strides ",
       show(part.strides()), ", storage offset ", offset, ", and itemsize ", element,
       " requiring a storage size of ", (offset + part.span) * element,
       " are out of bounds for storage of size ", available * element);
}

bool has_negative(std::span<const int64_t> list) {
  return std::ranges::any_of(list, [](int64_t v) { return v < 0; });
}

void check_strided(std::span<const int64_t> sizes, std::span<const int64_t> strides,
                   int64_t offset) {
  if (sizes.size() != strides.size())
    fail(ErrorKind::runtime, "mismatch in length of strides and shape");
  if (has_negative(strides))
    fail(ErrorKind::runtime,
         "as_strided: Negative strides are not supported at the moment, got strides: ",
         show(strides));
  if (offset < 0) fail(ErrorKind::runtime, "Tensor: invalid storage offset ", offset);
  if (has_negative(sizes) || offset > kMostElements)
    fail(ErrorKind::runtime, "Storage size calculation overflowed with sizes=", show(sizes),
         " and strides=", show(strides));
}

void infer_as_strided(Infer& s) {
  const auto sizes = s.attrs[0].as_ints(), strides = s.attrs[1].as_ints();
  const int64_t offset = s.attrs[2].is_none() ? s.in[0]->offset : s.attrs[2].as_int();
  check_strided(sizes, strides, offset);
  set_geometry(s, sizes, strides, offset);
  check_fits(*s.in[0], *s.layout, offset);
}

// One past the last element that is reached.
int64_t reach(std::span<const int64_t> sizes, std::span<const int64_t> strides, int64_t offset) {
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] == 0) return 0;
    offset += (sizes[i] - 1) * strides[i];
  }
  return offset + 1;
}

// Inputs: the whole, the part. Attributes: sizes, strides and offset of the part in the storage.
void infer_copy_slices(Infer& s) {
  const Node& whole = *s.in[0];
  infer_like_input(s);
  s.offset = whole.offset;
  const auto sizes = s.attrs[0].as_ints();
  if (!std::ranges::equal(sizes, s.in[1]->sizes()))
    fail(ErrorKind::runtime, "expected src to have a size equal to the slice of self. src size = ",
         show(s.in[1]->sizes()), ", slice size = ", show(sizes));
  const int64_t offset = s.attrs[2].as_int();
  const int64_t end = reach(sizes, s.attrs[1].as_ints(), offset);
  if (end > 0 && (offset < whole.offset || end > whole.offset + whole.layout->span))
    fail(ErrorKind::runtime,
         "a view that as_strided made larger than its base cannot be written in place");
}

void run_copy_slices(Run& s) {
  if (!s.donated(0))
    std::memcpy(s.out(), s.in(0).data(), s.node.layout->span * size_of(s.node.dtype));
  if (s.in(1).numel() == 0) return;
  const DType dtype = s.node.dtype;
  char* part = s.node.buffer->data + s.attr(2).as_int() * size_of(dtype);
  copy(s.attr(0).as_ints(), {part, dtype, s.attr(1).as_ints()}, strided(s.in(1)));
}

// storage_sum is the gradient of as_strided: elements go back to the places in storage that they
// came from, adding up where several came from one. With in and out exchanged it is its own
// gradient.
Value storage_sum(const Value& a, std::span<const int64_t> out_sizes,
                  std::span<const int64_t> out_strides, int64_t out_offset,
                  std::span<const int64_t> in_strides, int64_t in_offset) {
  static const Op& op = op_named("storage_sum");
  return record(op, {a},
                {Arg::of(out_sizes), Arg::of(out_strides), Arg::of(out_offset), Arg::of(in_strides),
                 Arg::of(in_offset)});
}

void infer_storage_sum(Infer& s) {
  s.dtype = s.in[0]->dtype;
  s.layout = contiguous(s.attrs[0].as_ints());
}

void run_storage_sum(Run& s) {
  const auto sizes = s.attr(0).as_ints(), strides = s.attr(1).as_ints();
  const int64_t offset = s.attr(2).as_int(), in_offset = s.attr(4).as_int();
  const auto in_strides = s.attr(3).as_ints();
  const int64_t element = size_of(s.node.dtype);
  const int64_t needed =
      std::max(reach(sizes, strides, offset), reach(s.in(0).sizes(), in_strides, in_offset));
  std::vector<char> storage(needed * element);
  add_to(s.in(0).sizes(), {storage.data() + in_offset * element, s.node.dtype, in_strides},
         strided(s.in(0)), true);
  copy(sizes, strided(s.node), {storage.data() + offset * element, s.node.dtype, strides});
}

Value storage_sum_gradient(const GradCall& s) {
  return storage_sum(s.g, s.in(0)->sizes(), s.attr(3).as_ints(), s.attr(4).as_int(),
                     s.attr(1).as_ints(), s.attr(2).as_int());
}

// Elements of the whole that share a place share its gradient as well.
Value as_strided_gradient(const GradCall& s) {
  const Node &whole = *s.in(0), &part = s.node();
  const Value all =
      storage_sum(s.g, whole.sizes(), whole.strides(), whole.offset, part.strides(), part.offset);
  if (!may_overlap(*whole.layout)) return all;
  const Value ones = expand(constant(1.0, s.g->dtype), whole.sizes());
  return all / storage_sum(ones, whole.sizes(), whole.strides(), whole.offset, whole.strides(),
                           whole.offset);
}

Value copy_slices_gradient_of_part(const GradCall& s) {
  const Node& whole = s.node();
  return storage_sum(s.g, s.attr(0).as_ints(), s.attr(1).as_ints(), s.attr(2).as_int(),
                     whole.strides(), whole.offset);
}

Value copy_slices_gradient_of_whole(const GradCall& s) {
  const Value nothing = expand(constant(0.0, s.g->dtype), s.attr(0).as_ints());
  return as_strided_scatter(with_layout(s.g, s.node().layout), nothing, s.attr(0).as_ints(),
                            s.attr(1).as_ints(), s.attr(2).as_int() - s.node().offset);
}

// input with `src` in place of what a view of it shows; the view's arguments follow the two.
Values scatter_by(const char* view_name, Call& c) {
  const Value a = c.tensor(0), src = c.tensor(1), whole = may_overlap(*a->layout) ? clone(a) : a;
  const ViewGeometry part =
      geometry_of(op_named(view_name), whole->dtype, *whole->layout, std::span(c.args).subspan(2));
  if (!std::ranges::equal(src->sizes(), part.layout->sizes()))
    fail(ErrorKind::runtime,
         "expected src to have a size equal to the slice of self. src size = ", show(src->sizes()),
         ", slice size = ", show(part.layout->sizes()));
  return {as_strided_scatter(whole, src, part.layout->sizes(), part.layout->strides(),
                             whole->offset + part.offset)};
}

Values body_slice_scatter(Call& c) {
  if (c[5].as_int() <= 0) fail(ErrorKind::runtime, "slice step must be positive");
  return scatter_by("slice", c);
}

Values body_as_strided_scatter(Call& c) {
  Value whole = c.tensor(0);
  const auto sizes = c[2].as_ints(), strides = c[3].as_ints();
  const int64_t offset = c[4].is_none() ? whole->offset : c[4].as_int();
  check_strided(sizes, strides, offset);
  const LayoutRef part = intern(sizes, strides);
  check_fits(*whole, *part, offset);
  if (may_overlap(*part))
    fail(ErrorKind::runtime,
         "unsupported operation: more than one element of the written-to tensor refers to a single "
         "memory location. Please clone() the tensor before performing the operation.");
  return {as_strided_scatter(whole, c.tensor(1), sizes, strides, offset)};
}

// Strides of all members' parts, where members follow each other in steps of `step`.
Dims strides_of_members(const Arg& strides, int64_t step) {
  Dims all(strides.as_ints());
  all.insert(0, step);
  return all;
}

// Where the members' storage has no gaps, so that theirs follow each other in one.
Value lift_copy_slices(const Lift& s) {
  const Node& whole = *s.like.inputs[0];
  if (!whole.layout->contiguous || whole.offset != 0) return nullptr;
  const Dims sizes = s.with_n(s.like.attr(0).as_ints());
  const Dims strides = strides_of_members(s.like.attr(1), whole.numel());
  Value all = with_members(s, 0);
  if (!all->layout->contiguous || all->offset != 0) all = contiguous_copy(all);
  if (all->offset != 0) return nullptr;
  return record(*s.like.op, {all, with_members(s, 1)},
                {Arg::of(sizes.span()), Arg::of(strides.span()), s.like.attr(2)});
}

Value lift_storage_sum(const Lift& s) {
  const Node& in = *s.like.inputs[0];
  const int64_t step =
      std::max(reach(s.like.attr(0).as_ints(), s.like.attr(1).as_ints(), s.like.attr(2).as_int()),
               reach(in.sizes(), s.like.attr(3).as_ints(), s.like.attr(4).as_int()));
  return storage_sum(with_members(s, 0), s.with_n(s.like.attr(0).as_ints()).span(),
                     strides_of_members(s.like.attr(1), step).span(), s.like.attr(2).as_int(),
                     strides_of_members(s.like.attr(3), step).span(), s.like.attr(4).as_int());
}

constexpr Op kOps[] = {
    {.name = "as_strided",
     .signature = "(Tensor input, int[] size, int[] stride, int? storage_offset=None) -> Tensor",
     .doc = "A view of the storage with the given sizes, strides and offset.",
     .example = "as_strided(arange(6.), (2, 2), (3, 1))",
     .infer = infer_as_strided,
     .grad = {GRAD(as_strided_gradient(s))},
     .view = true,
     .inplace = true,
     .inplace_function = true},
    {.name = "as_strided_scatter",
     .signature = "(Tensor input, Tensor src, int[] size, int[] stride, int? storage_offset=None) "
                  "-> Tensor",
     .doc = "A copy of input with the strided part replaced by src.",
     .example = "as_strided_scatter(zeros(4), ones(2), (2,), (2,), 0)",
     .body = body_as_strided_scatter,
     .out = false},
    {.name = "select_scatter",
     .signature = "(Tensor input, Tensor src, int dim, int index) -> Tensor",
     .doc = "A copy of input with the slice at one index replaced by src.",
     .example = "select_scatter(zeros(2, 2), ones(2), 0, 1)",
     .body = [](Call& c) { return scatter_by("select", c); },
     .out = false},
    {.name = "slice_scatter",
     .signature =
         "(Tensor input, Tensor src, int dim=0, int? start=None, int? end=None, int step=1)"
         " -> Tensor",
     .doc = "A copy of input with every step-th element from start to end replaced by src.",
     .example = "slice_scatter(zeros(4), ones(2), 0, 1, 3)",
     .body = body_slice_scatter,
     .out = false},
    {.name = "diagonal_scatter",
     .signature = "(Tensor input, Tensor src, int offset=0, int dim1=0, int dim2=1) -> Tensor",
     .doc = "A copy of input with a diagonal replaced by src.",
     .example = "diagonal_scatter(zeros(2, 2), ones(2))",
     .body = [](Call& c) { return scatter_by("diagonal", c); },
     .out = false},
    {.name = "copy_slices",
     .doc = "The storage after a write through a view.",
     .infer = infer_copy_slices,
     .kernel = run_copy_slices,
     .grad = {GRAD(copy_slices_gradient_of_whole(s)), GRAD(copy_slices_gradient_of_part(s))},
     .lift = lift_copy_slices,
     .grad_name = "torch::autograd::CopySlices",
     .donates = 1,
     .hidden = true},
    {.name = "storage_sum",
     .doc = "Input's elements put back into a storage, adding up, and read out again.",
     .infer = infer_storage_sum,
     .kernel = run_storage_sum,
     .grad = {GRAD(storage_sum_gradient(s))},
     .lift = lift_storage_sum,
     .grad_name = "AsStridedBackward0",
     .hidden = true},
};

}  // namespace

std::span<const Op> strided_ops() { return kOps; }

ViewGeometry geometry_of(const Op& view, DType dtype, const Layout& of,
                         std::span<const Arg> attrs) {
  static const Op& data = op_named("data");
  Value stand_in = from_buffer(data, nullptr, dtype, &of);
  Infer infer{view, std::span(&stand_in, 1), attrs};
  view.infer(infer);
  return {std::move(infer.layout), infer.offset};
}

ViewGeometry geometry_in_rows(const Op& view, DType dtype, std::span<const int64_t> sizes,
                              std::span<const Arg> attrs) {
  return geometry_of(view, dtype, *contiguous(sizes), attrs);
}

Value as_strided(const Value& a, std::span<const int64_t> sizes, std::span<const int64_t> strides,
                 int64_t offset) {
  static const Op& op = op_named("as_strided");
  return record(op, {a}, {Arg::of(sizes), Arg::of(strides), Arg::of(offset)});
}

Value as_strided_scatter(const Value& whole, const Value& part, std::span<const int64_t> sizes,
                         std::span<const int64_t> strides, int64_t offset) {
  static const Op& op = op_named("copy_slices");
  return record(op, {whole, part}, {Arg::of(sizes), Arg::of(strides), Arg::of(offset)});
}

Value pad_to(const Value& a, std::span<const int64_t> sizes) {
  if (std::ranges::equal(a->sizes(), sizes)) return a;
  const LayoutRef corner = intern(a->sizes(), contiguous_strides(sizes).span());
  return placed(a, *corner, 0, *contiguous(sizes));
}

}  // namespace wend
