// ops/copy.cpp: copies of tensors with the same or another dtype and order in memory.
// Which order a result should have is said here, once, for everybody.
#include <algorithm>
#include <cstring>

#include "ops/batching.hpp"
#include "ops/families.hpp"
#include "ops/functions.hpp"

namespace wend {
namespace {

void run_copy(Run& s) { copy(s.node.sizes(), strided(s.node), strided(s.in(0))); }

bool tile_of_copy(const Node& node, Tile& tile) {
  tile.loop = nullptr;
  tile.inside[0] = node.dtype;
  tile.inside[1] = node.inputs[0]->dtype;
  return true;
}

void infer_clone(Infer& s) {
  s.dtype = s.in[0]->dtype;
  s.layout = dense_like(*s.in[0]->layout);
}

void infer_contiguous(Infer& s) {
  s.dtype = s.in[0]->dtype;
  s.layout = contiguous(s.in[0]->sizes());
}

void infer_cast(Infer& s) {
  s.dtype = s.attrs[0].as_dtype();
  s.layout = dense_like(*s.in[0]->layout);
}

void infer_with_layout(Infer& s) {
  s.dtype = s.in[0]->dtype;
  s.layout = intern(s.in[0]->sizes(), s.attrs[0].as_ints());
}

void run_with_layout(Run& s) {
  if (!s.node.layout->dense) fill_zero(s.node.buffer->data, s.node.buffer->bytes);
  run_copy(s);
}

// Input 0 says where to, input 1 what.
void infer_copy(Infer& s) {
  const Node &to = *s.in[0], &from = *s.in[1];
  const Dims sizes = broadcast_sizes(s.in);
  if (!std::ranges::equal(sizes.span(), to.sizes()))
    fail(ErrorKind::runtime, "output with shape ", show(to.sizes()),
         " doesn't match the broadcast shape ", show(sizes));
  if (!std::ranges::equal(from.sizes(), to.sizes())) s.in[1] = expand(s.in[1], to.sizes());
  s.dtype = to.dtype;
  s.layout = dense_like(*to.layout);
}

Value copied(const Value& a, const Layout& layout) {
  if (&layout == dense_like(*a->layout).get()) return clone(a);
  if (layout.contiguous) return contiguous_copy(a);
  return record(op_named("with_layout"), {a}, {Arg::of(layout.strides())});
}

bool is_in_format(const Layout& layout, const Arg& format) {
  if (format.as_int() == 1) return true;
  if (format.as_int() == 0) return layout.contiguous;
  return is_channels_last(layout);
}

Values body_clone(Call& c) {
  const Value a = c.tensor(0);
  return {copied(a, *in_format(*a->layout, c[1]))};
}

Values body_contiguous(Call& c) {
  const Value a = c.tensor(0);
  const Arg format = c[1].is_none() ? Arg::of(0) : c[1];
  const LayoutRef layout = in_format(*a->layout, format);
  return {is_in_format(*a->layout, format) ? a : copied(a, *layout)};
}

Value to(const Value& a, DType dtype, bool always, const Arg& format) {
  const LayoutRef layout = in_format(*a->layout, format);
  const bool in_order = format.is_none() || is_in_format(*a->layout, format);
  if (dtype == a->dtype) return always || !in_order ? copied(a, *layout) : a;
  const Value converted = cast(a, dtype);
  return in_order ? converted : with_layout(converted, layout.get());
}

template <DType kDType>
Values body_cast(Call& c) {
  return {to(c.tensor(0), kDType, false, c[1])};
}
Values body_to_dtype(Call& c) { return {to(c.tensor(0), c[1].as_dtype(), c[3].as_bool(), c[4])}; }
Values body_to_other(Call& c) {
  return {to(c.tensor(0), c.tensor(1)->dtype, c[3].as_bool(), c[4])};
}
Values body_to_device(Call& c) {
  const Value a = c.tensor(0);
  return {to(a, c[2].as_dtype(a->dtype), c[4].as_bool(), c[5])};
}
Values body_type_as(Call& c) { return {to(c.tensor(0), c.tensor(1)->dtype, false, Arg{})}; }

#define CAST(name_, dtype_)                                                       \
  {.name = name_,                                                                 \
   .signature = "(Tensor input, *, memory_format? memory_format=None) -> Tensor", \
   .doc = "The tensor as " #dtype_ ", itself if it is.",                          \
   .example = "tensor([1, 2])." name_ "()",                                       \
   .body = body_cast<DType::dtype_>,                                              \
   .function = false}

constexpr Op kOps[] = {
    {.name = "clone_of",
     .doc = "A copy in the same order of memory.",
     .infer = infer_clone,
     .kernel = run_copy,
     .launches = true,
     .grad = {GRAD(g)},
     .lift = lift_as_is,
     .tile = tile_of_copy,
     .grad_name = "CloneBackward0",
     .hidden = true},
    {.name = "contiguous_copy",
     .doc = "A copy in row-major order.",
     .infer = infer_contiguous,
     .kernel = run_copy,
     .launches = true,
     .grad = {GRAD(g)},
     .lift = lift_as_is,
     .tile = tile_of_copy,
     .grad_name = "CloneBackward0",
     .hidden = true},
    {.name = "cast",
     .doc = "A copy with another dtype.",
     .infer = infer_cast,
     .kernel = run_copy,
     .launches = true,
     .grad = {GRAD(cast(g, s.in(0)->dtype))},
     .lift = lift_as_is,
     .tile = tile_of_copy,
     .grad_name = "ToCopyBackward0",
     .hidden = true},
    {.name = "with_layout",
     .doc = "A copy with the given strides.",
     .infer = infer_with_layout,
     .kernel = run_with_layout,
     .launches = true,
     .grad = {GRAD(g)},
     .grad_name = "CloneBackward0",
     .hidden = true},
    {.name = "copy",
     .signature = "(Tensor input, Tensor src, bool non_blocking=False) -> Tensor",
     .doc = "Takes over the elements of src, broadcast and converted.",
     .example = "zeros(2, 2).copy_(tensor([1, 2]))",
     .infer = infer_copy,
     .kernel = [](Run& s) { copy(s.node.sizes(), strided(s.node), strided(s.in(1))); },
     .grad = {GRAD(zeros_like(g)), GRAD(g)},
     .grad_name = "CopyBackwards",
     .edges = 1,
     .function = false,
     .method = false,
     .inplace = true},
    {.name = "clone",
     .signature = "(Tensor input, *, memory_format? memory_format=None) -> Tensor",
     .doc = "A copy.",
     .example = "clone(tensor([1., 2.]))",
     .body = body_clone},
    {.name = "contiguous",
     .signature = "(Tensor input, *, memory_format? memory_format=None) -> Tensor",
     .doc = "The tensor in row-major order, itself if it is.",
     .example = "arange(6).view(2, 3).t().contiguous().stride()",
     .body = body_contiguous,
     .function = false},
    {.name = "to",
     .signature = "(Tensor input, dtype dtype, bool non_blocking=False, bool copy=False, *, "
                  "memory_format? memory_format=None) -> Tensor",
     .doc = "The tensor with another dtype, itself if nothing changes.",
     .example = "tensor([1, 2]).to(float64)",
     .body = body_to_dtype,
     .function = false},
    {.name = "to",
     .signature = "(Tensor input, Tensor other, bool non_blocking=False, bool copy=False, *, "
                  "memory_format? memory_format=None) -> Tensor",
     .body = body_to_other,
     .function = false},
    {.name = "to",
     .signature = "(Tensor input, device? device=None, dtype? dtype=None, bool non_blocking=False, "
                  "bool copy=False, *, memory_format? memory_format=None) -> Tensor",
     .body = body_to_device,
     .function = false},
    {.name = "type_as",
     .signature = "(Tensor input, Tensor other) -> Tensor",
     .doc = "The tensor with the dtype of other.",
     .example = "tensor([1, 2]).type_as(tensor(1.))",
     .body = body_type_as,
     .function = false},
    CAST("float", float32),
    CAST("double", float64),
    CAST("half", float16),
    CAST("bfloat16", bfloat16),
    CAST("int", int32),
    CAST("long", int64),
    CAST("short", int16),
    CAST("char", int8),
    CAST("byte", uint8),
    CAST("bool", bool_),
};

}  // namespace

std::span<const Op> copy_ops() { return kOps; }

LayoutRef dense_like(const Layout& layout) {
  if (layout.dense) return LayoutRef(&layout);
  const Dims strides(layout.strides());
  return following(layout.sizes(), {&strides, 1});
}

LayoutRef in_format(const Layout& layout, const Arg& format) {
  const int64_t kind = format.is_none() ? 1 : format.as_int();
  if (kind == 0) return contiguous(layout.sizes());
  if (kind == 1) return dense_like(layout);
  const int rank = kind == 2 ? 4 : 5;
  if (layout.ndim != rank)
    fail(ErrorKind::runtime, "required rank ", rank, " tensor to use channels_last",
         kind == 2 ? "" : "_3d", " format");
  constexpr int order4[] = {0, 2, 3, 1}, order5[] = {0, 2, 3, 4, 1};
  return permuted(layout.sizes(), rank == 4 ? std::span<const int>(order4) : order5);
}

Value cast(const Value& a, DType dtype) {
  if (a->dtype == dtype) return a;
  return record(op_named("cast"), {a}, {Arg::of(dtype)});
}
Value clone(const Value& a) { return record(op_named("clone_of"), {a}); }
Value copied_over(const Value& to, const Value& from) {
  return record(op_named("copy"), {to, from});
}
Value contiguous_copy(const Value& a) { return record(op_named("contiguous_copy"), {a}); }
Value with_layout(const Value& a, const Layout* layout) {
  if (a->layout == layout && a->offset == 0) return a;
  return record(op_named("with_layout"), {a}, {Arg::of(layout->strides())});
}

Value own_copy(const Node& node) {
  BufferRef buffer = allocate(node.buffer->bytes);
  std::memcpy(buffer->data, node.buffer->data, node.buffer->bytes);
  return from_buffer(memory_op(node), std::move(buffer), node.dtype, node.layout, node.offset);
}

Value longer_copy(const Node& node, size_t bytes) {
  BufferRef buffer = allocate(bytes);
  const size_t old = node.buffer->bytes;
  std::memcpy(buffer->data, node.buffer->data, old);
  std::memset(buffer->data + old, 0, bytes - old);
  const Dims sizes{static_cast<int64_t>(bytes) / size_of(node.dtype)};
  return from_buffer(memory_op(node), std::move(buffer), node.dtype, contiguous(sizes).get());
}

void copy_into(Buffer* storage, const Node& where, const Node& value) {
  char* data = storage->data + where.offset * size_of(where.dtype);
  copy(where.sizes(), {data, where.dtype, where.strides()}, strided(value));
}

}  // namespace wend
