// ops/distance.cpp: distances between the rows of two batches of matrices.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <type_traits>

#include "base/threads.hpp"
#include "kernels/gemm.hpp"
#include "ops/families.hpp"
#include "ops/functions.hpp"
#include "ops/product.hpp"

namespace wend {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Attributes: p, and whether Euclidean distances may be had from a matrix product.
void infer_distances(Infer& s) {
  const Node &a = *s.in[0], &b = *s.in[1];
  Dims sizes(a.sizes());
  sizes[sizes.n - 1] = b.size(b.ndim() - 2);
  s.dtype = a.dtype;
  s.layout = contiguous(sizes);
}

// One matrix of the batch.
template <class T>
struct Rows {
  const T* data;
  int64_t count, length, row, col;

  Rows(const Node& node, int64_t number) {
    const Layout& l = *node.layout;
    const int n = l.ndim;
    int64_t at = 0;
    for (int i = n - 3; i >= 0; --i) {
      at += number % l.size(i) * l.stride(i);
      number /= l.size(i);
    }
    data = reinterpret_cast<const T*>(node.data()) + at;
    count = l.size(n - 2);
    length = l.size(n - 1);
    row = l.stride(n - 2);
    col = l.stride(n - 1);
  }
};

// The terms of a sum, which is exact, and what becomes of it.
template <class T>
T distance(const T* a, int64_t step_a, const T* b, int64_t step_b, int64_t n, double p) {
  double total = 0;
  auto each = [&](auto&& add) {
    for (int64_t i = 0; i < n; ++i) add(std::abs(a[i * step_a] - b[i * step_b]));
  };
  if (p == 2) {
    each([&](T d) { total += static_cast<double>(d) * d; });
    return static_cast<T>(std::sqrt(total));
  }
  if (p == 1) {
    each([&](T d) { total += d; });
    return static_cast<T>(total);
  }
  if (p == 0) {
    each([&](T d) { total += d > 0 ? 1 : d; });
    return static_cast<T>(total);
  }
  if (p == kInfinity) {
    each([&](T d) { total = d > total || std::isnan(d) ? d : total; });
    return static_cast<T>(total);
  }
  each([&](T d) { total += std::pow(d, static_cast<T>(p)); });
  return static_cast<T>(std::pow(total, 1 / p));
}

// |a - b|² = |a|² + |b|² - 2 a·b, which may round to less than nothing.
template <class T>
void euclidean_by_product(const Rows<T>& a, const Rows<T>& b, T* out) {
  auto squares = [](const Rows<T>& r) {
    std::vector<T> sums(static_cast<size_t>(r.count));
    for (int64_t i = 0; i < r.count; ++i)
      for (int64_t j = 0; j < r.length; ++j) {
        const T v = r.data[i * r.row + j * r.col];
        sums[i] += v * v;
      }
    return sums;
  };
  const std::vector<T> of_a = squares(a), of_b = squares(b);
  gemm(Gemm<T>{a.count, b.count, a.length, a.data, a.row, a.col, b.data, b.col, b.row, out, b.count,
               false});
  for (int64_t i = 0; i < a.count; ++i)
    for (int64_t j = 0; j < b.count; ++j) {
      const T square = of_a[i] + of_b[j] - 2 * out[i * b.count + j];
      out[i * b.count + j] = square < 0 ? 0 : std::sqrt(square);
    }
}

template <class T>
void distances_as(const Run& s) {
  const double p = s.attr(0).as_real();
  const int64_t rows = s.node.size(s.node.ndim() - 2), columns = s.node.size(s.node.ndim() - 1);
  T* out = reinterpret_cast<T*>(s.out());
  for (int64_t i = 0, batch = s.node.numel() / (rows * columns); i < batch; ++i) {
    const Rows<T> a(s.in(0), i), b(s.in(1), i);
    T* here = out + i * rows * columns;
    if (s.attr(1).as_bool()) {
      euclidean_by_product(a, b, here);
      continue;
    }
    const int64_t grain = 16384 / std::max<int64_t>(1, columns * a.length) + 1;
    parallel_for(rows, grain, [&](int64_t begin, int64_t end) {
      for (int64_t r = begin; r < end; ++r)
        for (int64_t c = 0; c < columns; ++c)
          here[r * columns + c] =
              distance(a.data + r * a.row, a.col, b.data + c * b.row, b.col, a.length, p);
    });
  }
}

void run_distances(Run& s) {
  if (s.node.dtype == DType::float32) return distances_as<float>(s);
  distances_as<double>(s);
}

// The rows of a less those of b, each pair by its weight, summed over those of b: the gradient of
// Euclidean distances. Sums of products would lose what a and b have in common.
void infer_weighted_differences(Infer& s) {
  s.dtype = s.in[1]->dtype;
  s.layout = contiguous(Dims(s.in[1]->sizes()));
}

template <class T>
void weighted_differences_as(const Run& s) {
  const int64_t rows = s.node.size(s.node.ndim() - 2), length = s.node.size(s.node.ndim() - 1);
  T* out = reinterpret_cast<T*>(s.out());
  for (int64_t i = 0, batch = s.node.numel() / (rows * length); i < batch; ++i) {
    const Rows<T> w(s.in(0), i), a(s.in(1), i), b(s.in(2), i);
    T* here = out + i * rows * length;
    const int64_t grain = 16384 / std::max<int64_t>(1, b.count * length) + 1;
    parallel_for(rows, grain, [&](int64_t begin, int64_t end) {
      std::fill(here + begin * length, here + end * length, T(0));
      auto add = [&](auto step_a, auto step_b) {
        for (int64_t r = begin; r < end; ++r)
          for (int64_t c = 0; c < b.count; ++c) {
            const T weight = w.data[r * w.row + c * w.col];
            const T *x = a.data + r * a.row, *y = b.data + c * b.row;
            T* sums = here + r * length;
            for (int64_t k = 0; k < length; ++k)
              sums[k] += weight * (x[k * step_a] - y[k * step_b]);
          }
      };
      constexpr std::integral_constant<int64_t, 1> kNext;
      a.col == 1 && b.col == 1 ? add(kNext, kNext) : add(a.col, b.col);
    });
  }
}

void run_weighted_differences(Run& s) {
  if (s.node.dtype == DType::float32) return weighted_differences_as<float>(s);
  weighted_differences_as<double>(s);
}

Value weighted_differences(const Value& weight, const Value& a, const Value& b) {
  return record(op_named("weighted_differences"), {weight, a, b});
}

// By p-1 powers of the differences, relative to the distance; where that is 0 the gradient is 0.
Value difference_gradient(const GradCall& s, const Value& a, const Value& b, const Value& out) {
  const double p = s.attr(0).as_real();
  const Value d = unsqueeze(a, -2) - unsqueeze(b, -3);
  const Value g = unsqueeze(s.g, -1), far = unsqueeze(out, -1);
  if (p == 1) return g * sign(d);
  if (p == kInfinity) return g * where(eq(abs(d), far), sign(d), 0);
  const Value slope = sign(d) * pow(abs(d) / far, Value(p - 1));
  return where(logical_or(eq(d, 0), eq(far, 0)), 0, g * slope);
}

// The weight of each difference in the gradient of a Euclidean distance.
Value weights(const GradCall& s, const Value& out) { return where(eq(out, 0), 0, s.g / out); }

bool by_product(const GradCall& s) { return s.attr(1).as_bool(); }

Value gradient_a(const GradCall& s, const Value& a, const Value& b, const Value& out) {
  const double p = s.attr(0).as_real();
  if (p == 0) return zeros_like(a);
  if (p != 2) return sum(difference_gradient(s, a, b, out), Dims{-2}, false);
  const Value ratio = weights(s, out);
  if (!by_product(s)) return weighted_differences(ratio, a, b);
  return a * sum(ratio, Dims{-1}, true) - matmul(ratio, b);
}

Value gradient_b(const GradCall& s, const Value& a, const Value& b, const Value& out) {
  const double p = s.attr(0).as_real();
  if (p == 0) return zeros_like(b);
  if (p != 2) return -sum(difference_gradient(s, a, b, out), Dims{-3}, false);
  const Value ratio = transpose(weights(s, out), -2, -1);
  if (!by_product(s)) return weighted_differences(ratio, b, a);
  return b * sum(ratio, Dims{-1}, true) - matmul(ratio, a);
}

void check_cdist(const Node& a, const Node& b, double p) {
  auto check = [](const Node& x, const char* name) {
    if (!is_floating(x.dtype))
      fail(ErrorKind::runtime, "cdist only supports floating-point dtypes, ", name,
           " got: ", scalar_type_name(x.dtype));
  };
  if (a.ndim() < 2)
    fail(ErrorKind::runtime, "cdist only supports at least 2D tensors, X1 got: ", a.ndim(), "D");
  if (b.ndim() < 2)
    fail(ErrorKind::runtime, "cdist only supports at least 2D tensors, X2 got: ", b.ndim(), "D");
  if (a.size(a.ndim() - 1) != b.size(b.ndim() - 1))
    fail(ErrorKind::runtime,
         "X1 and X2 must have the same number of columns. X1: ", a.size(a.ndim() - 1),
         " X2: ", b.size(b.ndim() - 1));
  check(a, "X1");
  check(b, "X2");
  if (!(p >= 0)) fail(ErrorKind::runtime, "cdist only supports non-negative p values");
  if (a.numel() == 0 || b.numel() == 0) return;  // the dtype is that of a
  if (is_half(a.dtype)) not_for("cdist", a.dtype);
  if (a.dtype != b.dtype)
    fail(ErrorKind::runtime, "expected scalar type ", scalar_type_name(a.dtype), " but found ",
         scalar_type_name(b.dtype));
}

// Batches broadcast; the matrices behind them are left as they are.
Value with_batch(const Value& x, const Dims& batch) {
  Dims sizes = batch;
  sizes.push(x->size(x->ndim() - 2));
  sizes.push(x->size(x->ndim() - 1));
  return std::ranges::equal(x->sizes(), sizes.span()) ? x : expand(x, sizes);
}

constexpr std::string_view kNeverProduct = "donot_use_mm_for_euclid_dist",
                           kAlwaysProduct = "use_mm_for_euclid_dist",
                           kMaybeProduct = "use_mm_for_euclid_dist_if_necessary";

std::string_view checked_mode(std::string_view mode) {
  if (mode != kNeverProduct && mode != kAlwaysProduct && mode != kMaybeProduct)
    fail(ErrorKind::value, mode, " is not a valid value for compute_mode");
  return mode;
}

bool wants_product(std::string_view mode, const Node& a, const Node& b) {
  if (mode != kMaybeProduct) return mode == kAlwaysProduct;
  return a.size(a.ndim() - 2) > 25 || b.size(b.ndim() - 2) > 25;
}

Values body_cdist(Call& c) {
  const Value a = c.tensor(0), b = c.tensor(1);
  const double p = c[2].as_real();
  const std::string_view mode = checked_mode({c[3].text_p, c[3].n});
  check_cdist(*a, *b, p);
  const bool product = p == 2 && wants_product(mode, *a, *b);
  const Dims batch = broadcast_batch(*a, *b);
  return {record(op_named("distances"), {with_batch(a, batch), with_batch(b, batch)},
                 {Arg::of(p), Arg::of(product)})};
}

constexpr Op kOps[] = {
    {.name = "distances",
     .doc = "Distances between rows of two batches of the same sizes.",
     .infer = infer_distances,
     .kernel = run_distances,
     .grad = {GRAD(gradient_a(s, a, b, out)), GRAD(gradient_b(s, a, b, out))},
     .grad_name = "CdistBackward0",
     .cost = 50,
     .hidden = true},
    {.name = "weighted_differences",
     .doc = "Weighted sums of the differences between rows of two batches of the same sizes.",
     .infer = infer_weighted_differences,
     .kernel = run_weighted_differences,
     .grad = {GRAD(sum(s.g * b, Dims{-1}, true) - matmul(s.g, transpose(c, -2, -1))),
              GRAD(s.g * sum(a, Dims{-1}, true)), GRAD(-matmul(transpose(a, -2, -1), s.g))},
     .cost = 50,
     .hidden = true},
    {.name = "cdist",
     .signature = "(Tensor x1, Tensor x2, float p=2.0, str "
                  "compute_mode='use_mm_for_euclid_dist_if_necessary') -> Tensor",
     .doc = "The p-norms of the differences of all pairs of rows.",
     .example = "cdist(zeros(2, 3), ones(1, 3))",
     .body = body_cdist,
     .method = false,
     .out = false},
};

}  // namespace

std::span<const Op> distance_ops() { return kOps; }

}  // namespace wend
