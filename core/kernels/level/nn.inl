// Softmax and normalisation of one contiguous row, compiled once per instruction level.
// The walk over rows, and 16-bit floats, are the caller's affair.
#pragma once

#include "kernels/level/math.inl"
#include "kernels/nn.hpp"

namespace wend {
namespace {

// As many elements as are worked on side by side, and a vector of them that may lie anywhere.
template <class T>
constexpr int64_t row_lanes = 64 / sizeof(T);
template <class T>
struct RowVector {
  typedef T Type __attribute__((vector_size(64), aligned(sizeof(T)), may_alias));
};
template <class T>
using row_vector = typename RowVector<T>::Type;

template <class T>
WEND_MATH row_vector<T> vector_at(const T* p) {
  return *reinterpret_cast<const row_vector<T>*>(p);
}

// The sum of term(i) over the row; `term` is called with the index of one element or of the first of
// a vector of them, and with loads that give the one or the other.
template <class T>
struct OneByOne {
  WEND_MATH static T load(const T* p) { return *p; }
};
template <class T>
struct SideBySide {
  WEND_MATH static row_vector<T> load(const T* p) { return vector_at(p); }
};

template <class T, class Term>
WEND_MATH T row_sum(int64_t n, Term term) {
  constexpr int64_t width = row_lanes<T>;
  row_vector<T> even = {}, odd = {};
  int64_t i = 0;
  for (; i + 2 * width <= n; i += 2 * width) {
    even += term(SideBySide<T>(), i);
    odd += term(SideBySide<T>(), i + width);
  }
  for (; i + width <= n; i += width) even += term(SideBySide<T>(), i);
  even += odd;
  T total = 0;
  for (int64_t k = 0; k < width && n >= width; ++k) total += even[k];
  for (; i < n; ++i) total += term(OneByOne<T>(), i);
  return total;
}

// NaN is passed over: whoever subtracts the result meets it again.
template <class T>
WEND_MATH T row_max(const T* in, int64_t n) {
  constexpr int64_t width = row_lanes<T>;
  T best = -Real<T>::inf;
  int64_t i = 0;
  if (n >= width) {
    row_vector<T> most = vector_at(in);
    for (i = width; i + width <= n; i += width) {
      const row_vector<T> x = vector_at(in + i);
      most = x > most ? x : most;
    }
    for (int64_t k = 0; k < width; ++k) best = most[k] > best ? most[k] : best;
  }
  for (; i < n; ++i) best = in[i] > best ? in[i] : best;
  return best;
}

// out = exp(in - shift). What is left after whole vectors goes through a padded one.
template <class T>
void exp_row(T* out, const T* in, T shift, int64_t n) {
  constexpr int64_t width = row_lanes<T>;
  const int64_t whole = n & -width;
#pragma GCC ivdep
  for (int64_t i = 0; i < whole; ++i) out[i] = m_exp(in[i] - shift);
  if (whole == n) return;
  alignas(64) T tile[width] = {};
  for (int64_t i = whole; i < n; ++i) tile[i - whole] = in[i] - shift;
  for (int64_t i = 0; i < width; ++i) tile[i] = m_exp(tile[i]);
  for (int64_t i = whole; i < n; ++i) out[i] = tile[i - whole];
}

template <class T>
WEND_MATH T sum_of(const T* p, int64_t n) {
  return row_sum<T>(n, [p](auto as, int64_t i) { return as.load(p + i); });
}

template <class T>
void softmax_row(T* out, const T* in, int64_t n) {
  exp_row(out, in, row_max(in, n), n);
  const T scale = 1 / sum_of(out, n);
  for (int64_t i = 0; i < n; ++i) out[i] *= scale;
}

template <class T>
void log_softmax_row(T* out, const T* in, int64_t n) {
  constexpr int64_t tile_length = 512;
  alignas(64) T tile[tile_length];
  const T shift = row_max(in, n);
  T total = 0;
  for (int64_t i = 0; i < n; i += tile_length) {
    const int64_t count = n - i < tile_length ? n - i : tile_length;
    exp_row(tile, in + i, shift, count);
    total += sum_of(tile, count);
  }
  const T log_total = m_log(total);
  for (int64_t i = 0; i < n; ++i) out[i] = in[i] - shift - log_total;
}

template <class T>
void softmax_backward_row(T* out, const T* g, const T* result, int64_t n) {
  const T shared = row_sum<T>(
      n, [=](auto as, int64_t i) { return as.load(g + i) * as.load(result + i); });
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) out[i] = result[i] * (g[i] - shared);
}

template <class T>
void log_softmax_backward_row(T* out, const T* g, const T* result, int64_t n) {
  constexpr int64_t tile_length = 512;
  alignas(64) T tile[tile_length];
  const T total = sum_of(g, n);
  for (int64_t i = 0; i < n; i += tile_length) {
    const int64_t count = n - i < tile_length ? n - i : tile_length;
    exp_row(tile, result + i, T(0), count);
#pragma GCC ivdep
    for (int64_t k = 0; k < count; ++k) out[i + k] = g[i + k] - tile[k] * total;
  }
}

// What a row is normalised with: its elements become (x - mean) * scale.
template <class T>
struct Moments {
  T mean, scale;
};

template <class T>
WEND_MATH Moments<T> moments_of(const T* in, int64_t n, Normalization how) {
  const T mean = how.centred ? sum_of(in, n) / T(n) : T(0);
  const T squares = row_sum<T>(n, [=](auto as, int64_t i) {
    const auto x = as.load(in + i) - mean;
    return x * x;
  });
  return {mean, 1 / m_sqrt(squares / T(n) + T(how.eps))};
}

template <class T>
void normalize_row(T* out, const T* in, const T* weight, const T* bias, int64_t n,
                   Normalization how) {
  const auto [mean, scale] = moments_of(in, n, how);
  if (weight && bias) {
#pragma GCC ivdep
    for (int64_t i = 0; i < n; ++i) out[i] = (in[i] - mean) * scale * weight[i] + bias[i];
  } else if (weight) {
#pragma GCC ivdep
    for (int64_t i = 0; i < n; ++i) out[i] = (in[i] - mean) * scale * weight[i];
  } else {
#pragma GCC ivdep
    for (int64_t i = 0; i < n; ++i) out[i] = (in[i] - mean) * scale + (bias ? bias[i] : T(0));
  }
}

template <class T>
void normalize_backward_row(T* out, const T* g, const T* in, const T* weight, int64_t n,
                            Normalization how) {
  const auto [mean, scale] = moments_of(in, n, how);
  if (weight) {
#pragma GCC ivdep
    for (int64_t i = 0; i < n; ++i) out[i] = g[i] * weight[i];
    g = out;
  }
  const T along = row_sum<T>(n, [=](auto as, int64_t i) {
    return as.load(g + i) * ((as.load(in + i) - mean) * scale);
  }) / T(n);
  const T shared = how.centred ? sum_of(g, n) / T(n) : T(0);
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i)
    out[i] = scale * (g[i] - shared - (in[i] - mean) * scale * along);
}

template <class T>
constexpr RowKernels<T> row_kernels_of = {
    .softmax = softmax_row<T>,
    .log_softmax = log_softmax_row<T>,
    .softmax_backward = softmax_backward_row<T>,
    .log_softmax_backward = log_softmax_backward_row<T>,
    .normalize = normalize_row<T>,
    .normalize_backward = normalize_backward_row<T>,
};

}  // namespace
}  // namespace wend
