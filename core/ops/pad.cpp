// ops/pad.cpp: tensors with a margin: of one value, or of their own elements once more. Which modes
// suit which sizes is wend/_padding.py's affair.
#include <algorithm>
#include <string_view>

#include "base/checked.hpp"
#include "kernels/cast.hpp"
#include "ops/batching.hpp"
#include "ops/families.hpp"
#include "ops/functions.hpp"

namespace wend {
namespace {

// The margins before and after dimension `dim`; `pad` lists them from the last dimension on.
struct Margins {
  int64_t before = 0, after = 0;
};
Margins margins(std::span<const int64_t> pad, int dim, int ndim) {
  const size_t at = 2 * static_cast<size_t>(ndim - 1 - dim);
  return at + 1 < pad.size() ? Margins{pad[at], pad[at + 1]} : Margins{};
}

void infer_constant_pad(Infer& s) {
  const Node& in = *s.in[0];
  const auto pad = s.attrs[0].as_ints();
  if (pad.size() % 2)
    fail(ErrorKind::runtime, "Length of pad must be even but instead it equals ", pad.size());
  if (static_cast<int>(pad.size()) > 2 * in.ndim())
    fail(ErrorKind::runtime,
         "Length of pad should be no more than twice the number of dimensions of the input. Pad "
         "length is ",
         pad.size(), "while the input has ", in.ndim(), "dimensions.");
  Dims sizes(in.sizes());
  for (int i = 0; i < sizes.n; ++i) {
    const Margins m = margins(pad, i, sizes.n);
    if (Wide{in.size(i)} + std::min<int64_t>(m.before, 0) + std::min<int64_t>(m.after, 0) < 0)
      fail(ErrorKind::runtime, "narrow(): length must be non-negative.");
    sizes[i] = checked(Wide{sizes[i]} + m.before + m.after);
  }
  s.dtype = in.dtype;
  s.layout = pad.empty() ? dense_like(*in.layout) : like_format(*in.layout, sizes);
}

void run_constant_pad(Run& s) {
  const Node &in = s.in(0), &out = s.node;
  const auto pad = s.attr(0).as_ints();
  const Arg& value = s.attr(1);
  alignas(8) char fill[8];
  const DType from = value.kind == Arg::real ? DType::float64 : DType::int64;
  cast_loop(out.dtype, from)(fill, 0, reinterpret_cast<const char*>(&value.i), 0, 1);
  const int64_t nowhere[kMaxDims] = {};
  copy(out.sizes(), strided(out), {fill, out.dtype, {nowhere, static_cast<size_t>(out.ndim())}});
  const int64_t element = size_of(out.dtype);
  Dims sizes(in.sizes());
  char *to = s.out(), *at = in.data();
  for (int i = 0; i < sizes.n; ++i) {
    const Margins m = margins(pad, i, sizes.n);
    sizes[i] += std::min<int64_t>(m.before, 0) + std::min<int64_t>(m.after, 0);
    if (sizes[i] == 0) return;
    to += std::max<int64_t>(m.before, 0) * out.layout->stride(i) * element;
    at += std::max<int64_t>(-m.before, 0) * in.layout->stride(i) * element;
  }
  copy(sizes.span(), {to, out.dtype, out.strides()}, {at, in.dtype, in.strides()});
}

Value constant_pad_gradient(const GradCall& s) {
  static const Op& op = op_named("constant_pad_nd");
  Dims back(s.attr(0).as_ints());
  for (int64_t& v : back) v = -v;
  return record(op, {s.g}, {Arg::of(back.span()), Arg::of(0)});
}

// Which element of a dimension of `size` stands `i` places after its first.
int64_t reflected(int64_t i, int64_t size) {
  const int64_t period = std::max<int64_t>(2 * (size - 1), 1);
  const int64_t j = (i % period + period) % period;
  return j < size ? j : period - j;
}

int64_t source_of(std::string_view mode, int64_t i, int64_t size, Margins m) {
  if (mode == "reflect") return reflected(i, size);
  if (mode == "replicate") return std::clamp<int64_t>(i, 0, size - 1);
  // What a negative margin cuts off takes no part in the circle.
  const int64_t start = std::max<int64_t>(-m.before, 0);
  const int64_t length = size - start - std::max<int64_t>(-m.after, 0);
  return start + ((i - start) % length + length) % length;
}

Value padded_along(const Value& a, int dim, Margins m, std::string_view mode) {
  const int64_t size = a->size(dim), total = checked(Wide{size} + m.before + m.after);
  const LayoutRef list = contiguous(Dims{total});
  BufferRef buffer = allocate(total * sizeof(int64_t));
  auto* to = reinterpret_cast<int64_t*>(buffer->data);
  for (int64_t i = 0; i < total; ++i) to[i] = source_of(mode, i - m.before, size, m);
  static const Op& op = op_named("computed");
  return index_select(a, dim, from_buffer(op, std::move(buffer), DType::int64, list.get()));
}

Values body_pad_from_self(Call& c) {
  const auto pad = c[1].as_ints();
  const std::string_view mode(c[2].text_p, c[2].n);
  const Value whole = mode == "circular" ? c.tensor(0) : linear_in(c.tensor(0));
  Value a = whole;
  for (int i = 0; i < a->ndim(); ++i) {
    const Margins m = margins(pad, i, a->ndim());
    if (m.before || m.after) a = padded_along(a, i, m, mode);
  }
  return {a.get() == whole.get() ? contiguous_copy(a) : a};
}

constexpr Op kOps[] = {
    {.name = "constant_pad_nd",
     .signature = "(Tensor input, int[] pad, Number value=0) -> Tensor",
     .doc = "A margin of one value, wide as pad says from the last dimension on.",
     .example = "constant_pad_nd(ones(2), (1, 1), 5)",
     .infer = infer_constant_pad,
     .kernel = run_constant_pad,
     .grad = {GRAD(constant_pad_gradient(s))},
     .lift = lift_rows,
     .method = false,
     .out = false},
    {.name = "_pad_from_self",
     .signature = "(Tensor input, int[] pad, str mode) -> Tensor",
     .doc = "A margin of the tensor's own elements: reflect, replicate or circular.",
     .body = body_pad_from_self,
     .method = false,
     .out = false},
};

}  // namespace

std::span<const Op> pad_ops() { return kOps; }

}  // namespace wend
