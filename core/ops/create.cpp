// ops/create.cpp: tensors from nothing but sizes and numbers.
// Random ones are ops/random, copies of tensors ops/copy.
#include <algorithm>
#include <cmath>
#include <limits>

#include "base/checked.hpp"
#include "base/threads.hpp"
#include "kernels/cast.hpp"
#include "ops/batching.hpp"
#include "ops/families.hpp"
#include "ops/functions.hpp"

namespace wend {
namespace {

// Attributes of the ops that fill: sizes, dtype, and strides where they are not row-major.
void infer_filled(Infer& s) {
  check_sizes(s.attrs[0].as_ints());
  s.dtype = s.attrs[1].as_dtype();
  s.layout = s.attrs[2].is_none() ? contiguous(s.attrs[0].as_ints())
                                  : intern(s.attrs[0].as_ints(), s.attrs[2].as_ints());
}

void infer_like(Infer& s) {
  s.dtype = s.in[0]->dtype;
  s.layout = dense_like(*s.in[0]->layout);
}

void infer_fill(Infer& s) {
  infer_like(s);
  if (s.in[1]->ndim() > 0)
    fail(ErrorKind::runtime, "fill_ only supports 0-dimension value tensor but got tensor with ",
         s.in[1]->ndim(), " dimensions.");
  if (s.in[1]->flags & Node::weak) check_fits(*s.in[1], s.dtype);
}

// The fill is the last input; a stride of 0 everywhere repeats it.
void run_fill(Run& s) {
  const Node& fill = s.in(static_cast<int>(s.node.n_inputs) - 1);
  int64_t nowhere[kMaxDims] = {};
  copy(s.node.sizes(), strided(s.node),
       {fill.data(), fill.dtype, {nowhere, static_cast<size_t>(s.node.ndim())}});
}

void run_nothing(Run&) {}

// Calls at(i) for every i below the number of elements and stores the answers in row-major order.
template <class T, class At>
void store_each(Run& s, At at) {
  constexpr int64_t tile = 1024;
  const int64_t element = size_of(s.node.dtype);
  parallel_for(s.node.numel(), 16 * tile, [&](int64_t begin, int64_t end) {
    T values[tile];
    for (; begin < end; begin += tile) {
      const int64_t n = std::min(tile, end - begin);
      for (int64_t i = 0; i < n; ++i) values[i] = at(begin + i);
      cast_loop(s.node.dtype,
                sizeof(T) == 8 && std::is_integral_v<T> ? DType::int64 : DType::float64)(
          s.out() + begin * element, element, reinterpret_cast<char*>(values), sizeof(T), n);
    }
  });
}

// Attributes: number of elements, dtype, start, step.
void infer_counted(Infer& s) {
  s.dtype = s.attrs[1].as_dtype();
  s.layout = contiguous(Dims{s.attrs[0].as_int()});
}

void run_arange(Run& s) {
  if (is_floating(s.node.dtype)) {
    const double start = s.attr(2).as_real(), step = s.attr(3).as_real();
    return store_each<double>(s, [=](int64_t i) { return start + static_cast<double>(i) * step; });
  }
  const int64_t start = s.attr(2).as_int(), step = s.attr(3).as_int();
  // A product may wrap around where the sum does not.
  const auto first = static_cast<uint64_t>(start), by = static_cast<uint64_t>(step);
  store_each<int64_t>(
      s, [=](int64_t i) { return static_cast<int64_t>(first + static_cast<uint64_t>(i) * by); });
}

// Both ends are exact: the second half counts back from the end.
template <class F>
void run_spaced(Run& s, F f) {
  const double start = s.attr(2).as_real(), end = s.attr(3).as_real();
  const int64_t n = s.node.numel();
  const double step = n > 1 ? (end - start) / static_cast<double>(n - 1) : 0;
  store_each<double>(s, [=](int64_t i) {
    return f(i < (n + 1) / 2 ? start + step * static_cast<double>(i)
                             : end - step * static_cast<double>(n - 1 - i));
  });
}

void run_linspace(Run& s) {
  run_spaced(s, [](double v) { return v; });
}

void run_logspace(Run& s) {
  run_spaced(s, [base = s.attr(4).as_real()](double v) { return std::pow(base, v); });
}

void infer_eye(Infer& s) {
  s.dtype = s.attrs[2].as_dtype();
  s.layout = contiguous(Dims{s.attrs[0].as_int(), s.attrs[1].as_int()});
}

void run_eye(Run& s) {
  const int64_t columns = s.node.size(1);
  store_each<int64_t>(s, [=](int64_t i) { return int64_t{i / columns == i % columns}; });
}

DType dtype_of(const Arg& number) {
  if (number.kind == Arg::boolean) return DType::bool_;
  return number.kind == Arg::integer ? DType::int64 : default_dtype();
}

Value filled(const Layout& layout, const Value& fill, DType dtype) {
  check_fits(*fill, dtype);
  const Arg attrs[] = {Arg::of(layout.sizes()), Arg::of(dtype),
                       layout.contiguous ? Arg{} : Arg::of(layout.strides())};
  Value in[] = {fill};
  return append(op_named("filled"), in, make_attrs(attrs), dtype, &layout, 0);
}

Value empty(const Layout& layout, DType dtype) {
  // What has no elements is contiguous, and keeps the strides that it was given.
  const bool rows = layout.contiguous && layout.numel > 0;
  const Arg strides = rows ? Arg{} : Arg::of(layout.strides());
  return record(op_named("uninitialized"), {}, {Arg::of(layout.sizes()), Arg::of(dtype), strides});
}

LayoutRef rows(const Arg& sizes) {
  check_sizes(sizes.as_ints());
  return contiguous(sizes.as_ints());
}

// The layout and dtype of a result like argument 0, its format at `format`.
LayoutRef layout_like(Call& c, int format) { return in_format(*c.tensor(0)->layout, c[format]); }

template <int kFill>
Values body_filled(Call& c) {
  for (int64_t size : c[0].as_ints())
    if (size < 0 && kFill == 0)
      fail(ErrorKind::runtime, c.op.name, ": Dimension size must be non-negative.");
  return {filled(*rows(c[0]), kFill, c[1].as_dtype(default_dtype()))};
}

template <int kFill>
Values body_filled_like(Call& c) {
  return {filled(*layout_like(c, 6), kFill, c[1].as_dtype(c.tensor(0)->dtype))};
}

template <int kFill>
Values body_new_filled(Call& c) {
  return {filled(*rows(c[1]), kFill, c[2].as_dtype(c.tensor(0)->dtype))};
}

Values body_full(Call& c) {
  return {filled(*rows(c[0]), number(c[1]), c[2].as_dtype(dtype_of(c[1])))};
}

Values body_full_like(Call& c) {
  return {filled(*layout_like(c, 7), number(c[1]), c[2].as_dtype(c.tensor(0)->dtype))};
}

Values body_new_full(Call& c) {
  return {filled(*rows(c[1]), number(c[2]), c[3].as_dtype(c.tensor(0)->dtype))};
}

Values body_scalar_tensor(Call& c) {
  return {filled(*contiguous(Dims{}), number(c[0]), c[1].as_dtype(default_dtype()))};
}

Values body_empty(Call& c) {
  const Arg& format = c[6];
  const LayoutRef layout = rows(c[0]);
  if (format.kind == Arg::integer && format.as_int() == 1)
    fail(ErrorKind::runtime, "unsupported memory format Preserve");
  return {empty(format.is_none() ? *layout : *in_format(*layout, format),
                c[1].as_dtype(default_dtype()))};
}

Values body_empty_like(Call& c) {
  return {empty(*layout_like(c, 6), c[1].as_dtype(c.tensor(0)->dtype))};
}

Values body_new_empty(Call& c) { return {empty(*rows(c[1]), c[2].as_dtype(c.tensor(0)->dtype))}; }

Value empty_strided(const Arg& sizes, const Arg& strides, DType dtype) {
  check_sizes(sizes.as_ints());
  if (sizes.n != strides.n)
    fail(ErrorKind::runtime, "dimensionality of sizes (", sizes.n,
         ") must match dimensionality of strides (", strides.n, ")");
  for (int64_t stride : strides.as_ints())
    if (stride < 0)
      fail(ErrorKind::runtime,
           "as_strided: Negative strides are not supported at the moment, got strides: ",
           show(strides.as_ints()));
  return empty(*intern(sizes.as_ints(), strides.as_ints()), dtype);
}

Values body_empty_strided(Call& c) {
  return {empty_strided(c[0], c[1], c[2].as_dtype(default_dtype()))};
}

Values body_new_empty_strided(Call& c) {
  return {empty_strided(c[1], c[2], c[3].as_dtype(c.tensor(0)->dtype))};
}

// How many numbers there are from start to end.
int64_t steps_of_ints(int64_t start, int64_t end, int64_t step) {
  const int sign = step > 0 ? 1 : -1;
  return checked((Wide{end} - start + step - sign) / step);
}

int64_t steps_of_reals(double start, double end, double step) {
  const double steps = std::ceil((end - start) / step);
  if (!(steps >= 0 && steps <= 9.2e18))
    fail(ErrorKind::runtime, "invalid size, possible overflow?");
  return static_cast<int64_t>(steps);
}

Value arange(const Arg& start, const Arg& end, const Arg& step, const Arg& asked) {
  const bool real = start.kind == Arg::real || end.kind == Arg::real || step.kind == Arg::real;
  const DType dtype = asked.as_dtype(real ? default_dtype() : DType::int64);
  if (dtype == DType::bool_) not_for("arange_cpu", dtype);
  const double from = start.as_real(), to = end.as_real(), by = step.as_real();
  if (by == 0) fail(ErrorKind::runtime, "step must be nonzero");
  if (!std::isfinite(from) || !std::isfinite(to))
    fail(ErrorKind::runtime, "unsupported range: ", from, " -> ", to);
  if (by > 0 ? to < from : to > from)
    fail(ErrorKind::runtime, "upper bound and lower bound inconsistent with step sign");
  for (const Arg& given : {start, end, step})
    if (given.kind == Arg::real && !is_floating(dtype)) check_fits(*number(given), dtype);
  const int64_t n = real ? steps_of_reals(from, to, by)
                         : steps_of_ints(start.as_int(), end.as_int(), step.as_int());
  return record(op_named("counted"), {}, {Arg::of(n), Arg::of(dtype), start, step});
}

Values body_arange_to(Call& c) { return {arange(Arg::of(0), c[0], Arg::of(1), c[1])}; }
Values body_arange(Call& c) { return {arange(c[0], c[1], c[2], c[3])}; }

DType spaced_dtype(Call& c, const Arg& asked) {
  const DType dtype = asked.as_dtype(default_dtype());
  if (c[2].as_int() < 0) fail(ErrorKind::runtime, "number of steps must be non-negative");
  if (dtype == DType::bool_) not_for("linspace_cpu", dtype);
  for (int i : {0, 1}) check_fits(*number(c[i]), dtype);
  return dtype;
}

Values body_linspace(Call& c) {
  return {record(op_named("spaced"), {}, {c[2], Arg::of(spaced_dtype(c, c[3])), c[0], c[1]})};
}

Values body_logspace(Call& c) {
  return {
      record(op_named("log_spaced"), {}, {c[2], Arg::of(spaced_dtype(c, c[4])), c[0], c[1], c[3]})};
}

Value eye(int64_t n, int64_t m, const Arg& dtype) {
  if (n < 0) fail(ErrorKind::runtime, "n must be greater or equal to 0, got ", n);
  if (m < 0) fail(ErrorKind::runtime, "m must be greater or equal to 0, got ", m);
  return record(op_named("identity"), {},
                {Arg::of(n), Arg::of(m), Arg::of(dtype.as_dtype(default_dtype()))});
}

Values body_eye(Call& c) { return {eye(c[0].as_int(), c[0].as_int(), c[1])}; }
Values body_eye_wide(Call& c) { return {eye(c[0].as_int(), c[1].as_int(), c[2])}; }

Value lift_filled(const Lift& s) {
  const auto sizes = s.with_n(s.like.sizes());
  if (!s.like.attr(2).is_none() || !s.in[0]->layout->uniform) return nullptr;
  return record(*s.like.op, {s.like.inputs[0]}, {Arg::of(sizes.span()), s.like.attr(1), Arg{}});
}

constexpr Op kOps[] = {
    {.name = "filled",
     .doc = "A tensor of the given sizes filled with input 0.",
     .infer = infer_filled,
     .kernel = run_fill,
     .grad = {GRAD(sum_to(g, {}))},
     .lift = lift_filled,
     .hidden = true},
    {.name = "uninitialized",
     .doc = "A tensor of the given sizes with whatever its memory held.",
     .infer = infer_filled,
     .kernel = run_nothing,
     .hidden = true},
    {.name = "counted",
     .doc = "Numbers at equal steps.",
     .infer = infer_counted,
     .kernel = run_arange,
     .hidden = true},
    {.name = "spaced",
     .doc = "Numbers evenly spread from start to end.",
     .infer = infer_counted,
     .kernel = run_linspace,
     .hidden = true},
    {.name = "log_spaced",
     .doc = "Powers of a base, the exponents evenly spread.",
     .infer = infer_counted,
     .kernel = run_logspace,
     .cost = 20,
     .hidden = true},
    {.name = "identity",
     .doc = "Ones where row and column are the same.",
     .infer = infer_eye,
     .kernel = run_eye,
     .hidden = true},
    {.name = "fill",
     .signature = "(Tensor input, Operand value) -> Tensor",
     .doc = "A tensor like input with every element set to value.",
     .example = "fill(zeros(2), 3)",
     .infer = infer_fill,
     .kernel = run_fill,
     .grad = {GRAD(zeros_like(g)), GRAD(sum_to(g, {}))},
     .edges = 1,
     .method = false},
    {.name = "fill",
     .signature = "(Tensor input, Operand value) -> Tensor",
     .doc = "Sets every element to value.",
     .example = "zeros(2).fill_(3)",
     .infer = infer_fill,
     .kernel = run_fill,
     .grad = {GRAD(zeros_like(g)), GRAD(sum_to(g, {}))},
     .grad_name = "FillBackward2",
     .edges = 1,
     .function = false,
     .method = false,
     .inplace = true,
     .inplace_function = true,
     .fills = true},
    {.name = "zero",
     .signature = "(Tensor input) -> Tensor",
     .doc = "Sets every element to 0.",
     .example = "ones(2).zero_()",
     .infer = infer_like,
     .kernel = [](Run& s) { fill_zero(s.node.buffer->data, s.node.buffer->bytes); },
     .grad = {GRAD(zeros_like(g))},
     .edges = 1,
     .function = false,
     .method = false,
     .inplace = true,
     .inplace_function = true,
     .fills = true},
    {.name = "zeros",
     .signature = "(int[] size, *, " CREATION_OPTIONS ") -> Tensor",
     .doc = "A tensor of zeros.",
     .example = "zeros(2, 3)",
     .body = body_filled<0>,
     .method = false},
    {.name = "ones",
     .signature = "(int[] size, *, " CREATION_OPTIONS ") -> Tensor",
     .doc = "A tensor of ones.",
     .example = "ones(2, 3)",
     .body = body_filled<1>,
     .method = false},
    {.name = "full",
     .signature = "(int[] size, Number fill_value, *, " CREATION_OPTIONS ") -> Tensor",
     .doc = "A tensor filled with one number, whose type decides the dtype.",
     .example = "full((2, 3), 3.5)",
     .body = body_full,
     .method = false},
    {.name = "empty",
     .signature = "(int[] size, *, " LIKE_OPTIONS ") -> Tensor",
     .doc = "A tensor of unspecified numbers.",
     .example = "empty(2, 3).shape",
     .body = body_empty,
     .method = false},
    {.name = "empty_strided",
     .signature = "(int[] size, int[] stride, *, " CREATION_OPTIONS ") -> Tensor",
     .doc = "A tensor of unspecified numbers with the given strides.",
     .example = "empty_strided((2, 3), (1, 2)).stride()",
     .body = body_empty_strided,
     .method = false,
     .out = false},
    {.name = "scalar_tensor",
     .signature = "(Number s, *, " CREATION_OPTIONS ") -> Tensor",
     .doc = "A 0-d tensor of the default dtype.",
     .example = "scalar_tensor(3)",
     .body = body_scalar_tensor,
     .method = false},
    {.name = "zeros_like",
     .signature = "(Tensor input, *, " LIKE_OPTIONS ") -> Tensor",
     .doc = "Zeros with the sizes and dtype of input.",
     .example = "zeros_like(tensor([1., 2.]))",
     .body = body_filled_like<0>,
     .method = false,
     .out = false},
    {.name = "ones_like",
     .signature = "(Tensor input, *, " LIKE_OPTIONS ") -> Tensor",
     .doc = "Ones with the sizes and dtype of input.",
     .example = "ones_like(tensor([1., 2.]))",
     .body = body_filled_like<1>,
     .method = false,
     .out = false},
    {.name = "full_like",
     .signature = "(Tensor input, Number fill_value, *, " LIKE_OPTIONS ") -> Tensor",
     .doc = "One number everywhere, with the sizes and dtype of input.",
     .example = "full_like(tensor([1., 2.]), 7)",
     .body = body_full_like,
     .method = false,
     .out = false},
    {.name = "empty_like",
     .signature = "(Tensor input, *, " LIKE_OPTIONS ") -> Tensor",
     .doc = "Unspecified numbers with the sizes and dtype of input.",
     .example = "empty_like(tensor([1., 2.])).shape",
     .body = body_empty_like,
     .method = false,
     .out = false},
    {.name = "new_zeros",
     .signature = "(Tensor input, int[] size, *, " CREATION_OPTIONS ") -> Tensor",
     .doc = "Zeros with the dtype of input.",
     .example = "tensor([1]).new_zeros(2)",
     .body = body_new_filled<0>,
     .function = false},
    {.name = "new_ones",
     .signature = "(Tensor input, int[] size, *, " CREATION_OPTIONS ") -> Tensor",
     .doc = "Ones with the dtype of input.",
     .example = "tensor([1]).new_ones(2)",
     .body = body_new_filled<1>,
     .function = false},
    {.name = "new_full",
     .signature =
         "(Tensor input, int[] size, Number fill_value, *, " CREATION_OPTIONS ") -> Tensor",
     .doc = "One number everywhere, with the dtype of input.",
     .example = "tensor([1]).new_full((2,), 7)",
     .body = body_new_full,
     .function = false},
    {.name = "new_empty",
     .signature = "(Tensor input, int[] size, *, " CREATION_OPTIONS ") -> Tensor",
     .doc = "Unspecified numbers with the dtype of input.",
     .example = "tensor([1]).new_empty(2).dtype",
     .body = body_new_empty,
     .function = false},
    {.name = "new_empty_strided",
     .signature = "(Tensor input, int[] size, int[] stride, *, " CREATION_OPTIONS ") -> Tensor",
     .doc = "Unspecified numbers with the dtype of input and the given strides.",
     .example = "tensor([1]).new_empty_strided((2, 3), (1, 2)).stride()",
     .body = body_new_empty_strided,
     .function = false},
    {.name = "arange",
     .signature = "(Number end, *, " CREATION_OPTIONS ") -> Tensor",
     .doc = "Numbers from start (0) up to, not including, end.",
     .example = "arange(1, 2.5, 0.5)",
     .body = body_arange_to,
     .method = false},
    {.name = "arange",
     .signature = "(Number start, Number end, Number step=1, *, " CREATION_OPTIONS ") -> Tensor",
     .body = body_arange,
     .method = false},
    {.name = "linspace",
     .signature = "(Number start, Number end, int steps, *, " CREATION_OPTIONS ") -> Tensor",
     .doc = "Numbers evenly spread from start to end, both included.",
     .example = "linspace(0, 1, 5)",
     .body = body_linspace,
     .method = false},
    {.name = "logspace",
     .signature = "(Number start, Number end, int steps, float base=10.0, *, " CREATION_OPTIONS
                  ") -> Tensor",
     .doc = "Powers of base, the exponents evenly spread from start to end.",
     .example = "logspace(0, 2, 3)",
     .body = body_logspace,
     .method = false},
    {.name = "eye",
     .signature = "(int n, *, " CREATION_OPTIONS ") -> Tensor",
     .doc = "Ones on the diagonal, zeros elsewhere.",
     .example = "eye(2)",
     .body = body_eye,
     .method = false},
    {.name = "eye",
     .signature = "(int n, int m, *, " CREATION_OPTIONS ") -> Tensor",
     .body = body_eye_wide,
     .method = false},
};

}  // namespace

std::span<const Op> create_ops() { return kOps; }

void check_sizes(std::span<const int64_t> sizes) {
  for (int64_t size : sizes)
    if (size < 0)
      fail(ErrorKind::runtime, "Trying to create tensor with negative dimension ", size, ": ",
           show(sizes));
}

void not_for(const char* what, DType dtype) {
  fail(ErrorKind::not_implemented, "\"", what, "\" not implemented for '", scalar_type_name(dtype),
       "'");
}

int64_t largest(DType dtype) {
  const int bits = static_cast<int>(size_of(dtype)) * 8 - is_signed(dtype);
  return static_cast<int64_t>((uint64_t{1} << bits) - 1);
}

double largest_real(DType t) {
  switch (t) {
    case DType::float16:
      return 65504;
    case DType::bfloat16:
      return 0x1.fep127;
    case DType::float32:
      return std::numeric_limits<float>::max();
    default:
      return std::numeric_limits<double>::max();
  }
}

const char* cpp_name(DType dtype) {
  static constexpr const char* names[] = {"bool",  "unsigned char", "signed char", "short int",
                                          "int",   "long int",      "c10::Half",   "c10::BFloat16",
                                          "float", "double"};
  return names[static_cast<int>(dtype)];
}

bool fits(int64_t v, DType dtype) {
  if (dtype == DType::bool_ || is_floating(dtype)) return true;
  // A negative number may stand for an unsigned one, as in C.
  const int64_t high = largest(dtype);
  return v <= high && v >= (is_signed(dtype) ? -high - 1 : -high);
}

bool fits(double v, DType dtype) {
  if (dtype == DType::float32)
    return !std::isfinite(v) || std::abs(v) <= std::numeric_limits<float>::max();
  if (dtype == DType::bool_ || is_floating(dtype)) return true;
  const auto high = static_cast<double>(largest(dtype));
  return v >= (is_signed(dtype) ? -high - 1 : 0) && v <= high && v < 0x1p63;
}

void check_fits(const Node& number, DType dtype) {
  if (is_floating(number.dtype) ? fits(real_of(number), dtype) : fits(int_of(number), dtype))
    return;
  const std::string name = dtype == DType::float32 ? "float"
                           : dtype == DType::int32 ? "int"
                                                   : join(name_of(dtype), "_t");
  fail(ErrorKind::runtime, "value cannot be converted to type ", name, " without overflow");
}

Value full(std::span<const int64_t> sizes, const Value& fill, DType dtype) {
  return record(op_named("filled"), {fill}, {Arg::of(sizes), Arg::of(dtype), Arg{}});
}
Value full_like(const Value& like, const Value& fill) {
  return filled(*dense_like(*like->layout), fill, like->dtype);
}
Value full_like(const Value& like, const Value& fill, DType dtype) {
  return filled(*dense_like(*like->layout), fill, dtype);
}
Value zeros_like(const Value& like) { return full_like(like, 0); }
Value ones_like(const Value& like) { return full_like(like, 1); }

}  // namespace wend
