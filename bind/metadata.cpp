// bind/metadata.cpp: resize_ and set_. In-place versions of views are ops like all others.
#include "bind/metadata.hpp"

#include "bind/args.hpp"
#include "bind/tensor.hpp"
#include "bind/types.hpp"
#include "graph/mode.hpp"
#include "ops/functions.hpp"

namespace wend {
namespace {

struct Arguments {
  PyObject* const* args;
  Py_ssize_t nargs;
  PyObject* kwnames;

  // The argument at `position`, or given by name; null when it is neither.
  PyObject* find(Py_ssize_t position, const char* name) const {
    if (position >= 0 && position < nargs) return args[position];
    for (Py_ssize_t i = 0; kwnames && i < PyTuple_GET_SIZE(kwnames); ++i)
      if (PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(kwnames, i), name) == 0)
        return args[nargs + i];
    return nullptr;
  }
};

void add_size(Dims& sizes, PyObject* o, const char* function) {
  int64_t v;
  if (!to_int(o, v)) raise(PyExc_TypeError, "%s(): sizes must be ints", function);
  sizes.push(v);
}

Dims sizes_of(std::span<PyObject* const> items, const char* function) {
  Dims sizes;
  for (PyObject* item : items) add_size(sizes, item, function);
  return sizes;
}

Dims sizes_of(PyObject* sequence, const char* function) {
  const Object items(PySequence_Fast(sequence, "sizes must be a tuple of ints"));
  Dims sizes;
  for (Py_ssize_t i = 0, n = PySequence_Fast_GET_SIZE(items.get()); i < n; ++i)
    add_size(sizes, item_of(items.get(), i).get(), function);
  return sizes;
}

void check_format(PyObject* format) {
  if (format && format != Py_None && to_memory_format(format) > 1)
    fail(ErrorKind::not_implemented, "resize_ gives rows only, not another memory format");
}

PyObject* resize(PyObject* self, const Dims& sizes) {
  Variable& v = variable_of(self);
  if (v.node()->needs_grad()) fail(ErrorKind::runtime, "cannot resize variables that require grad");
  for (int64_t size : sizes)
    if (size < 0) fail(ErrorKind::runtime, "numel: integer multiplication overflow");
  if (!std::ranges::equal(sizes.span(), v.shape().sizes())) {
    v.resize(sizes.span(), contiguous_strides(sizes.span()).span());
  }
  return Py_NewRef(self);
}

// The source's storage seen with the given geometry.
Variable seen_as(PyObject* source, const Arguments& given) {
  Variable& v = variable_of(source);
  PyObject* size = given.find(2, "size");
  if (!size) return v.detach(true);
  int64_t offset = 0;
  if (PyObject* o = given.find(1, "storage_offset"); o && !to_int(o, offset))
    raise(PyExc_TypeError, "set_(): argument 'storage_offset' must be int");
  const Dims sizes = sizes_of(size, "set_");
  PyObject* stride = given.find(3, "stride");
  const Dims strides = stride ? sizes_of(stride, "set_") : contiguous_strides(sizes.span());
  Variable shown = v.detach(true);
  shown.change_geometry(as_strided(shown.value(), sizes.span(), strides.span(), offset),
                        Write::untold);
  return shown;
}

}  // namespace

PyObject* tensor_resize(PyObject* self, PyObject* const* args, Py_ssize_t nargs,
                        PyObject* kwnames) {
  return guarded([&] {
    const Arguments given{args, nargs, kwnames};
    check_format(given.find(-1, "memory_format"));
    PyObject* first = given.find(0, "size");
    const bool one_by_one = nargs > 0 && PyIndex_Check(first) && !PySequence_Check(first);
    if (!first && !nargs) return resize(self, Dims{});
    return resize(self, one_by_one ? sizes_of(std::span(args, nargs), "resize_")
                                   : sizes_of(first, "resize_"));
  });
}

PyObject* tensor_resize_as(PyObject* self, PyObject* const* args, Py_ssize_t nargs,
                           PyObject* kwnames) {
  return guarded([&] {
    const Arguments given{args, nargs, kwnames};
    check_format(given.find(-1, "memory_format"));
    PyObject* other = given.find(0, "the_template");
    if (!other || !is_tensor(other))
      raise(PyExc_TypeError, "resize_as_(): argument 'the_template' must be Tensor");
    return resize(self, Dims(variable_of(other).shape().sizes()));
  });
}

// A storage (wend/storage.py) makes a tensor of itself that has the dtype of the one to be set.
PyObject* tensor_set(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  return guarded([&] {
    const Arguments given{args, nargs, kwnames};
    Variable& v = variable_of(self);
    const DType dtype = v.shape().dtype;
    if (mode.grad && v.node()->needs_grad()) check_writable(self);
    PyObject* source = given.find(0, "source");
    Object row;
    if (source && !is_tensor(source) && PyObject_HasAttrString(source, "_row_for")) {
      row = Object(PyObject_CallMethod(source, "_row_for", "O", self));
      source = row.get();
    }
    if (source && !is_tensor(source))
      raise(PyExc_TypeError, "set_(): argument 'source' must be Tensor, not %s",
            Py_TYPE(source)->tp_name);
    if (source && variable_of(source).shape().dtype != dtype)
      fail(ErrorKind::runtime, "Could not set tensor of type ",
           name_of(variable_of(source).shape().dtype), " to a tensor of type ", name_of(dtype));
    Variable now = source ? seen_as(source, given) : Variable(full(Dims{0}.span(), 0, dtype));
    v.become(now);
    return Py_NewRef(self);
  });
}

}  // namespace wend
