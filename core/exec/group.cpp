// exec/group.cpp: keys, levels and groups of pending nodes, and when groups are better split.
#include "exec/group.hpp"

#include <algorithm>
#include <bit>

#include "exec/execute.hpp"
#include "exec/report.hpp"

namespace wend {
namespace {

constexpr size_t kMany = 64;   // nodes that need not be counted
constexpr size_t kFew = 8;     // nodes that are not worth a look
constexpr double kWide = 1.5;  // nodes a level, on average, from which levels are worth it
constexpr size_t kLarge = size_t{1} << 18;  // bytes of a value that fills the machine by itself ...
constexpr size_t kLargeRow = size_t{1} << 14;  // ... or that takes longer to copy than to call for
constexpr size_t kWorthApart = 4;  // members of a part that is worth a kernel of its own ...
constexpr size_t kMaxApart = 16;   // ... and the most parts
constexpr size_t kMaxParts = 256;  // that a group is split into by a weight

struct Hash {
  uint64_t state = 0x9e3779b97f4a7c15u;
  void add(uint64_t v) { state = (std::rotl(state, 5) ^ v) * 0x517cc1b727220a95u; }
  void add(const void* p) { add(reinterpret_cast<uintptr_t>(p) >> 4); }
};

void add_attr(Hash& h, const Arg& a) {
  h.add(static_cast<uint64_t>(a.kind) << 32 | a.n);
  if (a.kind == Arg::ints || a.kind == Arg::reals)
    for (uint32_t i = 0; i < a.n; ++i) h.add(static_cast<uint64_t>(a.ints_p[i]));
  else if (a.kind != Arg::text && a.kind != Arg::none)
    h.add(static_cast<uint64_t>(a.i));
}

}  // namespace

bool same_attr(const Arg& a, const Arg& b) {
  if (a.kind != b.kind || a.n != b.n) return false;
  switch (a.kind) {
    case Arg::none:
      return true;
    case Arg::ints:
    case Arg::reals:
      return std::equal(a.ints_p, a.ints_p + a.n, b.ints_p);
    case Arg::text:
      return std::equal(a.text_p, a.text_p + a.n, b.text_p);
    default:
      return a.i == b.i;
  }
}

namespace {

// What members of a batch must have in common: everything but the values of their inputs and their
// own attributes.
uint64_t key_of(const Node& node) {
  Hash h;
  h.add(node.op);
  h.add(node.layout);
  h.add(static_cast<uint64_t>(node.n_inputs) << 24 | static_cast<uint64_t>(node.saved) << 16 |
        static_cast<uint64_t>(node.dtype) << 8 |
        (node.flags & (Node::requires_grad | Node::inference)));
  h.add(static_cast<uint64_t>(node.offset));
  for (uint32_t i = 0; i < node.n_inputs; ++i) {
    h.add(node.inputs[i]->layout);
    h.add(static_cast<uint64_t>(node.inputs[i]->dtype));
  }
  for (uint32_t i = 0; node.attrs && i < node.attrs->n; ++i)
    if (!is_own(*node.op, i)) add_attr(h, node.attrs->items[i]);
  return h.state;
}

bool same_key(const Node& a, const Node& b) {
  constexpr uint8_t kFlags = Node::requires_grad | Node::inference;
  if (a.op != b.op || a.layout != b.layout || a.n_inputs != b.n_inputs || a.dtype != b.dtype ||
      a.offset != b.offset || a.saved != b.saved || (a.flags ^ b.flags) & kFlags)
    return false;
  for (uint32_t i = 0; i < a.n_inputs; ++i)
    if (a.inputs[i]->layout != b.inputs[i]->layout || a.inputs[i]->dtype != b.inputs[i]->dtype)
      return false;
  const uint32_t n = a.attrs ? a.attrs->n : 0;
  if (n != (b.attrs ? b.attrs->n : 0)) return false;
  for (uint32_t i = 0; i < n; ++i)
    if (!is_own(*a.op, i) && !same_attr(a.attrs->items[i], b.attrs->items[i])) return false;
  return true;
}

// Whether the op has a rule for many, and the value is of a size at which it pays.
bool is_worth_company(const Node& node) {
  if (!node.op->can_batch() || node.n_inputs == 0) return false;
  const auto bytes = static_cast<size_t>(node.layout->numel) * size_of(node.dtype);
  return bytes > 0 && bytes <= (node.op->elementwise < 0 ? kLarge : kLargeRow);
}

// Whether the node may be a member as far as it is known before its inputs have run.
bool could_batch(const Node& node) {
  return is_worth_company(node) && !node.extra && !node.order && !node.batch &&
         node.n_inputs <= kMaxInputs;
}

}  // namespace

bool may_batch(const Node& node) {
  if (!could_batch(node)) return false;
  // What reads memory that somebody outside may write runs at once, whatever else is pending.
  for (const Value& in : node.in())
    if (in->state != State::valued || (outside_buffers && in->buffer && is_shared(*in->buffer)))
      return false;
  return true;
}

Levels::Levels() {
  const std::span levels(pending.levels.data(), pending.nodes.size());
  const uint32_t highest = *std::ranges::max_element(levels);
  if (static_cast<double>(pending.live) < kWide * highest) return;
  start_.resize(highest + 2);
  for (uint32_t level : levels) ++start_[level];
  uint32_t at = 0;
  for (uint32_t& start : start_) at += std::exchange(start, at);
  slots_.resize(levels.size());
  auto next = start_;
  for (size_t i = 0; i < levels.size(); ++i) slots_[next[levels[i]]++] = static_cast<uint32_t>(i);
}

bool are_few() {
  if (pending.live >= kMany) return false;
  return pending.live < kFew || std::ranges::count_if(pending.nodes, is_due) < ptrdiff_t{kFew};
}

bool have_company() {
  constexpr size_t kEnough = 256;  // nodes with company, whatever the others are ...
  constexpr size_t kOneOf = 4;     // ... or one of so many
  std::vector<uint16_t> seen(std::bit_ceil(pending.live));
  size_t due = 0, alike = 0;
  for (size_t i = 0; i < pending.nodes.size(); ++i) {
    const Node* node = pending.nodes[i];
    if (!node || node->uses == 0) continue;
    ++due;
    if (!is_worth_company(*node)) continue;
    Hash h;
    h.add(node->op);
    h.add(node->layout);
    h.add(node->inputs[0]->layout);
    h.add(pending.levels[i]);
    const auto mark = static_cast<uint16_t>(h.state >> 48 | 1);
    uint16_t& last = seen[h.state >> 8 & (seen.size() - 1)];
    if (std::exchange(last, mark) == mark && ++alike == kEnough) return true;
  }
  return alike * kOneOf >= due;
}

void report_why_apart(const Levels& levels) {
  Groups groups;
  for (uint32_t l = 1; l <= levels.highest(); ++l) {
    const auto slots = levels.level(l);
    groups.begin(slots.size());
    for (uint32_t slot : slots) {
      Node* node = pending.nodes[slot];
      if (!is_due(node)) continue;
      if (slots.size() > 1 && could_batch(*node))
        groups.add(node);
      else
        report->alone(*node, slots.size() > 1);
    }
    report->level(groups.all());
    for (const auto& group : groups.all())
      if (group.size() > 1) report->apart(group, Apart::too_few, 0, group.size());
  }
}

void Groups::begin(size_t n) {
  groups_.clear();
  table_.assign(std::bit_ceil(n * 2), ~0u);
}

void Groups::add(Node* node) {
  const size_t mask = table_.size() - 1;
  const uint64_t key = key_of(*node);
  size_t at = key >> 32 & mask;
  for (; table_[at] != ~0u; at = (at + 1) & mask) {
    const uint32_t g = table_[at];
    if (groups_[g] == key && same_key(*pool_[g][0], *node)) return pool_[g].push_back(node);
  }
  const size_t g = groups_.size();
  table_[at] = static_cast<uint32_t>(g);
  groups_.push_back(key);
  if (pool_.size() == g) pool_.emplace_back();
  pool_[g].assign(1, node);
}

namespace {

bool same_value(const Node& a, const Node& b) {
  return &a == &b || (a.buffer && a.buffer == b.buffer && a.offset == b.offset && !a.extra &&
                      !b.extra && a.needs_grad() == b.needs_grad() && a.op->view && b.op->view &&
                      a.inputs[0].get() == b.inputs[0].get() && a.inputs[0]);
}

}  // namespace

Slot::Slot(Members members, uint32_t slot) {
  const Node& first = *members[0]->inputs[slot];
  in_rows = lies_in_batch(first);
  for (size_t i = 1; i < members.size() && (one_value || in_rows); ++i) {
    const Node& in = *members[i]->inputs[slot];
    one_node &= &in == &first;
    if (one_value) one_value = same_value(in, first);
    if (in_rows) in_rows = in.batch == first.batch && in.row == first.row + i && lies_in_batch(in);
  }
}

bool split_by_weight(Members members, uint32_t slot, Parts& parts) {
  for (Node* m : members) {
    const auto part = std::ranges::find_if(parts, [&](const auto& part) {
      return same_value(*part[0]->inputs[slot], *m->inputs[slot]);
    });
    if (part != parts.end()) {
      part->push_back(m);
      continue;
    }
    if ((parts.size() + 1) * 2 > members.size() || parts.size() == kMaxParts) return false;
    parts.push_back({m});
  }
  return true;
}

namespace {

bool split_by_rows(Members members, uint32_t slot, Parts& parts) {
  size_t at = 0;
  for (Node* m : members) {
    const Node& in = *m->inputs[slot];
    if (!lies_in_batch(in)) return false;
    // Members mostly take turns.
    size_t tried = 0;
    while (tried < parts.size() && parts[at][0]->inputs[slot]->batch != in.batch)
      at = (at + 1) % parts.size(), ++tried;
    if (tried == parts.size()) {
      if ((parts.size() + 1) * kWorthApart > members.size() || tried == kMaxApart) return false;
      at = parts.size();
      parts.emplace_back();
    } else if (parts[at].back()->inputs[slot]->row + 1 != in.row) {
      return false;
    }
    parts[at].push_back(m);
    at = (at + 1) % parts.size();
  }
  return parts.size() > 1;
}

}  // namespace

bool split_by_rows(Members members, Parts& parts) {
  if (members[0]->op->view) return false;
  for (uint32_t i = 0; i < members[0]->n_inputs; ++i) {
    parts.clear();
    if (split_by_rows(members, i, parts)) return true;
  }
  return false;
}

}  // namespace wend
