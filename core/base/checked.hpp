// base/checked.hpp: arithmetic on sizes, strides, offsets and counts that come from outside and may
// be any number. Sums and products of what a layout holds stay below 2**60 and need none of this.
#pragma once

#include <cstdint>
#include <limits>
#include <span>

#include "base/error.hpp"
#include "base/limits.hpp"

namespace wend {

constexpr int64_t kLargest = std::numeric_limits<int64_t>::max();
constexpr int64_t kSmallest = std::numeric_limits<int64_t>::min();

// Holds sums of products of two int64, so that a formula with few terms is exact.
__extension__ typedef __int128 Wide;

[[noreturn, gnu::cold]] inline void too_large(const char* sign, int64_t a, int64_t b) {
  fail(ErrorKind::runtime, "the numbers given to this call are too large: ", a, sign, b,
       " does not fit in 64 bits");
}

// These raise where the result does not fit ...
inline int64_t checked_add(int64_t a, int64_t b) {
  int64_t sum;
  if (__builtin_add_overflow(a, b, &sum)) [[unlikely]]
    too_large(" + ", a, b);
  return sum;
}
inline int64_t checked_sub(int64_t a, int64_t b) {
  int64_t difference;
  if (__builtin_sub_overflow(a, b, &difference)) [[unlikely]]
    too_large(" - ", a, b);
  return difference;
}
inline int64_t checked_mul(int64_t a, int64_t b) {
  int64_t product;
  if (__builtin_mul_overflow(a, b, &product)) [[unlikely]]
    too_large(" * ", a, b);
  return product;
}
inline int64_t checked_product(std::span<const int64_t> list) {
  int64_t product = 1;
  for (int64_t v : list) product = checked_mul(product, v);
  return product;
}
inline int64_t checked(Wide v) {
  if (v > kLargest || v < kSmallest) [[unlikely]]
    fail(ErrorKind::runtime,
         "the numbers given to this call are too large: a size computed from them does not fit in "
         "64 bits");
  return static_cast<int64_t>(v);
}

// The nearest number that fits in 64 bits, for results that are compared with a size or clamped.
inline int64_t clamped(Wide v) {
  return static_cast<int64_t>(v > kLargest ? kLargest : v < kSmallest ? kSmallest : v);
}
inline int64_t clamped_add(int64_t a, int64_t b) { return clamped(Wide{a} + b); }
inline int64_t clamped_sub(int64_t a, int64_t b) { return clamped(Wide{a} - b); }
inline int64_t clamped_mul(int64_t a, int64_t b) { return clamped(Wide{a} * b); }

// The quotient rounded down, for b > 0.
inline Wide floor_div(Wide a, int64_t b) { return a / b - (a % b < 0); }

// The integer that a real number rounds towards zero to; the nearest there is, and 0 for NaN.
inline int64_t clamped_int(double v) {
  if (!(v > -0x1p63)) return v != v ? 0 : kSmallest;
  return v >= 0x1p63 ? kLargest : static_cast<int64_t>(v);
}

}  // namespace wend
