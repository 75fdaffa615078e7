// graph/batch.cpp: the life of a batch: members join and leave, are made anew when they are asked
// for, and lie in the whole's memory until they need some of their own.
#include "graph/batch.hpp"

#include <algorithm>
#include <cstring>

#include "base/buffer.hpp"
#include "graph/record.hpp"

namespace wend {
namespace {

constexpr uint32_t kFewOf = 4;  // members of which one is few
constexpr uint8_t kCommonFlags = Node::requires_grad | Node::inference;

bool saves(const Batch& batch, size_t i) {
  return i < 7 && !batch.freed && batch.like->saved >> i & 1;
}

// Held without use, unless the gradient reads it.
void hold_inputs(Batch& batch) {
  for (size_t i = 0; i < batch.in.size(); ++i) {
    retain(batch.in[i].all);
    if (saves(batch, i)) use(batch.in[i].all);
    for (Node* one : batch.in[i].each) retain(one);
    batch.merges |= !batch.in[i].each.empty();
  }
  if (batch.like->saved & kSavesOutput) use(batch.whole);
}

// What goes may call user code, which finds the inputs gone already.
void let_inputs_go(Batch& batch) {
  const auto inputs = std::exchange(batch.in, {});
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (saves(batch, i)) unuse(inputs[i].all);
    unref(inputs[i].all);
    for (Node* one : inputs[i].each) unref(one);
  }
}

void remember_sources(Batch& batch) {
  batch.sources.reserve(batch.n());
  for (const Node* m : batch.members) {
    batch.sources.push_back(m->source());
    if (m->code) source_hooks.retain(m->code);
  }
}

// Which node is row i of `stacked`, and which of its own rows that is; -1 for all of it.
std::pair<Node*, int64_t> origin_of_row(const Node& stacked, uint32_t i) {
  if (stacked.flags & Node::stands_for_batch) return {const_cast<Node*>(&stacked), i};
  if (stacked.op->back != Back::rows) return {nullptr, 0};
  if (stacked.op->view) return {stacked.inputs[0].get(), stacked.attr(0).as_int() + i};
  return {stacked.inputs[stacked.attr(1).as_ints()[i]].get(), stacked.attr(2).as_ints()[i]};
}

// Stands for a value whose origin does not matter, for no gradient goes there.
Ref<Node> nameless(const Node& stacked) {
  static const Op& data = op_named("data");
  const LayoutRef layout = intern(stacked.sizes().subspan(1), stacked.strides().subspan(1));
  const PlainMode plain(&stacked);
  return Ref<Node>::adopt(bare_node(data, 0, stacked.dtype, layout.get(), 0));
}

Ref<Node> input_of(const Batch& batch, size_t i, uint32_t row) {
  const BatchInput& in = batch.in[i];
  if (!in.each.empty()) return Ref<Node>(in.each[row]);
  if (in.shared) return Ref<Node>(in.all);
  const auto [origin, at] = origin_of_row(*in.all, row);
  if (!origin) return nameless(*in.all);
  if (at < 0) return Ref<Node>(origin);
  if (!(origin->flags & Node::stands_for_batch)) return nameless(*in.all);
  const auto row_there = static_cast<uint32_t>(at);
  if (Node* there = origin->batch->members[row_there]) return Ref<Node>(there);
  return origin->needs_grad() ? member_of(*origin, row_there) : nameless(*in.all);
}

// Without inputs.
Node* copy_of(const Node& node) {
  const PlainMode plain(&node);
  return bare_node(*node.op, node.n_inputs, node.dtype, node.layout, node.offset);
}

Node* make_anew(Batch& batch, uint32_t row) {
  const Node& like = *batch.like;
  Node* node = copy_of(like);
  node->flags = like.flags;
  node->number = batch.numbers[row];
  node->attrs = Ref<Attrs>(batch.attrs.empty() ? like.attrs : batch.attrs[row].get()).leak();
  if (!batch.sources.empty()) {
    if (node->code) source_hooks.release(node->code, 1);
    node->code = batch.sources[row].code;
    node->instruction = batch.sources[row].instruction;
    if (node->code) source_hooks.retain(node->code);
  }
  node->batch = &batch;
  node->row = row;
  retain(batch.whole);
  batch.members[row] = node;
  return node;
}

// Members become rows, and what they do not have in common is remembered. They were last seen
// before the batch ran.
void join_batch(Batch& batch) {
  constexpr uint32_t kAhead = 12, kPlace = 6;
  const Node& like = *batch.like;
  const uint32_t n = batch.n();
  Node* const* members = batch.members.data();
  Node** const places = pending.nodes.data();
  uint64_t* numbers = batch.numbers.data();
  uint32_t valued = 0;
  bool same_source = true, watched = false;
  for (uint32_t row = 0; row < n; ++row) {
    if (row + kAhead < n) fetch(members[row + kAhead]);
    if (row + kPlace < n) __builtin_prefetch(&places[members[row + kPlace]->slot], 1);
    Node& member = *members[row];
    numbers[row] = member.number;
    same_source &= member.code == like.code && member.instruction == like.instruction;
    places[member.slot] = nullptr;
    watched |= member.extra != nullptr;  // another thread may have hung a hook on it since
    member.batch = &batch;
    member.row = row;
    member.uses -= (member.saved & kSavesOutput) != 0;
    member.saved = 0;
    member.state = member.uses ? State::valued : State::dropped;
    valued += member.uses > 0;
  }
  pending.removed(n, like);
  batch.watched = watched;
  if (!same_source) remember_sources(batch);
  batch.valued = valued;
  if (valued) use(batch.whole);
}

}  // namespace

Batch& new_batch(Node& whole, std::span<Node* const> members, List<BatchInput> in) {
  batches_made = true;
  auto made = std::make_unique<Batch>();
  const Node& first = *members[0];
  made->whole = &whole;
  made->members.assign(members.begin(), members.end());
  made->numbers.resize(members.size());
  if (first.op->own_attrs)
    for (const Node* m : members) made->attrs.emplace_back(m->attrs);
  made->like = copy_of(first);
  Batch* batch = made.release();
  batch->like->flags = first.flags & kCommonFlags;
  batch->like->saved = first.saved;
  batch->like->attrs = Ref<Attrs>(first.attrs).leak();
  batch->in = std::move(in);
  hold_inputs(*batch);
  whole.batch = batch;
  whole.flags |= Node::stands_for_batch;
  whole.refs += batch->n();
  join_batch(*batch);
  return *batch;
}

namespace {

// Rows that nobody but one reader had go like any nodes. But there are many, and most go here: what
// they have in common with the others of their batch is given up for all of them at once.
class GoingRows {
 public:
  GoingRows() = default;
  GoingRows(const GoingRows&) = delete;
  ~GoingRows() { give_up(); }

  // False where it is no such row. Of most that a node may have it is known that others have none.
  [[gnu::always_inline]] bool take(Node* row) {
    if (row->refs != 1 || row->uses != 1 || row->buffer || row->state != State::valued ||
        row->flags & Node::stands_for_batch)
      return false;
    if (row->batch != batch_ && !begin(row->batch)) return false;
    if (batch_->fetched || batch_->watched || (views_ && !row->inputs[0])) return false;
    Node* base = views_ ? row->inputs[0].leak() : nullptr;
    if (row->attrs != batch_->like->attrs) AttrsRef::adopt(std::exchange(row->attrs, nullptr));
    members_[row->row] = nullptr;
    attrs_ += row->attrs != nullptr;
    ++n_;
    small_free(row, *free_);
    if (base) unref(base);
    return true;
  }

  void give_up();

 private:
  [[gnu::noinline]] bool begin(Batch* batch) {
    give_up();
    if (!batch || !batch->sources.empty()) return false;
    const Node& like = *batch->like;
    if (like.n_inputs > (like.op->view ? 1 : kMaxInputs)) return false;
    batch_ = batch;
    members_ = batch->members.data();
    free_ = &small_blocks.free[small_index(sizeof(Node) + like.n_inputs * sizeof(Value))];
    views_ = like.op->view;
    return true;
  }

  Batch* batch_ = nullptr;  // that they are rows of
  Node** members_ = nullptr;
  SmallBlocks::Free* free_ = nullptr;
  bool views_ = false;
  uint32_t n_ = 0, attrs_ = 0;  // rows, and those with the attributes of all
};

void GoingRows::give_up() {
  Batch* batch = std::exchange(batch_, nullptr);
  const uint32_t n = std::exchange(n_, 0), attrs = std::exchange(attrs_, 0);
  if (n == 0) return;
  const Node& like = *batch->like;  // has these, too
  like.layout->refs -= n;
  if (attrs) like.attrs->refs -= attrs;
  if (like.code) source_hooks.release(like.code, n);
  nodes_freed += n;
  Node* whole = batch->whole;
  if ((batch->valued -= n) == 0) unuse(whole);
  whole->refs -= n - 1;
  unref(whole);
}

// A view is known by its base.
void leave_bases(std::span<Node* const> views) {
  const Op& op = *views[0]->op;
  const uint32_t n_inputs = views[0]->n_inputs;
  for (Node* view : views)
    for (uint32_t i = 0; i < n_inputs; ++i)
      if (Node* input = view->inputs[i].get(); input && !op.is_edge(i)) unuse(input);
}

}  // namespace

void leave_inputs(std::span<Node* const> members) {
  constexpr size_t kAhead = 6;  // inputs were last seen before the batch ran, and may go here
  if (members[0]->op->view) return leave_bases(members);
  const uint32_t n_inputs = members[0]->n_inputs;
  for (uint32_t i = 0; i < n_inputs; ++i) {
    GoingRows rows;
    for (size_t k = 0; k < members.size(); ++k) {
      if (k + kAhead < members.size()) fetch(members[k + kAhead]->inputs[i].get());
      Node* input = members[k]->inputs[i].leak();
      if (!input || rows.take(input)) continue;
      rows.give_up();  // what goes now may call user code
      let_go(input);
    }
  }
}

bool revive(Node& node) {
  Batch* batch = batch_of(node);
  if (!batch || batch->whole->state != State::valued) return false;
  node.state = State::valued;
  if (batch->valued++ == 0) use(batch->whole);
  return true;
}

// All members are gone, and nobody refers to the whole.
void free_batch(Batch* batch) {
  let_inputs_go(*batch);
  for (const Source& s : batch->sources)
    if (s.code) source_hooks.release(s.code, 1);
  unref(batch->like);
  delete batch;
}

Value whole_of(const Node& member) {
  Node& whole = *member.batch->whole;
  if (whole.state == State::dropped) {
    whole.buffer = BufferRef(whole_of(*member.buffer)).leak();
    whole.state = State::valued;
  }
  return Value(&whole);
}

Ref<Node> member_of(Node& whole, uint32_t row) {
  Batch& batch = *whole.batch;
  if (Node* there = batch.members[row]) return Ref<Node>(there);
  const Ref<Node> first = Ref<Node>::adopt(make_anew(batch, row));
  // A view is known by its base; that of a view of a view is next.
  for (Node* view = first.get(); view->op->view && !view->batch->in.empty();) {
    const Ref<Node> base = input_of(*view->batch, 0, view->row);
    view->inputs[0] = Value::adopt(Ref<Node>(base).leak());
    if (base->inputs[0] || !batch_of(*base)) break;
    view = base.get();
  }
  return first;
}

void fetch_inputs(const Node& node) {
  const Batch* batch = batch_of(node);
  if (!batch || batch->in.empty() || node.op->view || node.inputs[0]) return;
  if (is_freed(*batch, node.row)) return;
  node.batch->fetched = true;
  for (uint32_t i = 0; i < node.n_inputs; ++i)
    const_cast<Node&>(node).inputs[i] = Value::adopt(input_of(*batch, i, node.row).leak());
}

bool row_is_there(const Node& node) { return node.batch->whole->state == State::valued; }

uint64_t writer_of(const Node& node) {
  const Buffer* buffer = node.buffer;
  if (!buffer && batch_of(node)) buffer = node.batch->whole->buffer;
  if (!buffer) return 0;
  while (const Buffer* whole = whole_of(*buffer)) buffer = whole;
  return buffer->writer;
}

void give_row(Node& node) {
  if (!node.batch)
    fail(ErrorKind::runtime, "internal: the value of ", node.op->name, " was read before it ran");
  Node& whole = *node.batch->whole;
  if (whole.state == State::pending) run_at_once(whole);
  if (whole.state == State::failed) throw *whole.extra->error;
  if (node.buffer) return;  // somebody looked while it ran
  Node* root = &node;
  while (root->op->view && root->n_inputs && root->inputs[0]) root = root->inputs[0].get();
  if (root != &node && root->state == State::valued) {
    with_buffer(*root);
    node.buffer = BufferRef(root->buffer).leak();
  } else {
    const int64_t begin = whole.offset + node.row * whole.layout->stride(0) - node.offset;
    const int64_t bytes = (root->offset + root->layout->span) * size_of(root->dtype);
    node.buffer = part_of(*whole.buffer, begin * size_of(node.dtype), bytes).leak();
  }
  row_unneeded(node);
}

void forget_history(Batch& batch) {
  if (batch.freed || !batch.like->saved) return;
  if (batch.like->saved & kSavesOutput) unuse(batch.whole);
  let_inputs_go(batch);
  batch.freed = true;
}

void forget_inputs(Node& member) {
  if (member.op->view) return;
  for (uint32_t i = 0; i < member.n_inputs; ++i)
    if (Node* input = member.inputs[i].leak()) unref(input);
}

void forget_row(Batch& batch, uint32_t row) {
  if (!batch.like->saved || is_freed(batch, row)) return;
  batch.freed_rows.resize(batch.n());
  batch.freed_rows[row] = true;
  if (++batch.freed_count == batch.n()) forget_history(batch);
}

void move_survivors_out(Batch& batch) {
  Node& whole = *batch.whole;
  const Node& like = *batch.like;
  if (batch.valued == 0 || batch.valued * kFewOf > batch.n() || whole.uses > 1 ||
      whole.buffer->refs > 1 || like.op->view)
    return;
  const Value held(&whole);
  const int64_t size = size_of(like.dtype), step = whole.layout->stride(0) * size;
  for (Node* member : batch.members) {
    if (!member || member->state != State::valued || member->buffer) continue;
    BufferRef own = allocate(like.layout->span * size);
    std::memcpy(own->data, whole.data() + member->row * step, own->bytes);
    member->buffer = own.leak();
    row_unneeded(*member);
  }
}

}  // namespace wend
