// How uniform and normal numbers become numbers of other distributions.
// Compiled for the base level alone and without fused multiply-add: the same numbers everywhere.
#pragma GCC optimize("O3", "fp-contract=off", "no-math-errno", "no-trapping-math")
#define WEND_NO_FMA

#include "kernels/distributions.hpp"

#include "kernels/level/math.inl"
#include "kernels/random.hpp"

namespace wend {
namespace {

constexpr double pi = 0x1.921fb54442d18p1;

// log(k!): exact sums for small k, Stirling's series beyond.
double log_factorial(double k) {
  if (k < 10) {
    double total = 0;
    for (double i = 2; i <= k; ++i) total += log_of_ordinary(i);
    return total;
  }
  const double x = k + 1, inverse = 1 / x, square = inverse * inverse;
  const double series = inverse * (1. / 12 - square * (1. / 360 - square * (1. / 1260)));
  return (x - 0.5) * log_of_ordinary(x) - x + 0.5 * log_of_ordinary(2 * pi) + series;
}

// Adds up probabilities until they pass one uniform number.
double poisson_by_search(double rate, double u) {
  double probability = m_exp(-rate), total = probability, k = 0;
  for (; u >= total && k < 200; total += probability) probability *= rate / ++k;
  return k;
}

// Hörmann's transformed rejection, "The transformed rejection method for generating Poisson random
// variables" (1993), algorithm PTRS. A try takes two uniform numbers, so a counter serves two.
double poisson_by_rejection(double rate, uint64_t seed, uint64_t offset) {
  const double b = 0.931 + 2.53 * m_sqrt(rate), a = -0.059 + 0.02483 * b;
  const double inverse_alpha = 1.1239 + 1.1328 / (b - 3.4), v_r = 0.9277 - 3.6224 / (b - 2);
  double u[philox_width], k = 0;
  for (int64_t i = 0; i < poisson_steps * 2; ++i) {
    if (i % 2 == 0) philox_uniform(seed, offset + i / 2, u, philox_width);
    const double x = u[i % 2 * 2] - 0.5, v = u[i % 2 * 2 + 1], us = 0.5 - m_abs(x);
    k = __builtin_floor((2 * a / us + b) * x + rate + 0.43);
    if (us >= 0.07 && v <= v_r) break;
    if (k < 0 || (us < 0.013 && v > us)) continue;
    const double bound = k * m_log(rate) - rate - log_factorial(k);
    if (m_log(v * inverse_alpha / (a / (us * us) + b)) <= bound) break;
  }
  return k;
}

}  // namespace

template <class T>
void draw_uniform(uint64_t seed, uint64_t offset, T from, T to, T* out, int64_t n) {
  philox_uniform(seed, offset, out, n);
  for (int64_t i = 0; i < n; ++i) out[i] = out[i] * (to - from) + from;
}

template <class T>
void draw_normal(uint64_t seed, uint64_t offset, T mean, T std, T* out, int64_t n) {
  philox_normal(seed, offset, out, n);
  for (int64_t i = 0; i < n; ++i) out[i] = out[i] * std + mean;
}

template <class T>
void draw_exponential(uint64_t seed, uint64_t offset, T rate, T* out, int64_t n) {
  constexpr T least = sizeof(T) == 4 ? T(0x1p-25) : T(0x1p-54);
  philox_uniform(seed, offset, out, n);
  for (int64_t i = 0; i < n; ++i)
    out[i] = (out[i] == 0 ? least : -log_of_ordinary(1 - out[i])) / rate;
}

template <class T>
void draw_cauchy(uint64_t seed, uint64_t offset, T median, T sigma, T* out, int64_t n) {
  philox_uniform(seed, offset, out, n);
  for (int64_t i = 0; i < n; ++i) {
    const T angle = T(pi) * (out[i] - T(0.5));
    out[i] = median + sigma * (sin_of_ordinary(angle) / cos_of_ordinary(angle));
  }
}

template <class T>
void draw_log_normal(uint64_t seed, uint64_t offset, T mean, T std, T* out, int64_t n) {
  draw_normal(seed, offset, mean, std, out, n);
  for (int64_t i = 0; i < n; ++i) out[i] = m_exp(out[i]);
}

void draw_geometric(uint64_t seed, uint64_t offset, double probability, double* out, int64_t n) {
  philox_uniform(seed, offset, out, n);
  const double scale = 1 / m_log1p(-probability);
  for (int64_t i = 0; i < n; ++i) {
    const double trials = __builtin_ceil(log_of_ordinary(1 - out[i]) * scale);
    out[i] = trials < 1 ? 1 : trials;
  }
}

void draw_poisson(uint64_t seed, uint64_t offset, double* rates, int64_t n) {
  for (int64_t i = 0; i < n; ++i, offset += poisson_steps) {
    double u;
    if (rates[i] >= 10) {
      rates[i] = poisson_by_rejection(rates[i], seed, offset);
    } else {
      philox_uniform(seed, offset, &u, 1);
      rates[i] = poisson_by_search(rates[i], u);
    }
  }
}

#define FOR_BOTH(T)                                                      \
  template void draw_uniform<T>(uint64_t, uint64_t, T, T, T*, int64_t);  \
  template void draw_normal<T>(uint64_t, uint64_t, T, T, T*, int64_t);   \
  template void draw_exponential<T>(uint64_t, uint64_t, T, T*, int64_t); \
  template void draw_cauchy<T>(uint64_t, uint64_t, T, T, T*, int64_t);   \
  template void draw_log_normal<T>(uint64_t, uint64_t, T, T, T*, int64_t);
FOR_BOTH(float)
FOR_BOTH(double)

}  // namespace wend
