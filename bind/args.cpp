// bind/args.cpp: Python arguments to the arguments of an op: by position or keyword, sizes as a
// list or one by one, numbers or tensors, as PyTorch takes them.
#include "bind/args.hpp"

#include <bit>

#include "bind/convert.hpp"
#include "bind/types.hpp"
#include "exec/run.hpp"
#include "graph/record.hpp"

namespace wend {

bool to_int(PyObject* o, int64_t& out) {
  if (PyLong_CheckExact(o)) {
    int overflow;
    out = PyLong_AsLongLongAndOverflow(o, &overflow);
    if (overflow) fail(ErrorKind::value, "Overflow when unpacking long long");
    return true;
  }
  if (PyFloat_Check(o) || PyUnicode_Check(o) || o == Py_None) return false;
  if (is_tensor(o)) {
    const Node& shape = variable_of(o).shape();
    if (is_floating(shape.dtype) || shape.dtype == DType::bool_ || shape.numel() != 1) return false;
  }
  if (!PyIndex_Check(o)) return false;
  PyObject* index = PyNumber_Index(o);
  if (!index) {
    PyErr_Clear();
    return false;
  }
  const Object owned(index);
  return to_int(index, out);
}

bool to_real(PyObject* o, double& out) {
  if (PyFloat_CheckExact(o)) {
    out = PyFloat_AS_DOUBLE(o);
    return true;
  }
  if (PyUnicode_Check(o) || PySequence_Check(o)) return false;
  if (is_tensor(o) && variable_of(o).shape().numel() != 1) return false;
  if (!PyNumber_Check(o)) return false;
  out = PyFloat_AsDouble(o);
  if (out == -1 && PyErr_Occurred()) {
    PyErr_Clear();
    return false;
  }
  return true;
}

// Names in programs are interned, so that most are found, or not, without reading them.
int find_parameter(const Signature& s, PyObject* name) {
  const int n = s.n_params;
  for (int i = 0; i < n; ++i)
    if (s.params[i].interned == name) return i;
  const bool interned = PyUnicode_CHECK_INTERNED(name);
  const auto same = [&](PyObject* known) {
    return known == name || (!interned && PyUnicode_Compare(known, name) == 0);
  };
  for (int i = 0; i < n; ++i) {
    if (!interned && same(s.params[i].interned)) return i;
    for (PyObject* const* also = s.params[i].also; *also; ++also)
      if (same(*also)) return i;
  }
  return -1;
}

namespace {

class Parser {
 public:
  Parser(const Signature& s, ParsedArgs& out, WhyNot* why) : s_(s), out_(out), why_(why) {}

  bool parse(PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
    const int n = s_.n_params;
    const bool varargs = s_.varargs && nargs >= s_.positional && begins_numbers(args);
    if (nargs > s_.positional && !varargs) return too_many(nargs);
    const int by_position = varargs ? s_.positional - 1 : static_cast<int>(nargs);
    by_position_ = by_position;
    Named named;
    if (kwnames && !take_keywords(args + nargs, kwnames, varargs, by_position, named)) return false;
    // To read a number may call user code, which may write tensors and change lists: tensors are
    // read when all numbers are.
    for (int i = 0; i < by_position; ++i)
      if (!is_read_last(i, args[i]) && !convert(i, args[i])) return false;
    int next = by_position;
    if (varargs) {
      const auto item = [&](Py_ssize_t k) { return Object::borrowed(args[next + k]); };
      if (!integers(s_.params[next], nargs - next, item, out_.args[next])) return false;
      ++next;
    }
    for (int i = next; i < n; ++i) out_.args[i] = s_.defaults[i];
    // What is left are those that were named, and those whose default is not all there is to it.
    const uint32_t rest = (1u << n) - (1u << next);
    for (uint32_t at = named.which | (rest & ~s_.may_lack); at; at &= at - 1) {
      const int i = std::countr_zero(at);
      if (!named.has(i) ? !leave_out(i, named)
                        : !is_read_last(i, named.values[i]) && !convert(i, named.values[i]))
        return false;
    }
    for (int i = 0; i < by_position; ++i)
      if (is_read_last(i, args[i]) && !convert(i, args[i])) return false;
    for (uint32_t at = named.which; at; at &= at - 1) {
      const int i = std::countr_zero(at);
      if (is_read_last(i, named.values[i]) && !convert(i, named.values[i])) return false;
    }
    return true;
  }

 private:
  // What was given by keyword.
  struct Named {
    uint32_t which = 0;  // bit i: parameter i, ...
    PyObject* values[kMaxParams];
    bool has(int i) const { return which >> i & 1; }
  };

  template <class... Parts>
  bool no(const Parts&... parts) {
    if (why_) why_->text = join(parts...);
    return false;
  }

  bool too_many(Py_ssize_t nargs) {
    if (!why_) return false;
    int least = 0;
    for (int i = 0; i < s_.positional; ++i) least += !s_.params[i].has_default;
    const int own = why_->own, most = s_.positional - own;
    const auto n = nargs - own;
    if (least - own != most)
      return no("takes from ", least - own, " to ", most, " positional arguments but ", n,
                n == 1 ? " was given" : " were given");
    return no("takes ", most,
              most == 1 ? " positional argument but " : " positional arguments but ", n,
              n == 1 ? " was given" : " were given");
  }

  bool missing(int from, const Named& named) {
    if (!why_) return false;
    std::string names;
    int n = 0;
    for (int i = from; i < s_.n_params; ++i) {
      if (named.has(i) || s_.params[i].has_default) continue;
      names += join(n++ ? ", " : "", '"', s_.params[i].name, '"');
    }
    return no("missing ", n, " required positional arguments: ", names);
  }

  bool take_keywords(PyObject* const* values, PyObject* kwnames, bool varargs, int by_position,
                     Named& named) {
    for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(kwnames); ++k) {
      PyObject* name = PyTuple_GET_ITEM(kwnames, k);
      const int at = find_parameter(s_, name);
      if (at < 0 && s_.takes_out && is_out(name)) {
        if (!take_out(values[k])) return false;
        continue;
      }
      if (at < 0) return no("got an unexpected keyword argument '", PyUnicode_AsUTF8(name), "'");
      if (at < by_position || named.has(at) || (varargs && at == by_position))
        return no("got multiple values for argument '", s_.params[at].name, "'");
      named.which |= 1u << at;
      named.values[at] = values[k];
    }
    return true;
  }

  // True iff the numbers of the list that comes last are given one by one.
  bool begins_numbers(PyObject* const* args) const {
    PyObject* first = args[s_.positional - 1];
    return PyLong_Check(first) || (PyIndex_Check(first) && !PySequence_Check(first)) ||
           (is_tensor(first) && variable_of(first).shape().ndim() == 0);
  }

  static bool is_out(PyObject* name) { return PyUnicode_CompareWithASCIIString(name, "out") == 0; }

  bool take_out(PyObject* o) {
    const bool fits = s_.names_results ? PyTuple_Check(o) || PyList_Check(o) : is_tensor(o);
    if (!fits && o != Py_None)
      return no("argument 'out' must be ", s_.names_results ? "tuple of Tensors" : "Tensor",
                ", not ", Py_TYPE(o)->tp_name);
    out_.out = o;
    return true;
  }

  // Of a parameter that must be given, or whose default is a number that stands for a tensor.
  bool leave_out(int i, const Named& named) {
    if (!s_.params[i].has_default) return missing(i, named);
    Arg& arg = out_.args[i];
    if (arg.is_number()) hold_number(arg);
    return true;
  }

  // Tensors, and lists of them.
  bool is_read_last(int i, PyObject* o) const {
    const Type type = s_.params[i].type;
    if (type == Type::tensors) return PyList_Check(o) || PyTuple_Check(o);
    return (type == Type::tensor || type == Type::operand) && is_tensor(o);
  }

  bool convert(int i, PyObject* o) {
    const Param& p = s_.params[i];
    Arg& arg = out_.args[i];
    if (p.type == Type::tensor && Py_TYPE(o) == &tensor_type) [[likely]] {
      arg = Arg::of(variable_of(o).node());
      add_tensor(o);
      return true;
    }
    arg = Arg();
    if (o == Py_None && (p.optional || p.type >= Type::device)) return true;
    if (convert_to(p, o, arg)) return true;
    if (!why_ || !why_->text.empty()) return false;
    const std::string at = i < by_position_ ? join(" (position ", i + 1 - why_->own, ")") : "";
    return no("argument '", p.name, "'", at, " must be ", type_name(p), ", not ",
              Py_TYPE(o)->tp_name);
  }

  bool convert_to(const Param& p, PyObject* o, Arg& arg) {
    switch (p.type) {
      case Type::tensor:
        if (!is_tensor(o)) return false;
        arg = Arg::of(variable_of(o).node());
        add_tensor(o);
        return true;
      case Type::operand:
        return operand_arg(o, arg);
      case Type::scalar:
        if (!number_arg(o, arg)) return false;
        hold_number(arg);
        return true;
      case Type::tensors:
        return tensor_list(o, arg);
      case Type::number:
        return number_arg(o, arg);
      case Type::integer: {
        int64_t v;
        if (PyBool_Check(o) || !to_int(o, v)) return false;
        arg = Arg::of(v);
        return true;
      }
      case Type::real: {
        double v;
        if (!may_be_number(o) || !to_real(o, v)) return false;
        arg = Arg::of(v);
        return true;
      }
      case Type::boolean:
        if (!PyBool_Check(o)) return false;
        arg = Arg::of(o == Py_True);
        return true;
      case Type::only_true:
      case Type::only_false:
        arg = Arg::of(o == Py_True);
        return o == (p.type == Type::only_true ? Py_True : Py_False);
      case Type::ints:
        return int_list(p, o, arg);
      case Type::reals:
        return real_list(p, o, arg);
      case Type::dtype: {
        DType t;
        if (!to_dtype(o, t)) return false;
        arg = Arg::of(t);
        return true;
      }
      case Type::text:
        return text_arg(o, arg);
      case Type::generator:
        arg.gen = to_generator(o);
        arg.kind = Arg::generator;
        return arg.gen != nullptr;
      case Type::device:
        check_device(o);
        return true;
      case Type::layout:
        check_layout(o);
        return true;
      case Type::memory_format:
        return memory_format_arg(o, arg);
      case Type::requires_grad:
        if (!PyBool_Check(o)) return false;
        out_.requires_grad = o == Py_True;
        return true;
      case Type::pin_memory:
        if (PyObject_IsTrue(o) == 1)
          fail(ErrorKind::runtime, "Cannot access accelerator device when none is available.");
        return true;
    }
    return false;
  }

  // A tensor stands for a real number iff it has no dimensions, and no gradient that would be lost.
  static bool may_be_number(PyObject* o) {
    if (!is_tensor(o)) return true;
    return variable_of(o).shape().ndim() == 0 && !variable_of(o).node()->needs_grad();
  }

  bool operand_arg(PyObject* o, Arg& arg) {
    if (is_tensor(o)) {
      arg = Arg::of(variable_of(o).node());
      add_tensor(o);
      return true;
    }
    Value v = operand(o);
    if (!v) return false;
    arg = Arg::of(v.get());
    out_.held.push_back(std::move(v));
    return true;
  }

  void hold_number(Arg& arg) {
    out_.held.push_back(number(arg));
    arg = Arg::of(out_.held.back().get());
  }

  bool number_arg(PyObject* o, Arg& arg) {
    if (is_tensor(o)) {
      if (!may_be_number(o)) return false;
      const Object item_of(item(o));
      return number_arg(item_of.get(), arg);
    }
    if (PyBool_Check(o)) {
      arg = Arg::of(o == Py_True);
      return true;
    }
    int64_t i;
    if (to_int(o, i)) {
      arg = Arg::of(i);
      return true;
    }
    double d;
    if (!to_real(o, d)) return false;
    arg = Arg::of(d);
    return true;
  }

  bool tensor_list(PyObject* o, Arg& arg) {
    if (!PyList_Check(o) && !PyTuple_Check(o)) return false;
    const Py_ssize_t n = PySequence_Fast_GET_SIZE(o);
    PyObject** items = PySequence_Fast_ITEMS(o);
    Node** nodes = out_.nodes.extend(n);
    PyObject** tensors = out_.tensors.extend(n);
    for (Py_ssize_t i = 0; i < n; ++i) {
      if (!is_tensor(items[i]))
        return no("expected Tensor as element ", i, " in argument 0, but got ",
                  Py_TYPE(items[i])->tp_name);
      nodes[i] = variable_of(items[i]).node();
      tensors[i] = items[i];
    }
    arg.kind = Arg::tensors;
    arg.n = static_cast<uint32_t>(n);
    arg.nodes = nodes;
    return true;
  }

  static bool is_too_long(PyObject* o) {
    int overflow = 0;
    if (PyLong_CheckExact(o)) PyLong_AsLongLongAndOverflow(o, &overflow);
    return overflow != 0;
  }

  template <class Item>
  bool integers(const Param& p, Py_ssize_t n, Item item, Arg& arg) {
    int64_t* to;
    if (out_.n_ints + n <= 64) {
      to = out_.ints + out_.n_ints;
      out_.n_ints += static_cast<int>(n);
    } else {
      to = out_.long_lists.emplace_back(n).data();
    }
    for (Py_ssize_t i = 0; i < n; ++i) {
      const Object held = item(i);
      PyObject* const o = held.get();
      // As PyTorch has it, of the first one only.
      if (i == 0 && PyBool_Check(o))
        return no("argument '", p.name, "' must be tuple of ints, but found element of type bool",
                  " at pos 0");
      if (!p.from_one && is_too_long(o))
        fail(ErrorKind::type, s_.op->name, "(): argument '", p.name,
             "' failed to unpack the object at pos ", i + 1,
             " with error \"Overflow when unpacking long long");
      if (!to_int(o, to[i]))
        return no("argument '", p.name, "' failed to unpack the object at pos ", i + 1,
                  " with error \"type must be tuple of ints,but got ", Py_TYPE(o)->tp_name, "\"");
    }
    arg = Arg::of(std::span<const int64_t>(to, n));
    return true;
  }

  bool int_list(const Param& p, PyObject* o, Arg& arg) {
    const auto item = [o](Py_ssize_t i) { return item_of(o, i); };
    if (PyTuple_Check(o) || PyList_Check(o))
      return integers(p, PySequence_Fast_GET_SIZE(o), item, arg);
    const auto only = [o](Py_ssize_t) { return Object::borrowed(o); };
    return p.from_one && PyIndex_Check(o) && !PyBool_Check(o) && integers(p, 1, only, arg);
  }

  bool real_list(const Param& p, PyObject* o, Arg& arg) {
    const size_t start = out_.reals.size();
    double v;
    if (PyTuple_Check(o) || PyList_Check(o)) {
      for (Py_ssize_t i = 0, n = PySequence_Fast_GET_SIZE(o); i < n; ++i) {
        if (!to_real(item_of(o, i).get(), v)) return false;
        out_.reals.push(v);
      }
    } else if (p.from_one && to_real(o, v)) {
      out_.reals.push(v);
    } else {
      return false;
    }
    arg.kind = Arg::reals;
    arg.n = static_cast<uint32_t>(out_.reals.size() - start);
    arg.reals_p = out_.reals.begin() + start;
    return true;
  }

  bool text_arg(PyObject* o, Arg& arg) {
    if (!PyUnicode_Check(o)) return false;
    Py_ssize_t n;
    arg.text_p = PyUnicode_AsUTF8AndSize(o, &n);
    if (!arg.text_p) throw PythonError{};
    arg.kind = Arg::text;
    arg.n = static_cast<uint32_t>(n);
    return true;
  }

  bool memory_format_arg(PyObject* o, Arg& arg) {
    const int format = to_memory_format(o);
    if (format < 0) return false;
    arg = Arg::of(format);
    return true;
  }

  void add_tensor(PyObject* o) { out_.tensors.push(o); }

  static const char* type_name(const Param& p) {
    switch (p.type) {
      case Type::tensor:
      case Type::operand:
        return "Tensor";
      case Type::tensors:
        return "tuple of Tensors";
      case Type::number:
      case Type::scalar:
        return "Number";
      case Type::integer:
        return "int";
      case Type::real:
        return "float";
      case Type::boolean:
      case Type::only_true:
      case Type::only_false:
      case Type::requires_grad:
        return "bool";
      case Type::ints:
        return "tuple of ints";
      case Type::reals:
        return "tuple of floats";
      case Type::dtype:
        return "torch.dtype";
      case Type::text:
        return "str";
      case Type::generator:
        return "torch.Generator";
      default:
        return "torch.memory_format";
    }
  }

  int by_position_ = 0;  // how many arguments are
  const Signature& s_;
  ParsedArgs& out_;
  WhyNot* why_;
};

}  // namespace

bool parse_args(const Signature& s, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames,
                ParsedArgs& out, WhyNot* why) {
  return Parser(s, out, why).parse(args, nargs, kwnames);
}

}  // namespace wend
