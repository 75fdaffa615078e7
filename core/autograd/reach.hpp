// autograd/reach.hpp: what a walk back is asked for, and which nodes lead there.
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

// The targets, and the nodes from which one can be reached; everything else need not be walked.
// Whether a freed node would have led there is not known any more: the walk goes there, and says
// so.
class Reach {
 public:
  Reach(Backward& request, bool by_batches) : by_batches_(by_batches) {
    Stack stack;
    for (auto& t : request.targets) {
      targets_[t.node.get()].push_back(&t);
      leading_.insert(t.node.get());
      oldest_ = std::min(oldest_, order_of(*t.node));
    }
    for (const auto& r : request.roots) stack.push_back({standing_for(r.node.get()), false});
    while (!stack.empty()) {
      auto [node, left] = stack.back();
      stack.pop_back();
      if (left) {
        if (goes_on_from(*node)) leading_.insert(node);
        continue;
      }
      if (order_of(*node) < oldest_ || !seen_.insert(node).second) continue;
      stack.push_back({node, true});
      each_input(*node, [&](const Node* in) {
        stack.push_back({standing_for(in), false});
        return false;
      });
    }
  }
  bool leads_to_target(const Node* node) const { return leading_.contains(standing_for(node)); }
  bool is_target(const Node* node) const { return targets_.contains(node); }
  std::span<Backward::Target* const> targets_at(const Node* node) const {
    const auto it = targets_.find(node);
    return it == targets_.end() ? std::span<Backward::Target* const>() : it->second;
  }
  // Whether there is a target beyond this node.
  bool goes_on_from(const Node& node) const {
    if (is_freed(node)) return true;
    return each_input(node, [&](const Node* in) { return leads_to_target(in); });
  }

 private:
  using Stack = std::vector<std::pair<const Node*, bool>>;

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
    if (!by_batches_ || !(node.flags & Node::stands_for_batch)) return false;
    return std::ranges::any_of(node.batch->in, [&](const BatchInput& in) {
      return std::ranges::any_of(in.each,
                                 [&](Node* one) { return one->needs_grad() && look(one); });
    });
  }
  const Node* standing_for(const Node* node) const {
    const Batch* batch = by_batches_ ? batch_of(*node) : nullptr;
    return batch ? batch->whole : node;
  }

  bool by_batches_;
  std::unordered_map<const Node*, std::vector<Backward::Target*>> targets_;
  std::unordered_set<const Node*> leading_, seen_;
  uint64_t oldest_ = ~uint64_t{0};
};

}  // namespace wend
