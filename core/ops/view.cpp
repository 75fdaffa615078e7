// ops/view.cpp: ops whose output aliases their input. A view computes only sizes, strides and an
// offset; views by explicit strides are ops/strided, gradients of views ops/parts.
#include <algorithm>

#include "base/checked.hpp"
#include "ops/geometry.hpp"

namespace wend {
namespace {

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

[[noreturn]] void does_not_expand(const Node& in, std::span<const int64_t> asked) {
  fail(ErrorKind::runtime, "expand(torch.", scalar_type_name(in.dtype), "Tensor{", show(in.sizes()),
       "}, size=", show(asked), "): the number of sizes provided (", asked.size(),
       ") must be greater or equal to the number of dimensions in the tensor (", in.ndim(), ")");
}

void infer_expand(Infer& s) {
  const Node& in = *s.in[0];
  const auto asked = s.attrs[0].as_ints();
  const int lead = static_cast<int>(asked.size()) - in.ndim();
  if (lead < 0) does_not_expand(in, asked);
  Dims sizes(asked), strides(asked);
  for (int i = sizes.n - 1; i >= 0; --i) {
    const int64_t have = i < lead ? 1 : in.size(i - lead);
    if (sizes[i] == -1) {
      if (i < lead)
        fail(ErrorKind::runtime,
             "The expanded size of the tensor (-1) isn't allowed in a leading, non-existing "
             "dimension ",
             i);
      sizes[i] = have;
    }
    if (sizes[i] < 0 || (have != 1 && have != sizes[i]))
      fail(ErrorKind::runtime, "The expanded size of the tensor (", sizes[i],
           ") must match the existing size (", have, ") at non-singleton dimension ", i,
           ".  Target sizes: ", show(asked), ".  Tensor sizes: ", show(in.sizes()));
    const bool last = i == sizes.n - 1;
    const int64_t own = i >= lead ? in.layout->stride(i - lead)
                        : last    ? 0
                                  : sizes[i + 1] * strides[i + 1];
    strides[i] = have == 1 && sizes[i] != 1 ? 0 : own;
  }
  set_geometry(s, sizes.span(), strides.span(), in.offset);
}

void infer_permute(Infer& s) {
  const Node& in = *s.in[0];
  const auto dims = s.attrs[0].as_ints();
  if (static_cast<int>(dims.size()) != in.ndim())
    fail(ErrorKind::runtime,
         "permute(sparse_coo): number of dimensions in the tensor input does not match the length "
         "of the desired ordering of dimensions i.e. input.dim() = ",
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

void set_transposed(Infer& s, int i, int j) {
  const Node& in = *s.in[0];
  Dims sizes(in.sizes()), strides(in.strides());
  if (in.ndim() > 0) {
    std::swap(sizes[i], sizes[j]);
    std::swap(strides[i], strides[j]);
  }
  set_geometry(s, sizes.span(), strides.span(), in.offset);
}

void infer_transpose(Infer& s) {
  const int ndim = s.in[0]->ndim();
  const int i = wrap_dim(s.attrs[0].as_int(), ndim);
  set_transposed(s, i, wrap_dim(s.attrs[1].as_int(), ndim));
}

void infer_t(Infer& s) {
  const int ndim = s.in[0]->ndim();
  if (ndim > 2)
    fail(ErrorKind::runtime, "t() expects a tensor with <= 2 dimensions, but self is ", ndim, "D");
  set_transposed(s, 0, std::max(ndim - 1, 0));
}

// Where the element at `index` of a dimension lies. What holds no elements may have any strides.
int64_t offset_of(const Node& in, int64_t index, int dim) {
  return clamped(Wide{index} * in.layout->stride(dim) + in.offset);
}

// The stride of every `step`-th element: it may be larger than any number if there is only one.
int64_t stepped(int64_t stride, int64_t step) { return clamped_mul(stride, step); }

void infer_select(Infer& s) {
  const Node& in = *s.in[0];
  if (in.ndim() == 0) fail(ErrorKind::index, "select() cannot be applied to a 0-dim tensor.");
  const int dim = wrap_dim(s.attrs[0].as_int(), in.ndim());
  const int64_t index = s.attrs[1].as_int(), size = in.size(dim);
  if (index < -size || index >= size)
    fail(ErrorKind::index, "select(): index ", index, " out of range for tensor of size ",
         show(in.sizes()), " at dimension ", dim);
  Dims sizes, strides;
  for (int i = 0; i < in.ndim(); ++i) {
    if (i == dim) continue;
    sizes[sizes.n++] = in.size(i);
    strides[strides.n++] = in.layout->stride(i);
  }
  const int64_t offset = offset_of(in, index < 0 ? index + size : index, dim);
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
  const int64_t offset = offset_of(in, start, dim);
  sizes[dim] = (end - start) / step + ((end - start) % step != 0);
  strides[dim] = stepped(strides[dim], step);
  set_geometry(s, sizes.span(), strides.span(), offset);
}

void infer_unsqueeze(Infer& s) {
  const Node& in = *s.in[0];
  const int dim = wrap_dim(s.attrs[0].as_int(), in.ndim() + 1);
  Dims sizes(in.sizes()), strides(in.strides());
  strides.insert(dim, dim < in.ndim() ? stepped(strides[dim], sizes[dim]) : 1);
  sizes.insert(dim, 1);
  set_geometry(s, sizes.span(), strides.span(), in.offset);
}

// Without those of the dimensions in `chosen`, a bit each, that have size 1.
void set_squeezed(Infer& s, uint64_t chosen) {
  const Node& in = *s.in[0];
  Dims sizes, strides;
  for (int i = 0; i < in.ndim(); ++i) {
    if (chosen >> i & 1 && in.size(i) == 1) continue;
    sizes.push(in.size(i));
    strides.push(in.layout->stride(i));
  }
  set_geometry(s, sizes.span(), strides.span(), in.offset);
}

void infer_squeeze(Infer& s) { set_squeezed(s, ~uint64_t{0}); }

void infer_squeeze_dim(Infer& s) {
  set_squeezed(s, uint64_t{1} << wrap_dim(s.attrs[0].as_int(), s.in[0]->ndim()));
}

void infer_squeeze_dims(Infer& s) {
  uint64_t chosen = 0;
  for (int64_t d : s.attrs[0].as_ints()) {
    const int i = wrap_dim(d, s.in[0]->ndim());
    if (chosen >> i & 1)
      fail(ErrorKind::runtime, "dim ", i, " appears multiple times in the list of dims");
    chosen |= uint64_t{1} << i;
  }
  set_squeezed(s, chosen);
}

void infer_diagonal(Infer& s) {
  const Node& in = *s.in[0];
  const int64_t offset = s.attrs[0].as_int();
  const int i = wrap_dim(s.attrs[1].as_int(), in.ndim());
  const int j = wrap_dim(s.attrs[2].as_int(), in.ndim());
  if (i == j)
    fail(ErrorKind::runtime, "diagonal dimensions cannot be identical ", s.attrs[1].as_int(), ", ",
         s.attrs[2].as_int());
  Dims sizes(in.sizes()), strides(in.strides());
  const int64_t rows = in.size(i) + std::min<int64_t>(offset, 0);
  const int64_t columns = clamped_sub(in.size(j), std::max<int64_t>(offset, 0));
  const int64_t length = std::max<int64_t>(std::min(rows, columns), 0);
  const int64_t step = clamped_add(strides[i], strides[j]);
  // Of no elements, the first is where the input's is.
  const int64_t start = length == 0   ? in.offset
                        : offset >= 0 ? offset_of(in, offset, j)
                                      : offset_of(in, -offset, i);
  for (int d : {std::max(i, j), std::min(i, j)}) {
    sizes.erase(d);
    strides.erase(d);
  }
  sizes.push(length);
  strides.push(step);
  set_geometry(s, sizes.span(), strides.span(), start);
}

void infer_unfold(Infer& s) {
  const Node& in = *s.in[0];
  const int64_t size = s.attrs[1].as_int(), step = s.attrs[2].as_int();
  const int dim = wrap_dim(s.attrs[0].as_int(), in.ndim());
  const int64_t available = in.ndim() ? in.size(dim) : 1;
  if (size < 0) fail(ErrorKind::runtime, "size is ", size, " but must be >= 0");
  if (size > available)
    fail(ErrorKind::runtime, "maximum size for tensor at dimension ", dim, " is ", available,
         " but size is ", size);
  if (step <= 0) fail(ErrorKind::runtime, "step is ", step, " but must be > 0");
  Dims sizes(in.sizes()), strides(in.strides());
  sizes.push(size);
  strides.push(in.ndim() ? strides[dim] : 1);
  if (in.ndim()) {
    sizes[dim] = (available - size) / step + 1;
    strides[dim] = stepped(strides[dim], step);
  }
  set_geometry(s, sizes.span(), strides.span(), in.offset);
}

constexpr Op kOps[] = {
    {.name = "view",
     .signature = "(Tensor input, int[] size) -> Tensor",
     .doc = "The same elements with other sizes; raises where that needs a copy.",
     .example = "arange(6).view(2, 3)",
     .infer = infer_view,
     .grad = {GRAD(reshape(g, s.in(0)->sizes()))},
     .view = true,
     .function = false},
    {.name = "expand",
     .signature = "(Tensor input, int[] size, *, bool implicit=False) -> Tensor",
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
     .view = true,
     .inplace = true},
    {.name = "t",
     .signature = "(Tensor input) -> Tensor",
     .doc = "The transpose of a matrix; vectors stay as they are.",
     .example = "t(zeros(2, 3)).shape",
     .infer = infer_t,
     .grad = {GRAD(transpose(g, 0, -1))},
     .view = true,
     .inplace = true},
    {.name = "select",
     .signature = "(Tensor input, int dim, int index) -> Tensor",
     .doc = "The slice at one index of a dimension, without that dimension.",
     .example = "select(arange(6).view(2, 3), 1, 0)",
     .infer = infer_select,
     .grad = {GRAD(view_gradient(s))},
     .view = true},
    {.name = "unbind_part",
     .doc = "One of the slices that unbind gives.",
     .infer = infer_select,
     .grad = {GRAD(view_gradient(s))},
     .grad_name = "UnbindBackward0",
     .output_attr = 1,
     .view = true,
     .hidden = true},
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
     .output_attr = 4,
     .view = true,
     .hidden = true},
    {.name = "split_sizes_part",
     .doc = "One of the parts that split_with_sizes gives; attribute 4 is its number.",
     .infer = infer_slice,
     .grad = {GRAD(view_gradient(s))},
     .grad_name = "SplitWithSizesBackward0",
     .output_attr = 4,
     .view = true,
     .hidden = true},
    {.name = "unsqueeze",
     .signature = "(Tensor input, int dim) -> Tensor",
     .doc = "Inserts a dimension of size 1.",
     .example = "unsqueeze(arange(3), 0)",
     .infer = infer_unsqueeze,
     .grad = {GRAD(reshape(g, s.in(0)->sizes()))},
     .view = true,
     .inplace = true},
    {.name = "squeeze",
     .signature = "(Tensor input) -> Tensor",
     .doc = "Removes dimensions of size 1: all, or those among dim.",
     .example = "squeeze(zeros(1, 3, 1)).shape",
     .infer = infer_squeeze,
     .grad = {GRAD(reshape(g, s.in(0)->sizes()))},
     .view = true,
     .inplace = true},
    {.name = "squeeze",
     .signature = "(Tensor input, int dim) -> Tensor",
     .infer = infer_squeeze_dim,
     .grad = {GRAD(reshape(g, s.in(0)->sizes()))},
     .grad_name = "SqueezeBackward1",
     .view = true,
     .inplace = true},
    {.name = "squeeze",
     .signature = "(Tensor input, int[] dim) -> Tensor",
     .infer = infer_squeeze_dims,
     .grad = {GRAD(reshape(g, s.in(0)->sizes()))},
     .grad_name = "SqueezeBackward2",
     .view = true,
     .inplace = true},
    {.name = "diagonal",
     .signature = "(Tensor input, int offset=0, int dim1=0, int dim2=1) -> Tensor",
     .doc = "A diagonal of each matrix that two dimensions make.",
     .example = "diagonal(arange(9).view(3, 3), 1)",
     .infer = infer_diagonal,
     .grad = {GRAD(view_gradient(s))},
     .view = true},
    {.name = "unfold",
     .signature = "(Tensor input, int dimension, int size, int step) -> Tensor",
     .doc = "All windows of the given size, step apart, in a new last dimension.",
     .example = "arange(5).unfold(0, 3, 1)",
     .infer = infer_unfold,
     .grad = {GRAD(view_gradient(s))},
     .view = true,
     .function = false},
};

}  // namespace

std::span<const Op> view_ops() { return kOps; }

std::optional<Dims> strides_for(const Layout& old, std::span<const int64_t> sizes) {
  if (old.numel == 0) return contiguous_strides(sizes);
  Dims strides(sizes);
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

Dims infer_sizes(std::span<const int64_t> asked, int64_t numel) {
  Dims sizes(asked);
  int unknown = -1;
  int64_t known = 1;
  bool too_many = false;
  for (int i = 0; i < sizes.n; ++i) {
    if (sizes[i] == -1) {
      if (unknown >= 0) fail(ErrorKind::runtime, "only one dimension can be inferred");
      unknown = i;
    } else if (sizes[i] < 0) {
      fail(ErrorKind::runtime, "invalid shape dimension ", sizes[i], " at index ", i, " of shape ",
           show(asked));
    } else {
      too_many |= __builtin_mul_overflow(known, sizes[i], &known);
    }
  }
  if (std::ranges::count(sizes.span(), 0)) known = 0, too_many = false;
  const bool fits = !too_many && (unknown >= 0 ? known != 0 && numel % known == 0 : known == numel);
  if (unknown >= 0 && known == 0 && numel == 0)
    fail(ErrorKind::runtime, "cannot reshape tensor of 0 elements into shape ", show(asked),
         " because the unspecified dimension size -1 can be any value and is ambiguous");
  if (!fits)
    fail(ErrorKind::runtime, "shape '", show(asked), "' is invalid for input of size ", numel);
  if (unknown >= 0) sizes[unknown] = numel / known;
  return sizes;
}

namespace {

// A node of op `view` whose geometry is known to be right.
Value viewed_as(const Value& a, const Dims& sizes, const Dims& strides) {
  static const Op& op = op_named("view");
  const LayoutRef layout = intern(sizes.span(), strides.span());
  const Arg attr = Arg::of(sizes.span());
  Value in[] = {a};
  return append(op, in, make_attrs({&attr, 1}), a->dtype, layout.get(), a->offset);
}

}  // namespace

Value view(const Value& a, std::span<const int64_t> sizes) {
  static const Op& op = op_named("view");
  return record(op, {a}, {Arg::of(sizes)});
}
Value reshape(const Value& a, std::span<const int64_t> asked) {
  const Dims sizes = infer_sizes(asked, a->numel());
  if (const auto strides = strides_for(*a->layout, sizes.span()))
    return viewed_as(a, sizes, *strides);
  return viewed_as(contiguous_copy(a), sizes, contiguous_strides(sizes.span()));
}
Value expand(const Value& a, std::span<const int64_t> sizes) {
  static const Op& op = op_named("expand");
  return record(op, {a}, {Arg::of(sizes)});
}
Value permute(const Value& a, std::span<const int64_t> dims) {
  static const Op& op = op_named("permute");
  return record(op, {a}, {Arg::of(dims)});
}
Value transpose(const Value& a, int64_t dim0, int64_t dim1) {
  static const Op& op = op_named("transpose");
  return record(op, {a}, {Arg::of(dim0), Arg::of(dim1)});
}
Value select(const Value& a, int64_t dim, int64_t index) {
  static const Op& op = op_named("select");
  return record(op, {a}, {Arg::of(dim), Arg::of(index)});
}
Value slice(const Value& a, int64_t dim, int64_t start, int64_t end, int64_t step) {
  static const Op& op = op_named("slice");
  return record(op, {a}, {Arg::of(dim), Arg::of(start), Arg::of(end), Arg::of(step)});
}
Value unsqueeze(const Value& a, int64_t dim) {
  static const Op& op = op_named("unsqueeze");
  return record(op, {a}, {Arg::of(dim)});
}
Value squeeze(const Value& a, std::span<const int64_t> dims) {
  static const Op& op =
      *std::ranges::find_if(kOps, [](const Op& o) { return o.infer == infer_squeeze_dims; });
  return record(op, {a}, {Arg::of(dims)});
}
Value diagonal(const Value& a, int64_t offset, int64_t dim1, int64_t dim2) {
  static const Op& op = op_named("diagonal");
  return record(op, {a}, {Arg::of(offset), Arg::of(dim1), Arg::of(dim2)});
}

}  // namespace wend
