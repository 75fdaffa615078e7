// graph/key.hpp: a number that nodes which may run as one have in common, found when they are
// recorded, as long as all that it is made of is at hand. What follows from it is exec/group.
#pragma once

#include <bit>

#include "graph/op.hpp"

namespace wend {

constexpr uint32_t kMaxInputs = 16;  // of a member

// Whether members of a batch may differ in attribute i.
inline bool is_own(const Op& op, uint32_t i) { return i < 32 && op.own_attrs >> i & 1; }

struct Hash {
  uint64_t state = 0x9e3779b97f4a7c15u;
  void add(uint64_t v) { state = (std::rotl(state, 5) ^ v) * 0x517cc1b727220a95u; }
  static uint64_t of(const void* p) { return reinterpret_cast<uintptr_t>(p) >> 4; }
};

inline void add_attr(Hash& h, const Arg& a) {
  if (a.kind == Arg::ints || a.kind == Arg::reals)
    for (uint32_t i = 0; i < a.n; ++i) h.add(static_cast<uint64_t>(a.ints_p[i]));
  else if (a.kind != Arg::text && a.kind != Arg::none)
    h.add(static_cast<uint64_t>(a.i));
}

// Of the attributes that members of a batch have in common.
[[gnu::noinline]] inline uint64_t find_key(const Op& op, Attrs& attrs) {
  Hash h;
  for (uint32_t i = 0; i < attrs.n; ++i)
    if (!is_own(op, i)) add_attr(h, attrs.items[i]);
  return attrs.key = h.state | 1;
}

// Whether the op has a rule for many, and the value is of a size at which it pays.
inline bool is_worth_company(const Node& node, size_t bytes) {
  constexpr size_t kLarge = size_t{1} << 18;  // bytes of a value that fills the machine by itself
  constexpr size_t kLargeRow = size_t{1} << 14;  // ... or takes longer to copy than to call for
  return node.op->can_batch() && node.n_inputs - 1 < kMaxInputs && bytes > 0 &&
         bytes <= (node.op->elementwise < 0 ? kLarge : kLargeRow);
}

// Of what members of a batch must have in common: everything but the values of their inputs and
// their own attributes. 0: the node, whose value takes so many bytes, runs by itself.
[[gnu::always_inline]] inline uint32_t key_of(const Node& node, size_t bytes) {
  if (!is_worth_company(node, bytes)) return 0;
  constexpr uint64_t kFactor = 0x9e3779b97f4a7c15u;  // of a polynomial, cheaper than Hash
  const auto address = [](const void* p) { return reinterpret_cast<uintptr_t>(p); };
  uint64_t h = address(node.op) * 0x517cc1b727220a95u + address(node.layout);
  h = h * kFactor +
      (static_cast<uint64_t>(node.offset) << 32 ^ static_cast<uint64_t>(node.n_inputs) << 24 ^
       static_cast<uint64_t>(node.saved) << 16 ^ static_cast<uint64_t>(node.dtype) << 8 ^
       (node.flags & (Node::requires_grad | Node::inference)));
  for (const Value& in : node.in())
    h = h * kFactor + (address(in->layout) ^ static_cast<uint64_t>(in->dtype) << 56);
  if (Attrs* attrs = node.attrs) h += attrs->key ? attrs->key : find_key(*node.op, *attrs);
  return static_cast<uint32_t>(h * kFactor >> 32) | 1;
}

}  // namespace wend
