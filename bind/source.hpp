// bind/source.hpp: source lines of nodes, from Python's frames.
#pragma once

#include "graph/source.hpp"

namespace wend {

// Frames whose file lies under `package_directory` are the package's own.
void init_source(const char* package_directory);
int line_of(Source source);

}  // namespace wend
