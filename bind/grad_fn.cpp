// bind/grad_fn.cpp: nodes of the gradient graph as Python objects. The type of an object is named as
// PyTorch names the way back through the op.
#include "bind/grad_fn.hpp"

#include <string>
#include <unordered_map>

#include "bind/autograd.hpp"
#include "graph/op.hpp"

namespace wend {
namespace {

struct GradFn {
  PyObject_HEAD
  Node* node;
  PyObject* dict;
  PyObject* weakrefs;
};

PyTypeObject grad_fn_type = {PyVarObject_HEAD_INIT(nullptr, 0)};

Node& node_of(PyObject* self) { return *reinterpret_cast<GradFn*>(self)->node; }

void dealloc(PyObject* self) {
  auto* f = reinterpret_cast<GradFn*>(self);
  PyObject_GC_UnTrack(self);
  if (f->weakrefs) PyObject_ClearWeakRefs(self);
  TensorLink& link = link_of(*f->node);
  if (link.grad_fn == self) link.grad_fn = nullptr;
  unref(f->node);
  Py_CLEAR(f->dict);
  Py_TYPE(self)->tp_free(self);
}

int traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(reinterpret_cast<GradFn*>(self)->dict);
  return 0;
}

int clear(PyObject* self) {
  Py_CLEAR(reinterpret_cast<GradFn*>(self)->dict);
  return 0;
}

PyTypeObject* type_named(const std::string& name) {
  static auto& types = *new std::unordered_map<std::string, PyTypeObject*>;
  PyTypeObject*& type = types[name];
  if (type) return type;
  const Object made(PyObject_CallFunction(reinterpret_cast<PyObject*>(&PyType_Type), "s(O){s:s,s:()}",
                                          name.c_str(), &grad_fn_type, "__module__", "wend.autograd",
                                          "__slots__"));
  type = reinterpret_cast<PyTypeObject*>(Py_NewRef(made.get()));
  return type;
}

// An output of an autograd.Function is known by the function's own node.
Node* shown(Node* node) {
  static const Op& rebind = op_named("rebind");
  while (node->op == &rebind) node = node->inputs[1].get();
  return node->op->back == Back::function_output && node->inputs[1].get() ? node->inputs[1].get() : node;
}

int output_number(const Node& node) {
  return node.op->back == Back::function_output ? static_cast<int>(node.attr(0).as_int()) : 0;
}

PyObject* next_functions(PyObject* self, void*) {
  return guarded([&] {
    const Node& node = node_of(self);
    Object list(PyList_New(0));
    for (uint32_t i = 0; i < node.n_inputs; ++i) {
      Node* in = node.inputs[i].get();
      if (node.flags & Node::history_freed) continue;
      const bool wanted = in && in->needs_grad();
      const Object fn(wanted ? grad_fn_object(*in) : Py_NewRef(Py_None));
      const Object pair(Py_BuildValue("(Oi)", fn.get(), wanted ? output_number(*in) : 0));
      check(PyList_Append(list.get(), pair.get()));
    }
    return PyList_AsTuple(list.get());
  });
}

PyObject* name(PyObject* self, PyObject*) {
  return guarded([&] { return PyUnicode_FromString(grad_name(node_of(self)).c_str()); });
}

PyObject* variable(PyObject* self, void*) {
  const Node& node = node_of(self);
  if (!node.is_leaf()) {
    PyErr_SetString(PyExc_AttributeError, "only AccumulateGrad has a variable");
    return nullptr;
  }
  TensorObject* t = link_of(node_of(self)).tensor;
  return Py_NewRef(t ? reinterpret_cast<PyObject*>(t) : Py_None);
}

PyObject* sequence_number(PyObject* self, PyObject*) {
  return PyLong_FromUnsignedLongLong(node_of(self).number);
}

PyObject* metadata(PyObject* self, void*) {
  auto* f = reinterpret_cast<GradFn*>(self);
  return PyObject_GenericGetDict(reinterpret_cast<PyObject*>(f), nullptr);
}

PyObject* hook_dict(PyObject* self, PyObject* which) {
  return guarded([&] {
    TensorLink& link = link_of(node_of(self));
    const bool pre = PyUnicode_CompareWithASCIIString(which, "pre") == 0;
    PyObject*& dict = pre ? link.pre_hooks : link.post_hooks;
    if (!dict) dict = Object(PyDict_New()).release();
    return Py_NewRef(dict);
  });
}

PyGetSetDef getset[] = {
    {"next_functions", next_functions, nullptr, "The nodes that gradients go to next.", nullptr},
    {"variable", variable, nullptr, "The leaf that gradients are accumulated in.", nullptr},
    {"metadata", metadata, nullptr, "A dict for anybody's notes.", nullptr},
    {}};
PyMethodDef methods[] = {
    {"name", name, METH_NOARGS, "PyTorch's name of the node."},
    {"_sequence_nr", sequence_number, METH_NOARGS, "The order in which nodes were recorded."},
    {"_hooks", hook_dict, METH_O, nullptr},
    {}};

}  // namespace

std::string grad_name(const Node& node) {
  if (node.is_leaf()) return "torch::autograd::AccumulateGrad";
  if (node.op->back == Back::function) {
    const auto& link = static_cast<TensorLink&>(*node.extra->attachment);
    return Py_TYPE(link.function)->tp_name;
  }
  if (node.op->grad_name) return node.op->grad_name;
  std::string text;
  bool upper = true;
  for (const char* p = node.op->name; *p; ++p) {
    if (*p == '_') {
      upper = true;
      continue;
    }
    text += upper ? static_cast<char>(std::toupper(*p)) : *p;
    upper = false;
  }
  return text + "Backward0";
}

PyObject* grad_fn_object(Node& any) {
  Node& node = *shown(&any);
  TensorLink& link = link_of(node);
  if (node.op->back == Back::function) return Py_NewRef(link.function);
  if (link.grad_fn) return Py_NewRef(link.grad_fn);
  std::string text = grad_name(node);
  if (node.is_leaf()) text = "AccumulateGrad";
  PyTypeObject* type = type_named(text);
  auto* f = reinterpret_cast<GradFn*>(type->tp_alloc(type, 0));
  if (!f) throw PythonError{};
  retain(&node);
  f->node = &node;
  f->dict = f->weakrefs = nullptr;
  link.grad_fn = reinterpret_cast<PyObject*>(f);
  return link.grad_fn;
}

PyObject* grad_fn_of(PyObject* tensor) {
  Node* node = variable_of(tensor).node();
  if (!node->needs_grad() || history_of(node)->is_leaf()) return Py_NewRef(Py_None);
  return grad_fn_object(*node);
}

void init_grad_fn(PyObject* module) {
  PyTypeObject& t = grad_fn_type;
  t.tp_name = "wend.autograd.Node";
  t.tp_basicsize = sizeof(GradFn);
  t.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC;
  t.tp_dealloc = dealloc;
  t.tp_traverse = traverse;
  t.tp_clear = clear;
  t.tp_free = PyObject_GC_Del;
  t.tp_getset = getset;
  t.tp_methods = methods;
  t.tp_dictoffset = offsetof(GradFn, dict);
  t.tp_weaklistoffset = offsetof(GradFn, weakrefs);
  check(PyType_Ready(&t));
  check(PyModule_AddObjectRef(module, "Node", reinterpret_cast<PyObject*>(&t)));
}

}  // namespace wend
