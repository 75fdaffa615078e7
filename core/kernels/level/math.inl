// Scalar math without branches, so that loops over it vectorise; float and double share an
// algorithm wherever only constants differ. Leaves loops to elementwise.inl, and what is rare to
// rare_math.inl.
#pragma once

#include <cstdint>

#define WEND_MATH [[gnu::always_inline]] inline

namespace wend {
namespace {

// Constants end in polynomials fitted by minimax for this file. A number that is split (hi, lo,
// ...) has so few bits in its leading parts that a product with a small integer is exact.
template <class T>
struct Real;

template <>
struct Real<float> {
  using Bits = uint32_t;
  static constexpr int mantissa = 23, bias = 127;
  static constexpr float round = 0x1.8p23f;  // adding and subtracting it rounds to an integer
  static constexpr float min_normal = 0x1p-126f, inf = __builtin_inff(), nan = __builtin_nanf("");
  static constexpr float log2e = 0x1.715476p0f, ln2 = 0x1.62e43p-1f;
  static constexpr float ln2_hi = 0x1.62e4p-1f, ln2_lo = 0x1.7f7d1cp-20f;
  static constexpr float exp_min = -104, exp_max = 89, exp2_min = -151, exp2_max = 129;
  static constexpr float exp_ordinary = 87;
  static constexpr float tanh_one = 10;    // from here on tanh is 1
  static constexpr float tiny = 0x1p-26f;  // below it f(x) = x for every odd f with f'(0) = 1
  static constexpr float trig_max = 1e5f;  // the reduction by pi is exact enough up to here
};

template <>
struct Real<double> {
  using Bits = uint64_t;
  static constexpr int mantissa = 52, bias = 1023;
  static constexpr double round = 0x1.8p52;
  static constexpr double min_normal = 0x1p-1022, inf = __builtin_inf(), nan = __builtin_nan("");
  static constexpr double log2e = 0x1.71547652b82fep0, ln2 = 0x1.62e42fefa39efp-1;
  static constexpr double ln2_hi = 0x1.62e42fefa38p-1, ln2_lo = 0x1.ef35793c7673p-45;
  static constexpr double exp_min = -746, exp_max = 710, exp2_min = -1076, exp2_max = 1025;
  static constexpr double exp_ordinary = 708;
  static constexpr double tanh_one = 22;
  static constexpr double tiny = 0x1p-54;
  static constexpr double trig_max = 1e6;
};

WEND_MATH uint32_t bits_of(float x) { return __builtin_bit_cast(uint32_t, x); }
WEND_MATH uint64_t bits_of(double x) { return __builtin_bit_cast(uint64_t, x); }
WEND_MATH float from_bits(uint32_t x) { return __builtin_bit_cast(float, x); }
WEND_MATH double from_bits(uint64_t x) { return __builtin_bit_cast(double, x); }

// A file whose results must be the same on every machine defines WEND_NO_FMA.
#if defined(__FP_FAST_FMA) && defined(__FP_FAST_FMAF) && !defined(WEND_NO_FMA)
#define WEND_FMA
#endif

// a * b + c, in one rounding where the machine does that at full speed.
WEND_MATH float mul_add(float a, float b, float c) {
#ifdef WEND_FMA
  return __builtin_fmaf(a, b, c);
#else
  return a * b + c;
#endif
}
WEND_MATH double mul_add(double a, double b, double c) {
#ifdef WEND_FMA
  return __builtin_fma(a, b, c);
#else
  return a * b + c;
#endif
}
// The same with an exact product on every machine.
WEND_MATH float exact_mul_add(float a, float b, float c) {
#ifdef WEND_FMA
  return __builtin_fmaf(a, b, c);
#else
  return static_cast<float>(static_cast<double>(a) * b + c);
#endif
}

// c0 + x * (c1 + x * (c2 + ...))
template <class T>
WEND_MATH T poly(T, T c0) {
  return c0;
}
template <class T, class... C>
WEND_MATH T poly(T x, T c0, C... rest) {
  return mul_add(poly(x, rest...), x, c0);
}

WEND_MATH float m_abs(float x) { return __builtin_fabsf(x); }
WEND_MATH double m_abs(double x) { return __builtin_fabs(x); }
WEND_MATH float m_copysign(float x, float sign) { return __builtin_copysignf(x, sign); }
WEND_MATH double m_copysign(double x, double sign) { return __builtin_copysign(x, sign); }
WEND_MATH float m_sqrt(float x) { return __builtin_sqrtf(x); }
WEND_MATH double m_sqrt(double x) { return __builtin_sqrt(x); }
template <class T>
WEND_MATH T m_rsqrt(T x) {
  return 1 / m_sqrt(x);
}
// NaN stays NaN.
template <class T>
WEND_MATH T m_clamp(T x, T low, T high) {
  x = x < low ? low : x;
  return x > high ? high : x;
}

// Exponentials: x = n ln2 + r, exp(x) = 2^n exp(r).

// expm1(r) for |r| <= ln2 / 2.
WEND_MATH float expm1_near_0(float r) {
  return mul_add(
      r * r, poly(r, 0x1p-1f, 0x1.5554aep-3f, 0x1.555476p-5f, 0x1.1229e2p-7f, 0x1.6daabp-10f), r);
}
WEND_MATH double expm1_near_0(double r) {
  return mul_add(r * r,
                 poly(r, 0x1.0000000000005p-1, 0x1.555555555555ep-3, 0x1.5555555551f92p-5,
                      0x1.111111110ddffp-7, 0x1.6c16c17f9b687p-10, 0x1.a01a01b992a8fp-13,
                      0x1.a019a54564661p-16, 0x1.71dde015cdbeap-19, 0x1.28a3f9d9f71fdp-22,
                      0x1.af88e740376aep-26),
                 r);
}

template <class T>
struct Power {
  typename Real<T>::Bits exponent;  // n + 2 bias in its low bits, rubbish above
  T rest;

  // 2^n (1 + y) in two steps, so that a denormal result is rounded once and 2^n itself may
  // overflow.
  WEND_MATH T scale(T y) const {
    const auto half = exponent >> 1;
    const T first = from_bits(half << Real<T>::mantissa);
    return mul_add(y, first, first) * from_bits((exponent - half) << Real<T>::mantissa);
  }
  // 2^(n-1), for -bias < n - 1 <= bias.
  WEND_MATH T half_power() const {
    return from_bits((exponent - Real<T>::bias - 1) << Real<T>::mantissa);
  }
};

template <class T>
WEND_MATH Power<T> split_power(T x) {
  using R = Real<T>;
  const T shift = R::round + 2 * R::bias;
  const T shifted = mul_add(x, R::log2e, shift);
  const T n = shifted - shift;
  const T rest = mul_add(n, -R::ln2_lo, mul_add(n, -R::ln2_hi, x));
  return {bits_of(shifted), rest};
}

template <class T>
WEND_MATH T m_exp(T x) {
  const auto power = split_power(m_clamp(x, Real<T>::exp_min, Real<T>::exp_max));
  return power.scale(expm1_near_0(power.rest));
}

// exp(x) where |x| <= exp_ordinary, so that the result is normal.
template <class T>
WEND_MATH T exp_of_ordinary(T x) {
  const auto power = split_power(x);
  const T two_n = from_bits((power.exponent - Real<T>::bias) << Real<T>::mantissa);
  return mul_add(expm1_near_0(power.rest), two_n, two_n);
}

template <class T>
WEND_MATH T m_exp2(T x) {
  using R = Real<T>;
  x = m_clamp(x, R::exp2_min, R::exp2_max);
  const T shift = R::round + 2 * R::bias;
  const T shifted = x + shift;
  const T rest = (x - (shifted - shift)) * R::ln2;
  return Power<T>{bits_of(shifted), rest}.scale(expm1_near_0(rest));
}

// Half of expm1(x), for x in [-40, exp_max]; exact in relative terms down to 0.
template <class T>
WEND_MATH T half_expm1(T x) {
  const auto power = split_power(x);
  const T half = power.half_power();
  return mul_add(expm1_near_0(power.rest), half, half - T(0.5));
}

template <class T>
WEND_MATH T m_expm1(T x) {
  const T result = 2 * half_expm1(m_clamp(x, T(-40), Real<T>::exp_max));
  return m_abs(x) < Real<T>::tiny ? x : result;
}

template <class T>
WEND_MATH T m_sigmoid(T x) {
  const T e = m_exp(-m_abs(x));
  return (x < 0 ? e : 1) / (1 + e);
}

template <class T>
WEND_MATH T m_tanh(T x) {
  const T y = m_abs(x) > Real<T>::tanh_one ? Real<T>::tanh_one : m_abs(x);
  const T half = half_expm1(2 * y);
  return m_copysign(half / (half + 1), x);
}

// Logarithms: x = 2^e (1 + f) with 1 + f in [sqrt(1/2), sqrt(2)).

template <class T>
struct Logarithm {
  T e, f;
};

// For a positive normal x.
template <class T>
WEND_MATH Logarithm<T> split_normal(T x) {
  using R = Real<T>;
  using Bits = typename R::Bits;
  const Bits one = bits_of(T(1)), sqrt_half = bits_of(T(0x1.6a09e667f3bcdp-1));
  const T integer = T(Bits(1) << R::mantissa);
  const Bits shifted = bits_of(x) + (one - sqrt_half);
  const T exponent = from_bits((shifted >> R::mantissa) | bits_of(integer));
  const T m = from_bits((shifted & ((Bits(1) << R::mantissa) - 1)) + sqrt_half);
  return {exponent - (integer + R::bias), m - 1};
}

template <class T>
WEND_MATH Logarithm<T> split_logarithm(T x) {
  using R = Real<T>;
  const bool denormal = x < R::min_normal;
  const auto [e, f] = split_normal(denormal ? x * T(typename R::Bits(1) << R::mantissa) : x);
  return {e - (denormal ? R::mantissa : 0), f};
}

// log(1 + f) - f
WEND_MATH float log1p_rest(float f) {
  const float p = poly(f, 0x1.555554p-2f, -0x1.000228p-2f, 0x1.99a036p-3f, -0x1.54721ap-3f,
                       0x1.22d5b2p-3f, -0x1.0d826cp-3f, 0x1.057b1p-3f, -0x1.391656p-4f);
  return f * f * mul_add(f, p, -0.5f);
}
WEND_MATH double log1p_rest(double f) {
  const double s = f / (2 + f), z = s * s, half = 0.5 * f * f;
  const double p =
      poly(z, 0x1.555555555557cp-1, 0x1.999999998575dp-2, 0x1.2492493ddef0fp-2,
           0x1.c71c54e2c66ddp-3, 0x1.7465ba1da2a16p-3, 0x1.39add98b6cb3fp-3, 0x1.2e952b2a9b389p-3);
  return s * mul_add(z, p, half) - half;
}

// The logarithm of x, given what the formula for positive finite numbers made of it.
template <class T>
WEND_MATH T log_of_any(T x, T formula) {
  const T special = x == 0 ? -Real<T>::inf : x < 0 ? Real<T>::nan : x;
  return (x > 0) & (x < Real<T>::inf) ? formula : special;
}

// e ln2 + log(1 + f)
template <class T>
WEND_MATH T join_logarithm(Logarithm<T> x) {
  const T rest = mul_add(x.e, Real<T>::ln2_lo, log1p_rest(x.f));
  return mul_add(x.e, Real<T>::ln2_hi, x.f + rest);
}

template <class T>
WEND_MATH T m_log(T x) {
  return log_of_any(x, join_logarithm(split_logarithm(x)));
}

// log(x) where x is positive, normal and finite.
template <class T>
WEND_MATH T log_of_ordinary(T x) {
  return join_logarithm(split_normal(x));
}

WEND_MATH float m_log2(float x) {
  const auto [e, f] = split_logarithm(x);
  const float p =
      poly(f, 0x1.715476p0f, -0x1.71547p-1f, 0x1.ec73dap-2f, -0x1.715c5p-2f, 0x1.26d33ap-2f,
           -0x1.e95b38p-3f, 0x1.b9cde4p-3f, -0x1.a88358p-3f, 0x1.01b1fcp-3f);
  return log_of_any(x, mul_add(f, p, e));
}
WEND_MATH double m_log2(double x) {
  const auto [e, f] = split_logarithm(x);
  const double rest = log1p_rest(f);
  const double lo = 0x1.777d0ffda0d24p-56;  // of log2(e)
  return log_of_any(
      x, e + mul_add(f, Real<double>::log2e, mul_add(f, lo, rest * Real<double>::log2e)));
}

WEND_MATH float m_log10(float x) {
  const auto [e, f] = split_logarithm(x);
  const float p =
      poly(f, 0x1.bcb7bp-2f, -0x1.bcb7aap-3f, 0x1.287c68p-3f, -0x1.bcc126p-4f, 0x1.63013ap-4f,
           -0x1.269f32p-4f, 0x1.09fe2p-4f, -0x1.ff2a26p-5f, 0x1.364bc8p-5f);
  return log_of_any(x, mul_add(e, 0x1.344p-2f, mul_add(f, p, e * 0x1.3509f8p-18f)));
}
WEND_MATH double m_log10(double x) {
  const auto [e, f] = split_logarithm(x);
  const double hi = 0x1.bcb7b1526e50ep-2, lo = 0x1.95355baaafad3p-57;  // log10(e)
  const double rest = mul_add(f, lo, log1p_rest(f) * hi);
  return log_of_any(
      x, mul_add(e, 0x1.34413509f78p-2, mul_add(f, hi, mul_add(e, 0x1.fef311f12b358p-46, rest))));
}

template <class T>
WEND_MATH T m_log1p(T x) {
  const T u = 1 + x, v = u - 1;
  const T lost = (1 - (u - v)) + (x - v);  // u + lost is 1 + x exactly
  const auto [e, f] = split_logarithm(u);
  const T rest = mul_add(e, Real<T>::ln2_lo, log1p_rest(f)) + lost / u;
  const T result = log_of_any(u, mul_add(e, Real<T>::ln2_hi, f + rest));
  return m_abs(x) < Real<T>::tiny ? x : result;
}

// Trigonometry, for |x| <= trig_max: x = n pi + r, and sin(r) by one polynomial up to pi / 2.

// (sin(r) - r) / r^3 by z = r^2.
WEND_MATH float sin_rest(float z) {
  return poly(z, -0x1.55554ep-3f, 0x1.110f18p-7f, -0x1.9f7a28p-13f, 0x1.5e374p-19f);
}
WEND_MATH double sin_rest(double z) {
  return poly(z, -0x1.5555555555555p-3, 0x1.11111111110c8p-7, -0x1.a01a01a014d6ep-13,
              0x1.71de3a52a0a5cp-19, -0x1.ae6454d46b25dp-26, 0x1.6123cd03c8b71p-33,
              -0x1.ae438331fd7d1p-41, 0x1.88327c2fef58cp-49);
}
template <class T>
WEND_MATH T sin_within_half_pi(T r) {
  const T z = r * r;
  return m_clamp(mul_add(r * z, sin_rest(z), r), T(-1), T(1));
}

// x - n pi / 2
WEND_MATH float reduce_half_pi(float x, float n) {
  const float r = exact_mul_add(n, -0x1.921fb6p0f, x);
  return exact_mul_add(n, 0x1.ee59dap-50f, exact_mul_add(n, 0x1.777a5cp-25f, r));
}
WEND_MATH double reduce_half_pi(double x, double n) {
  const double r = mul_add(n, -0x1.921fb544p0, x);
  return mul_add(n, -0x1.3198a2e037073p-69, mul_add(n, -0x1.0b4611a6p-34, r));
}

template <class T>
WEND_MATH T flip_sign(T x, typename Real<T>::Bits odd) {
  return from_bits(bits_of(x) ^ (odd << (8 * sizeof(T) - 1)));
}

template <class T>
WEND_MATH T sin_of_ordinary(T x) {
  const T shifted = mul_add(x, T(0x1.45f306dc9c883p-2), Real<T>::round);
  const T r = reduce_half_pi(x, 2 * (shifted - Real<T>::round));
  return x == 0 ? x : flip_sign(sin_within_half_pi(r), bits_of(shifted));
}

template <class T>
WEND_MATH T cos_of_ordinary(T x) {
  const T shifted = mul_add(x, T(0x1.45f306dc9c883p-2), T(-0.5)) + Real<T>::round;
  const T r = reduce_half_pi(x, 2 * (shifted - Real<T>::round) + 1);
  return flip_sign(sin_within_half_pi(r), bits_of(shifted) + 1);
}

WEND_MATH float tan_of_ordinary(float x) {
  const float shifted = mul_add(x, 0x1.45f306p-1f, Real<float>::round);
  const float r = reduce_half_pi(x, shifted - Real<float>::round), z = r * r;
  const float t = mul_add(r * z,
                          poly(z, 0x1.5555p-2f, 0x1.112922p-3f, 0x1.b5fe6ap-5f, 0x1.8db4e8p-6f,
                               0x1.b4169ep-9f, 0x1.3021bp-7f),
                          r);
  return x == 0 ? x : (bits_of(shifted) & 1) ? -1 / t : t;
}

WEND_MATH float m_atan(float x) {
  const float y = m_abs(x);
  const bool inverted = y > 1;
  const float t = inverted ? 1 / y : y, z = t * t;
  const float a = mul_add(
      t * z,
      poly(z, -0x1.555548p-2f, 0x1.9993dep-3f, -0x1.243328p-3f, 0x1.c13e9p-4f, -0x1.59ef12p-4f,
           0x1.e0511p-5f, -0x1.049c64p-5f, 0x1.704a2p-7f, -0x1.e86e86p-10f),
      t);
  return m_copysign(inverted ? 0x1.921fb6p0f - (a + 0x1.777a5cp-25f) : a, x);
}

// asin(t) for t in [0, 1/2].
WEND_MATH float asin_to_half(float t) {
  const float z = t * t;
  return mul_add(
      t * z, poly(z, 0x1.5555acp-3f, 0x1.3308dp-4f, 0x1.73edaep-5f, 0x1.910422p-6f, 0x1.55bac4p-5f),
      t);
}

WEND_MATH float m_asin(float x) {
  const float y = m_abs(x);
  const bool large = y > 0.5f;
  const float a = asin_to_half(large ? m_sqrt(0.5f - 0.5f * y) : y);
  return m_copysign(large ? 0x1.921fb6p0f - (2 * a + 0x1.777a5cp-25f) : a, x);
}

WEND_MATH float m_acos(float x) {
  const float y = m_abs(x);
  const bool large = y > 0.5f;
  const float a = asin_to_half(large ? m_sqrt(0.5f - 0.5f * y) : y);
  const float outer = x < 0 ? 0x1.921fb6p1f - (2 * a + 0x1.777a5cp-24f) : 2 * a;
  return large ? outer : 0x1.921fb6p0f - (m_copysign(a, x) + 0x1.777a5cp-25f);
}

// Where a formula loses figures in float, it is used in double, whose range also spares special
// cases.

WEND_MATH float m_sinh(float x) {
  const double y = x, e = m_exp(m_clamp(y, -100.0, 100.0));
  const double near_0 = mul_add(y * y * y, 1.0 / 6, y);
  return static_cast<float>(m_abs(y) < 1e-3 ? near_0 : 0.5 * (e - 1 / e));
}
WEND_MATH float m_cosh(float x) {
  const double e = m_exp(m_clamp(static_cast<double>(x), -100.0, 100.0));
  return static_cast<float>(0.5 * (e + 1 / e));
}
WEND_MATH float m_asinh(float x) {
  const double y = m_abs(static_cast<double>(x));
  const double near_0 = mul_add(y * y * y, -1.0 / 6, y);
  const double a = y < 1e-3 ? near_0 : m_log(y + m_sqrt(mul_add(y, y, 1.0)));
  return m_copysign(static_cast<float>(a), x);
}
WEND_MATH float m_acosh(float x) {
  const double y = x;
  return static_cast<float>(m_log(y < 1 ? -1 : y + m_sqrt(mul_add(y, y, -1.0))));
}
WEND_MATH float m_atanh(float x) {
  const double y = m_abs(static_cast<double>(x));
  const double near_0 = mul_add(y * y * y, 1.0 / 3, y);
  const double a = y < 1e-3 ? near_0 : 0.5 * m_log((1 + y) / (1 - y));
  return m_copysign(static_cast<float>(a), x);
}
WEND_MATH float m_hypot(float x, float y) {
  const double a = x, b = y;
  const float h = static_cast<float>(m_sqrt(mul_add(a, a, b * b)));
  return (m_abs(x) == Real<float>::inf) | (m_abs(y) == Real<float>::inf) ? Real<float>::inf : h;
}

// erf: a polynomial up to 1, beyond it one minus a fast-falling tail.

WEND_MATH float m_erf(float x) {
  const float y = m_abs(x), z = x * x;
  const float p = poly(z, 0x1.06eba8p-3f, -0x1.81273ep-2f, 0x1.ce2ce6p-4f, -0x1.b7f71ep-6f,
                       0x1.53f256p-8f, -0x1.a3532p-11f, 0x1.477792p-14f);
  const float t = y > 4 ? 4 : y;
  const float log_tail = poly(t, 0x1.97af9p-13f, 0x1.20b63cp0f, 0x1.4607ap-1f, 0x1.ac5e1p-4f,
                              -0x1.75203cp-6f, 0x1.b015bap-9f, -0x1.0d9decp-12f, 0x1.93b17cp-18f);
  const auto power = split_power(-log_tail);
  const float tail = 2 * power.half_power() * (1 + expm1_near_0(power.rest));
  return m_copysign(y < 1 ? mul_add(y, p, y) : 1 - tail, x);
}
WEND_MATH double m_erf(double x) {
  const double y = m_abs(x), z = x * x;
  const double p = poly(z, 0x1.06eba8214db68p-3, -0x1.812746b03799dp-2, 0x1.ce2f21a03f8b8p-4,
                        -0x1.b82ce311a9708p-6, 0x1.565bcceed77bdp-8, -0x1.c02daeb66d4fcp-11,
                        0x1.f9a296a1dd90fp-14, -0x1.f4c82d9c5eeabp-17, 0x1.b96b46d0c3858p-20,
                        -0x1.5b8bf5bcb5808p-23, 0x1.d3d9ff7969591p-27, -0x1.a231cb7081501p-31);
  const double t = y > 6 ? 6 : y;
  const double q =
      poly((t - 3) / (t + 3), 0x1.6e9827d229d2fp-3, -0x1.4e102b9cf8dedp-2, 0x1.f6ff2040ddb38p-3,
           -0x1.336ffbf094824p-3, 0x1.258b13c0d6921p-4, -0x1.8fa584a3d2ff5p-6, 0x1.17c9d8079a408p-8,
           0x1.735b54cbe257fp-11, -0x1.37f305b922dcbp-11, 0x1.a555081411ae7p-15,
           0x1.2c74e69a37055p-14, -0x1.afbbd95ff13dp-18, -0x1.b95f68f7684f1p-18);
  const auto power = split_power(-t * t);
  const double tail = 2 * power.half_power() * (1 + expm1_near_0(power.rest)) * q;
  return m_copysign(y < 1 ? mul_add(y, p, y) : 1 - tail, x);
}

// x^y = 2^(y log2 |x|), in double; the sign and the cases that IEEE 754 names are put right after.

WEND_MATH bool is_whole(double x) {
  const double y = m_abs(x);
  return (y >= 0x1p52) | ((y + 0x1p52) - 0x1p52 == y);
}

WEND_MATH double log2_to_45_bits(double x) {
  const auto [e, f] = split_logarithm(x);
  const double s = f / (2 + f);
  return mul_add(s,
                 poly(s * s, 0x1.71547652b8251p1, 0x1.ec709dc53d1b6p-1, 0x1.2776c292601cap-1,
                      0x1.a61a2f865e5a3p-2, 0x1.4795361141c5p-2, 0x1.21b2cf57023cfp-2),
                 e);
}

WEND_MATH float m_pow(float base, float exponent) {
  const double x = base, y = exponent, magnitude = m_abs(x);
  const double log2 = log_of_any(magnitude, log2_to_45_bits(magnitude));
  const bool one = (x == 1) | (y == 0) | ((x == -1) & (m_abs(y) == Real<double>::inf));
  const double t = m_clamp(y * log2, -200.0, 200.0);
  const double shift = Real<double>::round + Real<double>::bias;
  const double shifted = t + shift;
  const double p = poly(t - (shifted - shift), 0x1.ffffffffaa6b2p-1, 0x1.62e42ff11c24fp-1,
                        0x1.ebfbe0a6c91d5p-3, 0x1.c6b08aa69fd35p-5, 0x1.3b29da8551dd8p-7,
                        0x1.5d8a7591d99b5p-10, 0x1.446b86853fb15p-13, 0x1.fe15cac24b289p-17);
  const float power = static_cast<float>(p * from_bits(bits_of(shifted) << 52));
  const bool whole = is_whole(y), odd = whole & !is_whole(0.5 * y);
  const float result = odd ? m_copysign(power, base) : power;
  const bool undefined = (x < 0) & (x > -Real<double>::inf) & !whole;
  return one ? 1 : undefined ? Real<float>::nan : result;
}

}  // namespace
}  // namespace wend
