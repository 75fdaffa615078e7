// bind/op_function.cpp: an op as a Python callable: picks the overload, calls, wraps. One type for
// functions and one for methods, both over the same data; no op is named here.
#include "bind/op_function.hpp"

#include <structmember.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <sstream>

#include "bind/attributes.hpp"
#include "bind/autograd.hpp"
#include "bind/convert.hpp"
#include "bind/known_call.hpp"
#include "bind/types.hpp"
#include "exec/run.hpp"
#include "graph/describe.hpp"
#include "graph/record.hpp"

namespace wend {
namespace {

struct Callable {
  std::string name;
  std::vector<Signature> overloads;
  bool inplace = false;
  bool method = false;
  PyTypeObject* result_type = nullptr;  // a named tuple, for ops with named results
  std::string doc;
  KnownCalls known;

  // Whether a call gives one new tensor and does nothing else.
  bool makes_one(const Signature& s, const OpArgs& given) const {
    return !inplace && !given.out && !given.requires_grad && !s.returns_list && !result_type;
  }
};

struct OpFunction {
  PyObject_HEAD vectorcallfunc vectorcall;
  Callable* callable;
};

PyTypeObject function_type = {PyVarObject_HEAD_INIT(nullptr, 0)};
PyTypeObject method_type = {PyVarObject_HEAD_INIT(nullptr, 0)};

Callable& callable_of(PyObject* self) { return *reinterpret_cast<OpFunction*>(self)->callable; }

std::string got(PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  std::string text;
  const Py_ssize_t nkw = kwnames ? PyTuple_GET_SIZE(kwnames) : 0;
  for (Py_ssize_t i = 0; i < nargs + nkw; ++i) {
    if (i) text += ", ";
    if (i >= nargs)
      text += std::string(PyUnicode_AsUTF8(PyTuple_GET_ITEM(kwnames, i - nargs))) + "=";
    const char* name = Py_TYPE(args[i])->tp_name;
    const char* dot = std::strrchr(name, '.');
    text += dot ? dot + 1 : name;
  }
  if (nargs == 0 && nkw > 0) text += ", ";
  return text;
}

// Whether PyTorch has one signature for the call. Where any operand may be a number it speaks of
// tensors only; where just the others may, it has one signature for tensors and one for numbers.
bool takes_tensors_only(const Callable& c, PyObject* kwnames) {
  const auto is_operand = [](const Param& p) { return p.type == Type::operand; };
  const auto& params = c.overloads[0].params;
  if (!params.empty() && is_operand(params[0])) return !kwnames || c.overloads.size() == 1;
  return c.overloads.size() == 1 && std::ranges::none_of(params, is_operand);
}

std::string why_not(const Callable& c, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  const int own = c.method && nargs > 0 ? 1 : 0;
  if (takes_tensors_only(c, kwnames)) {
    ParsedArgs parsed;
    WhyNot why{.own = own};
    parse_args(c.overloads[0], args, nargs, kwnames, parsed, &why);
    const std::string& text = why.text;
    if (text.starts_with("expected Tensor as element")) return text;
    return c.name + (text.starts_with("argument") ? "(): " : "() ") + text;
  }
  std::string text = c.name + "() received an invalid combination of arguments - got (" +
                     got(args + own, nargs - own, kwnames) + "), but expected one of:";
  for (const Signature& s : c.overloads) text += "\n * " + s.text;
  return text;
}

// What no overload takes is offered to the package once: it knows deprecated orders of arguments,
// and objects that are no tensors but say how an op treats them. Null when it declines as well.
PyObject* otherwise(const Callable& c, const GivenArgs& args) {
  const Py_ssize_t nkw = args.names ? PyTuple_GET_SIZE(args.names) : 0;
  const Object by_position(PyTuple_New(args.n_by_position)), by_name(PyDict_New());
  for (Py_ssize_t i = 0; i < args.n_by_position; ++i)
    PyTuple_SET_ITEM(by_position.get(), i, Py_NewRef(args.all[i]));
  for (Py_ssize_t i = 0; i < nkw; ++i)
    PyDict_SetItem(by_name.get(), PyTuple_GET_ITEM(args.names, i),
                   args.all[args.n_by_position + i]);
  const Object name(PyUnicode_FromString(c.name.c_str()));
  Object result(call(registered("other_call"), name.get(), c.method ? Py_True : Py_False,
                     by_position.get(), by_name.get()));
  return result.get() == Py_NotImplemented ? nullptr : result.release();
}

[[noreturn]] void no_overload(const Callable& c, PyObject* const* args, Py_ssize_t nargs,
                              PyObject* kwnames) {
  Error error(ErrorKind::type, why_not(c, args, nargs, kwnames));
  locate(error, "");
  throw error;
}

// Inputs of a node, made in place; few calls have more than fit.
class Inputs {
 public:
  explicit Inputs(size_t n)
      : first_(n > kFew ? static_cast<Value*>(::operator new(n * sizeof(Value))) : few_) {}
  Inputs(const Inputs&) = delete;
  ~Inputs() {
    std::destroy_n(first_, n_);
    if (first_ != few_) ::operator delete(first_);
  }
  void add(Node* node) { new (first_ + n_++) Value(node); }
  std::span<Value> span() { return {first_, n_}; }

 private:
  static constexpr size_t kFew = 24;
  union {
    Value few_[kFew];
  };
  Value* first_;
  size_t n_ = 0;
};

// The value that a primitive gives for parsed arguments: lists of tensors come first.
Value record_mixed(const Op& op, const OpArgs& given) {
  Inputs in(given.args.size() + given.list.size());
  union Attrs {
    Attrs() {}
    Arg items[kMaxParams];
  } attrs;
  size_t n_attrs = 0;
  for (Node* node : given.list) in.add(node);
  for (const Arg& a : given.args) {
    if (a.kind == Arg::tensor)
      in.add(a.node);
    else if (a.kind != Arg::tensors)
      attrs.items[n_attrs++] = a;
  }
  return record(op, in.span(), std::span(attrs.items, n_attrs));
}

// Usually tensors stand first, then the rest.
Value record_primitive(const Op& op, const OpArgs& given) {
  const std::span<const Arg> args = given.args;
  Inputs in(args.size());
  size_t n = 0;
  while (n < args.size() && args[n].kind == Arg::tensor) in.add(args[n++].node);
  const std::span<const Arg> attrs = args.subspan(n);
  for (const Arg& a : attrs)
    if (a.kind == Arg::tensor || a.kind == Arg::tensors) return record_mixed(op, given);
  return record(op, in.span(), attrs);
}

// Keeps tensors and their nodes while a body runs, in which user code may be called.
class Held {
 public:
  explicit Held(const OpArgs& given) {
    for (const Arg& a : given.args)
      if (a.kind == Arg::tensor) nodes_.push(a.node);
    for (Node* node : given.list) nodes_.push(node);
    for (PyObject* tensor : given.tensors) tensors_.push(Py_NewRef(tensor));
    for (Node* node : nodes_.span()) retain(node), use(node);
  }
  Held(const Held&) = delete;
  ~Held() {
    for (Node* node : nodes_.span()) let_go(node);
    for (PyObject* tensor : tensors_.span()) Py_DECREF(tensor);
  }

 private:
  ShortList<Node*, 16> nodes_;
  ShortList<PyObject*, 16> tensors_;
};

Values run_op(const Op& op, const OpArgs& given) {
  if (op.body) {
    Call call{op, given.args};
    return op.body(call);
  }
  Values out;
  out.push_back(record_primitive(op, given));
  return out;
}

PyObject* wrap_all(const Callable& c, const Signature& s, Values& results, const OpArgs& given) {
  const auto tensors = given.tensors;
  if (!s.returns_list && !c.result_type) {
    PyObject* one = wrap_result(std::move(results[0]), tensors);
    if (given.requires_grad) require_grad_from_start(one);
    return one;
  }
  const auto n = static_cast<Py_ssize_t>(results.size());
  const bool named = c.result_type && !s.returns_list && n > 1;
  if (!s.returns_list && n == 1) return wrap_result(std::move(results[0]), tensors);
  Object tuple(named ? PyStructSequence_New(c.result_type) : PyTuple_New(n));
  if (s.returns_list) {
    wrap_results(results, tensors, reinterpret_cast<PyTupleObject*>(tuple.get())->ob_item);
    return tuple.release();
  }
  for (Py_ssize_t i = 0; i < n; ++i) {
    PyObject* item = wrap_result(std::move(results[i]), tensors);
    if (named)
      PyStructSequence_SetItem(tuple.get(), i, item);
    else
      PyTuple_SET_ITEM(tuple.get(), i, item);
  }
  return tuple.release();
}

// out=: a tensor, or a tuple of them for several results.
PyObject* write_out(const Callable& c, const Op& op, PyObject* out, Values& results,
                    std::span<PyObject* const> read) {
  if (is_tensor(out)) {
    write_out_result(out, std::move(results[0]), c.name, op, read);
    return Py_NewRef(out);
  }
  const Object items(PySequence_Fast(out, "out= must be a Tensor or a tuple of Tensors"));
  if (PySequence_Fast_GET_SIZE(items.get()) != static_cast<Py_ssize_t>(results.size()))
    raise(PyExc_TypeError, "expected tuple of %zd elements but got %zd",
          static_cast<Py_ssize_t>(results.size()), PySequence_Fast_GET_SIZE(items.get()));
  for (size_t i = 0; i < results.size(); ++i) {
    const Object item = item_of(items.get(), static_cast<Py_ssize_t>(i));
    if (!is_tensor(item.get()))
      raise(PyExc_TypeError, "out= must be a Tensor or a tuple of Tensors");
    write_out_result(item.get(), std::move(results[i]), c.name, op, read);
  }
  return Py_NewRef(out);
}

// What is written in place must not be read by way of another view, see check_no_overlap; the
// target itself stands once among the arguments.
void check_arguments_apart(const Op& op, PyObject* target, const Value& result,
                           std::span<PyObject* const> arguments) {
  if (!op.fills && !is_view_of(target, *result)) check_distinct(variable_of(target).shape());
  bool seen = false;
  for (PyObject* t : arguments) {
    if (t == target && !std::exchange(seen, true)) continue;
    if (op.takes_number && variable_of(t).shape().ndim() == 0) continue;
    check_no_overlap(target, variable_of(target).shape(), t, nullptr, op.apart);
  }
}

PyObject* record_call(const Callable& c, const Signature& s, const OpArgs& given, PyObject* self) {
  PyObject* out = given.out == Py_None ? nullptr : given.out;
  const auto may_write = [&] {
    bool gradient = false;
    for (PyObject* t : given.tensors) gradient |= variable_of(t).node()->needs_grad();
    check_writable(self, gradient);
  };
  if (c.inplace && s.op->primitive()) may_write();
  if (s.op->primitive() && !c.inplace && !out && !given.requires_grad && !s.returns_list) {
    return wrap_result(record_primitive(*s.op, given), given.tensors);
  }
  std::optional<Held> held;
  if (s.op->body) held.emplace(given);
  Values results;
  try {
    results = run_op(*s.op, given);
  } catch (const Error&) {
    if (c.inplace && s.op->body) may_write();  // as in PyTorch, that is looked at before the rest
    throw;
  }
  if (out) return write_out(c, *s.op, out, results, given.tensors);
  if (c.inplace) {
    // A body that gives its input back writes nothing, so that even a leaf may be given.
    if (results[0].get() == given.args[0].node) return Py_NewRef(self);
    if (s.op->body) may_write();
    check_arguments_apart(*s.op, self, results[0], given.tensors);
    write_result(self, std::move(results[0]));
    return Py_NewRef(self);
  }
  return wrap_all(c, s, results, given);
}

// The value that an op gives for arguments like those of an earlier call.
Value record_known(KnownCall& known, const OpArgs& given, std::span<Node* const> nodes) {
  const Op& op = *known.signature.op;
  if (op.body) {
    Call call{op, given.args};
    return known.recipes.record(call, nodes);
  }
  const size_t n = given.args.size() - known.attrs->n;
  Inputs in(n);
  for (const Arg& a : given.args.first(n)) in.add(a.node);
  return record(op, in.span(), known.attrs);
}

PyObject* call_known(const Callable& c, KnownCall& known, KnownCall::Read& read, PyObject* self) {
  const Signature& s = known.signature;
  const OpArgs given = known.args_of(read);
  auto call = [&] { return describe_call(c.name.c_str(), s.text.c_str(), given.args); };
  return located(call, [&] {
    const bool remembered = s.op->body ? s.op->by_layout : bool{known.attrs};
    if (!remembered || !c.makes_one(s, given)) return record_call(c, s, given, self);
    return wrap_result(record_known(known, given, read.all_nodes()), given.tensors);
  });
}

PyObject* call_parsed(const Callable& c, const Signature& s, ParsedArgs& parsed, PyObject* self) {
  auto call = [&] { return describe_call(c.name.c_str(), s.text.c_str(), s.args(parsed.args)); };
  const OpArgs given{std::span(parsed.args, s.n_params), parsed.nodes.span(),
                     parsed.tensor_objects(), parsed.requires_grad, parsed.out};
  return located(call, [&] { return record_call(c, s, given, self); });
}

// Reads the arguments by each signature in turn.
[[gnu::noinline]] PyObject* call_unknown(Callable& c, const GivenArgs& args, uint64_t hash) {
  PyObject* const self = args.n_by_position ? args.all[0] : nullptr;
  for (const Signature& s : c.overloads) {
    ParsedArgs parsed;
    if (!parse_args(s, args.all, args.n_by_position, args.names, parsed, nullptr)) continue;
    if (c.known.is_worth_it(hash))
      c.known.remember(hash, KnownCall::of(s, {c.overloads.data(), &s}, args, parsed));
    return call_parsed(c, s, parsed, self);
  }
  if (PyObject* result = otherwise(c, args)) return result;
  no_overload(c, args.all, args.n_by_position, args.names);
}

PyObject* vectorcall(PyObject* self, PyObject* const* args, size_t nargsf, PyObject* kwnames) {
  return guarded([&]() -> PyObject* {
    Callable& c = callable_of(self);
    const GivenArgs given{args, PyVectorcall_NARGS(nargsf), kwnames};
    PyObject* const first = given.n_by_position ? args[0] : nullptr;
    const WritingInPlace writing(c.inplace && first && is_tensor(first) ? &variable_of(first)
                                                                        : nullptr);
    const uint64_t hash = KnownCalls::hash_of(given);
    KnownCall::Read read;
    if (const Ref<KnownCall> known = c.known.find(hash, given, read))
      return call_known(c, *known, read, first);
    return call_unknown(c, given, hash);
  });
}

// The commonest call, of an op that gives a new node for so many tensors and takes nothing else:
// with all of them by position. Any other call of it goes the usual way.
template <int kTensors>
PyObject* vectorcall_tensors(PyObject* self, PyObject* const* args, size_t nargsf,
                             PyObject* kwnames) {
  bool fits = !kwnames && PyVectorcall_NARGS(nargsf) == kTensors;
  for (int i = 0; fits && i < kTensors; ++i) fits = Py_TYPE(args[i]) == &tensor_type;
  if (!fits) return vectorcall(self, args, nargsf, kwnames);
  return guarded([&] {
    const Signature& s = callable_of(self).overloads[0];
    auto call = [&] {
      Arg shown[kTensors];
      for (int i = 0; i < kTensors; ++i) shown[i] = Arg::of(variable_of(args[i]).node());
      return describe_call(callable_of(self).name.c_str(), s.text.c_str(), shown);
    };
    return located(call, [&] {
      Value in[kTensors];
      for (int i = 0; i < kTensors; ++i) in[i] = variable_of(args[i]).value();
      return wrap(record(*s.op, in));
    });
  });
}

vectorcallfunc vectorcall_for(const Callable& c) {
  const Signature& s = c.overloads[0];
  const auto is_tensor = [](const Param& p) { return p.type == Type::tensor; };
  if (c.inplace || !s.op->primitive() || s.op->view || s.returns_list ||
      !std::ranges::all_of(s.params, is_tensor))
    return vectorcall;
  if (s.n_params == 1) return vectorcall_tensors<1>;
  return s.n_params == 2 ? vectorcall_tensors<2> : vectorcall;
}

PyObject* bind_method(PyObject* self, PyObject* object, PyObject*) {
  return object ? PyMethod_New(self, object) : Py_NewRef(self);
}

PyObject* get_name(PyObject* self, void*) {
  return PyUnicode_FromString(callable_of(self).name.c_str());
}
PyObject* get_qualname(PyObject* self, void* method) {
  return PyUnicode_FromFormat(method ? "Tensor.%s" : "%s", callable_of(self).name.c_str());
}
PyObject* get_doc(PyObject* self, void*) {
  return PyUnicode_FromString(callable_of(self).doc.c_str());
}
PyObject* get_module(PyObject*, void*) { return PyUnicode_FromString("wend"); }
PyObject* show_function(PyObject* self) {
  return PyUnicode_FromFormat("<built-in %s %s>",
                              Py_TYPE(self) == &method_type ? "method" : "function",
                              callable_of(self).name.c_str());
}
// Pickled by name.
PyObject* reduce(PyObject* self, PyObject*) {
  return PyUnicode_FromString(callable_of(self).name.c_str());
}

PyGetSetDef getset[] = {{"__name__", get_name, nullptr, nullptr, nullptr},
                        {"__qualname__", get_qualname, nullptr, nullptr, nullptr},
                        {"__doc__", get_doc, nullptr, nullptr, nullptr},
                        {"__module__", get_module, nullptr, nullptr, nullptr},
                        {}};
PyMethodDef methods[] = {{"__reduce__", reduce, METH_NOARGS, nullptr}, {}};

void ready(PyTypeObject& t, const char* name, bool method) {
  t.tp_name = name;
  t.tp_basicsize = sizeof(OpFunction);
  t.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL;
  t.tp_vectorcall_offset = offsetof(OpFunction, vectorcall);
  t.tp_call = PyVectorcall_Call;
  t.tp_repr = show_function;
  t.tp_getset = getset;
  t.tp_methods = methods;
  if (method) {
    t.tp_flags |= Py_TPFLAGS_METHOD_DESCRIPTOR;
    t.tp_descr_get = bind_method;
  }
  check(PyType_Ready(&t));
}

// "torch.return_types.max(", then each result under its name on a line of its own.
PyObject* show_named(PyObject* self) {
  return guarded([&] {
    Object text(PyUnicode_FromFormat("%s(\n", Py_TYPE(self)->tp_name));
    const PyMemberDef* member = Py_TYPE(self)->tp_members;
    const Py_ssize_t n = PyTuple_GET_SIZE(self);
    for (Py_ssize_t i = 0; i < n; ++i)
      text = Object(PyUnicode_FromFormat("%U%s=%R%s", text.get(), member[i].name,
                                         PyTuple_GET_ITEM(self, i), i + 1 < n ? ",\n" : ")"));
    return text.release();
  });
}

// The type of named results, "-> (Tensor values, Tensor indices)"; null where there are none.
PyTypeObject* named_result(const Callable& c) {
  const auto named = std::ranges::find_if(c.overloads, &Signature::names_results);
  if (named == c.overloads.end()) return nullptr;
  static auto& made = *new std::map<std::string, PyTypeObject*>;
  PyTypeObject*& type = made[c.name];
  if (type) return type;
  auto& names = *new std::vector<std::string>;
  const size_t open = named->text.rfind("-> (");
  const std::string inner = named->text.substr(open + 4, named->text.size() - open - 5);
  for (size_t at = 0; at < inner.size();) {
    const size_t space = inner.find(' ', at), comma = std::min(inner.find(',', at), inner.size());
    names.push_back(inner.substr(space + 1, comma - space - 1));
    at = comma + 2;
  }
  auto* fields = new PyStructSequence_Field[names.size() + 1]();
  for (size_t i = 0; i < names.size(); ++i) fields[i].name = names[i].c_str();
  auto* title = new std::string("torch.return_types." + c.name);
  PyStructSequence_Desc desc = {title->c_str(), nullptr, fields, static_cast<int>(names.size())};
  type = PyStructSequence_NewType(&desc);
  if (!type) throw PythonError{};
  type->tp_repr = show_named;
  return type;
}

PyObject* make(PyTypeObject& type, const std::string& name, const std::vector<const Op*>& entries,
               bool method, bool inplace) {
  auto c = std::make_unique<Callable>();
  c->name = name;
  c->inplace = inplace;
  c->method = method;
  for (const Op* op : entries) {
    const char* text = method && op->method_signature ? op->method_signature : op->signature;
    Signature& s = c->overloads.emplace_back(parse_signature(*op, text));
    s.takes_out = op->out && !op->view && !s.returns_list && !method && !inplace;
    c->doc += name + op->signature + "\n";
  }
  for (const Op* op : entries) {
    if (*op->doc) c->doc += std::string("\n") + op->doc + "\n";
    if (*op->example) c->doc += std::string("\n>>> ") + op->example + "\n";
  }
  if (!inplace) c->result_type = named_result(*c);
  auto* f = PyObject_New(OpFunction, &type);
  if (!f) throw PythonError{};
  f->vectorcall = vectorcall_for(*c);
  f->callable = c.release();
  return reinterpret_cast<PyObject*>(f);
}

// Overloads of one name stand in one place: in wend and Tensor, or in a module of their own.
struct Place {
  std::string module, name;
  auto operator<=>(const Place&) const = default;
};
using Entries = std::vector<const Op*>;

std::map<Place, Entries> entries_by_place() {
  std::map<Place, Entries> places;
  for (auto family : op_table()) {
    for (const Op& op : family.ops) {
      if (op.hidden) continue;
      std::istringstream names(std::string(op.name) + " " + op.aliases);
      for (std::string name; names >> name;)
        places[{op.module ? op.module : "", name}].push_back(&op);
    }
  }
  return places;
}

Entries those(const Entries& entries, bool Op::* wanted) {
  Entries kept;
  for (const Op* op : entries)
    if (op->*wanted) kept.push_back(op);
  return kept;
}

void bind_in_module(PyObject* parent, const Place& place, const Entries& entries) {
  const std::string path = "wend._C." + place.module;
  PyObject* module = PyImport_AddModule(path.c_str());
  if (!module) throw PythonError{};
  check(PyModule_AddObjectRef(parent, place.module.c_str(), module));
  const Object f(make(function_type, place.name, entries, false, false));
  check(PyModule_AddObjectRef(module, place.name.c_str(), f.get()));
  if (auto e = those(entries, &Op::inplace); !e.empty()) {
    const Object g(make(function_type, place.name + "_", e, false, true));
    check(PyModule_AddObjectRef(module, (place.name + "_").c_str(), g.get()));
  }
}

void bind_in_wend(PyObject* module, const std::string& name, const Entries& entries) {
  PyObject* tensor_dict = tensor_type.tp_dict;
  if (auto e = those(entries, &Op::function); !e.empty()) {
    const Object f(make(function_type, name, e, false, false));
    check(PyModule_AddObjectRef(module, name.c_str(), f.get()));
  }
  if (auto e = those(entries, &Op::inplace_function); !e.empty()) {
    const Object f(make(function_type, name + "_", e, false, true));
    check(PyModule_AddObjectRef(module, (name + "_").c_str(), f.get()));
  }
  if (auto e = those(entries, &Op::method); !e.empty()) {
    const Object f(make(method_type, name, e, true, false));
    check(PyDict_SetItemString(tensor_dict, name.c_str(), f.get()));
  }
  if (auto e = those(entries, &Op::inplace); !e.empty()) {
    const Object f(make(method_type, name + "_", e, true, true));
    check(PyDict_SetItemString(tensor_dict, (name + "_").c_str(), f.get()));
  }
}

}  // namespace

void init_op_functions(PyObject* module) {
  ready(function_type, "builtin_function", false);
  ready(method_type, "builtin_method", true);
  for (const auto& [place, entries] : entries_by_place()) {
    if (place.module.empty())
      bind_in_wend(module, place.name, entries);
    else
      bind_in_module(module, place, entries);
  }
  PyType_Modified(&tensor_type);
}

}  // namespace wend
