// kernels/openblas.hpp: OpenBLAS, loaded when a product first needs it: importing stays fast, and
// no thread of its own is ever started.
#pragma once

#include <cblas.h>

namespace wend {

struct OpenBlas {
  decltype(&scipy_cblas_sgemm) sgemm;
  decltype(&scipy_cblas_dgemm) dgemm;
};

// A function of the library by its name there; null where there is none.
void* openblas_symbol(const char* name);
// Null where the library beside the extension cannot be loaded.
const OpenBlas* openblas();

}  // namespace wend
