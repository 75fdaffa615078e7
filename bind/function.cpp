// bind/function.cpp: calls of an autograd.Function in the graph: what its context holds, how its
// outputs get their history, and how its backward is called. The class itself is Python's.
#include "bind/function.hpp"

#include <structmember.h>

#include <algorithm>

#include "bind/autograd.hpp"
#include "graph/record.hpp"
#include "ops/functions.hpp"

namespace wend {
namespace {

struct OutputInfo {
  LayoutRef layout;  // null: not a tensor
  DType dtype{};
};

struct Recorded {
  std::vector<Ref<Node>> edges;  // the nodes of the tensor arguments
  std::vector<int> argument;     // for each edge the position of its argument
  size_t n_arguments = 0;
  std::vector<OutputInfo> outputs;
  std::vector<SavedTensor> saved;
  bool forgotten = false;
};

struct Context {
  GradFn base;
  PyObject* to_save;
  PyObject* dirty_tensors;
  PyObject* non_differentiable;
  PyObject* saved_for_forward;
  PyObject* needs_input_grad;
  char materialize_grads;
  Recorded* call;
};

PyTypeObject context_type = {PyVarObject_HEAD_INIT(nullptr, 0)};

Context* as_context(PyObject* o) { return reinterpret_cast<Context*>(o); }

PyObject* new_context(PyTypeObject* type, PyObject*, PyObject*) {
  PyObject* self = type->tp_alloc(type, 0);
  if (!self) return nullptr;
  as_context(self)->materialize_grads = 1;
  as_context(self)->call = new Recorded;
  return self;
}

int traverse(PyObject* self, visitproc visit, void* arg) {
  const Context* c = as_context(self);
  Py_VISIT(c->to_save);
  Py_VISIT(c->dirty_tensors);
  Py_VISIT(c->non_differentiable);
  Py_VISIT(c->saved_for_forward);
  Py_VISIT(c->needs_input_grad);
  return traverse_grad_fn(self, visit, arg);
}

int clear(PyObject* self) {
  Context* c = as_context(self);
  Py_CLEAR(c->to_save);
  Py_CLEAR(c->dirty_tensors);
  Py_CLEAR(c->non_differentiable);
  Py_CLEAR(c->saved_for_forward);
  Py_CLEAR(c->needs_input_grad);
  return clear_grad_fn(self);
}

void dealloc(PyObject* self) {
  Context* c = as_context(self);
  PyObject_GC_UnTrack(self);
  if (c->base.weakrefs) PyObject_ClearWeakRefs(self);
  if (c->base.node) unref(std::exchange(c->base.node, nullptr));
  delete std::exchange(c->call, nullptr);
  clear(self);
  Py_TYPE(self)->tp_free(self);
}

bool contains(PyObject* tuple, PyObject* item) {
  if (!tuple || !PyTuple_Check(tuple)) return tuple == item;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(tuple); ++i)
    if (PyTuple_GET_ITEM(tuple, i) == item) return true;
  return false;
}

PyObject* tuple_of_bools(const std::vector<bool>& values) {
  Object tuple(PyTuple_New(static_cast<Py_ssize_t>(values.size())));
  for (size_t i = 0; i < values.size(); ++i)
    PyTuple_SET_ITEM(tuple.get(), i, PyBool_FromLong(values[i]));
  return tuple.release();
}

// _function_begin(ctx, args): takes the arguments' history before forward may write to them.
PyObject* begin(PyObject*, PyObject* const* args, Py_ssize_t nargs) {
  return guarded([&]() -> PyObject* {
    if (nargs != 2) raise(PyExc_TypeError, "_function_begin takes 2 arguments");
    static const Op& function_op = op_named("function");
    static const LayoutRef scalar = contiguous(Dims{});
    Context* c = as_context(args[0]);
    Values in;
    std::vector<bool> needs;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(args[1]); ++i) {
      PyObject* a = PyTuple_GET_ITEM(args[1], i);
      needs.push_back(is_tensor(a) && variable_of(a).node()->needs_grad());
      if (!is_tensor(a)) continue;
      in.push_back(variable_of(a).value());
      c->call->edges.emplace_back(in.back().get());
      c->call->argument.push_back(static_cast<int>(i));
    }
    c->call->n_arguments = needs.size();
    Py_XSETREF(c->needs_input_grad, tuple_of_bools(needs));
    if (mode.grad && std::find(needs.begin(), needs.end(), true) != needs.end()) {
      const Value node = append_marker(function_op, in, scalar.get());
      extra(*node).attachment = Ref<Attachment>(new FunctionLink);
      c->base.node = Value(node).leak();
      unuse(c->base.node);
    }
    Py_RETURN_NONE;
  });
}

// One output of forward on its way to the caller.
struct Output {
  PyObject* object;
  int index;
  bool is_input;
  bool dirty;
  bool one_of_many;
};

Value with_history(const Value& value, Node* function, int index) {
  static const Op& output_op = op_named("function_output");
  return record(output_op, {alias_without_grad(value), Value(function)}, {Arg::of(index)});
}

// The same storage as another tensor object, without history.
PyObject* detached(PyObject* tensor) {
  Object alias(wrap(variable_of(tensor).detach(false)));
  PyObject* base = as_tensor(tensor)->base;
  as_tensor(alias.get())->base = Py_NewRef(base ? base : tensor);
  return alias.release();
}

PyObject* constant_output(const Output& o) {
  Variable& v = variable_of(o.object);
  if (o.is_input && (v.node()->needs_grad() || !o.dirty)) return detached(o.object);
  if (v.node()->needs_grad() && !v.is_view())
    v.replace_node(alias_without_grad(v.value()), Write::untold);
  return Py_NewRef(o.object);
}

PyObject* dirty_output(const Output& o, Node* function) {
  Variable& v = variable_of(o.object);
  if (v.node()->needs_grad() && history_of(v.node())->is_leaf())
    fail(ErrorKind::runtime,
         "a leaf Variable that requires grad has been used in an in-place operation.");
  if (!o.is_input && PyErr_WarnEx(PyExc_UserWarning,
                                  "Only input Tensors should be given to ctx.mark_dirty(). If a "
                                  "Tensor is not an input, there is no need to pass it to "
                                  "mark_dirty().",
                                  1) < 0)
    throw PythonError{};
  if (v.is_view() && o.one_of_many)
    fail(ErrorKind::runtime,
         "If your Function modifies inplace an input that is a view of another Tensor, your "
         "Function cannot return more than one Tensor. This is not supported by the current "
         "autograd engine. You should either make sure the input is not a view (using .clone() "
         "for example) or make your Function only return one Tensor (potentially splitting it "
         "into two Functions: one doing the inplace that returns a single Tensor and a second "
         "one that does the other operations). You can ask on the forum "
         "https://discuss.pytorch.org/ if you need help to do this change.");
  check_writable(o.object);
  v.write(with_history(v.value(), function, o.index));
  move_retained_grad(o.object);
  return Py_NewRef(o.object);
}

PyObject* fresh_output(const Output& o, Node* function) {
  Object result = o.is_input ? Object(detached(o.object)) : Object::borrowed(o.object);
  Variable& v = variable_of(result.get());
  const bool view = o.is_input || v.is_view();
  if (v.is_view()) {
    // A family of its own, for its history is not its base's.
    Variable own = v.detach(false);
    v.swap(own);
  }
  v.replace_node(with_history(v.value(), function, o.index), Write::untold);
  if (view) v.set_origin(o.one_of_many ? Origin::one_of_many : Origin::function);
  return result.release();
}

PyObject* finish_output(Context* c, const Output& o) {
  if (!is_tensor(o.object)) {
    c->call->outputs.emplace_back();
    return Py_NewRef(o.object);
  }
  const Node& shape = variable_of(o.object).shape();
  c->call->outputs.push_back({LayoutRef(shape.layout), shape.dtype});
  if (!c->base.node || !is_floating(shape.dtype) || contains(c->non_differentiable, o.object))
    return constant_output(o);
  PyObject* result = o.dirty ? dirty_output(o, c->base.node) : fresh_output(o, c->base.node);
  track(as_tensor(result));
  return result;
}

void check_dirty_are_outputs(PyObject* dirty, PyObject* outputs) {
  if (!dirty) return;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(dirty); ++i)
    if (!contains(outputs, PyTuple_GET_ITEM(dirty, i)))
      fail(ErrorKind::runtime,
           "Some elements marked as dirty during the forward method were not returned as output. "
           "The inputs that are modified inplace must all be outputs of the Function.");
}

int index_of(PyObject* outputs, PyObject* tensor) {
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(outputs); ++i)
    if (PyTuple_GET_ITEM(outputs, i) == tensor) return static_cast<int>(i);
  return -1;
}

// What forward asked to save. An input that is returned as it is is saved as an input.
std::vector<SavedTensor> save_all(Context* c, PyObject* args, PyObject* outputs) {
  std::vector<SavedTensor> saved;
  for (Py_ssize_t i = 0; c->to_save && i < PyTuple_GET_SIZE(c->to_save); ++i) {
    PyObject* t = PyTuple_GET_ITEM(c->to_save, i);
    if (t != Py_None && !is_tensor(t))
      raise(PyExc_TypeError,
            "save_for_backward can only save variables, but argument %zd is of type %s", i,
            Py_TYPE(t)->tp_name);
    if (t == Py_None || !c->base.node) {
      saved.emplace_back();
      continue;
    }
    const bool is_input = contains(args, t) && !contains(c->dirty_tensors, t);
    saved.emplace_back(variable_of(t).value(), is_input ? -1 : index_of(outputs, t));
  }
  return saved;
}

// From here on the outputs hold the node, and the node holds the context.
void hand_over(PyObject* ctx) {
  Context* c = as_context(ctx);
  if (!c->base.node) return;
  Node* node = c->base.node;
  static_cast<FunctionLink&>(*node->extra->attachment).function = Py_NewRef(ctx);
  unref(node);
}

// _function_end(ctx, args, outputs) -> outputs with their history
PyObject* end(PyObject*, PyObject* const* args, Py_ssize_t nargs) {
  return guarded([&]() -> PyObject* {
    if (nargs != 3) raise(PyExc_TypeError, "_function_end takes 3 arguments");
    Context* c = as_context(args[0]);
    const bool one = !PyTuple_Check(args[2]);
    const Object outputs = one ? Object(PyTuple_Pack(1, args[2])) : Object::borrowed(args[2]);
    const Py_ssize_t n = PyTuple_GET_SIZE(outputs.get());
    check_dirty_are_outputs(c->dirty_tensors, outputs.get());
    c->call->saved = save_all(c, args[1], outputs.get());
    Object results(PyTuple_New(n));
    for (Py_ssize_t i = 0; i < n; ++i) {
      PyObject* o = PyTuple_GET_ITEM(outputs.get(), i);
      const Output output{o, static_cast<int>(i), contains(args[1], o),
                          c->dirty_tensors && contains(c->dirty_tensors, o), n > 1};
      PyTuple_SET_ITEM(results.get(), i, finish_output(c, output));
    }
    Py_CLEAR(c->to_save);
    Py_CLEAR(c->dirty_tensors);
    Py_CLEAR(c->non_differentiable);
    hand_over(args[0]);
    return one ? Py_NewRef(PyTuple_GET_ITEM(results.get(), 0)) : results.release();
  });
}

PyObject* saved_tensors(PyObject* self, void*) {
  return guarded([&] {
    const Recorded& call = *as_context(self)->call;
    if (call.forgotten)
      fail(ErrorKind::runtime,
           "Trying to backward through the graph a second time (or directly access saved tensors "
           "after they have already been freed). Saved intermediate values of the graph are freed "
           "when you call .backward() or autograd.grad(). Specify retain_graph=True if you need to "
           "backward through the graph a second time or if you need to access saved tensors after "
           "calling backward.");
    Object tuple(PyTuple_New(static_cast<Py_ssize_t>(call.saved.size())));
    for (size_t i = 0; i < call.saved.size(); ++i)
      PyTuple_SET_ITEM(tuple.get(), i, call.saved[i].unpack(as_context(self)->base.node));
    return tuple.release();
  });
}

PyObject* next_functions(PyObject* self, void*) {
  return guarded([&] {
    std::vector<Node*> nodes;
    for (const Ref<Node>& n : as_context(self)->call->edges) nodes.push_back(n.get());
    return edges_to(nodes);
  });
}

PyObject* context_name(PyObject* self, PyObject*) {
  return PyUnicode_FromString(Py_TYPE(self)->tp_name);
}

#define MEMBER(name, kind) {#name, kind, offsetof(Context, name), 0, nullptr}
PyMemberDef members[] = {MEMBER(to_save, T_OBJECT),
                         MEMBER(dirty_tensors, T_OBJECT),
                         MEMBER(non_differentiable, T_OBJECT),
                         MEMBER(saved_for_forward, T_OBJECT),
                         MEMBER(needs_input_grad, T_OBJECT),
                         MEMBER(materialize_grads, T_BOOL),
                         {}};
PyGetSetDef getset[] = {
    {"saved_tensors", saved_tensors, nullptr, "What save_for_backward was given.", nullptr},
    {"next_functions", next_functions, nullptr, "The nodes that gradients go to next.", nullptr},
    {}};
PyMethodDef methods[] = {{"name", context_name, METH_NOARGS, "name() -> str"}, {}};
PyMethodDef functions[] = {
    {"_function_begin", reinterpret_cast<PyCFunction>(begin), METH_FASTCALL, nullptr},
    {"_function_end", reinterpret_cast<PyCFunction>(end), METH_FASTCALL, nullptr},
    {}};

// The arguments of backward(): gradients of the outputs, zeros for those that nobody used.
Object backward_arguments(const Context& c, std::span<const Value> slots) {
  Values gradients(c.call->outputs.size());
  for (size_t i = 0; i < gradients.size(); ++i) {
    const OutputInfo& info = c.call->outputs[i];
    if (i < slots.size() && slots[i])
      gradients[i] = slots[i];
    else if (c.materialize_grads && info.layout)
      gradients[i] = full(info.layout->sizes(), 0, info.dtype);
  }
  return Object(tuple_of(gradients));
}

// The gradient that backward() returned for an argument, if it may be one.
Value checked_gradient(const std::string& name, PyObject* item, const Node& input, size_t index) {
  if (item == Py_None) return {};
  if (!is_tensor(item))
    fail(ErrorKind::runtime, "expected Variable or None (got ", Py_TYPE(item)->tp_name, ")");
  const Value g = variable_of(item).value();
  bool fits = g->ndim() >= input.ndim();
  for (int i = 1; fits && i <= input.ndim(); ++i) {
    const int64_t have = g->size(g->ndim() - i), want = input.size(input.ndim() - i);
    fits = have == want || want == 1;
  }
  if (!fits)
    fail(ErrorKind::runtime, "Function ", name, " returned an invalid gradient at index ", index,
         " - got ", show(g->sizes()), " but expected shape compatible with ", show(input.sizes()));
  return g;
}

Values checked_gradients(const std::string& name, const Recorded& call, PyObject* result) {
  const Object items =
      PyTuple_Check(result) ? Object::borrowed(result) : Object(PyTuple_Pack(1, result));
  auto n = static_cast<size_t>(PyTuple_GET_SIZE(items.get()));
  const size_t expected = call.n_arguments, given = n;
  while (n > expected && PyTuple_GET_ITEM(items.get(), n - 1) == Py_None) --n;
  if (n != expected)
    fail(ErrorKind::runtime, "function ", name,
         " returned an incorrect number of gradients (expected ", expected, ", got ", given, ")");
  Values gradients;
  for (size_t i = 0, edge = 0; i < n; ++i) {
    PyObject* item = PyTuple_GET_ITEM(items.get(), i);
    if (edge < call.argument.size() && call.argument[edge] == static_cast<int>(i)) {
      const Node& input = *call.edges[edge++];
      gradients.push_back(input.needs_grad() ? checked_gradient(name, item, input, i) : Value());
    } else if (item != Py_None) {
      fail(ErrorKind::runtime, "function ", name,
           " returned a gradient different than None at position ", i + 1,
           ", but the corresponding forward input was not a Variable");
    }
  }
  return gradients;
}

}  // namespace

void FunctionLink::let_go() {
  if (!function) return;
  as_context(function)->base.node = nullptr;
  staying([this] { Py_CLEAR(function); });
}

void FunctionLink::forget() {
  if (!function) return;
  Recorded& call = *as_context(function)->call;
  if (call.saved.empty()) return;
  const std::vector<SavedTensor> freed = std::move(call.saved);
  call.saved.clear();
  call.forgotten = true;
}

Values FunctionLink::backward(std::span<const Value> slots) {
  if (!function)
    fail(ErrorKind::runtime, "the call of an autograd.Function that failed has no gradient");
  UserCode user;
  const Object keep = Object::borrowed(function);
  Context* c = as_context(function);
  const Object arguments = backward_arguments(*c, slots);
  const Object apply(PyObject_GetAttrString(function, "apply"));
  const Object result(
      staying([&] { return PyObject_Call(apply.get(), arguments.get(), nullptr); }));
  return checked_gradients(name(), *c->call, result.get());
}

void init_function(PyObject* module) {
  PyTypeObject& t = context_type;
  t.tp_name = "wend._C._FunctionBase";
  t.tp_basicsize = sizeof(Context);
  t.tp_base = &grad_fn_type;
  t.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC;
  t.tp_new = new_context;
  t.tp_dealloc = dealloc;
  t.tp_traverse = traverse;
  t.tp_clear = clear;
  t.tp_free = PyObject_GC_Del;
  t.tp_members = members;
  t.tp_getset = getset;
  t.tp_methods = methods;
  check(PyType_Ready(&t));
  check(PyModule_AddObjectRef(module, "_FunctionBase", reinterpret_cast<PyObject*>(&t)));
  check(PyModule_AddFunctions(module, functions));
}

}  // namespace wend
