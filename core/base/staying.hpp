// base/staying.hpp: calls in which the embedding program may end the thread.
#pragma once

#include <cxxabi.h>
#include <unistd.h>

namespace wend {

// Waits until the process is gone.
[[noreturn]] inline void stay() {
  for (;;) pause();
}

// Calls what may call user code or take the embedding program's lock. A thread that wants the lock
// when the program ends gets it no more. It stays where it is: its memory may be in use, to unwind
// its stack would run code that needs the lock, and below the stack of a fiber there is nothing.
template <class F>
auto staying(F&& f) -> decltype(f()) {
#ifdef __GLIBCXX__
  try {
    return f();
  } catch (const abi::__forced_unwind&) {  // how Python before 3.14 ends such a thread
    stay();
  }
#else
  return f();
#endif
}

}  // namespace wend
