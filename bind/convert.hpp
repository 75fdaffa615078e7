// bind/convert.hpp: Python data to tensors and back.
#pragma once

#include <Python.h>

#include <optional>

#include "bind/tensor.hpp"

namespace wend {

// A new tensor with a copy of nested sequences, numbers, arrays or a tensor.
PyObject* tensor_from_data(PyObject* data, std::optional<DType> dtype = std::nullopt);
// Makes a tensor that was just created a leaf that requires grad.
void require_grad_from_start(PyObject* tensor);
// Nested lists of Python numbers. Observes.
PyObject* to_list(PyObject* tensor);
// The only element as a Python number. Observes.
PyObject* item(PyObject* tensor);
// NumPy arrays and scalars, and others with an array interface.
bool is_foreign_array(PyObject* o);
// A number of another library as an operand; empty when it is none.
Value foreign_number(PyObject* o);

void init_convert(PyObject* module);

}  // namespace wend
