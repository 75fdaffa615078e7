// bind/source.cpp: which line of the user's program is running. The frame is read without making a
// frame object; frames of the package itself are passed over, known by the file of their code.
#define Py_BUILD_CORE
#include <Python.h>
#if PY_VERSION_HEX >= 0x030e0000
#include <internal/pycore_interpframe.h>
#else
#include <internal/pycore_frame.h>
#endif
#undef Py_BUILD_CORE

#include <string>

#include "base/put_off.hpp"
#include "bind/python.hpp"
#include "bind/source.hpp"
#include "graph/fiber.hpp"

namespace wend {
namespace {

_PyInterpreterFrame* current_frame() {
  PyThreadState* state = _PyThreadState_UncheckedGet();
#if PY_VERSION_HEX >= 0x030d0000
  return state->current_frame;
#else
  return state->cframe->current_frame;
#endif
}

PyCodeObject* code_of(_PyInterpreterFrame* frame) {
#if PY_VERSION_HEX >= 0x030d0000
  PyObject* executable = PyStackRef_AsPyObjectBorrow(frame->f_executable);
  return PyCode_Check(executable) ? reinterpret_cast<PyCodeObject*>(executable) : nullptr;
#elif PY_VERSION_HEX >= 0x030c0000
  return reinterpret_cast<PyCodeObject*>(frame->f_code);
#else
  return frame->f_code;
#endif
}

int instruction_of(_PyInterpreterFrame* frame) {
#if PY_VERSION_HEX >= 0x030d0000
  return PyUnstable_InterpreterFrame_GetLasti(frame);
#else
  return _PyInterpreterFrame_LASTI(frame) * static_cast<int>(sizeof(_Py_CODEUNIT));
#endif
}

// Files met so far and whether they belong to the package; keyed by the string object, of which a
// module's code objects share one.
struct Files {
  struct Entry {
    PyObject* file = nullptr;
    bool own = false;
  };
  Entry entries[64];
  std::string package;
};

Files& files() {
  static Files& f = *new Files;
  return f;
}

bool is_own(PyObject* file) {
  Files& f = files();
  Files::Entry& entry = f.entries[reinterpret_cast<uintptr_t>(file) >> 4 & 63];
  if (entry.file == file) return entry.own;
  const char* text = PyUnicode_AsUTF8(file);
  if (!text) {
    PyErr_Clear();
    return false;
  }
  Py_XSETREF(entry.file, Py_NewRef(file));
  entry.own = !f.package.empty() && std::string_view(text).starts_with(f.package);
  return entry.own;
}

// The code that recorded last; ops often follow each other.
PyCodeObject* last_user_code = nullptr;

[[gnu::noinline]] Source capture_beyond(_PyInterpreterFrame* frame) {
  for (; frame; frame = frame->previous) {
    PyCodeObject* code = code_of(frame);
    if (!code) continue;
    if (code != last_user_code) {
      if (is_own(code->co_filename)) continue;
      Py_INCREF(code);
      Py_XDECREF(std::exchange(last_user_code, code));
    }
    Py_INCREF(code);
    return {code, instruction_of(frame)};
  }
  if (!mode.fiber) return {};
  Py_XINCREF(static_cast<PyObject*>(mode.fiber->begun_at.code));
  return mode.fiber->begun_at;
}

Source capture() noexcept {
  _PyInterpreterFrame* frame = current_frame();
  if (!frame || code_of(frame) != last_user_code || !last_user_code) return capture_beyond(frame);
  Py_INCREF(last_user_code);
  return {last_user_code, instruction_of(frame)};
}

std::string describe(Source source) {
  auto* code = static_cast<PyCodeObject*>(source.code);
  const char* file = PyUnicode_AsUTF8(code->co_filename);
  const char* name = PyUnicode_AsUTF8(code->co_qualname);
  if (!file || !name) {
    PyErr_Clear();
    return "an unknown line";
  }
  return join(file, ":", line_of(source), " in ", name);
}

}  // namespace

int line_of(Source source) {
  return PyCode_Addr2Line(static_cast<PyCodeObject*>(source.code), source.instruction);
}

void init_source(const char* package_directory) {
  files().package = package_directory;
  source_hooks = {
      .capture = capture,
      .retain = [](void* code) noexcept { Py_INCREF(static_cast<PyObject*>(code)); },
      .release =
          [](void* code, uint32_t times) noexcept {
            auto* object = static_cast<PyObject*>(code);
            for (; times > 0 && Py_REFCNT(object) > 1; --times) Py_DECREF(object);
            if (times == 0) return;
            // Its end may call somebody who has a weak reference to it.
            let_go_when_done(code, [](void* last) { Py_DECREF(static_cast<PyObject*>(last)); });
          },
      .describe = describe,
      .line = line_of,
  };
}

}  // namespace wend
