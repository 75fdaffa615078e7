// bind/interop.hpp: memory shared with others: buffers, arrays, DLPack.
#pragma once

#include <Python.h>

#include <optional>

#include "bind/tensor.hpp"

namespace wend {

extern PyBufferProcs tensor_as_buffer;

// A new tensor with a copy of an array's elements.
PyObject* copy_of_array(PyObject* array, std::optional<DType> dtype);
// An object with Python's buffer protocol over the tensor's own memory; while it lives, that memory
// counts as shared with the outside.
PyObject* expose(PyObject* tensor);
// A tensor over the memory of an object with the buffer protocol, which is kept alive.
PyObject* tensor_over_buffer(PyObject* object);
// A vector of `count` elements over an object's bytes, from byte `offset` on.
PyObject* tensor_over_bytes(PyObject* object, DType dtype, int64_t count, int64_t offset);
// The same in memory of its own.
PyObject* copy_of_bytes(PyObject* object, DType dtype, int64_t count);

void init_interop();

}  // namespace wend
