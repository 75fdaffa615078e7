// The matrix-product kernels of one instruction level, for one thread, in GCC vector extensions.
// Which kernel a product takes, and how it is split over threads, is left to gemm.cpp.
//
// Every element of C is summed in an order that depends on the kernel and on k alone, not on where
// the element lies: so a product may be cut by rows or columns anywhere without changing a bit.
#pragma once

#if defined(__AVX2__)
#include <immintrin.h>
#endif

#include "kernels/gemm.hpp"

#define WEND_INLINE inline __attribute__((always_inline))
#define WEND_UNROLL _Pragma("GCC unroll 16")

namespace wend {
namespace {

// `registers` are those that a tile may fill; without fused multiply-add each product needs one.
#if defined(__AVX512F__)
constexpr int vector_bytes = 64, registers = 32, max_rows = 8;
#elif defined(__AVX2__)
constexpr int vector_bytes = 32, registers = 16, max_rows = 6;
#elif defined(__aarch64__)
constexpr int vector_bytes = 16, registers = 32, max_rows = 8;
#else
constexpr int vector_bytes = 16, registers = 15, max_rows = 4;
#endif

template <class T>
struct Simd {
  typedef T Vector __attribute__((vector_size(vector_bytes)));
  typedef T Loose __attribute__((vector_size(vector_bytes), aligned(alignof(T)), may_alias));
  static constexpr int lanes = vector_bytes / sizeof(T);
};
template <class T>
using Vector = typename Simd<T>::Vector;
template <class T>
constexpr int lanes = Simd<T>::lanes;

template <class T>
WEND_INLINE Vector<T> load_vector(const T* p) {
  return *reinterpret_cast<const typename Simd<T>::Loose*>(p);
}

template <class T>
WEND_INLINE void store_vector(T* p, Vector<T> v) {
  *reinterpret_cast<typename Simd<T>::Loose*>(p) = v;
}

// Subtracting zero keeps -0.0 and compiles to a plain broadcast; adding it would cost an addition.
template <class T>
WEND_INLINE Vector<T> splat(T x) {
  return x - Vector<T>{};
}

WEND_INLINE int64_t min(int64_t x, int64_t y) { return x < y ? x : y; }
WEND_INLINE int64_t ceil_div(int64_t x, int64_t y) { return (x + y - 1) / y; }

// The first lanes of a vector, 1 to all of them: what lies beyond in memory is neither read nor
// written.
#if defined(__AVX512F__)
struct Part {
  explicit Part(int64_t count) : bits(static_cast<unsigned>((uint64_t{1} << count) - 1)) {}
  unsigned bits;
};
WEND_INLINE Vector<float> load_part(const float* p, Part part) {
  return _mm512_maskz_loadu_ps(static_cast<__mmask16>(part.bits), p);
}
WEND_INLINE Vector<double> load_part(const double* p, Part part) {
  return _mm512_maskz_loadu_pd(static_cast<__mmask8>(part.bits), p);
}
WEND_INLINE void store_part(float* p, Vector<float> v, Part part) {
  _mm512_mask_storeu_ps(p, static_cast<__mmask16>(part.bits), v);
}
WEND_INLINE void store_part(double* p, Vector<double> v, Part part) {
  _mm512_mask_storeu_pd(p, static_cast<__mmask8>(part.bits), v);
}
#elif defined(__AVX2__)
struct Part {
  explicit Part(int64_t count) : count(static_cast<int>(count)) {}
  __m256i of_float() const {
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(count), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
  }
  __m256i of_double() const {
    return _mm256_cmpgt_epi64(_mm256_set1_epi64x(count), _mm256_setr_epi64x(0, 1, 2, 3));
  }
  int count;
};
WEND_INLINE Vector<float> load_part(const float* p, Part part) {
  return _mm256_maskload_ps(p, part.of_float());
}
WEND_INLINE Vector<double> load_part(const double* p, Part part) {
  return _mm256_maskload_pd(p, part.of_double());
}
WEND_INLINE void store_part(float* p, Vector<float> v, Part part) {
  _mm256_maskstore_ps(p, part.of_float(), v);
}
WEND_INLINE void store_part(double* p, Vector<double> v, Part part) {
  _mm256_maskstore_pd(p, part.of_double(), v);
}
#else
struct Part {
  explicit Part(int64_t count) : count(static_cast<int>(count)) {}
  int count;
};
template <class T>
WEND_INLINE Vector<T> load_part(const T* p, Part part) {
  Vector<T> v{};
  for (int i = 0; i < lanes<T>; ++i)
    if (i < part.count) v[i] = p[i];
  return v;
}
template <class T>
WEND_INLINE void store_part(T* p, Vector<T> v, Part part) {
  for (int i = 0; i < lanes<T>; ++i)
    if (i < part.count) p[i] = v[i];
}
#endif

template <bool Partial, class T>
WEND_INLINE Vector<T> load_maybe(const T* p, Part part) {
  if constexpr (Partial) return load_part(p, part);
  return load_vector(p);
}

// c = v, or c += v.
template <bool Partial, class T>
WEND_INLINE void put(T* c, Vector<T> v, bool accumulate, Part part) {
  if (accumulate) v += load_maybe<Partial>(c, part);
  if constexpr (Partial)
    store_part(c, v, part);
  else
    store_vector(c, v);
}

// Tiles: a block of C in registers, rows of A broadcast against vectors along the rows of B.

// The widest tile of this many rows: accumulators, one row of B and one element of A in registers.
constexpr int max_vectors(int rows) {
  const int fit = (registers - 1) / (rows + 1);
  return fit > 6 ? 6 : fit;
}

template <class T>
struct Tile {
  int64_t k;
  const T* a;
  int64_t a_row, a_col;
  const T* b;  // column stride 1
  int64_t b_row;
  T* c;
  int64_t c_row;
  bool accumulate;
  int64_t last_lanes;  // columns in the last vector
};

template <class T, int R, int V, bool Partial>
void tile(const Tile<T>& t) {
  constexpr int L = lanes<T>;
  const Part part(t.last_lanes);
  Vector<T> sum[R][V] = {};
  const T* a = t.a;
  const T* b = t.b;
  const int64_t a_row = t.a_row, a_col = t.a_col, b_row = t.b_row;
  for (int64_t p = t.k; p > 0; --p) {
    Vector<T> row[V];
    WEND_UNROLL for (int j = 0; j < V - 1; ++j) row[j] = load_vector(b + j * L);
    row[V - 1] = load_maybe<Partial>(b + (V - 1) * L, part);
    WEND_UNROLL for (int i = 0; i < R; ++i) {
      const Vector<T> x = splat(a[i * a_row]);
      WEND_UNROLL for (int j = 0; j < V; ++j) sum[i][j] += x * row[j];
    }
    a += a_col;
    b += b_row;
  }
  WEND_UNROLL for (int i = 0; i < R; ++i) {
    T* c = t.c + i * t.c_row;
    WEND_UNROLL for (int j = 0; j < V - 1; ++j)
        put<false>(c + j * L, sum[i][j], t.accumulate, part);
    put<Partial>(c + (V - 1) * L, sum[i][V - 1], t.accumulate, part);
  }
}

template <class T>
struct TileTable {
  using Function = void (*)(const Tile<T>&);
  Function at[max_rows][6][2] = {};

  constexpr TileTable() { fill<1, 1>(); }

  template <int R, int V>
  constexpr void fill() {
    at[R - 1][V - 1][0] = tile<T, R, V, false>;
    at[R - 1][V - 1][1] = tile<T, R, V, true>;
    if constexpr (V < max_vectors(R))
      fill<R, V + 1>();
    else if constexpr (R < max_rows)
      fill<R + 1, 1>();
  }
};
template <class T>
constexpr TileTable<T> tile_table;

// Packing: a panel of B as tiles read it fastest, rows of `width` contiguous elements.

template <class T>
struct Shuffle {
  using V = Vector<T>;
  static WEND_INLINE V low(V x, V y) { return interleave<0>(x, y); }
  static WEND_INLINE V high(V x, V y) { return interleave<lanes<T> / 2>(x, y); }

 private:
  template <int From>
  static WEND_INLINE V interleave(V x, V y) {
    constexpr int L = lanes<T>, F = From;
    if constexpr (L == 16)
      return __builtin_shufflevector(x, y, F, F + L, F + 1, F + L + 1, F + 2, F + L + 2, F + 3,
                                     F + L + 3, F + 4, F + L + 4, F + 5, F + L + 5, F + 6,
                                     F + L + 6, F + 7, F + L + 7);
    else if constexpr (L == 8)
      return __builtin_shufflevector(x, y, F, F + L, F + 1, F + L + 1, F + 2, F + L + 2, F + 3,
                                     F + L + 3);
    else if constexpr (L == 4)
      return __builtin_shufflevector(x, y, F, F + L, F + 1, F + L + 1);
    else
      return __builtin_shufflevector(x, y, F, F + L);
  }
};

// log2(lanes) perfect shuffles of the rows amount to a transposition.
template <class T>
WEND_INLINE void transpose(Vector<T> (&rows)[lanes<T>]) {
  constexpr int L = lanes<T>;
  WEND_UNROLL for (int step = 1; step < L; step *= 2) {
    Vector<T> next[L];
    WEND_UNROLL for (int i = 0; i < L / 2; ++i) {
      next[2 * i] = Shuffle<T>::low(rows[i], rows[i + L / 2]);
      next[2 * i + 1] = Shuffle<T>::high(rows[i], rows[i + L / 2]);
    }
    WEND_UNROLL for (int i = 0; i < L; ++i) rows[i] = next[i];
  }
}

// One block of at most lanes × lanes elements. Missing columns repeat the last: they land in the
// panel's padding.
template <class T>
void pack_transposed(int64_t depth, int64_t cols, const T* b, int64_t b_col, T* out,
                     int64_t width) {
  constexpr int L = lanes<T>;
  Vector<T> rows[L];
  if (depth >= L) {
    WEND_UNROLL for (int j = 0; j < L; ++j) rows[j] = load_vector(b + min(j, cols - 1) * b_col);
  } else {
    const Part part(depth);
    WEND_UNROLL for (int j = 0; j < L; ++j) rows[j] = load_part(b + min(j, cols - 1) * b_col, part);
  }
  transpose<T>(rows);
  WEND_UNROLL for (int p = 0; p < L; ++p) if (p < depth) store_vector(out + p * width, rows[p]);
}

template <class T>
void pack_panel(int64_t depth, int64_t cols, const T* b, int64_t b_row, int64_t b_col, T* panel,
                int64_t width) {
  if (b_row == 1) {
    for (int64_t j = 0; j < cols; j += lanes<T>)
      for (int64_t p = 0; p < depth; p += lanes<T>)
        pack_transposed(depth - p, cols - j, b + j * b_col + p, b_col, panel + p * width + j,
                        width);
    return;
  }
  for (int64_t p = 0; p < depth; ++p)
    for (int64_t j = 0; j < cols; ++j) panel[p * width + j] = b[p * b_row + j * b_col];
}

// The length of k that is summed up before it is added to C: with the widest tile a panel of B then
// about fills an L1 cache, and rounding errors grow with the blocks, not with k.
constexpr int64_t panel_rows = 256;

// All tiles of one panel, that is of one block of columns and one block of k.
template <class T>
WEND_INLINE void tile_panel(Tile<T> t, int64_t m, int64_t rows, int64_t cols) {
  const int64_t vectors = ceil_div(cols, lanes<T>);
  t.last_lanes = cols - (vectors - 1) * lanes<T>;
  const auto& functions = tile_table<T>.at;
  const bool partial = t.last_lanes != lanes<T>;
  for (int64_t i = 0; i < m; i += rows) {
    functions[min(rows, m - i) - 1][vectors - 1][partial](t);
    t.a += rows * t.a_row;
    t.c += rows * t.c_row;
  }
}

template <class T>
struct TilePlan {
  int64_t rows, width;

  // Tiles of equal size rather than full ones and a remainder.
  explicit TilePlan(const Gemm<T>& g) {
    rows = ceil_div(g.m, ceil_div(g.m, max_rows));
    const int64_t vectors = ceil_div(g.n, lanes<T>);
    width = lanes<T> * ceil_div(vectors, ceil_div(vectors, max_vectors(static_cast<int>(rows))));
  }
};

template <class T>
void packed_tiles(const Gemm<T>& g) {
  const TilePlan<T> plan(g);
  alignas(64) T panel[panel_rows * 6 * lanes<T>];
  for (int64_t p = 0; p < g.k; p += panel_rows) {
    const int64_t depth = min(panel_rows, g.k - p);
    for (int64_t j = 0; j < g.n; j += plan.width) {
      const int64_t cols = min(plan.width, g.n - j);
      pack_panel(depth, cols, g.b + p * g.b_row + j * g.b_col, g.b_row, g.b_col, panel, plan.width);
      tile_panel<T>({depth, g.a + p * g.a_col, g.a_row, g.a_col, panel, plan.width, g.c + j,
                     g.c_row, g.accumulate || p > 0, 0},
                    g.m, plan.rows, cols);
    }
  }
}

template <class T>
void gemm_tiles(const Gemm<T>& g) {
  if (g.b_col != 1) return packed_tiles(g);
  const TilePlan<T> plan(g);
  for (int64_t p = 0; p < g.k; p += panel_rows) {
    const int64_t depth = min(panel_rows, g.k - p);
    for (int64_t j = 0; j < g.n; j += plan.width)
      tile_panel<T>({depth, g.a + p * g.a_col, g.a_row, g.a_col, g.b + p * g.b_row + j, g.b_row,
                     g.c + j, g.c_row, g.accumulate || p > 0, 0},
                    g.m, plan.rows, min(plan.width, g.n - j));
  }
}

template <class T>
void gemm_turn(const Gemm<T>& g, T* to, int64_t width) {
  pack_panel(g.k, g.n, g.b, g.b_row, g.b_col, to, width);
}

// Dots: inner products with vectors along k, for few rows against transposed B.

// Adds up neighbouring lanes of both: the sums of x fill the lower half, those of y the upper.
template <class T>
WEND_INLINE Vector<T> add_pairs(Vector<T> x, Vector<T> y) {
  if constexpr (lanes<T> == 16)
    return __builtin_shufflevector(x, y, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28,
                                   30) +
           __builtin_shufflevector(x, y, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31);
  else if constexpr (lanes<T> == 8)
    return __builtin_shufflevector(x, y, 0, 2, 4, 6, 8, 10, 12, 14) +
           __builtin_shufflevector(x, y, 1, 3, 5, 7, 9, 11, 13, 15);
  else if constexpr (lanes<T> == 4)
    return __builtin_shufflevector(x, y, 0, 2, 4, 6) + __builtin_shufflevector(x, y, 1, 3, 5, 7);
  else
    return __builtin_shufflevector(x, y, 0, 2) + __builtin_shufflevector(x, y, 1, 3);
}

// The sums of the lanes of N vectors, N <= lanes, as the first N lanes of one: each step halves the
// lanes that are left to add. Whatever N is, the lanes of each are added up in the same order.
template <class T, int N, int Left = lanes<T>>
WEND_INLINE Vector<T> sum_lanes(const Vector<T>* v) {
  if constexpr (Left == 1) {
    return v[0];
  } else {
    constexpr int half = N == 1 ? 1 : N / 2;
    Vector<T> sum[half];
    WEND_UNROLL for (int i = 0; i < half; ++i) {
      sum[i] = add_pairs<T>(v[2 * i % N], v[(2 * i + 1) % N]);
    }
    return sum_lanes<T, half, Left / 2>(sum);
  }
}

template <class T>
struct Dots {
  int64_t k;
  const T* a;  // column stride 1
  int64_t a_row;
  const T* b;  // row stride 1
  int64_t b_col;
  T* c;
  int64_t c_row, c_col;
  bool accumulate;
};

template <class T, int N>
WEND_INLINE void store_sums(const Vector<T>* v, T* c, int64_t c_col, bool accumulate) {
  constexpr int step = N < lanes<T> ? N : lanes<T>;
  WEND_UNROLL for (int j = 0; j < N; j += step, c += step * c_col) {
    const Vector<T> sum = sum_lanes<T, step>(v + j);
    if (c_col == 1) {
      put<step != lanes<T>>(c, sum, accumulate, Part(step));
    } else {
      for (int i = 0; i < step; ++i) c[i * c_col] = accumulate ? c[i * c_col] + sum[i] : sum[i];
    }
  }
}

template <class T, int R, int C>
WEND_INLINE void dot_tile(const Dots<T>& d) {
  constexpr int L = lanes<T>;
  const int64_t k = d.k, a_row = d.a_row, b_col = d.b_col;
  Vector<T> sum[R][C] = {};
  const T* b[C];
  WEND_UNROLL for (int j = 0; j < C; ++j) b[j] = d.b + j * b_col;
  int64_t p = 0;
  for (; p + L <= k; p += L) {
    Vector<T> y[C];
    WEND_UNROLL for (int j = 0; j < C; ++j) y[j] = load_vector(b[j] + p);
    WEND_UNROLL for (int i = 0; i < R; ++i) {
      const Vector<T> x = load_vector(d.a + i * a_row + p);
      WEND_UNROLL for (int j = 0; j < C; ++j) sum[i][j] += x * y[j];
    }
  }
  if (p < k) {
    const Part part(k - p);
    WEND_UNROLL for (int i = 0; i < R; ++i) {
      const Vector<T> x = load_part(d.a + i * a_row + p, part);
      WEND_UNROLL for (int j = 0; j < C; ++j) sum[i][j] += x * load_part(b[j] + p, part);
    }
  }
  WEND_UNROLL for (int i = 0; i < R; ++i)
      store_sums<T, C>(sum[i], d.c + i * d.c_row, d.c_col, d.accumulate);
}

// As many columns as make whole tiles of C; d moves on to the first one left.
template <class T, int R, int C>
WEND_INLINE int64_t dot_tiles(Dots<T>& d, int64_t n) {
  for (; n >= C; n -= C) {
    dot_tile<T, R, C>(d);
    d.b += C * d.b_col;
    d.c += C * d.c_col;
  }
  return n;
}

template <class T, int R>
void dot_block(Dots<T> d, int64_t n) {
  if constexpr (R * 8 <= registers / 2) n = dot_tiles<T, R, 8>(d, n);
  n = dot_tiles<T, R, 4>(d, n);
  dot_tiles<T, R, 1>(d, n);
}

constexpr int dot_rows = registers == 32 ? 6 : 2;

template <class T, int R = dot_rows>
WEND_INLINE void dot_block_of(int64_t rows, const Dots<T>& d, int64_t n) {
  if (rows == R) return dot_block<T, R>(d, n);
  if constexpr (R > 1) dot_block_of<T, R - 1>(rows, d, n);
}

template <class T>
void dots(const Dots<T>& whole, int64_t m, int64_t n) {
  constexpr int64_t block = 64;  // columns of B that stay in cache while all rows pass
  const int64_t rows = ceil_div(m, ceil_div(m, dot_rows));
  for (int64_t j = 0; j < n; j += block) {
    Dots<T> d = whole;
    d.b += j * d.b_col;
    d.c += j * d.c_col;
    for (int64_t i = 0; i < m; i += rows) {
      dot_block_of<T>(min(rows, m - i), d, min(block, n - j));
      d.a += rows * d.a_row;
      d.c += rows * d.c_row;
    }
  }
}

// A few rows with any strides, copied block by block of k so that their elements are contiguous.
template <class T>
void dots_of_copy(Dots<T> d, int64_t m, int64_t n, int64_t a_col) {
  constexpr int64_t block = 1024;
  alignas(64) T copy[4 * block];
  const int64_t k = d.k, a_row = d.a_row;
  const T* a = d.a;
  d.a = copy;
  d.a_row = block;
  for (int64_t p = 0; p < k; p += block) {
    d.k = min(block, k - p);
    for (int64_t i = 0; i < m; ++i)
      for (int64_t e = 0; e < d.k; ++e) copy[i * block + e] = a[i * a_row + (p + e) * a_col];
    dots(d, m, n);
    d.b += d.k;
    d.accumulate = true;
  }
}

template <class T>
void gemm_dots(const Gemm<T>& g) {
  if (g.n <= 4 && g.a_col == 1 && (g.n < g.m || g.b_row != 1)) {
    // B's few columns as rows, A's rows as columns.
    const Dots<T> d{g.k, g.b, g.b_col, g.a, g.a_row, g.c, 1, g.c_row, g.accumulate};
    return g.b_row == 1 ? dots(d, g.n, g.m) : dots_of_copy(d, g.n, g.m, g.b_row);
  }
  const Dots<T> d{g.k, g.a, g.a_row, g.b, g.b_col, g.c, g.c_row, 1, g.accumulate};
  return g.a_col == 1 ? dots(d, g.m, g.n) : dots_of_copy(d, g.m, g.n, g.a_col);
}

// Axpys: a vector times a matrix, the rows of B scaled and added as they lie in memory.

template <class T, int K, bool Partial>
WEND_INLINE Vector<T> scaled_rows(const Vector<T> (&x)[K], const T* b, int64_t b_row, Part part) {
  Vector<T> even = x[0] * load_maybe<Partial>(b, part), odd{};
  WEND_UNROLL for (int p = 1; p < K; ++p) {
    Vector<T>& sum = p % 2 ? odd : even;
    sum += x[p] * load_maybe<Partial>(b + p * b_row, part);
  }
  return K == 1 ? even : even + odd;
}

// y (+)= x[0] * row 0 of B + … + x[K - 1] * row K - 1.
template <class T, int K>
void add_rows(int64_t n, const T* a, int64_t a_col, const T* b, int64_t b_row, T* y,
              bool accumulate) {
  constexpr int L = lanes<T>;
  Vector<T> x[K];
  WEND_UNROLL for (int p = 0; p < K; ++p) x[p] = splat(a[p * a_col]);
  int64_t j = 0;
  for (; j + L <= n; j += L) {
    const Vector<T> sum = scaled_rows<T, K, false>(x, b + j, b_row, Part(L));
    put<false>(y + j, sum, accumulate, Part(L));
  }
  if (j < n) {
    const Part part(n - j);
    const Vector<T> sum = scaled_rows<T, K, true>(x, b + j, b_row, part);
    put<true>(y + j, sum, accumulate, part);
  }
}

template <class T>
void gemm_axpys(const Gemm<T>& g) {
  constexpr int64_t block = 8192 / sizeof(T);  // the part of y that stays in the L1 cache
  for (int64_t j = 0; j < g.n; j += block) {
    const int64_t n = min(block, g.n - j);
    const T* b = g.b + j;
    T* y = g.c + j;
    int64_t p = 0;
    for (; p + 8 <= g.k; p += 8)
      add_rows<T, 8>(n, g.a + p * g.a_col, g.a_col, b + p * g.b_row, g.b_row, y, g.accumulate || p);
    for (; p < g.k; ++p)
      add_rows<T, 1>(n, g.a + p * g.a_col, g.a_col, b + p * g.b_row, g.b_row, y, g.accumulate || p);
  }
}

}  // namespace
}  // namespace wend
