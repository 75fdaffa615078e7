// graph/recipe.cpp: bodies whose nodes are read off once and then recorded without them.
#include "graph/recipe.hpp"

#include <algorithm>

namespace wend {
namespace {

uint32_t kind_of(const Node& node) {
  constexpr uint8_t flags = Node::requires_grad | Node::weak | Node::constant;
  return static_cast<uint32_t>(node.dtype) << 8 | (node.flags & flags);
}

uint32_t current_mode() { return static_cast<uint32_t>(default_dtype()) << 1 | mode.grad; }

uint64_t hash_of(std::span<Node* const> tensors) {
  constexpr uint64_t kFactor = 0x9e3779b97f4a7c15u;
  uint64_t h = current_mode() + 1;
  for (const Node* n : tensors)
    h = h * kFactor + (reinterpret_cast<uintptr_t>(n->layout) ^ uint64_t{kind_of(*n)} << 48);
  return h * kFactor;
}

// A number's value would be part of what is recorded, and of a tensor that is given twice it would
// not be known which of the two a node reads.
bool are_plain(std::span<Node* const> tensors) {
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (tensors[i]->flags & (Node::weak | Node::constant)) return false;
    for (size_t k = 0; k < i; ++k)
      if (tensors[k] == tensors[i]) return false;
  }
  return true;
}

bool is_ordinary(const Node& node) {
  const Op& op = *node.op;
  return node.state == State::pending && node.offset == 0 && !node.extra && !node.batch &&
         !op.view && !op.edges && !op.at_once && !op.own_attrs;
}

}  // namespace

Recipe::Recipe(std::span<Node* const> tensors) : mode_(current_mode()) {
  for (const Node* n : tensors) tensors_.push_back({LayoutRef(n->layout), kind_of(*n)});
}

inline bool Recipe::fits(std::span<Node* const> tensors) const {
  if (tensors.size() != tensors_.size() || mode_ != current_mode()) return false;
  const Tensor* known = tensors_.data();
  for (const Node* n : tensors) {
    if (n->layout != known->layout.get() || kind_of(*n) != known->kind) return false;
    ++known;
  }
  return true;
}

bool Recipe::add_step(const Node& node, std::span<const Node* const> before) {
  if (!is_ordinary(node)) return false;
  Step step{node.op,    AttrsRef(node.attrs), LayoutRef(node.layout),
            node.dtype, known_of(node, 1),    {}};
  for (const Value& in : node.in()) {
    const auto at = std::ranges::find(before, in.get());
    if (at == before.end()) return false;
    step.inputs.push_back(static_cast<uint8_t>(at - before.begin()));
  }
  steps_.push_back(std::move(step));
  return true;
}

Ref<Recipe> Recipe::of(std::span<Node* const> tensors, const Value& result, uint64_t n_nodes) {
  if (n_nodes == 0 || n_nodes > kMostSteps || tensors.size() > 32 || mode.saver || mode.inference ||
      !are_plain(tensors))
    return nullptr;
  // From the result back. All that was recorded is needed for it, or there is more to the body.
  const Node* made[kMostSteps] = {result.get()};
  size_t n = 1;
  for (size_t i = 0; i < n; ++i) {
    if (!is_ordinary(*made[i])) return nullptr;
    for (const Value& in : made[i]->in()) {
      const Node* node = in.get();
      if (std::ranges::find(tensors, node) != tensors.end() ||
          std::find(made, made + n, node) != made + n)
        continue;
      if (n == n_nodes) return nullptr;
      made[n++] = node;
    }
  }
  if (n != n_nodes) return nullptr;
  std::sort(made, made + n, [](const Node* a, const Node* b) { return a->number < b->number; });
  if (made[0]->number + n != nodes_recorded() + 1 || made[n - 1] != result.get()) return nullptr;
  std::vector<const Node*> before(tensors.begin(), tensors.end());
  auto recipe = Ref<Recipe>::adopt(new Recipe(tensors));
  for (const Node* node : std::span(made, n)) {
    if (!recipe->add_step(*node, before)) return nullptr;
    before.push_back(node);
  }
  return recipe;
}

inline Value Recipe::record_step(const Step& step, std::span<Node* const> tensors,
                                 const Value* made) const {
  const auto input = [&](size_t i) {
    const size_t at = step.inputs[i];
    return Value(at < tensors.size() ? tensors[at] : made[at - tensors.size()].get());
  };
  const auto append = [&](std::span<Value> in) {
    return append_known(*step.op, in, step.attrs, step.dtype, step.layout, step.known);
  };
  const size_t n = step.inputs.size();
  if (n == 1) {
    Value in[] = {input(0)};
    return append(in);
  }
  if (n == 2) {
    Value in[] = {input(0), input(1)};
    return append(in);
  }
  Values in;
  in.reserve(n);
  for (size_t i = 0; i < n; ++i) in.push_back(input(i));
  return append(in);
}

Value Recipe::record(std::span<Node* const> tensors) const {
  const Step* steps = steps_.data();
  const size_t last = steps_.size() - 1;
  if (last == 0) return record_step(steps[0], tensors, nullptr);
  Value made[kMostSteps - 1];
  for (size_t i = 0; i < last; ++i) made[i] = record_step(steps[i], tensors, made);
  return record_step(steps[last], tensors, made);
}

// That of the same hash, else one that was never used; only then others make way.
Recipes::Slot& Recipes::slot_of(uint64_t hash) {
  for (const uint64_t wanted : {hash, uint64_t{0}})
    if (const auto slot = std::ranges::find(slots_, wanted, &Slot::hash); slot != slots_.end())
      return *slot;
  return slots_[hash >> 62];
}

Value Recipes::record(Call& call, std::span<Node* const> tensors) {
  for (const Slot& slot : slots_) {
    if (!slot.recipe || !slot.recipe->fits(tensors)) continue;
    const Ref<Recipe> recipe = slot.recipe;  // hooks may be called, and call the op themselves
    if (call.op.look) call.op.look(call);
    return recipe->record(tensors);
  }
  const uint64_t hash = hash_of(tensors), before = nodes_recorded();
  Slot& slot = slot_of(hash);
  Value result = std::move(call.op.body(call)[0]);
  if (slot.hash == hash) slot.recipe = Recipe::of(tensors, result, nodes_recorded() - before);
  slot.hash = hash;
  return result;
}

}  // namespace wend
