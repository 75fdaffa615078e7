// bind/generator.hpp: wend.Generator, the state behind random ops.
#pragma once

#include "bind/python.hpp"
#include "graph/generator.hpp"

namespace wend {

void init_generator(PyObject* module);

}  // namespace wend
