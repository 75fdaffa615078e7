// The thread pool: parallel_for splits a range over the usable cores, post leaves work to a worker.
// What is worth splitting or leaving, and how finely, is up to the callers.
#pragma once

#include <atomic>
#include <cstdint>

namespace wend {

// Threads that a parallel_for may use, the caller included. Until set, it is WEND_NUM_THREADS or
// the number of cores this process may run on.
constexpr int kMostThreads = 1024;
int num_threads();
void set_num_threads(int count);  // raises for more than kMostThreads

namespace detail {
using RangeBody = void (*)(void* context, int64_t begin, int64_t end);
void parallel_for(int64_t n, int64_t grain, RangeBody body, void* context, bool wake);
}  // namespace detail

// Calls body(begin, end) on disjoint ranges that cover [0, n), and returns when all are done.
// Every begin is a multiple of `grain`. How many ranges there are depends on the number of threads,
// so results must not depend on it. Calls from inside a body, or while several other threads use
// the pool, run in the caller alone. A body must not throw. `wake` false only takes workers that
// are still awake: for work of a few microseconds, less than it costs to wake one.
template <class F>
void parallel_for(int64_t n, int64_t grain, F&& body, bool wake = true) {
  if (n <= 0) return;
  if (n <= grain) return body(int64_t{0}, n);
  auto call = [](void* context, int64_t begin, int64_t end) {
    (*static_cast<decltype(&body)>(context))(begin, end);
  };
  detail::parallel_for(n, grain, call, const_cast<void*>(static_cast<const void*>(&body)), wake);
}

// True for a while after the system has taken workers off their cores in the middle of something:
// who waits for them would wait for other programs, and is faster alone.
bool workers_are_held_up();
// Told that it has; twice within a short time is enough.
void worker_was_held_up();
// For tests, whose counts are not to depend on other programs: whether workers are watched.
inline constinit std::atomic<bool> watches_workers{true};

// Work that is done while the one who posted it goes on. Who posts it keeps it until `done`.
class Task {
 public:
  virtual void run() noexcept = 0;
  // To be called before it is posted: it does not run before an earlier one is done.
  void comes_after(const Task& earlier);
  std::atomic<bool> done{false};

 protected:
  ~Task() = default;

 private:
  friend class Pool;
  static constexpr int kNeeds = 8;
  uint64_t number_ = 0;  // in the order of posting
  uint64_t needs_[kNeeds];
  int n_needs_ = 0;
  bool needs_all_ = false;  // that were posted before
};

// Lets workers run the task; its parallel_for takes whoever is free. False if there is no worker,
// or no room: the caller may run it once those are done that it comes after. One thread posts at a
// time.
bool post(Task& task);
// Returns when the task is done; until then the caller does what there is to do.
void help_with(const Task& task);
// Whether there is anything that workers have yet to do.
bool pool_is_busy();

}  // namespace wend
