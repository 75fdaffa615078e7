// bind/tensor.cpp: the life of Tensor objects: making, finding what a result aliases, writing in
// place, garbage collection. Attributes are in attributes.cpp, operators in numbers.cpp.
#include "bind/tensor.hpp"

#include "bind/attributes.hpp"
#include "bind/autograd.hpp"
#include "bind/convert.hpp"
#include "bind/grad_fn.hpp"
#include "bind/index.hpp"
#include "bind/interop.hpp"
#include "bind/numbers.hpp"
#include "graph/mode.hpp"
#include "graph/record.hpp"
#include "ops/functions.hpp"
#include "tensor/refusal.hpp"

namespace wend {
namespace {

// Objects for tensors to come, as new but for the count and the variable. A program that goes by
// single examples holds, and drops, some thousands at once.
constexpr int kKept = 4096;
TensorObject* kept[kKept];
int n_kept = 0;

// What a tensor has for a dict while it has no attributes of its own. CPython 3.11 finds methods
// fast only on objects that have a dict, later versions only where it is yet to be made: in 3.11
// such tensors share one, which stays empty and which they do not own.
PyObject* no_attributes = nullptr;

bool has_attributes(const TensorObject* t) { return t->dict != no_attributes; }

void drop_attributes(TensorObject* t) {
  if (has_attributes(t)) Py_XDECREF(std::exchange(t->dict, no_attributes));
}

// Does what may make or replace the dict, which may refer back to the tensor.
template <class F>
auto with_own_dict(PyObject* self, F f) {
  TensorObject* t = as_tensor(self);
  if (!has_attributes(t)) t->dict = nullptr;
  const auto result = f();
  if (t->dict)
    track(t);
  else
    t->dict = no_attributes;
  return result;
}

[[gnu::noinline]] TensorObject* new_blank(PyTypeObject* type) {
  auto* t = type == &tensor_type ? PyObject_GC_New(TensorObject, type)
                                 : reinterpret_cast<TensorObject*>(type->tp_alloc(type, 0));
  if (!t) throw PythonError{};
  new (&t->link) Ref<Attachment>;
  t->grad = t->base = t->weakrefs = nullptr;
  t->dict = no_attributes;
  return t;
}

// An object whose variable is made from `from`, which does not fail.
template <class... From>
inline TensorObject* made(PyTypeObject* type, From&&... from) {
  static_assert(std::is_nothrow_constructible_v<Variable, From...>);
  TensorObject* t;
  if (type == &tensor_type && n_kept > 0) [[likely]] {
    t = kept[--n_kept];
    Py_SET_REFCNT(reinterpret_cast<PyObject*>(t), 1);
  } else {
    t = new_blank(type);
  }
  new (&t->variable) Variable(std::forward<From>(from)...);
  return t;
}

void dealloc(PyObject* self) {
  TensorObject* t = as_tensor(self);
  PyObject_GC_UnTrack(self);
  if (t->link) unlink(t);
  if (t->weakrefs) PyObject_ClearWeakRefs(self);
  t->variable.~Variable();
  Py_CLEAR(t->grad);
  Py_CLEAR(t->base);
  drop_attributes(t);
  if (Py_TYPE(self) == &tensor_type && n_kept < kKept)
    kept[n_kept++] = t;
  else
    Py_TYPE(self)->tp_free(self);
}

int traverse(PyObject* self, visitproc visit, void* arg) {
  TensorObject* t = as_tensor(self);
  Py_VISIT(t->grad);
  Py_VISIT(t->base);
  if (has_attributes(t)) Py_VISIT(t->dict);
  return visit_links(t, visit, arg);
}

int clear(PyObject* self) {
  TensorObject* t = as_tensor(self);
  Py_CLEAR(t->grad);
  drop_attributes(t);
  clear_links(t);
  return 0;
}

int set_attribute(PyObject* self, PyObject* name, PyObject* value) {
  return with_own_dict(self, [&] { return PyObject_GenericSetAttr(self, name, value); });
}

// The tensor among `tensors` whose memory the chain of views that ends in `node` starts from.
PyObject* viewed(const Node* node, std::span<PyObject* const> tensors) {
  for (; node->op->view && node->n_inputs; node = node->inputs[0].get())
    for (PyObject* t : tensors)
      if (&variable_of(t).shape() == node->inputs[0].get()) return t;
  return nullptr;
}

}  // namespace

PyObject* get_dict(PyObject* self, void*) {
  return with_own_dict(self, [&] { return PyObject_GenericGetDict(self, nullptr); });
}

int set_dict(PyObject* self, PyObject* dict, void*) {
  return with_own_dict(self, [&] { return PyObject_GenericSetDict(self, dict, nullptr); });
}

PyObject* wrap(Variable variable) { return wrap_as(&tensor_type, std::move(variable)); }

PyObject* wrap(Value value) {
  return reinterpret_cast<PyObject*>(made(&tensor_type, std::move(value)));
}

PyObject* wrap_as(PyTypeObject* type, Variable variable) {
  return reinterpret_cast<PyObject*>(made(type, std::move(variable)));
}

PyObject* wrap_alias_as(PyTypeObject* type, PyObject* tensor) {
  Variable& v = variable_of(tensor);
  return wrap_as(type, v.view(alias(v.value())));
}

void track(TensorObject* t) {
  auto* self = reinterpret_cast<PyObject*>(t);
  if (!PyObject_GC_IsTracked(self)) PyObject_GC_Track(self);
}

Value number_operand(PyObject* o, PyObject* beside) {
  if (Py_TYPE(beside) == &tensor_type) {
    // A number beside a float tensor takes its dtype: no need to make a number node first.
    const DType t = variable_of(beside).shape().dtype;
    if (t == DType::float32 || t == DType::float64) {
      if (PyFloat_CheckExact(o)) return constant(PyFloat_AS_DOUBLE(o), t);
      int overflow = 1;
      const long v = PyLong_CheckExact(o) ? PyLong_AsLongAndOverflow(o, &overflow) : 0;
      if (!overflow) return constant(static_cast<double>(v), t);
    }
  }
  return operand(o);
}

Value operand(PyObject* o) {
  if (Py_TYPE(o) == &tensor_type || is_tensor(o)) return variable_of(o).value();
  if (PyFloat_Check(o)) return number(PyFloat_AS_DOUBLE(o));
  if (PyBool_Check(o)) return number(o == Py_True);
  if (PyLong_Check(o)) {
    int overflow;
    const long long v = PyLong_AsLongLongAndOverflow(o, &overflow);
    if (overflow) fail(ErrorKind::overflow, "int too big to convert");
    return number(static_cast<int64_t>(v));
  }
  return foreign_number(o);
}

namespace {

// `same`: what begin_view said.
[[gnu::always_inline]] inline PyObject* wrap_begun_view(PyObject* tensor, Value node, bool same) {
  TensorObject* t = made(&tensor_type, variable_of(tensor), std::move(node), same);
  PyObject* base = as_tensor(tensor)->base;
  t->base = Py_NewRef(base ? base : tensor);
  // As in PyTorch, what is viewed without grad is a leaf that requires it but does not keep it.
  if (!mode.grad && variable_of(tensor).family()->node->needs_grad())
    t->variable.replace_node(new_leaf(t->variable.value()), Write::untold);
  return reinterpret_cast<PyObject*>(t);
}

// A result of an op with several may not be written in place where it is a view.
bool is_part(const Node& result) { return mode.grad && result.op->output_attr >= 0; }

}  // namespace

PyObject* wrap_view(PyObject* tensor, Value node) {
  const bool same = variable_of(tensor).begin_view();
  return wrap_begun_view(tensor, std::move(node), same);
}

bool is_view_of(PyObject* tensor, const Node& result) {
  return viewed(&result, {&tensor, 1}) != nullptr;
}

PyObject* wrap_result(Value result, std::span<PyObject* const> tensors, bool one_of_many) {
  for (PyObject* t : tensors)
    if (&variable_of(t).shape() == result.get()) return Py_NewRef(t);
  if (result->op->view) {
    if (PyObject* tensor = viewed(result.get(), tensors)) {
      const bool part = one_of_many && is_part(*result);
      PyObject* view = wrap_view(tensor, std::move(result));
      if (part) variable_of(view).set_origin(Origin::one_of_many);
      return view;
    }
  }
  return wrap(std::move(result));
}

void wrap_results(std::span<Value> results, std::span<PyObject* const> tensors, PyObject** to) {
  // Mostly all are parts of one tensor.
  const Node* whole = tensors.size() == 1 ? &variable_of(tensors[0]).shape() : nullptr;
  const auto is_of_whole = [&](const Value& v) {
    return v->op->view && v->inputs[0].get() == whole;
  };
  if (!whole || !std::ranges::all_of(results, is_of_whole)) {
    for (Value& v : results) *to++ = wrap_result(std::move(v), tensors, true);
    return;
  }
  const bool same = variable_of(tensors[0]).begin_view();
  for (Value& v : results) {
    const bool part = is_part(*v);
    *to = wrap_begun_view(tensors[0], std::move(v), same);
    if (part) variable_of(*to).set_origin(Origin::one_of_many);
    ++to;
  }
}

namespace {

bool is_leaf(Node& node) { return !node.needs_grad() || history_of(&node)->is_leaf(); }

}  // namespace

void check_writable(PyObject* target, bool gradient_written, bool part) {
  Variable& v = variable_of(target);
  const Node& node = *v.node();
  if (node.flags & Node::inference && !mode.inference)
    fail(ErrorKind::runtime,
         "Inplace update to inference tensor outside InferenceMode is not allowed.You can make a "
         "clone to get a normal tensor before doing inplace update.See "
         "https://github.com/pytorch/rfcs/pull/17 for more details.");
  if (!mode.grad || !(node.needs_grad() || gradient_written)) return;
  if (v.origin() != Origin::plain) fail(ErrorKind::runtime, refusal(node, v.origin(), false));
  if (!node.needs_grad()) return;
  const bool view = v.is_view();
  if (is_leaf(view ? *v.family()->node : *v.node()))
    fail(ErrorKind::runtime, view || part ? "a view of a leaf" : "a leaf",
         " Variable that requires grad is being used in an in-place operation.");
}

void check_distinct(const Node& written) {
  if (may_overlap(*written.layout))
    fail(ErrorKind::runtime,
         "unsupported operation: more than one element of the written-to tensor refers to a single "
         "memory location. Please clone() the tensor before performing the operation.");
}

void check_no_overlap(PyObject* target, const Node& part, PyObject* source, const Node* read,
                      bool apart) {
  if (!is_tensor(source)) return;
  const Variable &to = variable_of(target), &from = variable_of(source);
  const bool itself = target == source && !read;
  if (itself ? apart
             : (target == source || to.shares_cell_with(from)) &&
                   Variable::overlaps(read ? *read : from.shape(), part, apart))
    fail(ErrorKind::runtime,
         "unsupported operation: some elements of the input tensor and the written-to tensor refer "
         "to a single memory location. Please clone() the tensor before performing the operation.");
}

void set_gradient(TensorObject* t, PyObject* grad) {
  Py_XSETREF(t->grad, grad);
  if (grad) track(t);
  if (is_watched()) [[unlikely]]
    tell_wrote(grad ? variable_of(grad).node() : nullptr, Write::gradient);
}

void write_result(PyObject* target, Value result) {
  Variable& v = variable_of(target);
  if (is_view_of(target, *result)) return v.change_geometry(result);
  const Node& shape = v.shape();
  if (!std::ranges::equal(result->sizes(), shape.sizes()))
    fail(ErrorKind::runtime, "output with shape ", show(shape.sizes()),
         " doesn't match the broadcast shape ", show(result->sizes()));
  if (result->dtype != shape.dtype) {
    if (!can_cast(result->dtype, shape.dtype))
      fail(ErrorKind::runtime, "result type ", scalar_type_name(result->dtype),
           " can't be cast to the desired output type ", scalar_type_name(shape.dtype));
    result = cast(result, shape.dtype);
  }
  const bool gradient = result->needs_grad();
  v.write(result);
  // A view has its part in the base's history from now on, whatever becomes of the base.
  if (gradient && v.is_view()) v.node();
  if (as_tensor(target)->link) move_retained_grad(target);
  if (PyObject* base = as_tensor(target)->base) move_retained_grad(base);
}

PyTypeObject tensor_type = {PyVarObject_HEAD_INIT(nullptr, 0)};

namespace {

// The type of the Tensor type. Python's messages say "Tensor", as of a class written in Python, and
// yet the class says where it lives, which Python reads from the name of types written in C.
PyTypeObject tensor_meta = {PyVarObject_HEAD_INIT(nullptr, 0)};

PyObject* get_module_name(PyObject* type, void*) {
  PyObject* dict = reinterpret_cast<PyTypeObject*>(type)->tp_dict;
  PyObject* name = PyDict_GetItemString(dict, "__module__");
  return Py_NewRef(name ? name : Py_None);
}

int set_module_name(PyObject* type, PyObject* name, void*) {
  PyObject* dict = reinterpret_cast<PyTypeObject*>(type)->tp_dict;
  return PyDict_SetItemString(dict, "__module__", name);
}

PyObject* show_type(PyObject* type) {
  return guarded([&] {
    const Object module(PyObject_GetAttrString(type, "__module__"));
    const Object name(PyObject_GetAttrString(type, "__qualname__"));
    return PyUnicode_FromFormat("<class '%S.%S'>", module.get(), name.get());
  });
}

void init_tensor_meta() {
  static PyGetSetDef attributes[] = {
      {"__module__", get_module_name, set_module_name, nullptr, nullptr}, {}};
  PyTypeObject& t = tensor_meta;
  t.tp_name = "wend._C._TensorMeta";
  t.tp_base = &PyType_Type;
  t.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE;
  t.tp_getset = attributes;
  t.tp_repr = show_type;
  check(PyType_Ready(&t));
}

}  // namespace

void init_tensor_type(PyObject* module) {
  static PyMappingMethods as_mapping = {tensor_length, tensor_get_item, tensor_set_item};
  static PySequenceMethods as_sequence = {};  // room for __contains__, which is written in Python
  PyTypeObject& t = tensor_type;
  init_tensor_meta();
#if PY_VERSION_HEX < 0x030c0000
  no_attributes = Object(PyDict_New()).release();
#endif
  Py_SET_TYPE(&t, &tensor_meta);
  t.tp_name = "Tensor";
  t.tp_doc = "An n-dimensional array that records what is done to it.";
  t.tp_basicsize = sizeof(TensorObject);
  t.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC;
  t.tp_dealloc = dealloc;
  t.tp_traverse = traverse;
  t.tp_clear = clear;
  t.tp_free = PyObject_GC_Del;
  t.tp_hash = reinterpret_cast<hashfunc>(_Py_HashPointer);
  t.tp_richcompare = tensor_compare;
  t.tp_as_number = &tensor_as_number;
  t.tp_as_mapping = &as_mapping;
  t.tp_as_sequence = &as_sequence;
  t.tp_iter = tensor_iterate;
  t.tp_setattro = set_attribute;
  t.tp_getattro = PyObject_GenericGetAttr;
  t.tp_dictoffset = offsetof(TensorObject, dict);
  t.tp_weaklistoffset = offsetof(TensorObject, weakrefs);
  t.tp_new = tensor_new;
  t.tp_getset = tensor_attributes;
  t.tp_methods = tensor_methods;
  t.tp_as_buffer = &tensor_as_buffer;
  check(PyType_Ready(&t));
  const Object home(PyUnicode_FromString("wend"));
  check(PyDict_SetItemString(t.tp_dict, "__module__", home.get()));
  // Methods written in Python are added, and users may add their own, as to PyTorch's Tensor.
  t.tp_flags &= ~Py_TPFLAGS_IMMUTABLETYPE;
  check(PyModule_AddObjectRef(module, "Tensor", reinterpret_cast<PyObject*>(&t)));
}

}  // namespace wend
