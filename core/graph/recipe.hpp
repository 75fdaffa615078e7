// graph/recipe.hpp: what the body of an op has recorded for tensors of certain layouts, to be
// recorded again without the body. For which ops that may be is said by Op::by_layout.
#pragma once

#include <array>
#include <vector>

#include "graph/record.hpp"

namespace wend {

// Nodes over given tensors, in the order of recording; the last is the result.
class Recipe {
 public:
  // How `result` came about, for which so many nodes were recorded; none where that took more than
  // ordinary nodes that are pending.
  static Ref<Recipe> of(std::span<Node* const> tensors, const Value& result, uint64_t n_nodes);
  // Whether a body would record the same for these tensors.
  bool fits(std::span<Node* const> tensors) const;
  Value record(std::span<Node* const> tensors) const;

  uint32_t refs = 1;

 private:
  static constexpr size_t kMostSteps = 4;
  struct Tensor {
    LayoutRef layout;
    uint32_t kind;  // dtype and flags
  };
  struct Step {
    const Op* op;
    AttrsRef attrs;
    LayoutRef layout;
    DType dtype;
    Known known;
    std::vector<uint8_t> inputs;  // numbers of tensors, then, counted on, of earlier steps
  };

  explicit Recipe(std::span<Node* const> tensors);
  bool add_step(const Node& node, std::span<const Node* const> before);
  Value record_step(const Step& step, std::span<Node* const> tensors, const Value* made) const;

  uint32_t mode_;  // default dtype, and whether gradients are recorded
  std::vector<Tensor> tensors_;
  std::vector<Step> steps_;
};
inline void release(Recipe* recipe) { delete recipe; }

// For the calls of one op that differ in their tensors only. What was met twice is remembered.
class Recipes {
 public:
  // What the body gives, which has one result. `tensors` are those among the arguments.
  Value record(Call& call, std::span<Node* const> tensors);

 private:
  struct Slot {
    uint64_t hash = 0;  // of the tensors that were last met here
    Ref<Recipe> recipe;
  };
  Slot& slot_of(uint64_t hash);
  std::array<Slot, 4> slots_;
};

}  // namespace wend
