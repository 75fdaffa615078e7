// Scans in blocks of neighbouring columns, so that those along an outer dimension vectorise.
#pragma GCC optimize("O3")

#include "kernels/scan.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "base/threads.hpp"

namespace wend {
namespace {

constexpr int64_t kBlock = 64;  // columns

template <class T>
struct Total {
  using Type = double;
};
template <>
struct Total<int64_t> {
  using Type = uint64_t;  // wraps around
};

// A step gives the next total from the last one, the element, and what recurrences multiply by.
struct Sum {
  static constexpr int start = 0;
  template <class A>
  static A step(A total, A x, A) {
    return total + x;
  }
};
struct Prod {
  static constexpr int start = 1;
  template <class A>
  static A step(A total, A x, A) {
    return total * x;
  }
};
struct Recur {
  static constexpr int start = 0;
  template <class A>
  static A step(A total, A x, A y) {
    return x + y * total;
  }
};
struct LogSumExp {
  static constexpr double start = -INFINITY;
  static double step(double total, double x, double) {
    const double high = total > x || total != total ? total : x;
    if (std::isinf(high)) return high + (total != total ? total : 0);
    return high + std::log1p(std::exp(-std::fabs(total - x)));
  }
};

// Calls body(first element, columns) for blocks of neighbouring columns.
template <class Body>
void for_blocks(ScanShape s, Body&& body) {
  const int64_t blocks = (s.inner + kBlock - 1) / kBlock;
  const int64_t work = s.n * std::min(s.inner, kBlock);
  parallel_for(s.outer * blocks, std::max<int64_t>(1, (1 << 14) / work),
               [&](int64_t i, int64_t end) {
                 for (; i < end; ++i) {
                   const int64_t first = i % blocks * kBlock;
                   body(i / blocks * s.n * s.inner + first, std::min(kBlock, s.inner - first));
                 }
               });
}

template <class Step, class T, bool reversed>
void scan_as(ScanShape s, const char* from, const char* by, char* to) {
  using A = typename Total<T>::Type;
  for_blocks(s, [&](int64_t at, int64_t columns) {
    A totals[kBlock];
    static constexpr T zeros[kBlock] = {};
    std::fill_n(totals, columns, static_cast<A>(Step::start));
    const int64_t along = reversed ? -s.inner : s.inner;
    const int64_t first = at + (reversed ? (s.n - 1) * s.inner : 0);
    const T* x = reinterpret_cast<const T*>(from) + first;
    T* out = reinterpret_cast<T*>(to) + first;
    // Going backwards, a recurrence multiplies by the factor of the element that it comes from.
    const T* y = by ? reinterpret_cast<const T*>(by) + first + (reversed ? s.inner : 0) : nullptr;
    for (int64_t i = 0; i < s.n; ++i, x += along, out += along) {
      const T* factor = by && i > 0 ? y + i * along : zeros;
      for (int64_t j = 0; j < columns; ++j) {
        totals[j] = Step::step(totals[j], static_cast<A>(x[j]), static_cast<A>(factor[j]));
        out[j] = static_cast<T>(totals[j]);
      }
    }
  });
}

template <class T>
bool is_nan(T x) {
  return x != x;
}

template <class T>
T value_of(T x) {
  return x;
}
float value_of(Half x) { return to_float(x); }
float value_of(BFloat16 x) { return to_float(x); }

template <class T>
void extremes_as(bool largest, ScanShape s, const char* from, int64_t* to) {
  for_blocks(s, [&](int64_t at, int64_t columns) {
    const T* x = reinterpret_cast<const T*>(from) + at;
    int64_t* out = to + at;
    for (int64_t j = 0; j < columns; ++j) {
      auto best = value_of(x[j]);
      int64_t place = 0;
      for (int64_t i = 0; i < s.n; ++i) {
        const auto v = value_of(x[i * s.inner + j]);
        if (is_nan(v) || (!is_nan(best) && (largest ? v >= best : v <= best))) best = v, place = i;
        out[i * s.inner + j] = place;
      }
    }
  });
}

template <class T>
void scan_kind(Scan kind, ScanShape s, const char* x, const char* y, char* out) {
  switch (kind) {
    case Scan::sum:
      return scan_as<Sum, T, false>(s, x, nullptr, out);
    case Scan::reversed_sum:
      return scan_as<Sum, T, true>(s, x, nullptr, out);
    case Scan::prod:
      return scan_as<Prod, T, false>(s, x, nullptr, out);
    case Scan::recurrence:
      return scan_as<Recur, T, false>(s, x, y, out);
    case Scan::reversed_recurrence:
      return scan_as<Recur, T, true>(s, x, y, out);
    case Scan::logsumexp:
      if constexpr (std::is_floating_point_v<T>) scan_as<LogSumExp, T, false>(s, x, nullptr, out);
  }
}

}  // namespace

void scan(Scan kind, DType dtype, ScanShape shape, const char* x, const char* y, char* out) {
  if (dtype == DType::float32) return scan_kind<float>(kind, shape, x, y, out);
  if (dtype == DType::float64) return scan_kind<double>(kind, shape, x, y, out);
  scan_kind<int64_t>(kind, shape, x, y, out);
}

void scan_extremes(bool largest, DType dtype, ScanShape shape, const char* x, int64_t* out) {
  using Scanner = void (*)(bool, ScanShape, const char*, int64_t*);
  static constexpr Scanner scanners[dtype_count] = {
      extremes_as<uint8_t>, extremes_as<uint8_t>, extremes_as<int8_t>, extremes_as<int16_t>,
      extremes_as<int32_t>, extremes_as<int64_t>, extremes_as<Half>,   extremes_as<BFloat16>,
      extremes_as<float>,   extremes_as<double>};
  scanners[static_cast<int>(dtype)](largest, shape, x, out);
}

}  // namespace wend
