// exec/turn.hpp: whose turn it is to run nodes. One thread runs at a time, and may run again inside
// its own run; threads get their turn in the order in which they asked for it. All of this changes
// under the embedding program's lock only. What runs, and where it may pause, is exec/run's.
#pragma once

#include <cstdint>

#include "base/put_off.hpp"

namespace wend {

struct Turn {
  bool taken = false;
  bool awaited = false;  // somebody waits: who asks now comes after them
  int suspended = 0;     // runs that gave way and go on later
};
inline constinit Turn turn;

// How much work a run does before it looks whether somebody wants something of it; less than none
// while somebody waits who is to come before the rest of the run.
constexpr int64_t kLookAfter = 1'000'000;  // estimated nanoseconds
inline constinit int64_t look_after = kLookAfter;

enum class Rank : uint8_t {
  soon,     // before the rest of a run: the process is to fork or to end
  goes_on,  // a run that gave way
  in_order,
};
void wait_for_turn(Rank rank);
void call_next();

// Nobody runs between take_turn and give_turn but the caller.
inline void take_turn(Rank rank = Rank::in_order) {
  if (own_turns == 0 && (turn.taken || turn.awaited)) [[unlikely]]
    wait_for_turn(rank);
  turn.taken = true;
  ++own_turns;
}
inline void give_turn() {
  if (--own_turns > 0) return;
  turn.taken = false;
  if (turn.awaited) [[unlikely]]
    call_next();
  if (!put_off.value.empty()) [[unlikely]]
    let_go_of_put_off();
}

struct TakeTurn {
  explicit TakeTurn(Rank rank = Rank::in_order) { take_turn(rank); }
  TakeTurn(const TakeTurn&) = delete;
  ~TakeTurn() { give_turn(); }
};

// In the middle of a run, where nothing is half done: those have their turn who cannot wait.
void give_way_to_soon();
// In the child of a fork, in which there is no thread but the one that forked.
void forget_other_threads();

}  // namespace wend
