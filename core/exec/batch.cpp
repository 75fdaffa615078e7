// exec/batch.cpp: nodes that do the same to different values run as one: they become the rows of
// one node, recorded by the rule in their op's entry, so that running it and going back through it
// are as for any node. Which nodes those are is exec/group.
#include "graph/batch.hpp"

#include <algorithm>
#include <bit>

#include "base/forever.hpp"
#include "exec/flight.hpp"
#include "exec/fuse.hpp"
#include "exec/group.hpp"
#include "exec/late.hpp"
#include "exec/levels.hpp"
#include "exec/report.hpp"
#include "exec/run.hpp"
#include "ops/batching.hpp"
#include "ops/functions.hpp"

namespace wend {
namespace {

// Where the whole of a batch stands among the sources of the rows that are put together. The batch
// knows it, unless it is new here: then what it knows is of another time.
int64_t place_among(Values& sources, const Input& in) {
  Batch& batch = *in.batch;
  if (batch.place >= sources.size() || sources[batch.place].get() != batch.whole) {
    batch.place = static_cast<uint32_t>(sources.size());
    sources.push_back(whole_of(*in.node));
  }
  return batch.place;
}

Value gather(std::span<const Input> inputs) {
  Values sources;
  List<int64_t> from, row;
  from.reserve(inputs.size());
  row.reserve(inputs.size());
  for (const Input& in : inputs) {
    if (in.batch) {
      from.push_back(place_among(sources, in));
      row.push_back(in.row);
    } else {
      from.push_back(static_cast<int64_t>(sources.size()));
      row.push_back(-1);
      sources.emplace_back(in.node);
    }
  }
  Dims sizes(inputs[0].node->sizes());
  sizes.insert(0, static_cast<int64_t>(inputs.size()));
  return gathered(sources, sizes.span(), from, row);
}

// Rows of one batch, which need no copy.
Value rows_of_batch(std::span<const Input> inputs) {
  const Value whole = whole_of(*inputs[0].node);
  const auto n = static_cast<int64_t>(inputs.size());
  return whole->size(0) == n ? whole : batch_rows(whole, inputs[0].row, n);
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
  Together(const Alike& alike, const Slots& slots) : members(alike.members()), alike_(alike) {
    Value in[kMaxInputs];
    members[0]->op->view ? lift_view(in, slots.at[0]) : lift(in, slots);
    for (uint32_t i = 0; whole && i < members[0]->n_inputs; ++i) {
      in_[i] = Ref<Node>(in[i].get());
      if (i < 7 && members[0]->saved >> i & 1) saved_[i] = in[i];
    }
  }

  const Members members;
  Value whole;

  // What the batch is to hold for the members.
  List<BatchInput> inputs() const {
    const Node& like = *members[0];
    List<BatchInput> all;
    if (!like.needs_grad()) return all;
    all.reserve(like.n_inputs);
    for (uint32_t i = 0; i < like.n_inputs; ++i) {
      all.push_back({in_[i].get(), (shared_ >> i & 1) != 0, {}});
      if (merged_ >> i & 1)
        for (const Input& in : alike_.inputs(i)) all.back().each.push_back(in.node);
    }
    return all;
  }

 private:
  void lift(Value* in, const Slots& slots) {
    const Node& like = *members[0];
    for (uint32_t i = 0; i < like.n_inputs; ++i) {
      const auto inputs = alike_.inputs(i);
      const Slot& slot = slots.at[i];
      if (slot.one_value) {
        shared_ |= uint64_t{1} << i;
        if (!slot.one_node) merged_ |= uint64_t{1} << i;
        in[i] = like.inputs[i];
      } else {
        in[i] = slot.in_rows ? rows_of_batch(inputs) : gather(inputs);
      }
    }
    if (std::popcount(shared_) == static_cast<int>(like.n_inputs))
      lift_equal(in);
    else
      whole = like.op->lift({like, members, {in, like.n_inputs}, shared_});
  }

  void lift_view(Value* in, const Slot& slot) {
    const Node &like = *members[0], &base = *like.inputs[0];
    // How elements that share a place share a gradient is each view's own affair.
    if (may_overlap(*base.layout) || !slot.in_rows) return;
    in[0] = rows_of_batch(alike_.inputs(0));
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

  const Alike alike_;
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

void publish_rows(Node& whole, const Together& together, uint32_t level) {
  Batch& batch = new_batch(whole, together.members, together.inputs());
  batch.level = level;
  leave_inputs(together.members);
  counters.nodes += together.members.size();
}

// Batches that are large enough for their last members not to keep them, since the last run.
class LargeBatches {
 public:
  void clear() {
    wholes_.clear();
    added_ = 0;
  }
  void add(Node& whole) {
    const size_t bytes = static_cast<size_t>(whole.numel()) * size_of(whole.dtype);
    if (bytes < kWorthThinning) return;
    wholes_.emplace_back(&whole);
    added_ += bytes;
  }
  // Nothing much has changed as long as little was added.
  void thin_out() {
    if (added_ < kWorthALook) return;
    added_ = 0;
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
  static constexpr size_t kWorthThinning = 32 << 10, kWorthALook = 512 << 10;  // bytes
  std::vector<Ref<Node>> wholes_;
  size_t added_ = 0;  // bytes, since they were looked through
};
constinit Forever<LargeBatches> large_batches;

// What is known of what is pending; while some of it is started, of the rest.
struct Outlook {
  Levels levels;
  LateKinds late;

  void take() {
    levels.take();
    if (is_out_of_date()) late.look();
  }

 private:
  // What was looked at may have been dropped since, and says nothing of what came after it.
  bool is_out_of_date() const {
    const size_t n = pending.nodes.size(), known = late.looked_at();
    if (n >= 4 * known || n < known) return true;
    return std::ranges::none_of(pending.nodes.first(known), [](const Node* node) { return node; });
  }
};
constinit Forever<Outlook> outlook;

// Runs levels. What works element by element on a batch may wait, to run with what reads it.
class Batches {
 public:
  explicit Batches(Poll& poll) : poll_(poll), fusion_(poll) {}

  void run_level(uint32_t l);
  // Runs the large groups of level `l`, which is not 0, whose inputs are there.
  void start_level(uint32_t l);
  void finish() {
    run_late();
    fusion_.finish();
  }

 private:
  // What runs may call user code that looks, by which members have their values before their turn.
  bool are_pending(Members members) const;
  bool run_at_once(const Alike& alike, const Slots& slots);
  bool can_run(const Node& node) const;
  void run_recorded_since(size_t mark);
  void run_alike(const Alike& alike);
  void run_parts(std::span<const Alike> parts);
  void run_group(std::vector<uint32_t>& slots);
  void wait(uint32_t key, std::span<const uint32_t> slots);
  void run_late();
  bool needs_late(std::span<const uint32_t> slots) const;
  void take_sample(Levels::Group g);
  bool all_read_one(uint32_t i) const;
  bool is_large(Levels::Group g) const;
  bool may_be_ready() const;
  void run_shared_inputs();
  void start_group(Levels::Group g);
  void run_one_by_one(Members members);
  void run_one_by_one(std::span<const uint32_t> slots);

  void take(std::vector<uint32_t>& slots);

  Poll& poll_;
  size_t runs_ = 0;       // that there had been when members were taken
  uint32_t started_ = 0;  // the level whose large groups are started; 0: all run
  Fusion fusion_;
  Levels& levels_ = outlook.value.levels;
  const LateKinds& late_ = outlook.value.late;
  Group group_;
  std::vector<uint32_t> slots_;  // of the group of a level that runs ...
  std::vector<uint32_t> left_;   // ... and those that are yet to be taken
  std::vector<Node*> sample_;    // of a group that may be started, the first and the last in it
  std::vector<uint32_t> alone_;  // places in the group of nodes that run by themselves
  LargeBatches& large_ = large_batches.value;
  // Nodes of late kinds that wait, kind by kind in the order in which they were met.
  struct Waiting {
    uint32_t key;
    std::vector<uint32_t> slots;
  };
  std::vector<Waiting> waiting_;
};

// Whether a node reads nothing but what is there or waits to be fused. What another thread recorded
// beside the whole may read what was passed over.
bool Batches::can_run(const Node& node) const {
  return std::ranges::all_of(node.in(), [&](const Value& in) {
    return !in || in->state != State::pending || fusion_.waits(*in);
  });
}

void Batches::run_recorded_since(size_t mark) {
  const size_t end = pending.nodes.size();
  for (size_t i = mark; i < end; ++i) {
    Node* node = pending.nodes[i];
    if (!is_due(node) || !can_run(*node)) continue;
    const Value held(node);
    // Integers may be divided by zero: that shows before members have their values.
    const bool may_fail = node->op->tile && !is_floating(node->dtype);
    if (may_fail) fusion_.finish();
    fusion_.run(*node);
    if (may_fail) fusion_.finish();
  }
}

bool Batches::are_pending(Members members) const {
  return counters.runs == runs_ ||
         std::ranges::all_of(members, [](const Node* m) { return m->state == State::pending; });
}

bool Batches::run_at_once(const Alike& alike, const Slots& slots) {
  const Members members = alike.members();
  const size_t mark = pending.nodes.size();
  try {
    const ModeOfMembers theirs(*members[0]);
    const Together together(alike, slots);
    if (!together.whole) return false;
    run_recorded_since(mark);
    if (!fits(*together.whole, members) || !are_pending(members)) return false;
    publish_rows(*together.whole, together, started_);
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
    poll_.pause();
    if (node->state == State::pending && node->uses > 0) run_alone(*node, poll_);
    land();
  }
}

void Batches::run_one_by_one(std::span<const uint32_t> slots) {
  for (uint32_t slot : slots) {
    poll_.pause();
    const Ref<Node> node(pending.nodes[slot]);  // another thread may drop it
    if (!node) continue;
    if (node->uses == 0) {
      fusion_.pass_over(*node);
      continue;
    }
    fusion_.finish();
    if (is_due(pending.nodes[slot])) run_alone(*node, poll_);
    land();
  }
}

void Batches::run_parts(std::span<const Alike> parts) {
  for (const Alike& part : parts) {
    poll_.pause();
    are_pending(part.members()) ? run_alike(part) : run_one_by_one(part.members());
  }
}

void Batches::run_alike(const Alike& alike) {
  const Members members = alike.members();
  if (members.size() == 1) return started_ ? void() : run_one_by_one(members);
  const Op& op = *members[0]->op;
  const Slots slots(alike);
  for (uint32_t i = 0; i < members[0]->n_inputs && op.weights >> i; ++i) {
    if (!(op.weights >> i & 1) || slots.at[i].one_value || slots.at[i].in_rows) continue;
    const auto parts = split_by_weight(alike, i);
    if (parts.empty()) continue;
    if (report) report->apart(members, Apart::weight, i, parts.size());
    return run_parts(parts);
  }
  if (const auto parts = split_by_rows(alike, slots); !parts.empty()) return run_parts(parts);
  if (run_at_once(alike, slots) || started_) return;
  if (report) report->apart(members, Apart::refused, 0, members.size());
  run_one_by_one(members);
}

void Batches::take(std::vector<uint32_t>& slots) {
  runs_ = counters.runs;
  group_.take(slots, alone_);
}

// Equal keys may be those of unlike nodes: these are a group of their own, then.
void Batches::run_group(std::vector<uint32_t>& slots) {
  while (slots.size() > 1) {
    poll_.pause();
    take(slots);
    if (group_.all().size() > 0) run_alike(group_.all());
    group_.let_go();
  }
  slots.insert(slots.end(), alone_.begin(), alone_.end());
  alone_.clear();
  if (needs_late(slots)) run_late();
  run_one_by_one(slots);
}

void Batches::wait(uint32_t key, std::span<const uint32_t> slots) {
  auto kind = std::ranges::find(waiting_, key, &Waiting::key);
  if (kind == waiting_.end()) kind = waiting_.insert(kind, {key, {}});
  kind->slots.insert(kind->slots.end(), slots.begin(), slots.end());
}

// Whether one of them reads what still waits: everything else of lower levels has run.
bool Batches::needs_late(std::span<const uint32_t> slots) const {
  const auto needs = [](uint32_t slot) {
    const Node* node = pending.nodes[slot];
    return node && std::ranges::any_of(node->in(), [](const Value& in) {
             return in && in->state == State::pending;
           });
  };
  return !waiting_.empty() && std::ranges::any_of(slots, needs);
}

// All of a kind at once. Where kinds turn out to need each other, what is left runs in the order of
// recording.
void Batches::run_late() {
  std::vector<uint32_t> left;
  for (Waiting& kind : std::exchange(waiting_, {})) {
    std::vector<uint32_t>& slots = kind.slots;
    while (slots.size() > 1) {
      poll_.pause();
      take(slots);
      const Members members = group_.all().members();
      if (members.size() > 1) run_alike(group_.all());
      if (members.size() == 1) left.push_back(members[0]->slot);
      group_.let_go();
    }
    left.insert(left.end(), slots.begin(), slots.end());
    left.insert(left.end(), alone_.begin(), alone_.end());
    alone_.clear();
  }
  std::ranges::sort(left);
  run_one_by_one(left);
}

void Batches::run_level(uint32_t l) {
  if (report) report_level(levels_.places(l));
  if (const Levels::Group alone = levels_.alone(l); alone != Levels::kNone) {
    levels_.move_out(alone, slots_);
    if (needs_late(slots_)) run_late();
    run_one_by_one(slots_);
  }
  for (Levels::Group g = levels_.first(l); g != Levels::kNone; g = levels_.next(g)) {
    const uint32_t key = levels_.key(g);
    levels_.move_out(g, slots_);
    const bool waits = late_.contains(key) || (!late_.is_in_time(key) && needs_late(slots_));
    waits ? wait(key, slots_) : run_group(slots_);
  }
  large_.thin_out();
}

// A pending node after the few that it needs; false where it needs more.
bool collect_with_needs(Node& node, std::vector<Ref<Node>>& all, int depth) {
  constexpr int kMostDepth = 4;
  if (std::ranges::any_of(all, [&](const auto& other) { return other.get() == &node; }))
    return true;
  if (depth > kMostDepth || node.uses == 0) return false;
  for (const Value& in : node.in())
    if (in->state == State::pending && !collect_with_needs(*in, all, depth + 1)) return false;
  all.emplace_back(&node);
  return true;
}

void Batches::take_sample(Levels::Group g) {
  levels_.sample(g, slots_);
  sample_.clear();
  for (uint32_t slot : slots_)
    if (Node* node = pending.nodes[slot]) sample_.push_back(node);
}

// Whether all of a group have the same input there, such as a weight, as far as the sample tells.
bool Batches::all_read_one(uint32_t i) const {
  const Node &first = *sample_.front(), &last = *sample_.back();
  return sample_.size() > 1 && i < last.n_inputs && first.inputs[i].get() == last.inputs[i].get();
}

// Whether there are enough of a group for a batch to be hardly faster for being larger: more where
// all read a large weight, which is read anew for each batch.
bool Batches::is_large(Levels::Group g) const {
  constexpr size_t kLargeWeight = 1 << 20;  // bytes, that the nearest caches hold
  const Node& first = *sample_.front();
  size_t shared = 0;
  for (uint32_t i = 0; i < first.n_inputs; ++i)
    if (all_read_one(i)) shared += bytes_of(*first.inputs[i]);
  return levels_.grown(g) >= early_start.members * (1 + shared / kLargeWeight);
}

// Whether one of the sample has its inputs, but for those that all wait for. Where a group could
// not be started, those that read it cannot be, and need not be taken out to see it.
bool Batches::may_be_ready() const {
  return std::ranges::any_of(sample_, [&](const Node* node) {
    for (uint32_t i = 0; i < node->n_inputs; ++i)
      if (node->inputs[i]->state == State::pending && !all_read_one(i)) return false;
    return true;
  });
}

// What all of a group wait for, such as a weight that was just changed, is not large enough to be
// started for its own sake.
void Batches::run_shared_inputs() {
  const Node& first = *sample_.front();
  std::vector<Ref<Node>> needed;
  for (uint32_t i = 0; i < first.n_inputs; ++i) {
    Node* in = first.inputs[i].get();
    if (in->state != State::pending || !all_read_one(i)) continue;
    if (!collect_with_needs(*in, needed, 0)) return;
  }
  for (const Ref<Node>& node : needed)
    if (node->state == State::pending && node->uses > 0) fusion_.run(*node);
  if (!needed.empty()) fusion_.finish();
}

// Nodes whose inputs are not there, and those that cannot run at once, wait for their turn.
void Batches::start_group(Levels::Group g) {
  run_shared_inputs();
  levels_.move_out(g, slots_);
  const size_t before = counters.batched;
  left_ = slots_;
  while (left_.size() >= early_start.members) {
    poll_.pause();
    take(left_);
    if (group_.all().size() >= early_start.members) run_alike(group_.all());
    group_.let_go();
    alone_.clear();
  }
  const bool all = counters.batched - before == slots_.size();
  if (!all) levels_.put_back(g, slots_);
}

void Batches::start_level(uint32_t l) {
  started_ = l;
  for (Levels::Group g = levels_.first(l); g != Levels::kNone; g = levels_.next(g)) {
    if (levels_.grown(g) < early_start.members || late_.contains(levels_.key(g))) continue;
    take_sample(g);
    if (sample_.empty() || !is_large(g)) continue;
    may_be_ready() ? start_group(g) : levels_.pass_over(g);
  }
}

// Levels that were sorted before know it, unless what made them high was dropped since.
bool levels_are_wide() {
  Levels& levels = outlook.value.levels;
  if (levels.goes_on()) levels.take();
  return (levels.goes_on() && levels.are_wide()) || are_wide();
}

bool broken_off = false;  // a run ended by an error, and may have left batches that wait

// Members have been told that they have their values, so levels do not count their batch.
void run_left_over() {
  outlook.value.levels.clear();
  for (size_t i = 0; i < pending.nodes.size(); ++i)
    if (Node* node = pending.nodes[i]; is_due(node) && node->flags & Node::stands_for_batch)
      run_with_needs(*node);
  broken_off = false;
}

}  // namespace

bool run_in_batches(Poll& poll) {
  if (broken_off) run_left_over();
  if (are_few() || !levels_are_wide()) return false;
  auto& [levels, late] = outlook.value;
  if (!have_company()) {
    if (!report) return false;
    levels.take();
    report_why_apart(levels);
    return false;
  }
  outlook.value.take();
  Batches batches(poll);
  broken_off = true;
  for (uint32_t l = 0; l <= levels.highest(); ++l) batches.run_level(l);
  batches.finish();
  broken_off = false;
  return true;
}

void forget_outlook() {
  large_batches.value.clear();
  outlook.value.late.forget();
}

void start_large_batches(Poll& poll) {
  if (broken_off) return;
  outlook.value.take();
  const Levels& levels = outlook.value.levels;
  if (!levels.are_wide()) return;
  Batches batches(poll);
  broken_off = true;
  for (uint32_t l = 1; l <= levels.highest(); ++l) batches.start_level(l);
  batches.finish();
  large_batches.value.thin_out();
  broken_off = false;
}

}  // namespace wend
