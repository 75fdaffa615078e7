// base/put_off.hpp: letting go of what may call user code, but not in the middle of a run, nor
// while tensors change or nodes are taken apart: user code may run, write and drop what is in hand
// there. When a run is over is exec/turn's.
#pragma once

#include <vector>

#include "base/forever.hpp"
#include "base/staying.hpp"

namespace wend {

// The turns that this thread has, one within the other, see exec/turn.
[[gnu::tls_model("initial-exec")]] inline thread_local constinit int own_turns = 0;
// How many are alive in this thread of those that hold user code back.
[[gnu::tls_model("initial-exec")]] inline thread_local constinit int user_code_held = 0;
// True while nodes are taken apart, during which the embedding program's lock is kept.
inline constinit bool taking_apart = false;

struct PutOff {
  void* what;
  void (*let_go)(void* what);
};
inline constinit Forever<std::vector<PutOff>> put_off;

// Whether user code that this thread calls finds nothing half done.
inline bool may_call_user_code() { return own_turns == 0 && user_code_held == 0 && !taking_apart; }

// Lets go of all that was put off, also of what is put off by that, unless it is too early.
void let_go_of_put_off();
// Whether this thread is at it.
bool is_letting_go();

// Lets go of it now, or as soon as user code may be called.
inline void let_go_when_done(void* what, void (*let_go)(void* what)) {
  if (may_call_user_code()) return staying([&] { let_go(what); });
  put_off.value.push_back({what, let_go});
}

// While it lives, what this thread lets go of calls nobody.
struct HoldUserCode {
  HoldUserCode() { ++user_code_held; }
  HoldUserCode(const HoldUserCode&) = delete;
  ~HoldUserCode() {
    --user_code_held;
    if (!put_off.value.empty()) [[unlikely]]
      let_go_of_put_off();
  }
};

}  // namespace wend
