// bind/python.hpp: small helpers around CPython: owned references, exceptions both ways.
#pragma once

#include <Python.h>

#include <new>
#include <type_traits>
#include <utility>

#include "base/error.hpp"
#include "base/staying.hpp"
#include "exec/run.hpp"
#include "graph/activity.hpp"

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
  ~Object() {
    if (p_ && Py_REFCNT(p_) == 1)
      let_go(p_);
    else
      Py_XDECREF(p_);
  }

  PyObject* get() const { return p_; }
  PyObject* release() { return std::exchange(p_, nullptr); }
  explicit operator bool() const { return p_ != nullptr; }

 private:
  [[gnu::noinline]] static void let_go(PyObject* last) {
    staying([last] { Py_DECREF(last); });
  }

  PyObject* p_ = nullptr;
};

// One of the items of a list, which user code may change while they are read, or of a tuple.
inline Object item_of(PyObject* list, Py_ssize_t i) {
  if (i < PySequence_Fast_GET_SIZE(list))
    return Object::borrowed(PySequence_Fast_GET_ITEM(list, i));
  PyErr_SetString(PyExc_RuntimeError, "the list became shorter while it was read");
  throw PythonError{};
}

// Calls user code; null if it raises.
template <class... Args>
PyObject* call(PyObject* f, Args*... args) {
  return staying([&] { return PyObject_CallFunctionObjArgs(f, args..., nullptr); });
}

void set_python_error(const Error& e);

// Looks at what is pending, of which there may be too much, now that a call has given its result.
template <class R>
[[gnu::noinline]] void look_after_call(R result, R failure) {
  if (result == failure) return;
  try {
    look_at_pending();
  } catch (...) {
    if constexpr (std::is_same_v<R, PyObject*>) Py_DECREF(result);
    throw;
  }
}

// Runs C++ that may throw and answers Python's way: null with an exception set. Whatever records,
// Python calls it by way of this: here laziness is bounded, where nothing is half done.
template <class F, class R = decltype(std::declval<F>()())>
R guarded(F&& f, R failure = R{}) noexcept {
  const During recording(Activity::recording);
  try {
    const R result = f();
    if (may_be_too_lazy()) [[unlikely]]
      look_after_call(result, failure);
    return result;
  } catch (const Error& e) {
    set_python_error(e);
  } catch (const PythonError&) {
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  } catch (const std::exception& e) {
    PyErr_SetString(PyExc_RuntimeError, e.what());
  } catch (...) {
    stay_if_ended();
    PyErr_SetString(PyExc_SystemError, "internal: an exception of no known kind");
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
