// bind/link.cpp: hooks on gradients, and how a gradient gets into .grad. When they are called is
// the walk's business (core/autograd).
#include "bind/link.hpp"

#include "bind/convert.hpp"
#include "bind/types.hpp"
#include "ops/functions.hpp"

namespace wend {
namespace {

Object hook_list(PyObject* hooks) { return Object(hooks ? PyDict_Values(hooks) : PyList_New(0)); }

std::string name_of_hook(PyObject* hook) {
  PyObject* name = PyObject_GetAttrString(hook, "__name__");
  if (!name) PyErr_Clear();
  const Object text(name ? name : PyObject_Repr(hook));
  const char* chars = PyUnicode_AsUTF8(text.get());
  if (!chars) throw PythonError{};
  return chars;
}

const char* tensor_class(DType t) {
  switch (t) {
    case DType::float32:
      return "torch.FloatTensor";
    case DType::float64:
      return "torch.DoubleTensor";
    case DType::float16:
      return "torch.HalfTensor";
    case DType::bfloat16:
      return "torch.BFloat16Tensor";
    default:
      return name_of(t);
  }
}

// What a hook made of a gradient must be one as well.
void check_replacement(const Value& before, const Value& after, PyObject* hook) {
  if (!before) return;
  if (!after)
    fail(ErrorKind::runtime, "can't replace a ", tensor_class(before->dtype), " with None");
  if (before->dtype != after->dtype)
    fail(ErrorKind::runtime, "hook '", name_of_hook(hook), "' has changed the type of value (was ",
         tensor_class(before->dtype), " got ", tensor_class(after->dtype), ")");
  if (!std::ranges::equal(before->sizes(), after->sizes()))
    fail(ErrorKind::runtime, "hook '", name_of_hook(hook), "' has changed the size of value");
}

// Puts what a node's hook returned, a tuple or one tensor, in the place of `gradients`.
void replace_all(std::span<Value> gradients, PyObject* result, PyObject* hook) {
  if (result == Py_None) return;
  const bool one = gradients.size() == 1 && is_tensor(result);
  if (!one && !PyTuple_Check(result))
    raise(PyExc_TypeError, "expected tuple, but hook returned '%s'", Py_TYPE(result)->tp_name);
  const auto n = one ? 1 : static_cast<size_t>(PyTuple_GET_SIZE(result));
  if (n != gradients.size())
    fail(ErrorKind::runtime, "hook '", name_of_hook(hook),
         "' has returned an incorrect number of values (got ", n, ", but expected ",
         gradients.size(), ")");
  for (size_t i = 0; i < n; ++i) {
    PyObject* item = one ? result : PyTuple_GET_ITEM(result, i);
    if (item != Py_None && !is_tensor(item))
      raise(PyExc_TypeError, "expected Variable, but hook returned '%s'", Py_TYPE(item)->tp_name);
    const Value replaced = item == Py_None ? Value() : variable_of(item).value();
    check_replacement(gradients[i], replaced, hook);
    gradients[i] = replaced;
  }
}

// The gradient as a tensor that shares no memory with anybody, laid out as the tensor is.
Value first_gradient(const Value& gradient, const Layout* like) {
  const bool as_is = gradient->layout == like || !like->dense;
  Value first = as_is ? gradient : with_layout(gradient, like);
  if (mode.grad) return first;
  return first->op->view || first->state == State::valued ? clone(first) : first;
}

}  // namespace

TensorLink::~TensorLink() {
  hooked_leaves -= counted;
  clear();
}

int TensorLink::visit(visitproc visit, void* arg) const {
  Py_VISIT(hooks);
  Py_VISIT(post_accumulate);
  Py_VISIT(pre_hooks);
  Py_VISIT(post_hooks);
  Py_VISIT(metadata);
  return 0;
}

void TensorLink::clear() {
  staying([this] {
    Py_CLEAR(hooks);
    Py_CLEAR(post_accumulate);
    Py_CLEAR(pre_hooks);
    Py_CLEAR(post_hooks);
    Py_CLEAR(metadata);
  });
}

Object TensorLink::living() const {
  auto* object = reinterpret_cast<PyObject*>(tensor);
  return object && Py_REFCNT(object) > 0 ? Object::borrowed(object) : Object();
}

Value TensorLink::arrived(Value gradient) {
  if (hooks) {
    UserCode user;
    const Object list = hook_list(hooks);
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(list.get()); ++i) {
      PyObject* hook = PyList_GET_ITEM(list.get(), i);
      const Object argument(gradient ? wrap(gradient) : Py_NewRef(Py_None));
      const Object result(call(hook, argument.get()));
      if (result.get() == Py_None) continue;
      if (!is_tensor(result.get()))
        raise(PyExc_TypeError, "expected Variable, but hook returned '%s'",
              Py_TYPE(result.get())->tp_name);
      Value replaced = variable_of(result.get()).value();
      check_replacement(gradient, replaced, hook);
      gradient = std::move(replaced);
    }
  }
  if (retains_grad && gradient) retain(gradient);
  return gradient;
}

void TensorLink::retain(const Value& gradient) {
  const Object keep = living();
  if (!keep) return;
  Value total = tensor->grad ? variable_of(tensor->grad).value() + gradient
                             : first_gradient(gradient, tensor->variable.shape().layout);
  set_gradient(tensor, wrap(std::move(total)));
}

void TensorLink::entering(std::span<Value> outputs) {
  UserCode user;
  const Object list = hook_list(pre_hooks);
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(list.get()); ++i) {
    PyObject* hook = PyList_GET_ITEM(list.get(), i);
    const Object given(tuple_of(outputs));
    const Object result(call(hook, given.get()));
    replace_all(outputs, result.get(), hook);
  }
}

void TensorLink::passed(std::span<Value> inputs, std::span<const Value> outputs) {
  UserCode user;
  const Object list = hook_list(post_hooks);
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(list.get()); ++i) {
    PyObject* hook = PyList_GET_ITEM(list.get(), i);
    const Object into(tuple_of(inputs)), out(tuple_of(outputs));
    const Object result(call(hook, into.get(), out.get()));
    replace_all(inputs, result.get(), hook);
  }
}

// The first gradient becomes .grad; later ones are added into the same tensor, unless they are to
// be differentiated themselves.
void TensorLink::accumulate(const Value& gradient) {
  const Object keep = living();
  if (!keep) return;
  Node* now = tensor->variable.node();
  if (!now->needs_grad()) return;
  if (!history_of(now)->is_leaf())
    fail(ErrorKind::runtime, "leaf variable has been moved into the graph interior");
  if (!tensor->grad) {
    set_gradient(tensor, wrap(first_gradient(gradient, tensor->variable.shape().layout)));
  } else if (mode.grad) {
    set_gradient(tensor, wrap(variable_of(tensor->grad).value() + gradient));
  } else {
    const Object held = Object::borrowed(tensor->grad);
    Variable& grad = variable_of(held.get());
    grad.write(grad.value() + gradient, Write::gradient);
  }
  if (!post_accumulate) return;
  UserCode user;
  const Object list = hook_list(post_accumulate);
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(list.get()); ++i)
    const Object ignored(call(PyList_GET_ITEM(list.get(), i), keep.get()));
}

TensorLink& link_of(Node& node) {
  Extra& e = extra(node);
  if (!e.attachment) e.attachment = Ref<Attachment>(new TensorLink);
  return static_cast<TensorLink&>(*e.attachment);
}

TensorLink& hooked_link_of(Node& node) {
  TensorLink& link = link_of(node);
  if (node.is_leaf() && !std::exchange(link.counted, true)) ++hooked_leaves;
  return link;
}

PyObject* add_hook(PyObject*& hooks, PyObject* hook) {
  if (!hooks) hooks = Object(PyODict_New()).release();
  Object handle(PyObject_CallOneArg(registered("RemovableHandle"), hooks));
  const Object id(PyObject_GetAttrString(handle.get(), "id"));
  check(PyObject_SetItem(hooks, id.get(), hook));
  return handle.release();
}

PyObject* tensor_for(const Value& node) {
  // A leaf that was written stands for its value by a node that is bound to the leaf's own.
  Node* own = history_of(node.get());
  if (own->is_leaf()) {
    Object leaf = link_of(*own).living();
    if (leaf && variable_of(leaf.get()).node() == node.get()) return leaf.release();
  }
  return wrap(node);
}

PyObject* tuple_of(std::span<const Value> values) {
  Object tuple(PyTuple_New(static_cast<Py_ssize_t>(values.size())));
  for (size_t i = 0; i < values.size(); ++i)
    PyTuple_SET_ITEM(tuple.get(), i, values[i] ? wrap(values[i]) : Py_NewRef(Py_None));
  return tuple.release();
}

}  // namespace wend
