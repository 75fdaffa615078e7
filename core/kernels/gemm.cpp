// Chooses how each matrix product is formed, and splits it over the threads.
// Our own kernels are in level/gemm.inl; large products go to OpenBLAS, one thread each.
#include "kernels/gemm.hpp"

#include <algorithm>
#include <climits>
#include <memory>

#include "base/threads.hpp"
#include "kernels/level.hpp"
#include "kernels/openblas.hpp"
#include "kernels/turned.hpp"

namespace wend {
namespace {

// In units of work_of: a block for one thread is at least the first, and below the second no
// sleeping thread is woken. A core does about eighty of the units in a nanosecond.
constexpr int64_t block_work = int64_t{1} << 18, wake_work = int64_t{1} << 20;

template <class T>
using Kernel = void (*)(const Gemm<T>&);

template <class T>
const GemmKernels<T>& kernels() {
  if constexpr (sizeof(T) == sizeof(float))
    return level().gemm_f32;
  else
    return level().gemm_f64;
}

// Multiply-adds, and with the weight that fits the measured times, elements to be moved: they are
// what a product with few rows costs.
template <class T>
int64_t work_of(const Gemm<T>& g) {
  return g.m * g.n * g.k + 4 * (g.m * g.k + g.k * g.n + g.m * g.n);
}

// The strides of an extent of one are never used: give them the value that takes the fast paths.
template <class T>
Gemm<T> normalized(Gemm<T> g) {
  if (g.m == 1) {
    g.a_row = g.k;
    g.c_row = g.n;
  }
  if (g.n == 1) g.b_col = 1;
  if (g.k == 1) {
    g.a_col = 1;
    g.b_row = g.n;
  }
  return g;
}

// A column of C as a row: (A·b)ᵀ = bᵀ·Aᵀ.
template <class T>
Gemm<T> column_as_row(const Gemm<T>& g) {
  return {1, g.m, g.k, g.b, 1, g.b_row, g.a, g.a_col, g.a_row, g.c, g.m, g.accumulate};
}

// An operand as BLAS takes it: one stride is the unit, the other (the leading dimension) spans it.
struct BlasLayout {
  bool transposed;
  int64_t leading;
};

bool blas_layout(int64_t rows, int64_t cols, int64_t row, int64_t col, BlasLayout& out) {
  const bool by_rows = col == 1 && row >= cols, by_cols = row == 1 && col >= rows;
  out = by_rows ? BlasLayout{false, row} : BlasLayout{true, col};
  return (by_rows || by_cols) && out.leading <= INT_MAX;
}

void cblas(CBLAS_TRANSPOSE ta, CBLAS_TRANSPOSE tb, const Gemm<float>& g, int lda, int ldb) {
  openblas()->sgemm(CblasRowMajor, ta, tb, static_cast<int>(g.m), static_cast<int>(g.n),
                    static_cast<int>(g.k), 1, g.a, lda, g.b, ldb, g.accumulate ? 1 : 0, g.c,
                    static_cast<int>(g.c_row));
}

void cblas(CBLAS_TRANSPOSE ta, CBLAS_TRANSPOSE tb, const Gemm<double>& g, int lda, int ldb) {
  openblas()->dgemm(CblasRowMajor, ta, tb, static_cast<int>(g.m), static_cast<int>(g.n),
                    static_cast<int>(g.k), 1, g.a, lda, g.b, ldb, g.accumulate ? 1 : 0, g.c,
                    static_cast<int>(g.c_row));
}

template <class T>
void blas(const Gemm<T>& g) {
  BlasLayout a, b;
  blas_layout(g.m, g.k, g.a_row, g.a_col, a);
  blas_layout(g.k, g.n, g.b_row, g.b_col, b);
  cblas(a.transposed ? CblasTrans : CblasNoTrans, b.transposed ? CblasTrans : CblasNoTrans, g,
        static_cast<int>(a.leading), static_cast<int>(b.leading));
}

// OpenBLAS wins where there is so much to do that what our tiles come back to is in no near cache.
template <class T>
bool too_large_for_tiles(const Gemm<T>& g) {
  constexpr int64_t most = (int64_t{1} << 30) / sizeof(T);  // multiply-adds
  return g.m >= 128 && g.n >= 128 && g.m * g.n * g.k >= most &&
         std::max({g.m, g.n, g.k, g.c_row}) <= INT_MAX && openblas();
}

// Inner products pay where their final sums across lanes are few against k, and no panel of B would
// be used often enough to pay for transposing it.
template <class T>
bool suits_dots(const Gemm<T>& g) {
  if (g.a_col != 1 && g.b_row != 1) return false;
  if ((g.a_col != 1 && g.m > 4) || (g.b_row != 1 && g.n > 4)) return false;
  if (g.b_row != 1 && g.m <= 4) return false;
  const int64_t few = std::min(g.m, g.n);
  return (g.m <= 16 || g.n <= 4) && g.k >= 8 * few;
}

template <class T>
Kernel<T> choose(const Gemm<T>& g) {
  if (suits_dots(g)) return kernels<T>().dots;
  if (g.m == 1 && g.b_col == 1 && g.n >= 512) return kernels<T>().axpys;
  return kernels<T>().tiles;
}

// One block of rows or columns of the product.
template <class T>
Gemm<T> rows_of(Gemm<T> g, int64_t begin, int64_t end) {
  g.m = end - begin;
  g.a += begin * g.a_row;
  g.c += begin * g.c_row;
  return g;
}

template <class T>
Gemm<T> columns_of(Gemm<T> g, int64_t begin, int64_t end) {
  g.n = end - begin;
  g.b += begin * g.b_col;
  g.c += begin;
  return g;
}

// Columns that blocks are made of: as many as keep most tiles whole, or, where they would be too
// few to be shared out evenly, a power of two; long ones for a single row of A, which streams
// through B.
template <class T>
int64_t column_unit(const Gemm<T>& g) {
  constexpr int64_t whole_tiles = 192 / sizeof(T), even = 256 / sizeof(T),
                    stream = 1024 / sizeof(T);
  if (g.m == 1) return stream;
  return g.n >= 8 * whole_tiles ? whole_tiles : even;
}

// Splits the longer side of C.
template <class T>
void run_split(const Gemm<T>& g, Kernel<T> kernel) {
  const bool by_rows = g.m > g.n;
  const int64_t length = by_rows ? g.m : g.n;
  const int64_t unit = by_rows ? 48 : column_unit(g);
  const int64_t enough = block_work / (work_of(g) / length) + 1;
  const int64_t grain = (enough + unit - 1) / unit * unit;
  parallel_for(
      length, grain,
      [&](int64_t begin, int64_t end) {
        kernel(by_rows ? rows_of(g, begin, end) : columns_of(g, begin, end));
      },
      work_of(g) >= wake_work);
}

// OpenBLAS packs both operands anew for every block, so the blocks are as large as the threads
// allow. It may round differently in another block: so the blocks are settled here, not by who is
// free.
template <class T>
void run_blas(const Gemm<T>& g) {
  constexpr int64_t unit = 64, good_units = 6;
  const int64_t threads = num_threads();
  const bool by_rows = g.m >= g.n;
  const int64_t length = by_rows ? g.m : g.n, units = (length + unit - 1) / unit;
  const int64_t rounds = std::clamp<int64_t>(units / (threads * good_units), 1, 4);
  const int64_t blocks = threads == 1 ? 1 : std::min(units, threads * rounds);
  auto edge = [=](int64_t block) { return std::min(length, units * block / blocks * unit); };
  parallel_for(blocks, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      blas(by_rows ? rows_of(g, edge(i), edge(i + 1)) : columns_of(g, edge(i), edge(i + 1)));
  });
}

template <class T>
struct Copy {
  std::unique_ptr<T[]> values;

  // A contiguous copy of a matrix, made in parallel; `data` and the strides are replaced by its
  // own.
  void take(int64_t rows, int64_t cols, const T*& data, int64_t& row, int64_t& col) {
    values.reset(new T[static_cast<size_t>(rows * cols)]);
    T* out = values.get();
    const T* from = data;
    const int64_t row_step = row, col_step = col;
    parallel_for(rows, std::max<int64_t>(1, 8192 / cols), [=](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i)
        for (int64_t j = 0; j < cols; ++j) out[i * cols + j] = from[i * row_step + j * col_step];
    });
    data = out;
    row = cols;
    col = 1;
  }
};

// An operand that is contiguous neither way is copied: that is cheap against a large product.
template <class T>
void run_large(Gemm<T> g) {
  Copy<T> a, b;
  BlasLayout layout;
  if (!blas_layout(g.m, g.k, g.a_row, g.a_col, layout)) a.take(g.m, g.k, g.a, g.a_row, g.a_col);
  if (!blas_layout(g.k, g.n, g.b_row, g.b_col, layout)) b.take(g.k, g.n, g.b, g.b_row, g.b_col);
  run_blas(g);
}

template <class T>
void clear(const Gemm<T>& g) {
  for (int64_t i = 0; i < g.m; ++i) std::fill_n(g.c + i * g.c_row, g.n, T{0});
}

template <class T>
void run(const Gemm<T>& given) {
  if (given.m <= 0 || given.n <= 0) return;
  if (given.k <= 0) return given.accumulate ? void() : clear(given);
  Gemm<T> g = normalized(given);
  if (g.n == 1 && g.m > 1 && g.c_row == 1) g = column_as_row(g);
  if (too_large_for_tiles(g)) return run_large(g);
  const Kernel<T> kernel = choose(g);
  Turned<T> right;
  if (g.b_name && g.b_row == 1 && g.b_col != 1 && kernel == kernels<T>().tiles) {
    right = turned(g);
    if (right.values) g.b = right.values.get(), g.b_row = right.row, g.b_col = 1;
  }
  if (work_of(g) < 2 * block_work) return kernel(g);
  run_split(g, kernel);
}

// True iff the products lie one below the other, so that together they are one with more rows.
template <class T>
bool stacks(const Gemm<T>& g, const GemmSteps& steps) {
  return steps.b == 0 && steps.a == g.m * g.a_row && steps.c == g.m * g.c_row;
}

template <class T>
Gemm<T> member(Gemm<T> g, int64_t index, const GemmSteps& steps) {
  g.a += index * steps.a;
  g.b += index * steps.b;
  g.c += index * steps.c;
  return g;
}

template <class T>
void run_batched(Gemm<T> g, int64_t count, const GemmSteps& steps) {
  if (count <= 0) return;
  if (stacks(g, steps)) {
    g.m *= count;
    return run(g);
  }
  auto members = [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) run(member(g, i, steps));
  };
  const int64_t work = std::max<int64_t>(1, work_of(g));
  const bool apart = steps.c != 0 && work < wake_work;
  if (!apart || work < 2 * block_work / count) return members(0, count);
  parallel_for(count, block_work / work + 1, members, work >= wake_work / count);
}

}  // namespace

void load_gemm_library() { openblas(); }

void gemm(const Gemm<float>& product) { run(product); }
void gemm(const Gemm<double>& product) { run(product); }

void gemm_batched(const Gemm<float>& first, int64_t count, const GemmSteps& steps) {
  run_batched(first, count, steps);
}

void gemm_batched(const Gemm<double>& first, int64_t count, const GemmSteps& steps) {
  run_batched(first, count, steps);
}

}  // namespace wend
