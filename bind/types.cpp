// bind/types.cpp: dtype, device, Size and the other small types that live in Python.
#include "bind/types.hpp"

#include <cstring>
#include <string>
#include <unordered_map>

#include "bind/generator.hpp"

namespace wend {
namespace {

std::unordered_map<std::string, Object>& registry() {
  static auto& r = *new std::unordered_map<std::string, Object>;
  return r;
}

PyObject* dtypes[dtype_count];
PyTypeObject* size_type = nullptr;

}  // namespace

void register_type(const char* name, PyObject* object) {
  for (int i = 0; i < dtype_count; ++i)
    if (std::strcmp(name, name_of(static_cast<DType>(i))) == 0) dtypes[i] = Py_NewRef(object);
  if (std::strcmp(name, "Size") == 0)
    size_type = reinterpret_cast<PyTypeObject*>(Py_NewRef(object));
  registry()[name] = Object::borrowed(object);
}

PyObject* registered(const char* name) {
  auto it = registry().find(name);
  if (it == registry().end()) raise(PyExc_RuntimeError, "internal: %s is not registered", name);
  return it->second.get();
}

PyObject* dtype_object(DType t) { return dtypes[static_cast<int>(t)]; }

bool to_dtype(PyObject* o, DType& out) {
  for (int i = 0; i < dtype_count; ++i) {
    if (dtypes[i] != o) continue;
    out = static_cast<DType>(i);
    return true;
  }
  if (o == reinterpret_cast<PyObject*>(&PyFloat_Type)) return out = DType::float64, true;
  if (o == reinterpret_cast<PyObject*>(&PyLong_Type)) return out = DType::int64, true;
  if (o == reinterpret_cast<PyObject*>(&PyBool_Type)) return out = DType::bool_, true;
  return false;
}

void check_device(PyObject* o) {
  if (o == Py_None) return;
  const Object device(PyObject_CallOneArg(registered("device"), o));
  const Object type(PyObject_GetAttrString(device.get(), "type"));
  if (PyUnicode_CompareWithASCIIString(type.get(), "cpu") != 0)
    fail(ErrorKind::runtime, "wend runs on the CPU: there is no device '",
         PyUnicode_AsUTF8(type.get()), "'");
}

void check_layout(PyObject* o) {
  if (o == Py_None || o == registered("strided")) return;
  fail(ErrorKind::runtime, "wend has strided tensors only");
}

int to_memory_format(PyObject* o) {
  static constexpr const char* names[] = {"contiguous_format", "preserve_format", "channels_last",
                                          "channels_last_3d"};
  for (int i = 0; i < 4; ++i)
    if (registered(names[i]) == o) return i;
  return -1;
}

PyObject* size_object(std::span<const int64_t> sizes) {
  PyObject* tuple = size_type->tp_alloc(size_type, static_cast<Py_ssize_t>(sizes.size()));
  if (!tuple) throw PythonError{};
  for (size_t i = 0; i < sizes.size(); ++i)
    PyTuple_SET_ITEM(tuple, i, PyLong_FromLongLong(sizes[i]));
  return tuple;
}

}  // namespace wend
