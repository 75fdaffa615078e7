// bind/interop.cpp: memory shared with others through Python's buffer protocol, which NumPy speaks.
// DLPack is bind/dlpack; what sharing means for reads and writes is tensor/variable.
#include "bind/interop.hpp"

#include <bit>
#include <cstring>
#include <memory>
#include <string_view>

#include "bind/convert.hpp"
#include "bind/place.hpp"
#include "exec/run.hpp"
#include "graph/batch.hpp"
#include "graph/outside.hpp"
#include "graph/record.hpp"
#include "ops/functions.hpp"

namespace wend {
namespace {

const char* format_of(DType t) {
  static constexpr const char* formats[] = {
      "?", "B", "b", "h", "i", sizeof(long) == 8 ? "l" : "q", "e", nullptr, "f", "d"};
  return formats[static_cast<int>(t)];
}

// The dtype of a one-letter format in native byte order.
bool dtype_of_letter(char letter, Py_ssize_t itemsize, DType& out) {
  switch (letter) {
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

// "numpy.str_" for an array of strings, otherwise the type of the object itself.
Object element_type(PyObject* o) {
  PyObject* dtype = PyObject_GetAttrString(o, "dtype");
  PyObject* type = dtype ? PyObject_GetAttrString(dtype, "type") : nullptr;
  PyErr_Clear();
  Py_XDECREF(dtype);
  const Object scalar(type ? type : Py_NewRef(reinterpret_cast<PyObject*>(Py_TYPE(o))));
  return Object(PyUnicode_FromFormat("%s", reinterpret_cast<PyTypeObject*>(scalar.get())->tp_name));
}

[[noreturn]] void refuse_element_type(PyObject* o) {
  raise(PyExc_TypeError,
        "can't convert np.ndarray of type %U. The only supported types are: float64, float32, "
        "float16, int64, int32, int16, int8, uint8, and bool.",
        element_type(o).get());
}

DType dtype_of(PyObject* o, const Py_buffer& view) {
  std::string_view format = view.format ? view.format : "B";
  if (format.size() > 1 && (format[0] == '>' || format[0] == '!'))
    fail(
        ErrorKind::value,
        "given numpy array has byte order different from the native byte order. Conversion between "
        "byte orders is currently not supported.");
  if (format.size() > 1 && std::string_view("@=<").find(format[0]) != format.npos)
    format.remove_prefix(1);
  DType dtype;
  if (format.size() == 1 && dtype_of_letter(format[0], view.itemsize, dtype)) return dtype;
  refuse_element_type(o);
}

// Holds a tensor's memory open for others.
struct Exposed {
  PyObject_HEAD Buffer* buffer;
  char* data;
  DType dtype;
  int ndim;
  bool contiguous;
  Py_ssize_t shape[kMaxDims], strides[kMaxDims];
};

void exposed_dealloc(PyObject* self) {
  Buffer* buffer = reinterpret_cast<Exposed*>(self)->buffer;
  take_back(*buffer);
  BufferRef::adopt(buffer);
  PyObject_Free(self);
}

// Gives a consumer what it asked for and nothing that it did not.
int exposed_get_buffer(PyObject* self, Py_buffer* view, int flags) {
  auto* e = reinterpret_cast<Exposed*>(self);
  const bool wants_strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES;
  const bool wants_rows = !wants_strides || (flags & PyBUF_C_CONTIGUOUS) == PyBUF_C_CONTIGUOUS;
  const auto item = static_cast<Py_ssize_t>(size_of(e->dtype));
  Py_ssize_t bytes = item;
  for (int i = 0; i < e->ndim; ++i) bytes *= e->shape[i];
  *view = {
      e->data,  self,       bytes,   item,   0, e->ndim, const_cast<char*>(format_of(e->dtype)),
      e->shape, e->strides, nullptr, nullptr};
  const bool any_order = (flags & PyBUF_ANY_CONTIGUOUS) == PyBUF_ANY_CONTIGUOUS;
  if ((wants_rows && !e->contiguous && !any_order) ||
      ((flags & PyBUF_F_CONTIGUOUS) == PyBUF_F_CONTIGUOUS && !PyBuffer_IsContiguous(view, 'F')) ||
      (any_order && !PyBuffer_IsContiguous(view, 'A'))) {
    view->obj = nullptr;
    PyErr_SetString(PyExc_BufferError, "the tensor is not contiguous");
    return -1;
  }
  if (!(flags & PyBUF_FORMAT)) view->format = nullptr;
  if (!wants_strides) view->strides = nullptr;
  if (!(flags & PyBUF_ND)) view->shape = nullptr;
  Py_INCREF(self);
  return 0;
}

PyBufferProcs exposed_as_buffer = {exposed_get_buffer, nullptr};
PyTypeObject exposed_type = {PyVarObject_HEAD_INIT(nullptr, 0)};

int tensor_get_buffer(PyObject* self, Py_buffer* view, int flags) {
  view->obj = nullptr;
  return guarded(
      [&] {
        if (variable_of(self).node()->needs_grad())
          raise(PyExc_BufferError,
                "Can't export tensors that require gradient, use tensor.detach()");
        const Object e(expose(self));
        return PyObject_GetBuffer(e.get(), view, flags);
      },
      -1);
}

// Another object's memory, held open.
using Held = std::unique_ptr<Py_buffer, void (*)(Py_buffer*)>;

void let_buffer_go(void* keeper) {
  auto* view = static_cast<Py_buffer*>(keeper);
  PyBuffer_Release(view);
  delete view;
}

// The object whose memory another one shows: NumPy's `base`, a memoryview's `obj`.
Object owner_of(PyObject* o) {
  const char* name = PyMemoryView_Check(o) ? "obj" : is_foreign_array(o) ? "base" : nullptr;
  PyObject* owner = name ? PyObject_GetAttrString(o, name) : nullptr;
  if (!owner) PyErr_Clear();
  if (owner == Py_None) Py_CLEAR(owner);
  return owner ? Object(owner) : Object();
}

// Whether the memory that it shows is its own, and goes with it.
bool owns_memory(PyObject* o) {
  if (PyByteArray_CheckExact(o) || std::string_view(Py_TYPE(o)->tp_name) == "array.array")
    return true;
  if (!is_foreign_array(o)) return false;
  PyObject* flags = PyObject_GetAttrString(o, "flags");
  PyObject* own = flags ? PyObject_GetAttrString(flags, "owndata") : nullptr;
  Py_XDECREF(flags);
  const bool owns = own == Py_True;
  Py_XDECREF(own);
  if (!own) PyErr_Clear();
  return owns;
}

// Whether somebody who is not among `known` references can get at an object.
bool held_elsewhere(PyObject* o, Py_ssize_t known) {
  const Py_ssize_t weak = Py_TYPE(o)->tp_weaklistoffset;
  const bool has_weak =
      weak > 0 && *reinterpret_cast<PyObject**>(reinterpret_cast<char*>(o) + weak) != nullptr;
  return Py_REFCNT(o) > known || has_weak;
}

// Bytes cannot be written by anybody, whoever shows them. Arrays that only we hold, over memory
// that only they hold, are out of everybody's reach. That an array is not writeable says nothing:
// it can be made so again, and others may show the same memory.
bool buffer_reachable(void* keeper) {
  const auto* view = static_cast<Py_buffer*>(keeper);
  PyObject* shown = view->obj;
  if (!shown) return true;
  bool held = held_elsewhere(shown, 1);
  if (held && !view->readonly) return true;
  Object at(Py_NewRef(shown));
  while (Object owner = owner_of(at.get())) {
    // By what shows it, and by us here. Of one memoryview there may be others that show the same.
    held |= held_elsewhere(owner.get(), 2) || PyMemoryView_Check(at.get());
    at = std::move(owner);
  }
  if (PyBytes_CheckExact(at.get())) return false;
  return held || !owns_memory(at.get());
}

constexpr Lender kBufferOwner = {let_buffer_go, buffer_reachable};

Held hold(PyObject* object) {
  Held view(new Py_buffer, [](Py_buffer* v) { delete v; });
  // Read-only memory is shared as well, as PyTorch does; PyTorch's warning is given in Python.
  if (PyObject_GetBuffer(object, view.get(), PyBUF_RECORDS) < 0) {
    PyErr_Clear();
    if (PyObject_GetBuffer(object, view.get(), PyBUF_RECORDS_RO) < 0) {
      // NumPy lends no memory of dates.
      if (!PyErr_ExceptionMatches(PyExc_ValueError) || !is_foreign_array(object))
        throw PythonError{};
      PyErr_Clear();
      refuse_element_type(object);
    }
  }
  return Held(view.release(), [](Py_buffer* v) { let_buffer_go(v); });
}

// Sizes and strides, in elements, of a buffer view; raises for what a tensor cannot describe.
LayoutRef layout_of(const Py_buffer& view) {
  Dims sizes, strides;
  for (int i = 0; i < view.ndim; ++i) {
    sizes.push(view.shape[i]);
    if (view.strides[i] < 0)
      fail(ErrorKind::value,
           "At least one stride in the given numpy array is negative, and tensors with negative "
           "strides "
           "are not currently supported. (You can probably work around this by making a copy of "
           "your "
           "array  with array.copy().) ");
    if (view.strides[i] % view.itemsize)
      fail(ErrorKind::value,
           "given numpy array strides not a multiple of the element byte size. Copy the numpy "
           "array to "
           "reallocate the memory.");
    strides.push(view.strides[i] / view.itemsize);
  }
  return intern(sizes.span(), strides.span());
}

bool is_aligned(const Py_buffer& view) {
  return std::bit_cast<uintptr_t>(view.buf) % static_cast<uintptr_t>(view.itemsize) == 0;
}

Value over(Held view, DType dtype, const Layout* layout) {
  const auto bytes = static_cast<size_t>(layout->span * size_of(dtype));
  BufferRef buffer = borrow(view->buf, bytes, kBufferOwner, view.get(), view->readonly != 0);
  view.release();
  return from_buffer(op_named("data"), std::move(buffer), dtype, layout);
}

// The same memory as what it is: given from outside, though a kernel brought it here.
Value as_data(Node& own) {
  with_buffer(own);
  return from_buffer(op_named("data"), BufferRef(own.buffer), own.dtype, own.layout, own.offset);
}

// The elements in row-major order in memory of our own, for memory that loops cannot read.
Value copied_bytes(const Py_buffer& view, DType dtype, const Layout& layout) {
  const LayoutRef rows = contiguous(layout.sizes());
  BufferRef buffer = allocate(static_cast<size_t>(view.len));
  check(PyBuffer_ToContiguous(buffer->data, const_cast<Py_buffer*>(&view), view.len, 'C'));
  return from_buffer(op_named("data"), std::move(buffer), dtype, rows.get());
}

}  // namespace

PyBufferProcs tensor_as_buffer = {tensor_get_buffer, nullptr};

PyObject* expose(PyObject* tensor) {
  Variable& v = variable_of(tensor);
  if (!format_of(v.shape().dtype)) raise(PyExc_TypeError, "Got unsupported ScalarType BFloat16");
  Buffer& storage = v.exposed_storage();
  auto* e = PyObject_New(Exposed, &exposed_type);
  if (!e) throw PythonError{};
  const Node& n = v.shape();
  lend(storage);
  e->buffer = BufferRef(&storage).leak();
  e->data = storage.data + n.offset * size_of(n.dtype);
  e->dtype = n.dtype;
  e->ndim = n.ndim();
  e->contiguous = n.layout->contiguous;
  for (int i = 0; i < n.ndim(); ++i) {
    e->shape[i] = n.size(i);
    e->strides[i] = n.layout->stride(i) * size_of(n.dtype);
  }
  return reinterpret_cast<PyObject*>(e);
}

PyObject* tensor_over_buffer(PyObject* object) {
  Held view = hold(object);
  const DType dtype = dtype_of(object, *view);
  const LayoutRef layout = layout_of(*view);
  if (!is_aligned(*view))
    fail(ErrorKind::value, "given memory is not aligned to its element size. Copy it to share it.");
  return wrap(over(std::move(view), dtype, layout.get()));
}

PyObject* copy_of_bytes(PyObject* object, DType dtype, int64_t count) {
  auto asked = std::make_unique<Py_buffer>();
  if (PyObject_GetBuffer(object, asked.get(), PyBUF_SIMPLE) < 0) throw PythonError{};
  const Held bytes(asked.release(), [](Py_buffer* v) { let_buffer_go(v); });
  if (count < 0 || count > bytes->len / static_cast<int64_t>(size_of(dtype)))
    fail(ErrorKind::value, count, " elements of ", name_of(dtype), " do not fit into ", bytes->len,
         " bytes");
  const LayoutRef layout = contiguous(Dims{count});
  BufferRef buffer = allocate(count * size_of(dtype));
  std::memcpy(buffer->data, bytes->buf, buffer->bytes);
  return wrap(from_buffer(op_named("data"), std::move(buffer), dtype, layout.get()));
}

PyObject* tensor_over_bytes(PyObject* object, DType dtype, int64_t count, int64_t offset) {
  auto bytes = std::make_unique<Py_buffer>();
  if (PyObject_GetBuffer(object, bytes.get(), PyBUF_WRITABLE) < 0) {
    PyErr_Clear();
    if (PyObject_GetBuffer(object, bytes.get(), PyBUF_SIMPLE) < 0) throw PythonError{};
  }
  Held view(bytes.release(), [](Py_buffer* v) { let_buffer_go(v); });
  view->buf = static_cast<char*>(view->buf) + offset;
  view->itemsize = size_of(dtype);
  if (!is_aligned(*view))
    fail(ErrorKind::value, "given memory is not aligned to its element size. Copy it to share it.");
  const LayoutRef layout = contiguous(Dims{count});
  return wrap(over(std::move(view), dtype, layout.get()));
}

PyObject* copy_of_array(PyObject* array, std::optional<DType> asked) {
  Held view = hold(array);
  const DType dtype = dtype_of(array, *view);
  const LayoutRef layout = layout_of(*view);
  const bool readable = is_aligned(*view);
  const Value shared =
      readable ? over(std::move(view), dtype, layout.get()) : copied_bytes(*view, dtype, *layout);
  if (readable) take_back(*shared->buffer);  // it is read before anybody can write
  const Value own = asked && *asked != dtype ? cast(shared, *asked)
                    : readable               ? clone(shared)
                                             : shared;
  evaluate(own);
  return wrap(as_data(*own));
}

namespace {

void warn_of_reads(const std::string& tensor) {
  const Source source = current_source();
  const auto place = place_of(source);
  if (source.code) source_hooks.release(source.code, 1);
  nanobind::module_::import_("wend._interop").attr("_warn_of_reads")(tensor, place);
}

}  // namespace

void init_interop() {
  outside_hooks.warn = [](const std::string& tensor) {
    try {
      warn_of_reads(tensor);
    } catch (nanobind::python_error& e) {
      e.restore();
      throw PythonError{};
    }
  };
  exposed_type.tp_name = "wend.Exposed";
  exposed_type.tp_basicsize = sizeof(Exposed);
  exposed_type.tp_flags = Py_TPFLAGS_DEFAULT;
  exposed_type.tp_dealloc = exposed_dealloc;
  exposed_type.tp_as_buffer = &exposed_as_buffer;
  check(PyType_Ready(&exposed_type));
}

}  // namespace wend
