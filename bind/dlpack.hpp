// bind/dlpack.hpp: memory shared with other libraries by way of DLPack capsules.
#pragma once

#include <Python.h>

namespace wend {

// A capsule over the tensor's own memory, of DLPack 1 (`versioned`) or as it was before.
PyObject* to_dlpack(PyObject* tensor, bool versioned);
// A tensor over the memory of a capsule, which is used up by that.
PyObject* from_dlpack(PyObject* capsule);

}  // namespace wend
