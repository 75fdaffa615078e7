// autograd/frontier.hpp: the nodes that a walk back has met and not yet processed, newest first.
// What is done with them is autograd/backward.
#pragma once

#include <algorithm>
#include <memory>

#include "base/forever.hpp"
#include "graph/batch.hpp"

namespace wend {

// The gradient of some rows of a batch.
struct RowsGradient {
  Value gradient;   // none: the walk comes there without one
  Value taken;      // the node that took the rows from the batch; none: the gradient is of one row
  int64_t which;    // ... and as which of its sources; or the row
  int64_t at = -1;  // ... which is this one of the gradient's, or all of it
};

// What few entries have beside their gradient.
struct Parts {
  Values slots;             // of an autograd.Function: a gradient for each output
  List<RowsGradient> rows;  // of a batch, beside the gradient of all of it
  Values placed;            // gradients of parts of the node, which their op joins ...
  int64_t elements = 0;     // ... and how many elements they hold
};

struct Entry {
  Value node;
  Value gradient;
  std::unique_ptr<Parts> parts;

  Parts& own_parts() {
    if (!parts) parts = std::make_unique<Parts>();
    return *parts;
  }
};

// The newest entry stands apart, so that a chain needs no more; for the others there are a map from
// node to entry and a heap by order.
class Frontier {
 public:
  bool empty() const { return !newest_.node && heap_.empty(); }

  [[gnu::always_inline]] Entry& entry(Node* node) {
    if (newest_.node.get() == node) return newest_;
    if (Entry* met = used_ ? met_before(node) : nullptr) return *met;
    if (order_of(*node) < newest_order()) return put_away({Value(node), {}, {}});
    if (newest_.node) put_away(std::move(newest_));
    newest_.node = Value(node);
    return newest_;
  }

  // The same for a node that is due at another order than its own; of those due at the same order
  // the one with the lowest `tie` comes first.
  Entry& entry_at(Node* node, uint64_t order, uint32_t tie) {
    if (Entry* met = used_ ? met_before(node) : nullptr) return *met;
    if (newest_.node) put_away(std::move(newest_));
    return put_away({Value(node), {}, {}}, order, tie);
  }

  // What is moved from is empty.
  Entry pop_newest() { return newest_.node ? std::move(newest_) : fetch(); }

  List<RowsGradient>& rows(Node* batch) { return entry(batch).own_parts().rows; }

  template <class Do>
  void each(Do what) {
    if (newest_.node) what(newest_);
    for (Entry& entry : entries_)
      if (entry.node) what(entry);
  }

  std::vector<Node*> nodes() const {
    std::vector<Node*> all;
    if (newest_.node) all.push_back(newest_.node.get());
    for (const Slot& s : table_)
      if (s.node) all.push_back(s.node);
    return all;
  }

 private:
  struct Slot {
    Node* node = nullptr;
    uint32_t index = 0;
  };
  struct Numbered {
    uint64_t order;
    uint32_t index;
    uint32_t tie;
    bool operator<(const Numbered& o) const {
      return order != o.order ? order < o.order : tie > o.tie;
    }
  };

  uint64_t newest_order() const {
    if (newest_.node) return order_of(*newest_.node);
    return heap_.empty() ? 0 : heap_.front().order;
  }

  Entry* met_before(const Node* node) {
    const Slot& slot = table_[find(node)];
    return slot.node ? &entries_[slot.index] : nullptr;
  }

  Entry& put_away(Entry entry) {
    const uint64_t order = order_of(*entry.node);
    return put_away(std::move(entry), order, 0);
  }
  [[gnu::noinline]] Entry& put_away(Entry entry, uint64_t order, uint32_t tie) {
    if ((used_ + 1) * 2 > table_.size()) grow();
    uint32_t index;
    if (free_.empty()) {
      index = static_cast<uint32_t>(entries_.size());
      entries_.emplace_back();
    } else {
      index = free_.back();
      free_.pop_back();
    }
    Node* node = entry.node.get();
    entries_[index] = std::move(entry);
    table_[find(node)] = {node, index};
    ++used_;
    heap_.push_back({order, index, tie});
    std::push_heap(heap_.begin(), heap_.end());
    return entries_[index];
  }

  // The newest of those that were put away.
  [[gnu::noinline]] Entry fetch() {
    std::pop_heap(heap_.begin(), heap_.end());
    const uint32_t index = heap_.back().index;
    heap_.pop_back();
    Entry entry = std::move(entries_[index]);
    free_.push_back(index);
    erase(find(entry.node.get()));
    return entry;
  }

  size_t home(const Node* node) const {
    return (reinterpret_cast<uintptr_t>(node) * 0x9e3779b97f4a7c15u >> 20) & (table_.size() - 1);
  }
  size_t find(const Node* node) const {
    size_t at = home(node);
    while (table_[at].node && table_[at].node != node) at = (at + 1) & (table_.size() - 1);
    return at;
  }
  // Closes the gap so that every remaining entry is still found from its home.
  void erase(size_t gap) {
    const size_t mask = table_.size() - 1;
    for (size_t at = (gap + 1) & mask; table_[at].node; at = (at + 1) & mask) {
      if (((at - home(table_[at].node)) & mask) < ((at - gap) & mask)) continue;
      table_[gap] = table_[at];
      gap = at;
    }
    table_[gap] = {};
    --used_;
  }
  void grow() {
    std::vector<Slot> old(std::max<size_t>(64, table_.size() * 2));
    std::swap(old, table_);
    for (const Slot& s : old)
      if (s.node) table_[find(s.node)] = s;
  }

  Entry newest_;
  std::vector<Slot> table_;
  size_t used_ = 0;
  std::vector<Entry> entries_;
  std::vector<uint32_t> free_;
  std::vector<Numbered> heap_;
};

// A frontier whose memory served earlier walks; they may be nested.
class BorrowedFrontier {
 public:
  BorrowedFrontier() {
    if (spare.value.empty()) {
      frontier_ = std::make_unique<Frontier>();
    } else {
      frontier_ = std::move(spare.value.back());
      spare.value.pop_back();
    }
  }
  // After an exception it is not empty, and not kept.
  ~BorrowedFrontier() {
    if (frontier_->empty()) spare.value.push_back(std::move(frontier_));
  }
  BorrowedFrontier(const BorrowedFrontier&) = delete;
  Frontier* operator->() const { return frontier_.get(); }

 private:
  inline static constinit Forever<std::vector<std::unique_ptr<Frontier>>> spare;
  std::unique_ptr<Frontier> frontier_;
};

}  // namespace wend
