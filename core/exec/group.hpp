// exec/group.hpp: which pending nodes run as one: those of a level and a key that are alike in
// full. Running them is exec/batch.
#pragma once

#include <vector>

#include "exec/levels.hpp"
#include "graph/batch.hpp"

namespace wend {

using Members = std::span<Node* const>;

// Tells the report why the nodes of a run in the order of recording did not run as one ...
void report_why_apart(const Levels& levels);
// ... and which nodes of a level will not, now that their inputs have run.
void report_level(const std::vector<Place>& level);

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
  List<Alike> sort_by(std::span<const uint32_t> parts, std::span<const size_t> sizes) const;
  // Room to write down which part each is of.
  std::span<uint32_t> parts() const;
  // The parts whose inputs in one place are rows of one batch, one behind the other; none where
  // they are small.
  List<Alike> runs_of_rows(uint32_t slot) const;

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
  Fit note_inputs(const Node& node, Input* at, size_t stride);
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
List<Alike> split_by_weight(const Alike& alike, uint32_t slot);
// Splits members by the batch that an input lies in, where each part then finds its inputs one
// behind the other; none where parts are not large enough to be worth more than a copy.
List<Alike> split_by_rows(const Alike& alike, const Slots& slots);

}  // namespace wend
