// ops/contract.cpp: products of vectors and tensors made of other ops, and the cross product.
// Products of matrices are ops/matmul; what takes lists of tensors is written in Python.
#include <algorithm>

#include "base/checked.hpp"
#include "kernels/iterate.hpp"
#include "ops/families.hpp"
#include "ops/functions.hpp"

namespace wend {
namespace {

void check_vector(const char* op, const char* name, const Value& v) {
  if (v->ndim() != 1)
    fail(ErrorKind::runtime, op, ": Expected 1-D argument ", name, ", but got ", v->ndim(), "-D");
}

Value outer(const Value& a, const Value& b) { return unsqueeze(a, 1) * b; }

Values body_outer(Call& c) {
  const Value a = c.tensor(0), b = c.tensor(1);
  check_vector("outer", "self", a);
  check_vector("outer", "vec2", b);
  return {outer(a, b)};
}

// A factor in the dtype of the result, so that an integer keeps bool bool.
Value factor(const Arg& arg, const char* name, DType dtype) {
  if (!is_floating(dtype) && arg.kind == Arg::real)
    fail(ErrorKind::runtime, "For integral input tensors, argument ", name,
         " must not be a floating point number.");
  if (dtype != DType::bool_ && arg.kind == Arg::boolean)
    fail(ErrorKind::runtime, "Boolean ", name, " only supported for Boolean results.");
  return dtype == DType::bool_ ? number(arg.as_int() != 0) : number(arg);
}

Values body_addr(Call& c) {
  const Value input = c.tensor(0), a = c.tensor(1), b = c.tensor(2);
  check_vector("addr", "vec1", a);
  check_vector("addr", "vec2", b);
  const Value all[] = {input, a, b};
  const DType dtype = result_type(all);
  const Value beta = factor(c[3], "beta", dtype), alpha = factor(c[4], "alpha", dtype);
  const Value added = cast(expand(input, Dims{a->size(0), b->size(0)}), dtype);
  const Value product = outer(cast(a, dtype), cast(b, dtype)) * alpha;
  return {c[3].as_real() == 0 ? product : added * beta + product};
}

Values body_inner(Call& c) {
  const Value a = c.tensor(0), b = c.tensor(1);
  if (a->ndim() == 0 || b->ndim() == 0) return {a * b};
  if (a->dtype != b->dtype) fail(ErrorKind::runtime, "both inputs should have same dtype");
  const int64_t k = a->size(a->ndim() - 1);
  if (k != b->size(b->ndim() - 1))
    fail(ErrorKind::runtime,
         "inner() the last dimension must match on both input tensors but got shapes ",
         show(a->sizes()), " and ", show(b->sizes()));
  Dims sizes(a->sizes().first(a->ndim() - 1));
  for (int64_t n : b->sizes().first(b->ndim() - 1)) sizes.push(n);
  const Value rows_a = reshape(a, Dims{count(a->sizes().first(a->ndim() - 1)), k});
  const Value rows_b = reshape(b, Dims{count(b->sizes().first(b->ndim() - 1)), k});
  return {reshape(record(op_named("rows_nt"), {rows_a, rows_b}), sizes)};
}

// Every dimension of a beside the same one of b, then the two as one.
Values body_kron(Call& c) {
  const Value a = c.tensor(0), b = c.tensor(1);
  const int n = std::max(a->ndim(), b->ndim());
  Dims spread_a, spread_b, sizes;
  for (int i = 0; i < n; ++i) {
    const int at_a = i - (n - a->ndim()), at_b = i - (n - b->ndim());
    const int64_t of_a = at_a < 0 ? 1 : a->size(at_a), of_b = at_b < 0 ? 1 : b->size(at_b);
    spread_a.push(of_a);
    spread_a.push(1);
    spread_b.push(1);
    spread_b.push(of_b);
    sizes.push(checked_mul(of_a, of_b));
  }
  return {reshape(reshape(a, spread_a) * reshape(b, spread_b), sizes)};
}

// `shown` is the dimension as the message writes it.
Value cross(const Value& a, const Value& b, int64_t dim, int64_t shown) {
  const Value in[] = {a, b};
  const Dims sizes = broadcast_sizes(in);
  const int at = wrap_dim(dim, sizes.n);
  if (a->size(at) != 3 || b->size(at) != 3)
    fail(ErrorKind::runtime, "linalg.cross: inputs dimension ", shown, " must have length 3. Got ",
         a->size(at), " and ", b->size(at));
  return record(op_named("cross_product"), {a, b}, {Arg::of(at)});
}

void check_cross(const Value& a, const Value& b, int64_t dim) {
  if (a->ndim() != b->ndim())
    fail(ErrorKind::runtime, "linalg.cross: inputs must have the same number of dimensions.");
  if (a->ndim() == 0)
    fail(ErrorKind::index, "Dimension specified as ", dim, " but tensor has no dimensions");
  wrap_dim(dim, a->ndim());
}

// Without a dimension it is the first that has three elements.
Values body_cross(Call& c) {
  const Value a = c.tensor(0), b = c.tensor(1);
  int64_t dim = c[2].as_int();
  if (c[2].is_none()) {
    const auto sizes = a->sizes();
    dim = std::ranges::find(sizes, 3) - sizes.begin();
    if (dim == a->ndim()) fail(ErrorKind::runtime, "no dimension of size 3 in input");
  }
  check_cross(a, b, dim);
  return {cross(a, b, dim, dim)};
}

Values body_linalg_cross(Call& c) {
  const Value a = c.tensor(0), b = c.tensor(1);
  const int64_t dim = c[2].as_int();
  check_cross(a, b, dim);
  return {cross(a, b, dim, dim)};
}

void infer_cross(Infer& s) {
  const Node &a = *s.in[0], &b = *s.in[1];
  if (a.dtype != b.dtype)
    fail(ErrorKind::runtime, "expected scalar type ", scalar_type_name(a.dtype), " but found ",
         scalar_type_name(b.dtype));
  if (a.dtype == DType::bool_) not_for("cross", a.dtype);
  s.dtype = a.dtype;
  s.layout = contiguous(broadcast_sizes(s.in));
}

// How elements of T are read to compute with, and written.
template <class T>
struct Element {
  static auto load(const char* p) { return *reinterpret_cast<const T*>(p); }
  static void store(char* p, auto v) { *reinterpret_cast<T*>(p) = static_cast<T>(v); }
};
template <class T>
  requires(std::is_integral_v<T>)
struct Element<T> {
  static uint64_t load(const char* p) {
    return static_cast<uint64_t>(*reinterpret_cast<const T*>(p));
  }
  static void store(char* p, uint64_t v) { *reinterpret_cast<T*>(p) = static_cast<T>(v); }
};
template <>
struct Element<Half> {
  static float load(const char* p) { return to_float(*reinterpret_cast<const Half*>(p)); }
  static void store(char* p, float v) { *reinterpret_cast<Half*>(p) = to_half(v); }
};
template <>
struct Element<BFloat16> {
  static float load(const char* p) { return to_float(*reinterpret_cast<const BFloat16*>(p)); }
  static void store(char* p, float v) { *reinterpret_cast<BFloat16*>(p) = to_bfloat16(v); }
};

template <class T>
void cross_as(const Run& s) {
  using E = Element<T>;
  const int dim = static_cast<int>(s.attr(0).as_int());
  Dims sizes(s.node.sizes());
  sizes[dim] = 1;
  int64_t step[3];
  Iteration it;
  it.begin(sizes.span());
  const Node* nodes[] = {&s.node, &s.in(0), &s.in(1)};
  for (int i = 0; i < 3; ++i) {
    step[i] = nodes[i]->layout->stride(dim) * static_cast<int64_t>(sizeof(T));
    it.add(nodes[i]->data(), nodes[i]->strides(), nodes[i]->sizes(), sizeof(T));
  }
  it.simplify();
  it.walk(0, it.outer(), [&](char** at, const int64_t* by, int64_t n) {
    for (int64_t i = 0; i < n; ++i) {
      char *out = at[0] + i * by[0], *pa = at[1] + i * by[1], *pb = at[2] + i * by[2];
      const auto a0 = E::load(pa), a1 = E::load(pa + step[1]), a2 = E::load(pa + 2 * step[1]);
      const auto b0 = E::load(pb), b1 = E::load(pb + step[2]), b2 = E::load(pb + 2 * step[2]);
      E::store(out, a1 * b2 - a2 * b1);
      E::store(out + step[0], a2 * b0 - a0 * b2);
      E::store(out + 2 * step[0], a0 * b1 - a1 * b0);
    }
  });
}

void run_cross(Run& s) {
  switch (s.node.dtype) {
    case DType::float32:
      return cross_as<float>(s);
    case DType::float64:
      return cross_as<double>(s);
    case DType::float16:
      return cross_as<Half>(s);
    case DType::bfloat16:
      return cross_as<BFloat16>(s);
    case DType::int64:
      return cross_as<int64_t>(s);
    case DType::int32:
      return cross_as<int32_t>(s);
    case DType::int16:
      return cross_as<int16_t>(s);
    default:
      return cross_as<int8_t>(s);
  }
}

Value cross_again(const Value& a, const Value& b, const GradCall& s) {
  return record(op_named("cross_product"), {a, b}, {s.attr(0)});
}

constexpr Op kOps[] = {
    {.name = "outer",
     .signature = "(Tensor input, Tensor vec2) -> Tensor",
     .doc = "Every element of a vector times every element of another.",
     .example = "outer(arange(2.), arange(3.))",
     .body = body_outer},
    {.name = "ger",
     .signature = "(Tensor input, Tensor vec2) -> Tensor",
     .doc = "Every element of a vector times every element of another; another name of outer.",
     .example = "ger(arange(2.), arange(3.))",
     .body = body_outer},
    {.name = "addr",
     .signature =
         "(Tensor input, Tensor vec1, Tensor vec2, *, Number beta=1, Number alpha=1) -> Tensor",
     .doc = "beta * input + alpha * outer(vec1, vec2).",
     .example = "addr(zeros(2, 3), arange(2.), arange(3.))",
     .body = body_addr,
     .inplace = true},
    {.name = "inner",
     .signature = "(Tensor input, Tensor other) -> Tensor",
     .doc = "Inner products of all pairs of rows.",
     .example = "inner(ones(2, 3), ones(3))",
     .body = body_inner},
    {.name = "kron",
     .signature = "(Tensor input, Tensor other) -> Tensor",
     .doc = "Kronecker product: every element of input times the whole of other.",
     .example = "kron(eye(2), ones(1, 2))",
     .body = body_kron},
    {.name = "cross_product",
     .doc = "Cross products along the dimension in the attribute, both of one rank.",
     .infer = infer_cross,
     .kernel = run_cross,
     .grad = {GRAD(cross_again(b, g, s)), GRAD(cross_again(g, a, s))},
     .grad_name = "LinalgCrossBackward0",
     .cost = 2,
     .hidden = true},
    {.name = "cross",
     .signature = "(Tensor input, Tensor other, int? dim=None) -> Tensor",
     .doc = "Cross product of vectors of three elements.",
     .example = "cross(tensor([1., 0., 0.]), tensor([0., 1., 0.]))",
     .body = body_cross},
    {.name = "_linalg_cross",
     .signature = "(Tensor input, Tensor other, *, int dim=-1) -> Tensor",
     .doc = "Cross product of vectors of three elements, for wend.linalg.",
     .example = "_C._linalg_cross(ones(2, 3), ones(2, 3))",
     .body = body_linalg_cross,
     .method = false},
};

}  // namespace

std::span<const Op> contract_ops() { return kOps; }

}  // namespace wend
