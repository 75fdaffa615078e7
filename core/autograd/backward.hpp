// autograd/backward.hpp: the walk back. Gradients are ordinary nodes, recorded by the rules in the
// op table, so that they can be differentiated again.
#pragma once

#include <string>

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
  Value failed_at;  // in anomaly mode, where an error arose
};

// Runs what is pending, then walks from the roots. The gradients are recorded, not yet run.
void backward(Backward& request);

// How many leaves have, or had, hooks. Only for them it matters when their gradient is complete.
inline constinit uint32_t hooked_leaves = 0;

// The walk that runs now, as a number that no other walk has; 0 when there is none.
uint64_t current_walk();
// Whether the current walk is at the node or has yet to come to it.
std::vector<bool> yet_to_come(std::span<Node* const> nodes);

// What the way back through an autograd.Function needs; implemented by the binding.
struct FunctionAttachment : Attachment {
  // One gradient for each input of the node, empty where there is none.
  virtual Values backward(std::span<const Value> output_gradients) = 0;
  // Gives up what was saved for it.
  virtual void forget() = 0;
};

// `gradient` summed to the shape and cast to the dtype of `like`.
Value refit_gradient(Value gradient, const Node& like);
inline Value fit_gradient(Value gradient, const Node& like) {
  if (gradient->layout == like.layout && gradient->dtype == like.dtype) return gradient;
  return refit_gradient(std::move(gradient), like);
}

}  // namespace wend
