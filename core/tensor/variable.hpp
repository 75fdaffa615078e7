// tensor/variable.hpp: storage that tensors share, and what a tensor refers to.
//
//   Variable ──► Family ──► Cell ──► node: the current value of the whole storage
//      │            └─► node: the same value with this family's gradient history
//      └─► node: this tensor's own, stale once the cell has moved on
//
// A tensor and its differentiable views are one family; detach() and .data start another family on
// the same cell. A tensor that was never aliased nor written has neither, only its node.
#pragma once

#include "graph/mode.hpp"
#include "graph/node.hpp"
#include "graph/record.hpp"
#include "graph/watch.hpp"

namespace wend {

struct Cell {
  uint32_t refs;
  uint64_t stamp;  // changes with every write, whoever writes
  Value node;
};

// The counter behind _version: shared by a tensor, its views and detach(), but not by .data.
struct Version {
  uint32_t refs;
  uint32_t count;
};

struct Family {
  uint32_t refs;
  uint64_t stamp;  // of the cell when `node` was derived
  Ref<Cell> cell;
  Ref<Version> version;
  Node* node;  // held without use: the cell holds the value
};

void release(Cell* cell);
void release(Version* version);
void release(Family* family);

// How a view came about decides whether it may be written in place later.
enum class Origin : uint8_t {
  plain,
  one_of_many,   // by an op with several results
  without_grad,  // under no_grad
  function,      // by an autograd.Function
};

class Variable {
 public:
  Variable() = default;
  explicit Variable(Value v) noexcept : node_(v.leak()) {}
  Variable(const Variable&) = delete;
  Variable(Variable&& o) noexcept
      : node_(std::exchange(o.node_, nullptr)),
        family_(std::exchange(o.family_, nullptr)),
        stamp_(o.stamp_),
        view_(o.view_),
        beyond_(o.beyond_),
        origin_(o.origin_),
        seen_version_(o.seen_version_) {}
  Variable& operator=(Variable&& o) noexcept {
    swap(o);
    return *this;
  }
  ~Variable() {
    if (node_) reset();
  }
  void reset();
  void swap(Variable& o) noexcept {
    std::swap(node_, o.node_);
    std::swap(family_, o.family_);
    std::swap(stamp_, o.stamp_);
    std::swap(view_, o.view_);
    std::swap(beyond_, o.beyond_);
    std::swap(origin_, o.origin_);
    std::swap(seen_version_, o.seen_version_);
  }

  explicit operator bool() const { return node_ != nullptr; }
  // The node that stands for the tensor now.
  Node* node() {
    if (family_ && stamp_ != family_->cell->stamp) [[unlikely]]
      refresh();
    return node_;
  }
  // That node with its value, which may have been dropped: the cell holds it. Whoever keeps the
  // result does not depend on the cell.
  Value value() {
    Value now(node());
    if (now->state == State::dropped) [[unlikely]]
      derive_again(*now);
    return now;
  }
  // Sizes, strides, dtype and offset never change, so the last known node will do.
  const Node& shape() const { return *node_; }

  bool is_view() const { return view_; }
  bool shares_cell_with(const Variable& o) const {
    return family_ && o.family_ && family_->cell == o.family_->cell;
  }
  // True iff writing `part` of a storage would change what is read from it as `read`, other than
  // element for element, or at all if they must be `apart`. Strides with gaps are too hard to tell.
  static bool overlaps(const Node& read, const Node& part, bool apart);
  uint32_t version() const { return family_ ? family_->version->count : 0; }
  void bump_version();
  Family* family() const { return family_; }

  // A differentiable view: `node` was recorded as a view of this variable's node.
  Variable view(Value node) {
    const bool same = begin_view();
    return Variable(*this, std::move(node), same);
  }
  // The same in two steps, of which only the first may fail. False: joining may have left the node
  // that was viewed without its value, so that views look again.
  bool begin_view() {
    const Node* viewed = node_;
    if (!family_) join_family();
    return node() == viewed;
  }
  Variable(const Variable& base, Value node, bool same) noexcept
      : node_(node.leak()),
        family_(base.family_),
        stamp_(same ? family_->cell->stamp : 0),
        view_(true),
        beyond_(base.beyond_),
        origin_(mode.grad ? base.origin_ : Origin::without_grad),
        seen_version_(family_->version->count) {
    ++family_->refs;
    unuse(node_);
    if (base.view_ && may_show_more()) beyond_ = true;
  }
  // The same storage without history; .data has its own version counter.
  Variable detach(bool own_version);
  // Replaces the value, of the same sizes and dtype, and tells every alias.
  void write(const Value& value, Write what = Write::value);
  // Shows the storage as `node`, a view of this variable's node, does (x.t_()).
  void change_geometry(const Value& node, Write what = Write::geometry);
  // Shows the first elements of the storage, which grows where it must, with these sizes and
  // strides, which leave no gaps. As a part of another change it is no new version.
  void resize(std::span<const int64_t> sizes, std::span<const int64_t> strides,
              Write what = Write::storage);
  // Becomes an alias of `other`, keeping its own history (x.data = y).
  void rebase(Variable& other);
  // Becomes `other`, which has no aliases in its family yet, as the next version (x.set_(y)).
  void become(Variable& other);
  // Stands for `node` from now on, aliases excepted (requires_grad_, autograd.Function).
  void replace_node(const Value& node, Write what = Write::history);
  // Equal for tensors that share their storage.
  const void* storage_key();
  // The buffer of the whole storage, valued, not needed by anything saved for backward.
  Buffer& exposed_storage();

  Origin origin() const { return origin_; }
  void set_origin(Origin origin) { origin_ = origin; }

 private:
  // What a change replaces; the rest stays as it is.
  struct Change {
    Write what;
    Value storage = nullptr;        // what the cell holds
    const Node* history = nullptr;  // the family sees the cell's value with the history of this
    Node* family = nullptr;         // ... or stands for this
    Node* own = nullptr;  // the tensor itself stands for this; if it is no view, for the family's
    bool moves = true;    // aliases look again
  };
  // Every change of what a tensor shows, and of the history that it carries.
  void commit(Change change);
  static void tell(const Node* node, Write what) {
    if (what != Write::untold && is_watched()) [[unlikely]]
      tell_wrote(node, what);
  }
  void join_family();
  bool may_show_more() const;  // than the view that it was made from
  void write_part(const Value& value, bool grad, Write what);
  void write_inside(const Value& value, Write what);
  bool lies_outside() const;
  Value ready_to_copy(const Value& value) const;
  void write_outside(const Value& value, const Value& from, Write what);
  void show_as(const Value& node, Write what);
  Buffer& own_storage();
  void refresh();
  void set_node(Node* node);
  void read_from_base();
  friend class WritingInPlace;

  Node* node_ = nullptr;  // held with use unless there is a family
  Family* family_ = nullptr;
  uint64_t stamp_ = 0;
  bool view_ = false;
  bool beyond_ = false;  // of a view: may show what the view that it was made from does not
  Origin origin_ = Origin::plain;
  uint32_t seen_version_ = 0;  // of a view: when its history was last derived
};

// A node over the memory of `value` that gradients end in; nobody keeps them yet.
Value new_leaf(const Value& value);
// The node whose gradient history `node` carries: itself, or what it was bound to.
Node* history_of(Node* node);

// While it lives, what is to be written in place is read from the base itself, as the write goes
// there: by way of a smaller view, on which as_strided was called, the gradient would be lost. A
// write that fails leaves the target as it was.
class WritingInPlace {
 public:
  explicit WritingInPlace(Variable* target) {
    if (target && target->beyond_) [[unlikely]]
      read_from_base(*target);
  }
  WritingInPlace(const WritingInPlace&) = delete;
  ~WritingInPlace() {
    if (before_) [[unlikely]]
      put_back_if_failed();
  }

 private:
  void read_from_base(Variable& target);
  void put_back_if_failed();

  Variable* target_ = nullptr;
  Ref<Node> before_;  // none where nothing changed
  int exceptions_ = 0;
};

}  // namespace wend
