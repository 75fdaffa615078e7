// bind/numbers.hpp: operators of the Tensor type, straight to the elementwise list.
#pragma once

#include <Python.h>

namespace wend {

extern PyNumberMethods tensor_as_number;
PyObject* tensor_compare(PyObject* a, PyObject* b, int op);

}  // namespace wend
