// The loops of the elementwise ops for float and double, compiled once per instruction level.
// Integers and bools are done in elementwise_int.cpp, at the base level only.
#pragma once

#include "kernels/level/activations.inl"
#include "kernels/level/loops.inl"
#include "kernels/level/rare_math.inl"
#include "kernels/level/rare_special.inl"
#include "kernels/level/scalars.inl"

namespace wend {
namespace {

template <class T>
struct Ordinary<Elementwise::exp, T> {
  WEND_MATH static bool ordinary(T a) { return m_abs(a) <= Real<T>::exp_ordinary; }
  WEND_MATH static T at_ordinary(T a) { return exp_of_ordinary(a); }
};
template <class T>
struct Ordinary<Elementwise::log, T> {
  WEND_MATH static bool ordinary(T a) {
    const auto lowest = bits_of(Real<T>::min_normal);
    return bits_of(a) - lowest < bits_of(Real<T>::inf) - lowest;
  }
  WEND_MATH static T at_ordinary(T a) { return log_of_ordinary(a); }
};

template <class T>
struct OrdinaryAngle {
  WEND_MATH static bool ordinary(T a) { return m_abs(a) <= Real<T>::trig_max; }
};
template <class T>
struct Ordinary<Elementwise::sin, T> : OrdinaryAngle<T> {
  WEND_MATH static T at_ordinary(T a) { return sin_of_ordinary(a); }
};
template <class T>
struct Ordinary<Elementwise::cos, T> : OrdinaryAngle<T> {
  WEND_MATH static T at_ordinary(T a) { return cos_of_ordinary(a); }
};
template <>
struct Ordinary<Elementwise::tan, float> : OrdinaryAngle<float> {
  WEND_MATH static float at_ordinary(float a) { return tan_of_ordinary(a); }
};

template <class T, int exponent>
struct WholePower {
  static constexpr int arity = 1;
  static constexpr bool costly = false;
  using A = T;
  using B = T;
  using C = T;
  using R = T;
  WEND_MATH static T at(T a) { return exponent == 3 ? a * a * a : a * a; }
};

// The exponents that people write are worth a multiplication instead of a logarithm.
template <class T>
int pow_loop(char* const* data, const int64_t* stride, int64_t n) {
  const T exponent = n && stride[2] == 0 ? load<T>(data[2]) : T(0);
  if (exponent == T(2)) return loop<WholePower<T, 2>>(data, stride, n);
  if (exponent == T(3)) return loop<WholePower<T, 3>>(data, stride, n);
  if (exponent == T(0.5)) return loop<Scalar<Elementwise::sqrt, T>>(data, stride, n);
  if (exponent == T(-0.5)) return loop<Scalar<Elementwise::rsqrt, T>>(data, stride, n);
  if (exponent == T(-1)) return loop<Scalar<Elementwise::reciprocal, T>>(data, stride, n);
  return loop<Scalar<Elementwise::pow, T>>(data, stride, n);
}

template <Elementwise op, class T>
constexpr Loop real_loop() {
  if constexpr (op == Elementwise::pow)
    return pow_loop<T>;
  else if constexpr (computes_in<T>(Scalar<op, T>::of))
    return loop<Scalar<op, T>>;
  else
    return nullptr;
}

constexpr Loop elementwise_loops[elementwise_count][2] = {
#define ELEMENTWISE(name, ...) \
  {real_loop<Elementwise::name, float>(), real_loop<Elementwise::name, double>()},
#include "kernels/elementwise.def"
#undef ELEMENTWISE
};

}  // namespace
}  // namespace wend
