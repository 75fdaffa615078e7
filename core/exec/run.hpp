// exec/run.hpp: running what is pending, and what a run did. Who looks at values includes
// graph/read.
#pragma once

#include "graph/read.hpp"
#include "graph/record.hpp"

namespace wend {

// From how many pending nodes on it pays to start some of them while more are recorded, and how
// many members a batch must have to be hardly faster for being larger.
struct EarlyStart {
  size_t nodes = 6144;
  size_t members = 48;
  // The first time sooner, for until then the other threads have nothing to do.
  size_t first() const { return nodes / 2; }
};
inline constinit EarlyStart early_start;
// Runs what is pending when it is too much; or some of it, where other threads can be at it while
// more is recorded.
void look_at_pending();
// Whether it is to be looked at.
inline bool may_be_too_lazy() {
  return pending.nodes.size() >= pending.look_at ||
         pending.bytes + pending.pinned > pending.max_bytes;
}

// What the embedding program lends a run: its lock, and whether the user asked to stop.
struct Host {
  void* (*unlock)() = nullptr;
  void (*lock)(void*) = nullptr;
  bool (*interrupted)() = nullptr;  // true when the user's request to stop is to be honoured
  bool (*ends)() = nullptr;         // true when no thread but the caller's goes on any more
};
extern constinit Host host;

// Waits until no kernel runs, for the end of the process: what they call must not go before.
void wait_for_kernels();

struct Counters {
  uint64_t runs = 0;      // runs that had something to do
  uint64_t nodes = 0;     // nodes that got their value
  uint64_t kernels = 0;   // of them by a kernel; the rest are views
  uint64_t batches = 0;   // several nodes that ran as one
  uint64_t batched = 0;   // nodes in them
  uint64_t fusions = 0;   // several nodes that work element by element and ran in one pass
  uint64_t fused = 0;     // nodes in them
  uint64_t launched = 0;  // kernels that ran while the scheduler went on
  uint64_t donated = 0;   // outputs that took over the memory of an input
  uint64_t bytes = 0;     // allocated for outputs
};
extern constinit Counters counters;

}  // namespace wend
