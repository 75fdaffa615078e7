// bind/fiber.hpp: what a fiber of wend.map has of its own.
#pragma once

#include <nanobind/nanobind.h>

namespace wend {

void init_fiber(nanobind::module_& m);

}  // namespace wend
