// The loops of the elementwise ops for integers and bool, at the base instruction level.
// Floats are done in level/elementwise.inl. Integers must wrap around, which the build sees to.

#include "kernels/elementwise_int.hpp"

#include "kernels/level/arith.inl"

namespace wend {
namespace {

// A negative power is 0, but for the bases 1 and -1.
template <class T>
inline T m_pow(T base, T exponent) {
  if (exponent < T(0)) {
    if (base == T(1)) return 1;
    return base == T(-1) ? (exponent % 2 ? T(-1) : T(1)) : T(0);
  }
  T result = 1;
  for (; exponent != T(0); exponent /= 2) {
    if (exponent % 2) result *= base;
    base *= base;
  }
  return result;
}

}  // namespace
}  // namespace wend

#include "kernels/level/loops.inl"
#include "kernels/level/scalars.inl"

namespace wend {
namespace {

template <class S>
int checked_loop(char* const* data, const int64_t* stride, int64_t n) {
  using B = typename S::B;
  for (int64_t i = 0; i < n; ++i)
    if (load<B>(data[2] + i * stride[2]) == B(0)) return zero_divisor;
  return loop<S>(data, stride, n);
}

template <Elementwise op, class T>
constexpr Loop int_loop() {
  using S = Scalar<op, T>;
  if constexpr (!computes_in<T>(S::of))
    return nullptr;
  else if constexpr (S::of == Class::Division)
    return checked_loop<S>;
  else
    return loop<S>;
}

}  // namespace

constinit const Loop elementwise_int_loops[elementwise_count][6] = {
#define ELEMENTWISE(name, ...)                                                     \
  {int_loop<Elementwise::name, bool>(),    int_loop<Elementwise::name, uint8_t>(), \
   int_loop<Elementwise::name, int8_t>(),  int_loop<Elementwise::name, int16_t>(), \
   int_loop<Elementwise::name, int32_t>(), int_loop<Elementwise::name, int64_t>()},
#include "kernels/elementwise.def"
#undef ELEMENTWISE
};

}  // namespace wend
