// bind/link.hpp: what hangs on a node for Python's sake: the tensor whose .grad it fills, the hooks
// of that tensor and of the grad_fn. Who registers them is bind/autograd and bind/grad_fn.
#pragma once

#include "autograd/backward.hpp"
#include "bind/tensor.hpp"
#include "graph/mode.hpp"

namespace wend {

struct TensorLink : FunctionAttachment {
  TensorObject* tensor = nullptr;  // not counted; cleared when the tensor goes
  PyObject* grad_fn = nullptr;     // not counted; cleared when the object goes
  PyObject* hooks = nullptr;       // {id: hook(grad)} of the tensor
  PyObject* post_accumulate = nullptr;
  PyObject* pre_hooks = nullptr;   // {id: hook(grad_outputs)} of the grad_fn
  PyObject* post_hooks = nullptr;  // {id: hook(grad_inputs, grad_outputs)}
  PyObject* metadata = nullptr;    // a dict for anybody's notes
  bool retains_grad = false;
  bool counted = false;  // among the leaves that have hooks

  ~TensorLink() override;
  bool hooked() const override { return hooks || post_accumulate || pre_hooks || post_hooks; }
  Value arrived(Value gradient) override;
  void accumulate(const Value& gradient) override;
  bool watches() const override { return pre_hooks || post_hooks; }
  void entering(std::span<Value> outputs) override;
  void passed(std::span<Value> inputs, std::span<const Value> outputs) override;

  Values backward(std::span<const Value>) override { return {}; }
  void forget() override {}

  int visit(visitproc visit, void* arg) const;
  void clear();

  // The tensor, unless it is gone or about to go; counted.
  Object living() const;

 private:
  void retain(const Value& gradient);
};

// The link of a node, made if there is none.
TensorLink& link_of(Node& node);
// The same for a node that is about to have a hook.
TensorLink& hooked_link_of(Node& node);
// Adds a hook to a dict, which is made if there is none, and returns a handle that removes it.
PyObject* add_hook(PyObject*& hooks, PyObject* hook);

// A tensor object for the node: the leaf itself where it is one and its object lives.
PyObject* tensor_for(const Value& node);
// A tuple of tensors, None for those that are empty.
PyObject* tuple_of(std::span<const Value> values);

// While Python code is called from the walk, nodes have the lines of that code.
struct UserCode {
  const Node* line = std::exchange(mode.line_of, nullptr);
  ~UserCode() { mode.line_of = line; }
};

}  // namespace wend
