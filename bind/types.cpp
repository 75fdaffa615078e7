// bind/types.cpp: dtype, device, Size and the other small types that live in Python.
#include "bind/types.hpp"

#include <cstring>
#include <string>
#include <unordered_map>

#include "bind/generator.hpp"
#include "bind/tensor.hpp"
#include "ops/functions.hpp"

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
  if (o == reinterpret_cast<PyObject*>(&PyComplex_Type)) refuse_complex();
  // A dtype that no tensor has is refused here, whatever the overloads that are left.
  if (Py_TYPE(o) == reinterpret_cast<PyTypeObject*>(registered("dtype")))
    Object(PyObject_CallOneArg(registered("refuse_dtype"), o));
  return false;
}

void refuse_complex() {
  Object(PyObject_CallOneArg(registered("refuse_dtype"), registered("complex64")));
}

void check_device(PyObject* o) {
  if (o != Py_None) Object(PyObject_CallOneArg(registered("require_cpu"), o));
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

namespace {

DType dtype_argument(const char* function, PyObject* const* args, Py_ssize_t nargs, int i,
                     const char* name) {
  DType t;
  if (i >= nargs)
    raise(PyExc_TypeError, "%s() missing 1 required positional arguments: \"%s\"", function, name);
  if (!to_dtype(args[i], t))
    raise(PyExc_TypeError, "%s(): argument '%s' (position %d) must be torch.dtype, not %s",
          function, name, i + 1, Py_TYPE(args[i])->tp_name);
  return t;
}

PyObject* promote_types(PyObject*, PyObject* const* args, Py_ssize_t nargs) {
  return guarded([&] {
    const DType a = dtype_argument("promote_types", args, nargs, 0, "type1");
    const DType b = dtype_argument("promote_types", args, nargs, 1, "type2");
    return Py_NewRef(dtype_object(promote(a, b)));
  });
}

PyObject* can_cast_types(PyObject*, PyObject* const* args, Py_ssize_t nargs) {
  return guarded([&] {
    const DType from = dtype_argument("can_cast", args, nargs, 0, "from_");
    const DType to = dtype_argument("can_cast", args, nargs, 1, "to");
    return PyBool_FromLong(can_cast(from, to));
  });
}

PyObject* result_type_of(PyObject*, PyObject* const* args, Py_ssize_t nargs) {
  return guarded([&] {
    if (nargs != 2)
      raise(PyExc_TypeError, "result_type() takes 2 operands but %zd were given", nargs);
    const Value in[] = {operand(args[0]), operand(args[1])};
    for (int i = 0; i < 2; ++i)
      if (!in[i])
        raise(PyExc_TypeError, "result_type(): argument %d must be Tensor or Number, not %s", i + 1,
              Py_TYPE(args[i])->tp_name);
    return Py_NewRef(dtype_object(result_type(in)));
  });
}

#define FAST(f) reinterpret_cast<PyCFunction>(f), METH_FASTCALL

PyMethodDef functions[] = {
    {"promote_types", FAST(promote_types),
     "promote_types(type1, type2) -> dtype\n\nThe smallest dtype that holds both.\n\n"
     ">>> wend.promote_types(wend.int32, wend.float16)\ntorch.float16"},
    {"can_cast", FAST(can_cast_types),
     "can_cast(from_, to) -> bool\n\nWhether a result may be written into a tensor of another "
     "dtype.\n\n"
     ">>> wend.can_cast(wend.float32, wend.int64)\nFalse"},
    {"result_type", FAST(result_type_of),
     "result_type(tensor1, tensor2) -> dtype\n\nThe dtype of arithmetic on two operands.\n\n"
     ">>> wend.result_type(wend.tensor([1, 2]), 1.5)\ntorch.float32"},
    {}};

}  // namespace

void init_types(PyObject* module) { check(PyModule_AddFunctions(module, functions)); }

}  // namespace wend
