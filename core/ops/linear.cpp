// ops/linear.cpp: linear and bilinear maps of features. The products are ops/matmul.
#include "ops/families.hpp"
#include "ops/functions.hpp"

namespace wend {
namespace {

Values linear_body(Call& c) {
  const Value x = c.tensor(0), weight = c.tensor(1);
  const Value product = matmul(x, weight->ndim() == 2 ? transpose(weight, 0, 1) : weight);
  return {c[2].is_none() ? product : product + c.tensor(2)};
}

constexpr Op kOps[] = {
    {.name = "linear",
     .signature = "(Tensor input, Tensor weight, Tensor? bias=None) -> Tensor",
     .doc = "input @ weight.T + bias.",
     .example = "nn.functional.linear(ones(1, 3), ones(2, 3))",
     .body = linear_body,
     .module = "_nn"},
};

}  // namespace

std::span<const Op> linear_ops() { return kOps; }

}  // namespace wend
