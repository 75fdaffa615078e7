// exec/run.cpp: plain runs in the order of recording, with dead buffers handed on.
// What a kernel does is the op's; which nodes exist is the graph's.
#include "exec/run.hpp"

#include <time.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <exception>
#include <thread>

#include "base/denormals.hpp"
#include "exec/company.hpp"
#include "exec/execute.hpp"
#include "exec/flight.hpp"
#include "exec/fuse.hpp"
#include "exec/report.hpp"
#include "graph/activity.hpp"
#include "graph/batch.hpp"
#include "graph/describe.hpp"
#include "graph/fiber.hpp"
#include "graph/record.hpp"

namespace wend {

constinit Host host;
constinit Counters counters;
// Errors that depend on values may wait for the other fibers; what reads memory that others write
// may not.
constinit RunAtOnce run_at_once = [](Node& node) {
  if (node.flags & Node::stands_for_batch) return run_with_needs(node);
  node.op->at_once ? evaluate(node) : evaluate_now(node);
};

namespace {

constexpr size_t kLargeOnAverage = 64 << 10;  // bytes of a value that gains nothing by company
constexpr int64_t kAskInterval = 50'000'000;  // nanoseconds between looks for Ctrl-C
constexpr int64_t kPassInterval = 5'000'000;  // between offers of the lock, as Python's own

bool failures = false;  // true once a node has failed

void fail_node(Node& node, Error error) {
  extra(node).error = std::make_unique<Error>(std::move(error));
  pending.remove(&node);
  failures = true;
  node.state = State::failed;
  let_inputs_go(node);
}

}  // namespace

const Error* input_error(const Node& node) {
  if (!failures) return nullptr;
  for (uint32_t i = 0; i < node.n_inputs; ++i) {
    const Node* input = node.inputs[i].get();
    if (node.op->is_edge(i)) continue;
    // A row of a batch has no value of its own to have failed.
    if (const Batch* batch = batch_of(*input); batch && !input->buffer) input = batch->whole;
    if (input->state == State::failed) return input->extra->error.get();
  }
  return nullptr;
}

void fail_valued(Node& node, Error error) {
  if (node.buffer) {
    std::memset(node.buffer->data, 0xff, node.buffer->bytes);
    BufferRef::adopt(std::exchange(node.buffer, nullptr));
  }
  extra(node).error = std::make_unique<Error>(std::move(error));
  failures = true;
  node.state = State::failed;
}

namespace {

bool may_take(const Node& node, uint32_t i, size_t bytes) {
  const Node& input = *node.inputs[i];
  return input.uses == 1 && !(node.saved >> i & 1) && has_memory_for(input, node, bytes);
}

void give_memory(Node& node) {
  const size_t bytes = bytes_of(node);
  for (uint32_t i = 0; node.op->donates >> i && i < node.n_inputs; ++i) {
    if (!(node.op->donates >> i & 1) || !may_take(node, i, bytes)) continue;
    node.buffer = node.inputs[i]->buffer;
    ++node.buffer->refs;
    ++counters.donated;
    if (report) report->allocated(node);
    return;
  }
  node.buffer = allocate(bytes).leak();
  counters.bytes += bytes;
  if (report) report->allocated(node);
}

[[gnu::noinline]] void call_unlocked(Run& run) {
  auto* const node = const_cast<Node*>(&run.node);
  const Unlocked unlocked({&node, 1});
  run.node.op->kernel(run);
}

[[gnu::always_inline]] inline void call_kernel(Run& run, int64_t work) {
  const KernelFloats floats;
  if (is_worth_unlocking(work)) [[unlikely]]
    call_unlocked(run);
  else
    run.node.op->kernel(run);
}

[[gnu::noinline]] void call_reported(Run& run, int64_t work) {
  const int64_t start = now();
  {
    const During kernels(Activity::kernels);
    call_kernel(run, work);
  }
  if (report) report->kernel(run.node, now() - start);  // another thread may have ended it
}

inline void run_kernel(Node& node, int64_t work) {
  if (node.op->check) [[unlikely]]
    node.op->check(node);
  Run run{node};
  if (report) [[unlikely]]
    call_reported(run, work);
  else
    call_kernel(run, work);
  ++counters.kernels;
}

}  // namespace

std::string call_of(const Node& node) {
  const auto attrs = node.attrs ? node.attrs->span() : std::span<const Arg>{};
  return describe_call(*node.op, node.in(), attrs);
}

int64_t now() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * int64_t{1'000'000'000} + t.tv_nsec;
}

int64_t work_of(const Node& node) {
  if (node.op->work) return static_cast<int64_t>(node.op->work(node));
  return node.numel() < 4096 ? 0 : static_cast<int64_t>(node.numel() * node.op->cost);
}

namespace {

// A node that only carries gradient edges takes its place in the order.
void pass_marker(Node& node) {
  pending.remove(&node);
  node.state = State::dropped;
  take_place(node);
}

[[gnu::always_inline]] inline void publish_now(Node& node) {
  pending.remove(&node);
  node.state = State::valued;
  take_place(node);
  ++counters.nodes;
  let_inputs_go(node);
  if (node.uses == 0) value_unneeded(&node);
}

}  // namespace

void publish(Node& node) { publish_now(node); }

void give_up(Node& node) {
  if (!node.op->kernel && !node.op->view) return pass_marker(node);
  if (const Error* error = input_error(node)) return fail_node(node, *error);
  pending.remove(&node);
  node.state = State::dropped;
  take_place(node);
  let_inputs_go(node);
}

namespace {

class LaunchedNode final : public Launch {
 public:
  LaunchedNode(Node& node, int64_t work) : Launch(work), node_(&node) {
    for (uint32_t i = 0; i < node.n_inputs; ++i) {
      const Node* in = node.inputs[i].get();
      if (!in || !in->buffer) continue;
      reads(*in);
      const bool saved = i < 7 && node.saved >> i & 1;
      if (in->buffer == node.buffer)
        writes_over(*in);
      else if (in->uses == 1 && !saved)
        held_back += in->buffer->bytes;
    }
    writes(node);
  }

 private:
  std::span<Node* const> nodes() const override { return {&node_, 1}; }
  void kernel() override {
    Run run{*node_};
    node_->op->kernel(run);
  }

  Node* const node_;
};

void launch(Node& node, int64_t work) {
  if (node.op->check) node.op->check(node);
  auto kernel = std::make_unique<LaunchedNode>(node, work);
  pending.remove(&node);
  node.state = State::valued;
  take_place(node);
  take_off(node);
  ++counters.nodes;
  ++counters.kernels;
  launch(std::move(kernel));
}

// Whether the kernel is to be launched. If it is short, or may fail, and all that it reads is
// there, it runs here beside those in flight; else, if it runs here, those have run.
bool runs_elsewhere(const Node& node, int64_t work) {
  constexpr int64_t kShort = 2'000;  // nanoseconds: to launch it takes as long
  const Op& op = *node.op;
  const bool launches = op.launches && node.layout->numel > 0;
  if (!kernels_in_flight && (!launches || work < launches_from)) return false;
  const bool reads_what_is_there =
      std::ranges::all_of(node.in(), [](const Value& in) { return !in || is_readable(*in); });
  const bool can_launch = launches && (!op.check || reads_what_is_there);
  const bool is_short = work < std::min(kShort, launches_from);
  if (kernels_in_flight && reads_what_is_there && (!can_launch || is_short)) return false;
  return is_to_be_launched(can_launch, work);
}

}  // namespace

void execute(Node& node, int64_t work) {
  if (!node.op->kernel && !node.op->view) return pass_marker(node);
  if (const Error* error = input_error(node)) return fail_node(node, *error);
  if (node.op->view) {
    take_value(node, *node.inputs[0]);
    return publish(node);
  }
  if (batches_made) [[unlikely]]
    for (const Value& in : node.in())
      if (in) with_buffer(*in);
  const bool launches = runs_elsewhere(node, work);
  if (const Error* error = input_error(node)) return fail_node(node, *error);
  try {
    give_memory(node);
    if (launches) return launch(node, work);
    if (node.layout->numel > 0 || node.op->donates) run_kernel(node, work);
  } catch (Error& e) {
    if (node.buffer) BufferRef::adopt(std::exchange(node.buffer, nullptr));
    locate(e, call_of(node), node.source());
    if (e.kind == ErrorKind::memory || e.kind == ErrorKind::interrupted) throw;
    return fail_node(node, e);
  }
  publish_now(node);
}

void Poll::look() {
  since_ = 0;
  if (look_after < 0) give_way_to_soon();
  if (!host.interrupted) return;
  const int64_t t = now();
  if (!passed_) passed_ = t;
  if (t - passed_ >= kPassInterval) {
    passed_ = t;
    host.lock(host.unlock());
  }
  if (t - asked_ < kAskInterval) return;
  asked_ = t;
  if (host.interrupted()) throw Error(ErrorKind::interrupted, "interrupted");
}

void abandon_kernel() {
  while (kernels_unlocked.load() > 0) std::this_thread::sleep_for(std::chrono::microseconds(100));
  for (Node* node : std::exchange(in_hand, {}))
    if (node->state == State::pending)
      fail_node(*node, Error(ErrorKind::runtime,
                             "the program ended while another thread computed this value"));
}

void wait_for_kernels() {
  while (kernels_unlocked.load() > 0 || pool_is_busy())
    std::this_thread::sleep_for(std::chrono::microseconds(100));
}

namespace {

// Nodes keep their places while a run goes through them, and others inside it.
struct KeepPlaces {
  const bool outermost = !pending.in_run;
  const During planning{Activity::planning};

  KeepPlaces() {
    // Those that were dropped count no more.
    if (outermost && pending.has_many_gaps()) pending.compact(false);
    pending.in_run = true;
  }
  KeepPlaces(const KeepPlaces&) = delete;
  ~KeepPlaces() {
    if (!outermost) return;
    pending.in_run = false;
    if (!pending.begun || pending.has_many_gaps()) pending.compact(!pending.begun);
    pending.look_later(pending.begun ? early_start.nodes : early_start.first());
    if (pending.begun) return;
    pending.since = nodes_recorded();
    forget_outlook();
  }
};

[[gnu::always_inline]] inline void run_one(Node& node, Poll& poll) {
  const int64_t work = work_of(node);
  poll.after(work);
  retain(&node);  // another thread may drop it meanwhile
  struct Held {
    Node* node;
    ~Held() { unref(node); }
  } held{&node};
  execute(node, work);
}

}  // namespace

void run_alone(Node& node, Poll& poll) { run_one(node, poll); }

namespace {

// Large values run in the order of recording, which keeps the fewest of them at a time: by levels,
// whatever reads only what is there would come first and wait for its readers.
bool are_small(const Pending& nodes) { return nodes.bytes < kLargeOnAverage * nodes.live; }

// In the order of recording they run in fewer passes.
bool are_self_reliant(const Pending& nodes) { return nodes.self_reliant > nodes.live / 2; }

// While a node runs, one that comes soon is fetched, all of it if it has few inputs. Inline, or GCC
// takes a function of prefetches for one without effect.
[[gnu::always_inline]] inline void fetch_ahead(size_t i) {
  constexpr size_t kAhead = 2;
  if (i + kAhead >= pending.nodes.size()) return;
  const auto* next = reinterpret_cast<const char*>(pending.nodes[i + kAhead]);
  if (!next) return;
  __builtin_prefetch(next);
  __builtin_prefetch(next + 64);
}

[[gnu::always_inline]] inline void run_next(Node& node, Fusion& fusion, Poll& poll) {
  fusion.may_wait(node) ? fusion.run(node) : run_one(node, poll);
  land();
}

}  // namespace

void start_pending() {
  pending.pinned = 0;  // what is pending now keeps nothing alive afterwards
  const bool in_order = are_self_reliant(pending) || !are_small(pending);
  pending.self_reliant = 0;
  if (pending.live == 0) return;
  const TakeTurn taken;
  const KeepPlaces keeping;
  // What other threads and user code record meanwhile is not this run's: it may read what the run
  // has passed over. All others have held, as long as they are pending, what they read.
  const size_t end = pending.nodes.size();
  pending.begun = false;
  ++counters.runs;
  if (report) report->run(std::ranges::count_if(pending.nodes, is_due));
  Poll poll;
  if (mode.batching && keeping.outermost && !in_order && run_in_batches(poll) && pending.live == 0)
    return;
  Fusion fusion(poll);
  for (size_t i = 0; i < end; ++i) {
    poll.pause();
    fetch_ahead(i);
    Node* node = pending.nodes[i];
    if (!node) continue;
    if (node->uses == 0) {
      fusion.pass_over(*node);
      continue;
    }
    run_next(*node, fusion, poll);
  }
  fusion.finish();
}

namespace {

bool may_start_early() {
  return mode.batching && !report && num_threads() > 1 && !turn.taken && !turn.awaited &&
         !is_letting_go() && are_small(pending);
}

void start_early() {
  TakeTurn taken;
  KeepPlaces keeping;
  Poll poll;
  pending.begun = true;
  start_large_batches(poll);
}

}  // namespace

void look_at_pending() {
  if (!pending.begun) tidy_small_blocks();  // much is being recorded, and perhaps much more
  if (is_too_lazy()) return start_pending();
  if (pending.nodes.size() >= early_start.first() && may_start_early()) start_early();
  pending.look_later(early_start.nodes);
}

void finish_kernels() {
  if (!kernels_in_flight) return;
  const TakeTurn taken;
  land_all();
}

void finish_large_kernels() {
  if (!little_in_flight()) finish_kernels();
}

void run_pending() {
  start_pending();
  finish_kernels();
}

namespace {

// Those that it needs first; there are as many as wait to be fused at most.
void run_needed(Node& node, Poll& poll) {
  for (const Value& in : node.in())
    if (in && in->state == State::pending) run_needed(*in, poll);
  node.order = 0;  // what waits to be fused has no place yet
  run_one(node, poll);
}

}  // namespace

void run_with_needs(Node& whole) {
  TakeTurn taken;
  if (whole.state != State::pending) return;
  KeepPlaces keeping;
  ++counters.runs;
  Poll poll;
  run_needed(whole, poll);
}

namespace {

// Not inside a run, and not while user code is called by what goes or an exception is handled:
// those belong to the thread, and another fiber would find them half done.
bool may_give_way() {
  return mode.batching && !mode.eager && !is_letting_go() && own_turns == 0 &&
         std::uncaught_exceptions() == 0 && !std::current_exception();
}

// True: what was pending has been run by the others.
bool give_way() {
  return mode.fiber && may_give_way() && is_worth_waiting(mode.fiber->company()) &&
         mode.fiber->wait();
}

// Nodes keep their places; those at the end of the list go with it.
struct KeepOtherPlaces {
  const bool outermost = !std::exchange(pending.in_run, true);
  const During planning{Activity::planning};

  KeepOtherPlaces() = default;
  KeepOtherPlaces(const KeepOtherPlaces&) = delete;
  ~KeepOtherPlaces() {
    if (!outermost) return;
    pending.in_run = false;
    pending.trim();
  }
};

void run_few(Few few) {
  const uint64_t moves = pending.moves;
  const TakeTurn taken;
  if (pending.moves != moves) return;  // another thread had its turn, and places are not the same
  const KeepOtherPlaces keeping;
  ++counters.runs;
  if (report) report->run(few.size());
  Poll poll;
  Fusion fusion(poll);
  while (!few.empty()) {
    Node* node = pending.nodes[few.pop()];
    if (is_due(node)) run_next(*node, fusion, poll);
  }
  fusion.finish();
}

// A fiber waits for the others, or goes on with what it needs if that is not worth it.
void give_way_for(const Node& node) {
  if (!mode.fiber || !may_give_way()) return;
  const size_t fibers = mode.fiber->company();
  if (fibers < 2) return;
  const Few alone = weigh_waiting(node, fibers).alone;
  alone.empty() ? static_cast<void>(mode.fiber->wait()) : run_few(alone);
}

}  // namespace

void settle(bool finish) {
  if (pending.live > 0 && !give_way()) start_pending();
  if (pending.live == 0) pending.self_reliant = 0;
  if (finish) finish_kernels();
}

void evaluate(Node& node) {
  if (node.state == State::pending) {
    if (report && !mode.fiber) report->observed(weigh_waiting(node, kManyFibers).nanoseconds);
    give_way_for(node);
  }
  evaluate_now(node);
}

void evaluate_now(Node& node) {
  if (node.state == State::pending) start_pending();
  if (kernels_in_flight && some_failed()) finish_kernels();
  if (node.state == State::dropped && node.op->view) derive_again(node);
  with_buffer(node);
  if (kernels_in_flight) {
    const TakeTurn taken;
    wait_for_value(node);
  }
  if (node.state == State::failed) throw *node.extra->error;
  if (node.state != State::valued)
    fail(ErrorKind::runtime, "internal: the value of ", node.op->name, " is gone");
}

}  // namespace wend
