// The thread pool: parallel_for splits a range over the usable cores.
// What is worth splitting, and how finely, is left to the kernels that call it.
#pragma once

#include <cstdint>

namespace wend {

// Threads that a parallel_for may use, the caller included. Until set, it is WEND_NUM_THREADS or
// the number of cores this process may run on.
int num_threads();
void set_num_threads(int count);

namespace detail {
using RangeBody = void (*)(void* context, int64_t begin, int64_t end);
void parallel_for(int64_t n, int64_t grain, RangeBody body, void* context, bool wake);
}  // namespace detail

// Calls body(begin, end) on disjoint ranges that cover [0, n), and returns when all are done.
// Every begin is a multiple of `grain`. How many ranges there are depends on the number of threads,
// so results must not depend on it. Calls from inside a body, or while another thread uses the
// pool, run in the caller alone. A body must not throw. `wake` false only takes workers that are
// still awake: for work of a few microseconds, less than it costs to wake one.
template <class F>
void parallel_for(int64_t n, int64_t grain, F&& body, bool wake = true) {
  if (n <= 0) return;
  if (n <= grain) return body(int64_t{0}, n);
  auto call = [](void* context, int64_t begin, int64_t end) {
    (*static_cast<decltype(&body)>(context))(begin, end);
  };
  detail::parallel_for(n, grain, call, const_cast<void*>(static_cast<const void*>(&body)), wake);
}

}  // namespace wend
