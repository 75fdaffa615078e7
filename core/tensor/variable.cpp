// tensor/variable.cpp: how aliases see each other's writes.
#include "tensor/variable.hpp"

#include <algorithm>
#include <exception>

#include "base/put_off.hpp"
#include "graph/batch.hpp"
#include "graph/mode.hpp"
#include "graph/outside.hpp"
#include "graph/read.hpp"
#include "graph/record.hpp"
#include "ops/functions.hpp"
#include "tensor/refusal.hpp"

namespace wend {
namespace {

uint64_t last_stamp = 0;

// The first view of a tensor makes a cell, a version and a family, all of them small.
template <class T, class... Parts>
Ref<T> make_small(Parts&&... parts) {
  return Ref<T>::adopt(new (small_alloc(sizeof(T))) T{1, std::forward<Parts>(parts)...});
}
template <class T>
void free_small(T* t) {
  t->~T();
  small_free(t, sizeof(T));
}

bool same_geometry(const Node& a, const Node& b) {
  return a.layout == b.layout && a.offset == b.offset;
}

// `whole` seen with the geometry of `like`.
Value with_geometry(const Value& whole, const Node& like) {
  if (same_geometry(*whole, like)) return whole;
  return as_strided(whole, like.sizes(), like.strides(), like.offset);
}

// `whole` with the part that has the geometry of `like` replaced; its own geometry stays. What
// required grad goes on doing so, with a gradient of zero for what was overwritten.
Value with_part(const Value& whole, const Value& part, const Node& like) {
  const bool loses_history = mode.grad && whole->needs_grad() && !part->needs_grad();
  if (same_geometry(*whole, like) && like.offset == 0 && like.layout->dense && !loses_history)
    return with_layout(cast(part, whole->dtype), like.layout);
  return as_strided_scatter(whole, part, like.sizes(), like.strides(), like.offset);
}

void set_family_node(Family& family, Node* node) {
  retain(node);
  if (family.node) unref(family.node);
  family.node = node;
  family.stamp = family.cell->stamp;
}

Ref<Family> new_family(Ref<Cell> cell, Ref<Version> version, Node* node) {
  auto family = make_small<Family>(uint64_t{0}, std::move(cell), std::move(version), nullptr);
  set_family_node(*family, node);
  return family;
}

// The value of `now` with the history of `node`, recorded whether or not ops are.
Value with_history_of(const Value& now, Node* node) {
  struct WithGrad {
    bool before = std::exchange(mode.grad, true);
    ~WithGrad() { mode.grad = before; }
  } with_grad;
  return rebind(now, Value(history_of(node)));
}

// The value of `now` as that of `view`, whose base was written although the view's origin forbids
// to tell what its gradient is from then on, for ever.
Value without_way_back(const Value& now, const Node& view, Origin origin) {
  Value same = alias_without_grad(now);
  same->flags |= Node::requires_grad;
  const bool known = view.flags & Node::refused;
  refuse_history(
      *same, known ? *view.extra->error : Error(ErrorKind::runtime, refusal(view, origin, true)));
  return same;
}

// A tensor stays what it is, an inference tensor or not, whatever is written to it.
Value of_the_kind_of(const Node& like, const Value& value) {
  if (!((value->flags ^ like.flags) & Node::inference)) return value;
  Value same = alias(value);
  same->flags ^= Node::inference;
  return same;
}

// The family sees the cell's value, as it always must, with the history of `history`.
void derive_family_node(Family& family, Node* history) {
  Value now;
  {
    WithoutGrad no_grad;
    now = with_geometry(family.cell->node, *family.node);
    if (now->needs_grad()) now = alias_without_grad(now);
  }
  if (history->needs_grad()) now = with_history_of(now, history);
  set_family_node(family, now.get());
}

// After a write by another family or without grad: the new value with the old history.
void refresh_family(Family& family) {
  if (family.stamp != family.cell->stamp) derive_family_node(family, family.node);
}

// The node of the storage that `node` lies in: itself, unless it is a view of a part.
Value storage_of(Node* node) {
  Node* root = node;
  while (root->op->view && root->n_inputs && root->state != State::valued)
    root = root->inputs[0].get();
  with_buffer(*root);
  const int64_t element = size_of(node->dtype);
  const int64_t size = root->state == State::valued
                           ? static_cast<int64_t>(root->buffer->bytes) / element
                           : root->layout->span;
  if ((node->offset == 0 && node->layout->span == size) || root->dtype != node->dtype)
    return Value(node);
  if (root->state != State::valued) return Value(root);
  const LayoutRef row = contiguous(Dims{size});
  return from_buffer(memory_op(*root), BufferRef(root->buffer), node->dtype, row.get());
}

}  // namespace

void release(Cell* cell) { free_small(cell); }
void release(Version* version) { free_small(version); }
void release(Family* family) {
  unref(family->node);
  free_small(family);
}

// The view that `view` is, of `base` and with its gradient.
Value recorded_with_grad(const Node& view, const Value& base) {
  WithoutGrad restoring;
  mode.grad = true;
  Value in[] = {base};
  return record(*view.op, in, view.attrs ? view.attrs->span() : std::span<const Arg>{});
}

Value new_leaf(const Value& value) {
  static const Op& leaf_op = op_named("leaf");
  Value leaf = record(leaf_op, {value->needs_grad() ? alias_without_grad(value) : value});
  leaf->flags |= Node::requires_grad | Node::leaf;
  return leaf;
}

Node* history_of(Node* node) {
  static const Op &rebind_op = op_named("rebind"), &snapshot_op = op_named("snapshot");
  const auto stands_for_another = [](const Node* n) {
    return (n->op == &rebind_op || n->op == &snapshot_op) && n->inputs[1];
  };
  while (stands_for_another(node)) node = node->inputs[1].get();
  return node;
}

void Variable::reset() {
  if (!node_) return;
  Node* node = std::exchange(node_, nullptr);
  if (family_) {
    Ref<Family>::adopt(std::exchange(family_, nullptr));
    return unref(node);
  }
  if (node->uses > 1 && node->state == State::valued && node->buffer)
    pending.pinned += node->buffer->bytes;
  let_go(node);
}

void Variable::set_node(Node* node) {
  retain(node);
  unref(std::exchange(node_, node));
  stamp_ = family_->cell->stamp;
}

void Variable::join_family() {
  if (family_) return;
  const HoldUserCode hold;
  auto cell = make_small<Cell>(++last_stamp, storage_of(node_));
  auto version = make_small<Version>(0u);
  family_ = new_family(std::move(cell), std::move(version), node_).leak();
  stamp_ = family_->cell->stamp;
  unuse(node_);
  if (family_->cell->node.get() == node_) return;
  // The value is the cell's from now on: what `node_` was derived from may be gone.
  derive_family_node(*family_, node_);
  set_node(family_->node);
}

void Variable::refresh() {
  const HoldUserCode hold;
  refresh_family(*family_);
  if (!view_) return set_node(family_->node);
  const bool written = family_->version->count != seen_version_;
  WithoutGrad guard;
  const Node& history = *history_of(node_);
  // What was made without grad has no history of its own: none to lose once its base has none.
  const bool has_own = node_->needs_grad() && origin_ != Origin::without_grad;
  const bool refused = node_->flags & Node::refused;
  const bool base_has = family_->node->needs_grad();
  const bool of_result = refused ? has_own : node_->needs_grad() && !history.is_leaf();
  const bool derived = written && (of_result || base_has);
  const bool lost = (refused && (has_own || base_has)) || (derived && origin_ != Origin::plain);
  if (derived && !lost) seen_version_ = family_->version->count;
  Value whole(family_->node);
  if (derived && !lost && !base_has) whole = new_leaf(whole);
  mode.grad = derived && !lost;
  Value now = as_strided(whole, node_->sizes(), node_->strides(), node_->offset);
  if (lost)
    now = without_way_back(now, *node_, origin_);
  else if (!derived && !refused && node_->needs_grad() && (of_result || base_has || history.extra))
    now = with_history_of(now, node_);
  else if (!derived && base_has)
    now = new_leaf(now);
  set_node(now.get());
}

void Variable::read_from_base() {
  const HoldUserCode hold;
  refresh_family(*family_);
  const bool lost = node_->flags & Node::refused || origin_ != Origin::plain;
  const Node& base = *history_of(family_->node);
  if (lost || !node_->needs_grad() || !base.needs_grad() || base.is_leaf()) return;
  const Value whole(family_->node);
  set_node(as_strided(whole, node_->sizes(), node_->strides(), node_->offset).get());
}

void WritingInPlace::read_from_base(Variable& target) {
  if (!mode.grad) return;
  target_ = &target;
  before_ = Ref<Node>(target.node());
  exceptions_ = std::uncaught_exceptions();
  target.read_from_base();
}

void WritingInPlace::put_back_if_failed() {
  if (std::uncaught_exceptions() == exceptions_) return;
  if (target_->stamp_ == target_->family_->cell->stamp) target_->set_node(before_.get());
}

bool Variable::overlaps(const Node& other, const Node& part, bool apart) {
  if (!other.layout->dense || !part.layout->dense || !other.numel() || !part.numel()) return false;
  const bool meet = part.offset < other.offset + other.layout->span &&
                    other.offset < part.offset + part.layout->span;
  return meet && (apart || !same_geometry(part, other));
}

void Variable::commit(Change change) {
  Cell& cell = *family_->cell;
  const bool stored = static_cast<bool>(change.storage);
  if (stored) {
    // It may be a view of what the cell held so far, which goes.
    if (change.storage->state == State::dropped) derive_again(*change.storage);
    cell.node = std::move(change.storage);
  }
  if (change.moves) cell.stamp = ++last_stamp;
  if (change.history) derive_family_node(*family_, const_cast<Node*>(change.history));
  if (change.family) set_family_node(*family_, change.family);
  if (!view_ && (change.history || change.family)) set_node(family_->node);
  if (change.own) set_node(change.own);
  tell(stored ? cell.node.get() : node_, change.what);
}

void Variable::bump_version() {
  join_family();
  ++family_->version->count;
  tell(node_, Write::version);
}

void Variable::become(Variable& other) {
  const HoldUserCode hold;
  join_family();
  other.join_family();
  ++family_->version->count;
  other.family_->version = family_->version;
  swap(other);
  tell(node_, Write::data);
}

bool Variable::may_show_more() const {
  static const Op& by_strides = op_named("as_strided");
  return node_->op == &by_strides;
}

Variable Variable::detach(bool own_version) {
  const HoldUserCode hold;
  join_family();
  const Value plain = alias_without_grad(value());
  auto version = own_version ? make_small<Version>(0u) : family_->version;
  Variable v;
  v.family_ = new_family(family_->cell, std::move(version), plain.get()).leak();
  v.node_ = plain.get();
  retain(v.node_);
  v.stamp_ = family_->cell->stamp;
  return v;
}

void Variable::write(const Value& value, Write what) {
  join_family();
  const Value from = lies_outside() ? ready_to_copy(value) : Value();
  const HoldUserCode hold;
  node();
  refresh_family(*family_);
  // User code that was called since the value was recorded may have made the tensor another.
  if (value->layout != node_->layout && !std::ranges::equal(value->sizes(), node_->sizes()))
    fail(ErrorKind::runtime, "the tensor was given other sizes while it was being written");
  lies_outside() ? write_outside(value, from ? from : ready_to_copy(value), what)
                 : write_inside(value, what);
}

void Variable::write_inside(const Value& value, Write what) {
  Family& family = *family_;
  Cell& cell = *family.cell;
  const bool grad = mode.grad && (value->needs_grad() || family.node->needs_grad());
  ++family.version->count;
  if (same_geometry(*cell.node, *family.node)) {
    const Value whole = of_the_kind_of(*family.node, with_part(Value(family.node), value, *node_));
    const bool keeps_history = !grad && family.node->needs_grad();
    commit({.what = what, .storage = whole, .family = keeps_history ? nullptr : whole.get()});
  } else {
    write_part(value, grad, what);
  }
}

// The family is of a part of the storage: its value is read out of the storage again.
void Variable::write_part(const Value& value, bool grad, Write what) {
  Family& family = *family_;
  Value history;
  if (grad) history = with_part(Value(family.node), value, *node_);
  WithoutGrad no_grad;
  Cell& cell = *family.cell;
  const Value whole = of_the_kind_of(*cell.node, with_part(cell.node, value, *node_));
  commit({.what = what, .storage = whole, .history = history ? history.get() : family.node});
}

bool Variable::lies_outside() const {
  Buffer* const buffer = family_->cell->node->buffer;
  return buffer && is_shared(*buffer) && !buffer->read_only;
}

// What is to be copied into memory that others own, computed; user code may be called meanwhile.
Value Variable::ready_to_copy(const Value& value) const {
  const bool overlaps = value->buffer == family_->cell->node->buffer;
  Value from = overlaps ? clone(alias_without_grad(value)) : value;
  evaluate_now(from);
  return from;
}

// While somebody outside owns the memory, writes go into it at once: by a copy of `from`.
void Variable::write_outside(const Value& value, const Value& from, Write what) {
  Family& family = *family_;
  Cell& cell = *family.cell;
  Value history;
  if (mode.grad && (value->needs_grad() || family.node->needs_grad()))
    history = with_part(Value(family.node), value, *node_);
  if (node_->numel() * size_of(node_->dtype) * 2 > static_cast<int64_t>(cell.node->buffer->bytes))
    expect_outside_write(*cell.node->buffer);
  copy_into(cell.node->buffer, *node_, *from);
  ++family.version->count;
  commit({.what = what, .history = history.get()});
}

void Variable::rebase(Variable& other) {
  const HoldUserCode hold;
  other.join_family();
  const Value now = alias_without_grad(other.value());
  const Value mine = node()->needs_grad() ? with_history_of(now, node_) : now;
  auto version = family_ ? family_->version : make_small<Version>(0u);
  auto family = new_family(other.family_->cell, std::move(version), mine.get());
  Variable v;
  v.family_ = family.leak();
  v.node_ = mine.get();
  retain(v.node_);
  v.stamp_ = v.family_->cell->stamp;
  swap(v);
  tell(node_, Write::data);
}

// Without grad a tensor keeps what gradient it has: a leaf is one of the new sizes, and a result
// has the way back through the view all the same.
void Variable::change_geometry(const Value& view, Write what) {
  const HoldUserCode hold;
  const Value history(history_of(node()));
  const bool keeps = !view->needs_grad() && history->needs_grad();
  const bool is_leaf = keeps && history->is_leaf();
  join_family();
  ++family_->version->count;
  if (!is_leaf) return show_as(keeps ? recorded_with_grad(*view, value()) : view, what);
  show_as(view, Write::untold);
  replace_node(new_leaf(value()), what);
  if (history->extra) extra(*history_of(node())).attachment = history->extra->attachment;
}

// Views keep their own place in the storage, whatever the geometry of their base; they look again
// for its history.
void Variable::show_as(const Value& view, Write what) {
  node();
  commit({.what = what, .family = view_ ? nullptr : view.get(), .own = view.get()});
}

void Variable::resize(std::span<const int64_t> sizes, std::span<const int64_t> strides,
                      Write what) {
  join_family();
  evaluate_now(Value(family_->cell->node));
  const HoldUserCode hold;
  node();
  Cell& cell = *family_->cell;
  evaluate_now(cell.node);
  const int64_t offset = node_->offset, needed = offset + count(sizes);
  const auto bytes = static_cast<size_t>(needed * size_of(node_->dtype));
  Buffer& storage = *cell.node->buffer;
  WithoutGrad no_grad;
  if (what != Write::untold) ++family_->version->count;
  if (bytes > storage.bytes) {
    if (is_shared(storage) || (storage.lender && !whole_of(storage)))
      fail(ErrorKind::runtime, "Trying to resize storage that is not resizable");
    commit({.what = Write::untold, .storage = longer_copy(*cell.node, bytes)});
  }
  show_as(as_strided(cell.node, sizes, strides, offset), what);
}

void Variable::replace_node(const Value& node, Write what) {
  const HoldUserCode hold;
  if (!family_) {
    Variable v(node);
    v.origin_ = origin_;
    swap(v);
    return tell(node_, what);
  }
  this->node();
  // Views look again: what requires grad in them may be their base's.
  view_ ? commit({.what = what, .own = node.get(), .moves = false})
        : commit({.what = what, .family = node.get(), .own = node.get()});
}

const void* Variable::storage_key() {
  join_family();
  return family_->cell.get();
}

Buffer& Variable::exposed_storage() {
  read_bytes(value());
  return own_storage();
}

Buffer& Variable::own_storage() {
  evaluate(value());
  join_family();
  const Ref<Cell> cell = family_->cell;
  evaluate_now(Value(cell->node));
  // Whoever has yet to read it does so before others can write.
  if (cell->node->uses > 1 || cell->node->buffer->refs > 1) run_pending();
  // User code may have been called, which writes or replaces what this is about.
  if (family_->cell != cell || cell->node->state != State::valued || !cell->node->buffer)
    return own_storage();
  const HoldUserCode hold;
  Buffer* buffer = cell->node->buffer;
  if (buffer->read_only || whole_of(*buffer) ||
      (!is_shared(*buffer) && (cell->node->uses > 1 || buffer->refs > 1))) {
    // Somebody saved this value for backward: they keep it, the cell moves to a copy.
    WithoutGrad no_grad;
    commit({.what = Write::outside, .storage = own_copy(*cell->node)});
  } else {
    commit({.what = Write::outside, .moves = false});
  }
  return *cell->node->buffer;
}

}  // namespace wend
