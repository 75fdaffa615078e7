// kernels/lapack.cpp: LAPACK's calling conventions, and nothing else. Loading is kernels/openblas.
#include "kernels/lapack.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "kernels/openblas.hpp"

namespace wend {
namespace {

// The functions of one precision. Lengths of texts, which Fortran passes last, are of one letter.
template <class T>
struct Lapack {
  using Letter = const char*;
  void (*potrf)(Letter, const int*, T*, const int*, int*, size_t);
  void (*getrf)(const int*, const int*, T*, const int*, int*, int*);
  void (*gesv)(const int*, const int*, T*, const int*, int*, T*, const int*, int*);
  void (*geqrf)(const int*, const int*, T*, const int*, T*, T*, const int*, int*);
  void (*orgqr)(const int*, const int*, const int*, T*, const int*, const T*, T*, const int*, int*);
  void (*gesdd)(Letter, const int*, const int*, T*, const int*, T*, T*, const int*, T*, const int*,
                T*, const int*, int*, int*, size_t);
  void (*syevd)(Letter, Letter, const int*, T*, const int*, T*, T*, const int*, int*, const int*,
                int*, size_t, size_t);
  void (*sytrf)(Letter, const int*, T*, const int*, int*, T*, const int*, int*, size_t);
  void (*sytrs)(Letter, const int*, const int*, const T*, const int*, const int*, T*, const int*,
                int*, size_t);
  void (*trsm)(CBLAS_ORDER, CBLAS_SIDE, CBLAS_UPLO, CBLAS_TRANSPOSE, CBLAS_DIAG, int, int, T,
               const T*, int, T*, int);
};

template <class F>
bool find(F& function, const std::string& name) {
  function = reinterpret_cast<F>(openblas_symbol(name.c_str()));
  return function != nullptr;
}

template <class T>
const Lapack<T>* load() {
  static Lapack<T> found;
  const std::string start = sizeof(T) == 4 ? "scipy_s" : "scipy_d";
  const bool all = find(found.potrf, start + "potrf_") && find(found.getrf, start + "getrf_") &&
                   find(found.gesv, start + "gesv_") && find(found.geqrf, start + "geqrf_") &&
                   find(found.orgqr, start + "orgqr_") && find(found.gesdd, start + "gesdd_") &&
                   find(found.syevd, start + "syevd_") && find(found.sytrf, start + "sytrf_") &&
                   find(found.sytrs, start + "sytrs_") &&
                   find(found.trsm, std::string("scipy_cblas_") + start.back() + "trsm");
  return all ? &found : nullptr;
}

template <class T>
const Lapack<T>* lapack() {
  static const Lapack<T>* const loaded = load<T>();
  return loaded;
}

// Calls a function twice: to be told how much room it needs, and to work.
template <class T, class Call>
int with_room(Call call) {
  T needed = 0;
  int info = call(&needed, -1);
  if (info) return info;
  // A size above 2^24 may have been rounded down on its way through a float.
  const int size = static_cast<int>(std::nextafter(needed, 2 * needed + 1)) + 1;
  std::vector<T> room(size);
  return call(room.data(), size);
}

template <class T>
void identity(int rows, int columns, T* a) {
  for (int c = 0; c < columns; ++c)
    for (int r = 0; r < rows; ++r) a[c * static_cast<int64_t>(rows) + r] = r == c;
}

}  // namespace

void require_lapack() {
  if (!openblas() || !lapack<float>() || !lapack<double>())
    fail(ErrorKind::runtime,
         "linear algebra needs the OpenBLAS that is installed beside wend, and it "
         "cannot be loaded");
}

template <class T>
int cholesky(int n, T* a) {
  if (n == 0) return 0;
  int info;
  lapack<T>()->potrf("U", &n, a, &n, &info, 1);
  for (int c = 0; c < n; ++c) std::fill_n(a + c * static_cast<int64_t>(n) + c + 1, n - c - 1, T{});
  return info;
}

template <class T>
int lu_factor(int m, int n, T* a, int* pivots) {
  if (m == 0 || n == 0) return 0;
  int info;
  lapack<T>()->getrf(&m, &n, a, &m, pivots, &info);
  return info;
}

template <class T>
int solve(int n, int columns, T* a, T* b) {
  if (n == 0) return 0;
  std::vector<int> pivots(n);
  int info;
  lapack<T>()->gesv(&n, &columns, a, &n, pivots.data(), b, &n, &info);
  return info;
}

template <class T>
int ldl_factor(int n, T* a, int* pivots) {
  if (n == 0) return 0;
  int info;
  info = with_room<T>([&](T* room, int size) {
    lapack<T>()->sytrf("L", &n, a, &n, pivots, room, &size, &info, 1);
    return info;
  });
  for (int c = 0; c < n; ++c) std::fill_n(a + c * static_cast<int64_t>(n), c, T{});
  return info;
}

template <class T>
int ldl_solve(int n, int columns, const T* a, const int* pivots, T* b) {
  if (n == 0 || columns == 0) return 0;
  int info;
  lapack<T>()->sytrs("L", &n, &columns, a, &n, pivots, b, &n, &info, 1);
  return info;
}

template <class T>
int reflections(int m, int n, T* a, T* tau) {
  if (m == 0 || n == 0) return 0;
  int info;
  return with_room<T>([&](T* room, int size) {
    lapack<T>()->geqrf(&m, &n, a, &m, tau, room, &size, &info);
    return info;
  });
}

template <class T>
int qr(int m, int n, int columns, T* a, T* q, T* r) {
  const int k = std::min(m, n);
  std::fill_n(r, columns * static_cast<int64_t>(n), T{});
  identity(m, columns, q);
  if (k == 0) return 0;
  std::vector<T> tau(k);
  int info = reflections(m, n, a, tau.data());
  if (info) return info;
  for (int c = 0; c < n; ++c) {
    const T* column = a + c * static_cast<int64_t>(m);
    std::copy_n(column, std::min(c + 1, k), r + c * static_cast<int64_t>(columns));
    if (c < k) std::copy_n(column, m, q + c * static_cast<int64_t>(m));
  }
  return with_room<T>([&](T* room, int size) {
    lapack<T>()->orgqr(&m, &columns, &k, q, &m, tau.data(), room, &size, &info);
    return info;
  });
}

// LAPACK may go on for ever with what is not finite. As with other builds of it, NaN is refused,
// and of infinity nothing is known.
template <class T>
std::optional<int> svd_of_no_numbers(int m, int n, const T* a, T* s, T* u, int u_columns, T* vh,
                                     int vh_rows) {
  const std::span all(a, m * static_cast<size_t>(n));
  if (std::ranges::all_of(all, [](T x) { return std::isfinite(x); })) return std::nullopt;
  if (std::ranges::any_of(all, [](T x) { return std::isnan(x); })) return -4;
  const T nan = std::numeric_limits<T>::quiet_NaN();
  std::fill_n(s, std::min(m, n), nan);
  std::fill_n(u, m * static_cast<size_t>(u_columns), nan);
  std::fill_n(vh, n * static_cast<size_t>(vh_rows), nan);
  return 0;
}

template <class T>
int svd(int m, int n, T* a, T* s, T* u, int u_columns, T* vh, int vh_rows) {
  const int k = std::min(m, n);
  if (k == 0) {
    identity(m, u_columns, u);
    identity(vh_rows, n, vh);
    return 0;
  }
  if (auto info = svd_of_no_numbers(m, n, a, s, u, u_columns, vh, vh_rows)) return *info;
  const bool none = u_columns == 0, all = std::max(u_columns, vh_rows) > k;
  const char* job = none ? "N" : all ? "A" : "S";
  const int u_step = std::max(m, 1), vh_step = std::max(vh_rows, 1);
  std::vector<int> more(8 * k);
  int info;
  return with_room<T>([&](T* room, int size) {
    lapack<T>()->gesdd(job, &m, &n, a, &m, s, u, &u_step, vh, &vh_step, room, &size, more.data(),
                       &info, 1);
    return info;
  });
}

template <class T>
int eigh(int n, T* a, T* values, bool vectors) {
  if (n == 0) return 0;
  const int whole_size = 3 + 5 * n;
  std::vector<int> whole(whole_size);
  int info;
  return with_room<T>([&](T* room, int size) {
    lapack<T>()->syevd(vectors ? "V" : "N", "U", &n, a, &n, values, room, &size, whole.data(),
                       &whole_size, &info, 1, 1);
    return info;
  });
}

template <class T>
void solve_triangular(bool upper, bool unit, bool transposed, int n, int columns, const T* a,
                      int step, T* b) {
  if (n == 0 || columns == 0) return;
  lapack<T>()->trsm(CblasRowMajor, CblasLeft, upper != transposed ? CblasUpper : CblasLower,
                    transposed ? CblasTrans : CblasNoTrans, unit ? CblasUnit : CblasNonUnit, n,
                    columns, T(1), a, step, b, columns);
}

#define FOR_TYPE(T)                                           \
  template int cholesky(int, T*);                             \
  template int lu_factor(int, int, T*, int*);                 \
  template int solve(int, int, T*, T*);                       \
  template int ldl_factor(int, T*, int*);                     \
  template int ldl_solve(int, int, const T*, const int*, T*); \
  template int reflections(int, int, T*, T*);                 \
  template int qr(int, int, int, T*, T*, T*);                 \
  template int svd(int, int, T*, T*, T*, int, T*, int);       \
  template int eigh(int, T*, T*, bool);                       \
  template void solve_triangular(bool, bool, bool, int, int, const T*, int, T*);
FOR_TYPE(float)
FOR_TYPE(double)
#undef FOR_TYPE

}  // namespace wend
