// bind/autograd.hpp: leaves, .grad, hooks and the walk back, as Python sees them.
#pragma once

#include "autograd/backward.hpp"
#include "bind/tensor.hpp"

namespace wend {

// What hangs on a node for Python's sake: the tensor whose .grad it fills, hooks, its grad_fn.
struct TensorLink : FunctionAttachment {
  TensorObject* tensor = nullptr;  // not counted; cleared when the tensor goes
  PyObject* grad_fn = nullptr;     // not counted; cleared when the object goes
  PyObject* hooks = nullptr;       // {id: hook(grad)} of the tensor
  PyObject* post_accumulate = nullptr;
  PyObject* pre_hooks = nullptr;   // {id: hook(grad_outputs)} of the grad_fn
  PyObject* post_hooks = nullptr;  // {id: hook(grad_inputs, grad_outputs)}
  PyObject* function = nullptr;    // the context of an autograd.Function
  bool retains_grad = false;

  ~TensorLink() override;
  Value arrived(Value gradient) override;
  void accumulate(const Value& gradient) override;
  bool watches_inputs() const override { return post_hooks != nullptr; }
  void passed(std::span<Value> inputs, const Value& output) override;
  Values backward(std::span<const Value> output_gradients) override;
};

// The link of a node, made if there is none.
TensorLink& link_of(Node& node);
// The node that stands for the tensor in the graph of gradients.
Node& gradient_node(PyObject* tensor);

void set_requires_grad(PyObject* tensor, bool on);
void unlink(TensorObject* t);
int visit_hooks(TensorObject* t, visitproc visit, void* arg);
void clear_hooks(TensorObject* t);

// Tensor.backward(gradient=None, retain_graph=None, create_graph=False, inputs=None)
PyObject* tensor_backward(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames);
PyObject* grad_fn_of(PyObject* tensor);

void init_autograd(PyObject* module);

}  // namespace wend
