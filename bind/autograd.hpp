// bind/autograd.hpp: leaves, .grad, hooks and the walk back, as Python sees them.
#pragma once

#include "bind/link.hpp"

namespace wend {

// The node that stands for the tensor in the graph of gradients.
Node& gradient_node(PyObject* tensor);

// `refusal`: what is said of an integer tensor, which PyTorch words in three ways.
void set_requires_grad(PyObject* tensor, bool on,
                       const char* refusal =
                           "Only Tensors of floating point and complex dtype can "
                           "require gradients",
                       Write what = Write::history);
void unlink(TensorObject* t);
// After a write in place: .grad is kept for the new node, if it was for the old one.
void move_retained_grad(PyObject* tensor);
// For the garbage collector: what is reached through this tensor only.
int visit_links(TensorObject* t, visitproc visit, void* arg);
void clear_links(TensorObject* t);

PyObject* register_hook(PyObject* tensor, PyObject* hook);
PyObject* register_post_accumulate_grad_hook(PyObject* tensor, PyObject* hook);
PyObject* retain_grad(PyObject* tensor, PyObject* unused);
PyObject* backward_hooks(PyObject* tensor, void* unused);

// Tensor.backward(gradient=None, retain_graph=None, create_graph=False, inputs=None)
PyObject* tensor_backward(PyObject* self, PyObject* const* args, Py_ssize_t nargs,
                          PyObject* kwnames);

void init_autograd(PyObject* module);

}  // namespace wend
