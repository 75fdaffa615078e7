// exec/late.cpp: the graph of kinds, found from a sample. Kinds on a cycle are those of a loop or a
// recursion; late ones are those from which no way leads to such a kind.
#include "exec/late.hpp"

#include <algorithm>

#include "exec/execute.hpp"

namespace wend {
namespace {

constexpr size_t kLooks = 1024;         // at nodes, or so
constexpr size_t kMostBytes = 1 << 20;  // of a kind: more would raise the peak if it waits

// Nodes that run by themselves have no key; those of one op are of a kind here. Keys are odd.
uint32_t kind_of(const Node& node) {
  const uint32_t key = pending.marks[node.slot].key;
  return key ? key : static_cast<uint32_t>(Hash::of(node.op)) << 1;
}

}  // namespace

void LateKinds::forget() {
  looked_at_ = 0;
  late_ = in_time_ = 0;
  if (std::exchange(n_, 0)) std::ranges::fill(table_, uint8_t{0});
}

void LateKinds::look() {
  forget();
  const size_t n = looked_at_ = pending.nodes.size();
  if (n < late_kinds_from) return;
  // The steps are uneven, or those of a loop might always meet the same place of it.
  step_ = n / kLooks + 1;
  uint32_t dice = 1;
  for (size_t i = 0; i < n; i += 1 + (dice >> 16) % (2 * step_)) {
    dice = dice * 1664525 + 1013904223;
    const Node* node = pending.nodes[i];
    if (node && !note(*node)) {
      forget();
      looked_at_ = n;
      return;
    }
  }
  follow();
}

size_t LateKinds::place_of(uint32_t key) const {
  size_t at = key * 0x9e3779b1u >> 24;
  while (table_[at] && kinds_[table_[at] - 1].key != key) at = (at + 1) % std::size(table_);
  return at;
}

int LateKinds::number_of(uint32_t key) {
  uint8_t& known = table_[place_of(key)];
  if (known) return known - 1;
  if (n_ == kMost) return -1;
  kinds_[n_] = {key, 0, 0};
  known = static_cast<uint8_t>(++n_);
  return n_ - 1;
}

bool LateKinds::note(const Node& node) {
  const int own = number_of(kind_of(node));
  if (own < 0) return false;
  kinds_[own].bytes += bytes_of(node) * step_;
  for (const Value& in : node.in()) {
    if (!in || in->state != State::pending) continue;
    const int read = number_of(kind_of(*in));
    if (read < 0) return false;
    kinds_[read].feeds |= uint64_t{1} << own;
  }
  return true;
}

void LateKinds::follow() {
  for (bool more = true; more;) {
    more = false;
    for (int i = 0; i < n_; ++i)
      for (int k = 0; k < n_; ++k) {
        const uint64_t further = kinds_[i].feeds >> k & 1 ? kinds_[k].feeds & ~kinds_[i].feeds : 0;
        kinds_[i].feeds |= further;
        more |= further != 0;
      }
  }
  uint64_t recurrent = 0, after = 0;
  for (int i = 0; i < n_; ++i) recurrent |= kinds_[i].feeds & uint64_t{1} << i;
  for (int i = 0; i < n_; ++i)
    if (recurrent >> i & 1) after |= kinds_[i].feeds;
  for (int i = 0; i < n_; ++i) {
    const uint64_t bit = uint64_t{1} << i;
    if ((recurrent & bit) || kinds_[i].feeds & recurrent || kinds_[i].bytes > kMostBytes)
      in_time_ |= bit;
    else if (after & bit && kinds_[i].key & 1)
      late_ |= bit;
  }
}

bool LateKinds::is_among(uint32_t key, uint64_t kinds) const {
  const uint8_t known = kinds ? table_[place_of(key)] : 0;
  return known && kinds >> (known - 1) & 1;
}

}  // namespace wend
