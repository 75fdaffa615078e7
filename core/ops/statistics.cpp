// ops/statistics.cpp: variance, logsumexp and norms, which read their input as it is but transform
// each element on the way into a sum. Sums themselves are ops/reduce.
#include <algorithm>
#include <cmath>

#include "kernels/cast.hpp"
#include "ops/batching.hpp"
#include "ops/functions.hpp"
#include "ops/reduction.hpp"

namespace wend {
namespace {

Dims dim_list(const Node& node) {
  const int ndim = node.inputs[0]->ndim();
  const uint64_t mask = reduced_dims(attrs_of(node), ndim);
  Dims dims;
  for (int i = 0; i < ndim; ++i)
    if (mask >> i & 1) dims.push(i);
  return dims;
}

// Attributes: dim, keepdim, correction.
void infer_variance(Infer& s) {
  s.dtype = s.in[0]->dtype;
  if (!is_floating(s.dtype))
    fail(ErrorKind::runtime, "std and var only support floating point and complex dtypes");
  infer_reduced_layout(s);
}

double degrees_of_freedom(const Node& node) {
  return std::max(0.0, static_cast<double>(reduced_count(node)) - node.attr(2).as_real());
}

// Two passes: the mean, then the squares of what deviates from it. The mean was rounded, and the
// sum of deviations says by how much.
template <bool root>
void run_variance(Run& s) {
  const DType compute = compute_dtype(s.node.dtype);
  Results results(s, compute);
  std::vector<char> mean(s.node.numel() * size_of(compute)), sums(mean.size());
  reduce_into(s.node, Reduce::sum, compute, results.data());
  const double n = static_cast<double>(reduced_count(s.node)), freedom = degrees_of_freedom(s.node);
  results.each([n](auto v, int64_t) { return static_cast<decltype(v)>(v / n); });
  std::copy_n(results.data(), mean.size(), mean.data());
  reduce_into(s.node, Reduce::squares, compute, results.data(), {.shift = mean.data()},
              sums.data());
  results.each([&](auto v, int64_t i) {
    const double sum = reinterpret_cast<const decltype(v)*>(sums.data())[i];
    const double squares = v - sum * sum / n;
    const double variance = (squares < 0 ? 0 : squares) / freedom;
    return static_cast<decltype(v)>(root ? std::sqrt(variance) : variance);
  });
  results.store();
}

Value variance_gradient(const GradCall& s, const Value& a, const Value& g) {
  const Value centre = mean(a, dim_list(s.node()), true);
  const double freedom = degrees_of_freedom(s.node());
  if (freedom == 0)  // the slope of a variance that is 0 / 0 or infinite, wherever it is
    return with_dims_back(s, g) * where(eq(a, centre), constant(NAN, a->dtype), INFINITY);
  return with_dims_back(s, (2 / freedom) * g) * (a - centre);
}

Value deviation_gradient(const GradCall& s, const Value& a, const Value& out) {
  return variance_gradient(s, a, where(eq(out, 0), 0, s.g / (2 * out)));
}

Value record_variance(bool root, const Value& a, const Arg& dims, bool keepdim, double correction) {
  return record(op_named(std::string_view(root ? "deviation" : "variance")), {a},
                {dims, Arg::of(keepdim), Arg::of(correction)});
}

// The arguments of the overloads of var, std, var_mean and std_mean.
struct VarianceCall {
  Arg dims;
  bool keepdim = false;
  double correction = 1;

  // (input, unbiased), or (input, dim, unbiased or correction, keepdim): True is a correction of 1.
  explicit VarianceCall(const Call& c) {
    const bool everything = c.args.size() == 2;
    const Arg& asked = c[everything ? 1 : 2];
    if (!asked.is_none()) correction = asked.as_real();
    if (everything) return;
    dims = c[1];
    keepdim = c[3].as_bool();
  }
};

template <bool root>
Values body_variance(Call& c) {
  const VarianceCall v(c);
  return {record_variance(root, c.tensor(0), v.dims, v.keepdim, v.correction)};
}

template <bool root>
Values body_with_mean(Call& c) {
  const VarianceCall v(c);
  const Value a = c.tensor(0);
  const auto dims = v.dims.is_none() ? std::span<const int64_t>{} : v.dims.as_ints();
  return {record_variance(root, a, v.dims, v.keepdim, v.correction), mean(a, dims, v.keepdim)};
}

void infer_logsumexp(Infer& s) {
  if (!is_floating(s.in[0]->dtype)) s.in[0] = cast(s.in[0], default_dtype());
  s.dtype = s.in[0]->dtype;
  check_dims_in_range(s);
  infer_reduced_layout(s);
  const int ndim = s.in[0]->ndim();
  if (s.attrs[0].n == 0 && ndim > 0 && s.in[0]->numel() > 0 && !s.attrs[1].as_bool())
    fail(ErrorKind::runtime, "output with shape [] doesn't match the broadcast shape ",
         show(std::vector<int64_t>(ndim, 1)));
}

// Relative to the largest element, so that nothing overflows; an infinite one counts as 0.
void run_logsumexp(Run& s) {
  const DType compute = compute_dtype(s.node.dtype);
  Results results(s, compute);
  std::vector<char> largest(s.node.numel() * size_of(compute));
  reduce_into(s.node, Reduce::max, compute, results.data());
  results.each([](auto v, int64_t) { return std::isinf(v) ? decltype(v){} : v; });
  std::copy_n(results.data(), largest.size(), largest.data());
  const Before before = {.shift = largest.data(),
                         .loops = {elementwise_loop(Elementwise::exp, compute)}};
  reduce_into(s.node, Reduce::sum, compute, results.data(), before);
  results.each([&](auto v, int64_t i) {
    return std::log(v) + reinterpret_cast<const decltype(v)*>(largest.data())[i];
  });
  results.store();
}

Value logsumexp_gradient(const GradCall& s, const Value& a, const Value& out) {
  return with_dims_back(s, s.g) * exp(a - with_dims_back(s, out));
}

// Norms of vectors. Attributes: dim, keepdim, ord, dtype.
void check_norm_of_nothing(const Infer& s) {
  const Node& in = *s.in[0];
  const double ord = s.attrs[2].as_real();
  if (in.numel() > 0 || (ord >= 0 && std::isfinite(ord))) return;
  const uint64_t mask = reduced_dims(s.attrs, in.ndim());
  const bool all = s.attrs[0].is_none() || s.attrs[0].n == 0;
  if (all)
    fail(ErrorKind::runtime, "linalg.vector_norm cannot compute the ", ord,
         " norm on an empty tensor because the operation does not have an identity");
  for (int i = 0; i < in.ndim(); ++i)
    if (mask >> i & 1 && in.size(i) == 0)
      fail(ErrorKind::runtime, "linalg.vector_norm cannot compute the ", ord,
           " norm on the dimension ", i,
           "because this dimension is empty and the operation does not have an identity");
}

void infer_norm(Infer& s) {
  const DType in = s.in[0]->dtype;
  if (!is_floating(in))
    fail(ErrorKind::runtime,
         "linalg.vector_norm: Expected a floating point or complex tensor as input. Got ",
         scalar_type_name(in));
  s.dtype = s.attrs[3].as_dtype(in);
  if (!is_floating(s.dtype))
    fail(ErrorKind::runtime,
         "linalg.vector_norm: dtype should be floating point or complex, but got ",
         scalar_type_name(s.dtype));
  if (promote(in, s.dtype) != s.dtype)
    fail(ErrorKind::runtime, "linalg.vector_norm: the dtype of the input (", scalar_type_name(in),
         ") should be convertible without narrowing to the specified dtype (",
         scalar_type_name(s.dtype), ")");
  check_norm_of_nothing(s);
  infer_reduced_layout(s);
  s.in[0] = cast(s.in[0], s.dtype);
}

// 1 for every element but 0.
template <class T>
int ones(char* const* data, const int64_t* stride, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    *reinterpret_cast<T*>(data[0] + i * stride[0]) =
        *reinterpret_cast<const T*>(data[1] + i * stride[1]) != 0;
  return 0;
}

void run_norm(Run& s) {
  const DType compute = compute_dtype(s.node.dtype);
  const double ord = s.attr(2).as_real();
  Results results(s, compute);
  alignas(8) char operand[8];
  cast_loop(compute, DType::float64)(operand, 0, reinterpret_cast<const char*>(&ord), 0, 1);
  Before before = {.loops = {elementwise_loop(Elementwise::abs, compute)}, .operand = operand};
  Reduce kind = Reduce::sum;
  if (ord == 2)
    before = {}, kind = Reduce::squares;
  else if (std::isinf(ord))
    kind = ord > 0 ? Reduce::max : Reduce::min;
  else if (ord == 0)
    before.loops[0] = compute == DType::float64 ? ones<double> : ones<float>;
  else if (ord != 1)
    before.loops[1] = elementwise_loop(Elementwise::pow, compute);
  reduce_into(s.node, kind, compute, results.data(), before);
  if (ord == 2)
    results.each([](auto v, int64_t) { return std::sqrt(v); });
  else if (std::isfinite(ord) && ord != 0 && ord != 1)
    results.each([ord](auto v, int64_t) {
      return static_cast<decltype(v)>(std::pow(static_cast<double>(v), 1 / ord));
    });
  results.store();
}

// Where the norm has a corner, at 0, the subgradient 0.
Value norm_gradient(const GradCall& s, const Value& a, const Value& out) {
  const double ord = s.attr(2).as_real();
  const Value norm = with_dims_back(s, out), g = with_dims_back(s, s.g);
  if (ord == 0) return zeros_like(a);
  if (ord == 1) return g * sign(a);
  if (ord == 2) return g * where(eq(norm, 0), 0, a / norm);
  if (std::isinf(ord)) {
    const Value reached = eq(abs(a), norm);
    // Beside NaN nobody reaches it.
    const Value count = clamp_min(sum(reached, dim_list(s.node()), true), 1);
    return sign(a) * (reached / count) * g;
  }
  if (ord < 1) return sign(a) * where(eq(a, 0), 0, pow(abs(a), ord - 1)) * g * pow(norm, 1 - ord);
  const Value scale = where(eq(norm, 0), 0, g / pow(norm, ord - 1));
  if (ord < 2) return sign(a) * pow(abs(a), ord - 1) * scale;
  return a * pow(abs(a), ord - 2) * scale;
}

Values body_dist(Call& c) {
  const Value difference = c.tensor(0) - c.tensor(1);
  return {record(op_named("_vector_norm"), {difference}, {Arg{}, Arg::of(false), c[2], Arg{}})};
}

#define OVER "(Tensor input, int[1]? dim, bool unbiased=True, bool keepdim=False) -> Tensor"
#define CORRECTED \
  "(Tensor input, int[1]? dim=None, *, Number? correction=None, bool keepdim=False) -> Tensor"
#define UNBIASED "(Tensor input, bool unbiased=True) -> Tensor"

constexpr Op kOps[] = {
    {.name = "variance",
     .doc = "Mean of squared deviations from the mean, of n - correction elements.",
     .infer = infer_variance,
     .kernel = run_variance<false>,
     .grad = {GRAD(variance_gradient(s, a, g))},
     .lift = lift_over<>,
     .grad_name = "VarBackward0",
     .work = work_of_reduction,
     .hidden = true},
    {.name = "deviation",
     .doc = "Square root of the variance.",
     .infer = infer_variance,
     .kernel = run_variance<true>,
     .grad = {GRAD(deviation_gradient(s, a, out))},
     .lift = lift_over<>,
     .grad_name = "StdBackward0",
     .work = work_of_reduction,
     .hidden = true},
    {.name = "var",
     .signature = OVER,
     .doc = "Variance of all elements, or over some dimensions.",
     .example = "var(tensor([1., 2., 3., 4.]), correction=0)",
     .body = body_variance<false>},
    {.name = "var", .signature = CORRECTED, .body = body_variance<false>},
    {.name = "var", .signature = UNBIASED, .body = body_variance<false>, .out = false},
    {.name = "std",
     .signature = OVER,
     .doc = "Standard deviation of all elements, or over some dimensions.",
     .example = "std(tensor([1., 2., 3., 4.]))",
     .body = body_variance<true>},
    {.name = "std", .signature = CORRECTED, .body = body_variance<true>},
    {.name = "std", .signature = UNBIASED, .body = body_variance<true>, .out = false},
    {.name = "var_mean",
     .signature = OVER "[]",
     .doc = "Variance and mean.",
     .example = "var_mean(tensor([1., 2., 3., 4.]))",
     .body = body_with_mean<false>,
     .method = false},
    {.name = "var_mean",
     .signature = CORRECTED "[]",
     .body = body_with_mean<false>,
     .method = false},
    {.name = "var_mean",
     .signature = UNBIASED "[]",
     .body = body_with_mean<false>,
     .method = false},
    {.name = "std_mean",
     .signature = OVER "[]",
     .doc = "Standard deviation and mean.",
     .example = "std_mean(tensor([1., 2., 3., 4.]))",
     .body = body_with_mean<true>,
     .method = false},
    {.name = "std_mean",
     .signature = CORRECTED "[]",
     .body = body_with_mean<true>,
     .method = false},
    {.name = "std_mean", .signature = UNBIASED "[]", .body = body_with_mean<true>, .method = false},
    {.name = "logsumexp",
     .signature = "(Tensor input, int[1] dim, bool keepdim=False) -> Tensor",
     .doc = "Logarithm of the sum of exponentials, without overflow.",
     .example = "logsumexp(tensor([1000., 1000.]), 0)",
     .infer = infer_logsumexp,
     .kernel = run_logsumexp,
     .grad = {GRAD(logsumexp_gradient(s, a, out))},
     .lift = lift_over<>,
     .work = work_of_reduction},
    {.name = "_vector_norm",
     .signature =
         "(Tensor input, int[1]? dim, bool keepdim, float ord, dtype? dtype=None) -> Tensor",
     .doc = "The norm of order ord of the elements over some or all dimensions.",
     .infer = infer_norm,
     .kernel = run_norm,
     .grad = {GRAD(norm_gradient(s, a, out))},
     .lift = lift_over<>,
     .grad_name = "LinalgVectorNormBackward0",
     .work = work_of_reduction,
     .method = false,
     .out = false},
    {.name = "dist",
     .signature = "(Tensor input, Tensor other, float p=2) -> Tensor",
     .doc = "The norm of order p of the difference.",
     .example = "dist(tensor([1., 2.]), tensor([4., 6.]))",
     .body = body_dist,
     .out = false},
};

}  // namespace

std::span<const Op> statistics_ops() { return kOps; }

}  // namespace wend
