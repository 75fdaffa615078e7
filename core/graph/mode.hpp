// graph/mode.hpp: what the current thread of execution has switched on.
// A fiber or thread has its own; whoever switches fibers swaps `mode`.
#pragma once

#include <memory>

#include "base/dtype.hpp"

namespace wend {

struct Fiber;
struct Node;
struct Packed;
class Value;
class Walk;

// The user's way of keeping what is saved for the walk back.
struct Saver {
  virtual ~Saver() = default;
  // `own`: the node itself saves it, so that the value must not be held by way of the node.
  virtual std::unique_ptr<Packed> pack(const Value& value, bool own) = 0;
};

// Where the program is, see graph/context; 0: nowhere in particular.
using ContextId = uint32_t;

struct Mode {
  bool grad = true;
  bool inference = false;
  bool eager = false;
  bool batching = true;           // like nodes run as one
  bool anomaly = false;           // the walk back names the node where an error arises
  bool check_nan = false;         // ... and takes NaN for one
  bool unwatched = false;         // what happens is no event, see graph/watch
  const Node* line_of = nullptr;  // while gradients are recorded: the node whose line they inherit
  Saver* saver = nullptr;         // none: values are saved as they are
  Walk* walk = nullptr;           // the walk back that calls user code now
  Fiber* fiber = nullptr;         // the fiber that this is, if it is one
  ContextId context = 0;          // what happens belongs to this, while somebody watches
  // Nodes of so many elements run in one pass with neighbours that work element by element, too:
  // fewer stay in cache from one kernel to the next.
  int64_t fuses_from = 1024;
};

// Read on every op: the model spares the call that finds a thread's copy.
[[gnu::tls_model("initial-exec")]] inline thread_local constinit Mode mode;

struct WithoutGrad {
  WithoutGrad() : before(mode.grad) { mode.grad = false; }
  ~WithoutGrad() { mode.grad = before; }
  bool before;
};

DType default_dtype();
void set_default_dtype(DType dtype);

}  // namespace wend
