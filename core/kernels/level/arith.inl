// The small scalar functions that the list of elementwise ops speaks in, alike for integers and
// floats. Leaves transcendental functions to math.inl; integers wrap around, as the file's flags
// must say.
#pragma once

#include <cstdint>

#define WEND_ARITH [[gnu::always_inline]] inline

namespace wend {
namespace {

template <class T>
constexpr bool is_real = T(1) / T(2) != T(0);
template <>
constexpr bool is_real<bool> = false;
template <class T>
constexpr bool is_negatable = T(-1) < T(0);

template <class T>
WEND_ARITH T abs_of(T a) {
  if constexpr (is_real<T>)
    return sizeof(T) == 4 ? __builtin_fabsf(a) : __builtin_fabs(a);
  else
    return a < T(0) ? T(-a) : a;
}

// 0 for NaN.
template <class T>
WEND_ARITH T sign_of(T a) {
  return T((a > T(0)) - (a < T(0)));
}

// Rounding leaves integers as they are; halves go to the even neighbour.
#define WEND_ROUNDING(name, builtin)    \
  template <class T>                    \
  WEND_ARITH T name(T a) {              \
    if constexpr (!is_real<T>)          \
      return a;                         \
    else if constexpr (sizeof(T) == 4)  \
      return __builtin_##builtin##f(a); \
    else                                \
      return __builtin_##builtin(a);    \
  }
WEND_ROUNDING(floor_of, floor)
WEND_ROUNDING(ceil_of, ceil)
WEND_ROUNDING(trunc_of, trunc)
WEND_ROUNDING(round_of, rint)
#undef WEND_ROUNDING

// NaN in either operand is the result; of equal operands, the first.
template <class T>
WEND_ARITH T larger(T a, T b) {
  return (a >= b) | (a != a) ? a : b;
}
template <class T>
WEND_ARITH T smaller(T a, T b) {
  return (a <= b) | (a != a) ? a : b;
}
// NaN loses.
template <class T>
WEND_ARITH T larger_number(T a, T b) {
  return (a >= b) | (b != b) ? a : b;
}
template <class T>
WEND_ARITH T smaller_number(T a, T b) {
  return (a <= b) | (b != b) ? a : b;
}

template <class T>
WEND_ARITH bool is_infinite(T a) {
  if constexpr (is_real<T>)
    return abs_of(a) == T(__builtin_inf());
  else
    return false;
}
template <class T>
WEND_ARITH bool is_finite(T a) {
  if constexpr (is_real<T>)
    return abs_of(a) < T(__builtin_inf());
  else
    return true;
}
template <class T>
WEND_ARITH bool has_minus(T a) {
  if constexpr (!is_real<T>)
    return a < T(0);
  else if constexpr (sizeof(T) == 4)
    return __builtin_bit_cast(uint32_t, a) >> 31;
  else
    return __builtin_bit_cast(uint64_t, a) >> 63;
}
template <class T>
WEND_ARITH T with_sign_of(T a, T b) {
  return sizeof(T) == 4 ? __builtin_copysignf(a, b) : __builtin_copysign(a, b);
}

// Division of integers; the divisor is not 0. The quotient of the lowest number by -1 wraps to
// itself.
template <class T>
WEND_ARITH T truncated_quotient(T a, T b) {
  if constexpr (is_negatable<T>) return b == T(-1) ? T(-a) : T(a / b);
  return T(a / b);
}
// The same for floats too.
template <class T>
WEND_ARITH T truncated_division(T a, T b) {
  if constexpr (is_real<T>)
    return trunc_of(a / b);
  else
    return truncated_quotient(a, b);
}
template <class T>
WEND_ARITH T truncated_remainder(T a, T b) {
  if constexpr (is_real<T>)
    return sizeof(T) == 4 ? __builtin_fmodf(a, b) : __builtin_fmod(a, b);
  else if constexpr (is_negatable<T>)
    return b == T(-1) ? T(0) : T(a % b);
  else
    return T(a % b);
}

// Python's %: the sign is the divisor's.
template <class T>
WEND_ARITH T floored_remainder(T a, T b) {
  const T rest = truncated_remainder(a, b);
  return (rest != T(0)) & ((rest < T(0)) != (b < T(0))) ? T(rest + b) : rest;
}

// Python's //, built on the remainder because the rounded quotient of floats may be one too large.
template <class T>
WEND_ARITH T floored_quotient(T a, T b) {
  if constexpr (is_real<T>) {
    if (b == T(0)) return a / b;
    const T rest = truncated_remainder(a, b);
    const bool below = (rest != T(0)) & ((rest < T(0)) != (b < T(0)));
    const T quotient = round_of((a - rest) / b - T(below));
    return quotient != T(0) ? quotient : with_sign_of(T(0), a / b);
  } else {
    const T quotient = truncated_quotient(a, b);
    return truncated_remainder(a, b) != T(0) && (a < T(0)) != (b < T(0)) ? T(quotient - 1)
                                                                         : quotient;
  }
}

template <class T>
WEND_ARITH T flipped(T a) {
  return T(~a);
}
template <>
WEND_ARITH bool flipped(bool a) {
  return !a;
}

// Shifts by less than nothing or by the whole width leave nothing but the sign.
template <class T>
WEND_ARITH T shifted_left(T a, T b) {
  const bool inside = (b >= T(0)) & (b < T(8 * sizeof(T)));
  return inside ? T(static_cast<uint64_t>(a) << b) : T(0);
}
template <class T>
WEND_ARITH T shifted_right(T a, T b) {
  const bool inside = (b >= T(0)) & (b < T(8 * sizeof(T)));
  return inside ? T(a >> b) : T(-(a < T(0)));
}

template <class T>
inline T common_divisor(T a, T b) {
  a = abs_of(a);
  b = abs_of(b);
  while (b != T(0)) {
    const T rest = truncated_remainder(a, b);
    a = b;
    b = rest;
  }
  return a;
}
template <class T>
inline T common_multiple(T a, T b) {
  const T divisor = common_divisor(a, b);
  if (divisor == T(0)) return 0;
  const auto product = truncated_quotient(a, divisor) * b;
  return T(product < 0 ? -product : product);
}

}  // namespace
}  // namespace wend
