// bind/place.hpp: the place in the user's program that a node comes from, as data for Python.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <optional>

#include "bind/source.hpp"

namespace wend {

using Place = std::tuple<std::string, int, std::string>;  // file, line, function

inline std::optional<Place> place_of(Source source) {
  if (!source.code) return std::nullopt;
  auto* code = static_cast<PyCodeObject*>(source.code);
  return Place(nanobind::cast<std::string>(nanobind::handle(code->co_filename)), line_of(source),
               nanobind::cast<std::string>(nanobind::handle(code->co_qualname)));
}

}  // namespace wend
