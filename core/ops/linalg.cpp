// ops/linalg.cpp: factorizations and linear systems over batches of matrices, with their gradients.
// What LAPACK does to one matrix is kernels/lapack; names, checks and errors are wend/linalg.py.
//
// A factorization has several results, a node has one: the results lie one behind the other in a
// row for each matrix of the batch, each column by column, and the numbers that LAPACK reports as
// floats behind them. Views take the row apart; what leaves this file is a copy of its part.
#include <algorithm>
#include <limits>
#include <vector>

#include "base/threads.hpp"
#include "kernels/lapack.hpp"
#include "ops/batching.hpp"
#include "ops/families.hpp"
#include "ops/functions.hpp"

namespace wend {
namespace {

struct Sizes {
  int64_t m, n;
  explicit Sizes(const Node& a) {
    if (a.ndim() < 2)
      fail(ErrorKind::runtime, "linalg: The input tensor A must have at least 2 dimensions.");
    m = a.size(a.ndim() - 2), n = a.size(a.ndim() - 1);
  }
  int64_t k() const { return std::min(m, n); }
};

Dims batch_of(const Node& a) { return Dims(a.sizes().first(a.ndim() - 2)); }

void check_matrices(const Infer& s) {
  for (const Value& in : s.in) {
    if (in->dtype != DType::float32 && in->dtype != DType::float64) not_for(s.op.name, in->dtype);
    if (in->dtype != s.in[0]->dtype || in->ndim() < 2 || batch_of(*in) != batch_of(*s.in[0]))
      fail(ErrorKind::runtime, s.op.name, ": matrices do not fit together");
  }
  require_lapack();
}

void check_square(const Infer& s) {
  check_matrices(s);
  const Sizes size(*s.in[0]);
  if (size.m != size.n)
    fail(ErrorKind::runtime, "linalg: A must be batches of square matrices, but they are ", size.m,
         " by ", size.n, " matrices");
  if (s.in.size() > 1 && Sizes(*s.in[1]).m != size.n)
    fail(ErrorKind::runtime, "linalg: Incompatible shapes of A and B for the equation AX = B");
}

// A row of so many elements for each matrix of the batch.
void infer_rows(Infer& s, int64_t length) {
  check_matrices(s);
  Dims sizes = batch_of(*s.in[0]);
  sizes.push(length);
  s.dtype = s.in[0]->dtype;
  s.layout = contiguous(sizes);
}

double work_of_factorization(const Node& node) {
  const Sizes size(*node.inputs[0]);
  return static_cast<double>(node.inputs[0]->numel() * (size.k() + 8)) * 2;
}

// The matrices of an input, one by one.
template <class T>
class Matrices {
 public:
  explicit Matrices(const Node& node) : node_(node), sizes_(node) {}

  int64_t count() const {
    int64_t n = 1;
    for (int i = 0; i + 2 < node_.ndim(); ++i) n *= node_.size(i);
    return n;
  }
  const T* operator[](int64_t number) const {
    int64_t at = 0;
    for (int i = node_.ndim() - 3; i >= 0; --i) {
      at += number % node_.size(i) * node_.layout->stride(i);
      number /= node_.size(i);
    }
    return reinterpret_cast<const T*>(node_.data()) + at;
  }
  int64_t row_step() const { return node_.layout->stride(node_.ndim() - 2); }
  int64_t column_step() const { return node_.layout->stride(node_.ndim() - 1); }

  void copy_columns(int64_t number, T* to) const { copy(number, to, false); }
  void copy_rows(int64_t number, T* to) const { copy(number, to, true); }

 private:
  void copy(int64_t number, T* to, bool rows) const {
    const T* from = (*this)[number];
    const int64_t outer = rows ? sizes_.m : sizes_.n, inner = rows ? sizes_.n : sizes_.m;
    const int64_t far = rows ? row_step() : column_step(), near = rows ? column_step() : row_step();
    for (int64_t o = 0; o < outer; ++o)
      for (int64_t i = 0; i < inner; ++i) *to++ = from[o * far + i * near];
  }

  const Node& node_;
  Sizes sizes_;
};

// Calls work(number, row) for each matrix of input 0, with T float or double.
template <class Work>
void each_matrix(const Run& s, Work work) {
  auto as = [&](auto zero) {
    using T = decltype(zero);
    const Matrices<T> in(s.in(0));
    const int64_t count = in.count(), length = count ? s.node.numel() / count : 0;
    const double cost =
        work_of_factorization(s.node) / static_cast<double>(std::max<int64_t>(count, 1));
    const auto grain = static_cast<int64_t>(30000 / (cost + 1)) + 1;
    T* out = reinterpret_cast<T*>(s.out());
    parallel_for(count, grain, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) work(in, i, out + i * length);
    });
  };
  s.node.dtype == DType::float32 ? as(float{}) : as(double{});
}

// Matrices for scratch, column by column.
template <class T>
std::vector<T> columns_of(const Matrices<T>& in, int64_t number, int64_t size) {
  std::vector<T> copy(size);
  in.copy_columns(number, copy.data());
  return copy;
}

Value record_on(const Op& op, std::initializer_list<Value> inputs,
                std::initializer_list<Arg> attrs) {
  Values in(inputs);
  return record(op, in, attrs);
}

Value lift_matrices(const Lift& s) {
  Values in;
  for (size_t i = 0; i < s.in.size(); ++i) in.push_back(with_members(s, static_cast<int>(i)));
  return record(*s.like.op, in, s.like.attrs ? s.like.attrs->span() : std::span<const Arg>{});
}

// Taking rows apart, and the words of the gradients.

Value vector_part(const Value& row, int64_t start, int64_t length) {
  return slice(row, -1, start, start + length);
}
Value number_part(const Value& row, int64_t at) { return select(row, -1, at); }
Value matrix_part(const Value& row, int64_t start, int64_t m, int64_t n) {
  Dims sizes(row->sizes().first(row->ndim() - 1));
  sizes.push(n);
  sizes.push(m);
  return transpose(reshape(vector_part(row, start, m * n), sizes), -2, -1);
}

Value t(const Value& a) { return transpose(a, -2, -1); }
Value triangle(const char* which, const Value& a, int64_t diagonal) {
  return record(op_named(std::string_view(which)), {a}, {Arg::of(diagonal)});
}
Value lower(const Value& a, int64_t diagonal = 0) { return triangle("tril", a, diagonal); }
Value upper(const Value& a, int64_t diagonal = 0) { return triangle("triu", a, diagonal); }
Value rows_of(const Value& a, int64_t begin, int64_t end) { return slice(a, -2, begin, end); }
Value columns_from(const Value& a, int64_t begin, int64_t end) { return slice(a, -1, begin, end); }

// `diagonal` is a vector on the right or left of the matrices.
Value scale_columns(const Value& a, const Value& diagonal) { return a * unsqueeze(diagonal, -2); }
Value scale_rows(const Value& diagonal, const Value& a) { return unsqueeze(diagonal, -1) * a; }

// The identity of the size and dtype of square matrices.
Value diagonal_ones(const Value& like) {
  const int64_t n = like->size(like->ndim() - 1);
  return lower(upper(full(Dims{n, n}.span(), 1, like->dtype)));
}

// a / b, and 0 where both are 0: what does not take part in a loss has no say in its gradient.
Value ratio(const Value& a, const Value& b) {
  return a / where(logical_and(eq(a, 0), eq(b, 0)), 1, b);
}

Value triangular(const Value& a, const Value& b, bool is_upper, bool unit = false) {
  return record_on(op_named("triangular_solution"), {a, b}, {Arg::of(is_upper), Arg::of(unit)});
}
// b times the inverse of the transpose of a.
Value right_over(const Value& b, const Value& a, bool is_upper, bool unit = false) {
  return t(triangular(a, t(b), is_upper, unit));
}

// Cholesky: the lower factor, info.

void infer_cholesky(Infer& s) {
  check_square(s);
  const Sizes size(*s.in[0]);
  infer_rows(s, size.n * size.n + 1);
}

void run_cholesky(Run& s) {
  const int64_t n = Sizes(s.in(0)).n;
  each_matrix(s, [n](auto& in, int64_t i, auto* row) {
    // The lower triangle by rows is the upper one by columns.
    in.copy_rows(i, row);
    row[n * n] =
        static_cast<std::remove_pointer_t<decltype(row)>>(cholesky(static_cast<int>(n), row));
    for (int64_t r = 0; r < n; ++r)
      for (int64_t c = r + 1; c < n; ++c) std::swap(row[r * n + c], row[c * n + r]);
  });
}

Value cholesky_gradient(const GradCall& s, const Value& out) {
  const int64_t n = Sizes(*s.in(0)).n;
  const Value l = matrix_part(out, 0, n, n), g = matrix_part(s.g, 0, n, n);
  const Value phi = lower(matmul(t(l), lower(g)));
  const Value both = phi + t(lower(phi, -1));
  return right_over(triangular(t(l), both, true), t(l), true) / 2;
}

Values body_cholesky(Call& c) {
  const Value a = c.tensor(0);
  const int64_t n = Sizes(*a).n;
  const Value row = record(op_named("cholesky_row"), {a});
  return {clone(matrix_part(row, 0, n, n)), cast(number_part(row, n * n), DType::int32)};
}

// LU: both factors in one matrix, pivots, info.

void infer_lu(Infer& s) {
  const Sizes size(*s.in[0]);
  infer_rows(s, size.m * size.n + size.k() + 1);
}

void run_lu(Run& s) {
  const Sizes size(s.in(0));
  each_matrix(s, [size](auto& in, int64_t i, auto* row) {
    using T = std::remove_pointer_t<decltype(row)>;
    std::vector<int> pivots(size.k());
    in.copy_columns(i, row);
    const int info =
        lu_factor(static_cast<int>(size.m), static_cast<int>(size.n), row, pivots.data());
    T* behind = row + size.m * size.n;
    behind = std::transform(pivots.begin(), pivots.end(), behind,
                            [](int p) { return static_cast<T>(p); });
    *behind = static_cast<T>(info);
  });
}

// Attribute: the number of rows. Row i of the permuted matrix is row `out[i]` of the other.
void infer_permutation(Infer& s) {
  const int64_t m = s.attrs[0].as_int();
  const Node& pivots = *s.in[0];
  if (pivots.ndim() < 1 || pivots.dtype != DType::int32 || pivots.size(pivots.ndim() - 1) > m)
    fail(ErrorKind::runtime, "pivots must be of dtype int32, and no more than there are rows");
  Dims sizes(pivots.sizes());
  sizes[sizes.n - 1] = m;
  s.dtype = DType::int64;
  s.layout = contiguous(sizes);
  if (!pivots.layout->contiguous) s.in[0] = contiguous_copy(s.in[0]);
}

void run_permutation(Run& s) {
  const Node& pivots = s.in(0);
  const int64_t m = s.attr(0).as_int(), k = pivots.size(pivots.ndim() - 1);
  const int32_t* at = reinterpret_cast<const int32_t*>(pivots.data());
  int64_t* to = reinterpret_cast<int64_t*>(s.out());
  for (int64_t left = m ? s.node.numel() / m : 0; left > 0; --left, to += m) {
    for (int64_t i = 0; i < m; ++i) to[i] = i;
    for (int64_t i = 0; i < k; ++i, ++at) {
      if (*at < 1 || *at > m)
        fail(ErrorKind::runtime,
             "Pivots given to lu_solve must all be greater or equal to 1. Did you "
             "properly pass the result of lu_factor?");
      std::swap(to[i], to[*at - 1]);
    }
  }
}

Value permutation(const Value& pivots, int64_t m) {
  return record(op_named("_linalg_permutation"), {pivots}, {Arg::of(m)});
}

// Rows of `a` go to where the permutation took them from.
Value unpermuted(const Value& a, const Value& places) {
  const Value back = record(op_named("sorted_places"), {places}, {Arg::of(-1), Arg::of(false)});
  return gather(a, -2, expand(unsqueeze(back, -1), a->sizes()));
}

// With p·a = l·u for square l and u.
Value lu_gradient_square(const Value& l, const Value& u, const Value& gl, const Value& gu) {
  const Value phi = lower(matmul(t(l), gl), -1) + upper(matmul(gu, t(u)));
  return right_over(triangular(t(l), phi, true, true), u, true);
}

Value lu_gradient(const GradCall& s, const Value& out) {
  const Sizes size(*s.in(0));
  const int64_t m = size.m, n = size.n, k = size.k();
  const Value both = matrix_part(out, 0, m, n), g = matrix_part(s.g, 0, m, n);
  const Value l = rows_of(columns_from(both, 0, k), 0, k), gl = columns_from(lower(g, -1), 0, k);
  const Value u = upper(l), gu = upper(rows_of(g, 0, k));
  const Value unit = lower(l, -1) + diagonal_ones(l);
  Value ga;
  if (m > n) {
    const Value below = rows_of(both, k, m);
    const Value g_below = right_over(rows_of(gl, k, m), u, true);
    ga = lu_gradient_square(unit, u, rows_of(gl, 0, k), gu - matmul(t(below), g_below));
    ga = cat(Values{ga, g_below}, -2);
  } else if (n > m) {
    const Value right = columns_from(both, k, n);
    const Value g_right = triangular(t(unit), columns_from(gu, k, n), true, true);
    ga = lu_gradient_square(unit, u, gl - matmul(g_right, t(right)), columns_from(gu, 0, k));
    ga = cat(Values{ga, g_right}, -1);
  } else {
    ga = lu_gradient_square(unit, u, gl, gu);
  }
  const Value pivots = cast(alias_without_grad(vector_part(out, m * n, k)), DType::int32);
  return unpermuted(ga, permutation(pivots, m));
}

Values body_lu(Call& c) {
  const Value a = c.tensor(0);
  const Sizes size(*a);
  const int64_t whole = size.m * size.n;
  const Value row = record(op_named("lu_row"), {a});
  return {clone(matrix_part(row, 0, size.m, size.n)),
          cast(vector_part(row, whole, size.k()), DType::int32),
          cast(number_part(row, whole + size.k()), DType::int32)};
}

[[noreturn]] Value no_reflections_derivative() {
  fail(ErrorKind::not_implemented, "the derivative for 'geqrf' is not implemented.");
}
[[noreturn]] Value no_ldl_derivative(const char* of) {
  fail(ErrorKind::runtime, "derivative for aten::", of, " is not implemented");
}

// LDL: both factors in one matrix, pivots, info.

void infer_ldl(Infer& s) {
  check_square(s);
  const int64_t n = Sizes(*s.in[0]).n;
  infer_rows(s, n * n + n + 1);
}

void run_ldl(Run& s) {
  const int64_t n = Sizes(s.in(0)).n;
  each_matrix(s, [n](auto& in, int64_t i, auto* row) {
    using T = std::remove_pointer_t<decltype(row)>;
    std::vector<int> pivots(n);
    in.copy_columns(i, row);
    const int info = ldl_factor(static_cast<int>(n), row, pivots.data());
    std::transform(pivots.begin(), pivots.end(), row + n * n,
                   [](int p) { return static_cast<T>(p); });
    row[n * n + n] = static_cast<T>(info);
  });
}

Values body_ldl(Call& c) {
  const Value a = c.tensor(0);
  const int64_t n = Sizes(*a).n;
  const Value row = record(op_named("ldl_row"), {a});
  return {clone(matrix_part(row, 0, n, n)), cast(vector_part(row, n * n, n), DType::int32),
          cast(number_part(row, n * n + n), DType::int32)};
}

// Inputs: the factors, b, and the pivots as a column of the same dtype, all of the same batch.
void infer_ldl_solution(Infer& s) {
  check_square(s);
  const Sizes b(*s.in[1]);
  infer_rows(s, b.m * b.n);
}

// A block of one row has a positive pivot, one of two rows a negative one: the solver follows them
// wherever they lead.
template <class T>
std::vector<int> checked_pivots(const Matrices<T>& in, int64_t number, int64_t n) {
  std::vector<T> column(n);
  in.copy_columns(number, column.data());
  std::vector<int> pivots(n);
  for (int64_t k = 0; k < n; ++k) {
    const auto place = static_cast<double>(column[k] < 0 ? -column[k] : column[k]);
    if (!(place >= 1 && place <= static_cast<double>(n)))
      fail(ErrorKind::runtime, "ldl_solve: pivots must be those that ldl_factor gave");
    pivots[k] = static_cast<int>(column[k]);
  }
  for (int64_t k = 0; k < n; k += pivots[k] < 0 ? 2 : 1)
    if (pivots[k] < 0 && k + 1 == n)
      fail(ErrorKind::runtime, "ldl_solve: pivots must be those that ldl_factor gave");
  return pivots;
}

void run_ldl_solution(Run& s) {
  const Sizes size(s.in(1));
  auto as = [&](auto zero) {
    using T = decltype(zero);
    const Matrices<T> factors(s.in(0)), right(s.in(1)), pivots(s.in(2));
    T* out = reinterpret_cast<T*>(s.out());
    for (int64_t i = 0; i < factors.count(); ++i, out += size.m * size.n) {
      const auto a = columns_of(factors, i, size.m * size.m);
      const auto at = checked_pivots(pivots, i, size.m);
      right.copy_columns(i, out);
      ldl_solve(static_cast<int>(size.m), static_cast<int>(size.n), a.data(), at.data(), out);
    }
  };
  s.node.dtype == DType::float32 ? as(float{}) : as(double{});
}

Values body_ldl_solve(Call& c) {
  const Sizes size(*c.tensor(1));
  const Value row = record(op_named("ldl_solution"), {c.tensor(0), c.tensor(1), c.tensor(2)});
  return {clone(matrix_part(row, 0, size.m, size.n))};
}

// Reflections: the triangular factor with the vectors below it, their factors.

void infer_reflections(Infer& s) {
  const Sizes size(*s.in[0]);
  infer_rows(s, size.m * size.n + size.k());
}

void run_reflections(Run& s) {
  const Sizes size(s.in(0));
  each_matrix(s, [size](auto& in, int64_t i, auto* row) {
    in.copy_columns(i, row);
    reflections(static_cast<int>(size.m), static_cast<int>(size.n), row, row + size.m * size.n);
  });
}

Values body_reflections(Call& c) {
  const Value a = c.tensor(0);
  const Sizes size(*a);
  const Value row = record(op_named("reflections_row"), {a});
  return {clone(matrix_part(row, 0, size.m, size.n)),
          clone(vector_part(row, size.m * size.n, size.k()))};
}

// Systems: the solution, info. Inputs: a, b of the same batch.

void infer_solution(Infer& s) {
  check_square(s);
  const Sizes b(*s.in[1]);
  infer_rows(s, b.m * b.n + 1);
}

void run_solution(Run& s) {
  const Sizes size(s.in(1));
  each_matrix(s, [&s, size](auto& in, int64_t i, auto* row) {
    using T = std::remove_pointer_t<decltype(row)>;
    auto a = columns_of(in, i, size.m * size.m);
    Matrices<T>(s.in(1)).copy_columns(i, row);
    const int info = solve(static_cast<int>(size.m), static_cast<int>(size.n), a.data(), row);
    if (info) std::fill_n(row, size.m * size.n, std::numeric_limits<T>::quiet_NaN());
    row[size.m * size.n] = static_cast<T>(info);
  });
}

Values solution_parts(const Value& a, const Value& b) {
  const Sizes size(*b);
  const Value row = record(op_named("solution_row"), {a, b});
  return {clone(matrix_part(row, 0, size.m, size.n)),
          cast(number_part(row, size.m * size.n), DType::int32)};
}

Value solution_gradient_b(const GradCall& s, const Value& a) {
  const Sizes size(*s.in(1));
  return solution_parts(t(a), matrix_part(s.g, 0, size.m, size.n))[0];
}

Value solution_gradient_a(const GradCall& s, const Value& a, const Value& out) {
  const Sizes size(*s.in(1));
  return -matmul(solution_gradient_b(s, a), t(matrix_part(out, 0, size.m, size.n)));
}

Values body_solve(Call& c) { return solution_parts(c.tensor(0), c.tensor(1)); }

// Triangular systems. Inputs: a, b of the same batch. Attributes: upper, unit.

bool runs_in_steps(const Layout& l, int far, int near) {
  const int64_t n = l.size(l.ndim - 1);
  return l.stride(l.ndim - near) == 1 && l.stride(l.ndim - far) >= std::max<int64_t>(n, 1);
}

void infer_triangular(Infer& s) {
  check_square(s);
  s.dtype = s.in[0]->dtype;
  s.layout = contiguous(s.in[1]->sizes());
  const Layout& l = *s.in[0]->layout;
  if (!runs_in_steps(l, 2, 1) && !runs_in_steps(l, 1, 2)) s.in[0] = contiguous_copy(s.in[0]);
}

void run_triangular(Run& s) {
  const Sizes size(s.in(1));
  const bool is_upper = s.attr(0).as_bool(), unit = s.attr(1).as_bool();
  const bool rows = runs_in_steps(*s.in(0).layout, 2, 1) || size.m == 0;
  each_matrix(s, [&](auto& in, int64_t i, auto* out) {
    using T = std::remove_pointer_t<decltype(out)>;
    Matrices<T>(s.in(1)).copy_rows(i, out);
    solve_triangular(is_upper, unit, !rows, static_cast<int>(size.m), static_cast<int>(size.n),
                     in[i], static_cast<int>(rows ? in.row_step() : in.column_step()), out);
  });
}

Value triangular_gradient_b(const GradCall& s, const Value& a) {
  return triangular(t(a), s.g, !s.attr(0).as_bool(), s.attr(1).as_bool());
}

Value triangular_gradient_a(const GradCall& s, const Value& a, const Value& out) {
  const Value g = -matmul(triangular_gradient_b(s, a), t(out));
  const int64_t off = s.attr(1).as_bool();
  return s.attr(0).as_bool() ? upper(g, off) : lower(g, -off);
}

// Determinants, and the matrix of cofactors, which is their gradient even of singular matrices.

template <class T>
T determinant(std::vector<T>& a, int64_t n) {
  std::vector<int> pivots(n);
  lu_factor(static_cast<int>(n), static_cast<int>(n), a.data(), pivots.data());
  T product = 1;
  for (int64_t i = 0; i < n; ++i) product *= pivots[i] == i + 1 ? a[i * n + i] : -a[i * n + i];
  return product;
}

void infer_det(Infer& s) {
  check_square(s);
  s.dtype = s.in[0]->dtype;
  s.layout = contiguous(batch_of(*s.in[0]));
}

void run_det(Run& s) {
  const int64_t n = Sizes(s.in(0)).n;
  each_matrix(s, [n](auto& in, int64_t i, auto* out) {
    auto a = columns_of(in, i, n * n);
    *out = determinant(a, n);
  });
}

void infer_cofactors(Infer& s) {
  check_square(s);
  s.dtype = s.in[0]->dtype;
  s.layout = contiguous(s.in[0]->sizes());
}

// With a = u·s·vᵀ: det(u) det(v) u·c·vᵀ, where c are the products of the other singular values.
template <class T>
void cofactors(std::vector<T>& a, int64_t n, T* out) {
  std::vector<T> u(n * n), vh(n * n), s(n), others(n);
  const int size = static_cast<int>(n);
  svd(size, size, a.data(), s.data(), u.data(), size, vh.data(), size);
  for (int64_t k = 0; k < n; ++k) {
    others[k] = 1;
    for (int64_t j = 0; j < n; ++j)
      if (j != k) others[k] *= s[j];
  }
  std::vector<T> of_u = u, of_vh = vh;
  const T sign = determinant(of_u, n) * determinant(of_vh, n) < 0 ? T(-1) : T(1);
  for (int64_t r = 0; r < n; ++r)
    for (int64_t c = 0; c < n; ++c) {
      T sum = 0;
      for (int64_t k = 0; k < n; ++k) sum += u[k * n + r] * others[k] * vh[c * n + k];
      out[r * n + c] = sign * sum;
    }
}

void run_cofactors(Run& s) {
  const int64_t n = Sizes(s.in(0)).n;
  each_matrix(s, [n](auto& in, int64_t i, auto* out) {
    auto a = columns_of(in, i, n * n);
    cofactors(a, n, out);
  });
}

Value cofactors_of(const Value& a) { return record(op_named("cofactors"), {a}); }
Value det_gradient(const Value& g, const Value& a) {
  return unsqueeze(unsqueeze(g, -1), -1) * cofactors_of(a);
}

Value cofactors_gradient(const Value& g, const Value& a, const Value& out) {
  const Value det = unsqueeze(unsqueeze(record(op_named("_linalg_det"), {a}), -1), -1);
  const Value product = matmul(matmul(out, t(g)), out);
  return (sum(g * out, Dims{-2, -1}, true) * out - product) / det;
}

// QR: q, r. Attribute: whether q is square.

int64_t q_columns(const Node& a, std::span<const Arg> attrs) {
  return attrs[0].as_bool() ? Sizes(a).m : Sizes(a).k();
}

void infer_qr(Infer& s) {
  const Sizes size(*s.in[0]);
  infer_rows(s, (size.m + size.n) * q_columns(*s.in[0], s.attrs));
}

void run_qr(Run& s) {
  const Sizes size(s.in(0));
  const int64_t columns = q_columns(s.in(0), s.node.attrs->span());
  each_matrix(s, [&](auto& in, int64_t i, auto* row) {
    auto a = columns_of(in, i, size.m * size.n);
    qr(static_cast<int>(size.m), static_cast<int>(size.n), static_cast<int>(columns), a.data(), row,
       row + size.m * columns);
  });
}

Value qr_gradient_tall(const Value& q, const Value& r, const Value& gq, const Value& gr) {
  const Value m = matmul(r, t(gr)) - matmul(t(gq), q);
  const Value below = lower(m, -1);
  return right_over(gq + matmul(q, lower(m) + t(below)), r, true);
}

Value qr_gradient(const GradCall& s, const Value& a, const Value& out) {
  const Sizes size(*a);
  const int64_t m = size.m, n = size.n, k = q_columns(*a, s.node().attrs->span());
  if (k > n)
    fail(ErrorKind::runtime,
         "The QR decomposition is not differentiable when mode='complete' and nrows > ncols.");
  const Value q = matrix_part(out, 0, m, k), r = matrix_part(out, m * k, k, n);
  const Value gq = matrix_part(s.g, 0, m, k), gr = upper(matrix_part(s.g, m * k, k, n));
  if (m >= n) return qr_gradient_tall(q, r, gq, gr);
  const Value g_right = columns_from(gr, m, n);
  const Value g_left =
      qr_gradient_tall(q, columns_from(r, 0, m), gq + matmul(columns_from(a, m, n), t(g_right)),
                       columns_from(gr, 0, m));
  return cat(Values{g_left, matmul(q, g_right)}, -1);
}

Values body_qr(Call& c) {
  const Value a = c.tensor(0);
  const Arg attrs[] = {c[1]};
  const Sizes size(*a);
  const int64_t k = q_columns(*a, attrs);
  const Value row = record(op_named("qr_row"), {a}, {c[1]});
  return {clone(matrix_part(row, 0, size.m, k)), clone(matrix_part(row, size.m * k, k, size.n))};
}

// Singular values: s, u, vᵀ, info. Attributes: whether u and v are square, whether they are wanted.

struct Singular {
  int64_t m, n, k, u_columns, vh_rows;
  Singular(const Node& a, std::span<const Arg> attrs) {
    const Sizes size(a);
    const bool all = attrs[0].as_bool(), vectors = attrs[1].as_bool();
    m = size.m, n = size.n, k = size.k();
    u_columns = !vectors ? 0 : all ? m : k;
    vh_rows = !vectors ? 0 : all ? n : k;
  }
  int64_t u_at() const { return k; }
  int64_t vh_at() const { return k + m * u_columns; }
  int64_t info_at() const { return vh_at() + vh_rows * n; }
};

void infer_svd(Infer& s) { infer_rows(s, Singular(*s.in[0], s.attrs).info_at() + 1); }

void run_svd(Run& s) {
  const Singular p(s.in(0), s.node.attrs->span());
  each_matrix(s, [p](auto& in, int64_t i, auto* row) {
    using T = std::remove_pointer_t<decltype(row)>;
    auto a = columns_of(in, i, p.m * p.n);
    row[p.info_at()] = static_cast<T>(svd(static_cast<int>(p.m), static_cast<int>(p.n), a.data(),
                                          row, row + p.u_at(), static_cast<int>(p.u_columns),
                                          row + p.vh_at(), static_cast<int>(p.vh_rows)));
  });
}

Value svd_row(const Value& a, bool all, bool vectors) {
  return record(op_named("svd_row"), {a}, {Arg::of(all), Arg::of(vectors)});
}

// What the vectors add: f are the reciprocal differences of the squares.
Value svd_gradient(const Singular& p, const Value& out, const Value& g) {
  const Value s = vector_part(out, 0, p.k), gs = vector_part(g, 0, p.k);
  auto u_of = [&](const Value& v) {
    return columns_from(matrix_part(v, p.u_at(), p.m, p.u_columns), 0, p.k);
  };
  auto v_of = [&](const Value& v) {
    return t(rows_of(matrix_part(v, p.vh_at(), p.vh_rows, p.n), 0, p.k));
  };
  const Value u = u_of(out), v = v_of(out), gu = u_of(g), gv = v_of(g);
  const Value square = s * s, apart = unsqueeze(square, -2) - unsqueeze(square, -1);
  auto turned = [&](const Value& x, const Value& gx) {
    const Value both = matmul(t(x), gx);
    return ratio(both - t(both), apart);
  };
  const Value core = scale_columns(turned(u, gu), s) + scale_rows(s, turned(v, gv)) +
                     scale_rows(gs, diagonal_ones(apart));
  Value ga = matmul(matmul(u, core), t(v));
  auto outside = [&](const Value& x, const Value& gx) {
    return ratio(gx - matmul(x, matmul(t(x), gx)), expand(unsqueeze(s, -2), gx->sizes()));
  };
  if (p.m > p.k) ga = ga + matmul(outside(u, gu), t(v));
  if (p.n > p.k) ga = ga + matmul(u, t(outside(v, gv)));
  return ga;
}

Value svd_row_gradient(const GradCall& s, const Value& a, const Value& out) {
  const Singular p(*a, s.node().attrs->span());
  if (s.attr(1).as_bool()) return svd_gradient(p, out, s.g);
  const Value row = svd_row(a, false, true);
  const Arg attrs[] = {Arg::of(false), Arg::of(true)};
  const Singular full(*a, attrs);
  const Value u = matrix_part(row, full.u_at(), p.m, p.k);
  return matmul(scale_columns(u, vector_part(s.g, 0, p.k)),
                matrix_part(row, full.vh_at(), p.k, p.n));
}

Values body_svd(Call& c) {
  const Value a = c.tensor(0);
  const Arg attrs[] = {c[1], c[2]};
  const Singular p(*a, attrs);
  const Value row = svd_row(a, c[1].as_bool(), c[2].as_bool());
  return {clone(matrix_part(row, p.u_at(), p.m, p.u_columns)), clone(vector_part(row, 0, p.k)),
          clone(matrix_part(row, p.vh_at(), p.vh_rows, p.n)),
          cast(number_part(row, p.info_at()), DType::int32)};
}

// Eigenvalues of symmetric matrices: values, vectors, info.

void infer_eigh(Infer& s) {
  check_square(s);
  const int64_t n = Sizes(*s.in[0]).n;
  infer_rows(s, n + n * n + 1);
}

void run_eigh(Run& s) {
  const int64_t n = Sizes(s.in(0)).n;
  each_matrix(s, [n](auto& in, int64_t i, auto* row) {
    using T = std::remove_pointer_t<decltype(row)>;
    in.copy_rows(i, row + n);
    row[n + n * n] = static_cast<T>(eigh(static_cast<int>(n), row + n, row, true));
  });
}

Value eigh_gradient(const GradCall& s, const Value& out) {
  const int64_t n = Sizes(*s.in(0)).n;
  const Value w = vector_part(out, 0, n), gw = vector_part(s.g, 0, n);
  const Value v = matrix_part(out, n, n, n), gv = matrix_part(s.g, n, n, n);
  const Value both = matmul(t(v), gv), apart = unsqueeze(w, -2) - unsqueeze(w, -1);
  const Value core =
      ratio(lower(both, -1) + upper(both, 1), apart) + scale_rows(gw, diagonal_ones(apart));
  return matmul(matmul(v, core), t(v));
}

Values body_eigh(Call& c) {
  const Value a = c.tensor(0);
  const int64_t n = Sizes(*a).n;
  const Value row = record(op_named("eigh_row"), {a});
  return {clone(vector_part(row, 0, n)), clone(matrix_part(row, n, n, n)),
          cast(number_part(row, n + n * n), DType::int32)};
}

constexpr Op row_op(const char* name, const char* doc, void (*infer)(Infer&), void (*kernel)(Run&),
                    Gradient first, Gradient second = {}) {
  return {.name = name,
          .doc = doc,
          .infer = infer,
          .kernel = kernel,
          .grad = {first, second},
          .lift = lift_matrices,
          .work = work_of_factorization,
          .hidden = true};
}

constexpr Op part_op(const char* name, const char* signature, const char* doc,
                     Values (*body)(Call&)) {
  return {.name = name, .signature = signature, .doc = doc, .body = body, .method = false};
}

constexpr Op kOps[] = {
    row_op("cholesky_row", "The lower factor, info.", infer_cholesky, run_cholesky,
           GRAD(cholesky_gradient(s, out))),
    row_op("lu_row", "Both factors in one matrix, pivots, info.", infer_lu, run_lu,
           GRAD(lu_gradient(s, out))),
    row_op("ldl_row", "Both factors in one matrix, pivots, info.", infer_ldl, run_ldl,
           GRAD(no_ldl_derivative("linalg_ldl_factor_ex"))),
    row_op("ldl_solution", "The solution by LDL factors.", infer_ldl_solution, run_ldl_solution,
           GRAD(no_ldl_derivative("linalg_ldl_solve")),
           GRAD(no_ldl_derivative("linalg_ldl_solve"))),
    row_op("reflections_row", "The triangular factor, vectors and factors of reflections.",
           infer_reflections, run_reflections, GRAD(no_reflections_derivative())),
    row_op("solution_row", "The solution, info.", infer_solution, run_solution,
           GRAD(solution_gradient_a(s, a, out)), GRAD(solution_gradient_b(s, a))),
    row_op("triangular_solution", "The solution of a triangular system.", infer_triangular,
           run_triangular, GRAD(triangular_gradient_a(s, a, out)),
           GRAD(triangular_gradient_b(s, a))),
    row_op("cofactors", "The gradient of the determinant.", infer_cofactors, run_cofactors,
           GRAD(cofactors_gradient(g, a, out))),
    row_op("qr_row", "An orthogonal and a triangular factor.", infer_qr, run_qr,
           GRAD(qr_gradient(s, a, out))),
    row_op("svd_row", "Singular values, left and right vectors, info.", infer_svd, run_svd,
           GRAD(svd_row_gradient(s, a, out))),
    row_op("eigh_row", "Eigenvalues, eigenvectors, info.", infer_eigh, run_eigh,
           GRAD(eigh_gradient(s, out))),
    part_op("_linalg_cholesky", "(Tensor input) -> Tensor[]",
            "The lower Cholesky factor, and where it failed.", body_cholesky),
    part_op("_linalg_lu", "(Tensor input) -> Tensor[]",
            "Both LU factors in one matrix, pivots, and where it failed.", body_lu),
    part_op("_linalg_ldl", "(Tensor input) -> Tensor[]",
            "Both LDL factors in one matrix, pivots, and where it failed.", body_ldl),
    part_op("_linalg_ldl_solve", "(Tensor input, Tensor other, Tensor pivots) -> Tensor[]",
            "The solution of a system by LDL factors.", body_ldl_solve),
    part_op("_linalg_reflections", "(Tensor input) -> Tensor[]",
            "A triangular factor with the vectors of reflections, and their factors.",
            body_reflections),
    part_op("_linalg_solve", "(Tensor input, Tensor other) -> Tensor[]",
            "The solution of a linear system, and where it failed.", body_solve),
    part_op("_linalg_qr", "(Tensor input, bool complete) -> Tensor[]",
            "An orthogonal and a triangular factor.", body_qr),
    part_op("_linalg_svd", "(Tensor input, bool full, bool vectors) -> Tensor[]",
            "Left singular vectors, singular values, right ones, and where it failed.", body_svd),
    part_op("_linalg_eigh", "(Tensor input) -> Tensor[]",
            "Eigenvalues and eigenvectors of symmetric matrices, and where it failed.", body_eigh),
    part_op("_linalg_triangular", "(Tensor input, Tensor other, bool upper, bool unit) -> Tensor[]",
            "The solution of a triangular system.",
            [](Call& c) -> Values {
              return {triangular(c.tensor(0), c.tensor(1), c[2].as_bool(), c[3].as_bool())};
            }),
    {.name = "_linalg_det",
     .signature = "(Tensor input) -> Tensor",
     .doc = "The determinant of each matrix.",
     .infer = infer_det,
     .kernel = run_det,
     .grad = {GRAD(det_gradient(g, a))},
     .lift = lift_matrices,
     .work = work_of_factorization,
     .method = false,
     .out = false},
    {.name = "_linalg_permutation",
     .signature = "(Tensor pivots, int rows) -> Tensor",
     .doc = "The rows in the order in which pivots take them.",
     .infer = infer_permutation,
     .kernel = run_permutation,
     .differentiable = false,
     .at_once = true,
     .method = false,
     .out = false},
};

}  // namespace

std::span<const Op> linalg_ops() { return kOps; }

}  // namespace wend
