// bind/autograd.cpp: leaves, .grad, hooks and the walk back, as Python sees them. The walk itself
// is core/autograd, what it calls is bind/link; objects for grad_fn are in bind/grad_fn.
#include "bind/autograd.hpp"

#include "base/forever.hpp"
#include "bind/function.hpp"
#include "bind/grad_fn.hpp"
#include "bind/types.hpp"
#include "exec/run.hpp"
#include "graph/describe.hpp"
#include "graph/record.hpp"
#include "ops/functions.hpp"

namespace wend {

Node& gradient_node(PyObject* tensor) {
  Node* node = variable_of(tensor).node();
  if (node->flags & Node::refused) throw *node->extra->error;
  return *history_of(node);
}

namespace {

// The tensors that asked to retain their gradient.
constinit Forever<std::vector<TensorObject*>> retaining;

// Makes `link` the one that belongs to the tensor.
void relink(TensorObject* t, TensorLink& link) {
  if (t->link && t->link.get() != &link) unlink(t);
  t->link = Ref<Attachment>(&link);
}

}  // namespace

void set_requires_grad(PyObject* tensor, bool on, const char* refusal, Write what) {
  TensorObject* t = as_tensor(tensor);
  Node& node = *t->variable.node();
  Node& history = *history_of(&node);
  const bool unlinked = on && history.is_leaf() && !link_of(history).tensor;
  if (on == node.needs_grad() && !unlinked) return;
  if (node.needs_grad() && !history.is_leaf())
    fail(ErrorKind::runtime,
         "you can only change requires_grad flags of leaf variables. If you want to use a computed "
         "variable in a subgraph that doesn't require differentiation use var_no_grad = "
         "var.detach().");
  if (on && !is_floating(node.dtype)) fail(ErrorKind::runtime, refusal);
  if (on && node.flags & Node::inference && !mode.inference)
    fail(ErrorKind::runtime,
         "Setting requires_grad=True on inference tensor outside InferenceMode is not allowed.");
  // The link stays: graphs of before and after end in the same tensor, with the same hooks.
  if (!on) return t->variable.replace_node(alias_without_grad(t->variable.value()), what);
  t->variable.replace_node(new_leaf(t->variable.value()), what);
  Node& leaf = *history_of(t->variable.node());
  if (t->link && !static_cast<TensorLink&>(*t->link).retains_grad) extra(leaf).attachment = t->link;
  TensorLink& link = link_of(leaf);
  link.tensor = t;
  relink(t, link);
}

void unlink(TensorObject* t) {
  auto& link = static_cast<TensorLink&>(*t->link);
  if (link.tensor == t) link.tensor = nullptr;
  if (link.retains_grad) std::erase(retaining.value, t);
  t->link = nullptr;
}

namespace {

void move_retained_grad(TensorObject* t, Node& node) {
  const Ref<Attachment> held = t->link;  // perhaps nobody else holds it once it is replaced
  if (!held) return;
  auto& before = static_cast<TensorLink&>(*held);
  if (!before.retains_grad || before.tensor != t || !node.needs_grad()) return;
  TensorLink& now = link_of(node);
  if (&now == &before) return;
  relink(t, now);
  before.retains_grad = false;
  now.retains_grad = true;
  now.tensor = t;
  retaining.value.push_back(t);
}

// A tensor whose memory was written through another has a new node once it was used again. A link
// that goes may be the last to hold some of the tensors; one without references is about to go.
void follow_writes() {
  std::vector<Object> all;
  for (TensorObject* t : retaining.value)
    if (auto* object = reinterpret_cast<PyObject*>(t); Py_REFCNT(object) > 0)
      all.push_back(Object::borrowed(object));
  for (const Object& each : all) {
    TensorObject* t = as_tensor(each.get());
    move_retained_grad(t, *history_of(const_cast<Node*>(&t->variable.shape())));
  }
}

}  // namespace

void move_retained_grad(PyObject* tensor) {
  TensorObject* t = as_tensor(tensor);
  if (t->link) move_retained_grad(t, *history_of(t->variable.node()));
}

namespace {

// The node of the tensor's history, if it can be reached through this tensor only.
const Node* own_history(TensorObject* t) {
  if (!t->variable) return nullptr;
  const Variable& v = t->variable;
  const Node& node = v.shape();
  uint32_t own = 1;
  if (const Family* family = v.family()) {
    if (family->refs > 1) return nullptr;
    own += (family->node == &node) + (family->cell->node.get() == &node);
  }
  if (node.refs > own) return nullptr;
  const Node* history = history_of(const_cast<Node*>(&node));
  return history == &node || history->refs == 1 ? history : nullptr;
}

// The autograd.Function that made this node, if nobody else refers to the call.
FunctionLink* own_function(const Node& node) {
  if (node.op->back != Back::function_output) return nullptr;
  const Node* function = node.inputs[1].get();
  if (!function || function->refs != 1) return nullptr;
  return static_cast<FunctionLink*>(function->extra->attachment.get());
}

// The link of what was a leaf, if no graph refers to it; the tensor may be an alias of that leaf.
TensorLink* idle_link(const TensorObject* t, const Node* node) {
  if (!t->link) return nullptr;
  uint32_t own = 1;
  while (node && node->op->view && node->n_inputs && node->inputs[0]->refs == 1) {
    node = node->inputs[0].get();
    own += node->extra && node->extra->attachment == t->link;
  }
  return t->link->refs == own ? static_cast<TensorLink*>(t->link.get()) : nullptr;
}

}  // namespace

int visit_links(TensorObject* t, visitproc visit, void* arg) {
  const Node* node = own_history(t);
  if (const TensorLink* idle = idle_link(t, node))
    if (const int stopped = idle->visit(visit, arg)) return stopped;
  if (!node) return 0;
  if (FunctionLink* function = own_function(*node)) Py_VISIT(function->function);
  Attachment* attachment = node->extra ? node->extra->attachment.get() : nullptr;
  const uint32_t own = t->link.get() == attachment ? 2 : 1;
  if (!attachment || attachment->refs > own) return 0;
  return static_cast<TensorLink*>(attachment)->visit(visit, arg);
}

void clear_links(TensorObject* t) {
  const Node* node = own_history(t);
  if (TensorLink* idle = idle_link(t, node)) idle->clear();
  if (!node) return;
  if (FunctionLink* function = own_function(*node)) function->let_go();
  if (node->extra && node->extra->attachment)
    static_cast<TensorLink&>(*node->extra->attachment).clear();
}

PyObject* register_hook(PyObject* tensor, PyObject* hook) {
  return guarded([&] {
    TensorObject* t = as_tensor(tensor);
    Node& node = gradient_node(tensor);
    if (!node.needs_grad())
      fail(ErrorKind::runtime, "cannot register a hook on a tensor that doesn't require gradient");
    TensorLink& link = hooked_link_of(node);
    track(t);
    return add_hook(link.hooks, hook);
  });
}

PyObject* register_post_accumulate_grad_hook(PyObject* tensor, PyObject* hook) {
  return guarded([&] {
    Node& node = gradient_node(tensor);
    if (!node.needs_grad())
      fail(ErrorKind::runtime, "cannot register a hook on a tensor that doesn't require gradient");
    if (!node.is_leaf())
      fail(ErrorKind::runtime,
           "post accumulate grad hooks cannot be registered on non-leaf tensors");
    track(as_tensor(tensor));
    return add_hook(hooked_link_of(node).post_accumulate, hook);
  });
}

PyObject* retain_grad(PyObject* tensor, PyObject*) {
  return guarded([&]() -> PyObject* {
    TensorObject* t = as_tensor(tensor);
    Node& node = gradient_node(tensor);
    if (!node.needs_grad())
      fail(ErrorKind::runtime, "can't retain_grad on Tensor that has requires_grad=False");
    if (node.is_leaf()) Py_RETURN_NONE;
    TensorLink& link = link_of(node);
    relink(t, link);
    link.tensor = t;
    if (!std::exchange(link.retains_grad, true)) retaining.value.push_back(t);
    Py_RETURN_NONE;
  });
}

PyObject* backward_hooks(PyObject* tensor, void*) {
  return guarded([&] {
    const Node& node = gradient_node(tensor);
    const Attachment* a = node.extra ? node.extra->attachment.get() : nullptr;
    PyObject* hooks = a ? static_cast<const TensorLink*>(a)->hooks : nullptr;
    return Py_NewRef(hooks ? hooks : Py_None);
  });
}

namespace {

// The gradient that a node starts from: given, or one for a scalar. Shapes were compared already.
Value root_gradient(const Node& node, PyObject* gradient) {
  if (gradient && gradient != Py_None) return variable_of(gradient).value();
  if (node.numel() != 1)
    fail(ErrorKind::runtime, "grad can be implicitly created only for scalar outputs");
  if (node.ndim() == 0) return constant(1.0, node.dtype);
  return full(node.sizes(), 1, node.dtype);
}

// A tensor, or the grad_fn object of a gradient edge.
Node* graph_node(PyObject* o) {
  if (is_tensor(o)) return &gradient_node(o);
  if (Node* node = node_of_grad_fn(o)) return node;
  raise(PyExc_TypeError, "expected a Tensor or a gradient edge, but got %s", Py_TYPE(o)->tp_name);
}

void add_root(Backward& request, PyObject* root, PyObject* gradient, Py_ssize_t index) {
  Node* node = graph_node(root);
  if (!node->needs_grad())
    fail(ErrorKind::runtime, "element ", index,
         " of tensors does not require grad and does not have a grad_fn");
  request.roots.push_back({Value(node), root_gradient(*node, gradient)});
}

void add_targets(Backward& request, PyObject* inputs, bool accumulate) {
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(inputs); ++i) {
    PyObject* t = PyTuple_GET_ITEM(inputs, i);
    Node* node = graph_node(t);
    if (!node->needs_grad())
      fail(ErrorKind::runtime, "One of the differentiated Tensors does not require grad");
    if (accumulate && is_tensor(t)) const Object done(retain_grad(t, nullptr));
    request.targets.push_back({Value(node), {}, accumulate});
  }
}

// In anomaly mode: says where the node was recorded whose gradient failed.
void warn_of_failure(const Node& node) {
  PyObject *type, *value, *trace;
  PyErr_Fetch(&type, &value, &trace);
  std::string text = "Error detected in " + backward_name(node) + ".";
  if (node.code)
    text += " Traceback of forward call that caused the error:\n  " +
            source_hooks.describe(node.source());
  if (PyErr_WarnEx(PyExc_UserWarning, text.c_str(), 1) < 0) PyErr_Clear();
  PyErr_Restore(type, value, trace);
}

// Runs the recorded gradients as well: what was saved for them can go.
void walk_and_run(Backward& request) {
  try {
    if (!retaining.value.empty()) follow_writes();
    backward(request);
  } catch (...) {
    pending.self_reliant = 0;
    if (request.failed_at) warn_of_failure(*request.failed_at);
    throw;
  }
  request.roots.clear();
  settle(/*finish=*/false);
}

// _run_backward(roots, gradients, keep_graph, create_graph, inputs, accumulate) -> gradients
PyObject* run_backward(PyObject*, PyObject* const* args, Py_ssize_t nargs) {
  return guarded([&]() -> PyObject* {
    if (nargs != 6) raise(PyExc_TypeError, "_run_backward takes 6 arguments");
    Backward request;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(args[0]); ++i)
      add_root(request, PyTuple_GET_ITEM(args[0], i), PyTuple_GET_ITEM(args[1], i), i);
    request.keep_graph = args[2] == Py_True;
    request.create_graph = args[3] == Py_True;
    add_targets(request, args[4], args[5] == Py_True);
    walk_and_run(request);
    Values answers;
    for (auto& t : request.targets) answers.push_back(std::move(t.gradient));
    return tuple_of(answers);
  });
}

// _yet_to_come(tensors) -> list of bool: whether the walk that runs now will come to them.
PyObject* yet_to_come_list(PyObject*, PyObject* tensors) {
  return guarded([&] {
    std::vector<Node*> nodes;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(tensors); ++i)
      nodes.push_back(&gradient_node(PyTuple_GET_ITEM(tensors, i)));
    const std::vector<bool> answers = yet_to_come(nodes);
    Object list(PyList_New(static_cast<Py_ssize_t>(nodes.size())));
    for (size_t i = 0; i < nodes.size(); ++i)
      PyList_SET_ITEM(list.get(), i, PyBool_FromLong(answers[i]));
    return list.release();
  });
}

PyObject* current_walk_number(PyObject*, PyObject*) {
  return PyLong_FromUnsignedLongLong(current_walk());
}

PyObject* increment_version(PyObject*, PyObject* tensor) {
  return guarded([&]() -> PyObject* {
    Variable& v = variable_of(tensor);
    if (!(v.node()->flags & Node::inference)) v.bump_version();
    Py_RETURN_NONE;
  });
}

PyMethodDef functions[] = {
    {"_run_backward", reinterpret_cast<PyCFunction>(run_backward), METH_FASTCALL, nullptr},
    {"_yet_to_come", yet_to_come_list, METH_O, nullptr},
    {"_current_walk", current_walk_number, METH_NOARGS, nullptr},
    {"_increment_version", increment_version, METH_O, nullptr},
    {}};

}  // namespace

PyObject* tensor_backward(PyObject* self, PyObject* const* args, Py_ssize_t nargs,
                          PyObject* kwnames) {
  return guarded([&]() -> PyObject* {
    if (nargs > 0 || kwnames) {
      const Object method(PyObject_GetAttrString(registered("autograd"), "_tensor_backward"));
      std::vector<PyObject*> all{self};
      all.insert(all.end(), args, args + nargs + (kwnames ? PyTuple_GET_SIZE(kwnames) : 0));
      return staying(
          [&] { return PyObject_Vectorcall(method.get(), all.data(), nargs + 1, kwnames); });
    }
    Backward request;
    add_root(request, self, nullptr, 0);
    walk_and_run(request);
    Py_RETURN_NONE;
  });
}

void init_autograd(PyObject* module) { check(PyModule_AddFunctions(module, functions)); }

}  // namespace wend
