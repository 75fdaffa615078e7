// bind/fiber.hpp: a fiber of wend.map: a greenlet, and what the example at hand has of its own.
// Which of them goes on when is bind/hub's, where one gives way exec/run's.
#pragma once

#include <memory>

#include "bind/python.hpp"
#include "graph/fiber.hpp"

namespace wend {

class Hub;

// It lives on the heap, and so does all that others look at while it is away: its part of the stack
// is away with it.
class Example final : public Fiber {
 public:
  // One that is done with an earlier example, if there is one that began here: to make a greenlet
  // takes longer than to switch to it many times.
  static std::unique_ptr<Example> take();
  // Keeps it for later.
  static void give_back(std::unique_ptr<Example> example);

  bool wait() override;
  size_t company() const override;

  // From now on it is example `number`, in the modes of the caller.
  void begin(Hub& hub, size_t number, Object arguments, Object context);
  // Switches to it until it waits or is done; null with an exception set if it raised. If it
  // `closes`, GreenletExit is raised where it waits.
  PyObject* go_on(bool closes = false);

  size_t index = 0;
  bool done = true;

 private:
  // Where a greenlet was begun: it comes back to the same part of the stack, at the same depth.
  struct Origin {
    const void* stack;
    int depth;
    bool operator==(const Origin&) const = default;
    static Origin here();
  };

  explicit Example(Origin origin);
  static PyObject* work(PyObject* self, PyObject*);
  PyObject* call();
  bool begin_next();
  void belong_to(const Object& parent);

  const Origin origin_;
  Hub* hub_ = nullptr;
  Object greenlet_;
  Object parent_;  // that of the greenlet
  Object arguments_;
  Object context_;  // the example's own context variables
  Mode other_;      // the fiber's while it waits, that of the hub while it is inside
};

}  // namespace wend
