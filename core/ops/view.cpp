// ops/view.cpp: ops whose output aliases their input. A view computes only sizes, strides and an
// offset; how writes through a view reach its base is tensor/variable.
#include <algorithm>
#include <cstring>
#include <optional>

#include "kernels/iterate.hpp"
#include "ops/families.hpp"
#include "ops/functions.hpp"

namespace wend {
namespace {

void set_geometry(Infer& s, std::span<const int64_t> sizes, std::span<const int64_t> strides,
                  int64_t offset) {
  s.dtype = s.in[0]->dtype;
  s.layout = intern(sizes, strides);
  s.offset = offset;
}

void check_fits(const Node& whole, const Layout& part, int64_t offset) {
  if (part.numel == 0) return;
  const int64_t element = size_of(whole.dtype);
  int64_t available = whole.offset + whole.layout->span;
  if (whole.buffer) available = static_cast<int64_t>(whole.buffer->bytes) / element;
  if (offset >= 0 && offset + part.span <= available) return;
  fail(ErrorKind::runtime, "setStorage: sizes ", show(part.sizes()), ", strides ",
       show(part.strides()), ", storage offset ", offset, ", and itemsize ", element,
       " requiring a storage size of ", (offset + part.span) * element,
       " are out of bounds for storage of size ", available * element);
}

void infer_as_strided(Infer& s) {
  const auto sizes = s.attrs[0].as_ints(), strides = s.attrs[1].as_ints();
  if (sizes.size() != strides.size())
    fail(ErrorKind::runtime, "mismatch in length of strides and shape");
  if (std::ranges::any_of(strides, [](int64_t v) { return v < 0; }))
    fail(ErrorKind::runtime,
         "as_strided: Negative strides are not supported at the moment, got strides: ",
         show(strides));
  const int64_t offset = s.attrs[2].is_none() ? s.in[0]->offset : s.attrs[2].as_int();
  set_geometry(s, sizes, strides, offset);
  check_fits(*s.in[0], *s.layout, offset);
}

void infer_as_strided_scatter(Infer& s) {
  infer_like_input(s);
  const auto sizes = s.attrs[0].as_ints();
  if (!std::ranges::equal(sizes, s.in[1]->sizes()))
    fail(ErrorKind::runtime, "expected src to have a size equal to the slice of self. src size = ",
         show(s.in[1]->sizes()), ", slice size = ", show(sizes));
  if (s.in[1]->dtype != s.dtype) s.in[1] = cast(s.in[1], s.dtype);
}

void run_as_strided_scatter(Run& s) {
  if (!s.donated(0)) std::memcpy(s.node.buffer->data, s.in(0).buffer->data, s.node.buffer->bytes);
  const DType dtype = s.node.dtype;
  char* part = s.node.buffer->data + s.attr(2).as_int() * size_of(dtype);
  copy(s.attr(0).as_ints(), {part, dtype, s.attr(1).as_ints()}, strided(s.in(1)));
}

// storage_sum is every view's gradient: elements go back to the places in storage that they came
// from, adding up where several came from one. With in and out exchanged it is its own gradient.
Value storage_sum(const Value& a, std::span<const int64_t> out_sizes,
                  std::span<const int64_t> out_strides, int64_t out_offset,
                  std::span<const int64_t> in_strides, int64_t in_offset) {
  if (is_half(a->dtype))
    return cast(storage_sum(cast(a, DType::float32), out_sizes, out_strides, out_offset, in_strides,
                            in_offset),
                a->dtype);
  return record(op_named("storage_sum"), {a},
                {Arg::of(out_sizes), Arg::of(out_strides), Arg::of(out_offset),
                 Arg::of(in_strides), Arg::of(in_offset)});
}

void infer_storage_sum(Infer& s) {
  s.dtype = s.in[0]->dtype;
  s.layout = contiguous(s.attrs[0].as_ints());
}

// One past the last element that is reached.
int64_t reach(std::span<const int64_t> sizes, std::span<const int64_t> strides, int64_t offset) {
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] == 0) return 0;
    offset += (sizes[i] - 1) * strides[i];
  }
  return offset + 1;
}

template <class T>
void add_at(T* storage, std::span<const int64_t> strides, const Node& in) {
  if (in.numel() == 0) return;
  Iteration it;
  it.begin(in.sizes());
  it.add(reinterpret_cast<char*>(storage), strides, in.sizes(), sizeof(T));
  it.add(in.data(), in.strides(), in.sizes(), sizeof(T));
  it.simplify();
  it.walk(0, it.outer(), [](char** at, const int64_t* step, int64_t n) {
    for (int64_t i = 0; i < n; ++i)
      *reinterpret_cast<T*>(at[0] + i * step[0]) += *reinterpret_cast<T*>(at[1] + i * step[1]);
  });
}

template <class T>
void run_storage_sum_as(Run& s) {
  const auto sizes = s.attr(0).as_ints(), strides = s.attr(1).as_ints();
  const int64_t offset = s.attr(2).as_int(), in_offset = s.attr(4).as_int();
  const auto in_strides = s.attr(3).as_ints();
  const int64_t needed =
      std::max(reach(sizes, strides, offset), reach(s.in(0).sizes(), in_strides, in_offset));
  const bool direct = offset == 0 && needed <= s.node.numel() &&
                      std::ranges::equal(strides, s.node.strides());
  if (direct) {
    T* out = reinterpret_cast<T*>(s.out());
    fill_zero(s.out(), s.node.numel() * sizeof(T));
    return add_at(out + in_offset, in_strides, s.in(0));
  }
  std::vector<T> storage(needed, T{});
  add_at(storage.data() + in_offset, in_strides, s.in(0));
  copy(sizes, strided(s.node),
       {reinterpret_cast<char*>(storage.data() + offset), s.node.dtype, strides});
}

void run_storage_sum(Run& s) {
  if (s.node.dtype == DType::float64) return run_storage_sum_as<double>(s);
  run_storage_sum_as<float>(s);
}

Value storage_sum_gradient(const GradCall& s) {
  return storage_sum(s.g, s.in(0)->sizes(), s.attr(3).as_ints(), s.attr(4).as_int(),
                     s.attr(1).as_ints(), s.attr(2).as_int());
}

Value as_strided_gradient(const GradCall& s) {
  const Node &whole = *s.in(0), &part = s.node();
  return storage_sum(s.g, whole.sizes(), whole.strides(), whole.offset, part.strides(), part.offset);
}

Value scatter_gradient_of_part(const GradCall& s) {
  const Node& whole = s.node();
  return storage_sum(s.g, s.attr(0).as_ints(), s.attr(1).as_ints(), s.attr(2).as_int(),
                     whole.strides(), whole.offset);
}

Value scatter_gradient_of_whole(const GradCall& s) {
  const Value nothing = full(s.attr(0).as_ints(), 0, s.g->dtype);
  return as_strided_scatter(with_layout(s.g, s.node().layout), nothing, s.attr(0).as_ints(),
                            s.attr(1).as_ints(), s.attr(2).as_int());
}

// The gradient of any view, from its rule for geometry applied to a row-major input.
Value view_gradient(const GradCall& s) {
  const Node& in = *s.in(0);
  const LayoutRef rows = contiguous(in.sizes());
  Value stand_in = from_buffer(op_named("data"), nullptr, in.dtype, rows.get());
  Infer infer{*s.node().op, std::span(&stand_in, 1), s.node().attrs->span()};
  s.node().op->infer(infer);
  return storage_sum(s.g, in.sizes(), rows->strides(), 0, infer.layout->strides(), infer.offset);
}

// Strides that show old sizes and strides as `sizes`, if no copy is needed for that.
std::optional<Dims> strides_for(const Layout& old, std::span<const int64_t> sizes) {
  if (old.numel == 0) return contiguous_strides(sizes);
  Dims strides;
  strides.n = static_cast<int>(sizes.size());
  int next = strides.n - 1;
  int64_t chunk_stride = old.ndim ? old.stride(old.ndim - 1) : 1;
  int64_t chunk = 1, taken = 1;
  for (int i = old.ndim - 1; i >= 0; --i) {
    chunk *= old.size(i);
    const bool chunk_ends =
        i == 0 || (old.size(i - 1) != 1 && old.stride(i - 1) != chunk * chunk_stride);
    if (!chunk_ends) continue;
    while (next >= 0 && (taken < chunk || sizes[next] == 1)) {
      strides[next] = taken * chunk_stride;
      taken *= sizes[next--];
    }
    if (taken != chunk) return std::nullopt;
    if (i > 0) {
      chunk_stride = old.stride(i - 1);
      chunk = taken = 1;
    }
  }
  for (; next >= 0; --next) strides[next] = 1;
  return strides;
}

// Replaces the one -1 in a requested shape.
Dims infer_sizes(std::span<const int64_t> asked, int64_t numel) {
  Dims sizes(asked);
  int unknown = -1;
  int64_t known = 1;
  for (int i = 0; i < sizes.n; ++i) {
    if (sizes[i] == -1) {
      if (unknown >= 0) fail(ErrorKind::runtime, "only one dimension can be inferred");
      unknown = i;
    } else if (sizes[i] < 0) {
      fail(ErrorKind::runtime, "invalid shape dimension ", sizes[i]);
    } else {
      known *= sizes[i];
    }
  }
  const bool fits = unknown >= 0 ? known != 0 && numel % known == 0 : known == numel;
  if (unknown >= 0 && known == 0 && numel == 0)
    fail(ErrorKind::runtime, "cannot reshape tensor of 0 elements into shape ", show(asked),
         " because the unspecified dimension size -1 can be any value and is ambiguous");
  if (!fits)
    fail(ErrorKind::runtime, "shape '", show(asked), "' is invalid for input of size ", numel);
  if (unknown >= 0) sizes[unknown] = numel / known;
  return sizes;
}

void infer_view(Infer& s) {
  const Node& in = *s.in[0];
  const Dims sizes = infer_sizes(s.attrs[0].as_ints(), in.numel());
  const auto strides = strides_for(*in.layout, sizes.span());
  if (!strides)
    fail(ErrorKind::runtime,
         "view size is not compatible with input tensor's size and stride (at least one dimension "
         "spans across two contiguous subspaces). Use .reshape(...) instead.");
  set_geometry(s, sizes.span(), strides->span(), in.offset);
}

void infer_expand(Infer& s) {
  const Node& in = *s.in[0];
  const auto asked = s.attrs[0].as_ints();
  const int lead = static_cast<int>(asked.size()) - in.ndim();
  if (lead < 0)
    fail(ErrorKind::runtime, "expand(", scalar_type_name(in.dtype), "{", show(in.sizes()),
         "}, size=", show(asked), "): the number of sizes provided (", asked.size(),
         ") must be greater or equal to the number of dimensions in the tensor (", in.ndim(), ")");
  Dims sizes(asked), strides(asked);
  for (int i = 0; i < sizes.n; ++i) {
    const int64_t have = i < lead ? 1 : in.size(i - lead);
    if (sizes[i] == -1) {
      if (i < lead)
        fail(ErrorKind::runtime, "The expanded size of the tensor (-1) isn't allowed in a leading, "
             "non-existing dimension ", i);
      sizes[i] = have;
    }
    if (sizes[i] < 0 || (have != 1 && have != sizes[i]))
      fail(ErrorKind::runtime, "The expanded size of the tensor (", sizes[i],
           ") must match the existing size (", have, ") at non-singleton dimension ", i,
           ".  Target sizes: ", show(asked), ".  Tensor sizes: ", show(in.sizes()));
    if (i < lead)
      strides[i] = 0;
    else
      strides[i] = have == 1 && sizes[i] != 1 ? 0 : in.layout->stride(i - lead);
  }
  set_geometry(s, sizes.span(), strides.span(), in.offset);
}

void infer_permute(Infer& s) {
  const Node& in = *s.in[0];
  const auto dims = s.attrs[0].as_ints();
  if (static_cast<int>(dims.size()) != in.ndim())
    fail(ErrorKind::runtime, "permute(sparse_coo): number of dimensions in the tensor input does "
         "not match the length of the desired ordering of dimensions i.e. input.dim() = ",
         in.ndim(), " is not equal to len(dims) = ", dims.size());
  Dims sizes(dims), strides(dims);
  uint64_t seen = 0;
  for (int i = 0; i < sizes.n; ++i) {
    const int from = wrap_dim(dims[i], in.ndim());
    if (seen >> from & 1) fail(ErrorKind::runtime, "permute(): duplicate dims are not allowed.");
    seen |= uint64_t{1} << from;
    sizes[i] = in.size(from);
    strides[i] = in.layout->stride(from);
  }
  set_geometry(s, sizes.span(), strides.span(), in.offset);
}

Value permute_gradient(const GradCall& s) {
  const auto dims = s.attr(0).as_ints();
  Dims back(dims);
  for (int i = 0; i < back.n; ++i) back[wrap_dim(dims[i], back.n)] = i;
  return permute(s.g, back);
}

void infer_transpose(Infer& s) {
  const Node& in = *s.in[0];
  const int i = wrap_dim(s.attrs[0].as_int(), in.ndim()), j = wrap_dim(s.attrs[1].as_int(), in.ndim());
  Dims sizes(in.sizes()), strides(in.strides());
  if (in.ndim() > 0) {
    std::swap(sizes[i], sizes[j]);
    std::swap(strides[i], strides[j]);
  }
  set_geometry(s, sizes.span(), strides.span(), in.offset);
}

void infer_select(Infer& s) {
  const Node& in = *s.in[0];
  if (in.ndim() == 0) fail(ErrorKind::index, "select() cannot be applied to a 0-dim tensor.");
  const int dim = wrap_dim(s.attrs[0].as_int(), in.ndim());
  const int64_t index = s.attrs[1].as_int(), size = in.size(dim);
  if (index < -size || index >= size)
    fail(ErrorKind::index, "select(): index ", index, " out of range for tensor of size ",
         show(in.sizes()), " at dimension ", dim);
  Dims sizes(in.sizes()), strides(in.strides());
  const int64_t offset = in.offset + (index < 0 ? index + size : index) * strides[dim];
  sizes.erase(dim);
  strides.erase(dim);
  set_geometry(s, sizes.span(), strides.span(), offset);
}

void infer_slice(Infer& s) {
  const Node& in = *s.in[0];
  if (in.ndim() == 0) fail(ErrorKind::index, "slice() cannot be applied to a 0-dim tensor.");
  const int dim = wrap_dim(s.attrs[0].as_int(), in.ndim());
  const int64_t size = in.size(dim), step = s.attrs[3].as_int();
  if (step <= 0) fail(ErrorKind::value, "step must be greater than zero");
  auto clip = [&](const Arg& a, int64_t otherwise) {
    int64_t v = a.is_none() ? otherwise : a.as_int();
    if (v < 0) v += size;
    return std::clamp<int64_t>(v, 0, size);
  };
  const int64_t start = clip(s.attrs[1], 0), end = std::max(start, clip(s.attrs[2], size));
  Dims sizes(in.sizes()), strides(in.strides());
  const int64_t offset = in.offset + start * strides[dim];
  sizes[dim] = (end - start + step - 1) / step;
  strides[dim] *= step;
  set_geometry(s, sizes.span(), strides.span(), offset);
}

void infer_unsqueeze(Infer& s) {
  const Node& in = *s.in[0];
  const int dim = wrap_dim(s.attrs[0].as_int(), in.ndim() + 1);
  Dims sizes(in.sizes()), strides(in.strides());
  strides.insert(dim, dim < in.ndim() ? sizes[dim] * strides[dim] : 1);
  sizes.insert(dim, 1);
  set_geometry(s, sizes.span(), strides.span(), in.offset);
}

void infer_squeeze(Infer& s) {
  const Node& in = *s.in[0];
  uint64_t chosen = s.attrs[0].is_none() ? ~uint64_t{0} : 0;
  if (!s.attrs[0].is_none())
    for (int64_t d : s.attrs[0].as_ints()) chosen |= uint64_t{1} << wrap_dim(d, in.ndim());
  Dims sizes, strides;
  for (int i = 0; i < in.ndim(); ++i) {
    if (chosen >> i & 1 && in.size(i) == 1) continue;
    sizes.push(in.size(i));
    strides.push(in.layout->stride(i));
  }
  set_geometry(s, sizes.span(), strides.span(), in.offset);
}

Values body_reshape(Call& c) { return {reshape(c.tensor(0), c[1].as_ints())}; }

constexpr Op kOps[] = {
    {.name = "as_strided",
     .signature = "(Tensor input, int[] size, int[] stride, int? storage_offset=None) -> Tensor",
     .doc = "A view of the storage with the given sizes, strides and offset.",
     .example = "as_strided(arange(6.), (2, 2), (3, 1))",
     .infer = infer_as_strided,
     .grad = {GRAD(as_strided_gradient(s))},
     .view = true},
    {.name = "as_strided_scatter",
     .signature = "(Tensor input, Tensor src, int[] size, int[] stride, int? storage_offset=None) -> Tensor",
     .doc = "A copy of input with the strided part replaced by src.",
     .example = "as_strided_scatter(zeros(4), ones(2), (2,), (2,), 0)",
     .infer = infer_as_strided_scatter,
     .kernel = run_as_strided_scatter,
     .grad = {GRAD(scatter_gradient_of_whole(s)), GRAD(scatter_gradient_of_part(s))},
     .donates = 1,
     .hidden = true},
    {.name = "copy_slices",
     .doc = "The storage after a write through a view.",
     .infer = infer_as_strided_scatter,
     .kernel = run_as_strided_scatter,
     .grad = {GRAD(scatter_gradient_of_whole(s)), GRAD(scatter_gradient_of_part(s))},
     .grad_name = "torch::autograd::CopySlices",
     .donates = 1,
     .hidden = true},
    {.name = "storage_sum",
     .doc = "Input's elements put back into a storage, adding up, and read out again.",
     .infer = infer_storage_sum,
     .kernel = run_storage_sum,
     .grad = {GRAD(storage_sum_gradient(s))},
     .grad_name = "AsStridedBackward0",
     .hidden = true},
    {.name = "view",
     .signature = "(Tensor input, int[] size) -> Tensor",
     .doc = "The same elements with other sizes; raises where that needs a copy.",
     .example = "arange(6).view(2, 3)",
     .infer = infer_view,
     .grad = {GRAD(reshape(g, s.in(0)->sizes()))},
     .view = true,
     .function = false},
    {.name = "reshape",
     .signature = "(Tensor input, int[] shape) -> Tensor",
     .doc = "The same elements with other sizes, as a view where possible.",
     .example = "reshape(arange(6), (2, 3))",
     .body = body_reshape},
    {.name = "expand",
     .signature = "(Tensor input, int[] size) -> Tensor",
     .doc = "Repeats dimensions of size 1 without copying; -1 keeps a size.",
     .example = "arange(3).expand(2, 3)",
     .infer = infer_expand,
     .grad = {GRAD(g)},
     .view = true,
     .function = false},
    {.name = "permute",
     .signature = "(Tensor input, int[] dims) -> Tensor",
     .doc = "Reorders the dimensions.",
     .example = "permute(zeros(2, 3, 4), (2, 0, 1)).shape",
     .infer = infer_permute,
     .grad = {GRAD(permute_gradient(s))},
     .view = true},
    {.name = "transpose",
     .signature = "(Tensor input, int dim0, int dim1) -> Tensor",
     .doc = "Exchanges two dimensions.",
     .example = "transpose(zeros(2, 3), 0, 1).shape",
     .infer = infer_transpose,
     .grad = {GRAD(transpose(g, s.attr(0).as_int(), s.attr(1).as_int()))},
     .view = true},
    {.name = "select",
     .signature = "(Tensor input, int dim, int index) -> Tensor",
     .doc = "The slice at one index of a dimension, without that dimension.",
     .example = "select(arange(6).view(2, 3), 1, 0)",
     .infer = infer_select,
     .grad = {GRAD(view_gradient(s))},
     .view = true},
    {.name = "slice",
     .signature = "(Tensor input, int dim=0, int? start=None, int? end=None, int step=1) -> Tensor",
     .doc = "Every step-th element of a dimension from start to end.",
     .infer = infer_slice,
     .grad = {GRAD(view_gradient(s))},
     .view = true,
     .hidden = true},
    {.name = "split_part",
     .doc = "One of the parts that split gives; attribute 4 is its number.",
     .infer = infer_slice,
     .grad = {GRAD(view_gradient(s))},
     .grad_name = "SplitBackward0",
     .view = true,
     .hidden = true},
    {.name = "split_sizes_part",
     .doc = "One of the parts that split_with_sizes gives; attribute 4 is its number.",
     .infer = infer_slice,
     .grad = {GRAD(view_gradient(s))},
     .grad_name = "SplitWithSizesBackward0",
     .view = true,
     .hidden = true},
    {.name = "unsqueeze",
     .signature = "(Tensor input, int dim) -> Tensor",
     .doc = "Inserts a dimension of size 1.",
     .example = "unsqueeze(arange(3), 0)",
     .infer = infer_unsqueeze,
     .grad = {GRAD(reshape(g, s.in(0)->sizes()))},
     .view = true},
    {.name = "squeeze",
     .signature = "(Tensor input, int[1]? dim=None) -> Tensor",
     .doc = "Removes dimensions of size 1.",
     .example = "squeeze(zeros(1, 3, 1)).shape",
     .infer = infer_squeeze,
     .grad = {GRAD(reshape(g, s.in(0)->sizes()))},
     .view = true},
};

}  // namespace

std::span<const Op> view_ops() { return kOps; }

Value as_strided(const Value& a, std::span<const int64_t> sizes, std::span<const int64_t> strides,
                 int64_t offset) {
  return record(op_named("as_strided"), {a}, {Arg::of(sizes), Arg::of(strides), Arg::of(offset)});
}
Value as_strided_scatter(const Value& whole, const Value& part, std::span<const int64_t> sizes,
                         std::span<const int64_t> strides, int64_t offset) {
  return record(op_named("copy_slices"), {whole, part},
                {Arg::of(sizes), Arg::of(strides), Arg::of(offset)});
}
Value view(const Value& a, std::span<const int64_t> sizes) {
  return record(op_named("view"), {a}, {Arg::of(sizes)});
}
Value reshape(const Value& a, std::span<const int64_t> asked) {
  const Dims sizes = infer_sizes(asked, a->numel());
  if (strides_for(*a->layout, sizes.span())) return view(a, sizes);
  return view(contiguous_copy(a), sizes);
}
Value expand(const Value& a, std::span<const int64_t> sizes) {
  return record(op_named("expand"), {a}, {Arg::of(sizes)});
}
Value permute(const Value& a, std::span<const int64_t> dims) {
  return record(op_named("permute"), {a}, {Arg::of(dims)});
}
Value transpose(const Value& a, int64_t dim0, int64_t dim1) {
  return record(op_named("transpose"), {a}, {Arg::of(dim0), Arg::of(dim1)});
}
Value select(const Value& a, int64_t dim, int64_t index) {
  return record(op_named("select"), {a}, {Arg::of(dim), Arg::of(index)});
}
Value slice(const Value& a, int64_t dim, int64_t start, int64_t end, int64_t step) {
  return record(op_named("slice"), {a},
                {Arg::of(dim), Arg::of(start), Arg::of(end), Arg::of(step)});
}
Value pad_to(const Value& a, std::span<const int64_t> sizes) {
  if (std::ranges::equal(a->sizes(), sizes)) return a;
  const Dims rows = contiguous_strides(sizes);
  return storage_sum(a, sizes, rows.span(), 0, rows.span(), 0);
}
Value unsqueeze(const Value& a, int64_t dim) {
  return record(op_named("unsqueeze"), {a}, {Arg::of(dim)});
}
Value squeeze(const Value& a, std::span<const int64_t> dims) {
  return record(op_named("squeeze"), {a}, {Arg::of(dims)});
}

}  // namespace wend
