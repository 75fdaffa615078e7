// bind/python.cpp: which Python exception an error of the core becomes.
#include "bind/python.hpp"

namespace wend {

void set_python_error(const Error& e) {
  switch (e.kind) {
    case ErrorKind::interrupted:
      if (!PyErr_Occurred()) PyErr_SetNone(PyExc_KeyboardInterrupt);
      return;
    case ErrorKind::value:
      return PyErr_SetString(PyExc_ValueError, e.what());
    case ErrorKind::index:
      return PyErr_SetString(PyExc_IndexError, e.what());
    case ErrorKind::type:
      return PyErr_SetString(PyExc_TypeError, e.what());
    case ErrorKind::not_implemented:
      return PyErr_SetString(PyExc_NotImplementedError, e.what());
    case ErrorKind::memory:
      return PyErr_SetString(PyExc_MemoryError, e.what());
    case ErrorKind::buffer:
      return PyErr_SetString(PyExc_BufferError, e.what());
    case ErrorKind::zero_division:
      return PyErr_SetString(PyExc_ZeroDivisionError, e.what());
    case ErrorKind::overflow:
      return PyErr_SetString(PyExc_OverflowError, e.what());
    case ErrorKind::runtime:
      return PyErr_SetString(PyExc_RuntimeError, e.what());
  }
}

}  // namespace wend
