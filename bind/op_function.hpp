// bind/op_function.hpp: an op as a Python callable, made from its entries in the op table.
#pragma once

#include "bind/python.hpp"

namespace wend {

// Binds every entry as function, method, in-place method, as it says.
void init_op_functions(PyObject* module);

}  // namespace wend
