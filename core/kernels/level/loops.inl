// Turns a scalar function of one to three operands into a Loop: whole blocks of 64 bytes, which the
// compiler vectorises, then what is left. Which scalar functions there are is scalars.inl's affair.
#pragma once

#include <cstdint>

#include "kernels/elementwise.hpp"

namespace wend {
namespace {

// A Scalar S has operand types A, B, C, a result type R, its arity, at(a, ...), and says whether it
// is costly: then even a part of a block is worth a vector. Bools are bytes in memory, all but 0
// true.
template <class T>
struct Stored {
  using Type = T;
};
template <>
struct Stored<bool> {
  using Type = uint8_t;
};
template <class T>
using stored = typename Stored<T>::Type;

template <class T>
[[gnu::always_inline]] inline T load(const char* at) {
  return static_cast<T>(*reinterpret_cast<const stored<T>*>(at));
}
template <class T>
[[gnu::always_inline]] inline void store(char* at, T value) {
  *reinterpret_cast<stored<T>*>(at) = value;
}

// What the loops of all ops with the same operand types share.
template <class R_, class A_, class B_, class C_, int arity_>
struct Types {
  using R = R_;
  using A = A_;
  using B = B_;
  using C = C_;
  static constexpr int arity = arity_;
  static constexpr int64_t block = 64 / (sizeof(R) > sizeof(B) ? sizeof(R) : sizeof(B));
  static constexpr int64_t run =
      32 * block;  // as much as is done at once beside a repeated operand
};
template <class S>
using TypesOf = Types<typename S::R, typename S::A, typename S::B, typename S::C, S::arity>;

// Applies an op to contiguous operands; n is a whole number of blocks.
template <class Ts>
using Evaluate = void (*)(stored<typename Ts::R>* out, const stored<typename Ts::A>* a,
                          const stored<typename Ts::B>* b, const stored<typename Ts::C>* c,
                          int64_t n);

// Some unary S have a cheaper formula, at_ordinary, for the operands that are ordinary.
template <class S>
constexpr bool has_ordinary = requires(typename S::A a) { S::ordinary(a); };

// As evaluate, if all operands are ordinary.
template <class S>
[[gnu::always_inline]] inline bool evaluate_ordinary(typename S::R* out, const typename S::A* a,
                                                     int64_t n) {
  uint32_t exceptions = 0;
  for (int64_t i = 0; i < n; ++i) exceptions |= S::ordinary(a[i]) ? 0 : 1;
  if (exceptions) return false;
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) out[i] = S::at_ordinary(a[i]);
  return true;
}

template <class S>
[[gnu::always_inline]] inline void evaluate_all(stored<typename S::R>* out,
                                                const stored<typename S::A>* a,
                                                const stored<typename S::B>* b,
                                                const stored<typename S::C>* c, int64_t n) {
  using A = typename S::A;
  using B = typename S::B;
  using C = typename S::C;
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) {
    if constexpr (S::arity == 1)
      out[i] = S::at(static_cast<A>(a[i]));
    else if constexpr (S::arity == 2)
      out[i] = S::at(static_cast<A>(a[i]), static_cast<B>(b[i]));
    else
      out[i] = S::at(static_cast<A>(a[i]), static_cast<B>(b[i]), static_cast<C>(c[i]));
  }
}

template <class S>
[[gnu::noinline]] void evaluate(stored<typename S::R>* out, const stored<typename S::A>* a,
                                const stored<typename S::B>* b, const stored<typename S::C>* c,
                                int64_t n) {
  constexpr int64_t block = TypesOf<S>::block, run = 16 * block;
  n &= -block;  // says to the compiler that nothing is left over
  if constexpr (!has_ordinary<S>) {
    evaluate_all<S>(out, a, b, c, n);
  } else {
    for (; n > 0; n -= run, out += run, a += run) {
      const int64_t count = (n < run ? n : run) & -block;
      if (!evaluate_ordinary<S>(out, a, count)) evaluate_all<S>(out, a, b, c, count);
    }
  }
}

// One operand of a run. If it is repeated, a tile of copies stands for it and it never moves on.
template <class T, int64_t length>
struct Input {
  alignas(64) stored<T> tile[length];
  const stored<T>* at = nullptr;
  int64_t step = 0;

  // False if the elements are neither next to each other nor one that is repeated.
  [[gnu::always_inline]] inline bool set(const char* data, int64_t stride, int64_t n) {
    at = reinterpret_cast<const stored<T>*>(data);
    step = length;
    if (stride == sizeof(T)) return true;
    if (stride != 0) return false;
    const stored<T> value = *at;
    for (int64_t i = 0; i < (n < length ? n : length); ++i) tile[i] = value;
    at = tile;
    step = 0;
    return true;
  }
  // Copies up to a tile; the rest of it stays as it was.
  [[gnu::always_inline]] inline void gather(const char* data, int64_t stride, int64_t count) {
    for (int64_t i = 0; i < count; ++i, data += stride)
      tile[i] = *reinterpret_cast<const stored<T>*>(data);
  }
};

template <class Ts, int64_t length>
struct Inputs {
  Input<typename Ts::A, length> a;
  Input<typename Ts::B, (Ts::arity > 1 ? length : 1)> b;
  Input<typename Ts::C, (Ts::arity > 2 ? length : 1)> c;
};

template <class Ts>
[[gnu::always_inline]] inline bool is_contiguous(const int64_t* stride) {
  bool all = (stride[0] == sizeof(typename Ts::R)) & (stride[1] == sizeof(typename Ts::A));
  if constexpr (Ts::arity > 1) all &= stride[2] == sizeof(typename Ts::B);
  if constexpr (Ts::arity > 2) all &= stride[3] == sizeof(typename Ts::C);
  return all;
}

// Does n elements, if every operand is contiguous or repeated.
template <class Ts>
[[gnu::noinline]] bool with_repeats(Evaluate<Ts> evaluate, char* const* data, const int64_t* stride,
                                    int64_t n) {
  Inputs<Ts, Ts::run> in;
  if (stride[0] != sizeof(typename Ts::R) || !in.a.set(data[1], stride[1], n)) return false;
  if constexpr (Ts::arity > 1)
    if (!in.b.set(data[2], stride[2], n)) return false;
  if constexpr (Ts::arity > 2)
    if (!in.c.set(data[3], stride[3], n)) return false;
  auto out = reinterpret_cast<stored<typename Ts::R>*>(data[0]);
  for (; n > 0; n -= Ts::run, out += Ts::run) {
    evaluate(out, in.a.at, in.b.at, in.c.at, n < Ts::run ? n : Ts::run);
    in.a.at += in.a.step;
    in.b.at += in.b.step;
    in.c.at += in.c.step;
  }
  return true;
}

// Does the whole blocks, if operands lie as blocks need it, and says how many elements that was.
template <class S>
[[gnu::always_inline]] inline int64_t whole_blocks(char* const* data, const int64_t* stride,
                                                   int64_t n) {
  using Ts = TypesOf<S>;
  n &= -Ts::block;
  if (n == 0) return 0;
  if (!is_contiguous<Ts>(stride)) return with_repeats<Ts>(evaluate<S>, data, stride, n) ? n : 0;
  evaluate<S>(reinterpret_cast<stored<typename S::R>*>(data[0]),
              reinterpret_cast<const stored<typename S::A>*>(data[1]),
              reinterpret_cast<const stored<typename S::B>*>(S::arity > 1 ? data[2] : nullptr),
              reinterpret_cast<const stored<typename S::C>*>(S::arity > 2 ? data[3] : nullptr), n);
  return n;
}

// Block by block through tiles, for strided operands and for the last few elements.
template <class Ts>
[[gnu::noinline]] void through_tiles(Evaluate<Ts> evaluate, char* const* data,
                                     const int64_t* stride, int64_t first, int64_t n) {
  alignas(64) stored<typename Ts::R> out[Ts::block];
  Inputs<Ts, Ts::block> in{};
  for (; first < n; first += Ts::block) {
    const int64_t count = n - first < Ts::block ? n - first : Ts::block;
    in.a.gather(data[1] + first * stride[1], stride[1], count);
    if constexpr (Ts::arity > 1) in.b.gather(data[2] + first * stride[2], stride[2], count);
    if constexpr (Ts::arity > 2) in.c.gather(data[3] + first * stride[3], stride[3], count);
    evaluate(out, in.a.tile, in.b.tile, in.c.tile, Ts::block);
    for (int64_t i = 0; i < count; ++i)
      *reinterpret_cast<stored<typename Ts::R>*>(data[0] + (first + i) * stride[0]) = out[i];
  }
}

template <class S>
[[gnu::always_inline]] inline void one_by_one(char* const* data, const int64_t* stride,
                                              int64_t first, int64_t n) {
  for (int64_t i = first; i < n; ++i) {
    asm volatile("");  // keeps the compiler from vectorising what is short or strided
    const auto a = load<typename S::A>(data[1] + i * stride[1]);
    char* const out = data[0] + i * stride[0];
    if constexpr (S::arity == 1) {
      store<typename S::R>(out, S::at(a));
    } else if constexpr (S::arity == 2) {
      store<typename S::R>(out, S::at(a, load<typename S::B>(data[2] + i * stride[2])));
    } else {
      const auto b = load<typename S::B>(data[2] + i * stride[2]);
      store<typename S::R>(out, S::at(a, b, load<typename S::C>(data[3] + i * stride[3])));
    }
  }
}

// Four at a time, if operands lie next to each other; says how far it came.
template <class S>
[[gnu::always_inline]] inline int64_t fours(char* const* data, const int64_t* stride, int64_t first,
                                            int64_t n) {
  using R = stored<typename S::R>;
  if (!is_contiguous<TypesOf<S>>(stride)) return first;
  for (; first + 4 <= n; first += 4) {
    R results[4];
    auto a = reinterpret_cast<const stored<typename S::A>*>(data[1]) + first;
    [[maybe_unused]] const stored<typename S::B>* b = nullptr;
    [[maybe_unused]] const stored<typename S::C>* c = nullptr;
    if constexpr (S::arity > 1) b = reinterpret_cast<const stored<typename S::B>*>(data[2]) + first;
    if constexpr (S::arity > 2) c = reinterpret_cast<const stored<typename S::C>*>(data[3]) + first;
    evaluate_all<S>(results, a, b, c, 4);
    __builtin_memcpy(data[0] + first * sizeof(R), results, sizeof results);
  }
  return first;
}

template <class S>
[[gnu::noinline]] int loop_with_rest(char* const* data, const int64_t* stride, int64_t n) {
  int64_t done = whole_blocks<S>(data, stride, n);
  if constexpr (S::costly) {
    if (done < n) through_tiles<TypesOf<S>>(evaluate<S>, data, stride, done, n);
  } else {
    done = fours<S>(data, stride, done, n);
    one_by_one<S>(data, stride, done, n);
  }
  return loop_done;
}

// Short rows are many: those that are whole blocks side by side go without further ado.
template <class S>
int loop(char* const* data, const int64_t* stride, int64_t n) {
  if (n % TypesOf<S>::block != 0 || !is_contiguous<TypesOf<S>>(stride)) [[unlikely]]
    return loop_with_rest<S>(data, stride, n);
  whole_blocks<S>(data, stride, n);
  return loop_done;
}

}  // namespace
}  // namespace wend
