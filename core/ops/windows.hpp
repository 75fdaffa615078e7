// ops/windows.hpp: what ops over windows of images hand to their kernels: sizes in three
// dimensions, and memory of the type that a kernel computes in.
#pragma once

#include <memory>
#include <type_traits>

#include "graph/op.hpp"
#include "ops/families.hpp"

namespace wend {

// A number for each of three dimensions, the first of which may be lacking.
inline void spread(std::span<const int64_t> list, int64_t otherwise, int64_t (&to)[3]) {
  const size_t lacking = 3 - list.size();
  for (size_t i = 0; i < 3; ++i) to[i] = i < lacking ? otherwise : list[i - lacking];
}

template <class T>
constexpr DType kDTypeOf = std::is_same_v<T, float>    ? DType::float32
                           : std::is_same_v<T, double> ? DType::float64
                                                       : DType::int64;

// A node's elements as T: its own memory, or a contiguous copy of it.
template <class T>
struct As {
  std::unique_ptr<T[]> copied;
  LayoutRef layout;
  T* data;

  As(const Node& node, bool must_copy) : layout(node.layout) {
    data = reinterpret_cast<T*>(node.data());
    if (node.dtype == kDTypeOf<T> && !must_copy) return;
    layout = contiguous(node.sizes());
    copied = std::make_unique_for_overwrite<T[]>(node.numel() + 1);
    data = copied.get();
    copy(node.sizes(), {reinterpret_cast<char*>(data), kDTypeOf<T>, layout->strides()},
         strided(node));
  }
};

// Where a kernel writes T, and what takes it to the node that is of another dtype.
template <class T>
struct Result {
  const Node& node;
  std::unique_ptr<T[]> apart;
  T* data;

  explicit Result(const Node& node) : node(node), data(reinterpret_cast<T*>(node.data())) {
    if (node.dtype == kDTypeOf<T>) return;
    apart = std::make_unique_for_overwrite<T[]>(node.numel() + 1);
    data = apart.get();
  }
  void finish() const {
    if (apart)
      copy(node.sizes(), strided(node),
           {reinterpret_cast<char*>(data), kDTypeOf<T>, node.strides()});
  }
};

}  // namespace wend
