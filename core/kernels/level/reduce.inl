// Reduction of rows and of columns with unit stride, in vectors, for each kind and dtype.
// Other strides, other dtypes, many dimensions and threads are left to kernels/reduce.cpp.
#pragma once

#include "kernels/level/gemm.inl"
#include "kernels/level/nn.inl"
#include "kernels/reduce.hpp"

namespace wend {
namespace {

#define WEND_REDUCE [[gnu::always_inline]] static inline
#define WEND_MEMBER [[gnu::always_inline]] inline

// The type in which arithmetic on many elements is carried on. Doubles round floats once, at the
// end.
template <class T>
struct WideOf {
  using Type = T;
};
template <>
struct WideOf<float> {
  using Type = double;
};

// A kind of reduction: the value of nothing, what an element contributes, how results join, the
// kind by which results of parts are reduced further, the type in which results of T are kept, and
// how many vectors of a row, or rows of columns, are joined before that. All work on scalars and on
// vectors.
struct SumKind {
  using Next = SumKind;
  template <class T>
  using Wide = typename WideOf<T>::Type;
  static constexpr int few = vectors_at_once, few_rows = 4;
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
// Errors of a product are relative to all of it: it is made of doubles from the start.
struct ProdKind : SumKind {
  using Next = ProdKind;
  static constexpr int few = 1, few_rows = 1;
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
  using Wide = T;
  static constexpr int few = vectors_at_once, few_rows = 1;
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
  using Wide = T;
  static constexpr int few = vectors_at_once, few_rows = 1;
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

// One running result for each lane of X, which is T or a vector of T.
template <class P, class X, class T, class W = typename P::template Wide<T>>
struct Running {
  X total = P::template start<T> - X{};

  WEND_MEMBER void add(X x) { total = P::join(total, x); }
  WEND_MEMBER void add(const Running& other) { add(other.total); }
  WEND_MEMBER X value() const { return total; }
  WEND_MEMBER W joined() const {
    W lane[sizeof(X) / sizeof(T)];
    __builtin_memcpy(lane, &total, sizeof total);
    for (int w = sizeof(X) / sizeof(T) / 2; w > 0; w /= 2)
      for (int j = 0; j < w; ++j) lane[j] = P::join(lane[j], lane[j + w]);
    return lane[0];
  }
};

// ... of a float in a double,
template <class P>
struct Running<P, float, float, double> {
  double total = P::template start<double>;

  WEND_MEMBER void add(float x) { total = P::join(total, static_cast<double>(x)); }
  WEND_MEMBER void add(const Running& other) { total = P::join(total, other.total); }
  WEND_MEMBER float value() const { return static_cast<float>(total); }
  WEND_MEMBER double joined() const { return total; }
};

// ... and of a vector of floats in two of doubles.
template <class P>
struct Running<P, Vector<float>, float, double> {
  typedef float Half __attribute__((vector_size(vector_bytes / 2)));
  Running<P, Vector<double>, double> low, high;

  WEND_MEMBER void add(Vector<float> x) {
    Half half[2];
    __builtin_memcpy(half, &x, sizeof x);
    low.add(__builtin_convertvector(half[0], Vector<double>));
    high.add(__builtin_convertvector(half[1], Vector<double>));
  }
  WEND_MEMBER void add(const Running& other) { low.add(other.low), high.add(other.high); }
  WEND_MEMBER Vector<float> value() const {
    const Half half[] = {__builtin_convertvector(low.total, Half),
                         __builtin_convertvector(high.total, Half)};
    Vector<float> x;
    __builtin_memcpy(&x, half, sizeof x);
    return x;
  }
  WEND_MEMBER double joined() const {
    Running<P, Vector<double>, double> all = low;
    all.add(high);
    return all.joined();
  }
};

// N elements, `step` apart, joined in pairs: so chains of additions are short, and few vectors are
// converted.
template <class P, class X, int N, class T>
WEND_REDUCE X join_few(const T* x, int64_t step) {
  if constexpr (N == 1)
    return P::of(load_as<X>(x));
  else
    return P::join(join_few<P, X, N / 2>(x, step), join_few<P, X, N / 2>(x + N / 2 * step, step));
}

// Memory is asked for early: with so much to do for each vector, few loads are under way at once.
template <class T>
WEND_REDUCE void prefetch(const T* x) {
  constexpr int64_t ahead = 8192;
  for (int64_t line = 0; line < vectors_at_once * vector_bytes; line += 64)
    __builtin_prefetch(reinterpret_cast<const char*>(x) + ahead + line);
}

// K results side by side, of K vectors of columns.
template <class X, int K>
struct Strip {
  X at[K];
};
// As many as leave registers for their running results.
constexpr int strip_width = 4;

template <class P, class T>
WEND_REDUCE auto short_row(const T* x, int64_t n) {
  if constexpr (P::few > 1) {
    T total = P::template start<T>, odd = total;
    int64_t i = 0;
    if constexpr (P::few_rows > 1)
      for (; i + 2 <= n; i += 2) {
        total = P::join(total, P::of(x[i]));
        odd = P::join(odd, P::of(x[i + 1]));
      }
    for (; i < n; ++i) total = P::join(total, P::of(x[i]));
    return P::join(total, odd);
  } else {
    Running<P, T, T> total;
    for (int64_t i = 0; i < n; ++i) total.add(x[i]);
    return total.joined();
  }
}

template <class P, class T>
WEND_REDUCE auto block_of_row(const T* x, int64_t n) {
  using V = Vector<T>;
  constexpr int64_t L = lanes<T>, step = P::few * L, most = 2 * vectors_at_once * L;
  Running<P, V, T> even, odd;
  int64_t i = 0;
  for (; i + most <= n; i += most) {
    prefetch(x + i);
    for (int64_t k = 0; k < most / 2; k += step) even.add(join_few<P, V, P::few>(x + i + k, L));
    prefetch(x + i + most / 2);
    for (int64_t k = most / 2; k < most; k += step) odd.add(join_few<P, V, P::few>(x + i + k, L));
  }
  for (; i + step <= n; i += step) even.add(join_few<P, V, P::few>(x + i, L));
  for (; i + L <= n; i += L) odd.add(P::of(load_as<V>(x + i)));
  even.add(odd);
  const auto total = even.joined();
  using W = typename P::template Wide<T>;
  return i < n ? P::join(total, static_cast<W>(short_row<P>(x + i, n - i))) : total;
}

// Halves of whole blocks, so that rounding errors grow with the logarithm of n only. What runs on
// in a wider type may run longer.
template <class P, class T>
[[gnu::noinline]] auto long_row(const T* x, int64_t n) -> typename P::template Wide<T> {
  constexpr int64_t block = sizeof(typename P::template Wide<T>) > sizeof(T) ? 16384 : 1024;
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
    *out = n < lanes<T> ? static_cast<T>(short_row<P>(x, n)) : static_cast<T>(long_row<P>(x, n));
}

template <class P, class X, int K, class T>
[[gnu::noinline]] Strip<Running<P, X, T>, K> strip_of_columns(const T* x, int64_t m,
                                                              int64_t row_stride) {
  constexpr bool wide = sizeof(typename P::template Wide<T>) > sizeof(T);
  constexpr int64_t block = wide ? 1024 : 64, width = sizeof(X) / sizeof(T);
  if (m > block) {
    const int64_t half = m / 2;
    auto a = strip_of_columns<P, X, K>(x, half, row_stride);
    const auto b = strip_of_columns<P, X, K>(x + half * row_stride, m - half, row_stride);
    for (int k = 0; k < K; ++k) a.at[k].add(b.at[k]);
    return a;
  }
  Strip<Running<P, X, T>, K> totals;
  int64_t i = 0;
  constexpr int rows = P::few_rows;
  for (; i + rows <= m; i += rows, x += rows * row_stride)
    for (int k = 0; k < K; ++k) totals.at[k].add(join_few<P, X, rows>(x + k * width, row_stride));
  for (; i < m; ++i, x += row_stride)
    for (int k = 0; k < K; ++k) totals.at[k].add(P::of(load_as<X>(x + k * width)));
  return totals;
}

// Does as many columns as whole strips cover, and says how many that is.
template <class P, class X, int K, class T>
WEND_REDUCE int64_t strips(const T* x, int64_t m, int64_t row_stride, int64_t first, int64_t n,
                           T* out, int64_t out_stride) {
  constexpr int64_t width = K * sizeof(X) / sizeof(T);
  for (; first + width <= n; first += width) {
    const auto totals = strip_of_columns<P, X, K>(x + first, m, row_stride);
    Strip<X, K> sums;
    for (int k = 0; k < K; ++k) sums.at[k] = totals.at[k].value();
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
