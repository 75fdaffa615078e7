// kernels/cast.cpp: conversion of a row of elements between dtypes.
#include "kernels/cast.hpp"

#include <type_traits>

namespace wend {
namespace {

template <class T>
auto widen(T v) {
  return v;
}
inline float widen(Half v) { return to_float(v); }
inline float widen(BFloat16 v) { return to_float(v); }

template <class To, class V>
struct Narrow {
  static To of(V v) { return static_cast<To>(v); }
};
template <class V>
struct Narrow<bool, V> {
  static bool of(V v) { return v != V{}; }
};
template <class V>
struct Narrow<Half, V> {
  static Half of(V v) { return to_half(static_cast<float>(v)); }
};
template <class V>
struct Narrow<BFloat16, V> {
  static BFloat16 of(V v) { return to_bfloat16(static_cast<float>(v)); }
};

template <class To, class From>
void convert(char* out, int64_t out_stride, const char* in, int64_t in_stride, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    const auto v = widen(*reinterpret_cast<const From*>(in + i * in_stride));
    *reinterpret_cast<To*>(out + i * out_stride) = Narrow<To, std::remove_const_t<decltype(v)>>::of(v);
  }
}

template <class To>
constexpr Cast kFrom[dtype_count] = {convert<To, bool>,    convert<To, uint8_t>,  convert<To, int8_t>,
                                     convert<To, int16_t>, convert<To, int32_t>,  convert<To, int64_t>,
                                     convert<To, Half>,    convert<To, BFloat16>, convert<To, float>,
                                     convert<To, double>};

}  // namespace

Cast cast_loop(DType to, DType from) {
  static constexpr const Cast* tables[dtype_count] = {
      kFrom<bool>, kFrom<uint8_t>,  kFrom<int8_t>, kFrom<int16_t>, kFrom<int32_t>, kFrom<int64_t>,
      kFrom<Half>, kFrom<BFloat16>, kFrom<float>,  kFrom<double>};
  return tables[static_cast<int>(to)][static_cast<int>(from)];
}

}  // namespace wend
