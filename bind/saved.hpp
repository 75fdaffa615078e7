// bind/saved.hpp: saved_tensors_hooks: what is saved for backward goes through the user's
// functions.
#pragma once

#include <memory>

#include "bind/python.hpp"
#include "graph/node.hpp"

namespace wend {

// A tensor that an autograd.Function saved: the value, or what the hooks made of it.
class SavedTensor {
 public:
  SavedTensor() = default;  // None
  // `output`: which output of the function it is, or -1.
  SavedTensor(const Value& value, int output);
  // The tensor with its history; `function` is the node of the function, null when it is gone.
  PyObject* unpack(Node* function) const;

 private:
  Value value_;  // empty when the hooks have it
  Ref<Node> history_;
  std::unique_ptr<Packed> packed_;
  int output_ = -1;
};

void init_saved(PyObject* module);

}  // namespace wend
