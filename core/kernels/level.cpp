// Picks the instruction level of this machine among those that were built.
// Leaves the kernels themselves to level/level.cpp.
#include "kernels/level.hpp"

#include <cstdlib>
#include <cstring>

namespace wend {
namespace {

struct Choice {
  const LevelKernels* kernels;
  bool supported;
};

// True iff the user asks for a lower level than this one.
bool lowered(const char* name, const char* limit) {
  if (!limit || std::strcmp(name, limit) == 0) return false;
  return std::strcmp(limit, "base") == 0 || std::strcmp(limit, "v3") == 0;
}

const LevelKernels& best() {
  // Best first. A build for one level only is used as it is.
  const Choice choices[] = {
#ifdef WEND_LEVEL_native
      {&level_native, true},
#endif
#ifdef WEND_LEVEL_v4
      {&level_v4, __builtin_cpu_supports("x86-64-v4") != 0},
#endif
#ifdef WEND_LEVEL_v3
      {&level_v3, __builtin_cpu_supports("x86-64-v3") != 0},
#endif
#ifdef WEND_LEVEL_base
      {&level_base, true},
#endif
  };
  const Choice* last = choices + sizeof choices / sizeof choices[0] - 1;
  const char* limit = std::getenv("WEND_CPU_LEVEL");
  const Choice* chosen = choices;
  while (chosen != last && (!chosen->supported || lowered(chosen->kernels->name, limit))) ++chosen;
  return *chosen->kernels;
}

}  // namespace

const LevelKernels* chosen_level = nullptr;

const LevelKernels& choose_level() { return *(chosen_level = &best()); }

}  // namespace wend
