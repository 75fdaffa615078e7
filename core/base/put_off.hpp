// base/put_off.hpp: letting go of what may call user code, but not in the middle of a run: user
// code may run, write and drop what the run has in hand. When a run is over is exec/turn's.
#pragma once

#include <vector>

#include "base/forever.hpp"

namespace wend {

// The turns that this thread has, one within the other, see exec/turn.
[[gnu::tls_model("initial-exec")]] inline thread_local constinit int own_turns = 0;

struct PutOff {
  void* what;
  void (*let_go)(void* what);
};
inline constinit Forever<std::vector<PutOff>> put_off;

// Lets go of it now or, where this thread runs nodes, when it has run them.
inline void let_go_after_run(void* what, void (*let_go)(void* what)) {
  if (own_turns == 0) return let_go(what);
  put_off.value.push_back({what, let_go});
}

}  // namespace wend
