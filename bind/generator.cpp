// bind/generator.cpp: wend.Generator, the state behind random ops.
#include "bind/generator.hpp"

#include <random>

#include "bind/types.hpp"

namespace wend {
namespace {

struct GeneratorObject {
  PyObject_HEAD
  Generator own;
  Generator* generator;  // `own`, or the default one
};

PyTypeObject generator_type = {PyVarObject_HEAD_INIT(nullptr, 0)};

Generator& of(PyObject* self) { return *reinterpret_cast<GeneratorObject*>(self)->generator; }

constexpr uint64_t kDefaultSeed = 67280421310721;

PyObject* make(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"device", nullptr};
  PyObject* device = Py_None;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|O", const_cast<char**>(names), &device))
    return nullptr;
  return guarded([&] {
    check_device(device);
    const Object self(type->tp_alloc(type, 0));
    auto* g = reinterpret_cast<GeneratorObject*>(self.get());
    g->own = {kDefaultSeed, 0};
    g->generator = &g->own;
    return Py_NewRef(self.get());
  });
}

PyObject* manual_seed(PyObject* self, PyObject* seed) {
  const Object index(PyNumber_Index(seed));
  if (!index) return nullptr;
  of(self) = {PyLong_AsUnsignedLongLongMask(index.get()), 0};
  return Py_NewRef(self);
}

PyObject* initial_seed(PyObject* self, PyObject*) {
  return PyLong_FromUnsignedLongLong(of(self).seed);
}

PyObject* seed(PyObject* self, PyObject*) {
  std::random_device source;
  of(self) = {static_cast<uint64_t>(source()) << 32 | source(), 0};
  return PyLong_FromUnsignedLongLong(of(self).seed);
}

PyObject* get_offset(PyObject* self, PyObject*) {
  return PyLong_FromUnsignedLongLong(of(self).offset);
}

PyObject* set_offset(PyObject* self, PyObject* offset) {
  const uint64_t v = PyLong_AsUnsignedLongLong(offset);
  if (PyErr_Occurred()) return nullptr;
  of(self).offset = v;
  Py_RETURN_NONE;
}

PyMethodDef methods[] = {
    {"manual_seed", manual_seed, METH_O, "Starts the sequence that belongs to this seed."},
    {"initial_seed", initial_seed, METH_NOARGS, "The seed that was set last."},
    {"seed", seed, METH_NOARGS, "Takes a seed from the system and says which."},
    {"get_offset", get_offset, METH_NOARGS, "How far the sequence has been used."},
    {"set_offset", set_offset, METH_O, "Continues the sequence from here."},
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
  check(PyType_Ready(&t));
  check(PyModule_AddObjectRef(module, "Generator", reinterpret_cast<PyObject*>(&t)));
  const Object object(t.tp_alloc(&t, 0));
  reinterpret_cast<GeneratorObject*>(object.get())->generator = &default_generator;
  check(PyModule_AddObjectRef(module, "default_generator", object.get()));
}

}  // namespace wend
