// exec/levels.hpp: where pending nodes stand that may run as one: those of a level whose keys are
// equal. Nodes are not looked at; whether they are alike is exec/group, running them exec/batch.
#pragma once

#include <vector>

#include "graph/record.hpp"

namespace wend {

// The place of a pending node, and its key.
struct Place {
  uint32_t slot, key;
};

// The places of pending nodes by level and key, groups of a level in the order of their first
// nodes. It goes on where it was: each node is sorted in once, however often some are started.
class Levels {
 public:
  using Group = uint32_t;
  static constexpr Group kNone = ~0u;

  // Sorts in what was recorded since; all anew where nodes have got other places.
  void take();
  // Whether that is little, because some of what is pending was sorted in before.
  bool goes_on() const { return taken_ > 0 && places_ == pending.moves; }
  void clear();

  uint32_t highest() const { return static_cast<uint32_t>(levels_.size()) - 1; }
  // Whether there are enough pending nodes a level, those counted that were started.
  bool are_wide() const;
  // The groups of a level, one after the other; kNone is the end.
  Group first(uint32_t level) const { return levels_[level].first; }
  Group next(Group g) const { return groups_[g].next; }
  // Those nodes of a level that may have no company; kNone where there are none.
  Group alone(uint32_t level) const { return levels_[level].alone; }
  uint32_t key(Group g) const { return groups_[g].key; }
  uint32_t size(Group g) const { return groups_[g].n; }
  // Of a group that had some put back: how many joined it since.
  uint32_t grown(Group g) const { return groups_[g].n - groups_[g].put_back; }

  // Moves the places of a group out, in the order of recording ...
  void move_out(Group g, std::vector<uint32_t>& to);
  // ... and those back that are still pending.
  void put_back(Group g, const std::vector<uint32_t>& slots);
  // Some places of a group: the first of each block, and the last of all.
  void sample(Group g, std::vector<uint32_t>& to) const;
  // Leaves a group where it is, as if all of it had been put back.
  void pass_over(Group g) { groups_[g].put_back = groups_[g].n; }
  // For the report: all places of a level in the order of recording.
  std::vector<Place> places(uint32_t level) const;

 private:
  struct OfGroup {
    uint32_t level, key;
    uint32_t first;  // block of places; the others are linked to it
    uint32_t end;    // behind the last place, counted through all blocks
    uint32_t n;      // places
    uint32_t put_back;
    Group next;
    Group then;  // that of the node after one of this; examples take turns, so it mostly is again
  };
  // As much as is read from memory at once; the next block stands where the last place would.
  struct alignas(64) Block {
    static constexpr uint32_t kSize = 16, kPlaces = kSize - 1;
    uint32_t at[kSize];
  };
  struct OfLevel {
    Group first = kNone, last = kNone, alone = kNone;
  };

  Group* find(uint32_t key, uint32_t level);
  Group group_of(uint32_t key, uint32_t level);
  void make_table(size_t size);
  void append(OfGroup& group, uint32_t slot);
  void add_block(OfGroup& group);
  template <class Do>
  void each(const OfGroup& group, Do what) const;

  uint64_t places_ = 0;  // Pending::moves when these were the places
  size_t taken_ = 0;     // nodes, from the first
  Group last_ = kNone;
  std::vector<OfLevel> levels_;
  std::vector<OfGroup> groups_;
  std::vector<Group> table_;
  std::vector<Block> blocks_;
};

// Whether so little is pending that levels are not worth a look.
bool are_few();
// Whether there are enough nodes a level for it.
bool are_wide();
// Guesses from little of what nodes must have in common whether enough of them have company for
// levels to be worth it: views of one base that differ in their place count, for what reads them
// has company. Stops as soon as it is sure.
bool have_company();

}  // namespace wend
