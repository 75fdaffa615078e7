// bind/index.hpp: x[...] and x[...] = v.
#pragma once

#include <Python.h>

namespace wend {

Py_ssize_t tensor_length(PyObject* self);
PyObject* tensor_get_item(PyObject* self, PyObject* index);
int tensor_set_item(PyObject* self, PyObject* index, PyObject* value);
PyObject* tensor_iterate(PyObject* self);

}  // namespace wend
