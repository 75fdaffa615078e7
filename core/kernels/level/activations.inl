// Scalar activation functions and their slopes, where a formula is too long for the list of ops.
// Each is one expression over math.inl; the ops and gradients are in core/kernels/elementwise.def.
#pragma once

#include "kernels/level/rare_math.inl"

namespace wend {
namespace {

constexpr double sqrt_half = 0x1.6a09e667f3bcdp-1, half_normal_peak = 0x1.9884533d43651p-2;

// The normal distribution function.
template <class T>
WEND_MATH T m_normal_cdf(T x) {
  return T(0.5) + T(0.5) * m_erf(x * T(sqrt_half));
}
template <class T>
WEND_MATH T m_gelu(T x) {
  const T cdf = m_normal_cdf(x);
  return cdf == 0 ? T(0) : x * cdf;  // and not -inf * 0
}
template <class T>
WEND_MATH T m_gelu_slope(T x) {
  const T density = T(half_normal_peak) * m_exp(T(-0.5) * x * x);
  return m_normal_cdf(x) + (density == 0 ? T(0) : x * density);
}

constexpr double gelu_scale = 0x1.9884533d43651p-1, gelu_cubic = 0.044715;

template <class T>
WEND_MATH T m_gelu_tanh(T x) {
  const T t = m_tanh(T(gelu_scale) * (x + T(gelu_cubic) * x * x * x));
  return t == -1 ? T(0) : T(0.5) * x * (1 + t);
}
template <class T>
WEND_MATH T m_gelu_tanh_slope(T x) {
  const T t = m_tanh(T(gelu_scale) * (x + T(gelu_cubic) * x * x * x));
  const T inner = T(gelu_scale) * (1 + T(3 * gelu_cubic) * x * x);
  const T bend = (1 - t) * (1 + t);
  return T(0.5) * (1 + t) + (bend == 0 ? T(0) : T(0.5) * x * bend * inner);
}

template <class T>
WEND_MATH T m_silu_slope(T x) {
  const T s = m_sigmoid(x);
  return s * (1 + x * (1 - s));
}
template <class T>
WEND_MATH T m_log_sigmoid(T x) {
  return (x < 0 ? x : 0) - m_log1p(m_exp(-m_abs(x)));
}
template <class T>
WEND_MATH T m_binary_cross_entropy(T p, T target) {
  const T yes = m_log(p), no = m_log1p(-p);
  return (target - 1) * (no < -100 ? T(-100) : no) - target * (yes < -100 ? T(-100) : yes);
}
// log(1 + exp(beta x)) / beta, and x itself beyond the threshold.
template <class T>
WEND_MATH T m_softplus(T x, T beta, T threshold) {
  const T y = x * beta;
  return y > threshold ? x : m_log1p(m_exp(y)) / beta;
}

template <class T>
WEND_MATH T m_logaddexp(T a, T b) {
  const T high = a > b ? a : b, rest = m_log1p(m_exp(-m_abs(a - b)));
  return (a == b) & (m_abs(a) == Real<T>::inf) ? a : a != a ? a : high + rest;
}
template <class T>
WEND_MATH T m_logaddexp2(T a, T b) {
  const T high = a > b ? a : b, rest = m_log1p(m_exp2(-m_abs(a - b))) * Real<T>::log2e;
  return (a == b) & (m_abs(a) == Real<T>::inf) ? a : a != a ? a : high + rest;
}
template <class T>
WEND_MATH T m_xlogy(T a, T b) {
  return b != b ? b : a == 0 ? T(0) : a * m_log(b);
}
template <class T>
WEND_MATH T m_xlog1py(T a, T b) {
  return b != b ? b : a == 0 ? T(0) : a * m_log1p(b);
}
template <class T>
WEND_MATH T m_entr(T a) {
  return a > 0 ? -a * m_log(a) : a == 0 ? T(0) : a < 0 ? -Real<T>::inf : a;
}
template <class T>
WEND_MATH T m_sinc(T x) {
  const T y = T(0x1.921fb54442d18p1) * x;
  return x == 0 ? T(1) : m_sin(y) / y;
}
template <class T>
WEND_MATH T lerp_of(T a, T b, T weight) {
  return m_abs(weight) < T(0.5) ? a + weight * (b - a) : b - (b - a) * (1 - weight);
}

}  // namespace
}  // namespace wend
