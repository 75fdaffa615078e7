// base/layout.hpp: sizes and strides. Layouts are immutable and interned, so that equal layouts are
// the same pointer; a node's offset into its storage is kept by the node.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>

#include "base/limits.hpp"
#include "base/ref.hpp"

namespace wend {

// A short list of integers by value: sizes, strides, dims.
struct Dims {
  int n = 0;
  int64_t d[kMaxDims];

  Dims() = default;
  // Copies what is used only.
  Dims(const Dims& o) : n(o.n) { std::copy_n(o.d, n, d); }
  Dims& operator=(const Dims& o) {
    n = o.n;
    std::copy_n(o.d, n, d);
    return *this;
  }
  Dims(std::initializer_list<int64_t> list)
      : Dims(std::span<const int64_t>(list.begin(), list.size())) {}
  explicit Dims(std::span<const int64_t> list);

  int64_t& operator[](int i) { return d[i]; }
  int64_t operator[](int i) const { return d[i]; }
  void push(int64_t v);
  void insert(int at, int64_t v);
  void erase(int at);
  int64_t* begin() { return d; }
  int64_t* end() { return d + n; }
  const int64_t* begin() const { return d; }
  const int64_t* end() const { return d + n; }
  std::span<const int64_t> span() const { return {d, static_cast<size_t>(n)}; }
  bool operator==(const Dims& o) const;
};

// No size or stride is negative, and numel and span are at most kMostElements.
struct Layout {
  mutable uint32_t refs;
  uint32_t hash;
  int32_t ndim;
  bool contiguous;  // row-major without gaps
  bool uniform;     // one element of memory, however often it is repeated
  bool dense;       // some permutation of row-major: every element of its span is used once
  bool in_order;    // dense, and the strides are those of a new tensor that follows it
  int64_t numel;
  int64_t span;  // elements from the first to one past the last that can be reached
  int64_t data[];

  int64_t size(int i) const { return data[i]; }
  int64_t stride(int i) const { return data[ndim + i]; }
  std::span<const int64_t> sizes() const { return {data, static_cast<size_t>(ndim)}; }
  std::span<const int64_t> strides() const { return {data + ndim, static_cast<size_t>(ndim)}; }
};

using LayoutRef = Ref<const Layout>;

// Interned layouts keep their memory until the table is swept, so a zero count frees nothing.
inline void release(const Layout*) {}

LayoutRef intern(std::span<const int64_t> sizes, std::span<const int64_t> strides);
LayoutRef contiguous(std::span<const int64_t> sizes);
inline LayoutRef contiguous(const Dims& sizes) { return contiguous(sizes.span()); }
// Row-major strides of sizes permuted so that `order[0]` is the outermost dimension in memory.
LayoutRef permuted(std::span<const int64_t> sizes, std::span<const int> order);

// The layout of a new tensor that follows the order in memory of its operands: `strides` has a list
// for each, as long as sizes, 0 where broadcast. Earlier operands have the first say.
LayoutRef following(std::span<const int64_t> sizes, std::span<const Dims> strides);

Dims contiguous_strides(std::span<const int64_t> sizes);
int64_t count(std::span<const int64_t> sizes);  // raises when the product overflows
// True iff channels (dimension 1 of 4 or 5) vary fastest and the rest is row-major.
bool is_channels_last(const Layout& layout);
// Row-major sizes, or channels last where `layout` is.
LayoutRef like_format(const Layout& layout, const Dims& sizes);
bool may_overlap(const Layout& layout);  // two indices may reach one element

// Which layout a rule gave for two others, for rules that look at nothing else. Layouts are
// interned, so that most are asked for again and again.
class LayoutMemo {
 public:
  // What `rule` gives for `a` and `b`, which may be null; it may raise instead.
  template <class Rule>
  LayoutRef get(const Layout* a, const Layout* b, Rule rule) {
    const uint64_t hash = (address(a) ^ address(b) << 20) * 0x9e3779b97f4a7c15u;
    Entry& e = entries_[hash >> 56];
    if (e.a.get() != a || e.b.get() != b || !e.result) [[unlikely]]
      e = {LayoutRef(a), LayoutRef(b), rule()};
    return e.result;
  }

 private:
  // Held, so that no other layout takes the place of one of them.
  struct Entry {
    LayoutRef a, b, result;
  };
  static uint64_t address(const Layout* l) { return reinterpret_cast<uintptr_t>(l); }

  Entry entries_[256];
};

// "[2, 3]", as PyTorch writes sizes in messages.
std::string show(std::span<const int64_t> sizes);
inline std::string show(const Dims& d) { return show(d.span()); }
// The dimension counted from the front; raises PyTorch's IndexError.
int wrap_dim(int64_t dim, int64_t ndim);

}  // namespace wend
