// bind/attributes.cpp: attributes of Tensor, and the methods that are not ops: they look at the
// tensor's identity, storage or value, where ops make new nodes.
#include "bind/attributes.hpp"

#include "bind/args.hpp"
#include "bind/autograd.hpp"
#include "bind/convert.hpp"
#include "bind/grad_fn.hpp"
#include "bind/interop.hpp"
#include "bind/metadata.hpp"
#include "bind/types.hpp"
#include "exec/run.hpp"
#include "graph/mode.hpp"
#include "ops/families.hpp"
#include "ops/functions.hpp"
#include "tensor/refusal.hpp"

namespace wend {
namespace {

const Node& shape_of(PyObject* self) { return variable_of(self).shape(); }

constexpr const char* kGradOfResult =
    "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its .grad "
    "attribute "
    "won't be populated during autograd.backward(). If you indeed want the .grad field to be "
    "populated for a non-leaf Tensor, use .retain_grad() on the non-leaf Tensor. If you access the "
    "non-leaf Tensor by mistake, make sure you access the leaf Tensor instead. See "
    "github.com/pytorch/pytorch/pull/30531 for more informations.";

bool retains_grad(PyObject* self) {
  const auto& link = as_tensor(self)->link;
  return link && static_cast<TensorLink&>(*link).retains_grad;
}

PyObject* get_shape(PyObject* self, void*) {
  return guarded([&] { return size_object(shape_of(self).sizes()); });
}
PyObject* get_dtype(PyObject* self, void*) { return Py_NewRef(dtype_object(shape_of(self).dtype)); }
PyObject* get_device(PyObject*, void*) {
  return guarded([&] { return Py_NewRef(registered("cpu")); });
}
PyObject* get_layout(PyObject*, void*) {
  return guarded([&] { return Py_NewRef(registered("strided")); });
}
PyObject* get_ndim(PyObject* self, void*) { return PyLong_FromLong(shape_of(self).ndim()); }
PyObject* get_itemsize(PyObject* self, void*) {
  return PyLong_FromLong(size_of(shape_of(self).dtype));
}
PyObject* get_nbytes(PyObject* self, void*) {
  return PyLong_FromLongLong(shape_of(self).numel() * size_of(shape_of(self).dtype));
}
PyObject* get_requires_grad(PyObject* self, void*) {
  return guarded([&] { return PyBool_FromLong(variable_of(self).node()->needs_grad()); });
}
int put_requires_grad(PyObject* self, PyObject* value, void*) {
  return guarded(
      [&] {
        if (!value || !PyBool_Check(value))
          raise(PyExc_RuntimeError, "requires_grad must be a bool");
        set_requires_grad(self, value == Py_True,
                          "only Tensors of floating point and complex dtype can require gradients");
        return 0;
      },
      -1);
}
PyObject* get_is_leaf(PyObject* self, void*) {
  return guarded([&] {
    const Node& node = gradient_node(self);
    return PyBool_FromLong(!node.needs_grad() || node.is_leaf());
  });
}
PyObject* get_grad(PyObject* self, void*) {
  if (PyObject* grad = as_tensor(self)->grad) return Py_NewRef(grad);
  return guarded([&]() -> PyObject* {
    const Node& node = gradient_node(self);
    const bool result = node.needs_grad() && !node.is_leaf() && !retains_grad(self);
    if (result && PyErr_WarnEx(PyExc_UserWarning, kGradOfResult, 1) < 0) throw PythonError{};
    Py_RETURN_NONE;
  });
}
[[noreturn]] void refuse_grad_dtype(DType tensor, DType grad) {
  static constexpr const char* names[dtype_count] = {
      "bool",     "unsigned char", "signed char",   "short int", "int",
      "long int", "c10::Half",     "c10::BFloat16", "float",     "double"};
  fail(ErrorKind::runtime, "attempting to assign a gradient with dtype '",
       names[static_cast<int>(grad)], "' to a tensor with grad_dtype '", scalar_type_name(tensor),
       "'. The gradient must match the tensor's grad_dtype (defaults to the tensor's dtype). You "
       "can "
       "set the tensor's grad_dtype attribute with a specific dtype, or None to allow any dtype. "
       "Set "
       "grad_dtype with caution. Diverging the dtypes of a tensor and its gradient may break "
       "downstream systems that assume they match.");
}
int put_grad(PyObject* self, PyObject* value, void*) {
  return guarded(
      [&] {
        TensorObject* t = as_tensor(self);
        if (!value || value == Py_None) {
          set_gradient(t, nullptr);
          return 0;
        }
        if (!is_tensor(value))
          raise(PyExc_TypeError,
                "assigned grad expected to be a Tensor or None but got grad of type %s",
                Py_TYPE(value)->tp_name);
        if (value == self) fail(ErrorKind::runtime, "can't assign Variable as its own grad");
        const Node &mine = shape_of(self), &theirs = shape_of(value);
        if (mine.dtype != theirs.dtype) refuse_grad_dtype(mine.dtype, theirs.dtype);
        if (!std::ranges::equal(mine.sizes(), theirs.sizes()))
          fail(ErrorKind::runtime, "attempting to assign a gradient of size '",
               show(theirs.sizes()), "' to a tensor of size '", show(mine.sizes()),
               "'. Please ensure that the gradient and the tensor are the same size");
        set_gradient(t, Py_NewRef(value));
        return 0;
      },
      -1);
}
PyObject* get_grad_fn(PyObject* self, void*) {
  return guarded([&] { return grad_fn_of(self); });
}
PyObject* get_data(PyObject* self, void*) {
  return guarded([&] { return wrap(variable_of(self).detach(true)); });
}
int put_data(PyObject* self, PyObject* value, void*) {
  return guarded(
      [&] {
        if (!value || !is_tensor(value)) raise(PyExc_TypeError, "Variable data has to be a tensor");
        if (variable_of(self).node()->needs_grad() && !is_floating(shape_of(value).dtype))
          fail(ErrorKind::runtime,
               "data set to a tensor that requires gradients must be floating point or complex "
               "dtype");
        variable_of(self).rebase(variable_of(value));
        return 0;
      },
      -1);
}
PyObject* get_version(PyObject* self, void*) {
  return guarded([&] {
    if (variable_of(self).node()->flags & Node::inference)
      fail(ErrorKind::runtime, "Inference tensors do not track version counter.");
    return PyLong_FromUnsignedLong(variable_of(self).version());
  });
}
PyObject* get_base(PyObject* self, void*) {
  PyObject* base = as_tensor(self)->base;
  return Py_NewRef(base ? base : Py_None);
}
PyObject* get_false(PyObject*, void*) { Py_RETURN_FALSE; }
PyObject* get_output_nr(PyObject* self, void*) {
  return guarded([&] { return PyLong_FromLong(output_number(*variable_of(self).node())); });
}
// T, mT, H, mH: views with dimensions exchanged.
PyObject* view_attribute(PyObject* self, Value (*view)(const Value&)) {
  return guarded([&] { return wrap_result(view(variable_of(self).value()), std::span(&self, 1)); });
}
[[noreturn]] void not_matrices(const char* name, int ndim) {
  fail(ErrorKind::runtime, "tensor.", name,
       " is only supported on matrices or batches of matrices. Got ", ndim, "-D tensor.");
}
PyObject* get_reversed(PyObject* self, void*) {
  return view_attribute(self, [](const Value& a) {
    Dims dims(a->sizes());
    for (int i = 0; i < dims.n; ++i) dims[i] = dims.n - 1 - i;
    return permute(a, dims);
  });
}
PyObject* get_transposed(PyObject* self, void* name) {
  const int ndim = shape_of(self).ndim();
  return guarded([&]() -> PyObject* {
    if (ndim == 1) not_matrices(static_cast<const char*>(name), ndim);
    if (ndim == 0) return Py_NewRef(self);
    return view_attribute(self, [](const Value& a) { return transpose(a, -2, -1); });
  });
}
PyObject* get_matrix_transposed(PyObject* self, void*) {
  const int ndim = shape_of(self).ndim();
  return guarded([&]() -> PyObject* {
    if (ndim == 1 || ndim > 2)
      fail(ErrorKind::runtime, "tensor.H is only supported on matrices (2-D tensors). Got ", ndim,
           "-D tensor.", ndim > 2 ? " For batches of matrices, consider using tensor.mH" : "");
    if (ndim == 0) return Py_NewRef(self);
    return view_attribute(self, [](const Value& a) { return transpose(a, 0, 1); });
  });
}
PyObject* get_retains_grad(PyObject* self, void*) { return PyBool_FromLong(retains_grad(self)); }

// A dimension of a tensor that has any; raises PyTorch's error for 0-d ones.
int existing_dim(int64_t dim, const Node& n) {
  if (n.ndim() == 0)
    fail(ErrorKind::index, "Dimension specified as ", dim, " but tensor has no dimensions");
  return wrap_dim(dim, n.ndim());
}

PyObject* size(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  return guarded([&]() -> PyObject* {
    const Node& n = shape_of(self);
    const Py_ssize_t given = nargs + (kwnames ? PyTuple_GET_SIZE(kwnames) : 0);
    if (given == 0 || args[0] == Py_None) return size_object(n.sizes());
    int64_t dim;
    if (!to_int(args[0], dim)) raise(PyExc_TypeError, "size(): argument 'dim' must be int");
    return PyLong_FromLongLong(n.sizes()[existing_dim(dim, n)]);
  });
}
PyObject* stride(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  return guarded([&]() -> PyObject* {
    const Node& n = shape_of(self);
    const Py_ssize_t given = nargs + (kwnames ? PyTuple_GET_SIZE(kwnames) : 0);
    if (given == 0 || args[0] == Py_None) {
      const Object as_size(size_object(n.strides()));
      return PyTuple_GetSlice(as_size.get(), 0, n.ndim());
    }
    int64_t dim;
    if (!to_int(args[0], dim)) raise(PyExc_TypeError, "stride(): argument 'dim' must be int");
    return PyLong_FromLongLong(n.strides()[existing_dim(dim, n)]);
  });
}
PyObject* dim(PyObject* self, PyObject*) { return get_ndim(self, nullptr); }
PyObject* numel(PyObject* self, PyObject*) { return PyLong_FromLongLong(shape_of(self).numel()); }
PyObject* element_size(PyObject* self, PyObject*) { return get_itemsize(self, nullptr); }
PyObject* storage_offset(PyObject* self, PyObject*) {
  return PyLong_FromLongLong(shape_of(self).offset);
}
PyObject* is_contiguous(PyObject* self, PyObject* const* args, Py_ssize_t nargs,
                        PyObject* kwnames) {
  return guarded([&] {
    const bool format_given = nargs > 0 || (kwnames && PyTuple_GET_SIZE(kwnames) > 0);
    const int format = format_given ? to_memory_format(args[0]) : 0;
    const Layout& layout = *shape_of(self).layout;
    if (format >= 2) {
      const int spatial = format == 2 ? 4 : 5;
      return PyBool_FromLong(layout.ndim == spatial && is_channels_last(layout));
    }
    return PyBool_FromLong(layout.contiguous);
  });
}
PyObject* is_floating_point(PyObject* self, PyObject*) {
  return PyBool_FromLong(is_floating(shape_of(self).dtype));
}
PyObject* is_inference(PyObject* self, PyObject*) {
  return guarded(
      [&] { return PyBool_FromLong((variable_of(self).node()->flags & Node::inference) != 0); });
}
PyObject* is_view(PyObject* self, PyObject*) {
  return PyBool_FromLong(as_tensor(self)->base != nullptr);
}
PyObject* method_item(PyObject* self, PyObject*) {
  return guarded([&] { return item(self); });
}
PyObject* method_tolist(PyObject* self, PyObject*) {
  return guarded([&] { return to_list(self); });
}
PyObject* data_ptr(PyObject* self, PyObject*) {
  return guarded([&] {
    const Value v = variable_of(self).value();
    read_bytes(v);
    return PyLong_FromVoidPtr(v->numel() ? v->data() : nullptr);
  });
}
PyObject* storage_ptr(PyObject* self, PyObject*) {
  return guarded([&] {
    const Value v = variable_of(self).value();
    read_bytes(v);
    return PyLong_FromVoidPtr(v->buffer->data);
  });
}
PyObject* storage_bytes(PyObject* self, PyObject*) {
  return guarded([&] {
    const Value v = variable_of(self).value();
    evaluate(v);
    return PyLong_FromSize_t(v->buffer->bytes);
  });
}
PyObject* detach(PyObject* self, PyObject*) {
  return guarded([&] { return wrap(variable_of(self).detach(false)); });
}
PyObject* detach_inplace(PyObject* self, PyObject*) {
  return guarded([&] {
    Variable& v = variable_of(self);
    if (v.is_view())
      fail(
          ErrorKind::runtime,
          "Can't detach views in-place. Use detach() instead. If you are using "
          "DistributedDataParallel (DDP) for training, and gradient_as_bucket_view is set as True, "
          "gradients are views of DDP buckets, and hence detach_() cannot be called on these "
          "gradients. To fix this error, please refer to the Optimizer.zero_grad() function in "
          "torch/optim/optimizer.py as the solution.");
    if (v.node()->needs_grad()) {
      const bool leaf = history_of(v.node())->is_leaf();
      v.replace_node(alias_without_grad(v.value()));
      if (as_tensor(self)->link && !leaf) unlink(as_tensor(self));
    }
    return Py_NewRef(self);
  });
}
PyObject* requires_grad_inplace(PyObject* self, PyObject* const* args, Py_ssize_t nargs,
                                PyObject* kwnames) {
  return guarded([&] {
    const Py_ssize_t given = nargs + (kwnames ? PyTuple_GET_SIZE(kwnames) : 0);
    set_requires_grad(self, given == 0 || PyObject_IsTrue(args[0]) == 1,
                      "only Tensors of floating point dtype can require gradients");
    return Py_NewRef(self);
  });
}
PyObject* storage_content(PyObject* self, PyObject*) {
  return guarded([&] {
    const Value v = variable_of(self).value();
    read_bytes(v);
    return PyBytes_FromStringAndSize(v->buffer->data, static_cast<Py_ssize_t>(v->buffer->bytes));
  });
}
PyObject* storage_key(PyObject* self, PyObject*) {
  return guarded(
      [&] { return PyLong_FromVoidPtr(const_cast<void*>(variable_of(self).storage_key())); });
}
PyTypeObject* subclass_of_tensor(PyObject* type) {
  if (!PyType_Check(type) || !PyType_IsSubtype(reinterpret_cast<PyTypeObject*>(type), &tensor_type))
    raise(PyExc_TypeError,
          "Creating a Tensor subclass from a class that does not inherit from Tensor is not "
          "possible. "
          "Make sure your class inherits from Tensor.");
  return reinterpret_cast<PyTypeObject*>(type);
}
PyObject* as_subclass(PyObject* self, PyObject* type) {
  return guarded([&] { return wrap_alias_as(subclass_of_tensor(type), self); });
}
// _make_subclass(cls, data, require_grad=False)
PyObject* make_subclass(PyObject*, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"cls", "data", "require_grad", nullptr};
  PyObject *type, *data;
  int requires_grad = 0;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OO!|p", const_cast<char**>(names), &type,
                                   &tensor_type, &data, &requires_grad))
    return nullptr;
  return guarded([&] {
    Object made(wrap_as(subclass_of_tensor(type), variable_of(data).detach(false)));
    if (requires_grad) require_grad_from_start(made.get());
    return made.release();
  });
}
PyObject* method_expose(PyObject* self, PyObject*) {
  return guarded([&] { return expose(self); });
}

#define FAST(f) reinterpret_cast<PyCFunction>(f), METH_FASTCALL | METH_KEYWORDS

}  // namespace

// Sizes given as a Size, or one by one as integers; false when the arguments are something else.
static bool legacy_sizes(PyObject* args, Dims& sizes) {
  PyObject* first = PyTuple_GET_ITEM(args, 0);
  const bool one = Py_TYPE(first) == reinterpret_cast<PyTypeObject*>(registered("Size"));
  if (!one && !(PyIndex_Check(first) && !is_tensor(first) && !is_foreign_array(first)))
    return false;
  PyObject* given = one ? first : args;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(given); ++i) {
    int64_t v;
    if (!to_int(PyTuple_GET_ITEM(given, i), v))
      raise(PyExc_TypeError, "new(): sizes must be ints, not %s",
            Py_TYPE(PyTuple_GET_ITEM(given, i))->tp_name);
    sizes.push(v);
  }
  return true;
}

// A tensor gives its memory, other data is copied; integers are sizes.
PyObject* legacy_tensor(PyTypeObject* type, PyObject* args, DType dtype) {
  Dims sizes;
  if (PyTuple_GET_SIZE(args) == 0) return wrap_as(type, Variable(full(Dims{0}.span(), 0, dtype)));
  if (legacy_sizes(args, sizes)) return wrap_as(type, Variable(full(sizes.span(), 0, dtype)));
  PyObject* data = PyTuple_GET_ITEM(args, 0);
  if (PyTuple_GET_SIZE(args) > 1)
    raise(PyExc_TypeError, "new() received an invalid combination of arguments");
  if (is_tensor(data)) return wrap_as(type, variable_of(data).detach(false));
  if (!PySequence_Check(data) || PyDict_Check(data))
    raise(PyExc_TypeError, "new(): data must be a sequence (got %s)", Py_TYPE(data)->tp_name);
  const Object made(tensor_from_data(data, dtype));
  return wrap_as(type, variable_of(made.get()).detach(false));
}

PyObject* tensor_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  return guarded([&] {
    PyObject* name;
    PyObject* value;
    for (Py_ssize_t at = 0; kwargs && PyDict_Next(kwargs, &at, &name, &value);) {
      if (PyUnicode_CompareWithASCIIString(name, "device") != 0)
        raise(PyExc_TypeError,
              "new() received an invalid combination of arguments - got an unexpected keyword "
              "argument '%U'",
              name);
      check_device(value);
    }
    return legacy_tensor(type, args, default_dtype());
  });
}

void write_out_result(PyObject* target, Value result, const std::string& name, const Op& op,
                      std::span<PyObject* const> read) {
  Variable& v = variable_of(target);
  if (mode.grad && (v.node()->needs_grad() || result->needs_grad()))
    fail(ErrorKind::runtime, name,
         "(): functions with out=... arguments don't support automatic differentiation, but one of "
         "the arguments requires grad.");
  const Node& shape = v.shape();
  check_distinct(shape);
  if (op.out_exact && shape.dtype != result->dtype)
    fail(ErrorKind::runtime, "Expected out tensor to have dtype ", cpp_name(result->dtype),
         ", but got ", cpp_name(shape.dtype), " instead");
  for (PyObject* t : read) check_no_overlap(target, shape, t, nullptr, op.out_apart);
  if (std::ranges::equal(shape.sizes(), result->sizes()))
    return write_result(target, std::move(result));
  if (!can_cast(result->dtype, shape.dtype))
    fail(ErrorKind::runtime, "result type ", scalar_type_name(result->dtype),
         " can't be cast to the desired output type ", scalar_type_name(shape.dtype));
  if (shape.numel() != 0 &&
      PyErr_WarnFormat(
          PyExc_UserWarning, 1,
          "An output with one or more elements was resized since it had shape %s, which "
          "does not match the required output shape %s.",
          show(shape.sizes()).c_str(), show(result->sizes()).c_str()) < 0)
    throw PythonError{};
  const Dims sizes(result->sizes());
  const Dims strides(result->layout->dense ? Dims(result->strides()) : contiguous_strides(sizes));
  v.resize(sizes.span(), strides.span(), Write::untold);
  write_result(target, std::move(result));
}

PyGetSetDef tensor_attributes[] = {
    {"shape", get_shape, nullptr, "The sizes of the dimensions.", nullptr},
    {"dtype", get_dtype, nullptr, "The type of the elements.", nullptr},
    {"device", get_device, nullptr, "Where the tensor lives: the CPU.", nullptr},
    {"layout", get_layout, nullptr, "How elements lie in memory: strided.", nullptr},
    {"ndim", get_ndim, nullptr, "The number of dimensions.", nullptr},
    {"itemsize", get_itemsize, nullptr, "Bytes of one element.", nullptr},
    {"nbytes", get_nbytes, nullptr, "Bytes of all elements.", nullptr},
    {"requires_grad", get_requires_grad, put_requires_grad, "Whether gradients are wanted.",
     nullptr},
    {"is_leaf", get_is_leaf, nullptr, "Whether gradients end here.", nullptr},
    {"grad", get_grad, put_grad, "The gradient that backward() accumulated.", nullptr},
    {"grad_fn", get_grad_fn, nullptr, "The node that gradients go to next.", nullptr},
    {"data", get_data, put_data, "The same memory without history.", nullptr},
    {"_version", get_version, nullptr, "How often the tensor was written in place.", nullptr},
    {"_base", get_base, nullptr, "The tensor that this one is a view of.", nullptr},
    {"T", get_reversed, nullptr, "A view with the dimensions in the opposite order.", nullptr},
    {"mT", get_transposed, nullptr, "A view with each matrix transposed.", const_cast<char*>("mT")},
    {"mH", get_transposed, nullptr, "A view with each matrix transposed.", const_cast<char*>("mH")},
    {"H", get_matrix_transposed, nullptr, "A view of the transposed matrix.", nullptr},
    {"is_cuda", get_false, nullptr, nullptr, nullptr},
    {"is_sparse", get_false, nullptr, nullptr, nullptr},
    {"is_quantized", get_false, nullptr, nullptr, nullptr},
    {"is_meta", get_false, nullptr, nullptr, nullptr},
    {"is_nested", get_false, nullptr, nullptr, nullptr},
    {"output_nr", get_output_nr, nullptr, nullptr, nullptr},
    {"retains_grad", get_retains_grad, nullptr, "Whether retain_grad() was called.", nullptr},
    {"_backward_hooks", backward_hooks, nullptr, nullptr, nullptr},
    {"__dict__", get_dict, set_dict, nullptr, nullptr},
    {}};

PyMethodDef tensor_methods[] = {
    {"size", FAST(size), "size(dim=None) -> Size or int\n\nThe sizes, or one of them."},
    {"stride", FAST(stride),
     "stride(dim=None) -> tuple or int\n\nElements from one index to the next."},
    {"dim", dim, METH_NOARGS, "dim() -> int\n\nThe number of dimensions."},
    {"ndimension", dim, METH_NOARGS, "ndimension() -> int\n\nThe number of dimensions."},
    {"numel", numel, METH_NOARGS, "numel() -> int\n\nThe number of elements."},
    {"nelement", numel, METH_NOARGS, "nelement() -> int\n\nThe number of elements."},
    {"element_size", element_size, METH_NOARGS, "element_size() -> int\n\nBytes of one element."},
    {"storage_offset", storage_offset, METH_NOARGS,
     "storage_offset() -> int\n\nThe first element's place."},
    {"is_contiguous", FAST(is_contiguous),
     "is_contiguous(memory_format=contiguous_format) -> bool"},
    {"is_floating_point", is_floating_point, METH_NOARGS, "is_floating_point() -> bool"},
    {"is_inference", is_inference, METH_NOARGS, "is_inference() -> bool"},
    {"_is_view", is_view, METH_NOARGS, nullptr},
    {"item", method_item, METH_NOARGS, "item() -> number\n\nThe only element as a Python number."},
    {"tolist", method_tolist, METH_NOARGS,
     "tolist() -> list or number\n\nThe elements as nested lists."},
    {"data_ptr", data_ptr, METH_NOARGS, "data_ptr() -> int\n\nThe address of the first element."},
    {"_storage_ptr", storage_ptr, METH_NOARGS, nullptr},
    {"_storage_bytes", storage_bytes, METH_NOARGS, nullptr},
    {"_storage_content", storage_content, METH_NOARGS, nullptr},
    {"_storage_key", storage_key, METH_NOARGS, nullptr},
    {"_expose", method_expose, METH_NOARGS, nullptr},
    {"as_subclass", as_subclass, METH_O,
     "as_subclass(cls) -> Tensor\n\nAn alias of the given type."},
    {"_make_subclass", reinterpret_cast<PyCFunction>(make_subclass),
     METH_VARARGS | METH_KEYWORDS | METH_STATIC, nullptr},
    {"detach", detach, METH_NOARGS, "detach() -> Tensor\n\nThe same memory without history."},
    {"detach_", detach_inplace, METH_NOARGS, "detach_() -> Tensor\n\nForgets the history."},
    {"resize_", FAST(tensor_resize),
     "resize_(*sizes, memory_format=None) -> Tensor\n\nOther sizes; the storage grows where it "
     "must."},
    {"resize_as_", FAST(tensor_resize_as),
     "resize_as_(the_template, memory_format=None) -> Tensor\n\nThe sizes of another tensor."},
    {"set_", FAST(tensor_set),
     "set_(source=None, storage_offset=0, size=None, stride=None) -> Tensor\n\n"
     "The storage of another tensor from now on."},
    {"requires_grad_", FAST(requires_grad_inplace), "requires_grad_(requires_grad=True) -> Tensor"},
    {"register_hook", register_hook, METH_O,
     "register_hook(hook) -> RemovableHandle\n\n"
     "Calls hook(grad) when the gradient of this tensor is known; it may return another."},
    {"register_post_accumulate_grad_hook", register_post_accumulate_grad_hook, METH_O,
     "register_post_accumulate_grad_hook(hook) -> RemovableHandle\n\n"
     "Calls hook(tensor) whenever .grad of this leaf was added to."},
    {"retain_grad", retain_grad, METH_NOARGS,
     "retain_grad()\n\nLets backward() fill .grad of this tensor although it is not a leaf."},
    {"backward", FAST(tensor_backward),
     "backward(gradient=None, retain_graph=None, create_graph=False, inputs=None)\n\n"
     "Accumulates the gradients of this tensor in the leaves it was computed from."},
    {}};

}  // namespace wend
