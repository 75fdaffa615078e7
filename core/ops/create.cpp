// ops/create.cpp: tensors from nothing but sizes and numbers, and copies of tensors.
// Random ones are ops/random.
#include <algorithm>
#include <cstring>

#include "ops/families.hpp"
#include "ops/functions.hpp"

namespace wend {
namespace {

void infer_full(Infer& s) {
  for (int64_t size : s.attrs[0].as_ints())
    if (size < 0)
      fail(ErrorKind::runtime, "Trying to create tensor with negative dimension ", size, ": ",
           show(s.attrs[0].as_ints()));
  s.dtype = s.attrs[1].as_dtype();
  s.layout = contiguous(s.attrs[0].as_ints());
}

void infer_full_like(Infer& s) {
  s.dtype = s.attrs[0].as_dtype(s.in[0]->dtype);
  s.layout = dense_like(*s.in[0]->layout);
}

// The fill is the last input; a stride of 0 everywhere repeats it.
void run_full(Run& s) {
  const Node& fill = s.in(static_cast<int>(s.node.n_inputs) - 1);
  int64_t nowhere[kMaxDims] = {};
  copy(s.node.sizes(), strided(s.node),
       {fill.data(), fill.dtype, {nowhere, static_cast<size_t>(s.node.ndim())}});
}

void run_copy(Run& s) { copy(s.node.sizes(), strided(s.node), strided(s.in(0))); }

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
  if (!s.node.layout->dense) std::memset(s.node.buffer->data, 0, s.node.buffer->bytes);
  run_copy(s);
}

constexpr Op kOps[] = {
    {.name = "filled",
     .doc = "A tensor of the given sizes filled with input 0.",
     .infer = infer_full,
     .kernel = run_full,
     .grad = {GRAD(sum_to(g, {}))},
     .hidden = true},
    {.name = "filled_like",
     .doc = "A tensor with sizes and order of memory of input 0, filled with input 1.",
     .infer = infer_full_like,
     .kernel = run_full,
     .grad = {{}, GRAD(sum_to(g, {}))},
     .edges = 1,
     .hidden = true},
    {.name = "clone",
     .doc = "A copy in the same order of memory.",
     .infer = infer_clone,
     .kernel = run_copy,
     .grad = {GRAD(g)},
     .hidden = true},
    {.name = "contiguous_copy",
     .doc = "A copy in row-major order.",
     .infer = infer_contiguous,
     .kernel = run_copy,
     .grad = {GRAD(g)},
     .grad_name = "CloneBackward0",
     .hidden = true},
    {.name = "cast",
     .doc = "A copy with another dtype.",
     .infer = infer_cast,
     .kernel = run_copy,
     .grad = {GRAD(cast(g, s.in(0)->dtype))},
     .grad_name = "ToCopyBackward0",
     .hidden = true},
    {.name = "with_layout",
     .doc = "A copy with the given strides.",
     .infer = infer_with_layout,
     .kernel = run_with_layout,
     .grad = {GRAD(g)},
     .grad_name = "CloneBackward0",
     .hidden = true},
};

}  // namespace

std::span<const Op> create_ops() { return kOps; }

LayoutRef dense_like(const Layout& layout) {
  if (layout.dense) return LayoutRef(&layout);
  const Dims strides(layout.strides());
  return following(layout.sizes(), {&strides, 1});
}

Value full(std::span<const int64_t> sizes, const Value& fill, DType dtype) {
  return record(op_named("filled"), {fill}, {Arg::of(sizes), Arg::of(dtype)});
}
Value full_like(const Value& like, const Value& fill) {
  return record(op_named("filled_like"), {like, fill}, {Arg{}});
}
Value zeros_like(const Value& like) { return full_like(like, 0); }
Value ones_like(const Value& like) { return full_like(like, 1); }

Value cast(const Value& a, DType dtype) {
  if (a->dtype == dtype) return a;
  return record(op_named("cast"), {a}, {Arg::of(dtype)});
}
Value clone(const Value& a) { return record(op_named("clone"), {a}); }
Value contiguous_copy(const Value& a) { return record(op_named("contiguous_copy"), {a}); }
Value with_layout(const Value& a, const Layout* layout) {
  if (a->layout == layout && a->offset == 0) return a;
  return record(op_named("with_layout"), {a}, {Arg::of(layout->strides())});
}

Value own_copy(const Node& node) {
  BufferRef buffer = allocate(node.buffer->bytes);
  std::memcpy(buffer->data, node.buffer->data, node.buffer->bytes);
  return from_buffer(op_named("data"), std::move(buffer), node.dtype, node.layout, node.offset);
}

Value longer_copy(const Node& node, size_t bytes) {
  BufferRef buffer = allocate(bytes);
  const size_t old = node.buffer->bytes;
  std::memcpy(buffer->data, node.buffer->data, old);
  std::memset(buffer->data + old, 0, bytes - old);
  const Dims sizes{static_cast<int64_t>(bytes) / size_of(node.dtype)};
  return from_buffer(op_named("data"), std::move(buffer), node.dtype, contiguous(sizes).get());
}

void copy_into(Buffer* storage, const Node& where, const Node& value) {
  char* data = storage->data + where.offset * size_of(where.dtype);
  copy(where.sizes(), {data, where.dtype, where.strides()}, strided(value));
}

}  // namespace wend
