// Loops over windows, a plane at a time; planes are shared out over threads.
#include "kernels/pool.hpp"

#include <algorithm>
#include <type_traits>

#include "base/threads.hpp"

namespace wend {
namespace {

template <class T>
auto load(const T& x) {
  if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>)
    return to_float(x);
  else
    return x;
}
template <class T, class S>
void store(T& to, S x) {
  if constexpr (std::is_same_v<T, Half>)
    to = to_half(static_cast<float>(x));
  else if constexpr (std::is_same_v<T, BFloat16>)
    to = to_bfloat16(static_cast<float>(x));
  else
    to = static_cast<T>(x);
}

// Calls f with a value of the C++ type of a dtype.
template <class F>
void with_type(DType dtype, F&& f) {
  switch (dtype) {
    case DType::float64:
      return f(double{});
    case DType::float32:
      return f(float{});
    case DType::float16:
      return f(Half{});
    case DType::bfloat16:
      return f(BFloat16{});
    case DType::int64:
      return f(int64_t{});
    case DType::int32:
      return f(int32_t{});
    case DType::int16:
      return f(int16_t{});
    case DType::int8:
      return f(int8_t{});
    default:
      return f(uint8_t{});
  }
}

// Calls body(i, j, k) for the numbers of all windows of a plane.
template <class F>
void each_window(const Pooling& p, F&& body) {
  const auto n = [&](int d) { return static_cast<int64_t>(p.ranges[d].size()); };
  for (int64_t i = 0; i < n(0); ++i)
    for (int64_t j = 0; j < n(1); ++j)
      for (int64_t k = 0; k < n(2); ++k) body(i, j, k);
}

template <class F>
void each_plane(const Pooling& p, int64_t planes, F&& body) {
  const int64_t work = std::max({p.windows(), p.plane[0] * p.plane[1] * p.plane[2], int64_t{1}});
  parallel_for(planes, std::max<int64_t>(1, 16384 / work), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) body(i);
  });
}

template <class T>
int64_t largest(const Pooling& p, const T* plane, const int64_t (&step)[3], const Range& a,
                const Range& b, const Range& c) {
  int64_t place = (a.begin * p.plane[1] + b.begin) * p.plane[2] + c.begin;
  if (a.begin >= a.end || b.begin >= b.end || c.begin >= c.end) return place;
  auto best = load(plane[a.begin * step[0] + b.begin * step[1] + c.begin * step[2]]);
  for (int64_t i = a.begin; i < a.end; i += p.step[0])
    for (int64_t j = b.begin; j < b.end; j += p.step[1]) {
      const T* line = plane + i * step[0] + j * step[1];
      const int64_t number = (i * p.plane[1] + j) * p.plane[2];
      for (int64_t k = c.begin; k < c.end; k += p.step[2]) {
        const auto v = load(line[k * step[2]]);
        if (v > best || v != v) {
          best = v;
          place = number + k;
        }
      }
    }
  return place;
}

// What sums and quotients are formed in.
template <class T>
using Sum = std::conditional_t<std::is_same_v<T, double>, double,
                               std::conditional_t<std::is_integral_v<T>, int64_t, float>>;

int64_t divisor_of(const Pooling& p, const Range& a, const Range& b, const Range& c) {
  return p.divisor ? p.divisor : a.counted * b.counted * c.counted;
}

int64_t offset(const int64_t (&step)[3], int64_t i, int64_t j, int64_t k) {
  return i * step[0] + j * step[1] + k * step[2];
}

}  // namespace

int64_t Pooling::windows() const {
  return static_cast<int64_t>(ranges[0].size() * ranges[1].size() * ranges[2].size());
}

int64_t Planes::count() const {
  int64_t n = 1;
  for (const int64_t size : sizes) n *= size;
  return n;
}

int64_t Planes::at(int64_t i) const {
  int64_t offset = 0;
  for (size_t d = sizes.size(); d-- > 0; i /= sizes[d]) offset += i % sizes[d] * strides[d];
  return offset;
}

void largest_places(const Pooling& p, DType dtype, const Planes& in, const Planes& places) {
  with_type(dtype, [&](auto like) {
    using T = decltype(like);
    each_plane(p, in.count(), [&](int64_t n) {
      const T* plane = reinterpret_cast<const T*>(in.data) + in.at(n);
      auto* out = reinterpret_cast<int64_t*>(places.data) + places.at(n);
      each_window(p, [&](int64_t i, int64_t j, int64_t k) {
        out[offset(places.inner, i, j, k)] =
            largest(p, plane, in.inner, p.ranges[0][i], p.ranges[1][j], p.ranges[2][k]);
      });
    });
  });
}

void means(const Pooling& p, DType dtype, const Planes& in, const Planes& out) {
  with_type(dtype, [&](auto like) {
    using T = decltype(like);
    each_plane(p, in.count(), [&](int64_t n) {
      const T* plane = reinterpret_cast<const T*>(in.data) + in.at(n);
      T* to = reinterpret_cast<T*>(out.data) + out.at(n);
      each_window(p, [&](int64_t i, int64_t j, int64_t k) {
        const Range &a = p.ranges[0][i], &b = p.ranges[1][j], &c = p.ranges[2][k];
        Sum<T> sum = 0;
        for (int64_t x = a.begin; x < a.end; ++x)
          for (int64_t y = b.begin; y < b.end; ++y)
            for (int64_t z = c.begin; z < c.end; ++z)
              sum += static_cast<Sum<T>>(load(plane[offset(in.inner, x, y, z)]));
        store(to[offset(out.inner, i, j, k)], sum / static_cast<Sum<T>>(divisor_of(p, a, b, c)));
      });
    });
  });
}

// In sums of the full precision: planes of 16 bits are kept apart until they are done.
void spread_means(const Pooling& p, DType dtype, const Planes& g, const Planes& out) {
  const int64_t size = p.plane[0] * p.plane[1] * p.plane[2];
  with_type(dtype, [&](auto like) {
    using T = decltype(like);
    if constexpr (!std::is_integral_v<T>) {
      std::vector<Sum<T>> sums(static_cast<size_t>(out.count() * size));
      each_plane(p, g.count(), [&](int64_t n) {
        const T* from = reinterpret_cast<const T*>(g.data) + g.at(n);
        Sum<T>* plane = sums.data() + n * size;
        each_window(p, [&](int64_t i, int64_t j, int64_t k) {
          const Range &a = p.ranges[0][i], &b = p.ranges[1][j], &c = p.ranges[2][k];
          const auto share = static_cast<Sum<T>>(load(from[offset(g.inner, i, j, k)])) /
                             static_cast<Sum<T>>(divisor_of(p, a, b, c));
          for (int64_t x = a.begin; x < a.end; ++x)
            for (int64_t y = b.begin; y < b.end; ++y) {
              Sum<T>* line = plane + (x * p.plane[1] + y) * p.plane[2];
              for (int64_t z = c.begin; z < c.end; ++z) line[z] += share;
            }
        });
        T* to = reinterpret_cast<T*>(out.data) + out.at(n);
        for (int64_t x = 0; x < p.plane[0]; ++x)
          for (int64_t y = 0; y < p.plane[1]; ++y)
            for (int64_t z = 0; z < p.plane[2]; ++z)
              store(to[offset(out.inner, x, y, z)], plane[(x * p.plane[1] + y) * p.plane[2] + z]);
      });
    }
  });
}

}  // namespace wend
