// ops/compose.cpp: elementwise functions that are a few ops of elementwise.def, and the overloads
// that take other arguments than the op itself: add with an alpha, div with a rounding_mode, and
// such.
#include <cmath>
#include <limits>
#include <numbers>
#include <string_view>

#include "ops/families.hpp"
#include "ops/functions.hpp"

namespace wend {
namespace {

using Unary = Value (*)(const Value&);
using Binary = Value (*)(const Value&, const Value&);
using Ternary = Value (*)(const Value&, const Value&, const Value&);

// alpha takes no part in promotion, so it may not be of a higher kind than the result.
void check_alpha(const Arg& alpha, const Value& a, const Value& b) {
  const Value operands[] = {a, b};
  const DType t = result_type(operands);
  if (alpha.kind == Arg::boolean && t != DType::bool_)
    fail(ErrorKind::runtime, "Boolean alpha only supported for Boolean results.");
  if (alpha.kind == Arg::real && !is_floating(t))
    fail(ErrorKind::runtime,
         "For integral input tensors, argument alpha must not be a floating point number.");
}

template <Binary plain, Ternary scaled>
Values with_alpha(Call& c) {
  const Value a = c.tensor(0), b = c.tensor(1);
  check_alpha(c[2], a, b);
  if (c[2].as_real() == 1) return {plain(a, b)};
  return {scaled(a, b, number(c[2]))};
}

Values rsub_body(Call& c) {
  const Value a = c.tensor(0), b = c.tensor(1);
  check_alpha(c[2], a, b);
  return {c[2].as_real() == 1 ? b - a : sub_scaled(b, a, number(c[2]))};
}

Values rounded_div(Call& c) {
  const Value a = c.tensor(0), b = c.tensor(1);
  if (c[2].is_none()) return {a / b};
  const std::string_view how(c[2].text_p, c[2].n);
  if (how == "floor") return {div_floor(a, b)};
  if (how == "trunc") return {div_trunc(a, b)};
  fail(ErrorKind::runtime,
       "div expected rounding_mode to be one of None, 'trunc', or 'floor' but found '", how, "'");
}

template <Binary f>
Values number_first(Call& c) {
  return {f(number(c[0]), c.tensor(1))};
}

Values addcmul_body(Call& c) {
  const Value a = c.tensor(0), b = c.tensor(1), d = c.tensor(2);
  const Value all[] = {a, b, d};
  const DType dtype = result_type(all);
  // The factor takes no part in promotion: beside integers it loses its fraction.
  const Value factor =
      is_floating(dtype) ? number(c[3]) : number(static_cast<int64_t>(c[3].as_real()));
  return {addcmul(a, cast(b, dtype) * factor, d)};
}

Values addcdiv_body(Call& c) {
  const Value a = c.tensor(0), b = c.tensor(1), d = c.tensor(2);
  if (!is_floating(b->dtype) && !is_floating(d->dtype))
    fail(ErrorKind::runtime,
         "Integer division with addcdiv is no longer supported, and in a future  release addcdiv "
         "will perform a true division of tensor1 and tensor2. The historic addcdiv behavior can "
         "be implemented as (input + value * torch.trunc(tensor1 / tensor2)).to(input.dtype) for "
         "integer inputs and as (input + value * tensor1 / tensor2) for float inputs. The future "
         "addcdiv behavior is just the latter implementation: (input + value * tensor1 / tensor2), "
         "for all dtypes.");
  const Value all[] = {a, b, d};
  const DType dtype = result_type(all);
  const bool plain = c[3].as_real() == 1;
  const Value above = plain ? cast(b, dtype) : cast(b, dtype) * number(c[3]);
  return {cast(a, dtype) + above / cast(d, dtype)};
}

// Numbers that bound integers are of their dtype.
void check_bounds_fit(Call& c) {
  for (int i : {1, 2}) {
    if (c[i].is_none()) continue;
    const Value each[] = {c.tensor(0), c.tensor(i)};
    const DType dtype = result_type(each);
    if (each[1]->flags & Node::weak && !is_floating(dtype)) check_fits(*each[1], dtype);
  }
}

Values clamp_body(Call& c) {
  if (c[1].is_none() && c[2].is_none())
    fail(ErrorKind::runtime, "torch.", c.op.name,
         ": At least one of 'min' or 'max' must not be None");
  check_bounds_fit(c);
  if (!c[1].is_none() && !c[2].is_none()) return {clamp(c.tensor(0), c.tensor(1), c.tensor(2))};
  return {c[1].is_none() ? clamp_max(c.tensor(0), c.tensor(2))
                         : clamp_min(c.tensor(0), c.tensor(1))};
}

Values where_body(Call& c) { return {where(c.tensor(0), c.tensor(1), c.tensor(2))}; }
Values where_method(Call& c) { return {where(c.tensor(1), c.tensor(0), c.tensor(2))}; }

Values square_body(Call& c) { return {pow(c.tensor(0), 2)}; }
Values float_power_body(Call& c) {
  auto as_double = [&](int i) {
    return c[i].kind == Arg::tensor ? cast(c.tensor(i), DType::float64)
                                    : constant(c[i].as_real(), DType::float64);
  };
  return {pow(as_double(0), as_double(1))};
}

template <double factor()>
Values times(Call& c) {
  return {c.tensor(0) * Value(factor())};
}
constexpr double radians() { return std::numbers::pi / 180; }
constexpr double degrees() { return 180 / std::numbers::pi; }

Values ldexp_body(Call& c) {
  const Value a = c.tensor(0), b = c.tensor(1);
  if (!is_floating(a->dtype) || is_floating(b->dtype)) return {a * pow(2.0, b)};
  if (b->dtype == DType::bool_) not_for("ldexp_cpu_exp", b->dtype);
  const DType wide = is_half(a->dtype) ? DType::float32 : a->dtype;
  return {cast(times_power_of_two(cast(a, wide), cast(b, wide)), a->dtype)};
}

Values round_body(Call& c) {
  const Value a = c.tensor(0);
  const int64_t decimals = c[1].as_int();
  if (decimals == 0) return {round(a)};
  if (!is_floating(a->dtype))
    fail(ErrorKind::not_implemented, "\"round_cpu\" not implemented for '",
         scalar_type_name(a->dtype), "'");
  const Value power = std::pow(10.0, std::abs(static_cast<double>(decimals)));
  return {decimals > 0 ? round(a * power) / power : round(a / power) * power};
}

Values nan_to_num_body(Call& c) {
  const Value a = c.tensor(0);
  if (!is_floating(a->dtype)) return {clone(a)};
  auto given = [&](int i, double otherwise) {
    return Value(c[i].is_none() ? otherwise : c[i].as_real());
  };
  const Value high = given(2, largest_real(a->dtype)), low = given(3, -largest_real(a->dtype));
  const Value finite = where(isposinf(a), high, where(isneginf(a), low, a));
  return {where(isnan(a), given(1, 0), finite)};
}

Values logit_body(Call& c) {
  const Value a = c.tensor(0);
  if (c[1].is_none()) return {logit(a)};
  const double eps = c[1].as_real();
  if (eps <= 0.5) return {logit(clamp(a, eps, 1 - eps))};
  const Value least = clamp_max(a, 1 - eps);  // the lower bound holds where the two contradict
  return {logit(where(lt(a, eps), eps, least))};
}

void check_tolerance(const char* name, double v) {
  if (!(v >= 0))
    fail(ErrorKind::runtime, name, " must be greater than or equal to zero, but got ", v);
}

Values isclose_body(Call& c) {
  const Value a = c.tensor(0), b = c.tensor(1);
  const double rtol = c[2].as_real(), atol = c[3].as_real();
  if (a->dtype != b->dtype)
    fail(ErrorKind::runtime, scalar_type_name(a->dtype), " did not match ",
         scalar_type_name(b->dtype));
  check_tolerance("rtol", rtol);
  check_tolerance("atol", atol);
  Value close = eq(a, b);
  if (c[4].as_bool() && is_floating(a->dtype))
    close = logical_or(close, logical_and(isnan(a), isnan(b)));
  if (rtol == 0 && atol == 0) return {close};
  const bool whole = !is_floating(a->dtype);
  const Value x = whole ? cast(a, DType::float64) : a, y = whole ? cast(b, DType::float64) : b;
  const Value distance = abs(x - y);
  return {logical_or(close, logical_and(isfinite(distance), le(distance, atol + abs(rtol * y))))};
}

Values same_body(Call& c) { return {c.tensor(0)}; }
Values positive_body(Call& c) {
  if (c.tensor(0)->dtype == DType::bool_)
    fail(ErrorKind::runtime, "The `+` operator, on a bool tensor is not supported.");
  return {c.tensor(0)};
}
Values isreal_body(Call& c) { return {full_like(c.tensor(0), number(true), DType::bool_)}; }
Values selu_body(Call& c) {
  return {elu(c.tensor(0), 1.6732632423543772848170429916717) * 1.0507009873554804934193349852946};
}
Values gelu_body(Call& c) {
  const std::string_view how(c[1].text_p, c[1].n);
  if (how == "none") return {gelu(c.tensor(0))};
  if (how == "tanh") return {gelu_tanh(c.tensor(0))};
  fail(ErrorKind::runtime, "approximate argument must be either none or tanh.");
}

// One slope, or one for each channel, which is dimension 1.
Values prelu_body(Call& c) {
  const Value x = c.tensor(0), weight = c.tensor(1);
  if (weight->ndim() > 1)
    fail(ErrorKind::runtime,
         "prelu: Expected `weight` to be a scalar or 1D tensor, but got: ndim = ", weight->ndim());
  if (x->dtype != weight->dtype)
    fail(ErrorKind::runtime, "prelu: Type promoting not supported. Got ",
         scalar_type_name(x->dtype), " and ", scalar_type_name(weight->dtype));
  if (weight->numel() == 1) return {leaky_relu(x, reshape(weight, Dims{}))};
  if (x->ndim() == 0) fail(ErrorKind::runtime, "Not allow zero-dim input tensor.");
  const int64_t channels = x->ndim() > 1 ? x->size(1) : 1;
  if (channels != weight->numel())
    fail(ErrorKind::runtime,
         "Mismatch of parameter numbers and input channel size. Found parameter "
         "numbers = ",
         weight->numel(), " and channel size = ", channels, ".");
  Dims sizes(x->sizes());
  for (int i = 0; i < sizes.n; ++i) sizes[i] = i == 1 ? channels : 1;
  return {leaky_relu(x, reshape(weight, sizes))};
}

Values glu_body(Call& c) {
  const Value x = c.tensor(0);
  if (x->ndim() == 0) fail(ErrorKind::runtime, "glu does not support 0-dimensional tensors");
  const int dim = wrap_dim(c[1].as_int(), x->ndim());
  const int64_t size = x->size(dim);
  if (size % 2)
    fail(ErrorKind::runtime, "Halving dimension must be even, but dimension ", dim, " is size ",
         size);
  return {slice(x, dim, 0, size / 2) * sigmoid(slice(x, dim, size / 2, size))};
}

// log of the multivariate gamma function of dimension p.
Values mvlgamma_body(Call& c) {
  const Value a = c.tensor(0);
  const int64_t p = c[1].as_int();
  if (a->dtype == DType::bool_)
    fail(ErrorKind::runtime, "The input tensor may not be a boolean tensor.");
  if (p < 1) fail(ErrorKind::runtime, "p has to be greater than or equal to 1");
  const auto terms = static_cast<double>(p);
  const double constant = 0.25 * terms * (terms - 1) * std::log(std::numbers::pi);
  if (p == 1) return {lgamma(a)};
  // The arguments of all terms side by side, a[..., None] - j / 2.
  const Value whole = is_floating(a->dtype) ? a : cast(a, default_dtype());
  const Value halves = record(op_named("counted"), {},
                              {Arg::of(p), Arg::of(whole->dtype), Arg::of(0.0), Arg::of(-0.5)});
  return {sum(lgamma(unsqueeze(whole, -1) + halves), Dims{-1}, false) + constant};
}

Value derived_digamma(int64_t n, const Value& a) {
  if (n < 0) fail(ErrorKind::runtime, "polygamma(n, x) does not support negative n.");
  return polygamma(number(n), a);
}
Values polygamma_body(Call& c) { return {derived_digamma(c[0].as_int(), c.tensor(1))}; }
Values polygamma_method(Call& c) { return {derived_digamma(c[1].as_int(), c.tensor(0))}; }

Values frexp_body(Call& c) {
  const Value a = c.tensor(0);
  if (!is_floating(a->dtype))
    fail(ErrorKind::runtime, "torch.frexp() only supports floating-point dtypes");
  return {mantissa(a), cast(binary_exponent(a), DType::int32)};
}

// A polynomial at a number, of many degrees.
#define POLYNOMIAL(name_)                                \
  {.name = #name_,                                       \
   .signature = "(Number input, Tensor n) -> Tensor",    \
   .doc = "The polynomials of degrees n at one number.", \
   .example = "special." #name_ "(0.5, tensor([2, 3]))", \
   .body = number_first<name_>,                          \
   .module = "_special"}

constexpr Op kOps[] = {
    {.name = "add",
     .signature = "(Operand input, Operand other, *, Number alpha=1) -> Tensor",
     .doc = "input + alpha * other.",
     .example = "add(tensor([1., 2.]), 3, alpha=10)",
     .body = with_alpha<add, add_scaled>,
     .inplace = true},
    {.name = "sub",
     .signature = "(Operand input, Operand other, *, Number alpha=1) -> Tensor",
     .doc = "input - alpha * other.",
     .example = "sub(tensor([1., 2.]), 3, alpha=10)",
     .body = with_alpha<sub, sub_scaled>,
     .inplace = true,
     .aliases = "subtract"},
    {.name = "rsub",
     .signature = "(Tensor input, Operand other, Number alpha=1) -> Tensor",
     .doc = "other - alpha * input.",
     .example = "rsub(tensor([1., 2.]), 3)",
     .body = rsub_body,
     .method = false},
    {.name = "div",
     .signature = "(Operand input, Operand other, *, str? rounding_mode) -> Tensor",
     .doc = "The quotient, rounded as rounding_mode says: None, 'floor' or 'trunc'.",
     .example = "div(tensor([7., -7.]), 2, rounding_mode='floor')",
     .body = rounded_div,
     .inplace = true,
     .aliases = "divide"},
    {.name = "remainder",
     .signature = "(Number input, Tensor other) -> Tensor",
     .doc = "Remainder with the sign of the divisor, Python's %.",
     .example = "remainder(7, tensor([4., -4.]))",
     .body = number_first<remainder>,
     .method = false,
     .out = false},
    {.name = "pow",
     .signature = "(Number input, Tensor exponent) -> Tensor",
     .doc = "input to the power of exponent.",
     .example = "pow(2, tensor([1., 2., 3.]))",
     .body = number_first<pow>,
     .method = false},
    {.name = "xlogy",
     .signature = "(Number input, Tensor other) -> Tensor",
     .doc = "input * log(other), and 0 where input is 0.",
     .example = "xlogy(2, tensor([1., 3.]))",
     .body = number_first<xlogy>,
     .method = false},
    {.name = "xlog1py",
     .signature = "(Number input, Tensor other) -> Tensor",
     .doc = "input * log1p(other), and 0 where input is 0.",
     .example = "special.xlog1py(2, tensor([1., 3.]))",
     .body = number_first<xlog1py>,
     .module = "_special"},
    {.name = "zeta",
     .signature = "(Number input, Tensor other) -> Tensor",
     .doc = "Hurwitz' zeta function of input and other.",
     .example = "special.zeta(2, tensor([1., 2.]))",
     .body = number_first<zeta>,
     .module = "_special"},
    POLYNOMIAL(chebyshev_polynomial_t),
    POLYNOMIAL(chebyshev_polynomial_u),
    POLYNOMIAL(chebyshev_polynomial_v),
    POLYNOMIAL(chebyshev_polynomial_w),
    POLYNOMIAL(shifted_chebyshev_polynomial_t),
    POLYNOMIAL(shifted_chebyshev_polynomial_u),
    POLYNOMIAL(shifted_chebyshev_polynomial_v),
    POLYNOMIAL(shifted_chebyshev_polynomial_w),
    POLYNOMIAL(hermite_polynomial_h),
    POLYNOMIAL(hermite_polynomial_he),
    POLYNOMIAL(laguerre_polynomial_l),
    POLYNOMIAL(legendre_polynomial_p),
    {.name = "bitwise_and",
     .signature = "(Number input, Tensor other) -> Tensor",
     .doc = "The bits that both have.",
     .example = "bitwise_and(12, tensor([10]))",
     .body = number_first<bitwise_and>,
     .method = false,
     .out = false},
    {.name = "bitwise_or",
     .signature = "(Number input, Tensor other) -> Tensor",
     .doc = "The bits that at least one has.",
     .example = "bitwise_or(12, tensor([10]))",
     .body = number_first<bitwise_or>,
     .method = false,
     .out = false},
    {.name = "bitwise_xor",
     .signature = "(Number input, Tensor other) -> Tensor",
     .doc = "The bits that exactly one has.",
     .example = "bitwise_xor(12, tensor([10]))",
     .body = number_first<bitwise_xor>,
     .method = false,
     .out = false},
    {.name = "bitwise_left_shift",
     .signature = "(Number input, Tensor other) -> Tensor",
     .doc = "Bits moved to the left by other places.",
     .example = "bitwise_left_shift(1, tensor([2]))",
     .body = number_first<bitwise_left_shift>,
     .method = false,
     .out = false},
    {.name = "bitwise_right_shift",
     .signature = "(Number input, Tensor other) -> Tensor",
     .doc = "Bits moved to the right by other places, keeping the sign.",
     .example = "bitwise_right_shift(4, tensor([1]))",
     .body = number_first<bitwise_right_shift>,
     .method = false,
     .out = false},
    {.name = "addcmul",
     .signature = "(Tensor input, Tensor tensor1, Tensor tensor2, *, Number value=1) -> Tensor",
     .doc = "input + value * tensor1 * tensor2.",
     .example = "addcmul(tensor([1.]), tensor([2.]), tensor([3.]), value=10)",
     .body = addcmul_body,
     .inplace = true},
    {.name = "addcdiv",
     .signature = "(Tensor input, Tensor tensor1, Tensor tensor2, *, Number value=1) -> Tensor",
     .doc = "input + value * tensor1 / tensor2.",
     .example = "addcdiv(tensor([1.]), tensor([6.]), tensor([3.]), value=10)",
     .body = addcdiv_body,
     .inplace = true},
    {.name = "clamp",
     .signature = "(Tensor input, Tensor? min=None, Tensor? max=None) -> Tensor",
     .doc = "input, held between min and max.",
     .example = "clamp(tensor([-1., 5.]), min=tensor([0., 9.]))",
     .body = clamp_body,
     .inplace = true,
     .inplace_function = true,
     .aliases = "clip"},
    {.name = "clamp",
     .signature = "(Tensor input, Scalar? min=None, Scalar? max=None) -> Tensor",
     .doc = "input, held between min and max.",
     .example = "clamp(tensor([-1., 0.5, 5.]), 0, 1)",
     .body = clamp_body,
     .inplace = true,
     .inplace_function = true,
     .aliases = "clip"},
    {.name = "where",
     .signature = "(Tensor condition, Operand input, Operand other) -> Tensor",
     .doc = "input where condition holds, other elsewhere.",
     .example = "where(tensor([True, False]), tensor([1., 2.]), 0.)",
     .body = where_body,
     .method = false,
     .out = false},
    {.name = "where",
     .signature = "(Tensor input, Tensor condition, Operand other) -> Tensor",
     .doc = "input where condition holds, other elsewhere.",
     .example = "tensor([1., 2.]).where(tensor([True, False]), 0.)",
     .body = where_method,
     .function = false},
    {.name = "square",
     .signature = "(Tensor input) -> Tensor",
     .doc = "Each element times itself.",
     .example = "square(tensor([1., -2.]))",
     .body = square_body,
     .inplace = true,
     .inplace_function = true},
    {.name = "float_power",
     .signature = "(Tensor input, Operand exponent) -> Tensor",
     .doc = "input to the power of exponent, in float64.",
     .example = "float_power(tensor([2, 3]), 2)",
     .body = float_power_body,
     .inplace = true},
    {.name = "float_power",
     .signature = "(Number input, Tensor exponent) -> Tensor",
     .doc = "input to the power of exponent, in float64.",
     .example = "float_power(2, tensor([2, 3]))",
     .body = float_power_body,
     .method = false},
    {.name = "deg2rad",
     .signature = "(Tensor input) -> Tensor",
     .doc = "Angles in degrees as radians.",
     .example = "deg2rad(tensor([180., 90.]))",
     .body = times<radians>,
     .inplace = true,
     .inplace_function = true},
    {.name = "rad2deg",
     .signature = "(Tensor input) -> Tensor",
     .doc = "Angles in radians as degrees.",
     .example = "rad2deg(tensor([0., 3.1416]))",
     .body = times<degrees>,
     .inplace = true,
     .inplace_function = true},
    {.name = "ldexp",
     .signature = "(Tensor input, Tensor other) -> Tensor",
     .doc = "input * 2**other.",
     .example = "ldexp(tensor([1.]), tensor([3]))",
     .body = ldexp_body,
     .inplace = true,
     .inplace_function = true},
    {.name = "frexp",
     .signature = "(Tensor input) -> (Tensor mantissa, Tensor exponent)",
     .doc = "input as mantissa * 2**exponent, the mantissa being at least 0.5 and below 1.",
     .example = "frexp(tensor([1., -3.]))",
     .body = frexp_body},
    {.name = "round",
     .signature = "(Tensor input, *, int decimals) -> Tensor",
     .doc = "Rounded to so many decimals; halves go to the even neighbour.",
     .example = "round(tensor([0.126]), decimals=2)",
     .body = round_body,
     .inplace = true,
     .inplace_function = true},
    {.name = "nan_to_num",
     .signature =
         "(Tensor input, float? nan=None, float? posinf=None, float? neginf=None) -> Tensor",
     .doc = "NaN and infinities replaced: by 0 and by the largest numbers unless given.",
     .example = "nan_to_num(tensor([1., float('nan')]))",
     .body = nan_to_num_body,
     .inplace = true,
     .inplace_function = true},
    {.name = "logit",
     .signature = "(Tensor input, float? eps) -> Tensor",
     .doc = "log(input / (1 - input)), input being held between eps and 1 - eps.",
     .example = "logit(tensor([0., 0.5]), 1e-6)",
     .body = logit_body,
     .inplace = true,
     .inplace_function = true},
    {.name = "isclose",
     .signature = "(Tensor input, Tensor other, float rtol=1e-05, float atol=1e-08, "
                  "bool equal_nan=False) -> Tensor",
     .doc = "True where |input - other| <= atol + rtol * |other|.",
     .example = "isclose(tensor([1., 2.]), tensor([1., 2.1]))",
     .body = isclose_body},
    {.name = "positive",
     .signature = "(Tensor input) -> Tensor",
     .doc = "input itself, +input.",
     .example = "positive(tensor([1., -2.]))",
     .body = positive_body},
    {.name = "real",
     .signature = "(Tensor input) -> Tensor",
     .doc = "input itself, which is real.",
     .example = "real(tensor([1., -2.]))",
     .body = same_body,
     .method = false,
     .aliases = "conj conj_physical resolve_conj resolve_neg"},
    {.name = "conj",
     .signature = "(Tensor input) -> Tensor",
     .doc = "input itself, which is real.",
     .example = "tensor([1., -2.]).conj()",
     .body = same_body,
     .function = false,
     .aliases = "conj_physical resolve_conj resolve_neg"},
    {.name = "isreal",
     .signature = "(Tensor input) -> Tensor",
     .doc = "True everywhere.",
     .example = "isreal(tensor([1., -2.]))",
     .body = isreal_body},
    {.name = "polygamma",
     .signature = "(int n, Tensor input) -> Tensor",
     .doc = "The nth derivative of digamma.",
     .example = "polygamma(1, tensor([1., 4.]))",
     .body = polygamma_body,
     .method = false},
    {.name = "polygamma",
     .signature = "(Tensor input, int n) -> Tensor",
     .doc = "The nth derivative of digamma.",
     .example = "tensor([1., 4.]).polygamma(1)",
     .body = polygamma_method,
     .function = false,
     .inplace = true},
    {.name = "mvlgamma",
     .signature = "(Tensor input, int p) -> Tensor",
     .doc = "Logarithm of the multivariate gamma function of dimension p.",
     .example = "mvlgamma(tensor([3., 4.]), 2)",
     .body = mvlgamma_body,
     .inplace = true},
    {.name = "selu",
     .signature = "(Tensor input) -> Tensor",
     .doc = "elu, scaled so that it keeps mean 0 and variance 1.",
     .example = "selu(tensor([-1., 2.]))",
     .body = selu_body,
     .method = false,
     .inplace_function = true},
    {.name = "gelu",
     .signature = "(Tensor input, *, str approximate) -> Tensor",
     .doc = "gelu itself, or by tanh.",
     .example = "nn.functional.gelu(tensor([-1., 2.]), approximate='tanh')",
     .body = gelu_body,
     .module = "_nn"},
    {.name = "prelu",
     .signature = "(Tensor input, Tensor weight) -> Tensor",
     .doc = "leaky_relu whose slope is learnt: one, or one for each channel.",
     .example = "prelu(tensor([-1., 2.]), tensor([0.25]))",
     .body = prelu_body},
    {.name = "glu",
     .signature = "(Tensor input, int dim=-1) -> Tensor",
     .doc = "The first half of input along dim, times sigmoid of the second.",
     .example = "nn.functional.glu(tensor([1., 2., 3., 4.]))",
     .body = glu_body,
     .module = "_nn"},
};

}  // namespace

std::span<const Op> compose_ops() { return kOps; }

}  // namespace wend
