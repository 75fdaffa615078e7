// bind/saved.cpp: saved_tensors_hooks: what is saved for backward goes through the user's
// functions. When that happens for an op is core/graph/record, when it comes back core/autograd.
#include "bind/saved.hpp"

#include "bind/link.hpp"
#include "graph/record.hpp"
#include "ops/functions.hpp"

namespace wend {
namespace {

struct PythonPacked : Packed {
  Object content;  // what pack() made; nothing if it gave the tensor back
  Object unpack_hook;

  Value unpack(const Value& original) override {
    UserCode user;
    const Object given = as_is ? Object(tensor_for(original)) : content;
    const Object tensor(call(unpack_hook.get(), given.get()));
    if (!is_tensor(tensor.get()))
      raise(PyExc_TypeError,
            "Output of saved tensor unpack_hook expected to be a Tensor but got result of type %s",
            Py_TYPE(tensor.get())->tp_name);
    return variable_of(tensor.get()).value();
  }
};

// pack() runs without grad, and what it saves itself is not packed again.
struct PlainMode {
  Mode before = mode;
  PlainMode() {
    mode.grad = false;
    mode.saver = nullptr;
    mode.line_of = nullptr;
  }
  ~PlainMode() { mode = before; }
};

struct PythonSaver : Saver {
  Object pack_hook, unpack_hook;
  Saver* outer = nullptr;

  std::unique_ptr<Packed> pack(const Value& value, bool own) override {
    PlainMode plain;
    const Object tensor(own ? wrap(held(value)) : tensor_for(value));
    const uint32_t version = variable_of(tensor.get()).version();
    auto packed = std::make_unique<PythonPacked>();
    packed->unpack_hook = unpack_hook;
    packed->content = Object(call(pack_hook.get(), tensor.get()));
    if (variable_of(tensor.get()).version() != version)
      fail(ErrorKind::runtime,
           "A saved tensor pack hook is modifying its input in place. Tensors provided as input to "
           "pack hook can not be modified by in-place operations as this can lead to unexpected "
           "side-effects. Please open an issue if you need to perform in-place operations on the "
           "input to a pack hook.");
    // Kept by the node itself, so that a node whose output is saved does not hold itself.
    packed->as_is = packed->content.get() == tensor.get();
    if (packed->as_is) packed->content = Object();
    return packed;
  }
};

PyObject* push_hooks(PyObject*, PyObject* const* args, Py_ssize_t nargs) {
  return guarded([&]() -> PyObject* {
    if (nargs != 2) raise(PyExc_TypeError, "_push_saved_tensors_hooks takes 2 arguments");
    auto* saver = new PythonSaver;
    saver->pack_hook = Object::borrowed(args[0]);
    saver->unpack_hook = Object::borrowed(args[1]);
    saver->outer = mode.saver;
    mode.saver = saver;
    Py_RETURN_NONE;
  });
}

PyObject* pop_hooks(PyObject*, PyObject*) {
  const std::unique_ptr<PythonSaver> saver(static_cast<PythonSaver*>(mode.saver));
  if (saver) mode.saver = saver->outer;
  Py_RETURN_NONE;
}

PyMethodDef functions[] = {{"_push_saved_tensors_hooks", reinterpret_cast<PyCFunction>(push_hooks),
                            METH_FASTCALL, nullptr},
                           {"_pop_saved_tensors_hooks", pop_hooks, METH_NOARGS, nullptr},
                           {}};

}  // namespace

SavedTensor::SavedTensor(const Value& value, int output)
    : value_(value), history_(value.get()), output_(output) {
  if (!mode.saver) return;
  packed_ = mode.saver->pack(value, false);
  if (!packed_->as_is) value_ = Value();
}

PyObject* SavedTensor::unpack(Node* function) const {
  if (!history_) return Py_NewRef(Py_None);
  const Value original = value_ ? value_ : Value(history_.get());
  const Value value = packed_ ? packed_->unpack(original) : original;
  struct WithGrad {
    bool before = std::exchange(mode.grad, true);
    ~WithGrad() { mode.grad = before; }
  } with_grad;
  if (output_ >= 0 && function) {
    static const Op& output_op = op_named("function_output");
    return wrap(
        record(output_op, {alias_without_grad(value), Value(function)}, {Arg::of(output_)}));
  }
  if (!packed_) return tensor_for(value);
  const Value plain = alias_without_grad(value);
  return wrap(history_->needs_grad() ? rebind(plain, original) : plain);
}

void init_saved(PyObject* module) { check(PyModule_AddFunctions(module, functions)); }

}  // namespace wend
