// exec/fuse.cpp: finds groups of nodes that work element by element in the order of running, and
// runs each as a program over tiles. Rows that a group reads may be taken from where they are, and
// at its end there may be a reduction, or a value that is made of members.
#include "exec/fuse.hpp"

#include <algorithm>
#include <bit>
#include <memory>
#include <optional>
#include <vector>

#include "base/denormals.hpp"
#include "base/threads.hpp"
#include "exec/flight.hpp"
#include "exec/report.hpp"
#include "graph/batch.hpp"
#include "graph/describe.hpp"
#include "kernels/tiles.hpp"

namespace wend {
namespace {

constexpr int kMostPassing = 32;         // nodes that may run while others wait
constexpr double kWorthAThread = 32768;  // nanoseconds
constexpr int kMostGathered = TileProgram::kGathered - Fusion::kParts;

bool is_saved(const Node& node, uint32_t i) { return i < 7 && node.saved >> i & 1; }

// A value that is there before the group runs.
struct External {
  const Node* node;
  uint32_t frees;  // reads after which it is not needed
  int last;        // member that reads it
  bool taken;      // its memory is an output's
  bool in_rows;    // some of its rows are read in any order, so no output may have its memory
  bool placed;
  TileProgram::Place place;
};

// Groups are large, and many are launched one after the other: their memory is used again.
struct SpareGroups {
  static constexpr size_t kMost = 64;
  size_t n = 0;
  void* at[kMost] = {};
};
constinit SpareGroups spare;

// A group that runs. Members know their number by Node::order, which they get anew afterwards.
class Group final : public Launch {
 public:
  // `parts` is where those of the last member lie, if it is made of others; null if it is not.
  Group(std::span<Node* const> members, const Tile* tiles, bool closed, const PartAt* parts,
        int64_t work)
      : Launch(work),
        n_(members.size()),
        tiles_(tiles),
        parts_(parts),
        reduction_(closed && members.back()->op->takes_maker ? members.back() : nullptr),
        collection_(closed && !reduction_ ? members.back() : nullptr),
        program_(members[0]->sizes(), members[0]->strides()) {
    std::ranges::copy(members, nodes_);
    look_at_reads();
    give_memory();
    build();
  }

  static void* operator new(size_t bytes) {
    return spare.n ? spare.at[--spare.n] : ::operator new(bytes);
  }
  static void operator delete(void* group) {
    if (spare.n == SpareGroups::kMost) return ::operator delete(group);
    spare.at[spare.n++] = group;
  }

  // Members have their values, or do once it has run.
  void publish();
  void run_here();
  void take_off();
  void say_what_it_uses();

 private:
  using Place = TileProgram::Place;

  void look_at_reads();
  void give_memory();
  void build();
  void kernel() override;
  std::span<Node* const> nodes() const override { return members(); }
  std::span<Node* const> members() const { return {nodes_, n_}; }

  // The number of a member, or ~ that of an external value.
  int number_of(const Node& node);
  int external(const Node& node);
  bool is_kept(int i) const { return nodes_[i]->uses != frees_[i]; }
  bool take_memory(Node& node, int i, size_t bytes);

  void add_member(int i, const int16_t* reads);
  void add_rows(int i);
  void close(const int16_t* reads);
  Place place_read(int read) { return read < 0 ? place_of(externals_[~read]) : places_[read]; }
  Place place_of_part(uint32_t k);
  Place operand(int i, uint32_t k, int read);
  Place place_of(External& e);
  Place place_for(int i);

  // A repeated element in the dtype of a loop, which is converted when the group runs.
  struct Number {
    Cast cast;
    const char* from;
    int64_t element;
  };
  // Rows of members, whose beginnings are looked up when the group runs.
  struct RowTable {
    const Node* node;
    std::unique_ptr<char*[]> begins;
  };
  // Tiles of one size that nobody reads any more.
  struct FreeTiles {
    int n = 0;
    Place at[Fusion::kMembers + kMaxOperands];
  };
  FreeTiles& free_tiles(DType dtype) {
    return free_[std::countr_zero(static_cast<uint64_t>(size_of(dtype)))];
  }
  Place new_tile(DType dtype) {
    FreeTiles& list = free_tiles(dtype);
    return list.n ? list.at[--list.n] : program_.tile(size_of(dtype));
  }
  void free_tile(Place place, DType dtype) {
    FreeTiles& list = free_tiles(dtype);
    list.at[list.n++] = place;
  }

  const size_t n_;
  Node* nodes_[Fusion::kMembers];
  const Tile* tiles_;  // only while it is built
  const PartAt* parts_;
  Node* reduction_;   // the last member, if it is one ...
  Node* collection_;  // ... or is made of others
  TileProgram program_;
  int n_externals_ = 0, n_numbers_ = 0;
  External externals_[Fusion::kReads];
  int16_t reads_[Fusion::kReads];     // of all members, as number_of()
  uint32_t left_[Fusion::kMembers];   // reads to come of each member
  uint32_t frees_[Fusion::kMembers];  // as in External
  Place places_[Fusion::kMembers];
  int8_t part_of_[Fusion::kMembers];  // which part of the collection a member is, or -1
  Number numbers_[Fusion::kReads];
  std::vector<RowTable> tables_;
  FreeTiles free_[4];  // by size
};

int Group::external(const Node& node) {
  constexpr int kRecent = 8;
  for (int i = n_externals_; --i >= 0 && i >= n_externals_ - kRecent;)
    if (externals_[i].node == &node) return i;
  externals_[n_externals_] = {&node, 0, 0, false, false, false, 0};
  return n_externals_++;
}

int Group::number_of(const Node& node) {
  const uint64_t i = node.order - 1;
  if (i < n_ && nodes_[i] == &node) return static_cast<int>(i);
  return ~external(node);
}

void Group::look_at_reads() {
  const int n = static_cast<int>(n_);
  for (int i = 0; i < n; ++i) {
    nodes_[i]->order = static_cast<uint64_t>(i) + 1;
    left_[i] = frees_[i] = 0;
    part_of_[i] = -1;
  }
  int16_t* read = reads_;
  for (int i = 0; i < n; ++i) {
    const Node& node = *nodes_[i];
    for (uint32_t k = 0; k < node.n_inputs; ++k) {
      const int number = number_of(*node.inputs[k]);
      const uint32_t frees = is_saved(node, k) ? 0 : 1;
      *read++ = static_cast<int16_t>(number);
      if (number >= 0) {
        ++left_[number];
        frees_[number] += frees;
      } else {
        with_buffer(*node.inputs[k]);
        externals_[~number].frees += frees;
        externals_[~number].last = i;
        externals_[~number].in_rows |= node.op->rows != nullptr;
      }
    }
  }
  if (!collection_) return;
  read -= collection_->n_inputs;
  for (uint32_t k = collection_->n_inputs; k-- > 0;)
    if (read[k] >= 0) part_of_[read[k]] = static_cast<int8_t>(k);
}

// Tiles of an output are written after all members before it have read theirs.
bool Group::take_memory(Node& node, int i, size_t bytes) {
  if (!node.op->donates) return false;
  for (External& e : std::span(externals_, n_externals_)) {
    if (e.node->uses != e.frees || e.last > i || e.taken || e.in_rows ||
        !has_memory_for(*e.node, node, bytes))
      continue;
    e.taken = true;
    node.buffer = e.node->buffer;
    ++node.buffer->refs;
    ++counters.donated;
    return true;
  }
  return false;
}

void Group::give_memory() {
  for (size_t i = 0; i < n_; ++i) {
    Node& node = *nodes_[i];
    if (&node != reduction_ && !is_kept(static_cast<int>(i))) continue;
    const size_t bytes = bytes_of(node);
    if (take_memory(node, static_cast<int>(i), bytes)) continue;
    try {
      node.buffer = allocate(bytes).leak();
      counters.bytes += bytes;
      if (report) report->allocated(node);
    } catch (Error& e) {
      for (Node* member : members())
        if (member->buffer) BufferRef::adopt(std::exchange(member->buffer, nullptr));
      locate(e, call_of(node), node.source());
      throw;
    }
  }
}

Group::Place Group::place_of(External& e) {
  if (e.placed) return e.place;
  const Node& node = *e.node;
  const bool in_order = node.layout == nodes_[0]->layout;
  e.placed = true;
  return e.place = in_order ? program_.in_order(node.data(), size_of(node.dtype))
                   : node.layout->uniform
                       ? program_.repeated(node.data())
                       : program_.gathered({node.data(), node.dtype, node.strides()}, node.sizes());
}

// Input k of member i in the dtype that the loop takes.
Group::Place Group::operand(int i, uint32_t k, int read) {
  const Node& in = *nodes_[i]->inputs[k];
  const DType inside = tiles_[i].inside[k + 1];
  const bool repeated = in.layout->uniform && in.layout != nodes_[0]->layout;
  if (in.dtype == inside || !repeated) return place_read(read);
  Number& number = numbers_[n_numbers_++];
  number.cast = cast_loop(inside, in.dtype);
  number.from = in.data();
  return program_.repeated(reinterpret_cast<const char*>(&number.element));
}

Group::Place Group::place_of_part(uint32_t k) {
  const PartAt& part = parts_[k];
  const DType dtype = collection_->dtype;
  return program_.scattered(
      {collection_->data() + part.offset * size_of(dtype), dtype, part.strides},
      nodes_[0]->sizes());
}

Group::Place Group::place_for(int i) {
  const Node& node = *nodes_[i];
  if (node.buffer) return program_.in_order(node.data(), size_of(node.dtype));
  if (reduction_ && reduction_->inputs[0].get() == &node) return program_.sink(size_of(node.dtype));
  if (part_of_[i] >= 0) return place_of_part(static_cast<uint32_t>(part_of_[i]));
  return new_tile(node.dtype);
}

// A member that is rows of others: they are read where they lie, unless it is kept.
void Group::add_rows(int i) {
  const Node& node = *nodes_[i];
  tables_.push_back({&node, std::make_unique_for_overwrite<char*[]>(node.size(0))});
  const Place rows =
      program_.rows(tables_.back().begins.get(), node.numel() / node.size(0), node.dtype);
  places_[i] = node.buffer ? place_for(i) : rows;
  if (node.buffer) program_.add(cast_loop(node.dtype, node.dtype), places_[i], rows);
}

void Group::add_member(int i, const int16_t* reads) {
  const Node& node = *nodes_[i];
  const Tile& tile = tiles_[i];
  Place at[kMaxOperands];
  bool converted[kMaxOperands] = {};
  for (uint32_t k = 0; k < node.n_inputs; ++k) {
    const DType from = node.inputs[k]->dtype, to = tile.inside[k + 1];
    at[k + 1] = operand(i, k, reads[k]);
    converted[k] = from != to && !program_.is_repeated(at[k + 1]);
    if (!converted[k]) continue;
    const Place raw = std::exchange(at[k + 1], new_tile(to));
    program_.add(cast_loop(to, from), at[k + 1], raw);
  }
  // The output may take the tile of an operand that is not read again.
  for (uint32_t k = 0; k < node.n_inputs; ++k) {
    if (converted[k]) free_tile(at[k + 1], tile.inside[k + 1]);
    if (reads[k] < 0 || --left_[reads[k]] > 0) continue;
    const Node& in = *node.inputs[k];
    if (!in.buffer && !in.op->rows) free_tile(places_[reads[k]], in.dtype);
  }
  const Place out = places_[i] = place_for(i);
  const bool converts = tile.inside[0] != node.dtype;
  at[0] = converts ? new_tile(tile.inside[0]) : out;
  if (tile.loop)
    program_.add(tile.loop, {at, node.n_inputs + 1});
  else
    program_.add(cast_loop(node.dtype, tile.inside[1]), out, at[1]);
  if (!converts) return;
  program_.add(cast_loop(node.dtype, tile.inside[0]), out, at[0]);
  free_tile(at[0], tile.inside[0]);
}

// What the last member reads and is not written there anyway is copied.
void Group::close(const int16_t* reads) {
  const Node& node = *nodes_[n_ - 1];
  const Cast copy = cast_loop(node.inputs[0]->dtype, node.inputs[0]->dtype);
  for (uint32_t k = 0; k < node.n_inputs; ++k) {
    const Node& in = *node.inputs[k];
    const bool written = reads[k] >= 0 && !in.buffer && !in.op->rows &&
                         (reduction_ || part_of_[reads[k]] == static_cast<int>(k));
    if (written) continue;
    const Place from = place_read(reads[k]);
    program_.add(copy, reduction_ ? program_.sink(size_of(in.dtype)) : place_of_part(k), from);
  }
}

void Group::build() {
  const bool closed = reduction_ || collection_;
  const int n = static_cast<int>(n_) - (closed ? 1 : 0);
  const int16_t* reads = reads_;
  for (int i = 0; i < n; ++i) {
    nodes_[i]->op->rows ? add_rows(i) : add_member(i, reads);
    reads += nodes_[i]->n_inputs;
  }
  if (closed) close(reads);
  program_.settle();
}

void Group::kernel() {
  for (Number& number : std::span(numbers_, n_numbers_))
    number.cast(reinterpret_cast<char*>(&number.element), 0, number.from, 0, 1);
  for (const RowTable& table : tables_) table.node->op->rows(*table.node, table.begins.get());
  if (reduction_) {
    Run run{*reduction_, &program_};
    return reduction_->op->kernel(run);
  }
  double cost = 0;
  for (const Node* member : members()) cost += member->op->cost;
  const auto parts = static_cast<int64_t>(kWorthAThread / cost) / program_.unit();
  parallel_for(nodes_[0]->numel(), std::max<int64_t>(1, parts) * program_.unit(),
               [&](int64_t begin, int64_t end) { program_.run(begin, end); });
}

void Group::run_here() {
  const KernelFloats floats;
  const int64_t start = report ? now() : 0;
  {
    const During kernels(Activity::kernels);
    std::optional<Unlocked> unlocked;
    if (is_worth_unlocking(work)) unlocked.emplace(members());
    kernel();
  }
  if (report) report->fusion(members(), start ? now() - start : 0);
}

void Group::publish() {
  for (Node* member : members()) {
    pending.remove(member);
    member->state = member->buffer ? State::valued : State::dropped;
    member->order = next_order();
  }
  counters.nodes += n_;
  ++counters.kernels;
  ++counters.fusions;
  counters.fused += n_;
}

void Group::take_off() {
  for (Node* member : members()) wend::take_off(*member);
}

void Group::say_what_it_uses() {
  for (const External& e : std::span(externals_, n_externals_)) {
    reads(*e.node);
    if (e.taken)
      writes_over(*e.node);
    else if (e.node->uses == e.frees)
      held_back += e.node->buffer->bytes;
  }
  for (Node* member : members())
    if (member->buffer) writes(*member);
}

}  // namespace

bool Fusion::waits(const Node& node) const {
  const uint64_t i = node.order - 1;
  return i < static_cast<uint64_t>(n_) && members_[i] == &node;
}

// Whether a group may begin with the node.
bool Fusion::starts(const Node& node) {
  layout_ = node.layout;
  return layout_->dense && joins(node);
}

bool Fusion::joins(const Node& node) {
  if (n_ == kMembers || node.layout != layout_ || node.offset != 0) return false;
  if (reads_ + node.n_inputs + 1 > kReads) return false;
  const bool rows = node.op->rows;
  int gathered = gathered_ + rows;
  for (const Value& in : node.in()) {
    if (in->state == State::valued && !is_awaited(*in))
      gathered += !rows && in->layout != layout_ && !in->layout->uniform;
    else if (rows || !waits(*in))
      return false;
  }
  if (gathered > kMostGathered) return false;
  if (rows ? !node.op->rows(node, nullptr) : !node.op->tile(node, tiles_[n_])) return false;
  gathered_ = gathered;
  return true;
}

// Whether the node reduces what a member gives.
bool Fusion::completes(const Node& node) const {
  return node.op->takes_maker && n_ < kMembers && node.n_inputs == 1 && waits(*node.inputs[0]) &&
         node.numel() < layout_->numel;
}

// Whether the node is made of what members give, and of other values that lie like it.
bool Fusion::collects(const Node& node) {
  if (!node.op->parts || n_ == kMembers || node.n_inputs > kParts) return false;
  if (reads_ + node.n_inputs > kReads) return false;
  bool any = false;
  for (const Value& in : node.in()) {
    if (in->layout != layout_ || in->dtype != node.dtype) return false;
    const bool waiting = waits(*in);
    if (!waiting && (in->state != State::valued || is_awaited(*in))) return false;
    any |= waiting;
  }
  return any && node.op->parts(node, parts_);
}

// Whether the node may run before the members do: it reads none, and does not leave memory untaken
// that they still read.
bool Fusion::passes(const Node& node) {
  if (++passed_ > kMostPassing) return false;
  if (is_worth_it(node) && node.op->tile) return false;
  for (uint32_t i = 0; i < node.n_inputs; ++i) {
    const Node& in = *node.inputs[i];
    if (in.state == State::pending || is_awaited(in)) return false;
    if (i < 8 && node.op->donates >> i & 1 && in.uses > 1) return false;
  }
  return true;
}

void Fusion::add(Node& node) {
  retain(&node);
  reads_ += static_cast<int>(node.n_inputs);
  node.order = static_cast<uint64_t>(n_) + 1;
  members_[n_++] = &node;
}

void Fusion::run(Node& node) {
  if (n_ > 0) {
    closed_ = completes(node) || collects(node);
    if (closed_ || (is_worth_it(node) && joins(node))) {
      add(node);
      return closed_ ? finish() : void();
    }
    if (passes(node)) return run_alone(node, poll_);
    const Ref<Node> held(&node);  // another thread may drop it meanwhile
    finish();
    return run_first(node);
  }
  run_first(node);
}

void Fusion::run_first(Node& node) {
  is_worth_it(node) && starts(node) ? add(node) : run_alone(node, poll_);
}

// The way back may lead through it: its place is after those of what it reads. Otherwise it can
// wait for the next run, rather than keep others from running in one pass.
void Fusion::pass_over(Node& node) {
  const auto may_wait = [](const Value& in) {
    return in && (in->state == State::pending || is_awaited(*in));
  };
  if (n_ > 0 && std::ranges::any_of(node.in(), may_wait)) {
    if (!node.needs_grad()) return;
    const Ref<Node> held(&node);
    finish();
    // Another thread may have begun to read it.
    return node.uses > 0 ? run_alone(node, poll_) : give_up(node);
  }
  give_up(node);
}

// Others may have run or let go of members while they waited. Those that are let go of and may be
// on the way back are the answer: no member reads them.
std::vector<Ref<Node>> Fusion::keep_due() {
  std::vector<Ref<Node>> passed_over;
  int kept = 0;
  for (int i = 0; i < n_; ++i) {
    Node* member = members_[i];
    if (member->state == State::pending && member->uses > 0) {
      tiles_[kept] = tiles_[i];
      members_[kept++] = member;
      continue;
    }
    closed_ &= i + 1 < n_;
    if (member->state == State::pending) {
      member->order = 0;
      if (member->needs_grad()) passed_over.emplace_back(member);
    }
    unref(member);
  }
  n_ = kept;
  return passed_over;
}

// Rows that nothing but what reads them joins are copied faster by themselves.
bool Fusion::is_worth_one_pass() const {
  return n_ > 1 && (closed_ || std::any_of(members_, members_ + n_,
                                           [](const Node* member) { return member->op->tile; }));
}

// Each may fail by itself.
void Fusion::run_each() {
  for (Node* member : std::span(members_, n_)) {
    if (member->state != State::pending) continue;
    member->order = 0;
    run_alone(*member, poll_);
  }
}

void Fusion::finish() {
  const auto passed_over = keep_due();
  if (is_worth_one_pass()) {
    int64_t work = 0;
    for (Node* member : std::span(members_, n_)) work += work_of(*member);
    poll_.after(work);
    const std::span members(members_, static_cast<size_t>(n_));
    const bool launches = is_to_be_launched(true, work);
    if (std::ranges::any_of(members, [](const Node* m) { return input_error(*m) != nullptr; }))
      run_each();
    else
      launches ? launch_group(members, work) : run_group(members, work);
  } else {
    run_each();
  }
  for (const auto& node : passed_over) take_place(*node);
  let_go();
}

void Fusion::launch_group(std::span<Node* const> members, int64_t work) {
  auto group = std::make_unique<Group>(members, tiles_, closed_, parts_, work);
  group->say_what_it_uses();
  group->publish();
  group->take_off();
  launch(std::move(group));
}

void Fusion::run_group(std::span<Node* const> members, int64_t work) {
  Group group(members, tiles_, closed_, parts_, work);
  group.run_here();
  group.publish();
  group.take_off();
  group.land();
}

void Fusion::let_go() {
  for (Node* member : std::span(members_, n_)) {
    if (member->state == State::pending) member->order = 0;
    unref(member);
  }
  n_ = reads_ = gathered_ = passed_ = 0;
}

void run_fused(std::span<Node* const> nodes, Poll& poll) {
  Fusion fusion(poll);
  for (Node* node : nodes)
    if (node->state == State::pending && node->uses > 0) fusion.run(*node);
  fusion.finish();
}

}  // namespace wend
