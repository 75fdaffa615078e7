// bind/convert.cpp: Python data to tensors and back. Arrays of other libraries come in through
// interop; here are numbers and nested sequences of them.
#include "bind/convert.hpp"

#include <cmath>
#include <string_view>

#include "base/checked.hpp"
#include "bind/args.hpp"
#include "bind/autograd.hpp"
#include "bind/interop.hpp"
#include "bind/types.hpp"
#include "exec/run.hpp"
#include "graph/mode.hpp"
#include "graph/record.hpp"
#include "kernels/cast.hpp"
#include "ops/functions.hpp"

namespace wend {
namespace {

// numpy.ndarray and numpy.generic, once somebody has imported NumPy; we never do.
PyTypeObject* numpy_type(const char* name, PyTypeObject*& known) {
  if (known) return known;
  PyObject* numpy = PyDict_GetItemString(PyImport_GetModuleDict(), "numpy");
  PyObject* type = numpy ? PyObject_GetAttrString(numpy, name) : nullptr;
  if (!type) return PyErr_Clear(), nullptr;
  return known = reinterpret_cast<PyTypeObject*>(type);
}

bool is_numpy_scalar(PyObject* o) {
  static PyTypeObject* generic = nullptr;
  PyTypeObject* type = numpy_type("generic", generic);
  return type && PyObject_TypeCheck(o, type);
}

// A list, tuple, range, array.array, ...: anything with a length and items, but not text.
bool is_sequence(PyObject* o) {
  if (PyList_Check(o) || PyTuple_Check(o)) return true;
  return PySequence_Check(o) && !PyUnicode_Check(o) && !PyBytes_Check(o) && !is_tensor(o) &&
         !is_numpy_scalar(o);
}

Object items_of(PyObject* sequence) { return Object(PySequence_Fast(sequence, "not a sequence")); }

// The elements of an array or NumPy scalar as a tensor.
Object as_tensor_object(PyObject* o) {
  return is_tensor(o) ? Object::borrowed(o) : Object(copy_of_array(o, std::nullopt));
}

bool has_own_dtype(PyObject* o) {
  return is_tensor(o) || is_foreign_array(o) || is_numpy_scalar(o);
}

// Such as a table whose rows are not found by number.
[[noreturn]] void no_shape(PyObject* o) {
  PyErr_Clear();
  raise(PyExc_ValueError, "could not determine the shape of object type '%s'", Py_TYPE(o)->tp_name);
}

// Sizes of nested sequences, by their first elements. A tensor in a sequence counts as a number.
void find_sizes(PyObject* data, Dims& sizes) {
  Object o = Object::borrowed(data);
  while (true) {
    if (is_foreign_array(o.get())) {
      const Object array = as_tensor_object(o.get());
      for (int64_t s : variable_of(array.get()).shape().sizes()) sizes.push(s);
      return;
    }
    if (PyUnicode_Check(o.get())) raise(PyExc_ValueError, "too many dimensions 'str'");
    if (!is_sequence(o.get())) return;
    const Py_ssize_t n = PySequence_Size(o.get());
    check(static_cast<int>(std::min<Py_ssize_t>(n, 0)));
    sizes.push(n);
    if (n == 0) return;
    PyObject* first = PySequence_GetItem(o.get(), 0);
    if (!first) no_shape(o.get());
    o = Object(first);
  }
}

// The dtype that holds every number: bool < int64 < the default float type.
void find_dtype(PyObject* o, DType& dtype, bool& found) {
  auto meet = [&](DType t) {
    dtype = found ? promote(dtype, t) : t;
    found = true;
  };
  if (PyFloat_CheckExact(o)) {
    meet(default_dtype());
  } else if (PyBool_Check(o)) {
    meet(DType::bool_);
  } else if (PyLong_Check(o)) {
    meet(DType::int64);
  } else if (has_own_dtype(o)) {
    const Object t = as_tensor_object(o);
    meet(variable_of(t.get()).shape().dtype);
  } else if (PyFloat_Check(o)) {
    meet(default_dtype());
  } else if (PyList_Check(o) || PyTuple_Check(o)) {
    for (Py_ssize_t i = 0, n = PySequence_Fast_GET_SIZE(o); i < n; ++i)
      find_dtype(item_of(o, i).get(), dtype, found);
  } else if (is_sequence(o)) {
    // By number: what a pandas.Series gives one after the other has lost its dtype.
    const Py_ssize_t n = PySequence_Size(o);
    for (Py_ssize_t i = 0; i < n; ++i)
      find_dtype(Object(PySequence_GetItem(o, i)).get(), dtype, found);
  } else if (PyUnicode_Check(o) || PyBytes_Check(o)) {
    raise(PyExc_TypeError, "new(): invalid data type '%s'", Py_TYPE(o)->tp_name);
  } else {
    if (PyComplex_Check(o)) refuse_complex();
    raise(PyExc_RuntimeError, "Could not infer dtype of %s", Py_TYPE(o)->tp_name);
  }
}

[[noreturn]] void does_not_fit(DType dtype) {
  fail(ErrorKind::runtime, "value cannot be converted to type ", name_of(dtype),
       " without overflow");
}

void store_integer(PyObject* o, DType dtype, char* to) {
  int64_t i;
  if (PyFloat_Check(o)) {
    const double d = PyFloat_AS_DOUBLE(o);
    if (!fits(d, dtype)) does_not_fit(dtype);
    i = static_cast<int64_t>(d);
  } else {
    const Object index(PyNumber_Index(o));
    int overflow;
    i = PyLong_AsLongLongAndOverflow(index.get(), &overflow);
    if (overflow) raise(PyExc_ValueError, "Overflow when unpacking long long");
    if (!fits(i, dtype)) does_not_fit(dtype);
  }
  cast_loop(dtype, DType::int64)(to, 0, reinterpret_cast<const char*>(&i), 0, 1);
}

void store_number(PyObject* o, DType dtype, char* to) {
  if (has_own_dtype(o)) {
    const Object t = as_tensor_object(o);
    const Value v = variable_of(t.get()).value();
    if (v->numel() != 1)
      raise(PyExc_ValueError, "only one element tensors can be converted to Python scalars");
    read_number(v);
    cast_loop(dtype, v->dtype)(to, 0, v->data(), 0, 1);
  } else if (is_floating(dtype)) {
    const double d = PyFloat_AsDouble(o);
    if (d == -1 && PyErr_Occurred()) throw PythonError{};
    cast_loop(dtype, DType::float64)(to, 0, reinterpret_cast<const char*>(&d), 0, 1);
  } else if (dtype == DType::bool_) {
    const int truth = PyObject_IsTrue(o);
    check(truth);
    *reinterpret_cast<bool*>(to) = truth;
  } else {
    store_integer(o, dtype, to);
  }
}

// A whole array at once, where it stands for the remaining dimensions.
void store_array(PyObject* array, const Dims& sizes, int dim, DType dtype, char*& to) {
  const Object t = as_tensor_object(array);
  Value v = variable_of(t.get()).value();
  if (!std::ranges::equal(v->sizes(), sizes.span().subspan(dim)))
    raise(PyExc_ValueError, "expected sequence of length %lld at dim %d (got %lld)",
          static_cast<long long>(dim < sizes.n ? sizes[dim] : 0), dim,
          static_cast<long long>(v->ndim() ? v->size(0) : 0));
  if (!v->layout->contiguous) v = contiguous_copy(v);
  evaluate(v);
  cast_loop(dtype, v->dtype)(to, size_of(dtype), v->data(), size_of(v->dtype), v->numel());
  to += v->numel() * size_of(dtype);
}

void store(PyObject* o, const Dims& sizes, int dim, DType dtype, char*& to) {
  if (is_foreign_array(o)) return store_array(o, sizes, dim, dtype, to);
  if (dim == sizes.n) {
    store_number(o, dtype, to);
    to += size_of(dtype);
    return;
  }
  if (!is_sequence(o)) raise(PyExc_TypeError, "not a sequence");
  const Object items = items_of(o);
  const Py_ssize_t n = PySequence_Fast_GET_SIZE(items.get());
  if (n != sizes[dim])
    raise(PyExc_ValueError, "expected sequence of length %lld at dim %d (got %zd)",
          static_cast<long long>(sizes[dim]), dim, n);
  for (Py_ssize_t i = 0; i < n; ++i)
    store(item_of(items.get(), i).get(), sizes, dim + 1, dtype, to);
}

PyObject* number_object(const char* p, DType dtype) {
  if (dtype == DType::float32) return PyFloat_FromDouble(*reinterpret_cast<const float*>(p));
  if (dtype == DType::bool_) return PyBool_FromLong(*p != 0);
  if (is_floating(dtype)) {
    double d;
    cast_loop(DType::float64, dtype)(reinterpret_cast<char*>(&d), 0, p, 0, 1);
    return PyFloat_FromDouble(d);
  }
  int64_t i;
  cast_loop(DType::int64, dtype)(reinterpret_cast<char*>(&i), 0, p, 0, 1);
  return PyLong_FromLongLong(i);
}

PyObject* list_of(const Node& n, int dim, const char* p) {
  if (dim == n.ndim()) return number_object(p, n.dtype);
  Object list(PyList_New(n.size(dim)));
  const int64_t step = clamped_mul(n.layout->stride(dim), size_of(n.dtype));
  for (int64_t i = 0; i < n.size(dim); ++i) {
    PyObject* item = list_of(n, dim + 1, p + i * step);
    if (!item) throw PythonError{};
    PyList_SET_ITEM(list.get(), i, item);
  }
  return list.release();
}

}  // namespace

namespace {

PyObject* copy_by_dlpack(PyObject* data, std::optional<DType> asked) {
  const Object interop(PyImport_ImportModule("wend._interop"));
  const Object shared(PyObject_CallMethod(interop.get(), "from_dlpack", "O", data));
  return tensor_from_data(shared.get(), asked);
}

}  // namespace

PyObject* tensor_from_data(PyObject* data, std::optional<DType> asked) {
  if (is_tensor(data)) {
    const Value v = alias_without_grad(variable_of(data).value());
    return wrap(asked && *asked != v->dtype ? cast(v, *asked) : clone(v));
  }
  if (is_foreign_array(data) || is_numpy_scalar(data)) return copy_of_array(data, asked);
  if (PyUnicode_Check(data) || PyBytes_Check(data))
    raise(PyExc_TypeError, "new(): invalid data type '%s'", Py_TYPE(data)->tp_name);
  if (!PyList_Check(data) && !PyTuple_Check(data) && PyObject_HasAttrString(data, "__dlpack__"))
    return copy_by_dlpack(data, asked);
  Dims sizes;
  find_sizes(data, sizes);
  DType dtype = default_dtype();
  bool found = false;
  if (!asked) find_dtype(data, dtype, found);
  if (asked || !found) dtype = asked.value_or(default_dtype());
  const LayoutRef layout = contiguous(sizes);
  BufferRef buffer = allocate(layout->numel * size_of(dtype));
  char* to = buffer->data;
  store(data, sizes, 0, dtype, to);
  static const Op& op = op_named("data");
  return wrap(from_buffer(op, std::move(buffer), dtype, layout.get()));
}

void require_grad_from_start(PyObject* tensor) {
  set_requires_grad(tensor, true,
                    "Only Tensors of floating point and complex dtype can require gradients",
                    Write::untold);
}

bool is_foreign_array(PyObject* o) {
  if (PyLong_Check(o) || PyFloat_Check(o) || PyList_Check(o) || PyTuple_Check(o)) return false;
  static PyTypeObject* ndarray = nullptr;
  PyTypeObject* type = numpy_type("ndarray", ndarray);
  return type && PyObject_TypeCheck(o, type);
}

Value foreign_number(PyObject* o) {
  if (!is_numpy_scalar(o)) return {};
  const Object as_item(PyObject_CallMethod(o, "item", nullptr));
  int64_t i;
  if (PyLong_CheckExact(as_item.get())) return to_int(as_item.get(), i) ? number(i) : Value();
  // As in PyTorch a truth is a floating-point number, and a complex one its real part, of which
  // NumPy warns.
  const bool is_number =
      PyBool_Check(as_item.get()) || PyFloat_Check(as_item.get()) || PyComplex_Check(as_item.get());
  if (!is_number) return {};
  const Object real(PyNumber_Float(o));
  return number(PyFloat_AS_DOUBLE(real.get()));
}

PyObject* to_list(PyObject* tensor) {
  const Value v = variable_of(tensor).value();
  read_bytes(v);
  return list_of(*v, 0, v->numel() ? v->data() : nullptr);
}

PyObject* item(PyObject* tensor) {
  const Value v = variable_of(tensor).value();
  if (v->numel() != 1)
    fail(ErrorKind::runtime, "a Tensor with ", v->numel(),
         " elements cannot be converted to Scalar");
  const Arg element = read_number(v);
  if (element.kind == Arg::boolean) return PyBool_FromLong(element.as_bool());
  return element.kind == Arg::real ? PyFloat_FromDouble(element.d) : PyLong_FromLongLong(element.i);
}

namespace {

// The arguments of tensor(data, *, dtype=None, device=None, requires_grad=False, pin_memory=False).
struct TensorArgs {
  PyObject* data = nullptr;
  std::optional<DType> dtype;
  bool requires_grad = false;

  void take(std::string_view name, PyObject* value) {
    if (name == "data") {
      if (data) raise(PyExc_TypeError, "tensor() got multiple values for argument 'data'");
      data = value;
    } else if (name == "dtype") {
      DType t;
      if (value == Py_None) return;
      if (!to_dtype(value, t))
        raise(PyExc_TypeError, "tensor(): argument 'dtype' must be torch.dtype, not %s",
              Py_TYPE(value)->tp_name);
      dtype = t;
    } else if (name == "requires_grad") {
      if (!PyBool_Check(value))
        raise(PyExc_TypeError, "tensor(): argument 'requires_grad' must be bool, not %s",
              Py_TYPE(value)->tp_name);
      requires_grad = value == Py_True;
    } else if (name == "device") {
      check_device(value);
    } else if (name == "pin_memory") {
      if (PyObject_IsTrue(value))
        fail(ErrorKind::runtime, "Cannot access accelerator device when none is available.");
    } else {
      raise(PyExc_TypeError, "tensor() got an unexpected keyword argument '%s'", name.data());
    }
  }
};

constexpr const char* kCopyConstruct =
    "To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone() or "
    "sourceTensor.detach().clone().requires_grad_(True), rather than torch.tensor(sourceTensor).";

PyObject* tensor(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  return guarded([&] {
    if (nargs > 1)
      raise(PyExc_TypeError, "tensor() takes 1 positional argument but %zd were given", nargs);
    TensorArgs given;
    if (nargs) given.data = args[0];
    for (Py_ssize_t i = 0; kwnames && i < PyTuple_GET_SIZE(kwnames); ++i)
      given.take(PyUnicode_AsUTF8(PyTuple_GET_ITEM(kwnames, i)), args[nargs + i]);
    if (!given.data)
      raise(PyExc_TypeError, "tensor() missing 1 required positional arguments: \"data\"");
    if (is_tensor(given.data)) check(PyErr_WarnEx(PyExc_UserWarning, kCopyConstruct, 1));
    Object made(tensor_from_data(given.data, given.dtype));
    if (given.requires_grad) require_grad_from_start(made.get());
    return made.release();
  });
}

PyMethodDef functions[] = {
    {"tensor", reinterpret_cast<PyCFunction>(tensor), METH_FASTCALL | METH_KEYWORDS,
     "tensor(data, *, dtype=None, device=None, requires_grad=False, pin_memory=False) -> Tensor\n\n"
     "A tensor with a copy of the data.\n\n>>> wend.tensor([[1., 2.], [3., 4.]])"},
    {}};

}  // namespace

void init_convert(PyObject* module) { check(PyModule_AddFunctions(module, functions)); }

}  // namespace wend
