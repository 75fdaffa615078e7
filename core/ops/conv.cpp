// ops/conv.cpp: convolutions, transposed ones, and the windows of images as columns. One product of
// three tensors, image, weight and result, of which any follows from the other two: each of its
// three forms is the gradient of the others. The loops are kernels/conv.
#include "kernels/conv.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include "base/checked.hpp"
#include "ops/batching.hpp"
#include "ops/families.hpp"
#include "ops/functions.hpp"
#include "ops/windows.hpp"

namespace wend {
namespace {

// The three forms, by what they give. Inputs: image and weight; result and weight; result and
// image. The first two may have a third, the bias. Attributes: stride, padding before the image,
// dilation, groups, and the sizes of what they give, which also say how much padding is behind the
// image.
enum class Form { result, image, weight };

constexpr int kGroups = 3, kSizes = 4;

template <Form form>
void infer_form(Infer& s) {
  const Dims sizes(s.attrs[kSizes].as_ints());
  s.dtype = s.in[0]->dtype;
  const Layout &a = *s.in[0]->layout, &b = *s.in[1]->layout;
  s.layout =
      form == Form::weight ? contiguous(sizes) : like_format(is_channels_last(a) ? a : b, sizes);
}

Windows windows_of(const Node& node, std::span<const int64_t> image, std::span<const int64_t> taps,
                   std::span<const int64_t> places) {
  Windows w;
  spread(image.subspan(2), 1, w.image);
  spread(taps, 1, w.taps);
  spread(places.subspan(2), 1, w.places);
  spread(node.attr(0).as_ints(), 1, w.stride);
  spread(node.attr(1).as_ints(), 0, w.padding);
  spread(node.attr(2).as_ints(), 1, w.dilation);
  return w;
}

template <class T>
Images<T> images(T* data, const Layout& layout) {
  Images<T> out{data, layout.stride(0), layout.stride(1), {}};
  int64_t sizes[3];
  spread(layout.sizes().subspan(2), 1, sizes);
  spread(layout.strides().subspan(2), 0, out.pixel);
  int64_t next = 1;
  for (int i = 0; i < 3; ++i)
    if (sizes[i] != 1) next = out.pixel[i];
  for (int i = 2; i >= 0; --i) {
    if (sizes[i] == 1) out.pixel[i] = next;
    next = out.pixel[i] * sizes[i];
  }
  return out;
}

bool places_in_a_row(const Node& node) {
  int64_t sizes[3];
  spread(node.sizes().subspan(2), 1, sizes);
  return images<char>(nullptr, *node.layout).in_a_row(sizes);
}

template <Form form, class T>
void run_as(const Run& s) {
  const As<T> a(s.in(0), form != Form::result && !places_in_a_row(s.in(0)));
  const As<T> b(s.in(1), form != Form::weight && !s.in(1).layout->contiguous);
  const Result<T> out(s.node);
  const Node& image = form == Form::image ? s.node : s.in(form == Form::result ? 0 : 1);
  const Node& weight = form == Form::weight ? s.node : s.in(1);
  const Node& result = form == Form::result ? s.node : s.in(0);
  Convolution<T> c{};
  c.windows = windows_of(s.node, image.sizes(), weight.sizes().subspan(2), result.sizes());
  c.groups = s.attr(kGroups).as_int();
  c.images = image.size(0);
  c.inputs = weight.size(1);
  c.outputs = weight.size(0) / c.groups;
  c.y = form == Form::result ? images(out.data, *s.node.layout) : images(a.data, *a.layout);
  c.x = form == Form::image    ? images(out.data, *s.node.layout)
        : form == Form::result ? images(a.data, *a.layout)
                               : images(b.data, *b.layout);
  c.w = form == Form::weight ? out.data : b.data;
  if constexpr (form == Form::weight) {
    convolve_to_weight(c);
  } else if (s.node.n_inputs > 2) {
    const As<T> bias(s.in(2), !s.in(2).layout->contiguous);
    form == Form::result ? convolve<T>(c, bias.data) : convolve_to_input<T>(c, bias.data);
  } else {
    form == Form::result ? convolve<T>(c, nullptr) : convolve_to_input<T>(c, nullptr);
  }
  out.finish();
}

template <Form form>
void run_form(Run& s) {
  if (s.node.numel() == 0) return;
  if (s.node.dtype == DType::float64) return run_as<form, double>(s);
  if (is_floating(s.node.dtype)) return run_as<form, float>(s);
  run_as<form, uint64_t>(s);
}

// Multiplications, by the weight that is used for every place of the result.
template <Form form>
double work_of_form(const Node& node) {
  const Node& weight = form == Form::weight ? node : *node.inputs[1];
  const Node& result = form == Form::result ? node : *node.inputs[0];
  const auto channels = static_cast<double>(std::max<int64_t>(result.size(1), 1));
  return static_cast<double>(result.numel()) * static_cast<double>(weight.numel()) / channels *
         0.03;
}

Value form_of(const char* name, const Value& a, const Value& b, const Node& like,
              const Node& sizes) {
  return record(
      op_named(std::string_view(name)), {a, b},
      {like.attr(0), like.attr(1), like.attr(2), like.attr(kGroups), Arg::of(sizes.sizes())});
}
Value result_of(const Value& image, const Value& weight, const GradCall& s, int sizes_of) {
  return form_of("convolution_result", image, weight, s.node(), *s.in(sizes_of));
}
Value image_of(const Value& result, const Value& weight, const GradCall& s, int sizes_of) {
  return form_of("convolution_image", result, weight, s.node(), *s.in(sizes_of));
}
Value weight_of(const Value& result, const Value& image, const GradCall& s, int sizes_of) {
  return form_of("convolution_weight", result, image, s.node(), *s.in(sizes_of));
}
Value bias_gradient(const Value& g) {
  Dims others;
  for (int i = 0; i < g->ndim(); ++i)
    if (i != 1) others.push(i);
  return sum(g, others, false);
}

// Members that share weight and bias are more images of one batch.
Value lift_form(const Lift& s) {
  if (s.is_shared(0) || !s.is_shared(1) || (s.in.size() > 2 && !s.is_shared(2))) return nullptr;
  const auto joined = [&](std::span<const int64_t> sizes) {
    Dims all(sizes);
    all[0] *= s.n();
    return all;
  };
  Values in(s.in.begin(), s.in.end());
  in[0] = reshape(in[0], joined(s.like.inputs[0]->sizes()));
  const Dims sizes = joined(s.like.sizes());
  const Arg attrs[] = {s.like.attr(0), s.like.attr(1), s.like.attr(2), s.like.attr(kGroups),
                       Arg::of(sizes.span())};
  return reshape(record(*s.like.op, in, attrs), s.with_n(s.like.sizes()));
}

// "(4 x 4)"
std::string crossed(std::span<const int64_t> sizes) {
  std::string text = "(";
  for (size_t i = 0; i < sizes.size(); ++i) text += (i ? " x " : "") + std::to_string(sizes[i]);
  return text + ")";
}

// What a call says, one number for each dimension of space.
struct Geometry {
  int n;
  bool transposed;
  Dims stride, padding, dilation, output_padding;
  int64_t groups;
};

Dims expanded(const Arg& arg, int n) {
  Dims list = arg.kind == Arg::integer ? Dims{arg.as_int()} : Dims(arg.as_ints());
  if (list.n == 1)
    while (list.n < n) list.push(list[0]);
  return list;
}

void check_length(const Dims& list, const char* name, int n) {
  if (list.n != n)
    fail(ErrorKind::runtime, "expected ", name, " to be a single integer value or a list of ", n,
         " values to match the convolution dimensions, but got ", name, "=", show(list));
}

bool any_below(const Dims& list, int64_t least) {
  return std::ranges::any_of(list, [&](int64_t v) { return v < least; });
}

void check_geometry(const Geometry& g, const Node& weight) {
  const int n = weight.ndim() - 2;
  if (n <= 0) fail(ErrorKind::runtime, "weight should have at least three dimensions");
  check_length(g.stride, "stride", n);
  check_length(g.padding, "padding", n);
  check_length(g.dilation, "dilation", n);
  check_length(g.output_padding, "output_padding", n);
  if (any_below(g.padding, 0)) fail(ErrorKind::runtime, "negative padding is not supported");
  if (any_below(g.output_padding, 0))
    fail(ErrorKind::runtime, "negative output_padding is not supported");
  if (any_below(g.stride, 1)) fail(ErrorKind::runtime, "non-positive stride is not supported");
  if (g.groups <= 0) fail(ErrorKind::runtime, "non-positive groups is not supported");
}

void check_channels(const Geometry& g, const Node& input, const Node& weight, const Node* bias) {
  const std::string sizes = show(weight.sizes());
  if (weight.size(0) < g.groups)
    fail(ErrorKind::runtime, "Given groups=", g.groups, ", expected weight to be at least ",
         g.groups, " at dimension 0, but got weight of size ", sizes, " instead");
  if (weight.size(0) % g.groups)
    fail(ErrorKind::runtime, "Given groups=", g.groups, ", expected weight to be divisible by ",
         g.groups, " at dimension 0, but got weight of size [", sizes, "] instead");
  const int64_t channels = g.transposed ? weight.size(0) : weight.size(1) * g.groups;
  const std::string given = g.transposed
                                ? join("Given transposed=1, weight of size ", sizes)
                                : join("Given groups=", g.groups, ", weight of size ", sizes);
  if (input.size(1) != channels)
    fail(ErrorKind::runtime, given, ", expected input", show(input.sizes()), " to have ", channels,
         " channels, but got ", input.size(1), " channels instead");
  const int64_t outputs = g.transposed ? weight.size(1) * g.groups : weight.size(0);
  if (bias && (bias->ndim() != 1 || bias->size(0) != outputs))
    fail(ErrorKind::runtime, g.transposed ? given : join("Given weight of size ", sizes),
         ", expected bias to be 1-dimensional with ", outputs, " elements, but got bias of size ",
         show(bias->sizes()), " instead");
}

// The size of the kernel with its gaps.
Wide reach_of(const Geometry& g, const Node& weight, int i) {
  return Wide{g.dilation[i]} * (weight.size(i + 2) - 1) + 1;
}

// Where the image with its padding is smaller than the kernel with its gaps.
void check_fits(const Geometry& g, const Node& input, const Node& weight) {
  Dims padded, kernel;
  bool fits = true;
  for (int i = 0; i < g.n; ++i) {
    padded.push(checked(input.size(i + 2) + 2 * Wide{g.padding[i]}));
    kernel.push(checked(reach_of(g, weight, i)));
    fits = fits && padded[i] >= kernel[i];
  }
  if (!fits)
    fail(ErrorKind::runtime, "Calculated padded input size per channel: ", crossed(padded.span()),
         ". Kernel size: ", crossed(kernel.span()),
         ". Kernel size can't be greater than actual input size");
}

void check_not_empty(const Geometry& g, const Node& input, const Node& weight) {
  for (int i = 0; i < g.n; ++i)
    if (input.size(i + 2) == 0)
      fail(ErrorKind::runtime,
           "Only zero batch or zero channel inputs are supported, but got input shape: ",
           show(input.sizes()));
  for (int i = 0; i < g.n; ++i)
    if (weight.size(i + 2) == 0)
      fail(ErrorKind::runtime, "kernel size should be greater than zero, but got kernel_height: ",
           g.n > 1 ? weight.size(g.n) : 1, " kernel_width: ", weight.size(g.n + 1));
}

void check_output_padding(const Geometry& g) {
  bool fits = true;
  std::string padding, stride, dilation;
  for (int i = g.n > 1 ? 0 : -1; i < g.n; ++i) {
    constexpr const char* kNames[] = {"_width: ", "_height: ", "_depth: "};
    const char* name = kNames[g.n - 1 - i];
    const int64_t p = i < 0 ? 0 : g.output_padding[i], s = i < 0 ? 1 : g.stride[i],
                  d = i < 0 ? 1 : g.dilation[i];
    fits = fits && (p < s || p < d);
    padding += join(" output_padding", name, p);
    stride += join(" stride", name, s);
    dilation += join(" dilation", name, d);
  }
  if (!fits)
    fail(ErrorKind::runtime,
         "output padding must be smaller than either stride or dilation, but got", padding, stride,
         dilation);
}

// Sizes of the result of a convolution, or of the image that a transposed one gives.
Dims sizes_of_output(const Geometry& g, const Node& input, const Node& weight, bool same) {
  if (!g.transposed) {
    // Images without channels have none afterwards either.
    Dims sizes{input.size(0), input.size(1) ? weight.size(0) : 0};
    for (int i = 0; i < g.n; ++i) {
      const Wide room = input.size(i + 2) + 2 * Wide{g.padding[i]} - reach_of(g, weight, i);
      sizes.push(same ? input.size(i + 2) : checked(room / g.stride[i] + 1));
    }
    return sizes;
  }
  Dims sizes{input.size(0), checked_mul(weight.size(1), g.groups)}, from, to;
  for (int i = 0; i < g.n; ++i) {
    from.push(input.size(i + 2));
    to.push(checked(Wide{from[i] - 1} * g.stride[i] - 2 * Wide{g.padding[i]} +
                    reach_of(g, weight, i) + g.output_padding[i]));
    sizes.push(to[i]);
  }
  if (any_below(to, 1))
    fail(ErrorKind::runtime, "Given input size per channel: ", crossed(from.span()),
         ". Calculated output size per channel: ", crossed(to.span()),
         ". Output size is too small");
  return sizes;
}

// What PyTorch finds out when it computes, and so not of an empty batch.
void check_computable(const Geometry& g, const Node& input, const Node& weight) {
  if (any_below(g.dilation, 1))
    fail(ErrorKind::runtime, "dilation should be greater than zero, but got ", show(g.dilation));
  if (input.dtype != weight.dtype)
    fail(ErrorKind::runtime, "expected scalar type ", scalar_type_name(input.dtype), " but found ",
         scalar_type_name(weight.dtype));
  if (input.dtype == DType::bool_) not_for("slow_conv2d_cpu", input.dtype);
}

// Padding that leaves the size as it is; what is odd about it goes behind.
void pad_to_same(Geometry& g, const Node& weight) {
  for (int i = 0; i < g.stride.n; ++i)
    if (g.stride[i] != 1)
      fail(ErrorKind::runtime, "padding='same' is not supported for strided convolutions");
  g.padding = Dims{};
  for (int i = 0; i < g.n; ++i) g.padding.push(checked((reach_of(g, weight, i) - 1) / 2));
}

Value convolved(Geometry& g, Value input, const Value& weight, const Value& bias, bool same) {
  check_geometry(g, *weight);
  const bool alone = input->ndim() == g.n + 1;
  if (alone) input = unsqueeze(input, 0);
  check_channels(g, *input, *weight, bias.get());
  if (!g.transposed && !same) check_fits(g, *input, *weight);
  check_not_empty(g, *input, *weight);
  if (g.transposed) check_output_padding(g);
  const Dims sizes = sizes_of_output(g, *input, *weight, same);
  if (input->numel() > 0)
    check_computable(g, *input, *weight);
  else if (!can_cast(weight->dtype, input->dtype))
    input = cast(input, weight->dtype);
  const char* name = g.transposed ? "convolution_image" : "convolution_result";
  const Arg attrs[] = {Arg::of(g.stride.span()), Arg::of(g.padding.span()),
                       Arg::of(g.dilation.span()), Arg::of(g.groups), Arg::of(sizes.span())};
  Value in[] = {input, weight, bias};
  const Value out = record(op_named(std::string_view(name)), std::span(in, bias ? 3 : 2), attrs);
  const int64_t first[] = {0};
  return alone ? squeeze(out, first) : out;
}

void check_call(const Call& c, int n, const Node& input, const Node* bias) {
  if (bias && bias->dtype != input.dtype)
    fail(ErrorKind::runtime, "Input type (", cpp_name(input.dtype), ") and bias type (",
         cpp_name(bias->dtype), ") should be the same");
  if (input.ndim() != n + 1 && input.ndim() != n + 2)
    fail(ErrorKind::runtime, "Expected ", n + 1, "D (unbatched) or ", n + 2,
         "D (batched) input to ", c.op.name, ", but got input of size: ", show(input.sizes()));
}

template <int n>
Values body_conv(Call& c) {
  const Value input = c.tensor(0), weight = c.tensor(1), bias = c.tensor(2);
  check_call(c, n, *input, bias.get());
  const bool named = c[4].kind == Arg::text;
  Geometry g{
      n, false, expanded(c[3], n), {}, expanded(c[5], n), expanded(Arg::of(0), n), c[6].as_int()};
  if (!named) {
    g.padding = expanded(c[4], n);
    return {convolved(g, input, weight, bias, false)};
  }
  const std::string_view padding(c[4].text_p, c[4].n);
  const bool same = padding == "same";
  if (!same && padding != "valid")
    fail(ErrorKind::runtime, "Invalid padding string: '", padding, "'");
  g.padding = expanded(Arg::of(0), n);
  if (same && weight->ndim() == n + 2 && g.dilation.n == n) pad_to_same(g, *weight);
  return {convolved(g, input, weight, bias, same)};
}

template <int n>
Values body_conv_transpose(Call& c) {
  const Value input = c.tensor(0), bias = c.tensor(2);
  check_call(c, n, *input, bias.get());
  Geometry g{n,
             true,
             expanded(c[3], n),
             expanded(c[4], n),
             expanded(c[7], n),
             expanded(c[5], n),
             c[6].as_int()};
  return {convolved(g, input, c.tensor(1), bias, false)};
}

#define CONV                                                                                    \
  "(Tensor input, Tensor weight, Tensor? bias=None, int[1] stride=1, int[1] padding=0, int[1] " \
  "dilation=1, int groups=1) -> Tensor"
#define CONV_NAMED                                                                        \
  "(Tensor input, Tensor weight, Tensor? bias=None, int[1] stride=1, str padding='valid'" \
  ", int[1] dilation=1, int groups=1) -> Tensor"
#define CONV_TRANSPOSE                                                                          \
  "(Tensor input, Tensor weight, Tensor? bias=None, int[1] stride=1, int[1] padding=0, int[1] " \
  "output_padding=0, int groups=1, int[1] dilation=1) -> Tensor"

constexpr Op entry(const char* name, const char* signature, const char* doc, const char* example,
                   Values (*body)(Call&)) {
  return {.name = name,
          .signature = signature,
          .doc = doc,
          .example = example,
          .body = body,
          .method = false,
          .out = false};
}

constexpr Op kOps[] = {
    {.name = "convolution_result",
     .doc = "Every window of the images times the weight.",
     .infer = infer_form<Form::result>,
     .kernel = run_form<Form::result>,
     .grad = {GRAD(image_of(g, b, s, 0)), GRAD(weight_of(g, a, s, 1)), GRAD(bias_gradient(g))},
     .lift = lift_form,
     .weights = 0b110,
     .grad_name = "ConvolutionBackward0",
     .work = work_of_form<Form::result>,
     .hidden = true},
    {.name = "convolution_image",
     .doc = "The images to whose windows each place of the result adds its share of the weight.",
     .infer = infer_form<Form::image>,
     .kernel = run_form<Form::image>,
     .grad = {GRAD(result_of(g, b, s, 0)), GRAD(weight_of(a, g, s, 1)), GRAD(bias_gradient(g))},
     .lift = lift_form,
     .weights = 0b110,
     .grad_name = "ConvolutionBackward0",
     .work = work_of_form<Form::image>,
     .hidden = true},
    {.name = "convolution_weight",
     .doc = "The products of result and windows, added up over images and places.",
     .infer = infer_form<Form::weight>,
     .kernel = run_form<Form::weight>,
     .grad = {GRAD(result_of(b, g, s, 0)), GRAD(image_of(a, g, s, 1))},
     .grad_name = "ConvolutionBackwardBackward0",
     .work = work_of_form<Form::weight>,
     .hidden = true},
    entry("conv1d", CONV, "Convolution of (N, C, L) or (C, L) with weight (O, C / groups, K).",
          "conv1d(ones(1, 1, 4), ones(1, 1, 2))", body_conv<1>),
    entry("conv1d", CONV_NAMED, "", "", body_conv<1>),
    entry("conv2d", CONV,
          "Convolution of (N, C, H, W) or (C, H, W) with weight (O, C / groups, "
          "KH, KW).",
          "conv2d(ones(1, 1, 2, 3), ones(1, 1, 2, 2))", body_conv<2>),
    entry("conv2d", CONV_NAMED, "", "", body_conv<2>),
    entry("conv3d", CONV,
          "Convolution of (N, C, D, H, W) or (C, D, H, W) with weight (O, C / "
          "groups, KD, KH, KW).",
          "conv3d(ones(1, 2, 2, 2), ones(1, 1, 2, 2, 2))", body_conv<3>),
    entry("conv3d", CONV_NAMED, "", "", body_conv<3>),
    entry("conv_transpose1d", CONV_TRANSPOSE,
          "Transposed convolution of (N, C, L) or (C, L) with weight (C, O / groups, K).",
          "conv_transpose1d(ones(1, 1, 2), ones(1, 1, 2))", body_conv_transpose<1>),
    entry(
        "conv_transpose2d", CONV_TRANSPOSE,
        "Transposed convolution of (N, C, H, W) or (C, H, W) with weight (C, O / groups, KH, KW).",
        "conv_transpose2d(ones(1, 1, 1, 2), ones(1, 1, 1, 2))", body_conv_transpose<2>),
    entry(
        "conv_transpose3d", CONV_TRANSPOSE,
        "Transposed convolution of (N, C, D, H, W) or (C, D, H, W) with weight (C, O / groups, KD, "
        "KH, KW).",
        "conv_transpose3d(ones(1, 1, 1, 2), ones(1, 1, 1, 1, 2))", body_conv_transpose<3>),
};

}  // namespace

std::span<const Op> conv_ops() { return kOps; }

}  // namespace wend
