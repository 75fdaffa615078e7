// bind/convert.cpp: Python data to tensors and back. Arrays of other libraries come in through
// interop; here are numbers and nested sequences of them.
#include "bind/convert.hpp"

#include <cmath>
#include <string_view>

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

bool is_sequence(PyObject* o) { return PyList_Check(o) || PyTuple_Check(o); }

// Sizes of nested sequences, by their first elements.
void find_sizes(PyObject* o, Dims& sizes) {
  while (true) {
    if (is_tensor(o)) {
      for (int64_t s : variable_of(o).shape().sizes()) sizes.push(s);
      return;
    }
    if (!is_sequence(o)) return;
    const Py_ssize_t n = PySequence_Fast_GET_SIZE(o);
    sizes.push(n);
    if (n == 0) return;
    o = PySequence_Fast_GET_ITEM(o, 0);
  }
}

// The dtype that holds every number: bool < int64 < the default float type.
void find_dtype(PyObject* o, DType& dtype, bool& found) {
  auto meet = [&](DType t) {
    dtype = found ? promote(dtype, t) : t;
    found = true;
  };
  if (is_sequence(o)) {
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(o); ++i)
      find_dtype(PySequence_Fast_GET_ITEM(o, i), dtype, found);
  } else if (PyFloat_Check(o)) {
    meet(default_dtype());
  } else if (PyBool_Check(o)) {
    meet(DType::bool_);
  } else if (PyLong_Check(o)) {
    meet(DType::int64);
  } else if (is_tensor(o)) {
    meet(variable_of(o).shape().dtype);
  } else if (Value v = foreign_number(o)) {
    meet(v->flags & Node::weak && is_floating(v->dtype) ? default_dtype() : v->dtype);
  } else if (PyUnicode_Check(o) && PyUnicode_GET_LENGTH(o) != 1) {
    raise(PyExc_TypeError, "new(): invalid data type '%s'", Py_TYPE(o)->tp_name);
  } else {
    raise(PyExc_RuntimeError, "Could not infer dtype of %s", Py_TYPE(o)->tp_name);
  }
}

void check_in_range(int64_t v, DType dtype) {
  const int bits = static_cast<int>(size_of(dtype)) * 8;
  if (bits == 64) return;
  const int64_t low = is_signed(dtype) ? -(int64_t{1} << (bits - 1)) : -(int64_t{1} << bits) + 1;
  const int64_t high = (int64_t{1} << (is_signed(dtype) ? bits - 1 : bits)) - 1;
  if (v < low || v > high)
    fail(ErrorKind::runtime, "value cannot be converted to type ",
         dtype == DType::uint8 ? "uint8_t" : join(name_of(dtype), "_t"), " without overflow");
}

void store_number(PyObject* o, DType dtype, char* to) {
  if (is_tensor(o)) {
    const Value v = variable_of(o).value();
    observe(v);
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
    int64_t i;
    if (PyFloat_Check(o)) {
      const double d = PyFloat_AS_DOUBLE(o);
      if (std::isnan(d)) raise(PyExc_ValueError, "cannot convert float NaN to integer");
      if (std::isinf(d)) raise(PyExc_OverflowError, "cannot convert float infinity to integer");
      i = static_cast<int64_t>(d);
    } else if (!to_int(o, i)) {
      raise(PyExc_TypeError, "'%s' object cannot be interpreted as an integer", Py_TYPE(o)->tp_name);
    }
    check_in_range(i, dtype);
    cast_loop(dtype, DType::int64)(to, 0, reinterpret_cast<const char*>(&i), 0, 1);
  }
}

void store(PyObject* o, const Dims& sizes, int dim, DType dtype, char*& to) {
  if (is_tensor(o) && dim < sizes.n) {
    const Value v = variable_of(o).value();
    observe(v);
    const Value rows = v->layout->contiguous ? v : contiguous_copy(v);
    observe(rows);
    cast_loop(dtype, rows->dtype)(to, size_of(dtype), rows->data(), size_of(rows->dtype), rows->numel());
    to += rows->numel() * size_of(dtype);
    return;
  }
  if (dim == sizes.n) {
    if (is_sequence(o))
      raise(PyExc_TypeError, "not a sequence");
    store_number(o, dtype, to);
    to += size_of(dtype);
    return;
  }
  if (!is_sequence(o)) raise(PyExc_TypeError, "not a sequence");
  const Py_ssize_t n = PySequence_Fast_GET_SIZE(o);
  if (n != sizes[dim])
    raise(PyExc_ValueError, "expected sequence of length %lld at dim %d (got %zd)",
          static_cast<long long>(sizes[dim]), dim, n);
  for (Py_ssize_t i = 0; i < n; ++i) store(PySequence_Fast_GET_ITEM(o, i), sizes, dim + 1, dtype, to);
}

PyObject* number_object(const char* p, DType dtype) {
  if (dtype == DType::bool_) return PyBool_FromLong(*reinterpret_cast<const bool*>(p));
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
  const int64_t step = n.layout->stride(dim) * size_of(n.dtype);
  for (int64_t i = 0; i < n.size(dim); ++i) {
    PyObject* item = list_of(n, dim + 1, p + i * step);
    if (!item) throw PythonError{};
    PyList_SET_ITEM(list.get(), i, item);
  }
  return list.release();
}

}  // namespace

PyObject* tensor_from_data(PyObject* data, std::optional<DType> asked) {
  if (is_tensor(data)) {
    const Value v = variable_of(data).value();
    return wrap(alias_without_grad(cast(clone(alias_without_grad(v)), asked.value_or(v->dtype))));
  }
  if (is_foreign_array(data)) return copy_of_array(data, asked);
  if (!is_sequence(data) && PySequence_Check(data) && !PyUnicode_Check(data) && !PyBytes_Check(data)) {
    const Object list(PySequence_List(data));
    return tensor_from_data(list.get(), asked);
  }
  Dims sizes;
  find_sizes(data, sizes);
  DType dtype = asked.value_or(default_dtype());
  bool found = false;
  if (!asked) {
    DType seen{};
    find_dtype(data, seen, found);
    if (found) dtype = seen;
  }
  const LayoutRef layout = contiguous(sizes);
  BufferRef buffer = allocate(layout->numel * size_of(dtype));
  char* to = buffer->data;
  store(data, sizes, 0, dtype, to);
  static const Op& op = op_named("data");
  return wrap(from_buffer(op, std::move(buffer), dtype, layout.get()));
}

PyObject* to_list(PyObject* tensor) {
  const Value v = variable_of(tensor).value();
  observe(v);
  return list_of(*v, 0, v->numel() ? v->data() : nullptr);
}

PyObject* item(PyObject* tensor) {
  const Value v = variable_of(tensor).value();
  if (v->numel() != 1)
    fail(ErrorKind::runtime, "a Tensor with ", v->numel(), " elements cannot be converted to Scalar");
  observe(v);
  return number_object(v->data(), v->dtype);
}

namespace {

// tensor(data, *, dtype=None, device=None, requires_grad=False, pin_memory=False)
PyObject* tensor(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  return guarded([&] {
    if (nargs != 1) raise(PyExc_TypeError, "tensor() takes 1 positional argument but %zd were given", nargs);
    std::optional<DType> dtype;
    bool requires_grad = false;
    for (Py_ssize_t i = 0; kwnames && i < PyTuple_GET_SIZE(kwnames); ++i) {
      const std::string_view name = PyUnicode_AsUTF8(PyTuple_GET_ITEM(kwnames, i));
      PyObject* value = args[nargs + i];
      if (name == "dtype") {
        DType t;
        if (value == Py_None) continue;
        if (!to_dtype(value, t))
          raise(PyExc_TypeError, "tensor(): argument 'dtype' must be torch.dtype, not %s",
                Py_TYPE(value)->tp_name);
        dtype = t;
      } else if (name == "requires_grad") {
        requires_grad = PyObject_IsTrue(value) == 1;
      } else if (name == "device") {
        check_device(value);
      } else if (name != "pin_memory") {
        raise(PyExc_TypeError, "tensor() got an unexpected keyword argument '%s'", name.data());
      } else if (PyObject_IsTrue(value)) {
        fail(ErrorKind::runtime, "Cannot access accelerator device when none is available.");
      }
    }
    Object made(tensor_from_data(args[0], dtype));
    if (requires_grad) set_requires_grad(made.get(), true);
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
