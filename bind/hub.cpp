// bind/hub.cpp: lets the fibers of one map go on in turn.
#include "bind/hub.hpp"

#include <nanobind/stl/optional.h>

#include <algorithm>

#include "bind/greenlet.hpp"
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
  return mixed(mixed(generator.seed + kGolden) + draw(generator, 1) + kGolden);
}

}  // namespace

Hub::Hub(nb::callable fn, nb::object examples, bool is_plain, size_t in_flight,
         std::optional<size_t> expected)
    : greenlet(greenlets().current()),
      begun_at(current_source()),
      fn_(std::move(fn)),
      examples_(std::move(examples)),
      is_plain_(is_plain),
      stream_(take_stream()),
      outer_(mode.fiber),
      limit_(in_flight),
      expected_(std::min(in_flight, expected.value_or(in_flight))) {}

Hub::~Hub() {
  if (begun_at.code) source_hooks.release(begun_at.code, 1);
}

Generator Hub::generator_of(size_t index) const {
  return {mixed(stream_ + kGolden * (index + 1)), 0};
}

size_t Hub::company() const {
  if (closing_) return 0;
  const size_t own = more_ ? std::max(unfinished_, expected_) : unfinished_;
  return outer_ ? own * outer_->company() : own;
}

void Hub::take_result(size_t index, PyObject* result) {
  Object taken(result);
  --unfinished_;
  if (!closing_) results_[index] = std::move(taken);
}

void Hub::resume(Example& example) {
  PyObject* back = example.go_on();
  if (!back) {
    if (!example.done) failed_ = example.index;  // else it raised to take another example
    example.done = true;
    throw PythonError{};
  }
  Py_DECREF(back);
}

// The arguments of the next example; nothing at the end.
Object Hub::next_arguments() {
  PyObject* next = more_ ? staying([&] { return PyIter_Next(examples_.ptr()); }) : nullptr;
  if (next) return Object(next);
  more_ = false;
  if (PyErr_Occurred()) throw PythonError{};
  return {};
}

void Hub::start(Example& example, Object arguments, Object context) {
  example.begin(*this, results_.size(), std::move(arguments), std::move(context));
  results_.emplace_back();
  ++unfinished_;
}

bool Hub::begin_inside(Example& example) {
  return guarded([&] {
    Object arguments = next_arguments();
    if (!arguments) return false;
    start(example, std::move(arguments), Object(PyContext_Copy(context_.get())));
    return true;
  });
}

bool Hub::begin() {
  is_beginning_ = true;
  while (in_flight_.size() < limit_) {
    Object arguments = next_arguments();
    if (!arguments) break;
    context_ = Object(PyContext_CopyCurrent());
    in_flight_.push_back(Example::take());
    start(*in_flight_.back(), std::move(arguments), context_);
    resume(*in_flight_.back());
    if (!in_flight_.back()->done) continue;
    Example::give_back(std::move(in_flight_.back()));
    in_flight_.pop_back();
  }
  is_beginning_ = false;
  return !in_flight_.empty();
}

void Hub::go_on() {
  for (const auto& example : in_flight_) resume(*example);
  std::erase_if(in_flight_, [](auto& example) {
    if (!example->done) return false;
    Example::give_back(std::move(example));
    return true;
  });
}

std::optional<size_t> Hub::close_next() {
  closing_ = true;
  std::erase_if(in_flight_, [](const auto& example) { return example->done; });
  if (in_flight_.empty()) return {};
  const std::unique_ptr<Example> closed = std::move(in_flight_.front());
  in_flight_.erase(in_flight_.begin());
  PyObject* back = closed->go_on(/*closes=*/true);
  if (!back) {
    failed_ = closed->index;
    throw PythonError{};
  }
  Py_DECREF(back);
  return closed->index;
}

nb::list Hub::results() const {
  nb::list all;
  for (const Object& result : results_) all.append(nb::handle(result.get()));
  return all;
}

nb::dict Hub::finished() const {
  nb::dict found;
  for (size_t i = 0; i < results_.size(); ++i)
    if (results_[i]) found[nb::int_(i)] = nb::handle(results_[i].get());
  return found;
}

void init_hub(nb::module_& m) {
  nb::class_<Hub>(m, "_Hub")
      .def(nb::init<nb::callable, nb::object, bool, size_t, std::optional<size_t>>())
      .def("begin", &Hub::begin)
      .def("go_on", &Hub::go_on)
      .def("close_next", &Hub::close_next)
      .def("waiting", &Hub::waiting)
      .def("failed", &Hub::failed)
      .def("results", &Hub::results)
      .def("finished", &Hub::finished);
}

}  // namespace wend
