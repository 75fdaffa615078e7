// bind/fiber.cpp: what a fiber of wend.map has of its own: its modes, its default dtype and its
// random numbers. Switching between fibers is the package's.
#include "bind/fiber.hpp"

#include "bind/python.hpp"
#include "graph/fiber.hpp"
#include "graph/record.hpp"

namespace nb = nanobind;

namespace wend {
namespace {

// The last steps of splitmix64: every bit of the result depends on every bit of `v`.
uint64_t mixed(uint64_t v) {
  v = (v ^ v >> 30) * 0xbf58476d1ce4e5b9u;
  v = (v ^ v >> 27) * 0x94d049bb133111ebu;
  return v ^ v >> 31;
}

constexpr uint64_t kGolden = 0x9e3779b97f4a7c15u;

// A number that seeds the fibers of one map; the generator it comes from moves on.
uint64_t take_stream() {
  Generator& generator = current_generator();
  return mixed(mixed(generator.seed + kGolden) + generator.take(1) + kGolden);
}

// Starts with the modes of whoever makes it. `wait` is called where the fiber may give way.
class PythonFiber : public Fiber {
 public:
  PythonFiber(nb::callable wait, uint64_t stream, uint64_t index)
      : other_(mode), wait_(std::move(wait)) {
    default_dtype = wend::default_dtype();
    generator = {mixed(stream + kGolden * (index + 1)), 0};
    other_.fiber = this;
    begun_at = current_source();
  }
  ~PythonFiber() override {
    if (begun_at.code) source_hooks.release(begun_at.code, 1);
  }
  bool wait() override { return Object(PyObject_CallNoArgs(wait_.ptr())).get() == Py_True; }

  void enter() {
    if (!inside_) swap();
  }
  void leave() {
    if (inside_) swap();
  }

 private:
  void swap() {
    std::swap(mode, other_);
    inside_ = !inside_;
  }

  Mode other_;  // the fiber's while it waits, that of the others while it is inside
  bool inside_ = false;
  nb::callable wait_;
};

}  // namespace

void init_fiber(nb::module_& m) {
  nb::class_<PythonFiber>(m, "_Fiber")
      .def(nb::init<nb::callable, uint64_t, uint64_t>())
      .def("enter", &PythonFiber::enter)
      .def("leave", &PythonFiber::leave);
  m.def("_take_stream", take_stream);
}

}  // namespace wend
