// ops/matmul.cpp: matrix products. The products themselves are kernels/gemm.
#include <algorithm>

#include "kernels/gemm.hpp"
#include "ops/families.hpp"
#include "ops/functions.hpp"

namespace wend {
namespace {

void check_same_dtype(const Node& a, const Node& b) {
  if (a.dtype != b.dtype)
    fail(ErrorKind::runtime, "expected m1 and m2 to have the same dtype, but got: ",
         scalar_type_name(a.dtype), " != ", scalar_type_name(b.dtype));
}

void infer_mm(Infer& s) {
  const Node &a = *s.in[0], &b = *s.in[1];
  if (a.ndim() != 2) fail(ErrorKind::runtime, "self must be a matrix");
  if (b.ndim() != 2) fail(ErrorKind::runtime, "mat2 must be a matrix");
  if (a.size(1) != b.size(0))
    fail(ErrorKind::runtime, "mat1 and mat2 shapes cannot be multiplied (", a.size(0), "x", a.size(1),
         " and ", b.size(0), "x", b.size(1), ")");
  check_same_dtype(a, b);
  s.dtype = a.dtype;
  s.layout = contiguous(Dims{a.size(0), b.size(1)});
}

template <class T>
void product(const Run& s) {
  const Node &a = s.in(0), &b = s.in(1);
  const auto sa = a.strides(), sb = b.strides();
  gemm(Gemm<T>{s.node.size(0), s.node.size(1), a.size(1), reinterpret_cast<const T*>(a.data()), sa[0],
               sa[1], reinterpret_cast<const T*>(b.data()), sb[0], sb[1],
               reinterpret_cast<T*>(s.out()), s.node.size(1), false});
}

void run_mm(Run& s) {
  if (s.node.dtype == DType::float32) return product<float>(s);
  if (s.node.dtype == DType::float64) return product<double>(s);
  fail(ErrorKind::not_implemented, "mm of ", name_of(s.node.dtype));
}

double work_of_product(const Node& node) {
  return static_cast<double>(node.numel()) * node.inputs[0]->size(1) * 0.02;
}

constexpr Op kOps[] = {
    {.name = "mm",
     .signature = "(Tensor input, Tensor mat2) -> Tensor",
     .doc = "Product of two matrices.",
     .example = "mm(ones(2, 3), ones(3, 2))",
     .infer = infer_mm,
     .kernel = run_mm,
     .grad = {GRAD(mm(g, transpose(b, 0, 1))), GRAD(mm(transpose(a, 0, 1), g))},
     .work = work_of_product},
};

}  // namespace

std::span<const Op> matmul_ops() { return kOps; }

Value mm(const Value& a, const Value& b) { return record(op_named("mm"), {a, b}); }
Value matmul(const Value& a, const Value& b) { return mm(a, b); }

}  // namespace wend
