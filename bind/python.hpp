// bind/python.hpp: small helpers around CPython: owned references, exceptions both ways.
#pragma once

#include <Python.h>

#include <new>
#include <utility>

#include "base/error.hpp"

namespace wend {

// A Python exception is set; unwinds C++ frames up to the next guarded().
struct PythonError {};

class Object {
 public:
  Object() = default;
  // Takes over a new reference; null means that Python raised.
  explicit Object(PyObject* owned) : p_(owned) {
    if (!p_) throw PythonError{};
  }
  static Object borrowed(PyObject* p) { return Object(Py_NewRef(p)); }
  Object(const Object& o) : p_(Py_XNewRef(o.p_)) {}
  Object(Object&& o) noexcept : p_(std::exchange(o.p_, nullptr)) {}
  Object& operator=(Object o) noexcept {
    std::swap(p_, o.p_);
    return *this;
  }
  ~Object() { Py_XDECREF(p_); }

  PyObject* get() const { return p_; }
  PyObject* release() { return std::exchange(p_, nullptr); }
  explicit operator bool() const { return p_ != nullptr; }

 private:
  PyObject* p_ = nullptr;
};

void set_python_error(const Error& e);

// Runs C++ that may throw and answers Python's way: null with an exception set.
template <class F, class R = decltype(std::declval<F>()())>
R guarded(F&& f, R failure = R{}) noexcept {
  try {
    return f();
  } catch (const Error& e) {
    set_python_error(e);
  } catch (const PythonError&) {
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  } catch (const std::exception& e) {
    PyErr_SetString(PyExc_RuntimeError, e.what());
  }
  return failure;
}

template <class... Args>
[[noreturn]] void raise(PyObject* type, const char* format, Args... args) {
  PyErr_Format(type, format, args...);
  throw PythonError{};
}

inline void check(int status) {
  if (status < 0) throw PythonError{};
}

}  // namespace wend
