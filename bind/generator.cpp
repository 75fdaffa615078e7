// bind/generator.cpp: wend.Generator, the state behind random ops.
#include "bind/generator.hpp"

#include <cstring>
#include <random>

#include "bind/tensor.hpp"
#include "bind/types.hpp"
#include "exec/run.hpp"
#include "graph/fiber.hpp"
#include "ops/functions.hpp"

namespace wend {
namespace {

struct GeneratorObject {
  PyObject_HEAD Generator own;
  bool is_default;  // the thread's or fiber's, not `own`
};

PyTypeObject generator_type = {PyVarObject_HEAD_INIT(nullptr, 0)};

Generator& of(PyObject* self) {
  auto* g = reinterpret_cast<GeneratorObject*>(self);
  return g->is_default ? current_generator() : g->own;
}

constexpr uint64_t kDefaultSeed = 67280421310721;

PyObject* make(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"device", nullptr};
  PyObject* device = Py_None;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|O", const_cast<char**>(names), &device))
    return nullptr;
  return guarded([&] {
    check_device(device);
    const Object self(type->tp_alloc(type, 0));
    reinterpret_cast<GeneratorObject*>(self.get())->own = {kDefaultSeed, 0};
    return Py_NewRef(self.get());
  });
}

// Negative seeds stand for large ones, as PyTorch has it.
uint64_t to_seed(PyObject* seed) {
  if (!PyLong_Check(seed))
    raise(PyExc_RuntimeError, "manual_seed expected a long, but got %s", Py_TYPE(seed)->tp_name);
  int overflow;
  const long long small = PyLong_AsLongLongAndOverflow(seed, &overflow);
  if (overflow == 0) return static_cast<uint64_t>(small);
  const uint64_t large = PyLong_AsUnsignedLongLong(seed);
  if (PyErr_Occurred()) {
    PyErr_Clear();
    raise(PyExc_ValueError, "Overflow when unpacking long long");
  }
  return large;
}

PyObject* manual_seed(PyObject* self, PyObject* seed) {
  return guarded([&] {
    commit(of(self), {to_seed(seed), 0});
    return Py_NewRef(self);
  });
}

PyObject* initial_seed(PyObject* self, PyObject*) {
  return PyLong_FromUnsignedLongLong(of(self).seed);
}

uint64_t system_seed() {
  std::random_device source;
  return static_cast<uint64_t>(source()) << 32 | source();
}

PyObject* seed(PyObject* self, PyObject*) {
  commit(of(self), {system_seed(), 0});
  return PyLong_FromUnsignedLongLong(of(self).seed);
}

PyObject* get_offset(PyObject* self, PyObject*) {
  return PyLong_FromUnsignedLongLong(of(self).offset);
}

PyObject* set_offset(PyObject* self, PyObject* offset) {
  const uint64_t v = PyLong_AsUnsignedLongLong(offset);
  if (PyErr_Occurred()) return nullptr;
  commit(of(self), {of(self).seed, v});
  Py_RETURN_NONE;
}

// The whole state as a tensor of bytes.
PyObject* get_state(PyObject* self, PyObject*) {
  return guarded([&] {
    BufferRef buffer = allocate(sizeof(Generator));
    std::memcpy(buffer->data, &of(self), sizeof(Generator));
    const LayoutRef layout = contiguous(Dims{sizeof(Generator)});
    return wrap(from_buffer(op_named("data"), std::move(buffer), DType::uint8, layout.get()));
  });
}

PyObject* set_state(PyObject* self, PyObject* state) {
  return guarded([&] {
    if (!is_tensor(state))
      raise(PyExc_TypeError, "expected a torch.ByteTensor, but got %s", Py_TYPE(state)->tp_name);
    const Value v = variable_of(state).value();
    if (v->dtype != DType::uint8) raise(PyExc_TypeError, "RNG state must be a torch.ByteTensor");
    if (v->numel() != sizeof(Generator)) fail(ErrorKind::runtime, "RNG state is wrong size");
    const Value bytes = v->layout->contiguous ? v : contiguous_copy(v);
    read_bytes(bytes);
    Generator given;
    std::memcpy(&given, bytes->data(), sizeof(Generator));
    commit(of(self), given);
    return Py_NewRef(self);
  });
}

PyObject* clone_state(PyObject* self, PyObject*) {
  return guarded([&] {
    const Object copy(generator_type.tp_alloc(&generator_type, 0));
    reinterpret_cast<GeneratorObject*>(copy.get())->own = of(self);
    return Py_NewRef(copy.get());
  });
}

PyObject* reduce(PyObject* self, PyObject*) {
  return guarded([&] {
    const Object state(get_state(self, nullptr));
    return Py_BuildValue("O(s)O", Py_TYPE(self), "cpu", state.get());
  });
}

PyObject* set_pickled_state(PyObject* self, PyObject* state) {
  const Object done(set_state(self, state));
  Py_RETURN_NONE;
}

PyObject* get_device(PyObject*, void*) {
  return guarded([&] { return Py_NewRef(registered("cpu")); });
}

PyGetSetDef attributes[] = {
    {"device", get_device, nullptr, "Where the generator lives: the CPU.", nullptr}, {}};

PyMethodDef methods[] = {
    {"manual_seed", manual_seed, METH_O, "Starts the sequence that belongs to this seed."},
    {"initial_seed", initial_seed, METH_NOARGS, "The seed that was set last."},
    {"seed", seed, METH_NOARGS, "Takes a seed from the system and says which."},
    {"get_offset", get_offset, METH_NOARGS, "How far the sequence has been used."},
    {"set_offset", set_offset, METH_O, "Continues the sequence from here."},
    {"get_state", get_state, METH_NOARGS, "The state as a tensor of bytes."},
    {"set_state", set_state, METH_O, "Continues from a state that get_state() gave."},
    {"clone_state", clone_state, METH_NOARGS, "A generator that goes on from the same state."},
    {"__reduce__", reduce, METH_NOARGS, nullptr},
    {"__setstate__", set_pickled_state, METH_O, nullptr},
    {}};

}  // namespace

Generator* to_generator(PyObject* o) {
  return PyObject_TypeCheck(o, &generator_type) ? &of(o) : nullptr;
}

void init_generator(PyObject* module) {
  PyTypeObject& t = generator_type;
  t.tp_name = "wend.Generator";
  t.tp_doc = "A sequence of random numbers that belongs to a seed.";
  t.tp_basicsize = sizeof(GeneratorObject);
  t.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE;
  t.tp_new = make;
  t.tp_methods = methods;
  t.tp_getset = attributes;
  check(PyType_Ready(&t));
  check(PyModule_AddObjectRef(module, "Generator", reinterpret_cast<PyObject*>(&t)));
  const Object object(t.tp_alloc(&t, 0));
  reinterpret_cast<GeneratorObject*>(object.get())->is_default = true;
  // A program that sets no seed draws other numbers every time.
  default_generator = {system_seed(), 0};
  check(PyModule_AddObjectRef(module, "default_generator", object.get()));
}

}  // namespace wend
