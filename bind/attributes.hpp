// bind/attributes.hpp: attributes of Tensor, and the methods that are not ops.
#pragma once

#include <Python.h>

#include "bind/tensor.hpp"

namespace wend {

extern PyGetSetDef tensor_attributes[];
extern PyMethodDef tensor_methods[];
PyObject* tensor_new(PyTypeObject* type, PyObject* args, PyObject* kwargs);
// What Tensor(...) and FloatTensor(...) give for their arguments.
PyObject* legacy_tensor(PyTypeObject* type, PyObject* args, DType dtype);
// Writes a result into an out= tensor, giving it another shape where PyTorch does.
void write_out_result(PyObject* target, Value result, const std::string& name, const Op& op,
                      std::span<PyObject* const> read);

}  // namespace wend
