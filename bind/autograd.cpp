// bind/autograd.cpp: leaves, .grad, hooks and the walk back, as Python sees them. The walk itself is
// core/autograd; objects for grad_fn are in bind/grad_fn.
#include "bind/autograd.hpp"

#include "bind/args.hpp"
#include "bind/convert.hpp"
#include "bind/types.hpp"
#include "exec/run.hpp"
#include "graph/mode.hpp"
#include "graph/record.hpp"
#include "ops/functions.hpp"

namespace wend {
namespace {

// Calls every hook of a dict in order; what a hook returns replaces the gradient.
Value run_hooks(PyObject* hooks, Value gradient) {
  const Object list(PyDict_Values(hooks));
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(list.get()); ++i) {
    const Object argument(wrap(gradient));
    const Object result(PyObject_CallOneArg(PyList_GET_ITEM(list.get(), i), argument.get()));
    if (result.get() == Py_None) continue;
    if (!is_tensor(result.get()))
      raise(PyExc_TypeError, "expected Variable, but hook returned '%s'",
            Py_TYPE(result.get())->tp_name);
    Value replaced = variable_of(result.get()).value();
    if (!std::ranges::equal(replaced->sizes(), gradient->sizes()))
      fail(ErrorKind::runtime, "hook '", "' has changed the size of value");
    gradient = std::move(replaced);
  }
  return gradient;
}

PyObject* tuple_of(std::span<const Value> values) {
  Object tuple(PyTuple_New(static_cast<Py_ssize_t>(values.size())));
  for (size_t i = 0; i < values.size(); ++i)
    PyTuple_SET_ITEM(tuple.get(), i, values[i] ? wrap(values[i]) : Py_NewRef(Py_None));
  return tuple.release();
}

// Takes tensors of a tuple that a hook or an autograd.Function returned.
Value value_or_none(PyObject* o) {
  if (o == Py_None) return {};
  if (!is_tensor(o))
    raise(PyExc_TypeError, "expected Variable or None (got %s)", Py_TYPE(o)->tp_name);
  return variable_of(o).value();
}

}  // namespace

TensorLink::~TensorLink() {
  Py_XDECREF(hooks);
  Py_XDECREF(post_accumulate);
  Py_XDECREF(pre_hooks);
  Py_XDECREF(post_hooks);
  Py_XDECREF(function);
}

Value TensorLink::arrived(Value gradient) {
  if (hooks) gradient = run_hooks(hooks, std::move(gradient));
  if (retains_grad && tensor) {
    Py_XSETREF(tensor->grad, wrap(gradient));
    track(tensor);
  }
  if (pre_hooks) {
    const Object list(PyDict_Values(pre_hooks));
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(list.get()); ++i) {
      const Object outputs(tuple_of(std::span(&gradient, 1)));
      const Object result(PyObject_CallOneArg(PyList_GET_ITEM(list.get(), i), outputs.get()));
      if (result.get() == Py_None) continue;
      const Object items(PySequence_Tuple(result.get()));
      gradient = value_or_none(PyTuple_GET_ITEM(items.get(), 0));
    }
  }
  return gradient;
}

void TensorLink::passed(std::span<Value> inputs, const Value& output) {
  const Object list(PyDict_Values(post_hooks));
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(list.get()); ++i) {
    const Object given(tuple_of(inputs)), outputs(tuple_of(std::span(&output, output ? 1 : 0)));
    const Object result(PyObject_CallFunctionObjArgs(PyList_GET_ITEM(list.get(), i), given.get(),
                                                     outputs.get(), nullptr));
    if (result.get() == Py_None) continue;
    const Object items(PySequence_Tuple(result.get()));
    for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(items.get()) && k < std::ssize(inputs); ++k)
      inputs[k] = value_or_none(PyTuple_GET_ITEM(items.get(), k));
  }
}

// The first gradient becomes .grad; later ones are added into the same tensor, unless they are to be
// differentiated themselves.
void TensorLink::accumulate(const Value& gradient) {
  if (!tensor) return;
  const Object keep = Object::borrowed(reinterpret_cast<PyObject*>(tensor));
  if (!tensor->grad) {
    const Layout* like = tensor->variable.shape().layout;
    const bool as_is = gradient->layout == like || !like->dense;
    Value first = as_is ? gradient : with_layout(gradient, like);
    if (!mode.grad) first = first->op->view || first->state == State::valued ? clone(first) : first;
    tensor->grad = wrap(std::move(first));
  } else if (mode.grad) {
    Value total = variable_of(tensor->grad).value() + gradient;
    Py_SETREF(tensor->grad, wrap(std::move(total)));
  } else {
    Variable& grad = variable_of(tensor->grad);
    grad.write(grad.value() + gradient);
  }
  track(tensor);
  if (!post_accumulate) return;
  const Object list(PyDict_Values(post_accumulate));
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(list.get()); ++i)
    const Object ignored(PyObject_CallOneArg(PyList_GET_ITEM(list.get(), i), keep.get()));
}

Values TensorLink::backward(std::span<const Value> output_gradients) {
  const Object gradients(tuple_of(output_gradients));
  const Object result(PyObject_CallMethod(function, "_backward", "O", gradients.get()));
  const Object items(PySequence_Tuple(result.get()));
  Values values;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(items.get()); ++i)
    values.push_back(value_or_none(PyTuple_GET_ITEM(items.get(), i)));
  return values;
}

TensorLink& link_of(Node& node) {
  Extra& e = extra(node);
  if (!e.attachment) e.attachment = Ref<Attachment>(new TensorLink);
  return static_cast<TensorLink&>(*e.attachment);
}

Node& gradient_node(PyObject* tensor) { return *history_of(variable_of(tensor).node()); }

void set_requires_grad(PyObject* tensor, bool on) {
  TensorObject* t = as_tensor(tensor);
  Node& node = *t->variable.node();
  if (on == node.needs_grad()) return;
  if (node.needs_grad() && !history_of(&node)->is_leaf())
    fail(ErrorKind::runtime,
         "you can only change requires_grad flags of leaf variables. If you want to use a computed "
         "variable in a subgraph that doesn't require differentiation use var_no_grad = var.detach().");
  if (on && !is_floating(node.dtype))
    fail(ErrorKind::runtime,
         "only Tensors of floating point and complex dtype can require gradients");
  if (on && node.flags & Node::inference && !mode.inference)
    fail(ErrorKind::runtime, "Setting requires_grad=True on inference tensor outside InferenceMode is not allowed.");
  if (!on) {
    t->variable.replace_node(alias_without_grad(t->variable.value()));
    unlink(t);
    return;
  }
  static const Op& leaf_op = op_named("leaf");
  const Value leaf = record(leaf_op, {t->variable.value()});
  leaf->flags |= Node::requires_grad | Node::leaf;
  TensorLink& link = link_of(*leaf);
  link.tensor = t;
  t->link = Ref<Attachment>(&link);
  t->variable.replace_node(leaf);
}

void unlink(TensorObject* t) {
  auto& link = static_cast<TensorLink&>(*t->link);
  if (link.tensor == t) link.tensor = nullptr;
  t->link = nullptr;
}

namespace {

// True iff the hooks can be reached through this tensor only.
bool owns_hooks(TensorObject* t) {
  if (!t->link || t->link->refs > 2) return false;
  const Node& node = t->variable.shape();
  const uint32_t own = t->variable.family() ? 3 : 1;
  return node.extra && node.extra->attachment == t->link && node.refs <= own;
}

}  // namespace

int visit_hooks(TensorObject* t, visitproc visit, void* arg) {
  if (!owns_hooks(t)) return 0;
  auto& link = static_cast<TensorLink&>(*t->link);
  Py_VISIT(link.hooks);
  Py_VISIT(link.post_accumulate);
  return 0;
}

void clear_hooks(TensorObject* t) {
  if (!t->link) return;
  auto& link = static_cast<TensorLink&>(*t->link);
  Py_CLEAR(link.hooks);
  Py_CLEAR(link.post_accumulate);
}

namespace {

// The gradient a root starts from: given, or one for a scalar.
Value root_gradient(PyObject* tensor, PyObject* gradient) {
  const Node& n = variable_of(tensor).shape();
  if (gradient && gradient != Py_None) {
    if (!is_tensor(gradient))
      raise(PyExc_TypeError,
            "gradients can be either Tensors or None, but got %s", Py_TYPE(gradient)->tp_name);
    Value g = variable_of(gradient).value();
    if (!std::ranges::equal(g->sizes(), n.sizes()))
      fail(ErrorKind::runtime, "Mismatch in shape: grad_output[0] has a shape of torch.Size(",
           show(g->sizes()), ") and output[0] has a shape of torch.Size(", show(n.sizes()), ").");
    return g;
  }
  if (n.numel() != 1)
    fail(ErrorKind::runtime, "grad can be implicitly created only for scalar outputs");
  if (!is_floating(n.dtype))
    fail(ErrorKind::runtime, "grad can be implicitly created only for real scalar outputs but got ",
         "torch.", name_of(n.dtype));
  if (n.ndim() == 0) return constant(1.0, n.dtype);
  return full(n.sizes(), 1, n.dtype);
}

void add_root(Backward& request, PyObject* tensor, PyObject* gradient, size_t index) {
  Variable& v = variable_of(tensor);
  Node* node = v.node();
  if (!node->needs_grad())
    fail(ErrorKind::runtime, "element ", index,
         " of tensors does not require grad and does not have a grad_fn");
  // The history node may be older than the value: the walk starts where the gradient goes.
  request.roots.push_back({Value(history_of(node)), root_gradient(tensor, gradient)});
}

void add_targets(Backward& request, PyObject* inputs, bool accumulate) {
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(inputs); ++i) {
    PyObject* t = PySequence_Fast_GET_ITEM(inputs, i);
    if (!is_tensor(t)) raise(PyExc_TypeError, "inputs must be Tensors, got %s", Py_TYPE(t)->tp_name);
    if (!variable_of(t).node()->needs_grad())
      fail(ErrorKind::runtime, "One of the differentiated Tensors does not require grad");
    request.targets.push_back({Value(&gradient_node(t)), {}, accumulate});
  }
}

// Runs the recorded gradients as well: what was saved for them can go.
void walk_and_run(Backward& request) {
  backward(request);
  request.roots.clear();
  run_pending();
}

// run_backward(tensors, gradients, keep_graph, create_graph, inputs or None, accumulate)
PyObject* run_backward(PyObject*, PyObject* const* args, Py_ssize_t nargs) {
  return guarded([&]() -> PyObject* {
    if (nargs != 6) raise(PyExc_TypeError, "run_backward takes 6 arguments");
    Backward request;
    const Object tensors(PySequence_Tuple(args[0])), gradients(PySequence_Tuple(args[1]));
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(tensors.get()); ++i)
      add_root(request, PyTuple_GET_ITEM(tensors.get(), i), PyTuple_GET_ITEM(gradients.get(), i), i);
    request.keep_graph = PyObject_IsTrue(args[2]);
    request.create_graph = PyObject_IsTrue(args[3]);
    if (args[4] != Py_None) {
      const Object inputs(PySequence_Tuple(args[4]));
      add_targets(request, inputs.get(), PyObject_IsTrue(args[5]));
      if (request.targets.empty())
        fail(ErrorKind::runtime, "`inputs` argument to `backward()` cannot be empty.");
    }
    walk_and_run(request);
    Values answers;
    for (auto& t : request.targets) answers.push_back(std::move(t.gradient));
    return tuple_of(answers);
  });
}

// hooks(tensor, kind): the dict of hooks of that kind, made if there is none.
PyObject* hooks(PyObject*, PyObject* const* args, Py_ssize_t nargs) {
  return guarded([&]() -> PyObject* {
    if (nargs != 2) raise(PyExc_TypeError, "hooks takes 2 arguments");
    TensorObject* t = as_tensor(args[0]);
    TensorLink& link = link_of(gradient_node(args[0]));
    const bool post = PyUnicode_CompareWithASCIIString(args[1], "post_accumulate") == 0;
    PyObject*& dict = post ? link.post_accumulate : link.hooks;
    if (!dict) dict = Object(PyDict_New()).release();
    if (!t->link) t->link = Ref<Attachment>(&link);
    track(t);
    return Py_NewRef(dict);
  });
}

PyObject* retain_grad(PyObject*, PyObject* tensor) {
  return guarded([&]() -> PyObject* {
    TensorObject* t = as_tensor(tensor);
    Node& node = gradient_node(tensor);
    if (!node.needs_grad())
      fail(ErrorKind::runtime, "can't retain_grad on Tensor that has requires_grad=False");
    if (node.is_leaf()) Py_RETURN_NONE;
    TensorLink& link = link_of(node);
    if (t->link && t->link.get() != &link) unlink(t);
    link.tensor = t;
    link.retains_grad = true;
    t->link = Ref<Attachment>(&link);
    Py_RETURN_NONE;
  });
}

PyObject* retains_grad(PyObject*, PyObject* tensor) {
  TensorObject* t = as_tensor(tensor);
  return PyBool_FromLong(t->link && static_cast<TensorLink&>(*t->link).retains_grad);
}

// link_function(context, inputs, outputs): the outputs are results of an autograd.Function.
PyObject* link_function(PyObject*, PyObject* const* args, Py_ssize_t nargs) {
  return guarded([&]() -> PyObject* {
    if (nargs != 3) raise(PyExc_TypeError, "link_function takes 3 arguments");
    static const Op& function_op = op_named("function");
    static const Op& output_op = op_named("function_output");
    static const LayoutRef scalar = contiguous(Dims{});
    const Object inputs(PySequence_Tuple(args[1])), outputs(PySequence_Tuple(args[2]));
    Values in;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(inputs.get()); ++i)
      in.push_back(variable_of(PyTuple_GET_ITEM(inputs.get(), i)).value());
    const Value function = append_marker(function_op, in, scalar.get());
    TensorLink& link = link_of(*function);
    link.function = Py_NewRef(args[0]);
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(outputs.get()); ++i) {
      PyObject* o = PyTuple_GET_ITEM(outputs.get(), i);
      if (o == Py_None) continue;
      Variable& v = variable_of(o);
      const Value plain = alias_without_grad(v.value());
      v.replace_node(record(output_op, {plain, function}, {Arg::of(static_cast<int64_t>(i))}));
    }
    Py_RETURN_NONE;
  });
}

PyMethodDef functions[] = {
    {"run_backward", reinterpret_cast<PyCFunction>(run_backward), METH_FASTCALL, nullptr},
    {"hooks", reinterpret_cast<PyCFunction>(hooks), METH_FASTCALL, nullptr},
    {"retain_grad", retain_grad, METH_O, nullptr},
    {"retains_grad", retains_grad, METH_O, nullptr},
    {"link_function", reinterpret_cast<PyCFunction>(link_function), METH_FASTCALL, nullptr},
    {}};

}  // namespace

PyObject* tensor_backward(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  if (nargs > 0 || kwnames)
    return guarded([&] {
      const Object method(PyObject_GetAttrString(registered("autograd"), "_tensor_backward"));
      std::vector<PyObject*> all{self};
      all.insert(all.end(), args, args + nargs + (kwnames ? PyTuple_GET_SIZE(kwnames) : 0));
      return PyObject_Vectorcall(method.get(), all.data(), nargs + 1, kwnames);
    });
  return guarded([&]() -> PyObject* {
    Backward request;
    add_root(request, self, nullptr, 0);
    walk_and_run(request);
    Py_RETURN_NONE;
  });
}

void init_autograd(PyObject* module) { check(PyModule_AddFunctions(module, functions)); }

}  // namespace wend
