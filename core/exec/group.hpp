// exec/group.hpp: which pending nodes may run as one: those of a level whose keys are equal.
// Running them is exec/batch.
#pragma once

#include <vector>

#include "graph/batch.hpp"
#include "graph/record.hpp"

namespace wend {

constexpr uint32_t kMaxInputs = 16;  // of a member

using Members = std::span<Node* const>;
using Parts = std::vector<std::vector<Node*>>;

// Whether members of a batch may differ in attribute i.
inline bool is_own(const Op& op, uint32_t i) { return i < 32 && op.own_attrs >> i & 1; }
bool same_attr(const Arg& a, const Arg& b);

// Whether the node may be a member, now that its inputs have run.
bool may_batch(const Node& node);

// The places of pending nodes by level. Nodes are not looked at: one that goes away meanwhile
// leaves its place empty.
class Levels {
 public:
  Levels();

  bool worth_it() const { return !slots_.empty(); }
  uint32_t highest() const { return static_cast<uint32_t>(start_.size()) - 2; }
  std::span<const uint32_t> level(uint32_t l) const {
    return {slots_.data() + start_[l], start_[l + 1] - start_[l]};
  }

 private:
  std::vector<uint32_t> start_, slots_;
};

// Whether so little is pending that levels are not worth a look.
bool are_few();
// Guesses from little of each node's key whether enough of them have company for levels to be worth
// it: where none has, even keys would cost too much. Stops as soon as it is sure.
bool have_company();
// Tells the report why the nodes of a run in the order of recording did not run as one.
void report_why_apart(const Levels& levels);

// The nodes of one level, sorted into groups of equal keys in the order of their first members.
class Groups {
 public:
  void begin(size_t n);
  void add(Node* node);
  std::span<std::vector<Node*>> all() { return {pool_.data(), groups_.size()}; }

 private:
  std::vector<uint32_t> table_;
  std::vector<uint64_t> groups_;  // their keys' hashes
  Parts pool_;
};

// How the members' inputs in one place lie to each other.
struct Slot {
  bool one_node = true;   // they are one node ...
  bool one_value = true;  // ... or several views of one value
  bool in_rows = true;    // they are rows of one batch, one behind the other

  Slot(Members members, uint32_t slot);
};

// Splits members by the value of an input that is better shared; true iff it is worth it.
bool split_by_weight(Members members, uint32_t slot, Parts& parts);
// Splits members by the batch that an input lies in, where each part then finds its inputs one
// behind the other; true iff parts are large enough to be worth more than a copy.
bool split_by_rows(Members members, Parts& parts);

}  // namespace wend
