// graph/watch.hpp: the stream of events: what a program records, reads, writes and draws.
// Each event has one point of origin. What is made of the events is the watchers' business.
#pragma once

#include <cstdint>

#include "graph/arg.hpp"
#include "graph/mode.hpp"

namespace wend {

struct Node;
struct Generator;

// What a program learns of a tensor's value.
enum class Read : uint8_t {
  truth,   // whether its one element is true
  number,  // its one element
  bytes,   // all elements
  size,    // a size that depends on its elements
};

// What a program changes about a tensor, or about a generator.
enum class Write : uint8_t {
  value,      // elements
  data,       // it becomes an alias of another tensor, and keeps its history
  geometry,   // sizes and strides over the same storage
  storage,    // the length of the storage
  history,    // requires_grad, or the node of an autograd.Function
  version,    // the counter of versions alone
  outside,    // the memory is handed to others, who may write it from then on
  gradient,   // .grad
  generator,  // seed or offset
  untold,     // part of a change that is told as a whole
};

// Called under the embedding program's lock, in the thread that causes the event. A watcher may
// look at nodes, but neither records nor reads.
class Watcher {
 public:
  virtual ~Watcher() = default;
  // `forward`: where the node is a part of a gradient, the node whose gradient it is.
  virtual void recorded(const Node& /*node*/, const Node* /*forward*/) {}
  // `answer`: none for bytes, which lie in the node.
  virtual void read(const Node& /*node*/, Read /*how*/, const Arg& /*answer*/) {}
  // `node` stands for the tensor from now on; null where it has none: for a generator, or a
  // gradient that is removed.
  virtual void wrote(const Node* /*node*/, Write /*what*/) {}
  virtual void drew(const Generator& /*from*/, uint64_t /*count*/) {}
  // What happens from now on belongs to that context, or to the one around it again.
  virtual void entered(ContextId /*context*/) {}
  virtual void left(ContextId /*context*/) {}
};

void add_watcher(Watcher& watcher);
void remove_watcher(Watcher& watcher);

// True while there are watchers.
inline constinit bool some_watch = false;
inline bool is_watched() { return some_watch && !mode.unwatched; }

// Tell the watchers.
void tell_recorded(const Node& node);
void tell_read(const Node& node, Read how, const Arg& answer);
void tell_wrote(const Node* node, Write what);
void tell_drew(const Generator& from, uint64_t count);
void tell_entered(ContextId context);
void tell_left(ContextId context);

// While it lives, what the library does by itself is no event.
struct Unwatched {
  Unwatched() : before(mode.unwatched) { mode.unwatched = true; }
  Unwatched(const Unwatched&) = delete;
  ~Unwatched() { mode.unwatched = before; }
  const bool before;
};

}  // namespace wend
