// autograd/backward.hpp: the walk back. Gradients are ordinary nodes, recorded by the rules in the
// op table, so that they can be differentiated again.
#pragma once

#include "graph/op.hpp"

namespace wend {

struct Backward {
  struct Root {
    Value node;
    Value gradient;
  };
  // A node whose gradient is asked for (autograd.grad, backward(inputs=)).
  struct Target {
    Value node;
    Value gradient;   // the answer; empty when no path leads there
    bool accumulate;  // give it to the leaf as well
  };

  std::vector<Root> roots;
  std::vector<Target> targets;  // none: every leaf accumulates
  bool keep_graph = false;
  bool create_graph = false;
};

// Runs what is pending, then walks from the roots. The gradients are recorded, not yet run.
void backward(Backward& request);

// What the way back through an autograd.Function needs; implemented by the binding.
struct FunctionAttachment : Attachment {
  // One gradient for each input of the node, empty where there is none.
  virtual Values backward(std::span<const Value> output_gradients) = 0;
};

// `gradient` summed to the shape and cast to the dtype of `like`.
Value fit_gradient(const Value& gradient, const Node& like);

}  // namespace wend
