// Scalar math for which speed hardly matters: libm's functions under one name for float and double,
// and those that libm lacks. What loops should vectorise is in math.inl.
#pragma once

#include <cstdint>

#include "kernels/level/math.inl"

extern "C" float lgammaf_r(float, int*) noexcept;
extern "C" double lgamma_r(double, int*) noexcept;

namespace wend {
namespace {

constexpr double pi = 0x1.921fb54442d18p1;

#define WEND_LIBM(name) \
  WEND_MATH double m_##name(double x) { return __builtin_##name(x); }
WEND_LIBM(tan)
WEND_LIBM(asin)
WEND_LIBM(acos)
WEND_LIBM(atan)
WEND_LIBM(sinh)
WEND_LIBM(cosh)
WEND_LIBM(asinh)
WEND_LIBM(acosh)
WEND_LIBM(atanh)
#undef WEND_LIBM
WEND_MATH double m_pow(double x, double y) { return __builtin_pow(x, y); }
WEND_MATH double m_hypot(double x, double y) { return __builtin_hypot(x, y); }

// Trigonometry for every argument: the fast formula where it holds, libm elsewhere.
WEND_MATH float m_sin(float x) {
  return m_abs(x) <= Real<float>::trig_max ? sin_of_ordinary(x) : __builtin_sinf(x);
}
WEND_MATH double m_sin(double x) {
  return m_abs(x) <= Real<double>::trig_max ? sin_of_ordinary(x) : __builtin_sin(x);
}
WEND_MATH float m_cos(float x) {
  return m_abs(x) <= Real<float>::trig_max ? cos_of_ordinary(x) : __builtin_cosf(x);
}
WEND_MATH double m_cos(double x) {
  return m_abs(x) <= Real<double>::trig_max ? cos_of_ordinary(x) : __builtin_cos(x);
}
WEND_MATH float m_tan(float x) {
  return m_abs(x) <= Real<float>::trig_max ? tan_of_ordinary(x) : __builtin_tanf(x);
}

WEND_MATH float slow_atan2(float y, float x) { return __builtin_atan2f(y, x); }
WEND_MATH double slow_atan2(double y, double x) { return __builtin_atan2(y, x); }
WEND_MATH float slow_erfc(float x) { return __builtin_erfcf(x); }
WEND_MATH double slow_erfc(double x) { return __builtin_erfc(x); }
WEND_MATH float slow_ldexp(float x, float n) {
  return __builtin_ldexpf(x, static_cast<int>(n < -4096 ? -4096 : n > 4096 ? 4096 : n));
}
WEND_MATH double slow_ldexp(double x, double n) {
  return __builtin_ldexp(x, static_cast<int>(n < -4096 ? -4096 : n > 4096 ? 4096 : n));
}
WEND_MATH float slow_nextafter(float x, float y) { return __builtin_nextafterf(x, y); }
WEND_MATH double slow_nextafter(double x, double y) { return __builtin_nextafter(x, y); }

// The plain lgamma writes to a global variable.
WEND_MATH float slow_lgamma(float x) {
  int sign;
  return lgammaf_r(x, &sign);
}
WEND_MATH double slow_lgamma(double x) {
  int sign;
  return lgamma_r(x, &sign);
}

// exp(x^2) erfc(x); for large x a continued fraction, evaluated from its far end.
[[gnu::noinline]] inline double slow_erfcx(double x) {
  if (!(x > 10)) return __builtin_exp(x * x) * __builtin_erfc(x);
  double rest = x;
  for (int k = 40; k > 0; --k) rest = x + 0.5 * k / rest;
  return 0x1.20dd750429b6dp-1 / rest;
}
WEND_MATH float slow_erfcx(float x) {
  return static_cast<float>(slow_erfcx(static_cast<double>(x)));
}

[[gnu::noinline]] inline double slow_log_ndtr(double x) {
  const double y = x * -0x1.6a09e667f3bcdp-1;
  if (x > -1) return __builtin_log1p(-0.5 * __builtin_erfc(-y));
  return __builtin_log(0.5 * slow_erfcx(y)) - y * y;
}
WEND_MATH float slow_log_ndtr(float x) {
  return static_cast<float>(slow_log_ndtr(static_cast<double>(x)));
}

// Newton's method on the logarithm of the distribution function, which is nearly a parabola in the
// lower half; the upper half is its mirror image.
[[gnu::noinline]] inline double slow_ndtri(double p) {
  if (!(p > 0 && p < 1))
    return p == 0 ? -Real<double>::inf : p == 1 ? Real<double>::inf : Real<double>::nan;
  if (p > 0.5) return -slow_ndtri(1 - p);
  const double target = __builtin_log(p);
  double x = -m_sqrt(-2 * (target + 0x1.62e42fefa39efp-1));
  for (int step = 0; step < 60; ++step) {
    const double slope = 0x1.9884533d43651p-1 / slow_erfcx(x * -0x1.6a09e667f3bcdp-1);
    const double move = (slow_log_ndtr(x) - target) / slope;
    x -= move;
    if (m_abs(move) <= 1e-15 * m_abs(x)) break;
  }
  return x;
}
WEND_MATH float slow_ndtri(float x) {
  return static_cast<float>(slow_ndtri(static_cast<double>(x)));
}

// Giles' form: erfinv(x) / x is a smooth function of w = -log(1 - x^2), and of its root for large w.
WEND_MATH float m_erfinv(float x) {
  const double y = x;
  const double w = -m_log((1 - y) * (1 + y)), u = w - 2.5, v = m_sqrt(w) - 3;
  const double small = poly(u, 0x1.805c5cff7ee53p0, 0x1.f91e899742e57p-3, -0x1.11c3e13e4a523p-8,
                            -0x1.4863d431b799bp-10, 0x1.c9bb716435149p-13, -0x1.4f41a4cd5e132p-18,
                            -0x1.cbd76803efdf6p-19, 0x1.00efa39ce0b2cp-21, 0x1.1af6e6a057ef7p-26,
                            -0x1.7498ab108fba6p-27, 0x1.df923ea5d56b6p-32, 0x1.0d31a5c2af4cdp-33);
  const double large = poly(v, 0x1.6a9efbd744292p1, 0x1.006dca0a993cep0, 0x1.358284cecd1d7p-7,
                            -0x1.f4e4d6dc62a64p-8, 0x1.74996b4b1cb09p-8, -0x1.d34f74683a78ep-9,
                            0x1.85373d4d8732bp-10, -0x1.08c427bdcfb6fp-13, -0x1.3478077d44494p-12,
                            0x1.679e85a1dad0ep-13, -0x1.42ad90fa39717p-16, -0x1.efaa8cf7d75cap-18);
  const double ratio = w < 5 ? small : large;
  return m_abs(x) == 1 ? x * Real<float>::inf : static_cast<float>(y * ratio);
}

// Halley's method on erf(y) = x, or on erfc near the ends where erf has lost what tells x from 1.
[[gnu::noinline]] inline double m_erfinv(double x) {
  const double target = m_abs(x);
  if (!(target < 1)) return target == 1 ? m_copysign(Real<double>::inf, x) : Real<double>::nan;
  const double w = -__builtin_log1p(-target * target);
  const double b = 2 / (pi * 0.147) - 0.5 * w;
  double y = m_sqrt(m_sqrt(b * b + w / 0.147) - b);  // Winitzki's guess, good to 0.2 %
  for (int step = 0; step < 3; ++step) {
    const double error =
        target < 0.5 ? __builtin_erf(y) - target : (1 - target) - __builtin_erfc(y);
    const double u = error / (0x1.20dd750429b6dp0 * __builtin_exp(-y * y));
    y -= u / (1 + y * u);
  }
  return m_copysign(y, x);
}

[[gnu::noinline]] inline double slow_digamma(double x) {
  if (x == 0) return m_copysign(Real<double>::inf, -x);
  if (x < 0) {
    if (x == __builtin_floor(x)) return Real<double>::nan;
    return slow_digamma(1 - x) - pi / __builtin_tan(pi * (x - __builtin_trunc(x)));
  }
  double sum = 0;
  for (; x < 10; ++x) sum -= 1 / x;
  const double y = 1 / (x * x);
  const double series =
      poly(y, 1.0 / 12, -1.0 / 120, 1.0 / 252, -1.0 / 240, 1.0 / 132, -691.0 / 32760, 1.0 / 12);
  return sum + __builtin_log(x) - 0.5 / x - y * series;
}
WEND_MATH float slow_digamma(float x) {
  return static_cast<float>(slow_digamma(static_cast<double>(x)));
}

// Hurwitz' zeta for s > 1 and q > 0: the first terms, then Euler and Maclaurin's formula for the
// rest.
inline double zeta_of_positive(double s, double q) {
  const double inf = Real<double>::inf;
  if (q == inf) return 0;
  if (s == inf) return q > 1 ? 0 : q == 1 ? 1 : inf;
  double sum = 0;
  for (; q < 16; ++q) sum += __builtin_pow(q, -s);
  double term = __builtin_pow(q, -s);
  sum += term * q / (s - 1) + 0.5 * term;
  // Bernoulli numbers over factorials, B_2k / (2k)!
  const double ratios[] = {
      1.0 / 12,          -1.0 / 720,     1.0 / 30240,
      -1.0 / 1209600,    1.0 / 47900160, -691.0 / 1307674368e3,
      1.0 / 74724249600,
  };
  term *= s / q;
  for (int k = 0; k < 7; ++k) {
    sum += ratios[k] * term;
    term *= (s + 2 * k + 1) * (s + 2 * k + 2) / (q * q);
  }
  return sum;
}

// ... and for other q, where s is whole: what lies below 0 is a sum as well, of opposite numbers.
inline double hurwitz_zeta(double s, double q) {
  if (!(q <= 0)) return zeta_of_positive(s, q);
  const double floor = __builtin_floor(q), above = q - floor;
  if (above == 0) return Real<double>::inf;
  const double below = zeta_of_positive(s, 1 - above) - zeta_of_positive(s, 1 - q);
  return zeta_of_positive(s, above) + (is_whole(0.5 * s) ? below : -below);
}

// The nth derivative of digamma, n a whole number.
[[gnu::noinline]] inline double slow_polygamma(double n, double x) {
  if (n == 0) return slow_digamma(x);
  const double magnitude = __builtin_tgamma(n + 1) * hurwitz_zeta(n + 1, x);
  return is_whole(0.5 * n) ? -magnitude : magnitude;
}
WEND_MATH float slow_polygamma(float n, float x) {
  return static_cast<float>(slow_polygamma(static_cast<double>(n), static_cast<double>(x)));
}

}  // namespace
}  // namespace wend
