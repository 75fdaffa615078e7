// exec/turn.cpp: the queue of threads that wait for their turn to run nodes.
#include "exec/turn.hpp"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <utility>

#include "exec/execute.hpp"

namespace wend {
namespace {

struct Waiter {
  const Rank rank;
  bool called = false;
  std::condition_variable wakes = {};
};

// The list changes under the embedding program's lock; the mutex is for `called`.
struct Queue {
  std::vector<Waiter*> waiters;  // by rank, then in the order in which they came
  std::mutex mutex;
};

// Never destroyed, for threads may wait when the process ends.
Queue*& queue() {
  static auto* q = new Queue;
  return q;
}

void note_waiters() {
  const auto& waiters = queue()->waiters;
  turn.awaited = !waiters.empty();
  look_after = turn.awaited && waiters.front()->rank == Rank::soon ? -1 : kLookAfter;
}

}  // namespace

void wait_for_turn(Rank rank) {
  if (host.ends && host.ends()) {
    // No other thread of the program goes on, whether it waits or has its turn.
    queue()->waiters.clear();
    abandon_kernel();
    return note_waiters();
  }
  Queue& q = *queue();
  Waiter me{rank};
  q.waiters.insert(std::ranges::upper_bound(q.waiters, rank, {}, &Waiter::rank), &me);
  note_waiters();
  void* state = host.unlock ? host.unlock() : nullptr;
  {
    std::unique_lock lock(q.mutex);
    me.wakes.wait(lock, [&] { return me.called; });
  }
  if (host.lock) host.lock(state);
  std::erase(q.waiters, &me);
  note_waiters();
}

void call_next() {
  Queue& q = *queue();
  const std::lock_guard lock(q.mutex);
  q.waiters.front()->called = true;
  q.waiters.front()->wakes.notify_one();
}

void give_way_to_soon() {
  const int turns = std::exchange(own_turns, 0);
  ++turn.suspended;
  turn.taken = false;
  call_next();
  wait_for_turn(Rank::goes_on);
  turn.taken = true;
  --turn.suspended;
  own_turns = turns;
}

void forget_other_threads() {
  queue() = new Queue;  // some thread of the parent may hold the lock of the old one
  note_waiters();
  if (std::exchange(turn.suspended, 0)) pending.in_run = false;
  kernels_unlocked = 0;
}

}  // namespace wend
