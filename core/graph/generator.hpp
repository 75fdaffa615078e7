// graph/generator.hpp: where random numbers come from. A node takes (seed, offset) when it is
// recorded, so its numbers do not depend on when or where it runs.
#pragma once

#include <cstdint>

#include "graph/watch.hpp"

namespace wend {

struct Generator {
  uint64_t seed = 0;
  uint64_t offset = 0;
};

// Reserves `n` counters and says where they begin.
inline uint64_t draw(Generator& from, uint64_t n) {
  const uint64_t at = from.offset;
  from.offset += n;
  if (is_watched()) [[unlikely]]
    tell_drew(from, n);
  return at;
}
// Goes on from another state.
inline void commit(Generator& generator, const Generator& state) {
  generator = state;
  if (is_watched()) [[unlikely]]
    tell_wrote(nullptr, Write::generator);
}

// The one behind manual_seed() outside fibers, which have their own.
inline constinit Generator default_generator{0x77656e64, 0};

}  // namespace wend
