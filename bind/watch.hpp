// bind/watch.hpp: the stream of events, as data for Python.
#pragma once

#include <nanobind/nanobind.h>

namespace wend {

void init_watch(nanobind::module_& m);

}  // namespace wend
