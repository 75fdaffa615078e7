// bind/index.cpp: x[...] and x[...] = v. Numbers, slices, None and ... become views; tensors, lists
// and masks become one index op over the dimensions they stand for.
#include "bind/index.hpp"

#include <algorithm>

#include "bind/args.hpp"
#include "bind/convert.hpp"
#include "bind/tensor.hpp"
#include "exec/run.hpp"
#include "graph/describe.hpp"
#include "ops/functions.hpp"

namespace wend {
namespace {

bool is_mask(const Node& n) { return n.dtype == DType::bool_ || n.dtype == DType::uint8; }

// An index tensor for one dimension, or a mask for several from there on.
struct Chosen {
  int dim;
  Value by;
};

// What an index comes to: a view of the tensor, and what is left to choose from it.
struct Indexed {
  Value part;
  std::vector<Chosen> chosen;
};

bool is_scalar_bool(PyObject* o) { return o == Py_True || o == Py_False; }

bool is_sequence(PyObject* o) { return PySequence_Check(o) && !is_tensor(o); }

// Lists of what would be an index each are taken as a tuple, as NumPy once did.
bool stands_for_tuple(PyObject* o) {
  if (!PyList_Check(o) || PyList_GET_SIZE(o) >= 32) return false;
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(o); ++i) {
    PyObject* item = PyList_GET_ITEM(o, i);
    if (is_tensor(item) || PySequence_Check(item) || PySlice_Check(item) || item == Py_Ellipsis ||
        item == Py_None)
      return true;
  }
  return false;
}

// A list, range or array as an index tensor: a mask stays one, numbers become integers.
Value sequence_value(PyObject* o) {
  if (PyUnicode_Check(o) || PyBytes_Check(o))
    raise(PyExc_TypeError, "new(): invalid data type '%s'", Py_TYPE(o)->tp_name);
  const Object t(tensor_from_data(o));
  Value v = variable_of(t.get()).value();
  return is_mask(*v) ? v : cast(v, DType::int64);
}

class Indexer {
 public:
  explicit Indexer(Value self) { out_.part = std::move(self); }

  Indexed apply(PyObject* index) {
    if (PyTuple_Check(index)) {
      items(&PyTuple_GET_ITEM(index, 0), PyTuple_GET_SIZE(index));
    } else if (stands_for_tuple(index)) {
      items(PySequence_Fast_ITEMS(index), PyList_GET_SIZE(index));
    } else {
      items(&index, 1);
    }
    return std::move(out_);
  }

 private:
  void items(PyObject* const* list, Py_ssize_t n) {
    int used = 0;
    for (Py_ssize_t i = 0; i < n; ++i) used += consumed(list[i]);
    const int have = out_.part->ndim();
    if (used > have && !(n == 1 && have == 0 && (PyLong_Check(list[0]) || PySlice_Check(list[0]))))
      fail(ErrorKind::index, "too many indices for tensor of dimension ", have);
    rest_ = have - used;
    for (Py_ssize_t i = 0; i < n; ++i) item(list[i]);
  }

  // How many dimensions an item of the index uses up.
  int consumed(PyObject* o) {
    if (PyLong_CheckExact(o) || PySlice_Check(o)) return 1;
    if (o == Py_None || o == Py_Ellipsis || is_scalar_bool(o)) return 0;
    if (is_tensor(o)) return dims_of(variable_of(o).shape());
    if (!is_sequence(o)) return 1;
    sequences_.push_back(sequence_value(o));
    return dims_of(*sequences_.back());
  }

  static int dims_of(const Node& n) { return is_mask(n) ? n.ndim() : 1; }

  void item(PyObject* o) {
    if (PyLong_CheckExact(o)) {
      integer(o);
    } else if (PySlice_Check(o)) {
      slice_item(o);
    } else if (o == Py_None) {
      out_.part = unsqueeze(out_.part, dim_++);
    } else if (o == Py_Ellipsis) {
      skip(std::exchange(rest_, 0));
    } else if (is_scalar_bool(o)) {
      boolean(o == Py_True);
    } else if (is_tensor(o)) {
      tensor_item(variable_of(o).value());
    } else if (is_sequence(o)) {
      tensor_item(sequences_[next_sequence_++]);
    } else if (PyIndex_Check(o)) {
      integer(o);
    } else {
      raise(PyExc_IndexError,
            "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are "
            "valid indices (got %s)",
            Py_TYPE(o)->tp_name);
    }
  }

  void skip(int n) {
    dim_ += n;
    given_ += n;
  }

  void integer(PyObject* o) {
    int overflow;
    const Object number(PyLong_CheckExact(o) ? Py_NewRef(o) : PyNumber_Index(o));
    const int64_t i = PyLong_AsLongLongAndOverflow(number.get(), &overflow);
    if (overflow) fail(ErrorKind::value, "Overflow when unpacking long long");
    select_item(i);
  }

  void select_item(int64_t i) {
    const bool none = out_.part->ndim() == 0;
    if (none && i == 0)
      fail(
          ErrorKind::index,
          "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in "
          "C++ to convert a 0-dim tensor to a number");
    const int64_t size = none ? 0 : out_.part->size(dim_);
    if (i < -size || i >= size)
      fail(ErrorKind::index, "index ", i, " is out of bounds for dimension ", given_, " with size ",
           size);
    out_.part = select(out_.part, dim_, i);
    ++given_;
  }

  void slice_item(PyObject* o) {
    Py_ssize_t start, stop, step;
    check(PySlice_Unpack(o, &start, &stop, &step));
    if (step <= 0) fail(ErrorKind::value, "step must be greater than zero");
    const bool whole =
        start == 0 && step == 1 && out_.part->ndim() > dim_ && stop >= out_.part->size(dim_);
    if (!whole) out_.part = slice(out_.part, dim_, start, stop, step);
    skip(1);
  }

  // True keeps everything, in a new dimension; False keeps nothing.
  void boolean(bool keep) {
    out_.part = unsqueeze(out_.part, dim_);
    out_.chosen.push_back({dim_++, full(Dims{keep}.span(), 0, DType::int64)});
  }

  void tensor_item(Value t) {
    if (t->ndim() == 0 && !is_floating(t->dtype)) {
      if (is_mask(*t)) return boolean(read_truth(t));
      return select_item(read_number(t).as_int());
    }
    if (!is_mask(*t) && t->dtype != DType::int64 && t->dtype != DType::int32)
      fail(ErrorKind::index, "tensors used as indices must be long, int, byte or bool tensors");
    const int dims = dims_of(*t);
    out_.chosen.push_back({dim_, std::move(t)});
    skip(dims);
  }

  Indexed out_;
  Values sequences_;  // those among the items, as tensors
  size_t next_sequence_ = 0;
  int dim_ = 0;    // of the part
  int given_ = 0;  // of the tensor, as messages count
  int rest_ = 0;
};

void check_mask(const Node& mask, const Node& part, int dim) {
  for (int i = 0; i < mask.ndim(); ++i)
    if (mask.size(i) != part.size(dim + i))
      fail(ErrorKind::index, "The shape of the mask ", show(mask.sizes()), " at index ", i,
           " does not match the shape of the indexed tensor ", show(part.sizes()), " at index ",
           dim + i);
}

// Masks become lists of positions in the dimensions they stand for, folded into one.
// Gives an index for each dimension of the part, empty where the whole is meant.
Values index_tensors(Indexed& at) {
  for (const Chosen& c : at.chosen)
    if (is_mask(*c.by)) check_mask(*c.by, *at.part, c.dim);
  for (size_t k = at.chosen.size(); k-- > 0;) {
    Chosen& c = at.chosen[k];
    if (!is_mask(*c.by)) continue;
    const int n = c.by->ndim();
    Dims sizes(at.part->sizes());
    for (int i = 1; i < n; ++i) {
      sizes[c.dim] *= sizes[c.dim + 1];
      sizes.erase(c.dim + 1);
    }
    if (n > 1) at.part = reshape(at.part, sizes);
    c.by = nonzero_indices(reshape(c.by, Dims{-1}))[0];
    for (size_t later = k + 1; later < at.chosen.size(); ++later) at.chosen[later].dim -= n - 1;
  }
  Values list(at.part->ndim());
  for (Chosen& c : at.chosen) list[c.dim] = std::move(c.by);
  return list;
}

Value read(Indexed at) {
  if (at.chosen.empty()) return std::move(at.part);
  const Values list = index_tensors(at);
  return wend::index(at.part, list);
}

// A value to be written, and whether it was a number, which takes any dtype.
struct Source {
  Value value;
  bool number;
};

Source source_of(PyObject* o, DType dtype) {
  if (is_tensor(o)) return {variable_of(o).value(), false};
  if (!PyFloat_Check(o) && !PyLong_Check(o))
    raise(PyExc_TypeError, "can't assign a %s to a torch.%sTensor", Py_TYPE(o)->tp_name,
          scalar_type_name(dtype));
  const Value v = operand(o);
  return {is_floating(v->dtype) ? constant(real_of(*v), dtype) : constant(int_of(*v), dtype), true};
}

// Without the leading dimensions of size 1, which count for nothing.
Value without_leading_ones(const Value& v) {
  int ones = 0;
  while (ones < v->ndim() && v->size(ones) == 1) ++ones;
  return ones ? reshape(v, Dims(v->sizes().subspan(ones))) : v;
}

// One element for all that a mask chooses: nobody needs to know where they are.
bool fills_mask(const Indexed& at, const Value& value) {
  return at.chosen.size() == 1 && is_mask(*at.chosen[0].by) && value->numel() == 1;
}

Value filled_by_mask(const Indexed& at, const Value& value) {
  const auto& [dim, by] = at.chosen[0];
  check_mask(*by, *at.part, dim);
  Dims sizes(by->sizes());
  while (sizes.n < at.part->ndim() - dim) sizes.push(1);
  const Value mask = reshape(by->dtype == DType::bool_ ? by : ne(by, 0), sizes);
  return masked_fill(at.part, mask, reshape(value, Dims{}));
}

Value with_chosen_replaced(Indexed& at, const Source& source) {
  const Dims sizes(at.part->sizes());
  if (fills_mask(at, source.value)) return filled_by_mask(at, source.value);
  const Values list = index_tensors(at);
  return reshape(index_put(at.part, list, without_leading_ones(source.value), false), sizes);
}

// The value as all of the part.
Value as_part(const Node& part, const Value& value) {
  const bool same = std::ranges::equal(value->sizes(), part.sizes());
  return same ? value : expand(without_leading_ones(value), part.sizes());
}

void write_part(PyObject* self, Indexed at, PyObject* value) {
  Variable& v = variable_of(self);
  const Source source = source_of(value, at.part->dtype);
  const bool whole = at.part.get() == v.node();
  Variable view = whole ? Variable() : v.view(at.part);
  Variable& target = whole ? v : view;
  if (!at.chosen.empty()) {
    if (!fills_mask(at, source.value))
      check_no_overlap(self, *at.part, value, source.value.get(), true);
    return target.write(with_chosen_replaced(at, source));
  }
  const Value wide = as_part(*at.part, source.value);
  if (source.value->ndim()) check_no_overlap(self, *at.part, value, wide.get());
  static const Op& copy = op_named("copy");
  target.write(whole ? record(copy, {at.part, wide}, {Arg::of(false)}) : wide);
}

struct Iterator {
  PyObject_HEAD PyObject* tensor;
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
    static const Op& op = op_named("unbind_part");
    Value row = record(op, {variable_of(it->tensor).value()}, {Arg::of(0), Arg::of(it->next++)});
    return wrap_result(std::move(row), std::span(&it->tensor, 1), true);
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
                           [&] { return read(Indexer(whole).apply(index)); });
    if (result.get() == whole.get()) result = alias(whole);
    return wrap_result(std::move(result), std::span(&self, 1));
  });
}

int tensor_set_item(PyObject* self, PyObject* index, PyObject* value) {
  return guarded(
      [&] {
        if (!value) raise(PyExc_TypeError, "Tensor does not support deleting items");
        const WritingInPlace writing(&variable_of(self));
        const Value whole = variable_of(self).value();
        located([&] { return "setitem(input: " + describe_tensor(*whole) + ")"; },
                [&] {
                  const Indexed at = Indexer(whole).apply(index);
                  const bool gradient = is_tensor(value) && variable_of(value).node()->needs_grad();
                  check_distinct(*at.part);
                  check_writable(self, gradient, at.part.get() != whole.get());
                  write_part(self, at, value);
                });
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
