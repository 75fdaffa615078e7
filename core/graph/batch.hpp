// graph/batch.hpp: nodes that ran together, and the one node that stands for all of them.
// Which nodes run together is exec/group, running them exec/batch; how an op runs many members at
// once is its entry's.
#pragma once

#include <vector>

#include "graph/mode.hpp"
#include "graph/op.hpp"

namespace wend {

// One input of all members. Held for its history; for its value where the gradient reads it.
struct BatchInput {
  Node* all = nullptr;      // members' inputs one behind the other ...
  bool shared = false;      // ... or the one that all of them have
  std::vector<Node*> each;  // where they are several views of one value: those of all members
};

// Member `i` is row `i` of `whole`, which has one more dimension in front and owns the batch.
// Members count as valued even before it has run. Members let go of their inputs, the batch holds
// on to them; so a member that nobody refers to goes as soon as it was read, and is made anew
// should its history be looked at. A member's value lies in the whole's: it has no buffer before
// somebody asks for one.
struct Batch {
  Node* whole;
  Node* like;           // no member, but what every one of them is
  List<Node*> members;  // null where gone
  List<BatchInput> in;  // of nodes that require grad
  List<uint64_t> numbers;
  List<Source> sources;          // where members come from several places
  List<Ref<Attrs>> attrs;        // where members have some of their own
  std::vector<bool> freed_rows;  // whose history was given up one by one
  uint32_t freed_count = 0;      // ... and how many they are
  uint32_t valued = 0;           // members whose value lies here and may be needed
  uint32_t place = 0;            // among what rows were last put together of
  uint32_t level = 0;            // of the members while they were pending, see Pending::since
  bool watched = false;          // a member may have hooks
  bool freed = false;            // all members' history was given up
  bool merges = false;           // some `in` have `each`
  bool fetched = false;          // a member may have its inputs again

  uint32_t n() const { return static_cast<uint32_t>(members.size()); }

  static void* operator new(size_t bytes) { return small_alloc(bytes); }
  static void operator delete(void* batch) { small_free(batch, sizeof(Batch)); }
};

// Whatever the user has switched on, what is recorded on behalf of nodes has a plain mode.
struct PlainMode {
  explicit PlainMode(const Node* line_of) : before(std::exchange(mode, Mode{})) {
    mode.line_of = line_of;
    mode.unwatched = true;
  }
  PlainMode(const PlainMode&) = delete;
  ~PlainMode() { mode = before; }
  const Mode before;
};

// Makes the batch of `whole`, whose rows `members` are: all of them have their values.
Batch& new_batch(Node& whole, std::span<Node* const> members, List<BatchInput> in);
// Members of a new batch let go of their inputs, which may call user code.
void leave_inputs(std::span<Node* const> members);
void free_batch(Batch* batch);

// True once there was a batch: before, every value has its buffer.
inline constinit bool batches_made = false;
// True once a view, other than of a leaf's making, may have hooks.
inline constinit bool views_watched = false;

// The batch that a node ran in as a member.
inline Batch* batch_of(const Node& node) {
  return node.batch && !(node.flags & Node::stands_for_batch) ? node.batch : nullptr;
}
// Where a node stands in the order of running; a member stands where its batch does.
inline uint64_t order_of(const Node& node) {
  const Batch* batch = batch_of(node);
  return batch ? batch->whole->order : node.order;
}
// True iff a member's value is a row of its batch's.
inline bool lies_in_batch(const Node& node) {
  return batch_of(node) && node.state == State::valued &&
         (!node.buffer || whole_of(*node.buffer) != nullptr);
}
// True for a member of a batch that is yet to run.
inline bool is_awaited(const Node& node) {
  const Batch* batch = batch_of(node);
  return batch && !node.buffer && node.state == State::valued &&
         batch->whole->state == State::pending;
}
// The node of the whole batch, with its value, for a member whose value lies there.
Value whole_of(const Node& member);
// Member `row` of the batch that `whole` stands for, which may be gone: then it is made anew.
Ref<Node> member_of(Node& whole, uint32_t row);
// A member that let go of its inputs gets them again.
void fetch_inputs(const Node& node);

// Gives a valued node its buffer, where it is a row of a batch and has none yet.
inline void with_buffer(Node& node) {
  if (!node.buffer && node.state == State::valued) [[unlikely]]
    give_row(node);
}
// The value of a member is not needed any more.
inline void row_unneeded(Node& member) {
  Batch& batch = *member.batch;
  if (--batch.valued == 0) unuse(batch.whole);
}
// A node goes that is a member of a batch, or stands for one.
inline void leave_batch(Node& node) {
  if (node.flags & Node::stands_for_batch) return free_batch(node.batch);
  Batch& batch = *node.batch;
  if (node.state == State::valued && !node.buffer) row_unneeded(node);
  batch.members[node.row] = nullptr;
  unref(batch.whole);
}
// A member whose value was dropped has it again, if that of its batch is still there.
bool revive(Node& node);

// Gives up what was saved for the members' gradients, and the way back through them.
void forget_history(Batch& batch);
void forget_row(Batch& batch, uint32_t row);
// A member lets go of the inputs that it had fetched.
void forget_inputs(Node& member);
inline bool is_freed(const Batch& batch, uint32_t row) {
  return batch.freed || (batch.freed_count && batch.freed_rows[row]);
}
// Where few members' values are needed and nothing else of the whole is, they move out of it.
void move_survivors_out(Batch& batch);

}  // namespace wend
