// Reduction of rows and of columns with unit stride, in vectors, for each kind and dtype.
// Other strides, other dtypes, many dimensions and threads are left to kernels/reduce.cpp.
#pragma once

#include "kernels/level/gemm.inl"
#include "kernels/reduce.hpp"

namespace wend {
namespace {

#define WEND_REDUCE [[gnu::always_inline]] static inline

// A kind of reduction: the value of nothing, what an element contributes, how results join, and the
// kind by which results of parts are reduced further. All work on scalars and on vectors.
struct SumKind {
  using Next = SumKind;
  template <class T>
  static constexpr T start = 0;
  template <class X>
  WEND_REDUCE X of(X x) {
    return x;
  }
  template <class X>
  WEND_REDUCE X join(X a, X b) {
    return a + b;
  }
};
struct SquaresKind : SumKind {
  template <class X>
  WEND_REDUCE X of(X x) {
    return x * x;
  }
};
struct ProdKind : SumKind {
  using Next = ProdKind;
  template <class T>
  static constexpr T start = 1;
  template <class X>
  WEND_REDUCE X join(X a, X b) {
    return a * b;
  }
};
// NaN wins.
struct MaxKind : SumKind {
  using Next = MaxKind;
  template <class T>
  static constexpr T start = -__builtin_inf();
  template <class X>
  WEND_REDUCE X join(X a, X b) {
    return (b > a) | (b != b) ? b : a;
  }
};
template <>
constexpr int64_t MaxKind::start<int64_t> = INT64_MIN;
template <>
constexpr uint8_t MaxKind::start<uint8_t> = 0;
struct MinKind : SumKind {
  using Next = MinKind;
  template <class T>
  static constexpr T start = __builtin_inf();
  template <class X>
  WEND_REDUCE X join(X a, X b) {
    return (b < a) | (b != b) ? b : a;
  }
};
template <>
constexpr int64_t MinKind::start<int64_t> = INT64_MAX;
template <>
constexpr uint8_t MinKind::start<uint8_t> = 255;

// X is T or a vector of T.
template <class X, class T>
WEND_REDUCE X load_as(const T* x) {
  if constexpr (sizeof(X) == sizeof(T))
    return *x;
  else
    return *reinterpret_cast<const typename Simd<T>::Loose*>(x);
}

// K results side by side: the accumulators of one row, or of K vectors of columns.
template <class X, int K>
struct Strip {
  X at[K];
};
constexpr int strip_width = vector_bytes == 64 ? 4 : 8;

template <class P, class X, int K, class T>
WEND_REDUCE Strip<X, K> nothing() {
  Strip<X, K> s;
  for (int k = 0; k < K; ++k) s.at[k] = P::template start<T> - X{};
  return s;
}

template <class P, class T>
WEND_REDUCE T join_lanes(Vector<T> v) {
  T lane[lanes<T>];
  __builtin_memcpy(lane, &v, sizeof v);
  for (int w = lanes<T> / 2; w > 0; w /= 2)
    for (int j = 0; j < w; ++j) lane[j] = P::join(lane[j], lane[j + w]);
  return lane[0];
}

template <class P, class T>
WEND_REDUCE T short_row(const T* x, int64_t n) {
  T total = P::template start<T>;
  for (int64_t i = 0; i < n; ++i) total = P::join(total, P::of(x[i]));
  return total;
}

template <class P, class T>
WEND_REDUCE T block_of_row(const T* x, int64_t n) {
  using V = Vector<T>;
  constexpr int64_t L = lanes<T>, K = strip_width;
  if (n < L) return short_row<P>(x, n);
  auto sums = nothing<P, V, K, T>();
  int64_t i = 0;
  for (; i + K * L <= n; i += K * L)
    for (int k = 0; k < K; ++k) sums.at[k] = P::join(sums.at[k], P::of(load_as<V>(x + i + k * L)));
  for (; i + L <= n; i += L) sums.at[0] = P::join(sums.at[0], P::of(load_as<V>(x + i)));
  for (int w = K / 2; w > 0; w /= 2)
    for (int k = 0; k < w; ++k) sums.at[k] = P::join(sums.at[k], sums.at[k + w]);
  const T total = join_lanes<P, T>(sums.at[0]);
  return i < n ? P::join(total, short_row<P>(x + i, n - i)) : total;
}

// Halves of whole blocks, so that rounding errors grow with the logarithm of n only.
template <class P, class T>
[[gnu::noinline]] T long_row(const T* x, int64_t n) {
  constexpr int64_t block = 1024;
  if (n <= block) return block_of_row<P>(x, n);
  const int64_t half = (n / block + 1) / 2 * block;
  return P::join(long_row<P>(x, half), long_row<P>(x + half, n - half));
}

template <class P, class T>
void reduce_rows(const void* in, int64_t n, int64_t row_stride, int64_t count, void* to,
                 int64_t out_stride) {
  const T* x = static_cast<const T*>(in);
  T* out = static_cast<T*>(to);
  for (int64_t i = 0; i < count; ++i, x += row_stride, out += out_stride)
    *out = n < lanes<T> ? short_row<P>(x, n) : long_row<P>(x, n);
}

template <class P, class X, int K, class T>
[[gnu::noinline]] Strip<X, K> strip_of_columns(const T* x, int64_t m, int64_t row_stride) {
  constexpr int64_t block = 64;
  if (m > block) {
    const int64_t half = m / 2;
    auto a = strip_of_columns<P, X, K>(x, half, row_stride);
    const auto b = strip_of_columns<P, X, K>(x + half * row_stride, m - half, row_stride);
    for (int k = 0; k < K; ++k) a.at[k] = P::join(a.at[k], b.at[k]);
    return a;
  }
  auto sums = nothing<P, X, K, T>();
  for (int64_t i = 0; i < m; ++i, x += row_stride)
    for (int k = 0; k < K; ++k)
      sums.at[k] = P::join(sums.at[k], P::of(load_as<X>(x + k * (sizeof(X) / sizeof(T)))));
  return sums;
}

// Does as many columns as whole strips cover, and says how many that is.
template <class P, class X, int K, class T>
WEND_REDUCE int64_t strips(const T* x, int64_t m, int64_t row_stride, int64_t first, int64_t n,
                           T* out, int64_t out_stride) {
  constexpr int64_t width = K * sizeof(X) / sizeof(T);
  for (; first + width <= n; first += width) {
    const auto sums = strip_of_columns<P, X, K>(x + first, m, row_stride);
    T* to = out + first * out_stride;
    if (out_stride == 1) {
      __builtin_memcpy(to, &sums, sizeof sums);
    } else {
      T each[width];
      __builtin_memcpy(each, &sums, sizeof sums);
      for (int64_t j = 0; j < width; ++j) to[j * out_stride] = each[j];
    }
  }
  return first;
}

template <class P, class T>
void wide_columns(const T* x, int64_t m, int64_t row_stride, int64_t n, T* out,
                  int64_t out_stride) {
  using V = Vector<T>;
  int64_t first = strips<P, V, strip_width>(x, m, row_stride, 0, n, out, out_stride);
  first = strips<P, V, 1>(x, m, row_stride, first, n, out, out_stride);
  strips<P, T, 1>(x, m, row_stride, first, n, out, out_stride);
}

// Rows of a few columns without gaps: many such rows make a wide one, and the wide result is a
// matrix of a few rows.
template <class P, class T>
[[gnu::noinline]] void narrow_columns(const T* x, int64_t m, int64_t n, T* out,
                                      int64_t out_stride) {
  constexpr int64_t wide = strip_width * lanes<T>;
  const int64_t rows = wide / n, whole = m / rows * rows;
  T parts[2 * wide];
  wide_columns<P>(x, m / rows, rows * n, rows * n, parts, 1);
  if (whole < m) wide_columns<P>(x + whole * n, m - whole, n, n, parts + rows * n, 1);
  wide_columns<typename P::Next>(parts, rows + (whole < m), n, n, out, out_stride);
}

template <class P, class T>
void reduce_columns(const void* in, int64_t m, int64_t row_stride, int64_t n, void* out,
                    int64_t out_stride) {
  const T* x = static_cast<const T*>(in);
  constexpr int64_t wide = strip_width * lanes<T>;
  if (row_stride == n && n <= wide / 2 && n * m >= 4 * wide)
    narrow_columns<P>(x, m, n, static_cast<T*>(out), out_stride);
  else
    wide_columns<P>(x, m, row_stride, n, static_cast<T*>(out), out_stride);
}

// Blocks are first searched as a whole, which the compiler does in vectors.
template <class T>
int64_t find_extreme(const void* in, int64_t n, const void* extreme) {
  const T* x = static_cast<const T*>(in);
  const T wanted = *static_cast<const T*>(extreme);
  constexpr int64_t block = 64;
  const bool is_nan = wanted != wanted;
  int64_t i = 0;
  for (; i + block <= n; i += block) {
    uint8_t here = 0;
    if (is_nan)
      for (int64_t j = 0; j < block; ++j) here |= x[i + j] != x[i + j];
    else
      for (int64_t j = 0; j < block; ++j) here |= x[i + j] == wanted;
    if (here) break;
  }
  while (i < n && x[i] != wanted && !(is_nan && x[i] != x[i])) ++i;
  return i;
}

template <class T>
struct CountOf {
  using Type = uint32_t;
};
template <>
struct CountOf<double> {
  using Type = uint64_t;
};
template <>
struct CountOf<int64_t> {
  using Type = uint64_t;
};

template <bool largest, class T>
WEND_REDUCE bool beats(T x, T best) {
  return (largest ? x > best : x < best) | ((x != x) & (best == best));
}

template <bool largest, class T, int64_t width>
WEND_REDUCE void arg_strip(const T* x, int64_t m, int64_t row_stride, int64_t* out,
                           int64_t out_stride) {
  T best[width];
  typename CountOf<T>::Type at[width];
  for (int64_t j = 0; j < width; ++j) best[j] = x[j], at[j] = 0;
  for (int64_t i = 1; i < m; ++i) {
    const T* row = x + i * row_stride;
    for (int64_t j = 0; j < width; ++j) {
      const bool better = beats<largest>(row[j], best[j]);
      best[j] = better ? row[j] : best[j];
      at[j] = better ? static_cast<typename CountOf<T>::Type>(i) : at[j];
    }
  }
  for (int64_t j = 0; j < width; ++j) out[j * out_stride] = static_cast<int64_t>(at[j]);
}

template <bool largest, class T>
void arg_columns(const void* in, int64_t m, int64_t row_stride, int64_t n, int64_t* out,
                 int64_t out_stride) {
  const T* x = static_cast<const T*>(in);
  int64_t j = 0;
  for (; j + 32 <= n; j += 32)
    arg_strip<largest, T, 32>(x + j, m, row_stride, out + j * out_stride, out_stride);
  for (; j < n; ++j)
    arg_strip<largest, T, 1>(x + j, m, row_stride, out + j * out_stride, out_stride);
}

template <class P, class T>
constexpr ReduceLoops reduce_loops_of = {reduce_rows<P, T>, reduce_columns<P, T>};

// Integers are added and multiplied without sign, so that they wrap around.
#define WEND_ARITHMETIC(Kind)                                                                     \
  {                                                                                               \
    reduce_loops_of<Kind, float>, reduce_loops_of<Kind, double>, reduce_loops_of<Kind, uint64_t>, \
    {}                                                                                            \
  }
#define WEND_EXTREME(Kind)                                                                      \
  {reduce_loops_of<Kind, float>, reduce_loops_of<Kind, double>, reduce_loops_of<Kind, int64_t>, \
   reduce_loops_of<Kind, uint8_t>}
#define WEND_ARG(largest)                                         \
  {                                                               \
    {find_extreme<float>, arg_columns<largest, float>},           \
        {find_extreme<double>, arg_columns<largest, double>},     \
        {find_extreme<int64_t>, arg_columns<largest, int64_t>}, { \
      find_extreme<uint8_t>, arg_columns<largest, uint8_t>        \
    }                                                             \
  }

constexpr ReduceTable reduce_table = {
    .loops = {WEND_ARITHMETIC(SumKind), WEND_ARITHMETIC(SquaresKind), WEND_ARITHMETIC(ProdKind),
              WEND_EXTREME(MaxKind), WEND_EXTREME(MinKind)},
    .arg = {WEND_ARG(true), WEND_ARG(false)},
};
#undef WEND_ARITHMETIC
#undef WEND_EXTREME
#undef WEND_ARG

}  // namespace
}  // namespace wend
