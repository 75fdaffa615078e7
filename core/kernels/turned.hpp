// kernels/turned.hpp: right sides of products that lie column by column, turned once for all
// products that have them. A weight is the right side of one product after the other.
#pragma once

#include <memory>

#include "kernels/gemm.hpp"

namespace wend {

// B with its rows contiguous, `row` elements apart; empty where it is not worth it.
template <class T>
struct Turned {
  std::shared_ptr<const T[]> values;
  int64_t row = 0;
};

// The contents of B have a name. One that is met for the first time is not turned.
Turned<float> turned(const Gemm<float>& g);
Turned<double> turned(const Gemm<double>& g);
// Gives the memory of all back.
void forget_turned();

}  // namespace wend
