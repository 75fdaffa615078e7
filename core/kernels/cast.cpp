// Picks the loop that converts between two dtypes on this machine.
// Leaves the loops to level/cast.inl.
#include "kernels/cast.hpp"

#include "kernels/level.hpp"

namespace wend {

Cast cast_loop(DType to, DType from) {
  return level().casts[static_cast<int>(to)][static_cast<int>(from)];
}

}  // namespace wend
