// The ops of core/kernels/elementwise.def as scalar functions, Scalar<op, T>, each with its operand
// types. The includer provides the functions that the expressions call, and loops.inl makes loops
// of them.
#pragma once

#include "kernels/elementwise.hpp"
#include "kernels/level/arith.inl"

namespace wend {
namespace {

// The classes of elementwise.def, where they are explained.
enum class Class {
  Arith,
  Number,
  Division,
  Float,
  FloatOnly,
  Bits,
  IntOnly,
  Compare,
  Logic,
  Select
};

template <class T>
constexpr bool is_bool = false;
template <>
constexpr bool is_bool<bool> = true;

template <class T>
constexpr bool computes_in(Class of) {
  switch (of) {
    case Class::Number:
    case Class::Division:
      return !is_bool<T>;
    case Class::Float:
    case Class::FloatOnly:
      return is_real<T>;
    case Class::Bits:
      return !is_real<T>;
    case Class::IntOnly:
      return !is_real<T> && !is_bool<T>;
    default:
      return true;
  }
}

template <bool condition, class Then, class Else>
struct Choose {
  using Type = Then;
};
template <class Then, class Else>
struct Choose<false, Then, Else> {
  using Type = Else;
};

// True iff the expression calls a function of math.inl.
constexpr bool calls_math(const char* expression) {
  for (; *expression; ++expression)
    if (expression[0] == 'm' && expression[1] == '_') return true;
  return false;
}

// An op with a cheaper formula for ordinary operands specialises this: ordinary(a), at_ordinary(a).
template <Elementwise op, class T>
struct Ordinary {};

template <Elementwise op, class T>
struct Scalar;

#define ELEMENTWISE(name, count, class_, expression, ...)                                       \
  template <class T>                                                                            \
  struct Scalar<Elementwise::name, T> : Ordinary<Elementwise::name, T> {                        \
    static constexpr Class of = Class::class_;                                                  \
    static constexpr int arity = count;                                                         \
    static constexpr bool costly = is_real<T> && calls_math(#expression);                       \
    using A = typename Choose<of == Class::Select, bool, T>::Type;                              \
    using B = T;                                                                                \
    using C = T;                                                                                \
    using R = typename Choose<of == Class::Compare || of == Class::Logic, bool, T>::Type;       \
    [[gnu::always_inline]] static inline R at([[maybe_unused]] A a, [[maybe_unused]] B b = B(), \
                                              [[maybe_unused]] C c = C()) {                     \
      return static_cast<R>(expression);                                                        \
    }                                                                                           \
  };
#include "kernels/elementwise.def"
#undef ELEMENTWISE

}  // namespace
}  // namespace wend
