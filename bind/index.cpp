// bind/index.cpp: x[...] and x[...] = v. Numbers, slices, None and ... become views; tensors, lists
// and masks become one index op over the dimensions they stand for.
#include "bind/index.hpp"

#include "bind/args.hpp"
#include "bind/convert.hpp"
#include "bind/tensor.hpp"
#include "exec/run.hpp"
#include "graph/describe.hpp"
#include "ops/functions.hpp"

namespace wend {
namespace {

struct Indexed {
  Value part;         // after the views
  Values by_tensor;   // an index for each dimension of part, empty where the whole is meant
  bool advanced = false;
};

bool is_advanced_sequence(PyObject* o) { return PyList_Check(o); }

// How many dimensions an item of the index uses up.
int consumed(PyObject* item) {
  if (item == Py_None || item == Py_Ellipsis || PyBool_Check(item)) return 0;
  if (is_tensor(item)) {
    const Node& n = variable_of(item).shape();
    if (n.dtype == DType::bool_) return n.ndim();
    return 1;
  }
  return 1;
}

class Indexer {
 public:
  explicit Indexer(Value self) { out_.part = std::move(self); }

  Indexed apply(PyObject* index) {
    if (PyTuple_Check(index)) {
      int used = 0;
      for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(index); ++i)
        used += consumed_by(PyTuple_GET_ITEM(index, i));
      const int have = out_.part->ndim();
      if (used > have)
        fail(ErrorKind::index, "too many indices for tensor of dimension ", have);
      rest_ = have - used;
      for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(index); ++i) item(PyTuple_GET_ITEM(index, i));
    } else {
      rest_ = out_.part->ndim() - consumed_by(index);
      if (rest_ < 0)
        fail(ErrorKind::index, out_.part->ndim() == 0 && PyLong_Check(index)
                                   ? "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or "
                                     "`tensor.item<T>()` in C++ to convert a 0-dim tensor to a number"
                                   : join("too many indices for tensor of dimension ",
                                          out_.part->ndim()));
      item(index);
    }
    out_.by_tensor.resize(std::max<size_t>(out_.by_tensor.size(), out_.part->ndim()));
    return std::move(out_);
  }

 private:
  int consumed_by(PyObject* o) {
    if (is_advanced_sequence(o)) {
      const Object t = sequence_tensor(o);
      return consumed(t.get());
    }
    return consumed(o);
  }

  static Object sequence_tensor(PyObject* o) { return Object(tensor_from_data(o)); }

  void item(PyObject* o) {
    if (o == Py_None) {
      out_.part = unsqueeze(out_.part, dim_++);
    } else if (o == Py_Ellipsis) {
      dim_ += rest_;
      rest_ = 0;
    } else if (PyBool_Check(o)) {
      boolean(o == Py_True);
    } else if (PySlice_Check(o)) {
      slice_item(o);
    } else if (is_tensor(o)) {
      tensor_item(variable_of(o).value());
    } else if (PyLong_Check(o)) {
      integer(o);
    } else if (is_advanced_sequence(o) || is_foreign_array(o)) {
      const Object t = sequence_tensor(o);
      tensor_item(variable_of(t.get()).value());
    } else if (PyIndex_Check(o)) {
      integer(o);
    } else {
      raise(PyExc_IndexError,
            "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid "
            "indices (got %s)",
            Py_TYPE(o)->tp_name);
    }
  }

  void integer(PyObject* o) {
    int64_t i;
    if (!to_int(o, i)) raise(PyExc_TypeError, "indices must be integers");
    const int64_t size = out_.part->size(dim_);
    if (i < -size || i >= size)
      fail(ErrorKind::index, "index ", i, " is out of bounds for dimension ", dim_, " with size ", size);
    out_.part = select(out_.part, dim_, i);
  }

  void slice_item(PyObject* o) {
    auto* s = reinterpret_cast<PySliceObject*>(o);
    int64_t start = 0, stop = INT64_MAX, step = 1;
    auto read = [](PyObject* v, int64_t& to) {
      if (v != Py_None && !to_int(v, to))
        raise(PyExc_TypeError, "slice indices must be integers or None or have an __index__ method");
    };
    read(s->start, start);
    read(s->stop, stop);
    read(s->step, step);
    if (step <= 0) fail(ErrorKind::value, "step must be greater than zero");
    if (start == 0 && step == 1 && stop >= out_.part->size(dim_)) {
      // The whole dimension: a view of everything still is a view.
      if (!viewed_) out_.part = slice(out_.part, dim_, 0, INT64_MAX, 1);
    } else {
      out_.part = slice(out_.part, dim_, start, stop, step);
    }
    viewed_ = true;
    ++dim_;
  }

  void boolean(bool v) {
    out_.part = unsqueeze(out_.part, dim_);
    tensor_item(full(Dims{1}.span(), number(v), DType::bool_));
  }

  void tensor_item(Value t) {
    if (t->ndim() == 0 && is_integral(t->dtype)) {
      observe(t);
      const Value fresh = t;
      const int64_t i = int_of(*fresh), size = out_.part->size(dim_);
      if (i < -size || i >= size)
        fail(ErrorKind::index, "index ", i, " is out of bounds for dimension ", dim_, " with size ", size);
      out_.part = select(out_.part, dim_, i);
      return;
    }
    out_.advanced = true;
    if (t->dtype == DType::bool_ || t->dtype == DType::uint8) return mask(t);
    if (!is_integral(t->dtype))
      fail(ErrorKind::index, "tensors used as indices must be long, int, byte or bool tensors");
    put(dim_++, std::move(t));
  }

  void mask(const Value& t) {
    for (int i = 0; i < t->ndim(); ++i)
      if (t->size(i) != out_.part->size(dim_ + i))
        fail(ErrorKind::index, "The shape of the mask ", show(t->sizes()), " at index ", i,
             " does not match the shape of the indexed tensor ", show(out_.part->sizes()), " at index ",
             dim_ + i);
    if (t->ndim() == 0) {
      out_.part = unsqueeze(out_.part, dim_);
      for (Value& v : nonzero_indices(reshape(t, Dims{1}))) put(dim_++, std::move(v));
      return;
    }
    for (Value& v : nonzero_indices(t)) put(dim_++, std::move(v));
  }

  void put(int dim, Value v) {
    if (static_cast<int>(out_.by_tensor.size()) <= dim) out_.by_tensor.resize(dim + 1);
    out_.by_tensor[dim] = std::move(v);
  }

  Indexed out_;
  int dim_ = 0;
  int rest_ = 0;
  bool viewed_ = false;
};

// A value to be written: converted, and without leading dimensions of size 1 that the target lacks.
Value to_write(PyObject* o, DType dtype, int ndim) {
  Value v = operand(o);
  if (!v) {
    const Object t(tensor_from_data(o));
    v = variable_of(t.get()).value();
  }
  v = cast(v, dtype);
  while (v->ndim() > ndim && v->size(0) == 1) v = squeeze(v, Dims{0}.span());
  return v;
}

void write_part(PyObject* self, const Indexed& at, PyObject* value) {
  Variable& v = variable_of(self);
  const bool whole = at.part.get() == v.node();
  Variable view = whole ? Variable() : v.view(at.part);
  Variable& target = whole ? v : view;
  const Node& shape = target.shape();
  if (at.advanced) {
    target.write(index_put(at.part, at.by_tensor, to_write(value, shape.dtype, 32), false));
    return;
  }
  const Value source = to_write(value, shape.dtype, shape.ndim());
  const bool same = std::ranges::equal(source->sizes(), shape.sizes());
  const Value part = same ? source : expand(source, shape.sizes());
  // A part is written into the storage; all of it would be the source itself, with its history.
  target.write(shape.numel() == v.shape().numel() ? copied_over(target.value(), part) : part);
}

Value item_of(const Value& whole, PyObject* index) {
  Indexed at = Indexer(whole).apply(index);
  if (at.advanced) return wend::index(at.part, at.by_tensor);
  return at.part.get() == whole.get() ? alias(whole) : std::move(at.part);
}

struct Iterator {
  PyObject_HEAD
  PyObject* tensor;
  int64_t next, size;
};

void iterator_dealloc(PyObject* self) {
  Py_DECREF(reinterpret_cast<Iterator*>(self)->tensor);
  PyObject_Free(self);
}

PyObject* iterator_next(PyObject* self) {
  auto* it = reinterpret_cast<Iterator*>(self);
  if (it->next >= it->size) return nullptr;
  return guarded([&] {
    Value row = select(variable_of(it->tensor).value(), 0, it->next++);
    PyObject* t = wrap_result(std::move(row), std::span(&it->tensor, 1), true);
    return t;
  });
}

PyTypeObject* iterator_type() {
  static PyTypeObject t = {PyVarObject_HEAD_INIT(nullptr, 0)};
  if (!t.tp_name) {
    t.tp_name = "wend.TensorIterator";
    t.tp_basicsize = sizeof(Iterator);
    t.tp_flags = Py_TPFLAGS_DEFAULT;
    t.tp_dealloc = iterator_dealloc;
    t.tp_iter = PyObject_SelfIter;
    t.tp_iternext = iterator_next;
    check(PyType_Ready(&t));
  }
  return &t;
}

}  // namespace

Py_ssize_t tensor_length(PyObject* self) {
  const Node& n = variable_of(self).shape();
  if (n.ndim() == 0) {
    PyErr_SetString(PyExc_TypeError, "len() of a 0-d tensor");
    return -1;
  }
  return static_cast<Py_ssize_t>(n.size(0));
}

PyObject* tensor_get_item(PyObject* self, PyObject* index) {
  return guarded([&] {
    const Value whole = variable_of(self).value();
    Value result = located([&] { return "getitem(input: " + describe_tensor(*whole) + ")"; },
                           [&] { return item_of(whole, index); });
    bound_laziness();
    return wrap_result(std::move(result), std::span(&self, 1));
  });
}

int tensor_set_item(PyObject* self, PyObject* index, PyObject* value) {
  return guarded(
      [&] {
        if (!value) raise(PyExc_TypeError, "Tensor does not support deleting items");
        const Value whole = variable_of(self).value();
        located([&] { return "setitem(input: " + describe_tensor(*whole) + ")"; },
                [&] {
                  check_writable(self);
                  write_part(self, Indexer(whole).apply(index), value);
                });
        bound_laziness();
        return 0;
      },
      -1);
}

PyObject* tensor_iterate(PyObject* self) {
  return guarded([&] {
    const Node& n = variable_of(self).shape();
    if (n.ndim() == 0) raise(PyExc_TypeError, "iteration over a 0-d tensor");
    auto* it = PyObject_New(Iterator, iterator_type());
    if (!it) throw PythonError{};
    it->tensor = Py_NewRef(self);
    it->next = 0;
    it->size = n.size(0);
    return reinterpret_cast<PyObject*>(it);
  });
}

}  // namespace wend
