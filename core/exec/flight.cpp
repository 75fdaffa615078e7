// exec/flight.cpp: the kernels in flight, oldest first. Everything but the kernels themselves
// happens under the embedding program's lock, in the thread whose turn it is.
#include "exec/flight.hpp"

#include <algorithm>
#include <optional>

#include "base/denormals.hpp"
#include "base/error.hpp"
#include "base/forever.hpp"
#include "exec/execute.hpp"
#include "exec/report.hpp"
#include "kernels/gemm.hpp"

namespace wend {
namespace {

constexpr int64_t kMostWork = 10'000'000;    // nanoseconds, or who asks to stop would wait long
constexpr size_t kMostHeldBack = 384 << 10;  // bytes, where they would raise the peak
constexpr size_t kMostWaiting = 120, kMost = 250;
constexpr int64_t kMayCallLibraries = 200'000;  // nanoseconds of work

// In a ring, oldest first.
struct Flight {
  std::unique_ptr<Launch> kernels[kMost];
  size_t first = 0, n = 0;
  uint64_t number = 1;  // of the kernel that is launched next
  int64_t work = 0;
  size_t held_back = 0, written = 0;
  std::atomic<bool> broken{false};  // one has failed, and those that begin later do not run
  bool lost = false;                // some could not be run here either, which nobody knows yet

  Launch& at(size_t i) const { return *kernels[(first + i) % kMost]; }
};
constinit Forever<Flight> flight_forever;
constinit Flight& flight = flight_forever.value;

// Kernels until one is to fail, and how many then are; 0 if none is.
constinit std::atomic<int> until_failure{0}, to_fail{0};
bool is_to_fail() { return to_fail > 0 && until_failure-- <= 0 && to_fail-- > 0; }

Error no_memory() { return Error(ErrorKind::memory, "can't allocate memory for a kernel"); }

void wait_for(const Launch& kernel) {
  if (kernel.done.load()) return;
  std::optional<Unlocked> unlocked;
  if (is_worth_unlocking(flight.work)) unlocked.emplace();
  help_with(kernel);
}

// Once all are done, each can have the memory that they could not have together.
void run_failed_again() {
  for (size_t i = 0; i < flight.n; ++i) wait_for(flight.at(i));
  flight.broken = false;
  empty_cache();
  for (size_t i = 0; i < flight.n; ++i) flight.at(i).run_again();
}

// After this those up to number `i` have run, or failed for good.
void have_run(size_t i) {
  wait_for(flight.at(i));
  if (flight.broken.load()) run_failed_again();
}

// Landing may call user code, which may wait for the others.
void land_first() {
  have_run(0);
  const std::unique_ptr<Launch> landing = std::move(flight.kernels[flight.first]);
  flight.first = (flight.first + 1) % kMost;
  flight.work -= landing->work;
  flight.held_back -= landing->held_back;
  flight.written -= landing->written;
  kernels_in_flight = --flight.n > 0 || flight.lost;
  oldest_in_flight = flight.number - flight.n;
  landing->land();
}

bool holds_too_much() {
  if (flight.work > kMostWork) return true;
  if (flight.held_back <= kMostHeldBack) return false;
  const MemoryStats stats = memory_stats();
  return flight.held_back > kMostHeldBack + (stats.peak_bytes - stats.allocated_bytes) / 2;
}

}  // namespace

void Launch::reads(const Node& node) {
  const uint64_t writer = writer_of(node);
  if (kernels_in_flight && writer >= oldest_in_flight)
    comes_after(flight.at(writer - oldest_in_flight));
}

void Launch::writes(Node& node) {
  node.buffer->writer = flight.number;
  written += node.buffer->bytes;
}

void Launch::writes_over(const Node& node) {
  given_on_.push_back(node.buffer);
  ++node.buffer->given_on;
}

void Launch::take_back() {
  for (Buffer* buffer : std::exchange(given_on_, {})) --buffer->given_on;
}

bool Launch::try_kernel() noexcept {
  try {
    if (is_to_fail()) return false;
    const KernelFloats floats;
    kernel();
    return true;
  } catch (...) {
    return false;
  }
}

void Launch::run() noexcept {
  failed_ = flight.broken.load() || !try_kernel();
  if (failed_) flight.broken = true;
}

void Launch::run_again() {
  if (!std::exchange(failed_, false)) return;
  const auto all = nodes();
  const auto cannot = [](const Node* node) { return input_error(*node) != nullptr; };
  if (std::ranges::none_of(all, cannot) && try_kernel()) return;
  flight.lost = true;
  take_back();
  for (Node* node : all) fail_valued(*node, no_memory());
}

void Launch::land() {
  const auto all = nodes();
  for (Node* node : all) node->slot = 0;
  take_back();
  // All have their values before any lets its inputs go: that may call user code, which may look.
  for (Node* node : all) {
    let_inputs_go(*node);
    if (node->uses == 0) value_unneeded(node);
    unref(node);
  }
}

void let_kernels_fail(int after, int kernels) {
  until_failure = after;
  to_fail = kernels;
}

bool make_way(bool can_launch) {
  if (can_launch && !report && flight.n < kMost && num_threads() > 1 && !workers_are_held_up()) {
    if (flight.n >= kMostWaiting) wait_for(flight.at(flight.n - kMostWaiting));
    return true;
  }
  for (size_t i = 0; i < flight.n; ++i) have_run(i);
  return false;
}

void launch(std::unique_ptr<Launch> kernel) {
  // Loading it changes the environment, which the program must not read meanwhile.
  if (kernel->work >= kMayCallLibraries) load_gemm_library();
  flight.work += kernel->work;
  flight.held_back += kernel->held_back;
  flight.written += kernel->written;
  Launch& last = *kernel;
  flight.kernels[(flight.first + flight.n++) % kMost] = std::move(kernel);
  ++flight.number;
  ++counters.launched;
  kernels_in_flight = true;
  if (post(last)) return;
  last.run();  // without workers it is the only one
  last.done = true;
}

void land_some() {
  while (flight.n > 0 && (flight.at(0).done.load() || holds_too_much())) land_first();
}

void land_all() {
  while (flight.n > 0) land_first();
  kernels_in_flight = false;
  if (std::exchange(flight.lost, false)) throw no_memory();
}

bool some_failed() { return flight.lost; }

size_t in_flight() { return flight.n; }

bool little_in_flight() { return flight.written <= kMostHeldBack; }

void wait_for_value(const Node& node) {
  const uint64_t writer = writer_of(node);
  if (kernels_in_flight && writer >= oldest_in_flight) have_run(writer - oldest_in_flight);
  if (flight.lost) land_all();
}

void take_off(Node& node) {
  retain(&node);
  node.slot = kInFlight;
}

}  // namespace wend
