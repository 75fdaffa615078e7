// Special functions of mathematical physics, in scalar code: Bessel and Airy functions, Hurwitz'
// zeta, the incomplete gamma function and orthogonal polynomials. All are computed in double.
#pragma once

#include <cstdint>

#include "kernels/level/rare_math.inl"

namespace wend {
namespace {

// The function of one or two floats, by way of double.
#define WEND_BY_DOUBLE(name) \
  WEND_MATH float name(float x) { return static_cast<float>(name(static_cast<double>(x))); }
#define WEND_BY_DOUBLE_2(name)                                                       \
  WEND_MATH float name(float x, float y) {                                           \
    return static_cast<float>(name(static_cast<double>(x), static_cast<double>(y))); \
  }

constexpr double enough = 1e-17;  // terms below that fraction of the sum change nothing

// Hankel's series for large x: of exp(-x) I(x) with sign -1, of exp(x) K(x) with sign 1, both
// without their factor of x^-1/2. `order` is squared, so it need not be whole.
inline double hankel_series(double order, double x, double sign) {
  double term = 1, sum = 1;
  for (int k = 1; k < 40 && m_abs(term) > enough * m_abs(sum); ++k) {
    const double odd = 2 * k - 1;
    term *= sign * (4 * order * order - odd * odd) / (8 * k * x);
    sum += term;
  }
  return sum;
}

constexpr double far_from_zero = 30;

// I of order 0 or 1 by its power series, all of whose terms are positive.
inline double bessel_i_series(int order, double x) {
  double term = order ? x / 2 : 1, sum = term;
  for (int k = 1; term > enough * sum; ++k) {
    term *= x * x / 4 / (k * (k + order));
    sum += term;
  }
  return sum;
}

inline double bessel_i(int order, double x, bool scaled) {
  const double y = m_abs(x);
  double size;
  if (y < far_from_zero) {
    size = bessel_i_series(order, y) * (scaled ? __builtin_exp(-y) : 1);
  } else {
    size = hankel_series(order, y, -1) / m_sqrt(2 * pi * y);
    // In two steps, so that a result below the largest number is not lost.
    if (!scaled)
      size = y > 800 ? Real<double>::inf : __builtin_exp(y / 2) * size * __builtin_exp(y / 2);
  }
  return order && x < 0 ? -size : size;
}

// exp(x) K(x) of any order by the trapezoidal rule on the integral of exp(-x cosh t) cosh(order t),
// which converges faster than any power of the step.
inline double bessel_k_integral(double order, double x) {
  const double step = 0.0625;
  double sum = 0.5;
  for (int i = 1;; ++i) {
    const double t = i * step, half = __builtin_sinh(t / 2);
    const double weight = __builtin_exp(-2 * x * half * half);
    sum += weight * __builtin_cosh(order * t);
    if (weight < 1e-19 || i == 200) return sum * step;
  }
}

// K of order 0 or 1 for small x, by the series with the logarithm.
inline double bessel_k_series(int order, double x) {
  constexpr double euler = 0x1.2788cfc6fb619p-1;
  const double log_half = __builtin_log(x / 2);
  double term = order ? -x / 4 : 1, digammas = order ? 1 - 2 * euler : -euler, sum = 0;
  for (int k = 0; k < 30; ++k) {
    sum += term * digammas;
    digammas += order ? 1.0 / (k + 1) + 1.0 / (k + 2) : 1.0 / (k + 1);
    term *= x * x / 4 / ((k + 1) * (k + 1 + order));
  }
  return order ? 1 / x + log_half * bessel_i_series(1, x) + sum
               : sum - log_half * bessel_i_series(0, x);
}

inline double bessel_k(int order, double x, bool scaled) {
  if (!(x > 0)) return x == 0 ? Real<double>::inf : Real<double>::nan;
  if (x <= 2) return bessel_k_series(order, x) * (scaled ? __builtin_exp(x) : 1);
  const double size = x < far_from_zero ? bessel_k_integral(order, x)
                                        : m_sqrt(pi / (2 * x)) * hankel_series(order, x, 1);
  return scaled ? size : size * __builtin_exp(-x);
}

[[gnu::noinline]] inline double slow_i0(double x) { return bessel_i(0, x, false); }
[[gnu::noinline]] inline double slow_i0e(double x) { return bessel_i(0, x, true); }
[[gnu::noinline]] inline double slow_i1(double x) { return bessel_i(1, x, false); }
[[gnu::noinline]] inline double slow_i1e(double x) { return bessel_i(1, x, true); }
[[gnu::noinline]] inline double slow_k0(double x) { return bessel_k(0, x, false); }
[[gnu::noinline]] inline double slow_k0e(double x) { return bessel_k(0, x, true); }
[[gnu::noinline]] inline double slow_k1(double x) { return bessel_k(1, x, false); }
[[gnu::noinline]] inline double slow_k1e(double x) { return bessel_k(1, x, true); }
WEND_MATH double slow_j0(double x) { return __builtin_j0(x); }
WEND_MATH double slow_j1(double x) { return __builtin_j1(x); }
// libm's has a pole at 0 and raises a flag below it.
WEND_MATH double slow_y0(double x) {
  return x > 0 ? __builtin_y0(x) : x == 0 ? -Real<double>::inf : Real<double>::nan;
}
WEND_MATH double slow_y1(double x) {
  return x > 0 ? __builtin_y1(x) : x == 0 ? -Real<double>::inf : Real<double>::nan;
}
WEND_MATH double slow_spherical_j0(double x) {
  if (m_abs(x) == Real<double>::inf) return 0;
  return m_abs(x) < 1e-8 ? 1 : __builtin_sin(x) / x;
}
WEND_BY_DOUBLE(slow_i0)
WEND_BY_DOUBLE(slow_i0e)
WEND_BY_DOUBLE(slow_i1)
WEND_BY_DOUBLE(slow_i1e)
WEND_BY_DOUBLE(slow_k0)
WEND_BY_DOUBLE(slow_k0e)
WEND_BY_DOUBLE(slow_k1)
WEND_BY_DOUBLE(slow_k1e)
WEND_BY_DOUBLE(slow_j0)
WEND_BY_DOUBLE(slow_j1)
WEND_BY_DOUBLE(slow_y0)
WEND_BY_DOUBLE(slow_y1)
WEND_BY_DOUBLE(slow_spherical_j0)

// Around 0 by Maclaurin's series, whose terms cancel: hence the wider type.
inline double airy_series(double x) {
  const long double cube = static_cast<long double>(x) * x * x;
  long double f = 1, g = x, even = 1, odd = x;
  for (int k = 0; k < 60; ++k) {
    even *= cube / ((3 * k + 2) * (3 * k + 3));
    odd *= cube / ((3 * k + 3) * (3 * k + 4));
    f += even;
    g += odd;
  }
  return static_cast<double>(0.355028053887817239260063186004L * f -
                             0.258819403792806798405183560189L * g);
}

// The oscillating side by its asymptotic series: alternate terms go to the sine and the cosine.
inline double airy_of_negative(double size) {
  const double zeta = 2.0 / 3 * size * m_sqrt(size);
  double term = 1, in_phase = 1, out_of_phase = 0;
  for (int k = 1; k < 30 && m_abs(term) > enough; ++k) {
    const double next = term * (6.0 * k - 5) * (6.0 * k - 1) / (72.0 * k * zeta);
    if (m_abs(next) > m_abs(term)) break;
    term = next;
    const double sign = k / 2 % 2 ? -1 : 1;
    (k % 2 ? out_of_phase : in_phase) += sign * term;
  }
  const double angle = zeta - pi / 4;
  return (__builtin_cos(angle) * in_phase + __builtin_sin(angle) * out_of_phase) /
         (m_sqrt(pi) * m_sqrt(m_sqrt(size)));
}

[[gnu::noinline]] inline double slow_airy_ai(double x) {
  if (x > -8 && x < 2) return airy_series(x);
  if (x < 0) return airy_of_negative(-x);
  const double zeta = 2.0 / 3 * x * m_sqrt(x);
  const double scaled_k = zeta < far_from_zero
                              ? bessel_k_integral(1.0 / 3, zeta)
                              : m_sqrt(pi / (2 * zeta)) * hankel_series(1.0 / 3, zeta, 1);
  return zeta > 800 ? 0 : m_sqrt(x / 3) / pi * scaled_k * __builtin_exp(-zeta);
}
WEND_BY_DOUBLE(slow_airy_ai)

[[gnu::noinline]] inline double slow_zeta(double s, double q) {
  if (s == 1) return Real<double>::inf;
  if (!(s > 1)) return Real<double>::nan;
  if (q == -Real<double>::inf) return Real<double>::inf;
  if (q <= 0 && q != __builtin_floor(q) && s != __builtin_floor(s)) return Real<double>::nan;
  return hurwitz_zeta(s, q);
}
WEND_BY_DOUBLE_2(slow_zeta)

// t - log(1 + t), which is small where t is.
inline double above_logarithm(double t) {
  if (m_abs(t) > 0.2) return t - __builtin_log1p(t);
  double power = t * t, sum = 0;
  for (int k = 2; k < 30; ++k, power *= -t) sum += power / k;
  return sum;
}

// x^a exp(-x) / gamma(a); for large a by Stirling's series, so that large logarithms do not cancel.
inline double gamma_density(double a, double x) {
  int sign;
  if (a < 10) return __builtin_exp(a * __builtin_log(x) - x - lgamma_r(a, &sign));
  const double y = 1 / (a * a);
  const double correction = poly(y, 1.0 / 12, -1.0 / 360, 1.0 / 1260, -1.0 / 1680, 1.0 / 1188) / a;
  return m_sqrt(a / (2 * pi)) * __builtin_exp(-a * above_logarithm(x / a - 1) - correction);
}

// The lower part by its series, the upper by Legendre's continued fraction.
inline double lower_gamma_series(double a, double x) {
  double term = 1 / a, sum = term;
  for (double n = a + 1; term > enough * sum; ++n) sum += term *= x / n;
  return sum * gamma_density(a, x);
}
inline double upper_gamma_fraction(double a, double x) {
  double b = x + 1 - a, c = 1e300, d = 1 / b, fraction = d;
  for (double i = 1; i < 1e6; ++i) {
    const double top = i * (a - i);
    b += 2;
    d = 1 / (top * d + b);
    c = b + top / c;
    fraction *= c * d;
    if (m_abs(c * d - 1) < 1e-16) break;
  }
  return fraction * gamma_density(a, x);
}

// Temme's uniform approximation, for a so large that two terms are exact. `sign` is 1 for the upper
// part and -1 for the lower.
inline double gamma_part_of_large(double a, double x, double sign) {
  const double t = x / a - 1;
  const double eta = m_copysign(m_sqrt(2 * above_logarithm(t)), t);
  const double c =
      m_abs(eta) < 1e-2 ? poly(eta, -1.0 / 3, 1.0 / 12, -2.0 / 135, 1.0 / 864) : 1 / t - 1 / eta;
  return 0.5 * __builtin_erfc(sign * eta * m_sqrt(a / 2)) +
         sign * c * __builtin_exp(-0.5 * a * eta * eta) / m_sqrt(2 * pi * a);
}

// The lower or the upper part of gamma(a), split at x, as a fraction of the whole.
inline double gamma_part(double a, double x, bool upper) {
  constexpr double inf = Real<double>::inf, nan = Real<double>::nan;
  if (!(a >= 0 && x >= 0) || (a == 0 && x == 0) || (a == inf && x == inf)) return nan;
  if (a == 0 || x == inf) return upper ? 0 : 1;
  if (x == 0 || a == inf) return upper ? 1 : 0;
  if (a > 1e6) return gamma_part_of_large(a, x, upper ? 1 : -1);
  if (x < a + 1) {
    const double lower = lower_gamma_series(a, x);
    return upper ? 1 - lower : lower;
  }
  const double fraction = upper_gamma_fraction(a, x);
  return upper ? fraction : 1 - fraction;
}
[[gnu::noinline]] inline double slow_igamma(double a, double x) { return gamma_part(a, x, false); }
[[gnu::noinline]] inline double slow_igammac(double a, double x) { return gamma_part(a, x, true); }
WEND_BY_DOUBLE_2(slow_igamma)
WEND_BY_DOUBLE_2(slow_igammac)

WEND_MATH double slow_mantissa(double x) {
  int exponent;
  return __builtin_frexp(x, &exponent);
}
WEND_MATH double slow_exponent(double x) {
  int exponent = 0;
  if (m_abs(x) < Real<double>::inf) (void)__builtin_frexp(x, &exponent);
  return exponent;
}
WEND_BY_DOUBLE(slow_mantissa)
WEND_BY_DOUBLE(slow_exponent)

// The nth of a family of polynomials by its recurrence p[k+1] = (a x + b) p[k] - c p[k-1], whose
// coefficients next(k) gives.
struct Recurrence {
  double a, b, c;
};
constexpr double kMostTerms = 1e6;  // more would take for ever: unknown

template <class Next>
double polynomial(double x, double degree, double first, Next next) {
  if (degree != degree || degree <= -1) return 0;
  if (degree > kMostTerms) return Real<double>::nan;
  const auto n = static_cast<int64_t>(degree);
  double before = 1, now = first;
  if (n == 0) return before;
  for (int64_t k = 1; k < n && now == now; ++k) {
    const Recurrence r = next(static_cast<double>(k));
    const double after = (r.a * x + r.b) * now - r.c * before;
    before = now;
    now = after;
  }
  return now;
}

// The four kinds of Chebyshev polynomials differ in the first one only. Those of large degrees are
// wave(n), which is a quotient of 0 and 0 at 1 or -1: `there` is what it tends to, but for a sign.
template <class Wave>
double chebyshev(double x, double n, double first, double there, Wave wave) {
  if (!(n > kMostTerms) || !(m_abs(x) <= 1))
    return polynomial(x, n, first, [](double) { return Recurrence{2, 0, 1}; });
  n = __builtin_floor(n);
  if (m_abs(x) < 1) return wave(__builtin_acos(x), n);
  return x < 0 && __builtin_fmod(n, 2) != 0 ? -there : there;
}
[[gnu::noinline]] inline double slow_chebyshev_t(double x, double n) {
  return chebyshev(x, n, x, 1, [](double a, double n) { return __builtin_cos(n * a); });
}
[[gnu::noinline]] inline double slow_chebyshev_u(double x, double n) {
  return chebyshev(x, n, 2 * x, n + 1, [](double a, double n) {
    return __builtin_sin((n + 1) * a) / __builtin_sin(a);
  });
}
[[gnu::noinline]] inline double slow_chebyshev_v(double x, double n) {
  return chebyshev(x, n, 2 * x - 1, x < 0 ? 2 * n + 1 : 1, [](double a, double n) {
    return __builtin_cos((n + 0.5) * a) / __builtin_cos(a / 2);
  });
}
[[gnu::noinline]] inline double slow_chebyshev_w(double x, double n) {
  return chebyshev(x, n, 2 * x + 1, x < 0 ? 1 : 2 * n + 1, [](double a, double n) {
    return __builtin_sin((n + 0.5) * a) / __builtin_sin(a / 2);
  });
}
[[gnu::noinline]] inline double slow_hermite_h(double x, double n) {
  return polynomial(x, n, 2 * x, [](double k) { return Recurrence{2, 0, 2 * k}; });
}
[[gnu::noinline]] inline double slow_hermite_he(double x, double n) {
  return polynomial(x, n, x, [](double k) { return Recurrence{1, 0, k}; });
}
[[gnu::noinline]] inline double slow_laguerre_l(double x, double n) {
  return polynomial(x, n, 1 - x, [](double k) {
    return Recurrence{-1 / (k + 1), (2 * k + 1) / (k + 1), k / (k + 1)};
  });
}
[[gnu::noinline]] inline double slow_legendre_p(double x, double n) {
  return polynomial(x, n, x,
                    [](double k) { return Recurrence{(2 * k + 1) / (k + 1), 0, k / (k + 1)}; });
}
WEND_BY_DOUBLE_2(slow_chebyshev_t)
WEND_BY_DOUBLE_2(slow_chebyshev_u)
WEND_BY_DOUBLE_2(slow_chebyshev_v)
WEND_BY_DOUBLE_2(slow_chebyshev_w)
WEND_BY_DOUBLE_2(slow_hermite_h)
WEND_BY_DOUBLE_2(slow_hermite_he)
WEND_BY_DOUBLE_2(slow_laguerre_l)
WEND_BY_DOUBLE_2(slow_legendre_p)

#undef WEND_BY_DOUBLE
#undef WEND_BY_DOUBLE_2

}  // namespace
}  // namespace wend
