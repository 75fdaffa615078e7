// autograd/reach.hpp: what a walk back will come to: the edges it follows, the nodes that lead to
// what it is asked for, and after which of them the gradient of a leaf is complete.
// The walk itself is autograd/backward.
#pragma once

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "autograd/backward.hpp"
#include "graph/batch.hpp"

namespace wend {

inline bool is_freed(const Node& node) {
  if (node.flags & Node::history_freed) return true;
  const Batch* batch = batch_of(node);
  return batch && is_freed(*batch, node.row);
}

// The edges of the graph as a walk follows them.
struct Edges {
  bool by_batches;

  // Calls `look` for inputs that need a gradient until it says true. Those of a batch's members
  // count where one of them stands for several views: the members may be passed one by one.
  template <class Look>
  bool each_input(const Node& node, Look look) const {
    fetch_inputs(node);
    auto any = [&](const Node& of) {
      return std::ranges::any_of(
          of.in(), [&](const Value& in) { return in && in->needs_grad() && look(in.get()); });
    };
    if (any(node)) return true;
    if (!by_batches || !(node.flags & Node::stands_for_batch)) return false;
    return std::ranges::any_of(node.batch->in, [&](const BatchInput& in) {
      return std::ranges::any_of(in.each,
                                 [&](Node* one) { return one->needs_grad() && look(one); });
    });
  }
  const Node* standing_for(const Node* node) const {
    const Batch* batch = by_batches ? batch_of(*node) : nullptr;
    return batch ? batch->whole : node;
  }
};

// When the gradients of leaves with hooks are complete: after the oldest of their readers. As in
// PyTorch the hooks are called then; other leaves can wait until the end.
class Turns {
 public:
  struct Turn {
    uint64_t order;  // of the reader
    uint32_t place;  // ... and as which of its inputs, from 1, it reads the leaf
  };

  Turns(const Backward& request, bool by_batches) : edges_{by_batches} {
    std::vector<const Node*> stack;
    for (const auto& r : request.roots) stack.push_back(edges_.standing_for(r.node.get()));
    while (!stack.empty()) {
      const Node* node = stack.back();
      stack.pop_back();
      if (!seen_.insert(node).second) continue;
      uint32_t place = 0;
      edges_.each_input(*node, [&](const Node* in) {
        if (!in->is_leaf())
          stack.push_back(edges_.standing_for(in));
        else if (in->extra && in->extra->attachment && in->extra->attachment->hooked())
          note(in, {order_of(*node), place + 1});
        ++place;
        return false;
      });
    }
  }
  const Turn* of(const Node* leaf) const {
    const auto it = turns_.find(leaf);
    return it == turns_.end() ? nullptr : &it->second;
  }

 private:
  void note(const Node* leaf, Turn turn) {
    const auto [it, is_new] = turns_.try_emplace(leaf, turn);
    if (!is_new && turn.order < it->second.order) it->second = turn;
  }

  Edges edges_;
  std::unordered_set<const Node*> seen_;
  std::unordered_map<const Node*, Turn> turns_;
};

// The targets, and the nodes from which one can be reached; everything else need not be walked.
// Whether a freed node would have led there is not known any more: the walk goes there, and says
// so.
class Reach {
 public:
  Reach(Backward& request, bool by_batches) : edges_{by_batches} {
    Stack stack;
    for (auto& t : request.targets) {
      targets_[t.node.get()].push_back(&t);
      leading_.insert(t.node.get());
      oldest_ = std::min(oldest_, order_of(*t.node));
    }
    for (const auto& r : request.roots) stack.push_back({edges_.standing_for(r.node.get()), false});
    while (!stack.empty()) {
      auto [node, left] = stack.back();
      stack.pop_back();
      if (left) {
        if (goes_on_from(*node)) leading_.insert(node);
        continue;
      }
      if (order_of(*node) < oldest_ || !seen_.insert(node).second) continue;
      stack.push_back({node, true});
      edges_.each_input(*node, [&](const Node* in) {
        stack.push_back({edges_.standing_for(in), false});
        return false;
      });
    }
  }
  bool leads_to_target(const Node* node) const {
    return leading_.contains(edges_.standing_for(node));
  }
  bool is_target(const Node* node) const { return targets_.contains(node); }
  std::span<Backward::Target* const> targets_at(const Node* node) const {
    const auto it = targets_.find(node);
    return it == targets_.end() ? std::span<Backward::Target* const>() : it->second;
  }
  // Whether there is a target beyond this node.
  bool goes_on_from(const Node& node) const {
    if (is_freed(node)) return true;
    return edges_.each_input(node, [&](const Node* in) { return leads_to_target(in); });
  }

 private:
  using Stack = std::vector<std::pair<const Node*, bool>>;

  Edges edges_;
  std::unordered_map<const Node*, std::vector<Backward::Target*>> targets_;
  std::unordered_set<const Node*> leading_, seen_;
  uint64_t oldest_ = ~uint64_t{0};
};

}  // namespace wend
