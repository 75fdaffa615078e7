// exec/batch.cpp: nodes that do the same to different values run as one. Pending nodes are taken
// level by level; those of a level with equal keys become the rows of one node, recorded by the
// rule in their op's entry, so that running it and going back through it are as for any node.
#include "graph/batch.hpp"

#include <algorithm>
#include <bit>
#include <unordered_map>

#include "exec/fuse.hpp"
#include "exec/report.hpp"
#include "exec/run.hpp"
#include "ops/batching.hpp"
#include "ops/functions.hpp"

namespace wend {
namespace {

constexpr size_t kMany = 64;   // nodes that need not be counted
constexpr size_t kFew = 8;     // nodes that are not worth a look
constexpr double kWide = 1.5;  // nodes a level, on average, from which levels are worth it
constexpr size_t kLarge = size_t{1} << 18;  // bytes of a value that fills the machine by itself ...
constexpr size_t kLargeRow = size_t{1} << 14;  // ... or that takes longer to copy than to call for
constexpr uint32_t kMaxInputs = 16;
constexpr size_t kWorthApart = 4;  // members of a part that is worth a kernel of its own ...
constexpr size_t kMaxApart = 16;   // ... and the most parts
constexpr size_t kMaxParts = 256;  // that a group is split into by a weight

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

// Inline, here and below, as they would be in one place: each is called for every node.
// What members of a batch must have in common: everything but the values of their inputs and their
// own attributes.
[[gnu::always_inline]] inline uint64_t key_of(const Node& node) {
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

[[gnu::always_inline]] inline bool same_key(const Node& a, const Node& b) {
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
[[gnu::always_inline]] inline bool is_worth_company(const Node& node) {
  if (!node.op->can_batch() || node.n_inputs == 0) return false;
  const auto bytes = static_cast<size_t>(node.layout->numel) * size_of(node.dtype);
  return bytes > 0 && bytes <= (node.op->elementwise < 0 ? kLarge : kLargeRow);
}

// Whether the node may be a member as far as it is known before its inputs have run.
[[gnu::always_inline]] inline bool could_batch(const Node& node) {
  return is_worth_company(node) && !node.extra && !node.order && !node.batch &&
         node.n_inputs <= kMaxInputs;
}

bool may_batch(const Node& node) {
  if (!could_batch(node)) return false;
  // What reads memory that somebody outside may write runs at once, whatever else is pending.
  for (const Value& in : node.in())
    if (in->state != State::valued || (outside_buffers && in->buffer && is_shared(*in->buffer)))
      return false;
  return true;
}

using Members = std::span<Node* const>;

bool same_value(const Node& a, const Node& b) {
  return &a == &b || (a.buffer && a.buffer == b.buffer && a.offset == b.offset && !a.extra &&
                      !b.extra && a.needs_grad() == b.needs_grad() && a.op->view && b.op->view &&
                      a.inputs[0].get() == b.inputs[0].get() && a.inputs[0]);
}

// How the members' inputs in one place lie to each other.
struct Slot {
  bool one_node = true;   // they are one node ...
  bool one_value = true;  // ... or several views of one value
  bool in_rows = true;    // they are rows of one batch, one behind the other

  Slot(Members members, uint32_t slot) {
    const Node& first = *members[0]->inputs[slot];
    in_rows = lies_in_batch(first);
    for (size_t i = 1; i < members.size() && (one_value || in_rows); ++i) {
      const Node& in = *members[i]->inputs[slot];
      one_node &= &in == &first;
      if (one_value) one_value = same_value(in, first);
      if (in_rows)
        in_rows = in.batch == first.batch && in.row == first.row + i && lies_in_batch(in);
    }
  }
};

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
        if (whole->state == State::valued) move_survivors_out(*whole->batch);
    } catch (const Error&) {  // there is no memory to save some: members stay where they are
    }
  }

 private:
  static constexpr size_t kWorthThinning = 128 << 10;
  std::vector<Ref<Node>> wholes_;
};

// Splits members by the value of an input that is better shared; true iff it is worth it.
bool split_by_weight(Members members, uint32_t slot, std::vector<std::vector<Node*>>& parts) {
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

// Splits members by the batch that an input lies in, where each part then finds its inputs one
// behind the other; true iff parts are large enough to be worth more than a copy.
bool split_by_rows(Members members, uint32_t slot, std::vector<std::vector<Node*>>& parts) {
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

bool split_by_rows(Members members, std::vector<std::vector<Node*>>& parts) {
  if (members[0]->op->view) return false;
  for (uint32_t i = 0; i < members[0]->n_inputs; ++i) {
    parts.clear();
    if (split_by_rows(members, i, parts)) return true;
  }
  return false;
}

bool are_few() {
  if (pending.live >= kMany) return false;
  return pending.live < kFew || std::ranges::count_if(pending.nodes, is_due) < ptrdiff_t{kFew};
}

// Guesses from little of each node's key whether enough of them have company for levels to be worth
// it: where none has, even keys would cost too much. Stops as soon as it is sure.
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

// The places of pending nodes by level. Nodes are not looked at: one that goes away meanwhile
// leaves its place empty.
class Levels {
 public:
  Levels() {
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

  bool worth_it() const { return !slots_.empty(); }
  uint32_t highest() const { return static_cast<uint32_t>(start_.size()) - 2; }
  std::span<const uint32_t> level(uint32_t l) const {
    return {slots_.data() + start_[l], start_[l + 1] - start_[l]};
  }

 private:
  std::vector<uint32_t> start_, slots_;
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

// The nodes of one level, sorted into groups of equal keys in the order of their first members.
class Groups {
 public:
  void begin(size_t n) {
    groups_.clear();
    table_.assign(std::bit_ceil(n * 2), ~0u);
  }
  void add(Node* node) { group_of(*node).push_back(node); }
  std::span<std::vector<Node*>> all() { return {pool_.data(), groups_.size()}; }

 private:
  [[gnu::always_inline]] std::vector<Node*>& group_of(const Node& node) {
    const size_t mask = table_.size() - 1;
    const uint64_t key = key_of(node);
    for (size_t at = key >> 32 & mask;; at = (at + 1) & mask) {
      if (table_[at] == ~0u) {
        table_[at] = static_cast<uint32_t>(groups_.size());
        groups_.push_back(key);
        if (pool_.size() < groups_.size()) pool_.emplace_back();
        pool_[groups_.size() - 1].clear();
        return pool_[groups_.size() - 1];
      }
      const uint32_t g = table_[at];
      if (groups_[g] == key && same_key(*pool_[g][0], node)) return pool_[g];
    }
  }

  std::vector<uint32_t> table_;
  std::vector<uint64_t> groups_;  // their keys' hashes
  std::vector<std::vector<Node*>> pool_;
};

// Says why the nodes of a run in the order of recording did not run as one.
[[gnu::noinline]] void explain(const Levels& levels) {
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
  return true;
}

void Batches::run_one_by_one(Members members) {
  fusion_.finish();
  for (Node* node : members) {
    if (node->state != State::pending || node->uses == 0) continue;
    const int64_t work = work_of(*node);
    execute(*node, work);
    poll_.after(work);
  }
}

void Batches::run_alike(Members members) {
  if (members.size() == 1) return run_one_by_one(members);
  const Op& op = *members[0]->op;
  for (uint32_t i = 0; i < members[0]->n_inputs && op.weights >> i; ++i) {
    std::vector<std::vector<Node*>> parts;
    if (!(op.weights >> i & 1) || Slot(members, i).one_value || !split_by_weight(members, i, parts))
      continue;
    if (report) report->apart(members, Apart::weight, i, parts.size());
    for (const auto& part : parts) run_alike(part);
    return;
  }
  std::vector<std::vector<Node*>> parts;
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
    if (report) explain(levels);
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
