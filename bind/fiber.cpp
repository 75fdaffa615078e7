// bind/fiber.cpp: fibers of wend.map: their greenlets, modes, context variables and random numbers.
#include "bind/fiber.hpp"

#include <algorithm>
#include <vector>

#include "bind/greenlet.hpp"
#include "bind/hub.hpp"
#include "graph/context.hpp"
#include "graph/record.hpp"

namespace wend {
namespace {

// What a thread keeps of the maps that it has run.
struct Kept {
  static constexpr size_t kMost = 256;  // each keeps some kilobytes of stack

  std::vector<std::unique_ptr<Example>> idle;
  Object main;  // the parent of idle greenlets, lest they keep that of a map that is over
};

thread_local Kept* kept = nullptr;

// Goes with the thread's dictionary, while greenlets of the thread can still be ended.
void let_go(PyObject* capsule) {
  delete std::exchange(kept, nullptr);
  static_cast<void>(capsule);
}

Kept& kept_of_thread() {
  if (kept) return *kept;
  PyObject* dict = PyThreadState_GetDict();
  if (!dict) raise(PyExc_RuntimeError, "wend.map: the thread has no dictionary");
  auto made = std::make_unique<Kept>();
  made->main = Object(greenlets().current());
  while (PyObject* parent = greenlets().parent(made->main.get())) made->main = Object(parent);
  const Object owner(PyCapsule_New(made.get(), nullptr, let_go));
  kept = made.release();
  check(PyDict_SetItemString(dict, "wend.map", owner.get()));
  return *kept;
}

// A greenlet goes on to be traced or not, as it was when it began.
bool is_traced() {
  const PyThreadState* state = PyThreadState_Get();
  return state->c_tracefunc || state->c_profilefunc;
}

}  // namespace

Example::Origin Example::Origin::here() {
  const PyThreadState* state = PyThreadState_Get();
#if PY_VERSION_HEX >= 0x030c0000
  const int depth = state->py_recursion_limit - state->py_recursion_remaining;
#else
  const int depth = state->recursion_limit - state->recursion_remaining;
#endif
  return {__builtin_frame_address(0), depth};
}

Example::Example(Origin origin) : origin_(origin) {
  static PyMethodDef method = {"example", work, METH_NOARGS, nullptr};
  const Object self(PyCapsule_New(this, nullptr, nullptr));
  const Object run(PyCFunction_New(&method, self.get()));
  greenlet_ = Object(greenlets().make(run.get(), nullptr));
}

[[gnu::noinline]] std::unique_ptr<Example> Example::take() {
  auto& idle = kept_of_thread().idle;
  const Origin here = Origin::here();
  const auto is_from_here = [&](const auto& example) { return example->origin_ == here; };
  const auto found = std::ranges::find_if(idle.rbegin(), idle.rend(), is_from_here);
  if (found == idle.rend() || is_traced()) return std::unique_ptr<Example>(new Example(here));
  std::unique_ptr<Example> example = std::move(*found);
  idle.erase(std::next(found).base());
  return example;
}

void Example::give_back(std::unique_ptr<Example> example) {
  Kept& kept = kept_of_thread();
  if (is_traced()) return;
  example->belong_to(kept.main);
  kept.idle.push_back(std::move(example));
  if (kept.idle.size() > Kept::kMost) kept.idle.erase(kept.idle.begin());
}

void Example::belong_to(const Object& parent) {
  if (parent_.get() == parent.get()) return;
  check(greenlets().set_parent(greenlet_.get(), parent.get()));
  parent_ = parent;
}

void Example::begin(Hub& hub, size_t number, Object arguments, Object context) {
  belong_to(hub.greenlet);
  context_ = std::move(context);
  hub_ = &hub;
  index = number;
  done = false;
  arguments_ = std::move(arguments);
  other_ = mode;
  other_.fiber = this;
  default_dtype = wend::default_dtype();
  generator = hub.generator_of(number);
  begun_at = hub.begun_at;
}

// Goes on with the next example without a switch to the hub and back; false where the hub is to
// begin it.
bool Example::begin_next() {
  if (!hub_->may_begin_inside()) return false;
  std::swap(mode, other_);
  const bool is_begun = hub_->begin_inside(*this);
  std::swap(mode, other_);
  return is_begun;
}

PyObject* Example::go_on(bool closes) {
  const Greenlets& g = greenlets();
  const During outside(Activity::outside);
  hub_->inside = this;
  std::swap(mode, other_);
  PyObject* back = closes ? g.raise_in(greenlet_.get(), g.exit, nullptr, nullptr)
                          : g.switch_to(greenlet_.get(), nullptr, nullptr);
  std::swap(mode, other_);
  hub_->inside = nullptr;
  return back;
}

// Greenlets of the user's own making and fibers that are closed do not wait.
bool Example::wait() {
  if (hub_->inside != this || hub_->company() < 2) return false;
  if (Object(greenlets().current()).get() != greenlet_.get()) return false;
  const During outside(Activity::outside);
  Object(greenlets().switch_to(hub_->greenlet.get(), nullptr, nullptr));
  return true;
}

size_t Example::company() const { return hub_->company(); }

PyObject* Example::call() {
  if (PyContext_Enter(context_.get()) < 0) return nullptr;
  const ContextId before = enter(Scope::example, std::to_string(index));
  PyObject* result =
      staying([&] { return PyObject_CallObject(hub_->function(), arguments_.get()); });
  leave(before);
  if (PyContext_Exit(context_.get()) < 0) Py_CLEAR(result);
  context_ = arguments_ = {};
  return result;
}

// What a greenlet runs: one example after the other, for one map or several.
PyObject* Example::work(PyObject* self, PyObject*) {
  auto& example = *static_cast<Example*>(PyCapsule_GetPointer(self, nullptr));
  while (PyObject* result = example.call()) {
    example.done = true;
    example.hub_->take_result(example.index, result);
    if (example.begin_next()) continue;
    if (PyErr_Occurred()) return nullptr;
    PyObject* next = greenlets().switch_to(example.parent_.get(), nullptr, nullptr);
    if (!next) break;
    Py_DECREF(next);
  }
  return nullptr;
}

}  // namespace wend
