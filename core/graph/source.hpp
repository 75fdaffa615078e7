// graph/source.hpp: the place in the user's program that recorded a node, as an opaque code object
// and instruction. The embedding language fills in the hooks; text is resolved only when asked.
#pragma once

#include <cstdint>
#include <string>

namespace wend {

struct Source {
  void* code = nullptr;
  int32_t instruction = 0;
};

struct SourceHooks {
  Source (*capture)() noexcept = nullptr;  // the caller's place, its code object retained
  void (*retain)(void* code) noexcept = nullptr;
  void (*release)(void* code, uint32_t times) noexcept = nullptr;
  std::string (*describe)(Source) = nullptr;  // "file.py:12 in forward"
  int (*line)(Source) = nullptr;
};

inline SourceHooks source_hooks;

}  // namespace wend
