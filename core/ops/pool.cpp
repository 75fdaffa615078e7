// ops/pool.cpp: pooling over the last one to three dimensions, by fixed windows or by as many as
// asked for. A maximum is found as places; values and gradients follow from those. The loops are
// kernels/pool and kernels/index.
#include "kernels/pool.hpp"

#include <algorithm>
#include <cstring>
#include <functional>
#include <limits>
#include <string>
#include <string_view>

#include "base/checked.hpp"
#include "base/threads.hpp"
#include "ops/batching.hpp"
#include "ops/families.hpp"
#include "ops/functions.hpp"

namespace wend {
namespace {

// Attributes of all: kernel (none where windows are adaptive), stride, padding, dilation, sizes of
// the dimensions that are pooled afterwards and before, count_include_pad, divisor or 0.
enum Attr : int { kKernel, kStride, kPadding, kDilation, kAfter, kBefore, kCountPad, kDivisor };

struct Geometry {
  Dims kernel, stride, padding, dilation, after, before;
  bool count_pad = true;
  int64_t divisor = 0;

  int n() const { return before.n; }
};

Dims with_last(std::span<const int64_t> sizes, std::span<const int64_t> last) {
  Dims all(sizes);
  for (size_t i = 0; i < last.size(); ++i) all[all.n - static_cast<int>(last.size() - i)] = last[i];
  return all;
}

// To places and means; and back, where the result is of the sizes before.
template <Attr sizes>
void infer_pooled(Infer& s) {
  const Node& in = *s.in[0];
  s.dtype = in.dtype;
  s.layout = like_format(*in.layout, with_last(in.sizes(), s.attrs[sizes].as_ints()));
}
void infer_places(Infer& s) {
  infer_pooled<kAfter>(s);
  s.dtype = DType::int64;
}

std::vector<Range> adaptive_ranges(int64_t size, int64_t n) {
  std::vector<Range> ranges(static_cast<size_t>(n));
  for (int64_t i = 0; i < n; ++i) {
    const int64_t begin = i * size / n, end = ((i + 1) * size + n - 1) / n;
    ranges[i] = {begin, end, end - begin};
  }
  return ranges;
}

// A window that begins beside the plane begins at its first tap that is on it.
std::vector<Range> fixed_ranges(const Node& node, int d, int64_t size, int64_t n) {
  const auto at = [&](int attr) { return node.attr(attr).as_ints()[d]; };
  const int64_t kernel = at(kKernel), padding = at(kPadding), step = at(kDilation);
  const bool count_pad = node.attr(kCountPad).as_bool();
  std::vector<Range> ranges(static_cast<size_t>(n));
  for (int64_t i = 0; i < n; ++i) {
    const Wide first = Wide{i} * at(kStride) - padding;
    const int64_t begin = clamped(first < 0 ? first + (-first + step - 1) / step * step : first);
    const int64_t end = clamped(std::min<Wide>(first + Wide{kernel - 1} * step + 1, size));
    const Wide counted = std::min<Wide>(first + kernel, Wide{size} + padding) - first;
    ranges[i] = {begin, end, count_pad ? clamped(counted) : end - begin};
  }
  return ranges;
}

Pooling pooling_of(const Node& node) {
  const auto before = node.attr(kBefore).as_ints(), after = node.attr(kAfter).as_ints();
  const int n = static_cast<int>(before.size());
  const bool adaptive = node.attr(kKernel).n == 0;
  Pooling p;
  for (int i = 0; i < 3; ++i) {
    const int d = i - (3 - n);
    p.plane[i] = d < 0 ? 1 : before[d];
    p.step[i] = d < 0 || adaptive ? 1 : node.attr(kDilation).as_ints()[d];
    p.ranges[i] = d < 0      ? std::vector<Range>{{0, 1, 1}}
                  : adaptive ? adaptive_ranges(before[d], after[d])
                             : fixed_ranges(node, d, before[d], after[d]);
  }
  p.divisor = node.attr(kDivisor).as_int();
  return p;
}

Planes planes_of(const Node& node, int n) {
  const auto front = static_cast<size_t>(node.ndim() - n);
  Planes p{node.data(), node.sizes().first(front), node.strides().first(front), {}};
  for (int i = 0; i < 3; ++i) {
    const int d = i - (3 - n);
    p.inner[i] = d < 0 ? 0 : node.layout->stride(static_cast<int>(front) + d);
  }
  return p;
}

int pooled_dims(const Node& node) { return static_cast<int>(node.attr(kBefore).n); }

template <void (*loop)(const Pooling&, DType, const Planes&, const Planes&)>
void run_pooled(Run& s) {
  if (s.node.numel() == 0) return;
  const int n = pooled_dims(s.node);
  loop(pooling_of(s.node), s.in(0).dtype, planes_of(s.in(0), n), planes_of(s.node, n));
}

double work_of_pooling(const Node& node) {
  double taps = 1;
  for (const int64_t k : node.attr(kKernel).as_ints()) taps *= static_cast<double>(k);
  return std::max(static_cast<double>(node.numel()) * taps,
                  static_cast<double>(node.inputs[0]->numel()));
}

// Attribute: how many of the last dimensions are a plane. Places count in row-major order.
Dims flattened(const Node& node, int64_t n) {
  Dims sizes(node.sizes().first(node.ndim() - n));
  sizes.push(count(node.sizes().subspan(node.ndim() - n)));
  return sizes;
}

void infer_values(Infer& s) {
  s.dtype = s.in[0]->dtype;
  s.layout = LayoutRef(s.in[1]->layout);
}

void run_values(Run& s) {
  if (s.node.numel() == 0) return;
  const Node &in = s.in(0), &places = s.in(1);
  const int n = static_cast<int>(s.attr(0).as_int());
  const int64_t element = size_of(in.dtype);
  const Planes from = planes_of(in, n), at = planes_of(places, n), to = planes_of(s.node, n);
  Dims plane, windows;
  for (int i = 0; i < 3; ++i) {
    const int d = in.ndim() - 3 + i;
    plane.push(i < 3 - n ? 1 : in.size(d));
    windows.push(i < 3 - n ? 1 : places.size(d));
  }
  const bool in_a_row = from.inner[1] == from.inner[2] * plane[2] || n == 1;
  const bool flat = in_a_row && (n < 3 || from.inner[0] == from.inner[1] * plane[1]);
  const auto* numbers = reinterpret_cast<const int64_t*>(at.data);
  const auto offset = [&](int64_t p) {
    if (flat) return p * from.inner[2];
    return p % plane[2] * from.inner[2] + p / plane[2] % plane[1] * from.inner[1] +
           p / plane[2] / plane[1] * from.inner[0];
  };
  const int64_t each = windows[0] * windows[1] * windows[2];
  parallel_for(from.count(), std::max<int64_t>(1, 32768 / each), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const char* source = from.data + from.at(i) * element;
      char* target = to.data + to.at(i) * element;
      const int64_t* place = numbers + at.at(i);
      for (int64_t a = 0; a < windows[0]; ++a)
        for (int64_t b = 0; b < windows[1]; ++b)
          for (int64_t c = 0; c < windows[2]; ++c) {
            const int64_t p = place[a * at.inner[0] + b * at.inner[1] + c * at.inner[2]];
            std::memcpy(target + (a * to.inner[0] + b * to.inner[1] + c * to.inner[2]) * element,
                        source + offset(p) * element, element);
          }
    }
  });
}

// The gradient goes to where the value came from.
Value values_gradient(const GradCall& s, const Value& places) {
  const int64_t n = s.attr(0).as_int();
  const Node& in = *s.in(0);
  const Dims flat = flattened(in, n), rows = flattened(*places, n);
  const Value back =
      scatter_add(full(flat.span(), 0, s.g->dtype), -1, reshape(places, rows), reshape(s.g, rows));
  return reshape(back, in.sizes());
}

Value mean_gradient(const GradCall& s, const char* name) {
  return record(
      op_named(std::string_view(name)), {s.g},
      {s.attr(0), s.attr(1), s.attr(2), s.attr(3), s.attr(4), s.attr(5), s.attr(6), s.attr(7)});
}

Value lift_values(const Lift& s) {
  return s.is_shared(0) || s.is_shared(1) ? nullptr : lift_as_is(s);
}

Value pooled(const char* name, const Value& input, const Geometry& g) {
  return record(op_named(std::string_view(name)), {input},
                {Arg::of(g.kernel.span()), Arg::of(g.stride.span()), Arg::of(g.padding.span()),
                 Arg::of(g.dilation.span()), Arg::of(g.after.span()), Arg::of(g.before.span()),
                 Arg::of(g.count_pad), Arg::of(g.divisor)});
}

constexpr const char* kTuples[] = {"", "", "tuple of two ints", "tuple of three ints"};

Dims list_of(const Arg& arg, int n) {
  Dims list = arg.is_none()              ? Dims{}
              : arg.kind == Arg::integer ? Dims{arg.as_int()}
                                         : Dims(arg.as_ints());
  if (list.n == 1)
    while (list.n < n) list.push(list[0]);
  return list;
}

void check_one(const char* op, const char* name, const Dims& list, bool may_lack) {
  if (list.n == 1 || (list.n == 0 && may_lack)) return;
  const bool max = std::string_view(op).starts_with("max");
  if (!max)
    fail(ErrorKind::runtime, op, "() argument '", name, "' should contain one int (got ", list.n,
         ")");
  fail(ErrorKind::runtime, op, "() ", name, " must be ", may_lack ? "None, " : "",
       "an int, list of ints", may_lack ? "," : "", " or tuple of ints of size 1 but got size ",
       list.n);
}

void check_list(const char* op, const char* name, const Dims& list, int n, bool may_lack) {
  if (n == 1) return check_one(op, name, list, may_lack);
  if (list.n == n || (list.n == 0 && may_lack)) return;
  const std::string_view what(name);
  const bool short_text = n == 3 && what == "kernel_size" && std::string_view(op) == "avg_pool3d";
  fail(ErrorKind::runtime, op, ": ", name,
       what == "dilation" ? " must be either "
       : short_text       ? " must be "
                          : " must either be ",
       may_lack ? "omitted, " : "", "a single int, or a ", kTuples[n]);
}

int64_t size_after(int64_t size, int64_t kernel, int64_t stride, int64_t padding, int64_t dilation,
                   bool ceil) {
  const Wide room =
      size + 2 * Wide{padding} - Wide{dilation} * (kernel - 1) - 1 + (ceil ? stride - 1 : 0);
  Wide n = floor_div(room, stride) + 1;
  // The last window begins inside the plane or its padding in front.
  if (ceil && (n - 1) * stride >= Wide{size} + padding) --n;
  return clamped(n);
}

// "(1x4x4)", of the channels and the pooled sizes.
std::string crossed(int64_t channels, const Dims& sizes) {
  std::string text = join("(", channels);
  if (sizes.n == 1) text += "x1";
  for (const int64_t size : sizes) text += join("x", size);
  return text + ")";
}

void check_max1(const Geometry& g) {
  const auto check = [](bool ok, const auto&... text) {
    if (!ok) fail(ErrorKind::runtime, "max_pool1d() ", text...);
  };
  check(g.kernel[0] > 0, "kernel_size must be greater than zero, but got ", g.kernel[0]);
  check(g.stride[0] > 0, "stride must be greater than zero, but got ", g.stride[0]);
  check(g.padding[0] >= 0, "padding must be non-negative, but got ", g.padding[0]);
  check(g.padding[0] <= g.kernel[0] / 2,
        "padding should be at most half of kernel size, but got padding=", g.padding[0],
        " and kernel_size=", g.kernel[0]);
  check(g.dilation[0] > 0, "dilation must be greater than zero, but got ", g.dilation[0]);
}

void check_numbers(const Geometry& g) {
  for (int i = 0; i < g.n(); ++i)
    if (g.stride[i] == 0) fail(ErrorKind::runtime, "stride should not be zero");
  for (int i = 0; i < g.n(); ++i) {
    if (g.padding[i] < 0)
      fail(ErrorKind::runtime, "pad must be non-negative, but got pad: ", g.padding[i]);
    if (g.padding[i] > ((Wide{g.kernel[i]} - 1) * g.dilation[i] + 1) / 2)
      fail(ErrorKind::runtime,
           "pad should be at most half of effective kernel size, but got pad=", g.padding[i],
           ", kernel_size=", g.kernel[i], " and dilation=", g.dilation[i]);
  }
}

// Kernel, stride and dilation of at least 1, which PyTorch names by their dimensions.
void check_positive(const Geometry& g) {
  const auto check = [&](const Dims& list, const char* what, const char* text) {
    if (std::ranges::all_of(list, [](int64_t v) { return v > 0; })) return;
    std::string each;
    for (int i = 0; i < list.n; ++i)
      each += join(i ? " " : "", what, "THW"[3 - list.n + i], ": ", list[i]);
    fail(ErrorKind::runtime, text, " should be greater than zero, but got ", each);
  };
  check(g.kernel, "k", "kernel size");
  check(g.stride, "d", "stride");
  check(g.dilation, "dilation", "dilation");
}

// Sizes that PyTorch, which sees one dimension as two, speaks of.
std::string shown(const Node& input, int n) {
  Dims sizes(input.sizes());
  if (n == 1) sizes.insert(sizes.n - 1, 1);
  return show(sizes);
}

// All but the number of images must be there.
void check_filled(const char* op, const Node& input, int n, bool max) {
  const bool batched = input.ndim() == n + 2;
  for (int i = batched; i < input.ndim(); ++i) {
    if (input.size(i) > 0) continue;
    if (n == 3)
      fail(ErrorKind::runtime, max ? "max_pool3d_with_indices_out_cpu_template" : op,
           "(): Expected input's non-batch dimensions to have positive length, but input has a "
           "shape of ",
           show(input.sizes()), " and non-batch dimension ", i - batched, " has length zero!");
    if (n == 1 && max)
      fail(ErrorKind::runtime,
           "max_pool1d: Expected 2D or 3D (batch mode) tensor with optional 0 dim batch size for "
           "input, but got:",
           show(input.sizes()));
    fail(ErrorKind::runtime,
         "Expected 3D or 4D (batch mode) tensor with optional 0 dim batch size for input, but got:",
         shown(input, n));
  }
}

void check_rank(const char* op, const Node& input, int n, bool max) {
  if (input.ndim() == n + 1 || input.ndim() == n + 2) return;
  if (n == 1 && max)
    fail(ErrorKind::runtime,
         "max_pool1d: Expected 2D or 3D (batch mode) tensor with optional 0 dim batch size for "
         "input, but got:",
         show(input.sizes()));
  if (n == 1)
    fail(ErrorKind::runtime, "Expected 2 to 3 dimensions, but got ", input.ndim(),
         "-dimensional tensor for argument #1 'self' (while checking arguments for ", op, ")");
  if (n == 2 && !max) wrap_dim(-3, input.ndim());
  fail(ErrorKind::runtime, "non-empty ", n + 1, "D or ", n + 2,
       "D (batch mode) tensor expected for input");
}

// Of a dilated kernel the padding may not be half either.
void check_half(const Geometry& g) {
  bool fits = true;
  for (int i = 0; i < g.n(); ++i) fits &= g.padding[i] <= g.kernel[i] / 2;
  if (fits || g.n() == 1) return;
  const char* rule = "pad should be smaller than or equal to half of kernel size, but got ";
  if (g.n() == 2)
    fail(ErrorKind::runtime, rule, "padW = ", g.padding[1], ", padH = ", g.padding[0],
         ", kW = ", g.kernel[1], ", kH = ", g.kernel[0]);
  fail(ErrorKind::runtime, rule, "kT: ", g.kernel[0], " kW: ", g.kernel[2], " kH: ", g.kernel[1],
       " padT: ", g.padding[0], " padW: ", g.padding[2], " padH: ", g.padding[1]);
}

void check_outcome(const Geometry& g, const Node& input, bool max) {
  const int64_t channels = input.size(input.ndim() - g.n() - 1);
  bool fits = std::ranges::all_of(g.after, [](int64_t v) { return v > 0; });
  // PyTorch does not count the padding here.
  if (g.n() == 3 && !max) fits &= std::ranges::equal(g.before, g.kernel, std::greater_equal<>());
  if (fits) return;
  if (g.n() == 1 && max)
    fail(ErrorKind::runtime, "max_pool1d() Invalid computed output size: ", g.after[0]);
  if (g.n() == 3 && !max) {
    fail(ErrorKind::runtime, "input image (T: ", g.before[0], " H: ", g.before[1],
         " W: ", g.before[2], ") smaller than kernel size (kT: ", g.kernel[0], " kH: ", g.kernel[1],
         " kW: ", g.kernel[2], ")");
  }
  fail(ErrorKind::runtime, "Given input size: ", crossed(channels, g.before),
       ". Calculated output size: ", crossed(channels, g.after), ". Output size is too small");
}

// PyTorch counts in 32 bits, but for the maximum over one dimension.
void check_small(const Geometry& g) {
  for (const Dims* list : {&g.kernel, &g.stride, &g.padding, &g.dilation})
    for (const int64_t v : *list)
      if (v != static_cast<int32_t>(v))
        fail(ErrorKind::runtime, "value cannot be converted to type int without overflow");
}

// Of a maximum or a mean by fixed windows.
Geometry geometry_of(const char* op, const Node& input, int n, Geometry g, bool ceil, bool max) {
  check_rank(op, input, n, max);
  if (n == 1 && max) check_filled(op, input, n, max);
  g.before = Dims(input.sizes().subspan(input.ndim() - n));
  if (g.stride.n == 0) g.stride = g.kernel;
  n == 1 && max ? check_max1(g) : check_small(g);
  check_numbers(g);
  check_positive(g);
  check_filled(op, input, n, max);
  check_half(g);
  for (int i = 0; i < n; ++i)
    g.after.push(
        size_after(g.before[i], g.kernel[i], g.stride[i], g.padding[i], g.dilation[i], ceil));
  check_outcome(g, input, max);
  return g;
}

// Whether window `i` along dimension `d` lies in the padding: dilation may step over the plane.
bool is_empty(const Geometry& g, int d, int64_t i) {
  const int64_t step = g.dilation[d], first = i * g.stride[d] - g.padding[d];
  const int64_t begin = first < 0 ? first + (-first + step - 1) / step * step : first;
  return begin >= std::min(first + (g.kernel[d] - 1) * step + 1, g.before[d]);
}

// A mask of the windows that are empty; null where none is.
Value empty_windows(const Geometry& g) {
  Value empty;
  for (int d = 0; d < g.n(); ++d) {
    if (g.dilation[d] == 1) continue;
    BufferRef along = allocate(g.after[d]);
    for (int64_t i = 0; i < g.after[d]; ++i) along->data[i] = is_empty(g, d, i);
    if (!std::memchr(along->data, 1, g.after[d])) continue;
    Dims sizes(g.after);
    for (int i = 0; i < g.n(); ++i) sizes[i] = i == d ? g.after[d] : 1;
    const Value mask =
        from_buffer(op_named("computed"), std::move(along), DType::bool_, contiguous(sizes).get());
    empty = empty ? bitwise_or(empty, mask) : mask;
  }
  return empty;
}

Value lowest(DType dtype) {
  if (is_floating(dtype)) return -std::numeric_limits<double>::infinity();
  return number(is_signed(dtype) ? -largest(dtype) - 1 : int64_t{0});
}

constexpr const char* kMaxNames[] = {"", "max_pool1d", "max_pool2d", "max_pool3d"};
constexpr const char* kMaxValues[] = {"", "max_pool1d_values", "max_pool2d_values",
                                      "max_pool3d_values"};

template <int n, bool with_places>
Values body_max_pool(Call& c) {
  const Value input = c.tensor(0);
  const char* op = kMaxNames[n];
  Geometry g;
  g.kernel = list_of(c[1], n);
  g.stride = list_of(c[2], n);
  g.padding = list_of(c[3], n);
  g.dilation = list_of(c[4], n);
  if (n == 1) check_rank(op, *input, n, true);
  check_list(op, "kernel_size", g.kernel, n, false);
  check_list(op, "stride", g.stride, n, true);
  check_list(op, "padding", g.padding, n, false);
  check_list(op, "dilation", g.dilation, n, false);
  g = geometry_of(op, *input, n, g, c[5].as_bool(), true);
  if (input->dtype == DType::bool_) not_for(n == 1 ? "max_pool1d_impl" : op, input->dtype);
  if (n == 1 && !with_places && !is_floating(input->dtype))
    not_for("max_pool1d_impl", input->dtype);
  const Value places = pooled("max_pool_places", input, g), empty = empty_windows(g);
  const Value taken = empty ? masked_fill(places, empty, 0) : places;
  Value values = record(op_named(std::string_view(kMaxValues[n])), {input, taken}, {Arg::of(n)});
  if (empty) values = masked_fill(values, empty, lowest(input->dtype));
  if (!with_places) return {values};
  return {values, places};
}

constexpr const char* kMeanNames[] = {"", "avg_pool1d", "avg_pool2d", "avg_pool3d"};
constexpr const char* kMeans[] = {"", "avg_pool1d_means", "avg_pool2d_means", "avg_pool3d_means"};

template <int n>
Values body_avg_pool(Call& c) {
  const Value input = c.tensor(0);
  const char* op = kMeanNames[n];
  Geometry g;
  g.kernel = list_of(c[1], n);
  g.stride = list_of(c[2], n);
  g.padding = list_of(c[3], n);
  g.dilation = list_of(Arg::of(1), n);
  g.count_pad = c[5].as_bool();
  if (n == 1) check_rank(op, *input, n, false);
  check_list(op, "kernel_size", g.kernel, n, false);
  check_list(op, "stride", g.stride, n, true);
  check_list(op, "padding", g.padding, n, false);
  if (n > 1 && !c[6].is_none()) {
    g.divisor = c[6].as_int();
    if (g.divisor == 0) fail(ErrorKind::runtime, "divisor must be not zero");
  }
  g = geometry_of(op, *input, n, g, c[4].as_bool(), false);
  if (!is_floating(input->dtype) && input->dtype != DType::int64)
    not_for(n == 1 ? "avg_pool2d" : op, input->dtype);
  return {pooled(kMeans[n], input, g)};
}

// "{-1, -1}"
void check_adaptive_mean(const Dims& sizes, int n) {
  const int shown_as = n == 3 ? 3 : 2;
  std::string list = n == 1 ? "1, " : "";
  for (int i = 0; i < sizes.n; ++i) list += join(i == 1 ? ", " : i ? "," : "", sizes[i]);
  if (std::ranges::any_of(sizes, [](int64_t v) { return v < 0; }))
    fail(ErrorKind::runtime, "adaptive_avg_pool", shown_as,
         "d: elements of output_size must be greater than or equal to 0 but received {", list, "}");
}

void check_adaptive(const char* op, const Node& input, const Dims& sizes, int n, bool max) {
  if (n == 1 && input.ndim() != 2 && input.ndim() != 3)
    fail(ErrorKind::runtime, "Expected 2 to 3 dimensions, but got ", input.ndim(),
         "-dimensional tensor for argument #1 'self' (while checking arguments for ", op, ")");
  if (sizes.n != n && n == 1)
    fail(ErrorKind::runtime, op, "() argument 'output_size' should contain one int (got ", sizes.n,
         ")");
  if (sizes.n != n) fail(ErrorKind::runtime, op, ": output_size must be ", n);
  if (!max) check_adaptive_mean(sizes, n);
  const bool ranked = input.ndim() == n + 1 || input.ndim() == n + 2;
  if (!ranked)
    fail(ErrorKind::runtime, op, "(): Expected ", n + 1, "D or ", n + 2, "D tensor, but got",
         max ? ": " : " ", show(input.sizes()));
  // PyTorch takes means of a line as those of an image that is one high.
  const bool as_image = n == 1 && !max;
  Dims sizes_shown(input.sizes());
  if (as_image) sizes_shown.insert(input.ndim() - 1, 1);
  for (int i = max || n == 3 ? 1 : sizes_shown.n - n; i < sizes_shown.n; ++i)
    if (sizes_shown[i] == 0)
      fail(
          ErrorKind::runtime, as_image ? "adaptive_avg_pool2d" : op,
          "(): Expected input to have non-zero size for non-batch dimensions, but input has sizes ",
          show(sizes_shown.span()), " with dimension ", i, " being empty");
}

Geometry adaptive(const Node& input, const Dims& sizes) {
  Geometry g;
  g.before = Dims(input.sizes().subspan(input.ndim() - sizes.n));
  g.after = sizes;
  return g;
}

constexpr const char* kAdaptiveMax[] = {"", "adaptive_max_pool1d", "adaptive_max_pool2d",
                                        "adaptive_max_pool3d"};
constexpr const char* kAdaptiveMaxValues[] = {
    "", "adaptive_max_pool1d_values", "adaptive_max_pool2d_values", "adaptive_max_pool3d_values"};

template <int n>
Values body_adaptive_max_pool(Call& c) {
  const Value input = c.tensor(0);
  const Dims sizes = list_of(c[1], n);
  check_adaptive(kAdaptiveMax[n], *input, sizes, n, true);
  const Dims all = with_last(input->sizes(), sizes.span());
  if (std::ranges::any_of(sizes, [](int64_t v) { return v < 0; })) {
    Dims shown = all;
    if (n == 1) shown.insert(shown.n - 1, 1);
    fail(ErrorKind::runtime, "Trying to create tensor with negative dimension ", sizes[0], ": ",
         show(shown));
  }
  if (!is_floating(input->dtype))
    not_for(n == 1 ? "adaptive_max_pool2d" : kAdaptiveMax[n], input->dtype);
  const Value places = pooled("max_pool_places", input, adaptive(*input, sizes));
  return {record(op_named(std::string_view(kAdaptiveMaxValues[n])), {input, places}, {Arg::of(n)}),
          places};
}

constexpr const char* kAdaptiveMean[] = {"", "adaptive_avg_pool1d", "adaptive_avg_pool2d",
                                         "adaptive_avg_pool3d"};
constexpr const char* kAdaptiveMeans[] = {"", "adaptive_avg_pool1d_means",
                                          "adaptive_avg_pool2d_means", "adaptive_avg_pool3d_means"};

template <int n>
Values body_adaptive_avg_pool(Call& c) {
  const Value input = c.tensor(0);
  const Dims sizes = list_of(c[1], n);
  const bool to_one = std::ranges::all_of(sizes, [](int64_t v) { return v == 1; });
  // PyTorch leaves this case to mean, which takes any rank.
  if (n > 1 && sizes.n == n && to_one) {
    Dims dims;
    for (int i = 1; i <= n; ++i) dims.push(-i);
    return {mean(input, dims, true)};
  }
  check_adaptive(kAdaptiveMean[n], *input, sizes, n, false);
  if (!is_floating(input->dtype))
    not_for(n == 1 ? "adaptive_avg_pool2d" : kAdaptiveMean[n], input->dtype);
  return {pooled(kAdaptiveMeans[n], input, adaptive(*input, sizes))};
}

constexpr Op values_entry(const char* name, const char* grad_name) {
  return {.name = name,
          .doc = "The elements of each plane at places of it.",
          .infer = infer_values,
          .kernel = run_values,
          .grad = {GRAD(flat(values_gradient(s, b), s))},
          .lift = lift_values,
          .grad_name = grad_name,
          .hidden = true};
}
constexpr Op means_entry(const char* name, const char* grad_name) {
  return {.name = name,
          .doc = "The mean of each window.",
          .infer = infer_pooled<kAfter>,
          .kernel = run_pooled<means>,
          .grad = {GRAD(flat(mean_gradient(s, "spread_means"), s))},
          .lift = lift_as_is,
          .grad_name = grad_name,
          .work = work_of_pooling,
          .hidden = true};
}
constexpr Op entry(const char* name, const char* signature, const char* doc, const char* example,
                   Values (*body)(Call&), const char* module = nullptr) {
  return {.name = name,
          .signature = signature,
          .doc = doc,
          .example = example,
          .body = body,
          .method = false,
          .out = false,
          .module = module};
}

#define MAX_POOL                                                                      \
  "(Tensor input, int[1] kernel_size, int[1]? stride=None, int[1] padding=0, int[1] " \
  "dilation=1, bool ceil_mode=False) -> "
#define AVG_POOL                                                                    \
  "(Tensor input, int[1] kernel_size, int[1]? stride=None, int[1] padding=0, bool " \
  "ceil_mode=False, bool count_include_pad=True"
#define BOTH "Tensor[]"
#define ADAPTIVE "(Tensor input, int[1] output_size) -> "

constexpr const char* kMaxDoc = "The largest element of each window.";
constexpr const char* kBothDoc = "The largest element of each window, and its place in its plane.";
constexpr const char* kMeanDoc = "The mean of each window.";

constexpr Op kOps[] = {
    {.name = "max_pool_places",
     .doc = "Where in its plane the largest element of each window is.",
     .infer = infer_places,
     .kernel = run_pooled<largest_places>,
     .lift = lift_as_is,
     .differentiable = false,
     .work = work_of_pooling,
     .hidden = true},
    values_entry("max_pool1d_values", "SqueezeBackward1"),
    values_entry("max_pool2d_values", "MaxPool2DWithIndicesBackward0"),
    values_entry("max_pool3d_values", "MaxPool3DWithIndicesBackward0"),
    values_entry("adaptive_max_pool1d_values", "SqueezeBackward1"),
    values_entry("adaptive_max_pool2d_values", "AdaptiveMaxPool2DBackward0"),
    values_entry("adaptive_max_pool3d_values", "AdaptiveMaxPool3DBackward0"),
    means_entry("avg_pool1d_means", "SqueezeBackward1"),
    means_entry("avg_pool2d_means", "AvgPool2DBackward0"),
    means_entry("avg_pool3d_means", "AvgPool3DBackward0"),
    means_entry("adaptive_avg_pool1d_means", "SqueezeBackward1"),
    means_entry("adaptive_avg_pool2d_means", "AdaptiveAvgPool2DBackward0"),
    means_entry("adaptive_avg_pool3d_means", "AdaptiveAvgPool3DBackward0"),
    {.name = "spread_means",
     .doc = "Adds to every element of a window its share of what the mean of the window gets.",
     .infer = infer_pooled<kBefore>,
     .kernel = run_pooled<spread_means>,
     .grad = {GRAD(flat(mean_gradient(s, "avg_pool2d_means"), s))},
     .lift = lift_as_is,
     .grad_name = "AvgPool2DBackwardBackward0",
     .work = work_of_pooling,
     .hidden = true},
    entry("max_pool1d", MAX_POOL "Tensor", kMaxDoc, "max_pool1d(tensor([[1., 3., 2., 4.]]), 2)",
          body_max_pool<1, false>),
    entry("max_pool2d", MAX_POOL "Tensor", kMaxDoc, "max_pool2d(tensor([[[1., 3.], [2., 4.]]]), 2)",
          body_max_pool<2, false>),
    entry("max_pool3d", MAX_POOL "Tensor", kMaxDoc, "max_pool3d(ones(1, 2, 2, 2), 2)",
          body_max_pool<3, false>),
    entry("max_pool1d_with_indices", MAX_POOL BOTH, kBothDoc,
          "max_pool1d_with_indices(tensor([[1., 3., 2., 4.]]), 2)", body_max_pool<1, true>),
    entry("max_pool2d_with_indices", MAX_POOL BOTH, kBothDoc,
          "_C._nn.max_pool2d_with_indices(tensor([[[1., 3.], [2., 4.]]]), 2)",
          body_max_pool<2, true>, "_nn"),
    entry("max_pool3d_with_indices", MAX_POOL BOTH, kBothDoc,
          "_C._nn.max_pool3d_with_indices(ones(1, 2, 2, 2), 2)", body_max_pool<3, true>, "_nn"),
    entry("avg_pool1d", AVG_POOL ") -> Tensor", kMeanDoc,
          "avg_pool1d(tensor([[1., 3., 2., 4.]]), 2)", body_avg_pool<1>),
    entry("avg_pool2d", AVG_POOL ", int? divisor_override=None) -> Tensor", kMeanDoc,
          "_C._nn.avg_pool2d(tensor([[[1., 3.], [2., 4.]]]), 2)", body_avg_pool<2>, "_nn"),
    entry("avg_pool3d", AVG_POOL ", int? divisor_override=None) -> Tensor", kMeanDoc,
          "_C._nn.avg_pool3d(ones(1, 2, 2, 2), 2)", body_avg_pool<3>, "_nn"),
    entry("adaptive_max_pool1d", ADAPTIVE BOTH, kBothDoc,
          "adaptive_max_pool1d(tensor([[1., 3., 2.]]), 2)", body_adaptive_max_pool<1>),
    entry("adaptive_max_pool2d", ADAPTIVE BOTH, kBothDoc,
          "_C._nn.adaptive_max_pool2d(ones(1, 2, 2), 1)", body_adaptive_max_pool<2>, "_nn"),
    entry("adaptive_max_pool3d", ADAPTIVE BOTH, kBothDoc,
          "_C._nn.adaptive_max_pool3d(ones(1, 2, 2, 2), 1)", body_adaptive_max_pool<3>, "_nn"),
    entry("adaptive_avg_pool1d", ADAPTIVE "Tensor", kMeanDoc,
          "adaptive_avg_pool1d(tensor([[1., 3., 2.]]), 2)", body_adaptive_avg_pool<1>),
    entry("adaptive_avg_pool2d", ADAPTIVE "Tensor", kMeanDoc,
          "_C._nn.adaptive_avg_pool2d(ones(1, 2, 2), 1)", body_adaptive_avg_pool<2>, "_nn"),
    entry("adaptive_avg_pool3d", ADAPTIVE "Tensor", kMeanDoc,
          "_C._nn.adaptive_avg_pool3d(ones(1, 2, 2, 2), 1)", body_adaptive_avg_pool<3>, "_nn"),
};

}  // namespace

std::span<const Op> pool_ops() { return kOps; }

}  // namespace wend
