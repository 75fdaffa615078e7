// base/layout.cpp: the table of interned layouts, and the arithmetic on sizes.
// Rules of broadcasting and of views live with the ops.
#include "base/layout.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/forever.hpp"

namespace wend {

namespace {

[[noreturn]] void too_many_dims() {
  fail(ErrorKind::runtime, "only tensors with up to ", kMaxDims, " dims are supported");
}

}  // namespace

Dims::Dims(std::span<const int64_t> list) {
  if (list.size() > kMaxDims) too_many_dims();
  n = static_cast<int>(list.size());
  std::copy(list.begin(), list.end(), d);
}

void Dims::push(int64_t v) { insert(n, v); }

void Dims::insert(int at, int64_t v) {
  if (n == kMaxDims) too_many_dims();
  std::memmove(d + at + 1, d + at, sizeof(int64_t) * (n - at));
  d[at] = v;
  ++n;
}

void Dims::erase(int at) {
  std::memmove(d + at, d + at + 1, sizeof(int64_t) * (n - at - 1));
  --n;
}

bool Dims::operator==(const Dims& o) const { return n == o.n && std::equal(d, d + n, o.d); }

int64_t count(std::span<const int64_t> sizes) {
  int64_t counted = 1;  // with 1 for every 0, as strides are
  bool overflow = false, empty = false;
  for (int64_t s : sizes) {
    if (s < 0)
      fail(ErrorKind::runtime, "Trying to create tensor with negative dimension ", s, ": ",
           show(sizes));
    overflow |= __builtin_mul_overflow(counted, std::max<int64_t>(s, 1), &counted);
    empty |= s == 0;
  }
  const int64_t total = empty ? 0 : counted;
  if (overflow && empty) fail(ErrorKind::runtime, "Stride calculation overflowed");
  if (overflow || total > kMostElements)
    fail(ErrorKind::runtime, "Storage size calculation overflowed with sizes=", show(sizes));
  return total;
}

namespace {

// One past the last element that is reached, or 0 where there is none.
int64_t span_of(int64_t numel, std::span<const int64_t> sizes, std::span<const int64_t> strides) {
  Wide last = 0;
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (strides[i] < 0)
      fail(ErrorKind::runtime,
           "as_strided: Negative strides are not supported at the moment, got strides: ",
           show(strides));
    last += Wide{sizes[i] - 1} * strides[i];
  }
  if (numel == 0) return 0;
  if (last >= kMostElements)
    fail(ErrorKind::runtime, "Storage size calculation overflowed with sizes=", show(sizes),
         " and strides=", show(strides));
  return static_cast<int64_t>(last) + 1;
}

// Says how many it has set.
size_t set_contiguous_strides(std::span<const int64_t> sizes, int64_t* strides) {
  // Wraps around where the sizes are too large to count, for which no layout is made.
  uint64_t step = 1;
  for (size_t i = sizes.size(); i-- > 0;) {
    strides[i] = static_cast<int64_t>(step);
    step *= static_cast<uint64_t>(std::max<int64_t>(sizes[i], 1));
  }
  return sizes.size();
}

}  // namespace

Dims contiguous_strides(std::span<const int64_t> sizes) {
  Dims strides(sizes);
  set_contiguous_strides(sizes, strides.d);
  return strides;
}

namespace {

bool is_contiguous(std::span<const int64_t> sizes, std::span<const int64_t> strides) {
  int64_t step = 1;
  for (int i = static_cast<int>(sizes.size()) - 1; i >= 0; --i) {
    if (sizes[i] != 1) {
      if (strides[i] != step) return false;
      step *= sizes[i];
    }
  }
  return true;
}

// Row-major strides of sizes permuted so that `order[0]` is the outermost dimension in memory.
Dims permuted_strides(std::span<const int64_t> sizes, std::span<const int> order) {
  Dims strides(sizes);
  uint64_t step = 1;  // wraps around as in contiguous_strides
  for (int i = strides.n - 1; i >= 0; --i) {
    strides[order[i]] = static_cast<int64_t>(step);
    step *= static_cast<uint64_t>(std::max<int64_t>(sizes[order[i]], 1));
  }
  return strides;
}

// Whether dimension a must be further in than b: > 0 yes, < 0 no, 0 nobody minds.
int order_of(std::span<const int64_t> sizes, std::span<const Dims> strides, int a, int b) {
  for (const Dims& s : strides) {
    if (s[a] == 0 || s[b] == 0) continue;
    if (s[a] != s[b]) return s[a] < s[b] ? -1 : 1;
    if (sizes[a] > sizes[b]) return 1;
  }
  return 0;
}

Dims strides_following(std::span<const int64_t> sizes, std::span<const Dims> strides) {
  const int n = static_cast<int>(sizes.size());
  int inner_first[kMaxDims];
  for (int i = 0; i < n; ++i) inner_first[i] = n - 1 - i;
  for (int i = 1; i < n; ++i) {
    int moving = i;
    for (int j = i - 1; j >= 0; --j) {
      const int order = order_of(sizes, strides, inner_first[j], inner_first[moving]);
      if (order > 0) {
        std::swap(inner_first[j], inner_first[moving]);
        moving = j;
      } else if (order < 0) {
        break;
      }
    }
  }
  std::reverse(inner_first, inner_first + n);
  return permuted_strides(sizes, {inner_first, static_cast<size_t>(n)});
}

bool is_dense(std::span<const int64_t> sizes, std::span<const int64_t> strides) {
  int order[kMaxDims];
  int n = 0;
  for (int i = 0; i < static_cast<int>(sizes.size()); ++i) {
    if (sizes[i] != 1) order[n++] = i;
  }
  std::sort(order, order + n, [&](int a, int b) { return strides[a] < strides[b]; });
  int64_t step = 1;
  for (int i = 0; i < n; ++i) {
    if (strides[order[i]] != step) return false;
    step *= sizes[order[i]];
  }
  return true;
}

// Open addressing over pointers; layouts that nobody holds are swept when the table is half full.
class Table {
 public:
  const Layout* find_or_make(std::span<const int64_t> sizes, std::span<const int64_t> strides) {
    const uint32_t hash = hash_of(sizes, strides);
    if (slots_.empty()) slots_.assign(1024, nullptr);
    for (size_t at = hash & mask();; at = (at + 1) & mask()) {
      const Layout* l = slots_[at];
      if (!l) break;
      if (l->hash == hash && same(*l, sizes, strides)) return l;
    }
    Layout* made = make(sizes, strides, hash);
    if (++used_ * 2 > slots_.size()) sweep();
    place(made);
    return made;
  }

 private:
  size_t mask() const { return slots_.size() - 1; }

  // The lists are too short to call memcmp for.
  static bool same(const Layout& l, std::span<const int64_t> sizes,
                   std::span<const int64_t> strides) {
    if (l.ndim != static_cast<int>(sizes.size())) return false;
    for (int i = 0; i < l.ndim; ++i)
      if (l.size(i) != sizes[i] || l.stride(i) != strides[i]) return false;
    return true;
  }

  static uint32_t hash_of(std::span<const int64_t> sizes, std::span<const int64_t> strides) {
    uint64_t h = sizes.size();
    for (size_t i = 0; i < sizes.size(); ++i) {
      const auto size = static_cast<uint64_t>(sizes[i]), stride = static_cast<uint64_t>(strides[i]);
      h = (h ^ (size + stride * 0x9e3779b97f4a7c15u)) * 0xff51afd7ed558ccdu;
      h ^= h >> 32;
    }
    return static_cast<uint32_t>(h);
  }

  static Layout* make(std::span<const int64_t> sizes, std::span<const int64_t> strides,
                      uint32_t hash) {
    const int n = static_cast<int>(sizes.size());
    const int64_t numel = count(sizes), span = span_of(numel, sizes, strides);
    auto* l = static_cast<Layout*>(std::malloc(sizeof(Layout) + 2 * n * sizeof(int64_t)));
    if (!l) fail(ErrorKind::memory, "out of memory");
    l->refs = 0;
    l->hash = hash;
    l->ndim = n;
    std::ranges::copy(sizes, l->data);
    std::ranges::copy(strides, l->data + n);
    l->numel = numel;
    l->contiguous = numel == 0 || is_contiguous(sizes, strides);
    l->dense = l->contiguous || is_dense(sizes, strides);
    const Dims own(strides);
    l->in_order = l->dense && own == strides_following(sizes, {&own, 1});
    l->uniform = l->numel > 0;
    for (int i = 0; i < n; ++i) l->uniform &= sizes[i] == 1 || strides[i] == 0;
    l->span = span;
    return l;
  }

  void place(const Layout* l) {
    size_t at = l->hash & mask();
    while (slots_[at]) at = (at + 1) & mask();
    slots_[at] = l;
  }

  void sweep() {
    std::vector<const Layout*> old = std::move(slots_);
    const auto live = std::ranges::count_if(old, [](const Layout* l) { return l && l->refs > 0; });
    size_t size = 1024;
    while (size < 4 * static_cast<size_t>(live + 1)) size *= 2;
    slots_.assign(size, nullptr);
    used_ = live + 1;
    for (const Layout* l : old) {
      if (!l) continue;
      if (l->refs > 0)
        place(l);
      else
        std::free(const_cast<Layout*>(l));
    }
  }

  std::vector<const Layout*> slots_;
  size_t used_ = 0;
};

}  // namespace

namespace {

// The lists are too short to call memcmp for.
bool same_sizes(const Layout& l, std::span<const int64_t> sizes) {
  if (l.ndim != static_cast<int>(sizes.size())) return false;
  for (int i = 0; i < l.ndim; ++i)
    if (l.size(i) != sizes[i]) return false;
  return true;
}

}  // namespace

LayoutRef intern(std::span<const int64_t> sizes, std::span<const int64_t> strides) {
  static constinit Forever<Table> table;
  return LayoutRef(table.value.find_or_make(sizes, strides));
}

LayoutRef contiguous(std::span<const int64_t> sizes) {
  static const LayoutRef scalar = intern({}, {});
  if (sizes.empty()) return scalar;
  if (sizes.size() > kMaxDims) return intern(sizes, contiguous_strides(sizes).span());  // raises
  // Sizes alone are compared sooner than those and the strides that they have.
  static constinit Forever<std::array<LayoutRef, 256>> known;
  uint64_t hash = sizes.size();
  for (int64_t size : sizes) hash = (hash + static_cast<uint64_t>(size)) * 0x9e3779b97f4a7c15u;
  LayoutRef& last = known.value[hash >> 56];
  if (last && same_sizes(*last, sizes)) return last;
  int64_t strides[kMaxDims];
  return last = intern(sizes, {strides, set_contiguous_strides(sizes, strides)});
}

LayoutRef permuted(std::span<const int64_t> sizes, std::span<const int> order) {
  count(sizes);
  return intern(sizes, permuted_strides(sizes, order).span());
}

LayoutRef following(std::span<const int64_t> sizes, std::span<const Dims> strides) {
  count(sizes);
  return intern(sizes, strides_following(sizes, strides).span());
}

bool is_channels_last(const Layout& layout) {
  if (layout.ndim != 4 && layout.ndim != 5) return false;
  int64_t expected = 1;
  auto next = [&](int d) {
    const bool fits = layout.size(d) == 1 || layout.stride(d) == expected;
    expected *= layout.size(d);
    return fits;
  };
  if (!next(1)) return false;
  for (int d = layout.ndim - 1; d >= 2; --d)
    if (!next(d)) return false;
  return next(0);
}

LayoutRef like_format(const Layout& layout, const Dims& sizes) {
  if (layout.contiguous || sizes.n != layout.ndim || !is_channels_last(layout))
    return contiguous(sizes);
  const int order4[] = {0, 2, 3, 1}, order5[] = {0, 2, 3, 4, 1};
  return sizes.n == 4 ? permuted(sizes.span(), order4) : permuted(sizes.span(), order5);
}

bool may_overlap(const Layout& l) {
  if (l.dense || l.numel < 2) return false;
  int order[kMaxDims];
  int n = 0;
  for (int i = 0; i < l.ndim; ++i)
    if (l.size(i) > 1) order[n++] = i;
  std::sort(order, order + n, [&](int a, int b) { return l.stride(a) < l.stride(b); });
  int64_t reach = 0;
  for (int i = 0; i < n; ++i) {
    if (l.stride(order[i]) <= reach) return true;
    reach += (l.size(order[i]) - 1) * l.stride(order[i]);
  }
  return false;
}

std::string show(std::span<const int64_t> sizes) {
  std::string out = "[";
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (i) out += ", ";
    out += std::to_string(sizes[i]);
  }
  return out + "]";
}

int wrap_dim(int64_t dim, int64_t ndim) {
  const int64_t n = std::max<int64_t>(ndim, 1);
  if (dim < -n || dim >= n)
    fail(ErrorKind::index, "Dimension out of range (expected to be in range of [", -n, ", ", n - 1,
         "], but got ", dim, ")");
  return static_cast<int>(dim < 0 ? dim + n : dim);
}

}  // namespace wend
