// exec/fuse.hpp: neighbours that work element by element run as one, so that values in between are
// never written. How an op works on a tile is its entry's affair, running tiles kernels/tiles'.
#pragma once

#include <algorithm>
#include <vector>

#include "exec/execute.hpp"

namespace wend {

// Runs nodes in the order in which they are given, which is one in which each comes after what it
// reads. A node may wait to run with those to come, until something else reads it.
class Fusion {
 public:
  static constexpr int kMembers = 48, kReads = 96, kParts = 8;
  static_assert(kMembers <= kNoOrder);

  explicit Fusion(Poll& poll) : poll_(poll) {}
  Fusion(const Fusion&) = delete;
  ~Fusion() { let_go(); }  // what still waits stays pending

  void run(Node& node);
  // Otherwise the node may as well be run by itself.
  bool may_wait(const Node& node) const { return n_ > 0 || is_worth_it(node); }
  bool waits(const Node& node) const;
  // Instead of run, for a node whose value nobody can look at.
  void pass_over(Node& node);
  // Runs what waits.
  void finish();

 private:
  bool is_worth_it(const Node& node) const {
    return node.layout->numel >= from_ && (node.op->tile || node.op->rows);
  }
  bool starts(const Node& node);
  bool joins(const Node& node);
  bool completes(const Node& node) const;
  bool collects(const Node& node);
  bool passes(const Node& node);
  void add(Node& node);
  void run_first(Node& node);
  std::vector<Ref<Node>> keep_due();
  bool is_worth_one_pass() const;
  void run_each();
  void launch_group(std::span<Node* const> members, int64_t work);
  void run_group(std::span<Node* const> members, int64_t work);
  void let_go();

  Poll& poll_;
  const int64_t from_ = std::max<int64_t>(1, mode.fuses_from);  // elements
  const Layout* layout_ = nullptr;  // of every member but one that closes the group
  int n_ = 0, reads_ = 0;           // members, and how many values they read
  int gathered_ = 0;                // ... that lie in another order
  int passed_ = 0;                  // nodes that ran while members wait
  // The last one reduces one of the others, or puts some of them side by side.
  bool closed_ = false;
  Node* members_[kMembers];
  Tile tiles_[kMembers];
  PartAt parts_[kParts];  // of the last one
};

// The same for all of `nodes` that are pending and that somebody may look at.
void run_fused(std::span<Node* const> nodes, Poll& poll);

}  // namespace wend
