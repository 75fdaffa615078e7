// bind/watch.cpp: a watcher that writes events down, for Python to take when it likes.
#include "bind/watch.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include <vector>

#include "graph/context.hpp"
#include "graph/generator.hpp"
#include "graph/op.hpp"
#include "graph/watch.hpp"

namespace nb = nanobind;

namespace wend {
namespace {

const char* name_of(Read how) {
  switch (how) {
    case Read::truth:
      return "truth";
    case Read::number:
      return "number";
    case Read::bytes:
      return "bytes";
    case Read::size:
      return "size";
  }
  return "";
}

const char* name_of(Write what) {
  switch (what) {
    case Write::value:
      return "value";
    case Write::data:
      return "data";
    case Write::geometry:
      return "geometry";
    case Write::storage:
      return "storage";
    case Write::history:
      return "history";
    case Write::version:
      return "version";
    case Write::outside:
      return "outside";
    case Write::gradient:
      return "gradient";
    case Write::generator:
      return "generator";
    case Write::untold:
      break;
  }
  return "";
}

constexpr const char* kScopes[] = {"program", "module", "example", "backward", "step", "range"};

Scope scope_of(std::string_view name) {
  for (size_t i = 0; i < std::size(kScopes); ++i)
    if (name == kScopes[i]) return static_cast<Scope>(i);
  throw nb::value_error("no such scope");
}

nb::tuple describe(ContextId context) {
  const ContextInfo& info = info_of(context);
  return nb::make_tuple(info.parent, kScopes[static_cast<int>(info.scope)], info.name);
}

nb::object object_of(const Arg& answer) {
  if (answer.kind == Arg::none) return nb::none();
  if (answer.kind == Arg::boolean) return nb::bool_(answer.as_bool());
  if (answer.kind == Arg::real) return nb::float_(answer.d);
  return nb::int_(answer.i);
}

// Holds no node: that a program is watched does not keep its values.
class EventLog final : public Watcher {
 public:
  EventLog() { add_watcher(*this); }
  EventLog(const EventLog&) = delete;
  ~EventLog() override { remove_watcher(*this); }

  void recorded(const Node& node, const Node* forward) override {
    events_.push_back(
        {"recorded", node.number, node.op->name, {}, forward ? forward->number : 0, mode.context});
  }
  void read(const Node& node, Read how, const Arg& answer) override {
    events_.push_back(
        {.kind = "read", .number = node.number, .word = name_of(how), .answer = answer});
  }
  void wrote(const Node* node, Write what) override {
    events_.push_back({.kind = "wrote", .number = node ? node->number : 0, .word = name_of(what)});
  }
  void drew(const Generator&, uint64_t count) override {
    events_.push_back({.kind = "drew", .answer = Arg::of(static_cast<int64_t>(count))});
  }

  void entered(ContextId context) override {
    events_.push_back({.kind = "entered", .context = context});
  }
  void left(ContextId context) override { events_.push_back({.kind = "left", .context = context}); }

  // What happened since it was last asked; wend/_watch.py says what the tuples are.
  nb::list take() {
    nb::list rows;
    for (const Event& e : std::exchange(events_, {})) rows.append(row_of(e));
    return rows;
  }

 private:
  struct Event {
    const char* kind;
    uint64_t number = 0;
    const char* word = "";
    Arg answer = {};
    uint64_t forward = 0;
    ContextId context = 0;
  };

  static nb::tuple row_of(const Event& e) {
    const std::string_view kind = e.kind;
    if (kind == "recorded") return nb::make_tuple(e.kind, e.number, e.word, e.forward, e.context);
    if (kind == "read") return nb::make_tuple(e.kind, e.number, e.word, object_of(e.answer));
    if (kind == "wrote") return nb::make_tuple(e.kind, e.number, e.word);
    if (kind == "drew") return nb::make_tuple(e.kind, object_of(e.answer));
    return nb::make_tuple(e.kind, e.context);
  }

  std::vector<Event> events_;
};

}  // namespace

void init_watch(nb::module_& m) {
  nb::class_<EventLog>(m, "_EventLog").def(nb::init<>()).def("take", &EventLog::take);
  m.def("_is_watched", is_watched);
  m.def("_context", describe);
  m.def("_enter",
        [](std::string_view scope, std::string_view name) { return enter(scope_of(scope), name); });
  m.def("_leave", leave);
}

}  // namespace wend
