// graph/watch.cpp: the list of watchers. Who causes an event is elsewhere.
#include "graph/watch.hpp"

#include <algorithm>
#include <vector>

#include "base/forever.hpp"

namespace wend {
namespace {

constinit Forever<std::vector<Watcher*>> watchers;

// A watcher that removes itself or adds another one does not disturb the others.
template <class Tell>
void tell_all(Tell tell) {
  const std::vector<Watcher*> all = watchers.value;
  for (Watcher* watcher : all) tell(*watcher);
}

}  // namespace

void add_watcher(Watcher& watcher) {
  watchers.value.push_back(&watcher);
  some_watch = true;
}

void remove_watcher(Watcher& watcher) {
  std::erase(watchers.value, &watcher);
  some_watch = !watchers.value.empty();
}

void tell_recorded(const Node& node) {
  tell_all([&](Watcher& watcher) { watcher.recorded(node, mode.line_of); });
}
void tell_read(const Node& node, Read how, const Arg& answer) {
  tell_all([&](Watcher& watcher) { watcher.read(node, how, answer); });
}
void tell_wrote(const Node* node, Write what) {
  tell_all([&](Watcher& watcher) { watcher.wrote(node, what); });
}
void tell_drew(const Generator& from, uint64_t count) {
  tell_all([&](Watcher& watcher) { watcher.drew(from, count); });
}
void tell_entered(ContextId context) {
  tell_all([&](Watcher& watcher) { watcher.entered(context); });
}
void tell_left(ContextId context) {
  tell_all([&](Watcher& watcher) { watcher.left(context); });
}

}  // namespace wend
