// ops/fold.cpp: the windows of images as columns, and columns added up to images. Each is the
// gradient of the other. The loops are kernels/conv.
#include <algorithm>
#include <string>

#include "base/checked.hpp"
#include "kernels/conv.hpp"
#include "ops/batching.hpp"
#include "ops/families.hpp"
#include "ops/functions.hpp"
#include "ops/windows.hpp"

namespace wend {
namespace {

// Attributes of both: kernel, dilation, padding, stride, and the sizes of the image, two each.
// Images may have anything in front of their channels.
enum Attr : int { kKernel, kDilation, kPadding, kStride, kImage };

struct Geometry {
  Dims kernel, dilation, padding, stride, image;

  int64_t places(int i) const {
    const Wide room = image[i] + 2 * Wide{padding[i]} - Wide{dilation[i]} * (kernel[i] - 1) - 1;
    return checked(floor_div(room, stride[i]) + 1);
  }
};

Geometry geometry_of(std::span<const Arg> attrs) {
  const auto list = [&](int i) { return Dims(attrs[i].as_ints()); };
  return {list(kKernel), list(kDilation), list(kPadding), list(kStride), list(kImage)};
}

void infer_columns(Infer& s) {
  const Geometry g = geometry_of(s.attrs);
  if (!s.in[0]->layout->contiguous) s.in[0] = contiguous_copy(s.in[0]);
  const Node& in = *s.in[0];
  Dims sizes(in.sizes().first(in.ndim() - 3));
  sizes.push(checked_product(Dims{in.size(in.ndim() - 3), g.kernel[0], g.kernel[1]}.span()));
  sizes.push(checked_mul(g.places(0), g.places(1)));
  s.dtype = in.dtype;
  s.layout = contiguous(sizes);
}

void infer_image(Infer& s) {
  const Geometry g = geometry_of(s.attrs);
  if (!s.in[0]->layout->contiguous) s.in[0] = contiguous_copy(s.in[0]);
  const Node& in = *s.in[0];
  Dims sizes(in.sizes().first(in.ndim() - 2));
  sizes.push(in.size(in.ndim() - 2) / (g.kernel[0] * g.kernel[1]));
  sizes.push(g.image[0]);
  sizes.push(g.image[1]);
  s.dtype = in.dtype;
  s.layout = contiguous(sizes);
}

template <bool to_columns, class T>
void run_as(const Run& s) {
  const Geometry g = geometry_of(s.node.attrs->span());
  Windows w;
  const int64_t places[] = {g.places(0), g.places(1)};
  spread(g.image.span(), 1, w.image);
  spread(g.kernel.span(), 1, w.taps);
  spread(places, 1, w.places);
  spread(g.stride.span(), 1, w.stride);
  spread(g.padding.span(), 0, w.padding);
  spread(g.dilation.span(), 1, w.dilation);
  const As<T> in(s.in(0), false);
  const Result<T> out(s.node);
  const int64_t size = w.pixels();
  const Images<T> images{to_columns ? in.data : out.data, size, size, {size, w.image[2], 1}};
  const int64_t planes = (to_columns ? s.in(0) : s.node).numel() / size;
  if constexpr (to_columns)
    image_to_columns(w, planes, 1, images, out.data);
  else
    columns_to_image(w, planes, 1, images, in.data);
  out.finish();
}

template <bool to_columns>
void run_fold(Run& s) {
  if (s.node.numel() == 0) return;
  if (s.node.dtype == DType::float64) return run_as<to_columns, double>(s);
  if (is_floating(s.node.dtype)) return run_as<to_columns, float>(s);
  run_as<to_columns, uint64_t>(s);
}

Value other_way(const GradCall& s, const char* name) {
  return record(op_named(std::string_view(name)), {s.g},
                {s.attr(0), s.attr(1), s.attr(2), s.attr(3), s.attr(4)});
}

Dims pair_of(const Arg& arg, const char* name) {
  Dims list = arg.kind == Arg::integer ? Dims{arg.as_int()} : Dims(arg.as_ints());
  if (list.n == 1) list.push(list[0]);
  if (list.n != 2)
    fail(ErrorKind::runtime, "It is expected ", name, " equals to 2, but got size ", list.n);
  return list;
}

void check_numbers(const Geometry& g) {
  const auto check = [](const Dims& list, int64_t least, const char* text, const char* name) {
    if (list[0] >= least && list[1] >= least) return;
    fail(ErrorKind::runtime, text, ", but got ", name, "_height: ", list[0], " ", name,
         "_width: ", list[1]);
  };
  check(g.kernel, 1, "kernel size should be greater than zero", "kernel");
  check(g.dilation, 1, "dilation should be greater than zero", "dilation");
  check(g.padding, 0, "padding should be non-negative", "pad");
  check(g.stride, 1, "stride should be greater than zero", "stride");
}

// True iff nothing but the number of images, where there is one, is 0.
bool filled(const Node& input, int ndim) {
  if (input.ndim() != ndim && input.ndim() != ndim + 1) return false;
  return std::ranges::all_of(input.sizes().subspan(input.ndim() == ndim ? 0 : 1),
                             [](int64_t size) { return size > 0; });
}

std::string pair_text(const Dims& list) { return join("(", list[0], ", ", list[1], ")"); }

void check_dtype(const char* kernel, DType dtype) {
  if (!is_floating(dtype) && dtype != DType::bool_) not_for(kernel, dtype);
}

Value folded(const char* name, const Value& input, const Geometry& g) {
  return record(op_named(std::string_view(name)), {input},
                {Arg::of(g.kernel.span()), Arg::of(g.dilation.span()), Arg::of(g.padding.span()),
                 Arg::of(g.stride.span()), Arg::of(g.image.span())});
}

Values body_im2col(Call& c) {
  const Value input = c.tensor(0);
  Geometry g{pair_of(c[1], "kernel_size"),
             pair_of(c[2], "dilation"),
             pair_of(c[3], "padding"),
             pair_of(c[4], "stride"),
             {}};
  check_numbers(g);
  if (input->ndim() < 3) wrap_dim(2, input->ndim());
  if (!filled(*input, 3))
    fail(ErrorKind::runtime,
         "Expected 3D or 4D (batch mode) tensor with possibly 0 batch size and other non-zero "
         "dimensions for input, but got: ",
         show(input->sizes()));
  g.image = Dims(input->sizes().last(2));
  if (g.places(0) < 1 || g.places(1) < 1)
    fail(ErrorKind::runtime, "Given input with spatial size ", pair_text(g.image),
         ", kernel_size=", pair_text(g.kernel), ", dilation=", pair_text(g.dilation),
         ", padding=", pair_text(g.padding),
         ", calculated shape of the array of sliding blocks as ",
         pair_text(Dims{g.places(0), g.places(1)}), ", but its components must be at least one.");
  check_dtype("im2col_out_cpu", input->dtype);
  return {folded("windows_to_columns", input, g)};
}

Values body_col2im(Call& c) {
  const Value input = c.tensor(0);
  Geometry g{pair_of(c[2], "kernel_size"), pair_of(c[3], "dilation"), pair_of(c[4], "padding"),
             pair_of(c[5], "stride"), pair_of(c[1], "output_size")};
  check_numbers(g);
  if (!filled(*input, 2))
    fail(ErrorKind::runtime,
         "Expected 2D or 3D (batch mode) tensor for input with possibly 0 batch size and non-zero "
         "dimensions for input, but got: ",
         show(input->sizes()));
  const int rows = input->ndim() - 2;
  if (input->size(rows) % clamped_mul(g.kernel[0], g.kernel[1]))
    fail(ErrorKind::runtime,
         "Expected size of input's dimension 1 to be divisible by the product of kernel_size, but "
         "got input.size(1)=",
         input->size(rows), " and kernel_size=", pair_text(g.kernel), ".");
  const int64_t high = g.places(0), wide = g.places(1), columns = input->size(rows + 1);
  if (clamped_mul(high, wide) != columns || high < 1)
    fail(ErrorKind::runtime, "Given output_size=", pair_text(g.image),
         ", kernel_size=", pair_text(g.kernel), ", dilation=", pair_text(g.dilation),
         ", padding=", pair_text(g.padding), ", stride=", pair_text(g.stride),
         ", expected size of input's dimension 2 to match the calculated number of sliding blocks ",
         high, " * ", wide, " = ", clamped_mul(high, wide), ", but got input.size(2)=", columns,
         ".");
  check_dtype("col2im_out_cpu", input->dtype);
  return {folded("columns_to_image", input, g)};
}

constexpr Op kOps[] = {
    {.name = "windows_to_columns",
     .doc = "The windows of images as columns.",
     .infer = infer_columns,
     .kernel = run_fold<true>,
     .grad = {GRAD(other_way(s, "columns_to_image"))},
     .lift = lift_as_is,
     .grad_name = "Im2ColBackward0",
     .hidden = true},
    {.name = "columns_to_image",
     .doc = "Columns of windows, added up to images.",
     .infer = infer_image,
     .kernel = run_fold<false>,
     .grad = {GRAD(other_way(s, "windows_to_columns"))},
     .lift = lift_as_is,
     .grad_name = "Col2ImBackward0",
     .hidden = true},
    {.name = "im2col",
     .signature = "(Tensor input, int[1] kernel_size, int[1] dilation, int[1] padding, int[1] "
                  "stride) -> Tensor",
     .doc = "The windows of (N, C, H, W) or (C, H, W) as columns.",
     .example = "_C._nn.im2col(ones(1, 2, 2), 2, 1, 0, 1)",
     .body = body_im2col,
     .out = false,
     .module = "_nn"},
    {.name = "col2im",
     .signature = "(Tensor input, int[1] output_size, int[1] kernel_size, int[1] dilation, int[1] "
                  "padding, int[1] stride) -> Tensor",
     .doc = "Columns of windows added up to images of output_size.",
     .example = "_C._nn.col2im(ones(4, 1), 2, 2, 1, 0, 1)",
     .body = body_col2im,
     .out = false,
     .module = "_nn"},
};

}  // namespace

std::span<const Op> fold_ops() { return kOps; }

}  // namespace wend
