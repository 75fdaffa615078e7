// exec/batch.cpp: nodes that do the same to different values run as one: they become the rows of
// one node, recorded by the rule in their op's entry, so that running it and going back through it
// are as for any node. Which nodes those are is exec/group.
#include "graph/batch.hpp"

#include <algorithm>
#include <bit>
#include <unordered_map>

#include "exec/flight.hpp"
#include "exec/fuse.hpp"
#include "exec/group.hpp"
#include "exec/report.hpp"
#include "exec/run.hpp"
#include "ops/batching.hpp"
#include "ops/functions.hpp"

namespace wend {
namespace {

// Nodes are passed in an order that memory does not know: those to come are fetched ahead, first
// the node, then what it refers to. Inline, or GCC takes a function of prefetches for one without
// effect and leaves the call out.
template <class Nodes>
[[gnu::always_inline]] inline void fetch_ahead(const Nodes& nodes, size_t i) {
  constexpr size_t kNode = 16, kInputs = 6;
  if (i + kNode < nodes.size() && nodes[i + kNode]) {
    __builtin_prefetch(nodes[i + kNode]);
    __builtin_prefetch(reinterpret_cast<const char*>(nodes[i + kNode]) + 64);
  }
  if (i + kInputs < nodes.size() && nodes[i + kInputs]) {
    const Node& node = *nodes[i + kInputs];
    if (node.attrs) __builtin_prefetch(node.attrs);
    for (uint32_t k = 0; k < node.n_inputs && k < 3; ++k) __builtin_prefetch(node.inputs[k].get());
  }
}

Value gather(Members members, uint32_t slot) {
  Values sources;
  std::vector<int64_t> from, row;
  from.reserve(members.size());
  row.reserve(members.size());
  std::unordered_map<const Batch*, int64_t> known;
  const Batch* last = nullptr;
  int64_t last_source = 0;
  for (const Node* m : members) {
    const Node& in = *m->inputs[slot];
    if (!lies_in_batch(in)) {
      from.push_back(static_cast<int64_t>(sources.size()));
      row.push_back(-1);
      sources.push_back(m->inputs[slot]);
      continue;
    }
    if (in.batch != last) {
      last = in.batch;
      const auto [it, anew] = known.try_emplace(last, static_cast<int64_t>(sources.size()));
      if (anew) sources.push_back(whole_of(in));
      last_source = it->second;
    }
    from.push_back(last_source);
    row.push_back(in.row);
  }
  Dims sizes(members[0]->inputs[slot]->sizes());
  sizes.insert(0, static_cast<int64_t>(members.size()));
  return gathered(sources, sizes.span(), from, row);
}

// Rows of one batch, which need no copy.
Value rows_of_batch(Members members, uint32_t slot) {
  const Node& first = *members[0]->inputs[slot];
  const Value whole = whole_of(first);
  const auto n = static_cast<int64_t>(members.size());
  return whole->size(0) == n ? whole : batch_rows(whole, first.row, n);
}

// Whoever recorded the members, they run in a mode of their own.
struct ModeOfMembers : PlainMode {
  explicit ModeOfMembers(const Node& like) : PlainMode(&like) {
    mode.grad = like.needs_grad();
    mode.inference = like.flags & Node::inference;
  }
};

// Members with their inputs put together, and the node whose rows are their values; none where they
// cannot be run at once.
class Together {
 public:
  explicit Together(Members members) : members(members) {
    Value in[kMaxInputs];
    members[0]->op->view ? lift_view(in) : lift(in);
    for (uint32_t i = 0; whole && i < members[0]->n_inputs; ++i) {
      in_[i] = Ref<Node>(in[i].get());
      if (i < 7 && members[0]->saved >> i & 1) saved_[i] = in[i];
    }
  }

  const Members members;
  Value whole;

  // What the batch is to hold for the members.
  std::vector<BatchInput> inputs() const {
    const Node& like = *members[0];
    std::vector<BatchInput> all;
    if (!like.needs_grad()) return all;
    for (uint32_t i = 0; i < like.n_inputs; ++i) {
      all.push_back({in_[i].get(), (shared_ >> i & 1) != 0, {}});
      if (merged_ >> i & 1)
        for (const Node* m : members) all.back().each.push_back(m->inputs[i].get());
    }
    return all;
  }

 private:
  void lift(Value* in) {
    const Node& like = *members[0];
    for (uint32_t i = 0; i < like.n_inputs; ++i) {
      const Slot slot(members, i);
      if (slot.one_value) {
        shared_ |= uint64_t{1} << i;
        if (!slot.one_node) merged_ |= uint64_t{1} << i;
        in[i] = like.inputs[i];
      } else {
        in[i] = slot.in_rows ? rows_of_batch(members, i) : gather(members, i);
      }
    }
    if (std::popcount(shared_) == static_cast<int>(like.n_inputs))
      lift_equal(in);
    else
      whole = like.op->lift({like, members, {in, like.n_inputs}, shared_});
  }

  void lift_view(Value* in) {
    const Node &like = *members[0], &base = *like.inputs[0];
    // How elements that share a place share a gradient is each view's own affair.
    if (may_overlap(*base.layout) || !Slot(members, 0).in_rows) return;
    in[0] = rows_of_batch(members, 0);
    Dims sizes(like.sizes()), strides(like.strides());
    sizes.insert(0, static_cast<int64_t>(members.size()));
    strides.insert(0, in[0]->layout->stride(0));
    whole =
        batch_view(in[0], sizes.span(), strides.span(), in[0]->offset + like.offset - base.offset);
  }

  // Members that do all the same are as many all the same.
  void lift_equal(Value* in) {
    const Node& like = *members[0];
    Values repeated(in, in + like.n_inputs);
    Dims sizes(in[0]->sizes());
    sizes.insert(0, static_cast<int64_t>(members.size()));
    repeated[0] = expand(in[0], sizes);
    whole = like.op->lift({like, members, repeated, shared_ & ~uint64_t{1}});
  }

  Ref<Node> in_[kMaxInputs];  // held without use: their memory may be handed on ...
  Value saved_[7];            // ... unless the gradient reads it
  uint64_t shared_ = 0;
  uint64_t merged_ = 0;  // bit i: inputs i are several views of one value
};

// Whether rows lie in memory as members do; the stride of a dimension of one does not matter.
bool lie_alike(const Node& whole, const Node& like) {
  for (int i = 0; i < like.ndim(); ++i) {
    if (whole.size(i + 1) != like.size(i)) return false;
    if (like.size(i) != 1 && whole.layout->stride(i + 1) != like.layout->stride(i)) return false;
  }
  return true;
}

// Whether the rows of `whole` are what the members would be.
bool fits(const Node& whole, Members members) {
  const Node& like = *members[0];
  return (whole.state == State::valued || whole.state == State::pending) &&
         whole.dtype == like.dtype && whole.needs_grad() == like.needs_grad() &&
         whole.ndim() == like.ndim() + 1 && whole.size(0) == static_cast<int64_t>(members.size()) &&
         lie_alike(whole, like) && (like.op->view || like.offset == 0);
}

void publish_rows(Node& whole, const Together& together) {
  Batch& batch = new_batch(whole, together.members, together.inputs());
  for (size_t i = 0; i < together.members.size(); ++i) {
    Node& member = *together.members[i];
    pending.remove(&member);
    join_batch(batch, member, static_cast<uint32_t>(i));
  }
  for (Node* member : together.members) leave_inputs(*member);
  counters.nodes += together.members.size();
}

// Batches of this run that are large enough for their last members not to keep them.
class LargeBatches {
 public:
  void add(Node& whole) {
    if (static_cast<size_t>(whole.numel()) * size_of(whole.dtype) >= kWorthThinning)
      wholes_.emplace_back(&whole);
  }
  void thin_out() {
    std::erase_if(wholes_, [](const Ref<Node>& whole) {
      return whole->state == State::dropped || whole->state == State::failed;
    });
    try {
      for (const Ref<Node>& whole : wholes_)
        if (whole->state == State::valued && !is_in_flight(*whole))
          move_survivors_out(*whole->batch);
    } catch (const Error&) {  // there is no memory to save some: members stay where they are
    }
  }

 private:
  static constexpr size_t kWorthThinning = 128 << 10;
  std::vector<Ref<Node>> wholes_;
};

// The nodes of one level that are still there, held as long as it runs.
class HeldNodes {
 public:
  HeldNodes() = default;
  HeldNodes(const HeldNodes&) = delete;
  ~HeldNodes() { let_go(); }
  void take(std::span<const uint32_t> slots) {
    let_go();
    for (size_t i = 0; i < slots.size(); ++i) {
      if (i + 16 < slots.size()) __builtin_prefetch(pending.nodes[slots[i + 16]], 1);
      if (Node* node = pending.nodes[slots[i]]) retain(nodes_.emplace_back(node));
    }
  }
  Members all() const { return nodes_; }

 private:
  void let_go() {
    for (Node* node : nodes_) unref(node);
    nodes_.clear();
  }

  std::vector<Node*> nodes_;
};

// Runs levels. What works element by element on a batch may wait, to run with what reads it.
class Batches {
 public:
  explicit Batches(Poll& poll) : poll_(poll), fusion_(poll) {}

  void run_level(Members nodes);
  void finish() { fusion_.finish(); }

 private:
  bool run_at_once(Members members);
  void run_recorded_since(size_t mark);
  void run_alike(Members members);
  void run_one_by_one(Members members);
  void run_unlike(Node& node, bool others);

  Poll& poll_;
  Fusion fusion_;
  Groups groups_;
  LargeBatches large_;
};

void Batches::run_recorded_since(size_t mark) {
  for (size_t i = mark; i < pending.nodes.size(); ++i) {
    Node* node = pending.nodes[i];
    if (!node || node->uses == 0) continue;
    const Value held(node);
    // Integers may be divided by zero: that shows before members have their values.
    const bool may_fail = node->op->tile && !is_floating(node->dtype);
    if (may_fail) fusion_.finish();
    fusion_.run(*node);
    if (may_fail) fusion_.finish();
  }
}

bool Batches::run_at_once(Members members) {
  const size_t mark = pending.nodes.size();
  try {
    const ModeOfMembers theirs(*members[0]);
    const Together together(members);
    if (!together.whole) return false;
    run_recorded_since(mark);
    if (!fits(*together.whole, members)) return false;
    publish_rows(*together.whole, together);
    large_.add(*together.whole);
  } catch (const Error& e) {
    if (e.kind == ErrorKind::interrupted) throw;
    // Which of them it is that cannot run shows when each runs by itself.
    return false;
  }
  if (report) report->batch(members);
  ++counters.batches;
  counters.batched += members.size();
  land();
  return true;
}

void Batches::run_one_by_one(Members members) {
  fusion_.finish();
  for (Node* node : members) {
    if (node->state != State::pending || node->uses == 0) continue;
    const int64_t work = work_of(*node);
    execute(*node, work);
    poll_.after(work);
    land();
  }
}

void Batches::run_alike(Members members) {
  if (members.size() == 1) return run_one_by_one(members);
  const Op& op = *members[0]->op;
  for (uint32_t i = 0; i < members[0]->n_inputs && op.weights >> i; ++i) {
    Parts parts;
    if (!(op.weights >> i & 1) || Slot(members, i).one_value || !split_by_weight(members, i, parts))
      continue;
    if (report) report->apart(members, Apart::weight, i, parts.size());
    for (const auto& part : parts) run_alike(part);
    return;
  }
  Parts parts;
  if (split_by_rows(members, parts)) {
    for (const auto& part : parts) run_alike(part);
    return;
  }
  if (run_at_once(members)) return;
  if (report) report->apart(members, Apart::refused, 0, members.size());
  run_one_by_one(members);
}

void Batches::run_unlike(Node& node, bool others) {
  if (report) report->alone(node, others);
  Node* const one[] = {&node};
  run_one_by_one(one);
}

void Batches::run_level(Members nodes) {
  groups_.begin(nodes.size());
  for (size_t i = 0; i < nodes.size(); ++i) {
    fetch_ahead(nodes, i);
    Node* node = nodes[i];
    if (node->state != State::pending) continue;
    if (node->uses == 0)
      take_place(*node);
    else if (nodes.size() > 1 && may_batch(*node))
      groups_.add(node);
    else
      run_unlike(*node, nodes.size() > 1);
  }
  if (report) report->level(groups_.all());
  for (const auto& group : groups_.all()) run_alike(group);
  large_.thin_out();
}

bool broken_off = false;  // a run ended by an error, and may have left batches that wait

// Members have been told that they have their values, so levels do not count their batch.
void run_left_over() {
  for (size_t i = 0; i < pending.nodes.size(); ++i)
    if (Node* node = pending.nodes[i]; is_due(node) && node->flags & Node::stands_for_batch)
      run_with_needs(*node);
  broken_off = false;
}

}  // namespace

bool run_in_batches(Poll& poll) {
  if (broken_off) run_left_over();
  if (are_few()) return false;
  const Levels levels;
  if (!levels.worth_it()) return false;
  if (!have_company()) {
    if (report) report_why_apart(levels);
    return false;
  }
  Batches batches(poll);
  HeldNodes nodes;
  broken_off = true;
  for (uint32_t l = 1; l <= levels.highest(); ++l) {
    nodes.take(levels.level(l));
    batches.run_level(nodes.all());
  }
  batches.finish();
  broken_off = false;
  return true;
}

}  // namespace wend
