// bind/grad_fn.cpp: nodes of the gradient graph as Python objects. The type of an object is named
// as PyTorch names the way back through the op; contexts of autograd.Function are bind/function.
#include "bind/grad_fn.hpp"

#include <string>
#include <unordered_map>

#include "bind/autograd.hpp"
#include "bind/function.hpp"
#include "bind/types.hpp"
#include "graph/batch.hpp"
#include "graph/describe.hpp"
#include "tensor/refusal.hpp"

namespace wend {
namespace {

GradFn* as_grad_fn(PyObject* o) { return reinterpret_cast<GradFn*>(o); }

Node& node_of(PyObject* self) {
  if (!as_grad_fn(self)->node)
    raise(PyExc_RuntimeError, "%s is not, or no longer, part of a graph", Py_TYPE(self)->tp_name);
  return *as_grad_fn(self)->node;
}

void dealloc(PyObject* self) {
  GradFn* f = as_grad_fn(self);
  PyObject_GC_UnTrack(self);
  if (f->weakrefs) PyObject_ClearWeakRefs(self);
  if (f->node) {
    TensorLink& link = link_of(*f->node);
    if (link.grad_fn == self) link.grad_fn = nullptr;
    unref(f->node);
  }
  clear_grad_fn(self);
  Py_TYPE(self)->tp_free(self);
}

PyTypeObject* type_named(const std::string& name) {
  static auto& types = *new std::unordered_map<std::string, PyTypeObject*>;
  PyTypeObject*& type = types[name];
  if (type) return type;
  const Object made(PyObject_CallFunction(reinterpret_cast<PyObject*>(&PyType_Type),
                                          "s(O){s:s,s:()}", name.c_str(), &grad_fn_type,
                                          "__module__", "builtins", "__slots__"));
  type = reinterpret_cast<PyTypeObject*>(Py_NewRef(made.get()));
  return type;
}

// An output of an autograd.Function is known by the function's own node.
Node* shown(Node* node) {
  node = history_of(node);
  const bool output = node->op->back == Back::function_output && node->inputs[1].get();
  return output ? node->inputs[1].get() : node;
}

// An object of its own for exactly this node; the type has no namespace before its name.
PyObject* new_object(Node& node, const std::string& name) {
  const size_t colon = name.rfind(':');
  PyTypeObject* type = type_named(colon == name.npos ? name : name.substr(colon + 1));
  GradFn* f = as_grad_fn(type->tp_alloc(type, 0));
  if (!f) throw PythonError{};
  retain(&node);
  f->node = &node;
  return reinterpret_cast<PyObject*>(f);
}

// Whether gradients could go back along input i; a number that PyTorch has an op of its own for is
// none of its inputs.
bool is_edge(const Node& node, uint32_t i) {
  const Op& op = *node.op;
  const Node* input = node.inputs[i].get();
  if (!input || node.is_leaf()) return false;
  if (i < 2 && op.grad_name_of_number[i] && input->flags & Node::constant) return false;
  return op.back != Back::rule || op.grad_each.formula || op.grad[std::min(i, 3u)].formula;
}

PyObject* next_functions(PyObject* self, void*) {
  return guarded([&] {
    std::vector<Node*> next;
    Node& node = node_of(self);
    fetch_inputs(node);
    for (uint32_t i = 0; i < node.n_inputs; ++i)
      if (is_edge(node, i)) next.push_back(node.inputs[i].get());
    return edges_to(next);
  });
}

PyObject* name(PyObject* self, PyObject*) {
  return guarded([&] { return PyUnicode_FromString(backward_name(node_of(self)).c_str()); });
}

PyObject* variable(PyObject* self, void*) {
  return guarded([&] {
    if (!node_of(self).is_leaf())
      raise(PyExc_AttributeError, "'%s' object has no attribute 'variable'",
            Py_TYPE(self)->tp_name);
    Object tensor = link_of(node_of(self)).living();
    return tensor ? tensor.release() : Py_NewRef(Py_None);
  });
}

PyObject* sequence_number(PyObject* self, PyObject*) {
  return guarded([&] { return PyLong_FromUnsignedLongLong(node_of(self).number); });
}

PyObject* metadata(PyObject* self, void*) {
  return guarded([&] {
    PyObject*& dict = link_of(node_of(self)).metadata;
    if (!dict) dict = Object(PyDict_New()).release();
    return Py_NewRef(dict);
  });
}

PyObject* requires_grad(PyObject*, void*) { Py_RETURN_TRUE; }

PyObject* register_node_hook(PyObject* self, PyObject* hook) {
  return guarded([&] { return add_hook(hooked_link_of(node_of(self)).post_hooks, hook); });
}
PyObject* register_prehook(PyObject* self, PyObject* hook) {
  return guarded([&] { return add_hook(hooked_link_of(node_of(self)).pre_hooks, hook); });
}

PyGetSetDef getset[] = {
    {"next_functions", next_functions, nullptr, "The nodes that gradients go to next.", nullptr},
    {"variable", variable, nullptr, "The leaf that gradients are accumulated in.", nullptr},
    {"metadata", metadata, nullptr, "A dict for anybody's notes.", nullptr},
    {"requires_grad", requires_grad, nullptr, nullptr, nullptr},
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr},
    {}};
PyMethodDef methods[] = {
    {"name", name, METH_NOARGS, "name() -> str\n\nPyTorch's name of the node."},
    {"_sequence_nr", sequence_number, METH_NOARGS, "The order in which nodes were recorded."},
    {"register_hook", register_node_hook, METH_O,
     "register_hook(hook) -> RemovableHandle\n\n"
     "Calls hook(grad_inputs, grad_outputs) after the node; it may return other grad_inputs."},
    {"register_prehook", register_prehook, METH_O,
     "register_prehook(hook) -> RemovableHandle\n\n"
     "Calls hook(grad_outputs) before the node; it may return others."},
    {}};

// _gradient_edge(tensor) -> (grad_fn, output number, token): the token is the node itself.
PyObject* gradient_edge(PyObject*, PyObject* tensor) {
  return guarded([&] {
    Node& node = gradient_node(tensor);
    const Object fn(grad_fn_object(node)), token(new_object(node, "GradientEdgeToken"));
    return Py_BuildValue("(OiO)", fn.get(), output_number(node), token.get());
  });
}

PyObject* edge_shape(PyObject*, PyObject* edge) {
  return guarded([&] { return size_object(node_of(edge).sizes()); });
}
PyObject* edge_dtype(PyObject*, PyObject* edge) {
  return guarded([&] { return Py_NewRef(dtype_object(node_of(edge).dtype)); });
}

PyMethodDef functions[] = {{"_gradient_edge", gradient_edge, METH_O, nullptr},
                           {"_edge_shape", edge_shape, METH_O, nullptr},
                           {"_edge_dtype", edge_dtype, METH_O, nullptr},
                           {}};

}  // namespace

PyTypeObject grad_fn_type = {PyVarObject_HEAD_INIT(nullptr, 0)};

int traverse_grad_fn(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(as_grad_fn(self)->dict);
  return 0;
}

int clear_grad_fn(PyObject* self) {
  Py_CLEAR(as_grad_fn(self)->dict);
  return 0;
}

PyObject* grad_fn_object(Node& any) {
  Node& node = *shown(&any);
  if (node.op->back == Back::function) {
    PyObject* context = static_cast<FunctionLink&>(*node.extra->attachment).function;
    return Py_NewRef(context ? context : Py_None);
  }
  TensorLink& link = link_of(node);
  if (link.grad_fn) return Py_NewRef(link.grad_fn);
  link.grad_fn = new_object(node, backward_name(node));
  return link.grad_fn;
}

PyObject* grad_fn_of(PyObject* tensor) {
  Node* node = &gradient_node(tensor);
  if (!node->needs_grad() || node->is_leaf()) return Py_NewRef(Py_None);
  track(as_tensor(tensor));  // hooks and notes may be put on the object
  return grad_fn_object(*node);
}

Node* node_of_grad_fn(PyObject* o) {
  return PyObject_TypeCheck(o, &grad_fn_type) ? as_grad_fn(o)->node : nullptr;
}

PyObject* edges_to(std::span<Node* const> nodes) {
  Object tuple(PyTuple_New(static_cast<Py_ssize_t>(nodes.size())));
  for (size_t i = 0; i < nodes.size(); ++i) {
    const bool wanted = nodes[i]->needs_grad();
    const Object fn(wanted ? grad_fn_object(*nodes[i]) : Py_NewRef(Py_None));
    PyTuple_SET_ITEM(
        tuple.get(), i,
        Object(Py_BuildValue("(Oi)", fn.get(), wanted ? output_number(*nodes[i]) : 0)).release());
  }
  return tuple.release();
}

void init_grad_fn(PyObject* module) {
  PyTypeObject& t = grad_fn_type;
  t.tp_name = "wend.autograd.graph.Node";
  t.tp_doc = "A node of the graph that gradients are computed by.";
  t.tp_basicsize = sizeof(GradFn);
  t.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC;
  t.tp_dealloc = dealloc;
  t.tp_traverse = traverse_grad_fn;
  t.tp_clear = clear_grad_fn;
  t.tp_free = PyObject_GC_Del;
  t.tp_getset = getset;
  t.tp_methods = methods;
  t.tp_dictoffset = offsetof(GradFn, dict);
  t.tp_weaklistoffset = offsetof(GradFn, weakrefs);
  check(PyType_Ready(&t));
  check(PyModule_AddObjectRef(module, "Node", reinterpret_cast<PyObject*>(&t)));
  check(PyModule_AddFunctions(module, functions));
}

}  // namespace wend
