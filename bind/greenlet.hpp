// bind/greenlet.hpp: what is used of the C interface of the greenlet package: stacks that can be
// left and come back to. Which of them goes on when is bind/hub's.
#pragma once

#include "bind/python.hpp"

namespace wend {

// The package's own functions; greenlets are passed as Python objects.
struct Greenlets {
  PyObject* exit;  // the exception that ends a greenlet without being an error
  PyObject* (*make)(PyObject* run, PyObject* parent);
  PyObject* (*current)();
  PyObject* (*raise_in)(PyObject* greenlet, PyObject* type, PyObject* value, PyObject* traceback);
  PyObject* (*switch_to)(PyObject* greenlet, PyObject* args, PyObject* kwargs);
  int (*set_parent)(PyObject* greenlet, PyObject* parent);
  PyObject* (*parent)(PyObject* greenlet);  // null, without an exception, if it has none
};

// Imports the package the first time.
const Greenlets& greenlets();

}  // namespace wend
