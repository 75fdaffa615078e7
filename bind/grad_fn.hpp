// bind/grad_fn.hpp: nodes of the gradient graph as Python objects: grad_fn and next_functions.
#pragma once

#include "bind/python.hpp"
#include "graph/node.hpp"

namespace wend {

struct GradFn {
  PyObject_HEAD Node*
      node;  // counted, except by the context of an autograd.Function that was linked
  PyObject* dict;
  PyObject* weakrefs;
};

extern PyTypeObject grad_fn_type;

// The object for a node that requires grad; the same one as long as somebody holds it.
PyObject* grad_fn_object(Node& node);
PyObject* grad_fn_of(PyObject* tensor);
// The node behind a grad_fn object or a token of a gradient edge; null for anything else.
Node* node_of_grad_fn(PyObject* o);
// (grad_fn, output number) for each node; (None, 0) for those that need no gradient.
PyObject* edges_to(std::span<Node* const> nodes);

int traverse_grad_fn(PyObject* self, visitproc visit, void* arg);
int clear_grad_fn(PyObject* self);

void init_grad_fn(PyObject* module);

}  // namespace wend
