// ops/product.hpp: running a node that is a product of matrices, on operands of any rank, dtype and
// strides. What the ops are is ops/matmul.
#pragma once

#include "base/layout.hpp"
#include "graph/op.hpp"

namespace wend {

// Which operand is read transposed. The gradients of each form are products of the other two, so
// that no operand is ever transposed for a gradient:
//   nn  C = A·B    A' = C'·Bᵀ  B' = Aᵀ·C'
//   nt  C = A·Bᵀ   A' = C'·B   B' = C'ᵀ·A
//   tn  C = Aᵀ·B   A' = B·C'ᵀ  B' = A·C'
enum Form : int { nn, nt, tn };

// Which inputs of a node play which part. Where one is added, the first two attributes of the node,
// if it has any, are the factors beta and alpha: beta * added + alpha * product.
struct Roles {
  int a, b, added = -1;
  bool onto = false;  // the output holds what the product is added to; of float32 and float64
};

// Names the contents of a right side, which do not change as long as it is a value: 0 where
// somebody outside may write them, or has.
uint64_t name_of(const Node& right);

// Batches broadcast; where the result has size 1 or no dimension, the products of a batch are added
// up. A vector is a row on the left, a column on the right, and a row on both sides of tn.
void run_product(const Run& s, Form form, Roles roles);

// The sizes that what stands before the last two dimensions broadcasts to; raises where it does
// not.
Dims broadcast_batch(const Node& a, const Node& b);

}  // namespace wend
