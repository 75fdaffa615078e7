// The table of integer loops that elementwise.cpp chooses from; it is no one else's business.
#pragma once

#include "kernels/elementwise.hpp"

namespace wend {

// By op, and by dtype from bool to int64.
extern const Loop elementwise_int_loops[elementwise_count][6];

}  // namespace wend
