// bind/types.hpp: dtype, device, Size and the other small types that live in Python.
// The package hands the classes over once, at import.
#pragma once

#include <span>

#include "base/dtype.hpp"
#include "bind/python.hpp"

namespace wend {

struct Generator;

PyObject* dtype_object(DType t);  // borrowed
// Raises for a dtype that can be mentioned but no tensor has.
bool to_dtype(PyObject* o, DType& out);
void refuse_complex();
// Raises for anything but the CPU; None is the CPU.
void check_device(PyObject* o);
void check_layout(PyObject* o);
// 0 contiguous, 1 preserve, 2 channels_last, 3 channels_last_3d; -1 when it is none of them.
int to_memory_format(PyObject* o);
Generator* to_generator(PyObject* o);
PyObject* size_object(std::span<const int64_t> sizes);

// A class or object that the Python side registered under this name; borrowed.
PyObject* registered(const char* name);
void register_type(const char* name, PyObject* object);

void init_types(PyObject* module);

}  // namespace wend
