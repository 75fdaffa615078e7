// tensor/refusal.hpp: what is said when a view may not be written in place, because of how it came
// about. Whether it may is tensor/variable's and the binding's to decide.
#pragma once

#include <string>

#include "tensor/variable.hpp"

namespace wend {

// Which of its function's results a node is.
int output_number(const Node& node);

// Why a view of this origin and history may not be written (`indirect` false), or has no gradient
// any more since its base or another view of it was (`indirect` true).
std::string refusal(const Node& view, Origin origin, bool indirect);

}  // namespace wend
