// bind/grad_fn.hpp: nodes of the gradient graph as Python objects: grad_fn and next_functions.
#pragma once

#include "bind/python.hpp"
#include "graph/node.hpp"

namespace wend {

// The object for a node that requires grad; the same one as long as somebody holds it.
PyObject* grad_fn_object(Node& node);
// PyTorch's name for the way back through this node.
std::string grad_name(const Node& node);
void init_grad_fn(PyObject* module);

}  // namespace wend
