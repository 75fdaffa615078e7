// bind/tensor.hpp: the Tensor object. A raw CPython type with a free list: making and dropping one
// is on the path of every op.
#pragma once

#include <Python.h>

#include "bind/python.hpp"
#include "tensor/variable.hpp"

namespace wend {

struct TensorLink;

struct TensorObject {
  PyObject_HEAD Variable variable;
  PyObject* grad;  // a Tensor or null
  PyObject* base;  // of a view: the tensor it is a view of
  PyObject* dict;  // maybe one that is not its own, see get_dict
  PyObject* weakrefs;
  Ref<Attachment> link;  // hooks and .grad, see bind/autograd
};

extern PyTypeObject tensor_type;

inline bool is_tensor(PyObject* o) {
  return Py_TYPE(o) == &tensor_type || PyType_IsSubtype(Py_TYPE(o), &tensor_type);
}
inline TensorObject* as_tensor(PyObject* o) { return reinterpret_cast<TensorObject*>(o); }
inline Variable& variable_of(PyObject* o) { return as_tensor(o)->variable; }

PyObject* wrap(Variable variable);
PyObject* wrap(Value value);
// An instance of `type`, a subclass of Tensor.
PyObject* wrap_as(PyTypeObject* type, Variable variable);
// An alias of `tensor`, history included, as an instance of `type`.
PyObject* wrap_alias_as(PyTypeObject* type, PyObject* tensor);
// Getter and setter of __dict__.
PyObject* get_dict(PyObject* self, void*);
int set_dict(PyObject* self, PyObject* dict, void*);
// Sets .grad to a tensor, whose reference is taken over, or to nothing.
void set_gradient(TensorObject* t, PyObject* grad);
// From here on the object may be part of a reference cycle.
void track(TensorObject* t);

// A tensor, or a number as an operand; empty when `o` is neither.
Value operand(PyObject* o);
// The same for an operator, whose other operand is `beside`.
Value number_operand(PyObject* o, PyObject* beside);
inline Value operand(PyObject* o, PyObject* beside) {
  if (Py_TYPE(o) == &tensor_type) return variable_of(o).value();
  return number_operand(o, beside);
}

// What an op gave for these tensor arguments: one of them again, a view of one, or a new tensor.
PyObject* wrap_result(Value result, std::span<PyObject* const> tensors, bool one_of_many = false);
// The same for each that an op gave, in turn.
void wrap_results(std::span<Value> results, std::span<PyObject* const> tensors, PyObject** to);

// A view object of `tensor` for a node recorded as a view of its node.
PyObject* wrap_view(PyObject* tensor, Value node);
bool is_view_of(PyObject* tensor, const Node& result);

// Writes the result of an in-place op or out= into `target`, with PyTorch's checks.
void write_result(PyObject* target, Value result);
// Raises where PyTorch refuses to write in place; `gradient_written`: something that requires grad;
// `part`: to a view of the target.
void check_writable(PyObject* target, bool gradient_written = false, bool part = false);
// Raises if the write to `part` of the target's storage would overwrite what is read from `source`,
// as it is or as `read`, a view of it. `apart`: even where elements are read by themselves only.
void check_no_overlap(PyObject* target, const Node& part, PyObject* source,
                      const Node* read = nullptr, bool apart = false);
// Raises if elements of what is written share a place in memory.
void check_distinct(const Node& written);

void init_tensor_type(PyObject* module);

}  // namespace wend
