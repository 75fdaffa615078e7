// The conversion loops between all pairs of dtypes, compiled once per instruction level.
// Scalar conversions of the 16-bit floats are base/dtype.hpp's.
#pragma once

#include <cstdint>

#include "base/dtype.hpp"
#include "kernels/cast.hpp"

namespace wend {
namespace {

// A bool in memory is a byte, all but 0 true.
struct Bool {
  uint8_t byte;
};

#define WEND_CAST [[gnu::always_inline]] inline

// The number that an element stands for, and back.
template <class T>
WEND_CAST T number(T x) {
  return x;
}
WEND_CAST int32_t number(Bool x) { return x.byte ? 1 : 0; }
WEND_CAST float number(Half x) { return to_float(x); }
WEND_CAST float number(BFloat16 x) { return to_float(x); }

template <class To>
struct Make {
  template <class From>
  WEND_CAST static To from(From x) {
    // Small integers by way of int32, which is what the machine converts to; beyond it nothing is
    // said.
    if constexpr (sizeof(To) < 4 && From(0.5) != From(0))
      return static_cast<To>(static_cast<int32_t>(x));
    else
      return static_cast<To>(x);
  }
};
template <>
struct Make<Bool> {
  template <class From>
  WEND_CAST static Bool from(From x) {
    return {static_cast<uint8_t>(x != From(0) ? 1 : 0)};
  }
};
template <>
struct Make<Half> {
  template <class From>
  WEND_CAST static Half from(From x) {
    return to_half(static_cast<float>(x));
  }
};
template <>
struct Make<BFloat16> {
  template <class From>
  WEND_CAST static BFloat16 from(From x) {
    return to_bfloat16(static_cast<float>(x));
  }
};

template <class To>
WEND_CAST void fill(char* out, int64_t stride, To value, int64_t n) {
  if (stride == sizeof(To)) {
    for (int64_t i = 0; i < n; ++i) reinterpret_cast<To*>(out)[i] = value;
  } else {
    for (int64_t i = 0; i < n; ++i) {
      asm volatile("");  // a strided store is no faster as a vector
      *reinterpret_cast<To*>(out + i * stride) = value;
    }
  }
}

// Converts what the machine has an instruction for and says how many elements that was.
template <class To, class From>
WEND_CAST int64_t cast_by_instruction(To*, const From*, int64_t) {
  return 0;
}
#ifdef __F16C__
typedef float Float8 __attribute__((vector_size(32)));
typedef short Short8 __attribute__((vector_size(16)));

WEND_CAST int64_t cast_by_instruction(float* out, const Half* in, int64_t n) {
  for (int64_t i = 0; i + 8 <= n; i += 8) {
    Short8 halves;
    __builtin_memcpy(&halves, in + i, sizeof halves);
    const Float8 floats = __builtin_ia32_vcvtph2ps256(halves);
    __builtin_memcpy(out + i, &floats, sizeof floats);
  }
  return n & -8;
}
WEND_CAST int64_t cast_by_instruction(Half* out, const float* in, int64_t n) {
  for (int64_t i = 0; i + 8 <= n; i += 8) {
    Float8 floats;
    __builtin_memcpy(&floats, in + i, sizeof floats);
    const Short8 halves = __builtin_ia32_vcvtps2ph256(floats, 0);  // 0: to nearest
    __builtin_memcpy(out + i, &halves, sizeof halves);
  }
  return n & -8;
}
#endif

template <class To, class From>
void cast(char* out, int64_t out_stride, const char* in, int64_t in_stride, int64_t n) {
  if (out_stride == sizeof(To) && in_stride == sizeof(From)) {
    const From* source = reinterpret_cast<const From*>(in);
    To* target = reinterpret_cast<To*>(out);
#pragma GCC ivdep
    for (int64_t i = cast_by_instruction(target, source, n); i < n; ++i)
      target[i] = Make<To>::from(number(source[i]));
  } else if (in_stride == 0 && n > 0) {
    fill(out, out_stride, Make<To>::from(number(*reinterpret_cast<const From*>(in))), n);
  } else {
    for (int64_t i = 0; i < n; ++i) {
      asm volatile("");
      const From x = *reinterpret_cast<const From*>(in + i * in_stride);
      *reinterpret_cast<To*>(out + i * out_stride) = Make<To>::from(number(x));
    }
  }
}

// A copy of elements of one size.
template <class T>
void copy_elements(char* out, int64_t out_stride, const char* in, int64_t in_stride, int64_t n) {
  if (out_stride == sizeof(T) && in_stride == sizeof(T)) {
    if (out != in) __builtin_memcpy(out, in, n * sizeof(T));
  } else if (in_stride == 0 && n > 0) {
    fill(out, out_stride, *reinterpret_cast<const T*>(in), n);
  } else {
    for (int64_t i = 0; i < n; ++i) {
      asm volatile("");
      *reinterpret_cast<T*>(out + i * out_stride) = *reinterpret_cast<const T*>(in + i * in_stride);
    }
  }
}

#define WEND_CASTS(To, copy_at, copy)                                                 \
  {copy_at == 0 ? copy : cast<To, Bool>,    copy_at == 1 ? copy : cast<To, uint8_t>,  \
   copy_at == 2 ? copy : cast<To, int8_t>,  copy_at == 3 ? copy : cast<To, int16_t>,  \
   copy_at == 4 ? copy : cast<To, int32_t>, copy_at == 5 ? copy : cast<To, int64_t>,  \
   copy_at == 6 ? copy : cast<To, Half>,    copy_at == 7 ? copy : cast<To, BFloat16>, \
   copy_at == 8 ? copy : cast<To, float>,   copy_at == 9 ? copy : cast<To, double>}

// By the dtype of the output, then of the input.
constexpr Cast cast_loops[dtype_count][dtype_count] = {
    WEND_CASTS(Bool, 0, copy_elements<uint8_t>),
    WEND_CASTS(uint8_t, 1, copy_elements<uint8_t>),
    WEND_CASTS(int8_t, 2, copy_elements<uint8_t>),
    WEND_CASTS(int16_t, 3, copy_elements<uint16_t>),
    WEND_CASTS(int32_t, 4, copy_elements<uint32_t>),
    WEND_CASTS(int64_t, 5, copy_elements<uint64_t>),
    WEND_CASTS(Half, 6, copy_elements<uint16_t>),
    WEND_CASTS(BFloat16, 7, copy_elements<uint16_t>),
    WEND_CASTS(float, 8, copy_elements<uint32_t>),
    WEND_CASTS(double, 9, copy_elements<uint64_t>),
};
#undef WEND_CASTS

}  // namespace
}  // namespace wend
