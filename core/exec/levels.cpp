// exec/levels.cpp: pending nodes sorted by level and key, and whether that is worth it.
#include "exec/levels.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <span>

#include "exec/execute.hpp"

namespace wend {
namespace {

constexpr size_t kMany = 64;   // nodes that need not be counted
constexpr size_t kFew = 8;     // nodes that are not worth a look
constexpr double kWide = 1.5;  // nodes a level, on average, from which levels are worth it
constexpr size_t kTable = 64;  // places for groups at first

}  // namespace

void Levels::clear() {
  taken_ = 0;
  last_ = kNone;
  levels_.clear();
  groups_.clear();
  blocks_.clear();
  table_.assign(kTable, kNone);
}

// Where the group stands in the table, or will.
Levels::Group* Levels::find(uint32_t key, uint32_t level) {
  const size_t mask = table_.size() - 1;
  size_t at = ((key >> 1) + level * 0x9e3779b1u) & mask;
  while (table_[at] != kNone &&
         (groups_[table_[at]].key != key || groups_[table_[at]].level != level))
    at = (at + 1) & mask;
  return &table_[at];
}

void Levels::make_table(size_t size) {
  table_.assign(size, kNone);
  for (Group g = 0; g < groups_.size(); ++g) *find(groups_[g].key, groups_[g].level) = g;
}

Levels::Group Levels::group_of(uint32_t key, uint32_t level) {
  Group& there = *find(key, level);
  if (there != kNone) return there;
  const Group g = there = static_cast<Group>(groups_.size());
  groups_.push_back({level, key, kNone, Block::kPlaces, 0, 0, kNone, g});
  if (level >= levels_.size()) levels_.resize(level + 1);
  OfLevel& of = levels_[level];
  if (!key)
    of.alone = g;
  else
    (of.first == kNone ? of.first : groups_[of.last].next) = g, of.last = g;
  if (groups_.size() * 2 > table_.size()) make_table(table_.size() * 4);
  return g;
}

[[gnu::noinline]] void Levels::add_block(OfGroup& group) {
  const auto block = static_cast<uint32_t>(blocks_.size());
  (group.n == 0 ? group.first : blocks_[group.end / Block::kSize].at[Block::kPlaces]) = block;
  blocks_.emplace_back();
  group.end = block * Block::kSize;
}

[[gnu::always_inline]] inline void Levels::append(OfGroup& group, uint32_t slot) {
  if (group.end % Block::kSize == Block::kPlaces) [[unlikely]]
    add_block(group);
  blocks_[group.end / Block::kSize].at[group.end % Block::kSize] = slot;
  ++group.end;
  ++group.n;
}

// Block by block.
template <class Do>
[[gnu::always_inline]] inline void Levels::each(const OfGroup& group, Do what) const {
  for (uint32_t left = group.n, block = group.first; left > 0;) {
    const Block& places = blocks_[block];
    const uint32_t n = std::min(left, Block::kPlaces);
    what(std::span(places.at, n));
    left -= n;
    block = places.at[Block::kPlaces];
  }
}

void Levels::take() {
  if (std::exchange(places_, pending.moves) != pending.moves || table_.empty()) clear();
  const std::span nodes = pending.nodes;
  const Pending::Mark* marks = pending.marks.data();
  // In registers: nearly every node goes through here.
  OfGroup* groups = groups_.data();
  Group last = last_;
  for (size_t i = taken_; i < nodes.size(); ++i) {
    if (!nodes[i]) continue;
    const auto [level, key] = marks[i];
    Group g = last == kNone ? kNone : groups[last].then;
    if (g == kNone || groups[g].key != key || groups[g].level != level) [[unlikely]] {
      g = group_of(key, level);
      groups = groups_.data();
      if (last != kNone) groups[last].then = g;
    }
    append(groups[g], static_cast<uint32_t>(i));
    last = g;
  }
  last_ = last;
  taken_ = nodes.size();
}

void Levels::move_out(Group g, std::vector<uint32_t>& to) {
  OfGroup& group = groups_[g];
  to.resize(group.n);
  each(group, [at = to.begin()](std::span<const uint32_t> slots) mutable {
    at = std::ranges::copy(slots, at).out;
  });
  group.n = group.put_back = 0;
  group.end = group.first * Block::kSize;
}

void Levels::put_back(Group g, const std::vector<uint32_t>& slots) {
  for (uint32_t slot : slots)
    if (pending.nodes[slot]) append(groups_[g], slot);
  groups_[g].put_back = groups_[g].n;
}

void Levels::sample(Group g, std::vector<uint32_t>& to) const {
  to.clear();
  uint32_t last = 0;
  each(groups_[g], [&](std::span<const uint32_t> slots) {
    to.push_back(slots.front());
    last = slots.back();
  });
  if (groups_[g].n > 1) to.push_back(last);
}

std::vector<Place> Levels::places(uint32_t level) const {
  std::vector<Place> all;
  const auto add = [&](Group g) {
    each(groups_[g], [&](std::span<const uint32_t> slots) {
      for (uint32_t slot : slots) all.push_back({slot, groups_[g].key});
    });
  };
  if (alone(level) != kNone) add(alone(level));
  for (Group g = first(level); g != kNone; g = next(g)) add(g);
  std::ranges::sort(all, {}, &Place::slot);
  return all;
}

bool are_few() {
  if (pending.live >= kMany) return false;
  return pending.live < kFew || std::ranges::count_if(pending.nodes, is_due) < ptrdiff_t{kFew};
}

bool Levels::are_wide() const { return static_cast<double>(pending.live) >= kWide * highest(); }

bool are_wide() {
  uint32_t highest = 0;
  for (size_t i = 0; i < pending.nodes.size(); ++i)
    highest = std::max(highest, pending.nodes[i] ? pending.marks[i].level : 0);
  return static_cast<double>(pending.live) >= kWide * highest;
}

bool have_company() {
  constexpr size_t kEnough = 256;  // nodes with company, whatever the others are ...
  constexpr size_t kOneOf = 4;     // ... or one of so many
  // Of a few kinds of nodes no three are to share a place; what is far behind need not be found.
  constexpr size_t kFewestPlaces = 512, kMostPlaces = 8192;
  using Seen = std::array<uint32_t, 2>;  // kinds that take turns find each other
  std::vector<Seen> seen(std::clamp(std::bit_ceil(pending.live), kFewestPlaces, kMostPlaces));
  size_t due = 0, alike = 0;
  for (size_t i = 0; i < pending.nodes.size(); ++i) {
    const Node* node = pending.nodes[i];
    if (!is_due(node)) continue;
    ++due;
    const auto [level, key] = pending.marks[i];
    if (!key) continue;
    Hash h;
    h.add(Hash::of(node->op));
    h.add(Hash::of(node->layout));
    h.add(Hash::of(node->inputs[0]->layout));
    h.add(level);
    const auto mark = static_cast<uint32_t>(h.state >> 32 | 1);
    Seen& last = seen[h.state >> 8 & (seen.size() - 1)];
    if (last[0] != mark && last[1] != mark)
      last = {mark, last[0]};
    else if (++alike == kEnough)
      return true;
  }
  return alike * kOneOf >= due;
}

}  // namespace wend
