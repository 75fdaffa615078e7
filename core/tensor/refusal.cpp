// tensor/refusal.cpp: PyTorch's sentences about views that were written, put together.
#include "tensor/refusal.hpp"

#include "graph/describe.hpp"

namespace wend {
namespace {

// "Output 1 of Unbind": the function without the word for its way back.
std::string output_of(const Node& history) {
  const bool by_function = history.op->back == Back::function_output;
  std::string name = backward_name(by_function ? *history.inputs[1] : history);
  if (const size_t end = name.rfind("Backward"); end != name.npos) name.resize(end);
  return join("Output ", output_number(history), " of ", name);
}

const char* advice(Origin origin) {
  switch (origin) {
    case Origin::one_of_many:
      return " This view is the output of a function that returns multiple views. Such functions "
             "do not allow the output views to be modified inplace. You should replace the inplace "
             "operation by an out-of-place one.";
    case Origin::function:
      return " This view was created inside a custom Function (or because an input was returned "
             "as-is) and the autograd logic to handle view+inplace would override the custom "
             "backward associated with the custom Function, leading to incorrect gradients. This "
             "behavior is forbidden. You can fix this by cloning the output of the custom "
             "Function.";
    default:
      return " Given that this use case is ambiguous and error-prone, it is forbidden. You can "
             "clarify your code by moving both the view and the inplace either both inside the "
             "no_grad block (if you don't want the inplace to be tracked) or both outside (if you "
             "want the inplace to be tracked).";
  }
}

}  // namespace

int output_number(const Node& any) {
  const Node& node = *history_of(const_cast<Node*>(&any));
  return node.op->output_attr >= 0 ? static_cast<int>(node.attr(node.op->output_attr).as_int()) : 0;
}

std::string refusal(const Node& view, Origin origin, bool indirect) {
  const Node& history = *history_of(const_cast<Node*>(&view));
  const bool has_history = history.needs_grad() && !history.is_leaf();
  const std::string written =
      indirect ? "its base or another view of its base has been" : "is being";
  std::string text;
  if (has_history && origin != Origin::without_grad)
    text = output_of(history) + " is a view and " + written + " modified inplace.";
  else
    text = (has_history ? output_of(history) + " is a view of a view which was" : "A view was") +
           " created in no_grad mode and " + written + " modified inplace with grad mode enabled.";
  return text + advice(origin);
}

}  // namespace wend
