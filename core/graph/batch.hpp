// graph/batch.hpp: nodes that ran together, and the one node that stands for all of them.
// Which nodes run together is exec/batch; how an op runs many members at once is its entry's.
#pragma once

#include "graph/op.hpp"

namespace wend {

// Member `i` is row `i` of `whole`, which has one more dimension in front. Members hold the batch,
// so it lives as long as one of them does.
struct Batch {
  uint32_t refs;
  uint32_t n;
  bool watched;       // a member may have hooks
  bool freed;         // all members' history was given up ...
  bool partly_freed;  // ... or that of some, one by one
  bool merges;        // some inputs are several views of one value, of which one stands for all
  Node* whole;        // held without use: the members hold the memory
  Node* members[];    // not counted; null once gone

  std::span<Node*> rows() { return {members, n}; }
};

// Makes a batch of `n` members, which are added by join_batch.
Ref<Batch> new_batch(const Value& whole, uint32_t n);
void join_batch(Batch& batch, Node& member, uint32_t row);
void leave_batch(Node& node);
void release(Batch* batch);

// True once a view, other than of a leaf's making, may have hooks.
inline constinit bool views_watched = false;

// The batch that a node ran in as a member.
inline Batch* batch_of(const Node& node) {
  return node.flags & Node::stands_for_batch ? nullptr : node.batch;
}
// The node of the whole batch, with its value, which lies where the members' values do.
Value whole_of(const Node& member);

}  // namespace wend
