// bind/watch.cpp: a watcher that writes events down, for Python to take when it likes.
#include "bind/watch.hpp"

#include <nanobind/stl/string.h>

#include <vector>

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
    events_.push_back({"recorded", node.number, node.op->name, {}, forward ? forward->number : 0});
  }
  void read(const Node& node, Read how, const Arg& answer) override {
    events_.push_back({"read", node.number, name_of(how), answer, 0});
  }
  void wrote(const Node* node, Write what) override {
    events_.push_back({"wrote", node ? node->number : 0, name_of(what), {}, 0});
  }
  void drew(const Generator&, uint64_t count) override {
    events_.push_back({"drew", 0, "", Arg::of(static_cast<int64_t>(count)), 0});
  }

  // What happened since it was last asked: ("recorded", number, op, number of the forward node or
  // 0), ("read", number, how, answer), ("wrote", number or 0, what), ("drew", count).
  nb::list take() {
    nb::list rows;
    for (const Event& e : std::exchange(events_, {})) rows.append(row_of(e));
    return rows;
  }

 private:
  struct Event {
    const char* kind;
    uint64_t number;
    const char* word;
    Arg answer;
    uint64_t forward;
  };

  static nb::tuple row_of(const Event& e) {
    const std::string_view kind = e.kind;
    if (kind == "recorded") return nb::make_tuple(e.kind, e.number, e.word, e.forward);
    if (kind == "read") return nb::make_tuple(e.kind, e.number, e.word, object_of(e.answer));
    if (kind == "wrote") return nb::make_tuple(e.kind, e.number, e.word);
    return nb::make_tuple(e.kind, object_of(e.answer));
  }

  std::vector<Event> events_;
};

}  // namespace

void init_watch(nb::module_& m) {
  nb::class_<EventLog>(m, "_EventLog").def(nb::init<>()).def("take", &EventLog::take);
  m.def("_unwatched", [] { return mode.unwatched; });
  m.def("_set_unwatched", [](bool on) { mode.unwatched = on; });
}

}  // namespace wend
