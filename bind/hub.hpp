// bind/hub.hpp: where the fibers of one map come back to when they wait or are done, and who goes
// on when. Where a fiber gives way is exec/run's; what becomes of errors is the package's.
#pragma once

#include <nanobind/nanobind.h>

#include <optional>
#include <vector>

#include "bind/fiber.hpp"

namespace wend {

class Hub {
 public:
  explicit Hub(nanobind::callable fn);
  Hub(const Hub&) = delete;

  // Begins examples until so many are begun and not done; true iff some of them wait.
  bool begin(nanobind::handle examples, size_t in_flight);
  // Lets each that waits go on, in order, until it waits again or is done.
  void go_on();
  // Raises GreenletExit where the first of those that wait does so, and returns its index; none
  // where nobody waits any more. From now on nobody does.
  std::optional<size_t> close_next();

  size_t waiting() const { return in_flight_.size(); }
  std::optional<size_t> failed() const { return failed_; }  // the index of the last that raised
  nanobind::list results() const;
  nanobind::dict finished() const;  // results so far, by index

  // For the fibers.
  PyObject* function() const { return fn_.ptr(); }
  void take_result(size_t index, PyObject* result);
  Generator generator_of(size_t index) const;
  // Whether there is somebody whose work may run together with that of one that waits.
  bool has_company() const;

  const Object greenlet;      // the hub's own
  Example* inside = nullptr;  // the fiber that goes on now

 private:
  void resume(Example& example);

  nanobind::callable fn_;
  const uint64_t stream_;  // seeds the fibers
  const bool is_nested_;   // the hub is itself in a fiber of another map
  std::vector<std::unique_ptr<Example>> in_flight_;
  std::vector<Object> results_;  // by index; null where there is none yet
  size_t unfinished_ = 0;        // examples that were begun and are not done
  size_t limit_ = 0;             // how many of them there may be
  bool more_ = true;             // there may be more to come
  bool closing_ = false;
  std::optional<size_t> failed_;
};

void init_hub(nanobind::module_& m);

}  // namespace wend
