// bind/metadata.hpp: methods of Tensor that change which storage it shows, and how much of it.
#pragma once

#include <Python.h>

namespace wend {

PyObject* tensor_resize(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames);
PyObject* tensor_resize_as(PyObject* self, PyObject* const* args, Py_ssize_t nargs,
                           PyObject* kwnames);
PyObject* tensor_set(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames);

}  // namespace wend
