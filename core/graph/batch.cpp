// graph/batch.cpp: the life of a batch: members join and leave, the whole goes with the last.
#include "graph/batch.hpp"

#include "base/buffer.hpp"

namespace wend {
namespace {

size_t bytes_of(uint32_t n) { return sizeof(Batch) + n * sizeof(Node*); }

}  // namespace

Ref<Batch> new_batch(const Value& whole, uint32_t n) {
  auto* batch = static_cast<Batch*>(small_alloc(bytes_of(n)));
  batch->refs = 1;
  batch->n = n;
  batch->watched = batch->freed = batch->partly_freed = batch->merges = false;
  batch->whole = whole.get();
  retain(batch->whole);
  batch->whole->batch = batch;
  batch->whole->flags |= Node::stands_for_batch;
  return Ref<Batch>::adopt(batch);
}

void join_batch(Batch& batch, Node& member, uint32_t row) {
  batch.members[row] = &member;
  member.batch = Ref<Batch>(&batch).leak();
  member.row = row;
  member.order = batch.whole->order;
}

void leave_batch(Node& node) {
  if (node.flags & Node::stands_for_batch) return;
  Batch* batch = node.batch;
  batch->members[node.row] = nullptr;
  Ref<Batch>::adopt(batch);
}

void release(Batch* batch) {
  Node* whole = batch->whole;
  whole->batch = nullptr;
  whole->flags &= ~Node::stands_for_batch;
  small_free(batch, bytes_of(batch->n));
  unref(whole);
}

Value whole_of(const Node& member) {
  Node& whole = *member.batch->whole;
  if (whole.state == State::dropped) {
    whole.buffer = BufferRef(whole_of(*member.buffer)).leak();
    whole.state = State::valued;
  }
  return Value(&whole);
}

}  // namespace wend
