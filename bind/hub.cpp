// bind/hub.cpp: lets the fibers of one map go on in turn.
#include "bind/hub.hpp"

#include <nanobind/stl/optional.h>

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
  return mixed(mixed(generator.seed + kGolden) + generator.take(1) + kGolden);
}

}  // namespace

Hub::Hub(nb::callable fn)
    : greenlet(greenlets().current()),
      fn_(std::move(fn)),
      stream_(take_stream()),
      is_nested_(mode.fiber) {}

Generator Hub::generator_of(size_t index) const {
  return {mixed(stream_ + kGolden * (index + 1)), 0};
}

bool Hub::has_company() const {
  return !closing_ && (is_nested_ || unfinished_ > 1 || (more_ && limit_ > 1));
}

void Hub::take_result(size_t index, PyObject* result) {
  Object taken(result);
  if (!closing_) results_[index] = std::move(taken);
}

void Hub::resume(Example& example) {
  PyObject* back = example.go_on();
  if (!back) {
    failed_ = example.index;
    example.done = true;
    throw PythonError{};
  }
  Py_DECREF(back);
  unfinished_ -= example.done;
}

bool Hub::begin(nb::handle examples, size_t in_flight) {
  limit_ = in_flight;
  while (more_ && in_flight_.size() < in_flight) {
    PyObject* arguments = PyIter_Next(examples.ptr());
    if (!arguments) {
      if (PyErr_Occurred()) throw PythonError{};
      more_ = false;
      break;
    }
    in_flight_.push_back(Example::take());
    in_flight_.back()->begin(*this, results_.size(), Object(arguments));
    results_.emplace_back();
    ++unfinished_;
    resume(*in_flight_.back());
    if (!in_flight_.back()->done) continue;
    Example::give_back(std::move(in_flight_.back()));
    in_flight_.pop_back();
  }
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
      .def(nb::init<nb::callable>())
      .def("begin", &Hub::begin)
      .def("go_on", &Hub::go_on)
      .def("close_next", &Hub::close_next)
      .def("waiting", &Hub::waiting)
      .def("failed", &Hub::failed)
      .def("results", &Hub::results)
      .def("finished", &Hub::finished);
}

}  // namespace wend
