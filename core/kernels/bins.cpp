// Counting by value, in plain loops. Long rows are sorted by kernels/order.
#include "kernels/bins.hpp"

#include <algorithm>
#include <numeric>

#include "base/threads.hpp"
#include "kernels/order.hpp"

namespace wend {
namespace {

template <class T>
T value_of(T x) {
  return x;
}
float value_of(Half x) { return to_float(x); }
float value_of(BFloat16 x) { return to_float(x); }

// Comparisons with NaN are false, and so lead to the end.
template <class T, bool right>
int64_t position(const T* row, const int64_t* sorter, int64_t n, T value) {
  int64_t low = 0, high = n;
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    const auto boundary = value_of(row[sorter ? sorter[middle] : middle]);
    if (right ? boundary > value_of(value) : boundary >= value_of(value))
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

template <class T, bool right>
void search_as(const Search& s) {
  const int64_t total = s.rows * s.values_per_row;
  parallel_for(total, 1 << 11, [&](int64_t i, int64_t end) {
    for (; i < end; ++i) {
      const int64_t first = i / s.values_per_row * s.n;
      s.out[i] = position<T, right>(reinterpret_cast<const T*>(s.boundaries) + first,
                                    s.sorter ? s.sorter + first : nullptr, s.n,
                                    reinterpret_cast<const T*>(s.values)[i]);
    }
  });
}

template <class T>
void search_either(const Search& s) {
  s.right ? search_as<T, true>(s) : search_as<T, false>(s);
}

// Less in the order that puts NaN last, so that sorting is well defined.
template <class T>
int compare(T a, T b) {
  const auto x = value_of(a), y = value_of(b);
  if (x < y) return -1;
  if (x > y) return 1;
  return x == y ? 0 : (x != x) - (y != y);
}

template <class T>
struct Rows {
  const T* x;
  int64_t width;

  bool less(int64_t a, int64_t b) const {
    for (int64_t i = 0; i < width; ++i)
      if (const int c = compare(x[a * width + i], x[b * width + i])) return c < 0;
    return false;
  }
  bool equal(int64_t a, int64_t b) const {
    for (int64_t i = 0; i < width; ++i)
      if (value_of(x[a * width + i]) != value_of(x[b * width + i])) return false;
    return true;
  }
};

template <class T>
std::vector<int64_t> sorted_rows(const Rows<T>& rows, DType dtype, int64_t n) {
  std::vector<int64_t> places(n);
  if (rows.width == 1) {
    const int64_t sizes[] = {n}, strides[] = {1};
    char* data = reinterpret_cast<char*>(const_cast<T*>(rows.x));
    if (n)
      order({Select::first, false, n, sizes, {data, dtype, strides}, 0, places.data(), strides});
    return places;
  }
  std::iota(places.begin(), places.end(), 0);
  std::ranges::stable_sort(places, [&](int64_t a, int64_t b) { return rows.less(a, b); });
  return places;
}

template <class T>
Groups group_as(DType dtype, const char* x, int64_t n, int64_t width, bool consecutive) {
  const Rows<T> rows = {reinterpret_cast<const T*>(x), width};
  std::vector<int64_t> places(n);
  if (consecutive)
    std::iota(places.begin(), places.end(), 0);
  else
    places = sorted_rows(rows, dtype, n);
  Groups groups;
  groups.inverse.resize(n);
  for (int64_t i = 0; i < n; ++i) {
    if (i == 0 || !rows.equal(places[i - 1], places[i])) {
      groups.first.push_back(places[i]);
      groups.counts.push_back(0);
    }
    ++groups.counts.back();
    groups.inverse[places[i]] = static_cast<int64_t>(groups.first.size()) - 1;
  }
  return groups;
}

template <class T>
void sum_weights_as(const int64_t* values, int64_t n, const T* weights, T* sums) {
  for (int64_t i = 0; i < n; ++i) sums[values[i]] += weights[i];
}

}  // namespace

void search(const Search& s) {
  using Run = void (*)(const Search&);
  static constexpr Run runs[dtype_count] = {search_either<uint8_t>, search_either<uint8_t>,
                                            search_either<int8_t>,  search_either<int16_t>,
                                            search_either<int32_t>, search_either<int64_t>,
                                            search_either<Half>,    search_either<BFloat16>,
                                            search_either<float>,   search_either<double>};
  runs[static_cast<int>(s.dtype)](s);
}

void count_values(const int64_t* values, int64_t n, int64_t* counts) {
  for (int64_t i = 0; i < n; ++i) ++counts[values[i]];
}
void sum_weights(const int64_t* values, int64_t n, const float* weights, float* sums) {
  sum_weights_as(values, n, weights, sums);
}
void sum_weights(const int64_t* values, int64_t n, const double* weights, double* sums) {
  sum_weights_as(values, n, weights, sums);
}

template <class T>
void histogram(const T* x, int64_t n, T low, T high, int64_t bins, T* counts) {
  for (int64_t i = 0; i < n; ++i) {
    if (!(x[i] >= low && x[i] <= high)) continue;
    const auto bin = static_cast<int64_t>((x[i] - low) / (high - low) * static_cast<T>(bins));
    ++counts[std::min(bin, bins - 1)];
  }
}
template void histogram(const float*, int64_t, float, float, int64_t, float*);
template void histogram(const double*, int64_t, double, double, int64_t, double*);

Groups group_rows(DType dtype, const char* x, int64_t rows, int64_t width, bool consecutive) {
  using Run = Groups (*)(DType, const char*, int64_t, int64_t, bool);
  static constexpr Run runs[dtype_count] = {
      group_as<uint8_t>, group_as<uint8_t>, group_as<int8_t>, group_as<int16_t>,
      group_as<int32_t>, group_as<int64_t>, group_as<Half>,   group_as<BFloat16>,
      group_as<float>,   group_as<double>};
  return runs[static_cast<int>(dtype)](dtype, x, rows, width, consecutive);
}

}  // namespace wend
