// autograd/frontier.hpp: the nodes that a walk back has met and not yet processed, newest first.
// What is done with them is autograd/backward.
#pragma once

#include <algorithm>
#include <memory>

#include "base/forever.hpp"
#include "graph/op.hpp"

namespace wend {

// The gradient of some rows of a batch.
struct RowsGradient {
  Value gradient;
  Value taken;    // the node that took the rows from the batch; none: the gradient is of one row
  int64_t which;  // ... and as which of its sources; or the row
};

struct Entry {
  Value node;
  Value gradient;
  Values slots;                    // of an autograd.Function: a gradient for each output
  std::vector<RowsGradient> rows;  // of a batch, beside the gradient of all of it
};

// A map from node to entry, and a heap by number.
class Frontier {
 public:
  bool empty() const { return heap_.empty(); }

  Entry& entry(Node* node) {
    if ((used_ + 1) * 2 > table_.size()) grow();
    size_t at = find(node);
    if (table_[at].node) return entries_[table_[at].index];
    uint32_t index;
    if (free_.empty()) {
      index = static_cast<uint32_t>(entries_.size());
      entries_.emplace_back();
    } else {
      index = free_.back();
      free_.pop_back();
    }
    entries_[index].node = Value(node);
    table_[at] = {node, index};
    ++used_;
    heap_.push_back({node->order, index});
    std::push_heap(heap_.begin(), heap_.end());
    return entries_[index];
  }

  Entry pop_newest() {
    std::pop_heap(heap_.begin(), heap_.end());
    const uint32_t index = heap_.back().index;
    heap_.pop_back();
    Entry entry = std::move(entries_[index]);
    entries_[index] = Entry{};
    free_.push_back(index);
    erase(find(entry.node.get()));
    return entry;
  }

  std::vector<Node*> nodes() const {
    std::vector<Node*> all;
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
    bool operator<(const Numbered& o) const { return order < o.order; }
  };

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
