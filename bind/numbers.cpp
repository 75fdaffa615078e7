// bind/numbers.cpp: operators of the Tensor type, straight to the elementwise list, and conversion
// to Python's numbers, which reads.
#include "bind/numbers.hpp"

#include "bind/convert.hpp"
#include "bind/interop.hpp"
#include "bind/tensor.hpp"
#include "exec/run.hpp"
#include "graph/describe.hpp"
#include "kernels/elementwise.hpp"
#include "ops/families.hpp"
#include "ops/functions.hpp"

namespace wend {
namespace {

const Op& op_of(Elementwise id) { return elementwise_ops()[static_cast<int>(id)]; }

// An error says which operator call it comes from.
inline Value recorded(const Op& op, std::span<Value> in) {
  return located([&] { return describe_call(op, in, {}); }, [&] { return record(op, in); });
}

// Tensors among the operands may be subclasses with their own reflected methods; Python has tried
// those before it comes here.
template <Elementwise kId>
PyObject* binary(PyObject* a, PyObject* b) {
  return guarded([&]() -> PyObject* {
    Value in[2] = {operand(a, b), operand(b, a)};
    if (!in[0] || !in[1]) return Py_NewRef(Py_NotImplemented);
    return wrap(recorded(op_of(kId), in));
  });
}

template <Elementwise kId>
PyObject* inplace(PyObject* self, PyObject* other) {
  return guarded([&]() -> PyObject* {
    const WritingInPlace writing(is_tensor(self) ? &variable_of(self) : nullptr);
    Value number = operand(other, self);  // to read it may call user code
    if (!number) return Py_NewRef(Py_NotImplemented);
    Value in[2] = {operand(self), std::move(number)};
    located([&] { return describe_call(op_of(kId), in, {}); },
            [&] {
              check_writable(self, in[1]->needs_grad());
              check_distinct(variable_of(self).shape());
              check_no_overlap(self, variable_of(self).shape(), other);
              write_result(self, record(op_of(kId), in));
            });
    return Py_NewRef(self);
  });
}

template <Elementwise kId>
PyObject* unary(PyObject* a) {
  return guarded([&] {
    Value in[1] = {operand(a)};
    return wrap(recorded(op_of(kId), in));
  });
}

PyObject* invert(PyObject* a) {
  return guarded([&] {
    if (is_floating(variable_of(a).shape().dtype))
      fail(ErrorKind::type,
           "~ (operator.invert) is only implemented on integer and Boolean-type tensors");
    return unary<Elementwise::bitwise_not>(a);
  });
}

PyObject* power(PyObject* a, PyObject* b, PyObject*) { return binary<Elementwise::pow>(a, b); }
PyObject* inplace_power(PyObject* a, PyObject* b, PyObject*) {
  return inplace<Elementwise::pow>(a, b);
}

PyObject* matrix_product(PyObject* a, PyObject* b) {
  return guarded([&]() -> PyObject* {
    if (!is_tensor(a) || !is_tensor(b)) return Py_NewRef(Py_NotImplemented);
    Value in[2] = {variable_of(a).value(), variable_of(b).value()};
    auto call = [&] {
      const Arg args[2] = {Arg::of(variable_of(a).node()), Arg::of(variable_of(b).node())};
      return describe_call("matmul", "(Tensor input, Tensor other) -> Tensor", args);
    };
    return wrap(located(call, [&] { return matmul(in); }));
  });
}

// NumPy leaves the quotient of an array by a tensor to us, and the product of the two to nobody.
PyObject* divide(PyObject* a, PyObject* b) {
  if (!is_foreign_array(a)) return binary<Elementwise::div>(a, b);
  return guarded([&] {
    const Object inverse(unary<Elementwise::reciprocal>(b));
    return PyNumber_Multiply(inverse.get(), a);
  });
}

PyObject* positive(PyObject* a) { return Py_NewRef(a); }

Arg only_element(PyObject* self) {
  Variable& v = variable_of(self);
  if (v.shape().numel() != 1)
    fail(ErrorKind::value, "only one element tensors can be converted to Python scalars");
  return read_number(v.value());
}

int truth(PyObject* self) {
  return guarded(
      [&] {
        Variable& v = variable_of(self);
        const int64_t n = v.shape().numel();
        if (n != 1)
          fail(ErrorKind::runtime, "Boolean value of Tensor with ",
               n ? "more than one value" : "no values", " is ambiguous");
        return static_cast<int>(read_truth(v.value()));
      },
      -1);
}

PyObject* to_float(PyObject* self) {
  return guarded([&] { return PyFloat_FromDouble(only_element(self).as_real()); });
}

PyObject* to_int(PyObject* self) {
  return guarded([&] {
    const Arg element = only_element(self);
    return element.kind == Arg::real ? PyLong_FromDouble(element.d)
                                     : PyLong_FromLongLong(element.as_int());
  });
}

PyObject* to_index(PyObject* self) {
  return guarded([&] {
    const Node& shape = variable_of(self).shape();
    if (is_floating(shape.dtype) || shape.numel() != 1)
      raise(PyExc_TypeError,
            "only integer tensors of a single element can be converted to an index");
    return PyLong_FromLongLong(only_element(self).as_int());
  });
}

}  // namespace

PyNumberMethods tensor_as_number = {
    .nb_add = binary<Elementwise::add>,
    .nb_subtract = binary<Elementwise::sub>,
    .nb_multiply = binary<Elementwise::mul>,
    .nb_remainder = binary<Elementwise::remainder>,
    .nb_power = power,
    .nb_negative = unary<Elementwise::neg>,
    .nb_positive = positive,
    .nb_absolute = unary<Elementwise::abs>,
    .nb_bool = truth,
    .nb_invert = invert,
    .nb_lshift = binary<Elementwise::bitwise_left_shift>,
    .nb_rshift = binary<Elementwise::bitwise_right_shift>,
    .nb_and = binary<Elementwise::bitwise_and>,
    .nb_xor = binary<Elementwise::bitwise_xor>,
    .nb_or = binary<Elementwise::bitwise_or>,
    .nb_int = to_int,
    .nb_float = to_float,
    .nb_inplace_add = inplace<Elementwise::add>,
    .nb_inplace_subtract = inplace<Elementwise::sub>,
    .nb_inplace_multiply = inplace<Elementwise::mul>,
    .nb_inplace_remainder = inplace<Elementwise::remainder>,
    .nb_inplace_power = inplace_power,
    .nb_inplace_lshift = inplace<Elementwise::bitwise_left_shift>,
    .nb_inplace_rshift = inplace<Elementwise::bitwise_right_shift>,
    .nb_inplace_and = inplace<Elementwise::bitwise_and>,
    .nb_inplace_xor = inplace<Elementwise::bitwise_xor>,
    .nb_inplace_or = inplace<Elementwise::bitwise_or>,
    .nb_floor_divide = binary<Elementwise::floor_divide>,
    .nb_true_divide = divide,
    .nb_inplace_floor_divide = inplace<Elementwise::floor_divide>,
    .nb_inplace_true_divide = inplace<Elementwise::div>,
    .nb_index = to_index,
    .nb_matrix_multiply = matrix_product,
};

// NumPy leaves this comparison to us; of the others it knows nothing either.
static PyObject* equal_to_array(PyObject* a, PyObject* array) {
  return guarded([&] {
    const Object b(tensor_over_buffer(array));
    return binary<Elementwise::eq>(a, b.get());
  });
}

PyObject* tensor_compare(PyObject* a, PyObject* b, int op) {
  switch (op) {
    case Py_LT:
      return binary<Elementwise::lt>(a, b);
    case Py_LE:
      return binary<Elementwise::le>(a, b);
    case Py_EQ:
      if (is_foreign_array(b)) return equal_to_array(a, b);
      return binary<Elementwise::eq>(a, b);
    case Py_NE:
      return binary<Elementwise::ne>(a, b);
    case Py_GT:
      return binary<Elementwise::gt>(a, b);
    default:
      return binary<Elementwise::ge>(a, b);
  }
}

}  // namespace wend
