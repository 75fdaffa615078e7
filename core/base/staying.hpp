// base/staying.hpp: calls in which the embedding program may end the thread.
#pragma once

#include <unistd.h>

#include <exception>

namespace wend {

// Waits until the process is gone.
[[noreturn]] inline void stay() {
  for (;;) pause();
}

// In a handler for everything: stays if what is handled is no exception of C++, for that is how
// Python before 3.14 ends a thread.
inline void stay_if_ended() {
  if (!std::current_exception()) stay();
}

// Calls what may call user code or take the embedding program's lock. A thread that wants the lock
// when the program ends gets it no more. It stays where it is: its memory may be in use, to unwind
// its stack would run code that needs the lock, and below the stack of a fiber there is nothing.
template <class F>
auto staying(F&& f) -> decltype(f()) {
  try {
    return f();
  } catch (...) {
    stay_if_ended();
    throw;
  }
}

}  // namespace wend
