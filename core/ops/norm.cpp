// ops/norm.cpp: layer_norm and rms_norm: rows scaled to unit variance or unit mean square.
// Both are one pair of primitives, told apart by an attribute; the rows themselves are kernels/nn.
#include "kernels/nn.hpp"
#include "ops/batching.hpp"
#include "ops/families.hpp"
#include "ops/functions.hpp"
#include "ops/rows.hpp"

namespace wend {
namespace {

// The attributes of the primitives: the length of a row, then what makes up a Normalization.
struct Attributes {
  explicit Attributes(const Node& node)
      : n(node.attr(0).as_int()), how{node.attr(1).as_real(), node.attr(2).as_bool()} {}
  int64_t n;
  Normalization how;
};

DType compute_dtype(DType t) { return is_half(t) ? DType::float32 : t; }

Value row_major(const Value& v) { return v->layout->contiguous ? v : contiguous_copy(v); }

void infer_rows(Infer& s) {
  for (Value& v : s.in) v = row_major(v);
  s.dtype = s.in[0]->dtype;
  s.layout = contiguous(s.in[0]->sizes());
}

// Weight and bias, which every row shares, in the dtype of the computation.
template <class T>
struct Shared {
  explicit Shared(const Node& node) {
    const DType t = sizeof(T) == 4 ? DType::float32 : DType::float64;
    data = reinterpret_cast<const T*>(node.data());
    if (node.dtype == t) return;
    copy.resize(node.numel());
    data = copy.data();
    cast_loop(t, node.dtype)(reinterpret_cast<char*>(copy.data()), sizeof(T), node.data(),
                             size_of(node.dtype), node.numel());
  }
  Shared() = default;
  std::vector<T> copy;
  const T* data = nullptr;
};

// The output and the first `inputs` inputs are rows of n contiguous elements.
template <class T, class Kernel>
void each_row(const Run& s, int inputs, int64_t n, Kernel kernel) {
  const int64_t outer = s.node.numel() / n;
  Rows<T> rows({&outer, 1}, n);
  rows.add(s.out(), s.node.dtype, {&n, 1}, 1);
  for (int i = 0; i < inputs; ++i) rows.add(s.in(i).data(), s.in(i).dtype, {&n, 1}, 1);
  rows.each(0.5, kernel);
}

template <class T>
void normalize(const Run& s) {
  const Attributes a(s.node);
  const Shared<T> weight = s.node.n_inputs > 1 ? Shared<T>(s.in(1)) : Shared<T>();
  const Shared<T> bias = s.node.n_inputs > 2 ? Shared<T>(s.in(2)) : Shared<T>();
  const auto kernel = row_kernels<T>().normalize;
  each_row<T>(s, 1, a.n, [&](T* out, T* const* in, int64_t n) {
    kernel(out, in[0], weight.data, bias.data, n, a.how);
  });
}

template <class T>
void normalize_backward(const Run& s) {
  const Attributes a(s.node);
  const Shared<T> weight = s.node.n_inputs > 2 ? Shared<T>(s.in(2)) : Shared<T>();
  const auto kernel = row_kernels<T>().normalize_backward;
  each_row<T>(s, 2, a.n, [&](T* out, T* const* in, int64_t n) {
    kernel(out, in[0], in[1], weight.data, n, a.how);
  });
}

void run_normalize(Run& s) {
  if (s.node.dtype == DType::float64)
    normalize<double>(s);
  else
    normalize<float>(s);
}
void run_backward(Run& s) {
  if (s.node.dtype == DType::float64)
    normalize_backward<double>(s);
  else
    normalize_backward<float>(s);
}

// Records `op` with the attributes of `like`.
template <size_t N>
Value record_like(const Op& op, const Node& like, Value (&&inputs)[N]) {
  return record(op, inputs, {like.attr(0), like.attr(1), like.attr(2)});
}
Value normalized(const Value& x, const Node& like) {
  static const Op& op = op_named("native_layer_norm");
  return record_like(op, like, {x});
}
Value backward(const Value& g, const Value& x, const Node& like) {
  static const Op& op = op_named("native_layer_norm_backward");
  return record_like(op, like, {g, x});
}

Value input_gradient(const GradCall& s, const Value& x, const Value& weight) {
  static const Op& op = op_named("native_layer_norm_backward");
  if (s.node().n_inputs > 1) return record_like(op, s.node(), {s.g, x, weight});
  return record_like(op, s.node(), {s.g, x});
}

// Sums over many rows are made in float32 at least.
Value weight_gradient(const GradCall& s, const Value& x) {
  const DType t = compute_dtype(x->dtype);
  return sum_to(cast(s.g, t) * normalized(cast(x, t), s.node()), s.in(1)->sizes());
}
Value bias_gradient(const GradCall& s) {
  return sum_to(cast(s.g, compute_dtype(s.g->dtype)), s.in(2)->sizes());
}

// The gradient of the backward op itself. With h the gradient times the weight, u the normalised
// row, r its scale and k the gradient that comes in, the op's result times k sums to
//   n r (mean(k h) - mean(k) mean(h) - mean(k u) mean(h u)),
// where the second term is there for centred rows only; this is its derivative by the row.
Value second_gradient(const GradCall& s, const Value& g, const Value& x, const Value& weight) {
  const Attributes a(s.node());
  const Dims rows{x->numel() / std::max<int64_t>(a.n, 1), a.n};
  auto mean = [&](const Value& v) { return sum(v, Dims{1}, true) * (1.0 / a.n); };
  const Value h = reshape(s.node().n_inputs > 2 ? g * weight : g, rows);
  const Value k = reshape(s.g, rows), row = reshape(x, rows);
  const Value u = normalized(row, s.node());
  const Value centred = a.how.centred ? row - mean(row) : row;
  const Value r = rsqrt(mean(centred * centred) + a.how.eps);
  const Value ku = mean(k * u), hu = mean(h * u);
  Value shared = mean(k * h) - ku * hu;
  if (a.how.centred) shared = shared - mean(k) * mean(h);
  const Value through_u = backward(-(h * ku + k * hu) * r, row, s.node());
  return reshape(through_u - r * r * shared * u, x->sizes());
}

Value gradient_of_gradient(const GradCall& s, const Value& x, const Value& weight) {
  const Value k = backward(s.g, x, s.node());
  return s.node().n_inputs > 2 ? k * weight : k;
}

[[noreturn]] void wrong_shape(const char* what, const Node& got, std::span<const int64_t> shape) {
  fail(ErrorKind::runtime, "Expected ", what, " to be of same shape as normalized_shape, but got ",
       what, " of shape ", show(got.sizes()), " and normalized_shape = ", show(shape));
}

bool ends_with(std::span<const int64_t> sizes, std::span<const int64_t> shape) {
  return sizes.size() >= shape.size() &&
         std::equal(shape.begin(), shape.end(), sizes.end() - shape.size());
}

void check_shapes(const Value& x, std::span<const int64_t> shape, const Value& weight,
                  const Value& bias, const char* separator) {
  if (shape.empty())
    fail(ErrorKind::runtime,
         "Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one "
         "element, but got normalized_shape = []");
  auto same = [&](const Value& v) { return std::ranges::equal(v->sizes(), shape); };
  if (weight && !same(weight)) wrong_shape("weight", *weight, shape);
  if (bias && !same(bias)) wrong_shape("bias", *bias, shape);
  if (ends_with(x->sizes(), shape)) return;
  std::string text = join("Given normalized_shape=", show(shape), ", expected input with shape [*");
  for (size_t i = 0; i < shape.size(); ++i) text += join(i ? ", " : separator, shape[i]);
  fail(ErrorKind::runtime, text, "], but got input of size", show(x->sizes()));
}

void check_dtypes(const Value& x, const Value& weight, const Value& bias, const char* kernel) {
  if (!is_floating(x->dtype))
    fail(ErrorKind::not_implemented, "\"", kernel, "\" not implemented for '",
         scalar_type_name(x->dtype), "'");
  const DType first = weight ? weight->dtype : bias ? bias->dtype : x->dtype;
  const bool same = first == x->dtype && (!bias || bias->dtype == first);
  const bool mixed =
      is_half(x->dtype) && first == DType::float32 && (!bias || bias->dtype == first);
  if (same || mixed) return;
  const bool in_float = first == DType::float32 && (!bias || bias->dtype == first);
  fail(ErrorKind::runtime, "mixed dtype (CPU): ",
       in_float ? "all inputs must share same datatype."
                : "expect parameter to have scalar type of Float");
}

Value norm_of(const Op& op, const Value& x, std::span<const int64_t> shape, const Value& weight,
              const Value& bias, Normalization how) {
  const Arg attrs[] = {Arg::of(count(shape)), Arg::of(how.eps), Arg::of(how.centred)};
  Value in[3] = {x, weight, bias};
  const size_t inputs = !weight ? 1 : bias ? 3 : 2;
  const Value result = record(op, std::span(in, inputs), attrs);
  return !weight && bias ? cast(result + bias, x->dtype) : result;
}

Values layer_norm_body(Call& c) {
  static const Op& op = op_named("native_layer_norm");
  const Value x = c.tensor(0), weight = c.tensor(2), bias = c.tensor(3);
  check_shapes(x, c[1].as_ints(), weight, bias, ", ");
  check_dtypes(x, weight, bias, "LayerNormKernelImpl");
  return {norm_of(op, x, c[1].as_ints(), weight, bias, {c[4].as_real(), true})};
}

// Of the type in which it is computed.
double epsilon_of(DType t) { return t == DType::float64 ? 0x1p-52 : 0x1p-23; }

Values rms_norm_body(Call& c) {
  static const Op& op = op_named("native_rms_norm");
  const Value x = c.tensor(0), weight = c.tensor(2);
  const size_t dims = c[1].as_ints().size();
  if (!weight && static_cast<size_t>(x->ndim()) < dims)
    fail(ErrorKind::value, "Input tensor must have at least ", dims, " dimensions, but got ",
         x->ndim());
  check_shapes(x, c[1].as_ints(), weight, {}, "");
  check_dtypes(x, {}, {}, "rms_norm");
  const double eps = c[3].is_none() ? epsilon_of(x->dtype) : c[3].as_real();
  const bool fused = weight && weight->dtype == x->dtype;
  const Value result = norm_of(op, x, c[1].as_ints(), fused ? weight : Value(), {}, {eps, false});
  return {weight && !fused ? cast(result * weight, x->dtype) : result};
}

// Weights of their own are put on afterwards.
Value lift_norm(const Lift& s) {
  bool shared = true;
  for (size_t i = 1; i < s.in.size(); ++i) shared &= s.is_shared(i);
  Values in = {with_members(s, 0)};
  if (shared) in.insert(in.end(), s.in.begin() + 1, s.in.end());
  Value result = record(*s.like.op, in, s.like.attrs->span());
  if (shared) return result;
  result = result * aligned(s, 1, s.like.ndim());
  return s.in.size() > 2 ? result + aligned(s, 2, s.like.ndim()) : result;
}

// ... or in front, on the way back.
Value lift_backward(const Lift& s) {
  Values in = {with_members(s, 0), with_members(s, 1)};
  if (s.in.size() > 2 && s.is_shared(2)) in.push_back(s.in[2]);
  if (s.in.size() > 2 && !s.is_shared(2)) in[0] = in[0] * aligned(s, 2, s.like.ndim());
  return record(*s.like.op, in, s.like.attrs->span());
}

constexpr Op kOps[] = {
    {.name = "layer_norm",
     .signature = "(Tensor input, int[] normalized_shape, Tensor? weight=None, Tensor? bias=None, "
                  "float eps=1e-05, bool cudnn_enable=True) -> Tensor",
     .doc = "The last dimensions with mean 0 and variance 1, times weight, plus bias.",
     .example = "layer_norm(tensor([[1., 3.]]), (2,))",
     .body = layer_norm_body,
     .method = false},
    {.name = "rms_norm",
     .signature = "(Tensor input, int[] normalized_shape, Tensor? weight=None, float? eps=None) "
                  "-> Tensor",
     .doc = "The last dimensions divided by the root of their mean square, times weight.",
     .example = "rms_norm(tensor([[1., 3.]]), (2,))",
     .body = rms_norm_body,
     .method = false},
    {.name = "native_layer_norm",
     .doc = "Rows normalised, times input 1, plus input 2, where they are given.",
     .infer = infer_rows,
     .kernel = run_normalize,
     .launches = true,
     .grad = {GRAD(input_gradient(s, a, b)), GRAD(weight_gradient(s, a)), GRAD(bias_gradient(s))},
     .lift = lift_norm,
     .weights = 0b110,
     .hidden = true},
    {.name = "native_rms_norm",
     .doc = "The same, for rows that are not centred.",
     .infer = infer_rows,
     .kernel = run_normalize,
     .launches = true,
     .grad = {GRAD(input_gradient(s, a, b)), GRAD(weight_gradient(s, a)), GRAD(bias_gradient(s))},
     .lift = lift_norm,
     .weights = 0b110,
     .grad_name = "MulBackward0",
     .hidden = true},
    {.name = "native_layer_norm_backward",
     .doc = "The gradient of rows that were normalised: of the result's, the row and the weight.",
     .infer = infer_rows,
     .kernel = run_backward,
     .launches = true,
     .grad = {GRAD(gradient_of_gradient(s, b, c)), GRAD(second_gradient(s, a, b, c)),
              GRAD(sum_to(a * backward(g, b, s.node()), s.in(2)->sizes()))},
     .lift = lift_backward,
     .weights = 0b100,
     .hidden = true},
};

}  // namespace

std::span<const Op> norm_ops() { return kOps; }

}  // namespace wend
