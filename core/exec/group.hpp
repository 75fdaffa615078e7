// exec/group.hpp: which pending nodes may run as one: those of a level whose keys are equal.
// Running them is exec/batch.
#pragma once

#include <memory>
#include <vector>

#include "graph/batch.hpp"
#include "graph/record.hpp"

namespace wend {

using Members = std::span<Node* const>;

// The place of a pending node, and its key.
struct Place {
  uint32_t slot, key;
};

// The places of pending nodes by level. Nodes are not looked at: one that goes away meanwhile
// leaves its place empty.
class Levels {
 public:
  Levels();

  bool worth_it() const { return places_ != nullptr; }
  uint32_t highest() const { return static_cast<uint32_t>(start_.size()) - 2; }
  std::span<const Place> level(uint32_t l) const {
    return {&places_[start_[l]], start_[l + 1] - start_[l]};
  }

 private:
  std::vector<uint32_t> start_;
  std::unique_ptr<Place[]> places_;
};

// Whether so little is pending that levels are not worth a look.
bool are_few();
// Guesses from little of what nodes must have in common whether enough of them have company for
// levels to be worth it: views of one base that differ in their place count, for what reads them
// has company. Stops as soon as it is sure.
bool have_company();
// Tells the report why the nodes of a run in the order of recording did not run as one ...
void report_why_apart(const Levels& levels);
// ... and which nodes of a level will not, now that their inputs have run.
void report_level(std::span<const Place> level);

// The places of one level, sorted into groups of equal keys in the order of their first nodes.
// Nodes are not looked at.
class Groups {
 public:
  void sort(std::span<const Place> level);
  std::span<std::vector<uint32_t>> all() { return {pool_.data(), kinds_.size()}; }
  uint32_t key(size_t group) const { return kinds_[group].key; }
  // Places of nodes that may have no company.
  std::span<const uint32_t> alone() const { return alone_; }

 private:
  // Examples take turns: what came after one of a kind last time mostly does again.
  struct Kind {
    uint32_t key, next;
  };
  static constexpr uint32_t kNone = ~0u;

  void make_table(size_t size);
  uint32_t* find(uint32_t key);
  uint32_t group_of(uint32_t key);

  std::vector<uint32_t> table_, alone_;
  std::vector<Kind> kinds_;                  // of each group
  std::vector<std::vector<uint32_t>> pool_;  // its places
};

// A member's input.
struct Input {
  Node* node;
  Batch* batch;  // that it is a row of; none where its value lies elsewhere
  uint32_t row;
};

class Group;

// Members of a group, one behind the other.
class Alike {
 public:
  Alike(Group& group, size_t begin, size_t n) : group_(&group), begin_(begin), n_(n) {}

  Members members() const;
  const Node& like() const { return *members()[0]; }  // any of them
  std::span<const Input> inputs(uint32_t i) const;
  size_t size() const { return n_; }
  // Puts members of equal parts one behind the other; so many are in each.
  std::vector<Alike> sort_by(std::span<const uint32_t> parts, std::span<const size_t> sizes) const;
  // Room to write down which part each is of.
  std::span<uint32_t> parts() const;
  // The parts whose inputs in one place are rows of one batch, one behind the other; none where
  // they are small.
  std::vector<Alike> runs_of_rows(uint32_t slot) const;

 private:
  Group* group_;
  size_t begin_, n_;
};

// Nodes that agree in all that members must. They come from memory once: what is asked of their
// inputs later is noted then. They are held, and with them, as long as they are pending, the
// inputs.
class Group {
 public:
  Group() = default;
  Group(const Group&) = delete;
  ~Group() { let_go(); }

  // Takes the nodes at `slots` that are like the first and may be members. Those stay in `slots`
  // that are unlike it, those that run by themselves or not at all go to `alone`.
  void take(std::vector<uint32_t>& slots, std::vector<uint32_t>& alone);
  void let_go();
  Alike all() { return {*this, 0, n_}; }

 private:
  friend Alike;
  enum class Fit : uint8_t { member, alone, unlike };
  struct Kind {
    const Layout* layout;
    DType dtype;
  };

  void begin(const Node& first);
  template <uint32_t kInputs>
  Fit note_inputs(const Node& node);
  template <uint32_t kInputs>
  void take_like(const Node& first, std::vector<uint32_t>& slots, std::vector<uint32_t>& alone);

  Kind kinds_[kMaxInputs];  // of each input
  size_t n_ = 0;
  std::vector<Node*> members_;  // the first `n_`; as the inputs, as long as any group's were
  std::vector<Input> inputs_;   // the first of all members, then the second of all ...
  size_t stride_ = 0;           // ... so many places further on
  // While parts are put one behind the other.
  std::vector<uint32_t> parts_;
  std::vector<Node*> members_before_;
  std::vector<Input> inputs_before_;
};

// How the members' inputs in one place lie to each other.
struct Slot {
  bool one_node;   // they are one node ...
  bool one_value;  // ... or several views of one value
  bool in_rows;    // they are rows of one batch, one behind the other

  Slot() = default;
  explicit Slot(std::span<const Input> inputs);
};

// The same for all places.
struct Slots {
  Slot at[kMaxInputs];

  explicit Slots(const Alike& alike);
};

// Splits members by the value of an input that is better shared; none where it is not worth it.
std::vector<Alike> split_by_weight(const Alike& alike, uint32_t slot);
// Splits members by the batch that an input lies in, where each part then finds its inputs one
// behind the other; none where parts are not large enough to be worth more than a copy.
std::vector<Alike> split_by_rows(const Alike& alike, const Slots& slots);

}  // namespace wend
