// bind/report.hpp: what ran, as data for Python.
#pragma once

#include <nanobind/nanobind.h>

namespace wend {

void init_report(nanobind::module_& m);

}  // namespace wend
