// exec/company.cpp: what company is worth to the pending nodes that a fiber looks at.
#include "exec/company.hpp"

#include <algorithm>

#include "exec/execute.hpp"
#include "graph/fiber.hpp"

namespace wend {
namespace {

// In nanoseconds, fitted to the same at widths of 16, 64 and 128: what the way back through a node
// takes more than through a member of a batch, ...
constexpr int64_t kWayBack = 250;
constexpr int64_t kProducts = 3;  // ... on which there are two products for one on the way there,
constexpr int64_t kLong = 2'000;  // and work that threads can share.

// What a node gains as one of many: a weight is read once for all of them, what is long is shared
// among threads, and the way back is gone once.
int64_t gain_of(const Node& node) {
  const int64_t work = work_of(node);
  const bool gains = node.op->weights || work >= kLong;
  if (!node.needs_grad()) return gains ? work : 0;
  return (fibers_walk_back ? 0 : kWayBack) + (gains ? kProducts * work : 0);
}

constexpr uint32_t kMost = 64;  // nodes; more are worth it

// What each of so many fibers gains if they wait for each other.
int64_t balance(int64_t gain, int64_t nodes, size_t fibers) {
  const auto n = static_cast<int64_t>(std::max<size_t>(fibers, 1));
  return (gain * (n - 1) - waiting_costs.to_batch * nodes) / n - waiting_costs.to_switch;
}

}  // namespace

Weighed weigh_waiting(const Node& node, size_t fibers) {
  Few all{node.slot, 1};
  int64_t gain = 0, nodes = 0;
  bool is_much = false;
  for (uint64_t left = 1; left; left &= left - 1) {
    const Node& needed = *pending.nodes[all.last - static_cast<uint32_t>(std::countr_zero(left))];
    gain += gain_of(needed);
    ++nodes;
    for (const Value& in : needed.in()) {
      if (!in || in->state != State::pending) continue;
      const uint32_t before = all.last - in->slot;
      is_much |= before >= kMost;
      if (before >= kMost) continue;
      all.places |= uint64_t{1} << before;
      left |= uint64_t{1} << before;
    }
  }
  const int64_t nanoseconds = balance(gain, nodes, fibers);
  return {is_much || nanoseconds > 0 ? Few{} : all, nanoseconds};
}

bool is_worth_waiting(size_t fibers) {
  if (pending.nodes.size() > kMost) return true;
  int64_t gain = 0;
  for (const Node* node : pending.nodes)
    if (is_due(node)) gain += gain_of(*node);
  return balance(gain, static_cast<int64_t>(pending.live), fibers) > 0;
}

}  // namespace wend
