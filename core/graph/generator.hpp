// graph/generator.hpp: where random numbers come from. A node takes (seed, offset) when it is
// recorded, so its numbers do not depend on when or where it runs.
#pragma once

#include <cstdint>

namespace wend {

struct Generator {
  uint64_t seed = 0;
  uint64_t offset = 0;

  // Reserves `n` counters and says where they begin.
  uint64_t take(uint64_t n) {
    const uint64_t at = offset;
    offset += n;
    return at;
  }
};

// The one behind manual_seed() outside fibers, which have their own.
inline constinit Generator default_generator{0x77656e64, 0};

}  // namespace wend
