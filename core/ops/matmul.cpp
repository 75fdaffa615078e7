// ops/matmul.cpp: matrix products of every rank, with and without something added.
// How they are run is ops/product; contractions made of them are ops/contract.
#include <algorithm>

#include "base/forever.hpp"
#include "kernels/gemm.hpp"
#include "ops/batching.hpp"
#include "ops/families.hpp"
#include "ops/functions.hpp"
#include "ops/product.hpp"

namespace wend {
namespace {

// The usual case, told from the rest as fast as possible: two matrices of floats.
template <Form kForm>
void run_form(Run& s) {
  const Node &a = s.in(0), &b = s.in(1);
  if (s.node.dtype != DType::float32 || a.ndim() != 2 || b.ndim() != 2)
    return run_product(s, kForm, {0, 1});
  constexpr int kM = kForm == tn, kN = kForm != nt;
  const Layout &la = *a.layout, &lb = *b.layout;
  gemm(Gemm<float>{la.size(kM), lb.size(kN), la.size(1 - kM),
                   reinterpret_cast<const float*>(a.data()), la.stride(kM), la.stride(1 - kM),
                   reinterpret_cast<const float*>(b.data()), lb.stride(1 - kN), lb.stride(kN),
                   reinterpret_cast<float*>(s.out()), lb.size(kN), false, name_of(b)});
}

Form form_of(const Node& node) { return static_cast<Form>(node.attr(0).as_int()); }

void run_general(Run& s) { run_product(s, form_of(s.node), {0, 1}); }

void run_added(Run& s) { run_product(s, nn, {1, 2, 0}); }
void run_affine(Run& s) { run_product(s, nt, {0, 1, 2}); }

void run_onto(Run& s) {
  if (!s.donated(0)) copy(s.node.sizes(), strided(s.node), strided(s.in(0)));
  run_product(s, tn, {1, 2, -1, true});
}

// The names of C++ types, which is what PyTorch's message shows here.
const char* type_name(DType dtype) {
  constexpr const char* names[dtype_count] = {
      "bool",     "unsigned char", "signed char",   "short int", "int",
      "long int", "c10::Half",     "c10::BFloat16", "float",     "double"};
  return names[static_cast<int>(dtype)];
}

// How many rows an operand of any rank has: the product of all sizes but the last.
int64_t rows_of(const Node& a) { return count(a.sizes().first(a.ndim() - 1)); }
int64_t last_size(const Node& a) { return a.size(a.ndim() - 1); }

void check_inner(int64_t m, int64_t k, int64_t k_other, int64_t n) {
  if (k == k_other) return;
  Error error(ErrorKind::runtime, join("mat1 and mat2 shapes cannot be multiplied (", m, "x", k,
                                       " and ", k_other, "x", n, ")"));
  error.rule = join("the columns of the first must be as many as the rows of the second, but ", k,
                    " != ", k_other);
  throw error;
}

// Sets the result; bool can be multiplied only where that means nothing.
void give(Infer& s, const char* kernel, DType dtype, LayoutRef layout, int64_t k) {
  s.dtype = dtype;
  s.layout = std::move(layout);
  if (dtype == DType::bool_ && k > 0 && s.layout->numel > 0) not_for(kernel, dtype);
}

void give(Infer& s, const char* kernel, DType dtype, const Dims& sizes, int64_t k) {
  give(s, kernel, dtype, contiguous(sizes), k);
}

void check_factors(const Node& a, const Node& b) {
  if (a.dtype != b.dtype)
    fail(ErrorKind::runtime,
         "expected m1 and m2 to have the same dtype, but got: ", type_name(a.dtype),
         " != ", type_name(b.dtype));
}

void check_product(Infer& s, const Node& a, const Node& b, int64_t k, int64_t n,
                   const Dims& sizes) {
  check_inner(rows_of(a), last_size(a), k, n);
  check_factors(a, b);
  give(s, "addmm_impl_cpu_", a.dtype, sizes, k);
}

LayoutRef layout_of_mm(const Node& a, const Node& b) {
  if (a.ndim() != 2) fail(ErrorKind::runtime, "self must be a matrix");
  if (b.ndim() != 2) fail(ErrorKind::runtime, "mat2 must be a matrix");
  check_inner(a.size(0), a.size(1), b.size(0), b.size(1));
  return contiguous(Dims{a.size(0), b.size(1)});
}

void infer_mm(Infer& s) {
  static constinit Forever<LayoutMemo> memo;
  const Node &a = *s.in[0], &b = *s.in[1];
  LayoutRef layout = memo.value.get(a.layout, b.layout, [&] { return layout_of_mm(a, b); });
  check_factors(a, b);
  give(s, "addmm_impl_cpu_", a.dtype, std::move(layout), b.size(0));
}

Dims with_last(const Node& a, int64_t n) {
  Dims sizes(a.sizes());
  sizes[sizes.n - 1] = n;
  return sizes;
}

void infer_rows(Infer& s) {
  const Node &a = *s.in[0], &b = *s.in[1];
  check_product(s, a, b, b.size(0), b.size(1), with_last(a, b.size(1)));
}

void infer_rows_nt(Infer& s) {
  const Node &a = *s.in[0], &b = *s.in[1];
  check_product(s, a, b, b.size(1), b.size(0), with_last(a, b.size(0)));
}

void infer_rows_tn(Infer& s) {
  const Node &a = *s.in[0], &b = *s.in[1];
  s.dtype = a.dtype;
  s.layout = contiguous(Dims{last_size(a), last_size(b)});
}

void infer_general(Infer& s) {
  s.dtype = s.in[0]->dtype;
  s.layout = contiguous(s.attrs[1].as_ints());
}

void check_same_scalar_type(const Node& a, const Node& b) {
  if (a.dtype != b.dtype)
    fail(ErrorKind::runtime, "expected scalar type ", scalar_type_name(a.dtype), " but found ",
         scalar_type_name(b.dtype));
}

void check_batches(const Node& a, const Node& b) {
  if (a.ndim() != 3) fail(ErrorKind::runtime, "batch1 must be a 3D tensor");
  if (b.ndim() != 3) fail(ErrorKind::runtime, "batch2 must be a 3D tensor");
  if (b.size(0) != a.size(0) || b.size(1) != a.size(2))
    fail(ErrorKind::runtime, "Expected size for first two dimensions of batch2 tensor to be: [",
         a.size(0), ", ", a.size(2), "] but got: [", b.size(0), ", ", b.size(1), "].");
}

void infer_bmm(Infer& s) {
  const Node &a = *s.in[0], &b = *s.in[1];
  check_batches(a, b);
  check_same_scalar_type(a, b);
  give(s, "bmm", a.dtype, Dims{a.size(0), a.size(1), b.size(2)}, a.size(2));
}

// `input` is its dtype and size where something is added.
void check_vector(const Node& a, const Node& v, DType input, int64_t input_size) {
  const int64_t rows = rows_of(a), k = last_size(a);
  if (k != v.size(0) || (input_size != rows && input_size != 1))
    fail(ErrorKind::runtime, "size mismatch, got input (", input_size, "), mat (", rows, "x", k,
         "), vec (", v.size(0), ")");
  if (a.dtype != v.dtype || a.dtype != input)
    fail(ErrorKind::runtime, "addmv input tensors must have the same dtype, but got ",
         scalar_type_name(input), ", ", scalar_type_name(a.dtype), ", and ",
         scalar_type_name(v.dtype));
}

void check_vector_ranks(int input, int a, int v) {
  if (input > 1 || a != 2 || v != 1)
    fail(ErrorKind::runtime, "vector + matrix @ vector expected, got ", input, ", ", a, ", ", v);
}

void infer_rows_vector(Infer& s) {
  const Node &a = *s.in[0], &v = *s.in[1];
  check_vector(a, v, v.dtype, rows_of(a));
  give(s, "addmv_impl_cpu", a.dtype, Dims(a.sizes().first(a.ndim() - 1)), v.size(0));
}

void infer_mv(Infer& s) {
  if (s.in[0]->ndim() == 0)
    fail(ErrorKind::index, "Dimension specified as 0 but tensor has no dimensions");
  check_vector_ranks(1, s.in[0]->ndim(), s.in[1]->ndim());
  infer_rows_vector(s);
}

void infer_dot(Infer& s) {
  const Node &a = *s.in[0], &b = *s.in[1];
  if (a.ndim() != 1 || b.ndim() != 1)
    fail(ErrorKind::runtime, "1D tensors expected, but got ", a.ndim(), "D and ", b.ndim(),
         "D tensors");
  if (a.dtype != b.dtype)
    fail(ErrorKind::runtime, "dot : expected both vectors to have same dtype, but found ",
         scalar_type_name(a.dtype), " and ", scalar_type_name(b.dtype));
  if (a.size(0) != b.size(0))
    fail(ErrorKind::runtime, "inconsistent tensor size, expected tensor ", show(a.sizes()),
         " and src ", show(b.sizes()), " to have the same number of elements, but got ", a.size(0),
         " and ", b.size(0), " elements respectively");
  give(s, "dot", a.dtype, Dims{}, 1);
}

// What is added is taken as it is where it broadcasts over rows, the usual case.
void broadcast_added(Value& input, const Dims& sizes) {
  const Node& v = *input;
  if (v.ndim() == 1 && v.size(0) == sizes[sizes.n - 1]) return;
  if (!std::ranges::equal(v.sizes(), sizes.span())) input = expand(input, sizes);
}

void check_addmm_dtypes(const Node& input, const Node& a, const Node& b) {
  auto check = [&](const char* name, DType dtype) {
    if (dtype != b.dtype)
      fail(ErrorKind::runtime, name, " and mat2 must have the same dtype, but got ",
           scalar_type_name(dtype), " and ", scalar_type_name(b.dtype));
  };
  check("self", input.dtype);
  check("mat1", a.dtype);
}

void infer_addmm(Infer& s) {
  const Node &a = *s.in[1], &b = *s.in[2];
  check_addmm_dtypes(*s.in[0], a, b);
  if (a.ndim() != 2) fail(ErrorKind::runtime, "mat1 must be a matrix, got ", a.ndim(), "-D tensor");
  if (b.ndim() != 2) fail(ErrorKind::runtime, "mat2 must be a matrix, got ", b.ndim(), "-D tensor");
  check_inner(a.size(0), a.size(1), b.size(0), b.size(1));
  const Dims sizes{a.size(0), b.size(1)};
  broadcast_added(s.in[0], sizes);
  give(s, "addmm_impl_cpu_", a.dtype, sizes, 1);
}

void infer_addmv(Infer& s) {
  const Node &input = *s.in[0], &a = *s.in[1], &v = *s.in[2];
  check_vector_ranks(input.ndim(), a.ndim(), v.ndim());
  check_vector(a, v, input.dtype, input.numel());
  const Dims sizes{a.size(0)};
  broadcast_added(s.in[0], sizes);
  give(s, "addmv_impl_cpu", a.dtype, sizes, 1);
}

// Whatever the rank is, which is looked at later.
int64_t size_along(const Node& a, int dim) {
  if (a.ndim() == 0)
    fail(ErrorKind::index, "Dimension specified as ", dim, " but tensor has no dimensions");
  return a.size(wrap_dim(dim, a.ndim()));
}

void infer_baddbmm(Infer& s) {
  const Node &a = *s.in[1], &b = *s.in[2];
  const Dims sizes{size_along(a, 0), size_along(a, 1), size_along(b, 2)};
  broadcast_added(s.in[0], sizes);
  check_batches(a, b);
  check_same_scalar_type(a, b);
  if (s.in[0]->dtype != a.dtype)
    fail(ErrorKind::runtime, "Input dtypes must be the same, got: input ",
         type_name(s.in[0]->dtype), ", batch1: ", type_name(a.dtype),
         ", batch2: ", type_name(b.dtype));
  give(s, "baddbmm", a.dtype, sizes, 1);
}

void infer_addbmm(Infer& s) {
  const Node &a = *s.in[1], &b = *s.in[2];
  const Dims sizes{size_along(a, 1), size_along(b, 2)};
  broadcast_added(s.in[0], sizes);
  if (a.ndim() != 3) fail(ErrorKind::runtime, "batch1 must be a 3D tensor");
  if (b.ndim() != 3) fail(ErrorKind::runtime, "batch2 must be a 3D tensor");
  if (a.size(0) != b.size(0))
    fail(ErrorKind::runtime, "batch1 and batch2 must have same number of batches, got ", a.size(0),
         " and ", b.size(0));
  if (a.size(2) != b.size(1))
    fail(ErrorKind::runtime, "Incompatible matrix sizes for bmm (", a.size(1), "x", a.size(2),
         " and ", b.size(1), "x", b.size(2), ")");
  check_addmm_dtypes(*s.in[0], a, b);
  give(s, "addmm_impl_cpu_", a.dtype, sizes, 1);
}

void check_linear(const Node& input, const Node& weight) {
  if (input.ndim() == 0 || weight.ndim() == 0)
    fail(ErrorKind::runtime, "both arguments to linear need to be at least 1D, but they are ",
         input.ndim(), "D and ", weight.ndim(), "D");
  if (weight.ndim() > 2)
    fail(ErrorKind::runtime, "t() expects a tensor with <= 2 dimensions, but self is ",
         weight.ndim(), "D");
}

// A bias of one dimension, or of any number for an input that is a matrix.
void infer_affine(Infer& s) {
  const Node &input = *s.in[0], &weight = *s.in[1], &bias = *s.in[2];
  check_addmm_dtypes(bias, input, weight);
  if (weight.ndim() != 2) fail(ErrorKind::runtime, "mat2 must be a matrix, got 1-D tensor");
  const int64_t m = rows_of(input), n = weight.size(0);
  check_inner(m, last_size(input), weight.size(1), n);
  const Dims sizes = with_last(input, n);
  // The rows are what PyTorch's error speaks of.
  if (bias.ndim() == 1 && bias.size(0) != n && bias.size(0) != 1) expand(s.in[2], Dims{m, n});
  broadcast_added(s.in[2], sizes);
  give(s, "addmm_impl_cpu_", input.dtype, sizes, 1);
}

Value product(const Value& a, const Value& b, Form form, std::span<const int64_t> sizes) {
  return record(op_named("general_product"), {a, b},
                {Arg::of(static_cast<int>(form)), Arg::of(sizes)});
}
Value rows_nn(const Value& a, const Value& b) { return record(op_named("rows_nn"), {a, b}); }
Value rows_nt(const Value& a, const Value& b) { return record(op_named("rows_nt"), {a, b}); }
Value rows_tn(const Value& a, const Value& b) { return record(op_named("rows_tn"), {a, b}); }

Value rows_tn_onto(const Value& start, const Node& node) {
  if (is_half(node.dtype) || !is_floating(node.dtype)) return nullptr;
  return record(op_named("rows_tn_onto"), {start, node.inputs[0], node.inputs[1]});
}
void infer_onto(Infer& s) {
  s.dtype = s.in[0]->dtype;
  s.layout = contiguous(s.in[0]->sizes());
}

// The gradients of a general product; see Form.
Value general_gradient_a(const GradCall& s, const Value& b) {
  const auto sizes = s.in(0)->sizes();
  const Form form = form_of(s.node());
  if (form == tn) return product(b, s.g, nt, sizes);
  return product(s.g, b, form == nn ? nt : nn, sizes);
}
Value general_gradient_b(const GradCall& s, const Value& a) {
  const auto sizes = s.in(1)->sizes();
  const Form form = form_of(s.node());
  if (form == nt) return product(s.g, a, tn, sizes);
  return product(a, s.g, form == nn ? tn : nn, sizes);
}

// Of rows·v by v: the rows added up with the gradients as weights.
Value vector_gradient(const Value& rows, const Value& g) {
  if (rows->ndim() == 2) return rows_nn(g, rows);
  return reshape(rows_tn(rows, unsqueeze(g, -1)), Dims{last_size(*rows)});
}
Value times_vector(const Value& g, const Value& v) { return unsqueeze(g, -1) * v; }

Value times(const Value& v, const Arg& factor) {
  return factor.as_real() == 1 ? v : v * number(factor);
}

// Nanoseconds of a product whose inputs begin at `first`.
template <int kFirst>
double work_of_product(const Node& node) {
  const Node &a = *node.inputs[kFirst], &b = *node.inputs[kFirst + 1];
  const double n = node.ndim() ? static_cast<double>(last_size(node)) : 1;
  const double inner = a.ndim() ? static_cast<double>(std::min(last_size(a), b.numel())) : 1;
  return std::max(static_cast<double>(node.numel()) * inner, static_cast<double>(a.numel()) * n) *
         0.02;
}

// Members that share their right side are rows of one product; otherwise there is one product for
// each.
Value lift_product(const Lift& s, Form form) {
  const Node& like = s.like;
  const int ndim = std::max(like.inputs[0]->ndim(), like.inputs[1]->ndim());
  if (like.inputs[0]->ndim() < 2 || like.inputs[1]->ndim() < 2 || like.ndim() < ndim)
    return nullptr;
  return product(aligned(s, 0, ndim), aligned(s, 1, ndim), form, s.with_n(like.sizes()).span());
}
template <Form kForm>
Value lift_rows(const Lift& s) {
  if (s.is_shared(0) || !s.is_shared(1)) return lift_product(s, kForm);
  return kForm == nn ? rows_nn(s.in[0], s.in[1]) : rows_nt(s.in[0], s.in[1]);
}
Value lift_general(const Lift& s) { return lift_product(s, form_of(s.like)); }

Value lift_mv(const Lift& s) {
  if (s.is_shared(0)) return rows_nt(s.in[1], s.in[0]);
  if (s.is_shared(1)) return record(op_named("rows_vector"), {s.in[0], s.in[1]});
  const Dims sizes = s.with_n(s.like.sizes());
  Dims columns = sizes;
  columns.push(1);
  return reshape(product(s.in[0], unsqueeze(s.in[1], -1), nn, columns.span()), sizes);
}
Value lift_rows_vector(const Lift& s) {
  if (s.is_shared(1)) return lift_as_is(s);
  const Dims sizes = s.with_n(s.like.sizes());
  const int64_t m = s.like.numel(), k = s.like.inputs[1]->size(0);
  const Value rows = reshape(with_members(s, 0), Dims{s.n(), m, k});
  return reshape(product(rows, unsqueeze(s.in[1], -1), nn, Dims{s.n(), m, 1}.span()), sizes);
}
// Inputs from `first` on; each member adds up its own rows.
Value lift_rows_tn(const Lift& s, int first) {
  auto rows = [&](int i) {
    const Node& in = *s.like.inputs[i];
    return reshape(with_members(s, i), Dims{s.n(), rows_of(in), last_size(in)});
  };
  return product(rows(first), rows(first + 1), tn, s.with_n(s.like.sizes()).span());
}
Value lift_dot(const Lift& s) { return sum(s.in[0] * s.in[1], Dims{1}, false); }

Value lift_affine(const Lift& s) {
  if (s.is_shared(1) && s.is_shared(2) && !s.is_shared(0) && s.in[2]->ndim() == 1)
    return lift_as_is(s);
  if (s.like.inputs[1]->ndim() < 2) return nullptr;
  const bool one_product = s.is_shared(0) && s.is_shared(1);
  const Value rows = one_product ? rows_nt(s.in[0], s.in[1]) : lift_rows<nt>(s);
  return rows ? rows + aligned(s, 2, s.like.ndim()) : Value();
}
Value lift_added(const Lift& s) {
  const Node &a = *s.like.inputs[1], &b = *s.like.inputs[2];
  if (a.ndim() != 2 || b.ndim() != 2 || s.is_shared(1) || !s.is_shared(2)) return nullptr;
  return times(rows_nn(s.in[1], s.in[2]), s.like.attr(1)) +
         times(aligned(s, 0, s.like.ndim()), s.like.attr(0));
}

// The members' products, unless there is only one, with input 0 added.
Value add_first(const Lift& s, const Value& products) {
  return times(products, s.like.attr(1)) + times(aligned(s, 0, s.like.ndim()), s.like.attr(0));
}
Value lift_addmv(const Lift& s) {
  if (s.is_shared(1) && s.is_shared(2)) return nullptr;
  if (s.is_shared(1)) return add_first(s, rows_nt(s.in[2], s.in[1]));
  const Dims sizes = s.with_n(s.like.sizes());
  const Value columns =
      product(s.in[1], unsqueeze(s.in[2], -1), nn, Dims{sizes[0], sizes[1], 1}.span());
  return add_first(s, reshape(columns, sizes));
}
Value lift_baddbmm(const Lift& s) {
  if (s.is_shared(1) && s.is_shared(2)) return nullptr;
  return add_first(s, product(s.in[1], s.in[2], nn, s.with_n(s.like.sizes()).span()));
}

Values body_matmul(Call& c) { return {matmul(c.tensor(0), c.tensor(1))}; }
Values body_linear(Call& c) {
  const Value input = c.tensor(0), weight = c.tensor(1), bias = c.tensor(2);
  check_linear(*input, *weight);
  if (bias && (input->ndim() == 2 || bias->ndim() == 1))
    return {record(op_named("affine"), {input, weight, bias})};
  const Value plain = weight->ndim() == 1 ? matmul(input, weight) : rows_nt(input, weight);
  return {bias ? plain + bias : plain};
}

#define FACTORS ", *, Number beta=1, Number alpha=1) -> Tensor"

constexpr Op kOps[] = {
    {.name = "mm",
     .signature = "(Tensor input, Tensor mat2) -> Tensor",
     .doc = "Product of two matrices.",
     .example = "mm(ones(2, 3), ones(3, 2))",
     .infer = infer_mm,
     .by_layout = true,
     .kernel = run_form<nn>,
     .launches = true,
     .grad = {GRAD(rows_nt(g, b)), GRAD(rows_tn(a, g))},
     .lift = lift_rows<nn>,
     .weights = 0b11,
     .work = work_of_product<0>},
    {.name = "rows_nn",
     .doc = "Every row of input times a matrix.",
     .infer = infer_rows,
     .by_layout = true,
     .kernel = run_form<nn>,
     .launches = true,
     .grad = {GRAD(rows_nt(g, b)), GRAD(rows_tn(a, g))},
     .lift = lift_rows<nn>,
     .weights = 0b11,
     .grad_name = "UnsafeViewBackward0",
     .work = work_of_product<0>,
     .hidden = true},
    {.name = "rows_nt",
     .doc = "Every row of input times a transposed matrix.",
     .infer = infer_rows_nt,
     .by_layout = true,
     .kernel = run_form<nt>,
     .launches = true,
     .grad = {GRAD(rows_nn(g, b)), GRAD(rows_tn(g, a))},
     .lift = lift_rows<nt>,
     .weights = 0b11,
     .grad_name = "MmBackward0",
     .work = work_of_product<0>,
     .hidden = true},
    {.name = "rows_tn",
     .doc = "The outer products of the rows of two inputs, added up.",
     .infer = infer_rows_tn,
     .by_layout = true,
     .kernel = run_form<tn>,
     .launches = true,
     .grad = {GRAD(rows_nt(b, g)), GRAD(rows_nn(a, g))},
     .lift = [](const Lift& s) { return lift_rows_tn(s, 0); },
     .grad_name = "MmBackward0",
     .onto = rows_tn_onto,
     .work = work_of_product<0>,
     .hidden = true},
    {.name = "rows_tn_onto",
     .doc = "Input 0 plus the outer products of the rows of two inputs.",
     .infer = infer_onto,
     .kernel = run_onto,
     .launches = true,
     .grad = {GRAD(g), GRAD(rows_nt(c, g)), GRAD(rows_nn(b, g))},
     .lift = [](const Lift& s) { return with_members(s, 0) + lift_rows_tn(s, 1); },
     .donates = 1,
     .work = work_of_product<1>,
     .hidden = true},
    {.name = "general_product",
     .doc = "Products of batches of matrices that broadcast, added up to the given sizes.",
     .infer = infer_general,
     .kernel = run_general,
     .launches = true,
     .grad = {GRAD(general_gradient_a(s, b)), GRAD(general_gradient_b(s, a))},
     .lift = lift_general,
     .weights = 0b11,
     .grad_name = "UnsafeViewBackward0",
     .work = work_of_product<0>,
     .hidden = true},
    {.name = "bmm",
     .signature = "(Tensor input, Tensor mat2) -> Tensor",
     .doc = "Products of the matrices of two batches.",
     .example = "bmm(ones(2, 1, 3), ones(2, 3, 1))",
     .infer = infer_bmm,
     .kernel = run_form<nn>,
     .launches = true,
     .grad = {GRAD(product(g, b, nt, s.in(0)->sizes())), GRAD(product(a, g, tn, s.in(1)->sizes()))},
     .lift = lift_rows<nn>,
     .weights = 0b11,
     .work = work_of_product<0>},
    {.name = "mv",
     .signature = "(Tensor input, Tensor vec) -> Tensor",
     .doc = "Product of a matrix and a vector.",
     .example = "mv(ones(2, 3), ones(3))",
     .infer = infer_mv,
     .kernel = run_form<nn>,
     .launches = true,
     .grad = {GRAD(times_vector(g, b)), GRAD(vector_gradient(a, g))},
     .lift = lift_mv,
     .weights = 0b11,
     .work = work_of_product<0>},
    {.name = "rows_vector",
     .doc = "Every row of input times a vector.",
     .infer = infer_rows_vector,
     .kernel = run_form<nn>,
     .launches = true,
     .grad = {GRAD(times_vector(g, b)), GRAD(vector_gradient(a, g))},
     .lift = lift_rows_vector,
     .weights = 0b10,
     .grad_name = "UnsafeViewBackward0",
     .work = work_of_product<0>,
     .hidden = true},
    {.name = "dot",
     .signature = "(Tensor input, Tensor tensor) -> Tensor",
     .doc = "Inner product of two vectors.",
     .example = "dot(ones(3), ones(3))",
     .infer = infer_dot,
     .kernel = run_form<nn>,
     .launches = true,
     .grad = {GRAD(g * b), GRAD(g * a)},
     .lift = lift_dot,
     .work = work_of_product<0>},
    {.name = "vdot",
     .signature = "(Tensor input, Tensor other) -> Tensor",
     .doc = "Inner product of two vectors.",
     .example = "vdot(ones(3), ones(3))",
     .infer = infer_dot,
     .kernel = run_form<nn>,
     .launches = true,
     .grad = {GRAD(g * b), GRAD(g * a)},
     .lift = lift_dot,
     .work = work_of_product<0>},
    {.name = "matmul",
     .signature = "(Tensor input, Tensor other) -> Tensor",
     .doc = "Product of vectors, matrices or batches of matrices, which broadcast; Python's @.",
     .example = "matmul(ones(4, 2, 3), ones(3, 2)).shape",
     .by_layout = true,
     .body = body_matmul},
    {.name = "affine",
     .doc = "Every row of input times a transposed matrix, plus a bias.",
     .infer = infer_affine,
     .kernel = run_affine,
     .launches = true,
     .grad = {GRAD(rows_nn(g, b)), GRAD(rows_tn(g, a)), GRAD(g)},
     .lift = lift_affine,
     .weights = 0b110,
     .grad_name = "AddmmBackward0",
     .work = work_of_product<0>,
     .hidden = true},
    {.name = "linear",
     .signature = "(Tensor input, Tensor weight, Tensor? bias=None) -> Tensor",
     .doc = "The rows of input times the transposed weight, plus the bias.",
     .example = "linear(ones(2, 3), ones(1, 3), zeros(1))",
     .by_layout = true,
     .body = body_linear,
     .method = false},
    {.name = "addmm",
     .signature = "(Tensor input, Tensor mat1, Tensor mat2" FACTORS,
     .doc = "beta * input + alpha * mat1 @ mat2, for matrices.",
     .example = "addmm(zeros(2), ones(2, 3), ones(3, 2), alpha=2)",
     .infer = infer_addmm,
     .kernel = run_added,
     .launches = true,
     .grad = {GRAD(times(g, s.attr(0))), GRAD(times(rows_nt(g, c), s.attr(1))),
              GRAD(times(rows_tn(b, g), s.attr(1)))},
     .lift = lift_added,
     .weights = 0b110,
     .work = work_of_product<1>,
     .inplace = true},
    {.name = "addmv",
     .signature = "(Tensor input, Tensor mat, Tensor vec" FACTORS,
     .doc = "beta * input + alpha * mat @ vec.",
     .example = "addmv(zeros(2), ones(2, 3), ones(3))",
     .infer = infer_addmv,
     .kernel = run_added,
     .launches = true,
     .grad = {GRAD(times(g, s.attr(0))), GRAD(times(times_vector(g, c), s.attr(1))),
              GRAD(times(vector_gradient(b, g), s.attr(1)))},
     .lift = lift_addmv,
     .weights = 0b110,
     .work = work_of_product<1>,
     .inplace = true,
     .inplace_function = true},
    {.name = "baddbmm",
     .signature = "(Tensor input, Tensor batch1, Tensor batch2" FACTORS,
     .doc = "beta * input + alpha * batch1 @ batch2, for batches of matrices.",
     .example = "baddbmm(zeros(1), ones(2, 1, 3), ones(2, 3, 1))",
     .infer = infer_baddbmm,
     .kernel = run_added,
     .launches = true,
     .grad = {GRAD(times(g, s.attr(0))),
              GRAD(times(product(g, c, nt, s.in(1)->sizes()), s.attr(1))),
              GRAD(times(product(b, g, tn, s.in(2)->sizes()), s.attr(1)))},
     .lift = lift_baddbmm,
     .weights = 0b110,
     .work = work_of_product<1>,
     .inplace = true},
    {.name = "addbmm",
     .signature = "(Tensor input, Tensor batch1, Tensor batch2" FACTORS,
     .doc = "beta * input + alpha * the sum of batch1 @ batch2 over the batch.",
     .example = "addbmm(zeros(1), ones(2, 1, 3), ones(2, 3, 1))",
     .infer = infer_addbmm,
     .kernel = run_added,
     .launches = true,
     .grad = {GRAD(times(g, s.attr(0))),
              GRAD(times(product(g, c, nt, s.in(1)->sizes()), s.attr(1))),
              GRAD(times(product(b, g, tn, s.in(2)->sizes()), s.attr(1)))},
     .work = work_of_product<1>,
     .inplace = true},
};

// The sizes of the product of two batches, of which at least one is more than a matrix.
Dims batched_sizes(const Node& a, const Node& b) {
  Dims sizes = broadcast_batch(a, b);
  const int64_t k = last_size(a), k_other = b.size(b.ndim() - 2);
  if (k != k_other) {
    const int64_t batch = count(sizes.span());
    fail(ErrorKind::runtime, "Expected size for first two dimensions of batch2 tensor to be: [",
         batch, ", ", k, "] but got: [", batch, ", ", k_other, "].");
  }
  sizes.push(a.size(a.ndim() - 2));
  sizes.push(last_size(b));
  return sizes;
}

Value batched(const Value& a, const Value& b) {
  const Dims sizes = batched_sizes(*a, *b);
  check_same_scalar_type(*a, *b);
  if (a->dtype == DType::bool_ && last_size(*a) > 0 && count(sizes.span()) > 0)
    not_for("bmm", a->dtype);
  return product(a, b, nn, sizes.span());
}

}  // namespace

std::span<const Op> matmul_ops() { return kOps; }

Value mm(const Value& a, const Value& b) {
  static const Op& op = op_named("mm");
  return record(op, {a, b});
}

Value matmul(std::span<Value, 2> in) {
  static const Op& op = op_named("mm");
  if (in[0]->ndim() == 2 && in[1]->ndim() == 2) return record(op, in);
  return matmul(in[0], in[1]);
}

Value matmul(const Value& a, const Value& b) {
  if (a->ndim() == 2 && b->ndim() == 2) return mm(a, b);
  if (a->ndim() == 0 || b->ndim() == 0)
    fail(ErrorKind::runtime, "both arguments to matmul need to be at least 1D, but they are ",
         a->ndim(), "D and ", b->ndim(), "D");
  if (b->ndim() == 2) return rows_nn(a, b);
  if (b->ndim() == 1) {
    if (a->ndim() == 1) return record(op_named("dot"), {a, b});
    return a->ndim() == 2 ? record(op_named("mv"), {a, b})
                          : record(op_named("rows_vector"), {a, b});
  }
  if (a->ndim() > 1) return batched(a, b);
  const int64_t dims[] = {-2};
  return squeeze(batched(unsqueeze(a, 0), b), dims);
}

}  // namespace wend
