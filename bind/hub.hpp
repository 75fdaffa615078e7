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
  // `examples`: an iterator over tuples of arguments. `is_plain`: to take one calls no user code.
  // `expected`: so many there may be, none if that is not known.
  Hub(nanobind::callable fn, nanobind::object examples, bool is_plain, size_t in_flight,
      std::optional<size_t> expected);
  Hub(const Hub&) = delete;
  ~Hub();

  // Begins examples until as many are begun and not done as may be; true iff some of them wait.
  bool begin();
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
  // How many there are whose work may run together.
  size_t company() const;
  // The next example in a fiber that is done; false if there is none, or with an exception set.
  bool may_begin_inside() const { return is_plain_ && is_beginning_ && !closing_; }
  bool begin_inside(Example& example);

  const Object greenlet;      // the hub's own
  const Source begun_at;      // the line of the map
  Example* inside = nullptr;  // the fiber that goes on now

 private:
  Object next_arguments();
  void start(Example& example, Object arguments, Object context);
  void resume(Example& example);

  const nanobind::callable fn_;
  const nanobind::object examples_;
  const bool is_plain_;
  const uint64_t stream_;     // seeds the fibers
  const Fiber* const outer_;  // the fiber of another map that the hub is in
  std::vector<std::unique_ptr<Example>> in_flight_;
  std::vector<Object> results_;  // by index; null where there is none yet
  size_t unfinished_ = 0;        // examples that were begun and are not done
  const size_t limit_;           // the most examples that may be unfinished at a time
  const size_t expected_;        // how many will be, as far as the lengths of the inputs tell
  bool more_ = true;             // there may be more to come
  bool is_beginning_ = false;
  bool closing_ = false;
  Object context_;  // the caller's context variables when examples were begun last
  std::optional<size_t> failed_;
};

void init_hub(nanobind::module_& m);

}  // namespace wend
