// bind/interop.cpp: memory shared with others through Python's buffer protocol.
#include "bind/interop.hpp"

#include <cstring>
#include <string_view>

#include "bind/convert.hpp"
#include "exec/run.hpp"
#include "graph/record.hpp"
#include "ops/functions.hpp"

namespace wend {
namespace {

const char* format_of(DType t) {
  static constexpr const char* formats[] = {"?", "B", "b", "h", "i", "q", "e", nullptr, "f", "d"};
  return formats[static_cast<int>(t)];
}

bool dtype_of_format(const char* format, Py_ssize_t itemsize, DType& out) {
  std::string_view f = format ? format : "B";
  if (!f.empty() && (f[0] == '@' || f[0] == '=' || f[0] == '<')) f.remove_prefix(1);
  if (f.size() != 1) return false;
  switch (f[0]) {
    case '?':
      return out = DType::bool_, true;
    case 'B':
      return out = DType::uint8, true;
    case 'b':
      return out = DType::int8, true;
    case 'e':
      return out = DType::float16, true;
    case 'f':
      return out = DType::float32, true;
    case 'd':
      return out = DType::float64, true;
    case 'h':
    case 'i':
    case 'l':
    case 'q':
    case 'n':
      out = itemsize == 2 ? DType::int16 : itemsize == 4 ? DType::int32 : DType::int64;
      return true;
    default:
      return false;
  }
}

// Holds a tensor's memory open for others.
struct Exposed {
  PyObject_HEAD
  Buffer* buffer;
  char* data;
  DType dtype;
  int ndim;
  Py_ssize_t shape[kMaxDims], strides[kMaxDims];
};

void exposed_dealloc(PyObject* self) {
  Buffer* buffer = reinterpret_cast<Exposed*>(self)->buffer;
  if (--buffer->outside == 0) --outside_buffers;
  BufferRef::adopt(buffer);
  PyObject_Free(self);
}

int exposed_get_buffer(PyObject* self, Py_buffer* view, int) {
  auto* e = reinterpret_cast<Exposed*>(self);
  Py_ssize_t bytes = size_of(e->dtype);
  for (int i = 0; i < e->ndim; ++i) bytes *= e->shape[i];
  *view = {e->data,  Py_NewRef(self), bytes,      static_cast<Py_ssize_t>(size_of(e->dtype)), 0, e->ndim,
           const_cast<char*>(format_of(e->dtype)), e->shape, e->strides, nullptr, nullptr};
  return 0;
}

PyBufferProcs exposed_as_buffer = {exposed_get_buffer, nullptr};
PyTypeObject exposed_type = {PyVarObject_HEAD_INIT(nullptr, 0)};

int tensor_get_buffer(PyObject* self, Py_buffer* view, int flags) {
  PyObject* e = guarded([&] { return expose(self); });
  if (!e) {
    view->obj = nullptr;
    return -1;
  }
  const int status = PyObject_GetBuffer(e, view, flags);
  Py_DECREF(e);
  return status;
}

void let_buffer_go(void* keeper) {
  auto* view = static_cast<Py_buffer*>(keeper);
  --outside_buffers;
  PyBuffer_Release(view);
  delete view;
}

// Sizes and strides, in elements, of a buffer view; raises for what a tensor cannot describe.
LayoutRef layout_of(const Py_buffer& view) {
  Dims sizes, strides;
  for (int i = 0; i < view.ndim; ++i) {
    sizes.push(view.shape[i]);
    if (view.strides[i] < 0)
      fail(ErrorKind::value,
           "At least one stride in the given numpy array is negative, and tensors with negative strides "
           "are not currently supported. (You can probably work around this by making a copy of your "
           "array  with array.copy().) ");
    if (view.strides[i] % view.itemsize)
      fail(ErrorKind::value,
           "given numpy array strides not a multiple of the element byte size. Copy the numpy array to "
           "reallocate the memory.");
    strides.push(view.strides[i] / view.itemsize);
  }
  return intern(sizes.span(), strides.span());
}

}  // namespace

PyBufferProcs tensor_as_buffer = {tensor_get_buffer, nullptr};

PyObject* expose(PyObject* tensor) {
  Variable& v = variable_of(tensor);
  if (!format_of(v.shape().dtype))
    raise(PyExc_TypeError, "Got unsupported ScalarType BFloat16");
  Buffer& storage = v.exposed_storage();
  auto* e = PyObject_New(Exposed, &exposed_type);
  if (!e) throw PythonError{};
  const Node& n = v.shape();
  if (storage.outside++ == 0) ++outside_buffers;
  e->buffer = BufferRef(&storage).leak();
  e->data = storage.data + n.offset * size_of(n.dtype);
  e->dtype = n.dtype;
  e->ndim = n.ndim();
  for (int i = 0; i < n.ndim(); ++i) {
    e->shape[i] = n.size(i);
    e->strides[i] = n.layout->stride(i) * size_of(n.dtype);
  }
  return reinterpret_cast<PyObject*>(e);
}

PyObject* tensor_over_buffer(PyObject* object) {
  auto view = std::make_unique<Py_buffer>();
  // Read-only memory is shared as well, as PyTorch does; PyTorch's warning is given in Python.
  if (PyObject_GetBuffer(object, view.get(), PyBUF_RECORDS) < 0) {
    PyErr_Clear();
    if (PyObject_GetBuffer(object, view.get(), PyBUF_RECORDS_RO) < 0) throw PythonError{};
  }
  struct Release {
    Py_buffer* view;
    ~Release() {
      if (view) PyBuffer_Release(view);
    }
  } release{view.get()};
  DType dtype;
  if (!dtype_of_format(view->format, view->itemsize, dtype))
    raise(PyExc_TypeError, "can't convert an array with elements of format '%s'", view->format);
  const LayoutRef layout = layout_of(*view);
  static const Op& op = op_named("data");
  BufferRef buffer =
      borrow(view->buf, layout->span * size_of(dtype), let_buffer_go, view.get());
  release.view = nullptr;
  view.release();
  ++outside_buffers;
  return wrap(from_buffer(op, std::move(buffer), dtype, layout.get()));
}

PyObject* copy_of_array(PyObject* array, std::optional<DType> dtype) {
  const Object over(tensor_over_buffer(array));
  const Value shared = variable_of(over.get()).value();
  const Value own = dtype && *dtype != shared->dtype ? cast(shared, *dtype) : contiguous_copy(shared);
  observe(own);
  return wrap(own);
}

bool is_foreign_array(PyObject* o) {
  if (is_tensor(o) || PyLong_Check(o) || PyFloat_Check(o) || PyList_Check(o) || PyTuple_Check(o))
    return false;
  return PyObject_CheckBuffer(o) && PyObject_HasAttrString(o, "__array_interface__");
}

Value foreign_number(PyObject* o) {
  // NumPy's scalars: 0-d, with a dtype of their own, but they act as Python numbers do.
  if (!PyNumber_Check(o) || PyObject_HasAttrString(o, "__len__") ||
      !PyObject_HasAttrString(o, "__array_interface__"))
    return {};
  if (PyObject_HasAttrString(o, "ndim")) {
    const Object ndim(PyObject_GetAttrString(o, "ndim"));
    if (PyLong_AsLong(ndim.get()) != 0) return {};
  }
  if (PyIndex_Check(o)) {
    const Object i(PyNumber_Index(o));
    return number(static_cast<int64_t>(PyLong_AsLongLong(i.get())));
  }
  const Object as_item(PyObject_CallMethod(o, "item", nullptr));
  if (PyBool_Check(as_item.get())) return number(as_item.get() == Py_True);
  if (PyFloat_Check(as_item.get())) return number(PyFloat_AS_DOUBLE(as_item.get()));
  return {};
}

void init_interop() {
  exposed_type.tp_name = "wend.Exposed";
  exposed_type.tp_basicsize = sizeof(Exposed);
  exposed_type.tp_flags = Py_TPFLAGS_DEFAULT;
  exposed_type.tp_dealloc = exposed_dealloc;
  exposed_type.tp_as_buffer = &exposed_as_buffer;
  check(PyType_Ready(&exposed_type));
}

}  // namespace wend
