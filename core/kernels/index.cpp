// kernels/index.cpp: the loops behind gather, scatter and their relatives, and the search for
// elements that are not zero.
#include "kernels/index.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/threads.hpp"
#include "kernels/cast.hpp"
#include "kernels/iterate.hpp"

namespace wend {
namespace {

constexpr int64_t kGrain = 1 << 14;  // elements that one thread should move at least

template <class T>
void pick_row(char* const* at, const int64_t* step, int64_t n, int64_t scale) {
  const char *in = at[1], *index = at[2];
  char* out = at[0];
  if (step[2] == 0) {
    in += *reinterpret_cast<const int64_t*>(index) * scale;
    if (step[0] == sizeof(T) && step[1] == sizeof(T)) {
      std::memcpy(out, in, n * sizeof(T));
      return;
    }
    for (int64_t i = 0; i < n; ++i)
      *reinterpret_cast<T*>(out + i * step[0]) = *reinterpret_cast<const T*>(in + i * step[1]);
    return;
  }
  for (int64_t i = 0; i < n; ++i) {
    const int64_t far = *reinterpret_cast<const int64_t*>(index + i * step[2]) * scale;
    *reinterpret_cast<T*>(out + i * step[0]) = *reinterpret_cast<const T*>(in + i * step[1] + far);
  }
}

using Row = void (*)(char* const* at, const int64_t* step, int64_t n, int64_t scale);

Row pick_row_of(int64_t element) {
  switch (element) {
    case 1:
      return pick_row<uint8_t>;
    case 2:
      return pick_row<uint16_t>;
    case 4:
      return pick_row<uint32_t>;
    default:
      return pick_row<uint64_t>;
  }
}

template <class T>
T widen(T v) {
  return v;
}
inline float widen(Half v) { return to_float(v); }
inline float widen(BFloat16 v) { return to_float(v); }
template <class T, class V>
T narrow(V v) {
  return static_cast<T>(v);
}
template <>
Half narrow<Half, float>(float v) {
  return to_half(v);
}
template <>
BFloat16 narrow<BFloat16, float>(float v) {
  return to_bfloat16(v);
}

template <class V>
bool is_nan(V v) {
  return v != v;
}

template <Combine kCombine, class To, class T>
void combine(To& to, T from) {
  if constexpr (kCombine == Combine::assign) {
    to = from;
  } else {
    const auto a = widen(to), b = widen(from);
    if constexpr (kCombine == Combine::add) to = narrow<To>(static_cast<decltype(a)>(a + b));
    if constexpr (kCombine == Combine::mul) to = narrow<To>(static_cast<decltype(a)>(a * b));
    if constexpr (kCombine == Combine::amin) to = b < a || is_nan(b) ? from : to;
    if constexpr (kCombine == Combine::amax) to = b > a || is_nan(b) ? from : to;
  }
}

// Operands: the index, the base of the output, the input.
template <Combine kCombine, class T, class To = T>
void put_row(char* const* at, const int64_t* step, int64_t n, int64_t scale) {
  const char *index = at[0], *in = at[2];
  char* out = at[1];
  if (step[0] == 0) {
    out += *reinterpret_cast<const int64_t*>(index) * scale;
    if (step[1] == sizeof(To) && step[2] == sizeof(T)) {
      for (int64_t i = 0; i < n; ++i)
        combine<kCombine>(reinterpret_cast<To*>(out)[i], reinterpret_cast<const T*>(in)[i]);
      return;
    }
  }
  for (int64_t i = 0; i < n; ++i) {
    const int64_t far =
        step[0] ? *reinterpret_cast<const int64_t*>(index + i * step[0]) * scale : 0;
    combine<kCombine>(*reinterpret_cast<To*>(out + i * step[1] + far),
                      *reinterpret_cast<const T*>(in + i * step[2]));
  }
}

template <Combine kCombine>
Row put_row_of(DType dtype) {
  static constexpr Row rows[dtype_count] = {put_row<kCombine, bool>,    put_row<kCombine, uint8_t>,
                                            put_row<kCombine, int8_t>,  put_row<kCombine, int16_t>,
                                            put_row<kCombine, int32_t>, put_row<kCombine, int64_t>,
                                            put_row<kCombine, Half>,    put_row<kCombine, BFloat16>,
                                            put_row<kCombine, float>,   put_row<kCombine, double>};
  return rows[static_cast<int>(dtype)];
}

Row put_row_of(DType dtype, Combine combine) {
  switch (combine) {
    case Combine::assign:
      return put_row_of<Combine::assign>(dtype);
    case Combine::add:
      return put_row_of<Combine::add>(dtype);
    case Combine::mul:
      return put_row_of<Combine::mul>(dtype);
    case Combine::amin:
      return put_row_of<Combine::amin>(dtype);
    default:
      return put_row_of<Combine::amax>(dtype);
  }
}

// Onto float32 from 16 bits.
template <Combine kCombine>
Row widening_row_of(DType from) {
  return from == DType::float16 ? put_row<kCombine, Half, float>
                                : put_row<kCombine, BFloat16, float>;
}

Row put_row_of(DType out, DType in, Combine combine) {
  if (out == in) return put_row_of(out, combine);
  return combine == Combine::add ? widening_row_of<Combine::add>(in)
                                 : widening_row_of<Combine::mul>(in);
}

char* raw(const int64_t* index) { return const_cast<char*>(reinterpret_cast<const char*>(index)); }

// Writes to one place keep their order, so threads may only divide a dimension along which the
// output itself moves; the longest one.
int divisible_dim(const Iteration& it) {
  int best = -1;
  for (int i = 0; i < it.ndim; ++i)
    if (it.stride[1][i] != 0 && (best < 0 || it.size[i] > it.size[best])) best = i;
  return best;
}

}  // namespace

void pick(std::span<const int64_t> sizes, Strided out, Strided in, Places places) {
  Iteration it;
  it.begin(sizes);
  it.add(out.data, out.strides, sizes, size_of(out.dtype));
  it.add(in.data, in.strides, sizes, size_of(in.dtype));
  it.add(raw(places.index), places.strides, sizes, sizeof(int64_t));
  it.simplify();
  const Row row = pick_row_of(size_of(out.dtype));
  const int64_t scale = places.scale * size_of(in.dtype);
  parallel_for(
      it.outer(), std::max<int64_t>(1, kGrain / it.inner()), [&](int64_t begin, int64_t end) {
        it.walk(begin, end,
                [&](char** at, const int64_t* step, int64_t n) { row(at, step, n, scale); });
      });
}

void put(std::span<const int64_t> sizes, Strided out, Strided in, Places places, Combine combine) {
  Iteration it;
  it.begin(sizes);
  it.add(raw(places.index), places.strides, sizes, sizeof(int64_t));
  it.add(out.data, out.strides, sizes, size_of(out.dtype));
  it.add(in.data, in.strides, sizes, size_of(in.dtype));
  it.simplify();
  const Row row = put_row_of(out.dtype, in.dtype, combine);
  const int64_t scale = places.scale * size_of(out.dtype);
  auto walk = [&](const Iteration& part) {
    part.walk(0, part.outer(),
              [&](char** at, const int64_t* step, int64_t n) { row(at, step, n, scale); });
  };
  const int64_t total = it.outer() * it.inner();
  const int dim = divisible_dim(it);
  if (total < 2 * kGrain || dim < 0) return walk(it);
  const int64_t grain = std::max<int64_t>(1, it.size[dim] * kGrain / total);
  parallel_for(it.size[dim], grain, [&](int64_t begin, int64_t end) {
    Iteration part = it;
    part.size[dim] = end - begin;
    for (int k = 0; k < part.operands; ++k) part.data[k] += begin * part.stride[k][dim];
    walk(part);
  });
}

void add_to(std::span<const int64_t> sizes, Strided out, Strided in, bool overlaps) {
  static constexpr int64_t here = 0;
  Iteration it;
  it.begin(sizes);
  it.add(raw(&here), {}, {}, 0);
  it.add(out.data, out.strides, sizes, size_of(out.dtype));
  it.add(in.data, in.strides, sizes, size_of(in.dtype));
  it.simplify();
  const Row row = put_row_of<Combine::add>(out.dtype);
  const int64_t grain = overlaps ? it.outer() : std::max<int64_t>(1, kGrain / it.inner());
  parallel_for(it.outer(), grain, [&](int64_t begin, int64_t end) {
    it.walk(begin, end, [&](char** at, const int64_t* step, int64_t n) { row(at, step, n, 0); });
  });
}

const int64_t* find_outside(std::span<const int64_t> sizes, std::span<const int64_t> strides,
                            const int64_t* index, int64_t low, int64_t high) {
  Iteration it;
  it.begin(sizes);
  it.add(raw(index), strides, sizes, sizeof(int64_t));
  it.simplify();
  const int64_t* found = nullptr;
  it.walk(0, it.outer(), [&](char** at, const int64_t* step, int64_t n) {
    bool bad = false;
    for (int64_t i = 0; i < n; ++i) {
      const int64_t v = *reinterpret_cast<const int64_t*>(at[0] + i * step[0]);
      bad |= v < low || v >= high;
    }
    for (int64_t i = 0; bad && !found && i < n; ++i) {
      const auto* v = reinterpret_cast<const int64_t*>(at[0] + i * step[0]);
      if (*v < low || *v >= high) found = v;
    }
  });
  return found;
}

void add_places(std::span<const int64_t> sizes, std::span<const int64_t> strides,
                const int64_t* index, int64_t size, int64_t scale, int64_t* sums) {
  int64_t rows[kMaxDims], step_out = 1;
  for (size_t i = sizes.size(); i-- > 0; step_out *= sizes[i]) rows[i] = step_out;
  Iteration it;
  it.begin(sizes);
  it.add(reinterpret_cast<char*>(sums), {rows, sizes.size()}, sizes, sizeof(int64_t));
  it.add(raw(index), strides, sizes, sizeof(int64_t));
  it.simplify();
  it.walk(0, it.outer(), [&](char** at, const int64_t* step, int64_t n) {
    for (int64_t i = 0; i < n; ++i) {
      const int64_t v = *reinterpret_cast<const int64_t*>(at[1] + i * step[1]);
      *reinterpret_cast<int64_t*>(at[0] + i * step[0]) += (v < 0 ? v + size : v) * scale;
    }
  });
}

namespace {

// Calls found(position) for every element other than 0, in row-major order.
template <class Found>
void each_nonzero(std::span<const int64_t> sizes, Strided in, Found&& found) {
  const int ndim = static_cast<int>(sizes.size());
  const int64_t inner = ndim ? sizes[ndim - 1] : 1, step = ndim ? in.strides[ndim - 1] : 0;
  int64_t outer = 1, coordinate[kMaxDims] = {};
  for (int i = 0; i + 1 < ndim; ++i) outer *= sizes[i];
  const Cast to_bool = cast_loop(DType::bool_, in.dtype);
  const int64_t element = size_of(in.dtype);
  bool truth[512];
  for (int64_t row = 0; row < outer; ++row) {
    const char* at = in.data;
    for (int i = 0; i + 1 < ndim; ++i) at += coordinate[i] * in.strides[i] * element;
    for (int64_t start = 0; start < inner; start += 512) {
      const int64_t n = std::min<int64_t>(512, inner - start);
      to_bool(reinterpret_cast<char*>(truth), 1, at + start * step * element, step * element, n);
      for (int64_t i = 0; i < n; ++i) {
        if (!truth[i]) continue;
        if (ndim) coordinate[ndim - 1] = start + i;
        found(coordinate);
      }
    }
    for (int i = ndim - 2; i >= 0 && ++coordinate[i] == sizes[i]; --i) coordinate[i] = 0;
  }
}

}  // namespace

int64_t count_nonzero(std::span<const int64_t> sizes, Strided in) {
  int64_t n = 0;
  each_nonzero(sizes, in, [&](const int64_t*) { ++n; });
  return n;
}

void find_nonzero(std::span<const int64_t> sizes, Strided in, int64_t* coordinates, int64_t n) {
  int64_t row = 0;
  each_nonzero(sizes, in, [&](const int64_t* at) {
    if (row == n) return;  // others have written to the memory since it was counted
    for (size_t i = 0; i < sizes.size(); ++i) coordinates[i * n + row] = at[i];
    ++row;
  });
  for (size_t i = 0; i < sizes.size(); ++i)
    std::fill(coordinates + i * n + row, coordinates + (i + 1) * n, 0);
}

}  // namespace wend
