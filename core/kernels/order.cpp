// Sorting and selection of rows. An element and its place are packed into one unsigned integer,
// whose order is that of the elements and, among equal ones, of their places: so every sort is
// stable.
#include "kernels/order.hpp"

#include <algorithm>
#include <array>
#include <type_traits>
#include <vector>

#include "base/layout.hpp"
#include "base/threads.hpp"
#include "kernels/iterate.hpp"

namespace wend {
namespace {

// Unsigned keys in the order of the elements. NaN is the largest key, and -0 is 0.
template <class T>
struct Key {
  using Type = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;
  static Type of(T x) {
    if constexpr (std::is_floating_point_v<T>) {
      if (x != x) return ~Type{0};
      const Type bits = __builtin_bit_cast(Type, x + T(0)), sign = Type{1} << (sizeof(T) * 8 - 1);
      return bits & sign ? ~bits : bits | sign;
    } else if constexpr (std::is_signed_v<T>) {
      return static_cast<Type>(
                 static_cast<std::conditional_t<sizeof(T) == 8, int64_t, int32_t>>(x)) ^
             (Type{1} << (sizeof(Type) * 8 - 1));
    } else {
      return x;
    }
  }
  static constexpr bool has_nan = std::is_floating_point_v<T>;
};
template <>
struct Key<Half> : Key<float> {
  static Type of(Half x) { return Key<float>::of(to_float(x)); }
};
template <>
struct Key<BFloat16> : Key<float> {
  static Type of(BFloat16 x) { return Key<float>::of(to_float(x)); }
};

// A key above a place.
template <class K>
struct Pack;
template <>
struct Pack<uint32_t> {
  using Type = uint64_t;
  static constexpr int place_bits = 32;
};
template <>
struct Pack<uint64_t> {
  using Type = unsigned __int128;
  static constexpr int place_bits = 64;
};

template <class K>
class Row {
 public:
  using Packed = typename Pack<K>::Type;
  static constexpr int place_bits = Pack<K>::place_bits;

  template <class T>
  void read(const char* x, int64_t stride, int64_t n, bool descending) {
    items_.resize(n);
    const K flip = descending ? ~K{0} : K{0};
    for (int64_t i = 0; i < n; ++i, x += stride)
      items_[i] =
          Packed(Key<T>::of(*reinterpret_cast<const T*>(x)) ^ flip) << place_bits | Packed(i);
  }
  int64_t size() const { return static_cast<int64_t>(items_.size()); }
  int64_t place(int64_t i) const { return static_cast<int64_t>(static_cast<K>(items_[i])); }
  K key(int64_t i) const { return static_cast<K>(items_[i] >> place_bits); }

  // The first k in order.
  void sort(int64_t k) {
    if (k < size()) std::nth_element(items_.begin(), items_.begin() + k, items_.end());
    if (k >= 1024)
      radix_sort(k);
    else
      std::sort(items_.begin(), items_.begin() + k);
  }
  void bring_to_place(int64_t k) {
    std::nth_element(items_.begin(), items_.begin() + k, items_.end());
  }
  int64_t count_largest() const {
    return std::ranges::count_if(items_, [](Packed p) { return K(p >> place_bits) == K(~K{0}); });
  }

 private:
  // Byte by byte from the lowest, skipping bytes that all keys share.
  void radix_sort(int64_t k) {
    std::array<std::array<int64_t, 256>, sizeof(K)> counts{};
    for (int64_t i = 0; i < k; ++i)
      for (size_t b = 0; b < sizeof(K); ++b) ++counts[b][key(i) >> (8 * b) & 255];
    other_.resize(items_.size());
    for (size_t b = 0; b < sizeof(K); ++b) {
      if (counts[b][key(0) >> (8 * b) & 255] == k) continue;
      int64_t start = 0;
      for (int64_t& c : counts[b]) start += std::exchange(c, start);
      for (int64_t i = 0; i < k; ++i) other_[counts[b][key(i) >> (8 * b) & 255]++] = items_[i];
      items_.swap(other_);
    }
  }

  std::vector<Packed> items_, other_;
};

template <class K>
int64_t place_of_mode(Row<K>& row, bool has_nan) {
  const int64_t n = row.size();
  row.sort(n);
  int64_t best = 0, most = 0;
  for (int64_t i = 0; i < n;) {
    int64_t end = i + 1;
    const bool nan = has_nan && row.key(i) == K(~K{0});  // NaN is equal to nothing
    while (!nan && end < n && row.key(end) == row.key(i)) ++end;
    if (end - i > most) most = end - i, best = end - 1;
    i = end;
  }
  return row.place(best);
}

template <class T>
struct Orderer {
  using K = typename Key<T>::Type;
  static constexpr bool has_nan = Key<T>::has_nan;

  const Ordering& o;
  int64_t n, stride, out_stride;

  int64_t one_place(Row<K>& row) const {
    if (o.what == Select::mode) return place_of_mode(row, has_nan);
    int64_t k = o.k;
    if (o.what != Select::kth) {
      const int64_t missing = has_nan ? row.count_largest() : 0;
      if (o.what == Select::nanmedian)
        k = missing == n ? 0 : (n - missing - 1) / 2;
      else
        k = missing ? n - missing : (n - 1) / 2;
    }
    row.bring_to_place(k);
    return row.place(k);
  }

  void run_row(const char* in, int64_t* out, Row<K>& row) const {
    row.template read<T>(in, stride, n, o.descending);
    if (o.what != Select::first) {
      *out = one_place(row);
      return;
    }
    row.sort(o.k);
    for (int64_t i = 0; i < o.k; ++i) out[i * out_stride] = row.place(i);
  }
};

template <class T>
void order_as(const Ordering& o) {
  Dims sizes(o.sizes), from(o.in.strides), to(o.out_strides);
  int64_t n = 1, stride = 0, out_stride = 0;
  if (sizes.n) {
    n = sizes[o.dim], stride = from[o.dim] * static_cast<int64_t>(sizeof(T)),
    out_stride = to[o.dim];
    sizes.erase(o.dim), from.erase(o.dim), to.erase(o.dim);
  }
  const Orderer<T> orderer = {o, n, stride, out_stride};
  Iteration it;
  it.begin(sizes.span());
  it.add(o.in.data, from.span(), sizes.span(), sizeof(T));
  it.add(reinterpret_cast<char*>(o.out), to.span(), sizes.span(), sizeof(int64_t));
  it.simplify();
  const int64_t grain = std::max<int64_t>(1, (1 << 13) / std::max<int64_t>(n, 1));
  parallel_for(it.total(), grain, [&](int64_t begin, int64_t end) {
    Row<typename Orderer<T>::K> row;
    it.runs(begin, end, it.inner(), [&](char** at, int64_t count) {
      for (int64_t i = 0; i < count; ++i)
        orderer.run_row(at[0] + i * it.step(0), reinterpret_cast<int64_t*>(at[1] + i * it.step(1)),
                        row);
    });
  });
}

}  // namespace

void order(const Ordering& o) {
  using Run = void (*)(const Ordering&);
  static constexpr Run runs[dtype_count] = {
      order_as<uint8_t>, order_as<uint8_t>, order_as<int8_t>, order_as<int16_t>,
      order_as<int32_t>, order_as<int64_t>, order_as<Half>,   order_as<BFloat16>,
      order_as<float>,   order_as<double>};
  runs[static_cast<int>(o.in.dtype)](o);
}

}  // namespace wend
