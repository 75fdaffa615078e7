// bind/graph.hpp: the op table, the live graph and the times of kernels, as data for Python.
#pragma once

#include <nanobind/nanobind.h>

namespace wend {

void init_graph(nanobind::module_& m);

}  // namespace wend
