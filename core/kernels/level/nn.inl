// Softmax and normalisation of one contiguous row, compiled once per instruction level.
// The walk over rows, and 16-bit floats, are the caller's affair.
#pragma once

#include <limits>

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

// The sum of term(i) over the row; `term` is called with the index of one element or of the first
// of a vector of them, and with loads that give the one or the other.
template <class T>
struct OneByOne {
  WEND_MATH static T load(const T* p) { return *p; }
};
template <class T>
struct SideBySide {
  WEND_MATH static row_vector<T> load(const T* p) { return vector_at(p); }
};

template <class T, class V>
WEND_MATH T sum_of_lanes(V x) {
  if constexpr (sizeof(V) == 2 * sizeof(T)) {
    return x[0] + x[1];
  } else {
    typedef T Half __attribute__((vector_size(sizeof(V) / 2)));
    Half half[2];
    __builtin_memcpy(half, &x, sizeof x);
    return sum_of_lanes<T>(half[0] + half[1]);
  }
}

// What runs on in doubles.
struct Doubles {
  row_vector<double> total = {}, more = {};

  WEND_MATH void add(row_vector<double> x) { total += x; }
  WEND_MATH void add(row_vector<float> x) {
    typedef float Half __attribute__((vector_size(32)));
    Half half[2];
    __builtin_memcpy(half, &x, sizeof x);
    total += __builtin_convertvector(half[0], row_vector<double>);
    more += __builtin_convertvector(half[1], row_vector<double>);
  }
  WEND_MATH double joined() const { return sum_of_lanes<double>(total + more); }
};

constexpr int64_t vectors_at_once = 8;
template <int64_t vectors, class T, class Term>
WEND_MATH auto sum_of_vectors(int64_t i, Term term) {
  if constexpr (vectors == 1)
    return term(SideBySide<T>(), i);
  else
    return sum_of_vectors<vectors / 2, T>(i, term) +
           sum_of_vectors<vectors / 2, T>(i + vectors / 2 * row_lanes<T>, term);
}

// Few elements are added up as they are. Of more, eight vectors at a time are, and doubles go on.
template <class T, class Term>
WEND_MATH double block_sum(int64_t i, int64_t n, Term term) {
  constexpr int64_t width = row_lanes<T>, step = vectors_at_once * width;
  double many = 0;
  if (i + step <= n) {
    Doubles total;
    for (; i + step <= n; i += step) total.add(sum_of_vectors<vectors_at_once, T>(i, term));
    many = total.joined();
  }
  T rest = 0;
  if (i + width <= n) {
    row_vector<T> vectors = term(SideBySide<T>(), i);
    for (i += width; i + width <= n; i += width) vectors += term(SideBySide<T>(), i);
    rest = sum_of_lanes<T>(vectors);
  }
  for (; i < n; ++i) rest += term(OneByOne<T>(), i);
  return many + static_cast<double>(rest);
}

// Halves of whole blocks, so that rounding errors of doubles grow with the logarithm of n only.
constexpr int64_t sum_block = 16384;
template <class T, class Term>
[[gnu::noinline]] double long_sum(int64_t i, int64_t n, Term term) {
  if (n - i <= sum_block) return block_sum<T>(i, n, term);
  const int64_t middle = i + ((n - i) / sum_block + 1) / 2 * sum_block;
  return long_sum<T>(i, middle, term) + long_sum<T>(middle, n, term);
}

template <class T, class Term>
WEND_MATH double wide_sum(int64_t n, Term term) {
  return n <= sum_block ? block_sum<T>(0, n, term) : long_sum<T>(0, n, term);
}

template <class T, class Term>
WEND_MATH T row_sum(int64_t n, Term term) {
  if (n >= row_lanes<T>) return static_cast<T>(wide_sum<T>(n, term));
  T total = 0;
  for (int64_t i = 0; i < n; ++i) total += term(OneByOne<T>(), i);
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
  const T total = sum_of(out, n);
  const T scale = 1 / total, rest = mul_add(-scale, total, T(1)) * scale;
  for (int64_t i = 0; i < n; ++i) out[i] = mul_add(out[i], scale, out[i] * rest);
}

template <class T>
void log_softmax_row(T* out, const T* in, int64_t n) {
  constexpr int64_t tile_length = 512;
  alignas(64) T tile[tile_length];
  const T shift = row_max(in, n);
  double total = 0;
  for (int64_t i = 0; i < n; i += tile_length) {
    const int64_t count = n - i < tile_length ? n - i : tile_length;
    exp_row(tile, in + i, shift, count);
    total += sum_of(tile, count);
  }
  const T log_total = m_log(static_cast<T>(total));
  for (int64_t i = 0; i < n; ++i) out[i] = in[i] - shift - log_total;
}

template <class T>
void softmax_backward_row(T* out, const T* g, const T* result, int64_t n) {
  const T shared = static_cast<T>(
      row_sum<T>(n, [=](auto as, int64_t i) { return as.load(g + i) * as.load(result + i); }));
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

// What a row is normalised with: its elements become (x - mean) * scale + rest, where the rest is
// what the mean lost when it was rounded.
template <class T>
struct Moments {
  T mean, scale, rest;

  template <class X>
  WEND_MATH X of(X x) const {
    return (x - mean) * scale + rest;
  }
};

// The mean is exact enough for numbers that lie close together far from 0: what is added up is how
// far they are from the first.
template <class T>
WEND_MATH Moments<T> moments_of(const T* in, int64_t n, Normalization how) {
  const T share = 1 / static_cast<T>(n);
  T mean = 0, off = 0;
  if (how.centred) {
    const T first = in[0];
    const T beyond =
        share * row_sum<T>(n, [=](auto as, int64_t i) { return as.load(in + i) - first; });
    mean = first + beyond;
    off = beyond - (mean - first);
  }
  const T squares = row_sum<T>(n, [=](auto as, int64_t i) {
    const auto x = as.load(in + i) - mean;
    return x * x;
  });
  T variance = squares * share;
  // Of numbers too large for their squares it is infinite, and then off * off may be so, too.
  if (variance < std::numeric_limits<T>::infinity()) {
    const T centred = variance - off * off;
    variance = centred < 0 ? 0 : centred;
  }
  const T scale = 1 / m_sqrt(variance + static_cast<T>(how.eps));
  return {mean, scale, -off * scale};
}

template <class T>
void normalize_row(T* out, const T* in, const T* weight, const T* bias, int64_t n,
                   Normalization how) {
  const Moments<T> m = moments_of(in, n, how);
  if (weight && bias) {
#pragma GCC ivdep
    for (int64_t i = 0; i < n; ++i) out[i] = m.of(in[i]) * weight[i] + bias[i];
  } else if (weight) {
#pragma GCC ivdep
    for (int64_t i = 0; i < n; ++i) out[i] = m.of(in[i]) * weight[i];
  } else {
#pragma GCC ivdep
    for (int64_t i = 0; i < n; ++i) out[i] = m.of(in[i]) + (bias ? bias[i] : T(0));
  }
}

template <class T>
void normalize_backward_row(T* out, const T* g, const T* in, const T* weight, int64_t n,
                            Normalization how) {
  const Moments<T> m = moments_of(in, n, how);
  if (weight) {
#pragma GCC ivdep
    for (int64_t i = 0; i < n; ++i) out[i] = g[i] * weight[i];
    g = out;
  }
  const T share = 1 / static_cast<T>(n);
  const T along = share * row_sum<T>(n, [=](auto as, int64_t i) {
                    return as.load(g + i) * m.of(as.load(in + i));
                  });
  const T shared = how.centred ? sum_of(g, n) * share : T(0);
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) out[i] = m.scale * (g[i] - shared - m.of(in[i]) * along);
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
