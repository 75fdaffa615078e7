// The element types of tensors: size, name, promotion, and the 16-bit floats with their scalar
// conversions. Which dtypes an op accepts is said in core/ops; loops over memory are in
// core/kernels.
#pragma once

#include <cstdint>

namespace wend {

// In promotion order: of two dtypes the later one wins, but for the two exceptions in promote().
enum class DType : uint8_t {
  bool_,
  uint8,
  int8,
  int16,
  int32,
  int64,
  float16,
  bfloat16,
  float32,
  float64
};

constexpr int dtype_count = 10;

inline constexpr uint8_t dtype_sizes[dtype_count] = {1, 1, 1, 2, 4, 8, 2, 2, 4, 8};
constexpr int64_t size_of(DType dtype) { return dtype_sizes[static_cast<int>(dtype)]; }

constexpr const char* name_of(DType dtype) {
  constexpr const char* names[dtype_count] = {"bool",  "uint8",   "int8",     "int16",   "int32",
                                              "int64", "float16", "bfloat16", "float32", "float64"};
  return names[static_cast<int>(dtype)];
}

// The name in PyTorch's messages.
constexpr const char* scalar_type_name(DType dtype) {
  constexpr const char* names[dtype_count] = {"Bool", "Byte", "Char",     "Short", "Int",
                                              "Long", "Half", "BFloat16", "Float", "Double"};
  return names[static_cast<int>(dtype)];
}

constexpr bool is_floating(DType dtype) { return dtype >= DType::float16; }
// True iff an integer type; bool is not one.
constexpr bool is_integral(DType dtype) { return dtype > DType::bool_ && dtype < DType::float16; }
constexpr bool is_signed(DType dtype) { return dtype > DType::uint8; }
// True iff a 16-bit float, for which kernels compute in float32.
constexpr bool is_half(DType dtype) { return dtype == DType::float16 || dtype == DType::bfloat16; }

// The dtype of a result of two tensors, by PyTorch's lattice.
constexpr DType promote(DType a, DType b) {
  const DType low = a < b ? a : b;
  const DType high = a < b ? b : a;
  if (low == DType::uint8 && high == DType::int8) return DType::int16;
  if (low == DType::float16 && high == DType::bfloat16) return DType::float32;
  return high;
}

// Whether a result may be written into a tensor of dtype `to`: not from a higher category to a
// lower.
constexpr bool can_cast(DType from, DType to) {
  if (is_floating(from)) return is_floating(to);
  return from == DType::bool_ || to != DType::bool_;
}

struct Half {
  uint16_t bits;
};

struct BFloat16 {
  uint16_t bits;
};

// The conversions are branch-free so that loops over them vectorise, and always inlined so that a
// file compiled for a newer CPU emits no copy of them that the linker could keep for all.

[[gnu::always_inline]] constexpr float to_float(BFloat16 x) {
  return __builtin_bit_cast(float, static_cast<uint32_t>(x.bits) << 16);
}

[[gnu::always_inline]] constexpr float to_float(Half x) {
  const uint32_t magnitude = static_cast<uint32_t>(x.bits & 0x7fff) << 13;
  const uint32_t normal = magnitude + (112u << 23);
  const uint32_t special = magnitude + (224u << 23);
  const uint32_t denormal =
      __builtin_bit_cast(uint32_t, __builtin_bit_cast(float, magnitude + (113u << 23)) - 0x1p-14f);
  const uint32_t finite = magnitude < (1u << 23) ? denormal : normal;
  const uint32_t bits = magnitude >= (31u << 23) ? special : finite;
  return __builtin_bit_cast(float, bits | static_cast<uint32_t>(x.bits & 0x8000) << 16);
}

// Both round to the nearest, ties to even.
[[gnu::always_inline]] constexpr BFloat16 to_bfloat16(float x) {
  const uint32_t bits = __builtin_bit_cast(uint32_t, x);
  const uint32_t rounded = (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
  return {static_cast<uint16_t>(x != x ? 0x7fc0 : rounded)};
}

[[gnu::always_inline]] constexpr Half to_half(float x) {
  const uint32_t bits = __builtin_bit_cast(uint32_t, x);
  const uint32_t magnitude = bits & 0x7fffffff;
  const uint32_t normal = (magnitude - (112u << 23) + 0xfff + ((magnitude >> 13) & 1)) >> 13;
  // Adding 0.5, whose last bit weighs as much as half's smallest denormal, does the rounding.
  const uint32_t denormal =
      __builtin_bit_cast(uint32_t, __builtin_bit_cast(float, magnitude) + 0.5f) - (126u << 23);
  const uint32_t finite = magnitude < (113u << 23) ? denormal : normal;
  const uint32_t special = magnitude > 0x7f800000u ? 0x7e00u : 0x7c00u;
  const uint32_t result = magnitude >= (143u << 23) ? special : finite;
  return {static_cast<uint16_t>(result | (bits >> 16 & 0x8000))};
}

}  // namespace wend
