// graph/mode.hpp: what the current thread of execution has switched on.
// A fiber or thread has its own; whoever switches fibers swaps `mode`.
#pragma once

#include "base/dtype.hpp"

namespace wend {

struct Node;

struct Mode {
  bool grad = true;
  bool inference = false;
  bool eager = false;
  const Node* line_of = nullptr;  // while gradients are recorded: the node whose line they inherit
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
