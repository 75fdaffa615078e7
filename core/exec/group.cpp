// exec/group.cpp: which nodes of a level are alike, and when groups of them are better split.
#include "exec/group.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstring>

#include "exec/execute.hpp"
#include "exec/report.hpp"

namespace wend {
namespace {

constexpr size_t kWorthApart = 4;  // members of a part that is worth a kernel of its own ...
constexpr size_t kMaxApart = 16;   // ... and the most parts
constexpr size_t kMaxParts = 256;  // that a group is split into by a weight

bool same_attrs(const Node& a, const Node& b) {
  const uint32_t n = a.attrs ? a.attrs->n : 0;
  if (n != (b.attrs ? b.attrs->n : 0)) return false;
  for (uint32_t i = 0; i < n; ++i)
    if (!is_own(*a.op, i) && !same_attr(a.attrs->items[i], b.attrs->items[i])) return false;
  return true;
}

// Number of inputs, dtype, what is saved and the flags that matter, which lie side by side.
[[gnu::always_inline]] inline uint64_t traits(const Node& node) {
  constexpr uint8_t kFlags = Node::requires_grad | Node::inference;
  constexpr std::array<uint8_t, 8> kMatter = {255, 255, 255, 255, 255, 0, kFlags, 255};
  static_assert(offsetof(Node, dtype) == offsetof(Node, n_inputs) + 4 &&
                offsetof(Node, state) == offsetof(Node, n_inputs) + 5 &&
                offsetof(Node, flags) == offsetof(Node, n_inputs) + 6 &&
                offsetof(Node, saved) == offsetof(Node, n_inputs) + 7);
  uint64_t all;
  std::memcpy(&all, &node.n_inputs, sizeof all);
  return all & std::bit_cast<uint64_t>(kMatter);
}

// Whether members of a batch have all in common that they must, as far as it does not depend on
// their inputs; equal keys make it likely.
[[gnu::always_inline]] inline bool are_alike(const Node& a, const Node& b) {
  return a.op == b.op && a.layout == b.layout && traits(a) == traits(b) && a.offset == b.offset &&
         (a.attrs == b.attrs || same_attrs(a, b));
}

bool same_key(const Node& a, const Node& b) {
  return are_alike(a, b) && std::ranges::equal(a.in(), b.in(), [](const Value& x, const Value& y) {
           return x->layout == y->layout && x->dtype == y->dtype;
         });
}

// Whether nothing that happened to the node since it was recorded keeps it from being a member.
bool is_unmarked(const Node& node) { return !node.extra && !node.order && !node.batch; }

// What reads memory that somebody outside may write runs at once, whatever else is pending.
[[gnu::noinline]] bool is_outside(const Node& in) { return in.buffer && is_shared(*in.buffer); }
[[gnu::always_inline]] inline bool is_ready(const Node& in) {
  return in.state == State::valued && !(outside_buffers && is_outside(in));
}

}  // namespace

namespace {

// The nodes of a level in groups of equal keys; those without are reported.
template <class MayBatch>
std::vector<std::vector<Node*>> reported_groups(const std::vector<Place>& level,
                                                MayBatch may_batch) {
  std::vector<std::vector<Node*>> groups;
  for (const auto [slot, key] : level) {
    Node* node = pending.nodes[slot];
    if (!is_due(node)) continue;
    if (level.size() == 1 || !key || !may_batch(*node)) {
      report->alone(*node, level.size() > 1);
      continue;
    }
    const auto group =
        std::ranges::find_if(groups, [&](const auto& g) { return same_key(*g[0], *node); });
    group != groups.end() ? group->push_back(node) : groups.push_back({node});
  }
  report->level(groups);
  return groups;
}

}  // namespace

void report_why_apart(const Levels& levels) {
  for (uint32_t l = 0; l <= levels.highest(); ++l)
    for (const auto& group : reported_groups(levels.places(l), is_unmarked))
      if (group.size() > 1) report->apart(group, Apart::too_few, 0, group.size());
}

void report_level(const std::vector<Place>& level) {
  reported_groups(level, [](const Node& node) {
    return is_unmarked(node) && std::ranges::all_of(node.in(), [](const Value& in) {
             return is_ready(*in) || in->state == State::pending;  // it waits for its kind
           });
  });
}

namespace {

constexpr size_t kAhead = 24;  // nodes that are fetched before their turn comes

// Nodes are passed in an order that memory does not know: those to come are fetched, and then what
// they refer to. There are `kAhead` empty places behind the last.
[[gnu::always_inline]] inline void fetch_ahead(Node* const* at, uint32_t n_inputs) {
  constexpr size_t kInputs = 12;
  fetch(at[kAhead]);
  const Node* node = at[kInputs];
  if (!node) return;
  for (uint32_t k = 0; k < n_inputs && k < 3; ++k) __builtin_prefetch(node->inputs[k].get(), 1);
}

// The batch that a value lies in as a row.
[[gnu::always_inline]] inline Batch* home_of(const Node& in) {
  return !in.buffer || lies_in_batch(in) ? in.batch : nullptr;
}

// Apart, for it is rare and long.
[[gnu::noinline]] void add(std::vector<uint32_t>& to, uint32_t slot) { to.push_back(slot); }

}  // namespace

// Notes a node's inputs as those of the next member. Most have one or two, for which it is compiled
// with the number known.
template <uint32_t kInputs>
[[gnu::always_inline]] inline Group::Fit Group::note_inputs(const Node& node, Input* at,
                                                            size_t stride) {
  const uint32_t n = kInputs ? kInputs : node.n_inputs;
#pragma GCC unroll 2
  for (uint32_t i = 0; i < n; ++i, at += stride) {
    Node* in = node.inputs[i].get();
    if (in->layout != kinds_[i].layout || in->dtype != kinds_[i].dtype) return Fit::unlike;
    if (!is_ready(*in)) return Fit::alone;
    *at = {in, home_of(*in), in->row};
  }
  return Fit::member;
}

// The first node of a group says what the others must be like.
void Group::begin(const Node& first) {
  const size_t n = first.n_inputs;
  inputs_.resize(std::max(inputs_.size(), n * stride_));
  for (size_t i = 0; i < n; ++i) kinds_[i] = {first.inputs[i]->layout, first.inputs[i]->dtype};
}

template <uint32_t kInputs>
void Group::take_like(const Node& first, std::vector<uint32_t>& slots,
                      std::vector<uint32_t>& alone) {
  Node** const nodes = members_.data();
  Input* const inputs = inputs_.data();
  const size_t stride = stride_;
  size_t n = 0, unlike = 0;
  for (size_t i = 0; i < stride; ++i) {
    fetch_ahead(nodes + i, kInputs ? kInputs : first.n_inputs);
    Node* node = nodes[i];
    if (!node) continue;
    Fit fit = Fit::unlike;
    if (are_alike(first, *node))
      fit = node->uses > 0 && is_unmarked(*node) ? note_inputs<kInputs>(*node, inputs + n, stride)
                                                 : Fit::alone;
    if (fit == Fit::member) [[likely]]
      retain(nodes[n++] = node);
    else if (fit == Fit::alone)
      add(alone, slots[i]);
    else
      slots[unlike++] = slots[i];
  }
  slots.resize(unlike);
  n_ = n;
}

void Group::take(std::vector<uint32_t>& slots, std::vector<uint32_t>& alone) {
  stride_ = slots.size();
  members_.resize(std::max(members_.size(), stride_ + kAhead));
  const std::span nodes(members_.data(), stride_);
  std::ranges::transform(slots, nodes.begin(), [](uint32_t slot) { return pending.nodes[slot]; });
  std::fill_n(nodes.end(), kAhead, nullptr);
  for (const Node* node : nodes.first(std::min(stride_, kAhead))) fetch(node);
  const auto any = std::ranges::find_if(nodes, [](const Node* node) { return node; });
  if (any == nodes.end()) return slots.clear();
  const Node& first = **any;
  begin(first);
  if (first.n_inputs == 1)
    take_like<1>(first, slots, alone);
  else if (first.n_inputs == 2)
    take_like<2>(first, slots, alone);
  else
    take_like<0>(first, slots, alone);
}

void Group::let_go() {
  for (Node* member : all().members()) unref(member);
  n_ = 0;
}

Members Alike::members() const { return {group_->members_.data() + begin_, n_}; }

std::span<const Input> Alike::inputs(uint32_t i) const {
  return {group_->inputs_.data() + i * group_->stride_ + begin_, n_};
}

namespace {

// Stable; `starts` are the places of the first of each part.
template <class T>
void sort_column(T* column, std::vector<T>& before, std::span<const uint32_t> parts,
                 List<size_t> starts) {
  before.assign(column, column + parts.size());
  for (size_t i = 0; i < parts.size(); ++i) column[starts[parts[i]]++] = before[i];
}

}  // namespace

List<Alike> Alike::sort_by(std::span<const uint32_t> parts, std::span<const size_t> sizes) const {
  List<size_t> starts;
  starts.reserve(sizes.size());
  List<Alike> sorted;
  sorted.reserve(sizes.size());
  size_t start = 0;
  for (size_t n : sizes) {
    starts.push_back(start);
    sorted.emplace_back(*group_, begin_ + start, n);
    start += n;
  }
  Group& g = *group_;
  const uint32_t n_inputs = like().n_inputs;
  for (uint32_t i = 0; i < n_inputs; ++i)
    sort_column(g.inputs_.data() + i * g.stride_ + begin_, g.inputs_before_, parts, starts);
  sort_column(g.members_.data() + begin_, g.members_before_, parts, std::move(starts));
  return sorted;
}

std::span<uint32_t> Alike::parts() const {
  group_->parts_.resize(std::max(group_->parts_.size(), n_));
  return {group_->parts_.data(), n_};
}

namespace {

// A view whose gradient goes to what it is a view of, and nowhere else.
bool is_plain_view(const Node& node) { return node.op->view && !node.op->edges; }

// Of nodes with the same layout and dtype.
bool same_plain_view(const Node& a, const Node& b) {
  return a.offset == b.offset && !a.extra && !b.extra && a.needs_grad() == b.needs_grad() &&
         is_plain_view(a) && is_plain_view(b) && a.inputs[0].get() == b.inputs[0].get() &&
         a.inputs[0];
}

// Whether two nodes whose values are the same have the same history, apart from themselves: that of
// another node, which for both is the same one or the same view.
bool same_history(const Node& a, const Node& b) {
  constexpr uint8_t kHistory = 0b10;
  if (a.op != b.op || !a.op->view || a.op->edges != kHistory || a.extra || b.extra) return false;
  const Node *of_a = a.inputs[1].get(), *of_b = b.inputs[1].get();
  return of_a && of_b &&
         (of_a == of_b || (of_a->layout == of_b->layout && same_plain_view(*of_a, *of_b)));
}

bool same_value(const Node& a, const Node& b) {
  return &a == &b || (a.buffer && a.buffer == b.buffer && a.offset == b.offset &&
                      (same_plain_view(a, b) || same_history(a, b)));
}

}  // namespace

// Most inputs differ from the first at once.
Slot::Slot(std::span<const Input> inputs) {
  const Input& first = inputs[0];
  one_node = std::ranges::all_of(inputs, [&](const Input& in) { return in.node == first.node; });
  one_value = one_node || std::ranges::all_of(inputs.subspan(1), [&](const Input& in) {
                return same_value(*in.node, *first.node);
              });
  uint32_t row = first.row;
  in_rows = first.batch && std::ranges::all_of(inputs, [&](const Input& in) {
              return in.batch == first.batch && in.row == row++;
            });
}

Slots::Slots(const Alike& alike) {
  const uint32_t n = alike.like().n_inputs;
  for (uint32_t i = 0; i < n; ++i) at[i] = Slot(alike.inputs(i));
}

List<Alike> split_by_weight(const Alike& alike, uint32_t slot) {
  List<uint32_t> part_of;
  List<const Node*> weights;
  List<size_t> sizes;
  for (const Input& in : alike.inputs(slot)) {
    const auto known =
        std::ranges::find_if(weights, [&](const Node* w) { return same_value(*w, *in.node); });
    const auto part = static_cast<size_t>(known - weights.begin());
    if (known == weights.end()) {
      if ((part + 1) * 2 > alike.size() || part == kMaxParts) return {};
      weights.push_back(in.node);
      sizes.push_back(0);
    }
    part_of.push_back(static_cast<uint32_t>(part));
    ++sizes[part];
  }
  return alike.sort_by(part_of, sizes);
}

namespace {

List<Alike> split_by_rows(const Alike& alike, uint32_t slot) {
  const auto inputs = alike.inputs(slot);
  const auto part_of = alike.parts();
  Input last[kMaxApart];  // of each part
  size_t sizes[kMaxApart];
  size_t n = 0, at = 0;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Input& in = inputs[i];
    if (!in.batch) return {};
    // Members mostly take turns.
    size_t tried = 0;
    while (tried < n && last[at].batch != in.batch) at = at + 1 < n ? at + 1 : 0, ++tried;
    if (tried == n) {
      if ((n + 1) * kWorthApart > inputs.size() || n == kMaxApart) return {};
      at = n++;
      sizes[at] = 0;
    } else if (last[at].row + 1 != in.row) {
      return {};
    }
    last[at] = in;
    ++sizes[at];
    part_of[i] = static_cast<uint32_t>(at);
    at = at + 1 < n ? at + 1 : 0;
  }
  return alike.sort_by(part_of, {sizes, n});
}

}  // namespace

List<Alike> Alike::runs_of_rows(uint32_t slot) const {
  List<Alike> runs;
  const auto in = inputs(slot);
  for (size_t begin = 0, end; begin < n_; begin = end) {
    const Input& first = in[begin];
    for (end = begin + 1; end < n_ && first.batch && in[end].batch == first.batch &&
                          in[end].row == first.row + (end - begin);)
      ++end;
    if ((runs.size() + 1) * kWorthApart > n_) return {};
    runs.emplace_back(*group_, begin_ + begin, end - begin);
  }
  return runs;
}

List<Alike> split_by_rows(const Alike& alike, const Slots& slots) {
  if (alike.like().op->view && !slots.at[0].in_rows) return alike.runs_of_rows(0);
  if (alike.like().op->view) return {};
  for (uint32_t i = 0; i < alike.like().n_inputs; ++i) {
    if (slots.at[i].one_value || slots.at[i].in_rows) continue;
    if (auto parts = split_by_rows(alike, i); !parts.empty()) return parts;
  }
  return {};
}

}  // namespace wend
