// base/forever.hpp: a global that is ready before any code runs and is never destroyed, so that
// there is no static initialiser and nodes may still be released while the process ends.
#pragma once

namespace wend {

template <class T>
union Forever {
  T value;
  constexpr Forever() : value() {}
  ~Forever() {}
};

}  // namespace wend
