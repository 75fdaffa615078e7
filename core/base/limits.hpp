// base/limits.hpp: how many dimensions and elements a tensor may have.
// That layouts keep to it is base/layout.
#pragma once

#include <cstdint>

namespace wend {

constexpr int kMaxDims = 64;

// No layout has more elements, and none reaches further: bytes of the widest dtype can be counted.
constexpr int64_t kMostElements = int64_t{1} << 59;

}  // namespace wend
