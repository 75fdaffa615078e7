// autograd/backward.cpp: one walk over the graph, newest node first. A node's readers are all newer
// than itself, so its gradient is complete when its turn comes.
#include "autograd/backward.hpp"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "exec/run.hpp"
#include "graph/record.hpp"
#include "ops/functions.hpp"

namespace wend {
namespace {

struct Entry {
  Value node;
  Value gradient;
  Values slots;  // of an autograd.Function: a gradient for each output
  bool wanted = false;
};

// Nodes met and not yet processed: a map from node to entry, and a heap by number.
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
    heap_.push_back({node->number, index});
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

 private:
  struct Slot {
    Node* node = nullptr;
    uint32_t index = 0;
  };
  struct Numbered {
    uint64_t number;
    uint32_t index;
    bool operator<(const Numbered& o) const { return number < o.number; }
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

[[noreturn]] void graph_was_freed(const Node& node) {
  std::string text =
      "Trying to backward through the graph a second time (or directly access saved tensors after "
      "they have already been freed). Saved intermediate values of the graph are freed when you "
      "call .backward() or autograd.grad(). Specify retain_graph=True if you need to backward "
      "through the graph a second time or if you need to access saved tensors after calling "
      "backward.";
  text += "\n  the freed part begins at " + std::string(node.op->name) + " " + show(node.sizes());
  if (node.code) text += "\n  at " + source_hooks.describe(node.source());
  throw Error(ErrorKind::runtime, text);
}

// Nodes from which a target can be reached; everything else need not be walked.
class Reach {
 public:
  Reach(const Backward& request) {
    std::vector<std::pair<Node*, bool>> stack;
    for (const auto& t : request.targets) verdict_[t.node.get()] = true;
    for (const auto& r : request.roots) stack.push_back({r.node.get(), false});
    while (!stack.empty()) {
      auto [node, left] = stack.back();
      stack.pop_back();
      if (left) {
        conclude(node);
        continue;
      }
      if (verdict_.contains(node) && (!verdict_[node] || seen_.contains(node))) continue;
      if (!seen_.insert(node).second) continue;
      stack.push_back({node, true});
      if (node->flags & Node::history_freed) continue;
      for (const Value& in : node->in())
        if (in && in->needs_grad()) stack.push_back({in.get(), false});
    }
  }
  bool leads_to_target(const Node* node) const {
    auto it = verdict_.find(const_cast<Node*>(node));
    return it != verdict_.end() && it->second;
  }

 private:
  void conclude(Node* node) {
    bool& verdict = verdict_[node];
    if (node->flags & Node::history_freed) return;
    for (const Value& in : node->in())
      if (in && in->needs_grad()) verdict |= leads_to_target(in.get());
  }

  std::unordered_map<Node*, bool> verdict_;
  std::unordered_set<Node*> seen_;
};

// True iff `sum` adds something to zeros that nobody else looks at.
bool adds_to_zeros(const Node& sum) {
  static const Op& filled = op_named("filled");
  if (!sum.op->adds_to_first || sum.state != State::pending) return false;
  const Node& start = *sum.inputs[0];
  return start.op == &filled && start.n_inputs == 1 && start.inputs[0] &&
         start.inputs[0]->state == State::valued && real_of(*start.inputs[0]) == 0;
}

// The gradients of views and of rows of a tensor are added in place, not each as a whole tensor.
Value total_of(const Value& a, const Value& b) {
  for (auto [sum, start] : {std::pair(&b, &a), std::pair(&a, &b)}) {
    if ((*sum)->dtype != (*start)->dtype || !adds_to_zeros(**sum)) continue;
    Values in((*sum)->in().begin(), (*sum)->in().end());
    in[0] = *start;
    return record(*(*sum)->op, in, (*sum)->attrs->span());
  }
  return a + b;
}

class Walk {
 public:
  explicit Walk(Backward& request) : request_(request) {
    if (!request.targets.empty()) reach_.emplace(request);
    for (auto& t : request.targets) targets_[t.node.get()].push_back(&t);
    for (auto& r : request.roots) add(r.node.get(), r.gradient);
  }

  void go() {
    while (!frontier_.empty()) {
      Entry entry = frontier_.pop_newest();
      step(entry);
      bound_laziness();
    }
  }

 private:
  void add(Node* node, const Value& gradient) {
    if (!gradient || (reach_ && !reach_->leads_to_target(node))) return;
    Entry& entry = frontier_.entry(node);
    entry.gradient = entry.gradient ? total_of(entry.gradient, gradient) : gradient;
  }

  void step(Entry& entry) {
    Node& node = *entry.node;
    Attachment* attachment = node.extra ? node.extra->attachment.get() : nullptr;
    if (attachment && entry.gradient) entry.gradient = attachment->arrived(entry.gradient);
    bool accumulate = request_.targets.empty();
    if (!targets_.empty()) {
      if (auto it = targets_.find(&node); it != targets_.end())
        for (auto* t : it->second) {
          t->gradient = entry.gradient;
          accumulate |= t->accumulate;
        }
    }
    if (node.is_leaf()) {
      if (accumulate && attachment) attachment->accumulate(entry.gradient);
      return;
    }
    if (node.flags & Node::history_freed) graph_was_freed(node);
    LineOf line(node);
    switch (node.op->back) {
      case Back::rule:
        step_rule(entry);
        break;
      case Back::function:
        step_function(entry);
        break;
      case Back::function_output:
        step_function_output(entry);
        break;
    }
    if (!request_.keep_graph) forget_history(node);
  }

  void step_rule(Entry& entry) {
    if (!entry.gradient) return;
    Node& node = *entry.node;
    const bool watched = node.extra && node.extra->attachment && node.extra->attachment->watches_inputs();
    Values gradients(watched ? node.n_inputs : 0);
    for (uint32_t i = 0; i < node.n_inputs; ++i) {
      Node* input = node.inputs[i].get();
      if (!wants(input)) continue;
      const Gradient& rule =
          node.op->grad_each.formula ? node.op->grad_each : node.op->grad[std::min(i, 3u)];
      if (!rule.formula) continue;
      Value gradient = rule.formula({entry.node, entry.gradient, static_cast<int>(i)});
      if (!gradient) continue;
      gradient = fit_gradient(gradient, *input);
      if (watched)
        gradients[i] = std::move(gradient);
      else
        add(input, gradient);
    }
    if (watched) hand_on(node, gradients, entry.gradient);
  }

  void hand_on(Node& node, Values& gradients, const Value& output) {
    Attachment& attachment = *node.extra->attachment;
    if (attachment.watches_inputs()) attachment.passed(gradients, output);
    for (uint32_t i = 0; i < node.n_inputs; ++i)
      if (gradients[i] && wants(node.inputs[i].get())) add(node.inputs[i].get(), gradients[i]);
  }

  void step_function(Entry& entry) {
    Node& node = *entry.node;
    auto& function = static_cast<FunctionAttachment&>(*node.extra->attachment);
    Values gradients = function.backward(entry.slots);
    for (uint32_t i = 0; i < node.n_inputs; ++i)
      if (gradients[i]) gradients[i] = fit_gradient(gradients[i], *node.inputs[i]);
    hand_on(node, gradients, Value());
  }

  // Input 1 is the function's node; the attribute says which of its outputs this is.
  void step_function_output(Entry& entry) {
    Node* function = entry.node->inputs[1].get();
    if (!wants(function) || (reach_ && !reach_->leads_to_target(function))) return;
    const size_t slot = entry.node->attr(0).as_int();
    Values& slots = frontier_.entry(function).slots;
    if (slots.size() <= slot) slots.resize(slot + 1);
    slots[slot] = slots[slot] ? slots[slot] + entry.gradient : entry.gradient;
  }

  static bool wants(const Node* input) { return input && input->needs_grad(); }

  struct LineOf {
    explicit LineOf(const Node& node) : before(std::exchange(mode.line_of, &node)) {}
    ~LineOf() { mode.line_of = before; }
    const Node* before;
  };

  Backward& request_;
  Frontier frontier_;
  std::optional<Reach> reach_;
  std::unordered_map<Node*, std::vector<Backward::Target*>> targets_;
};

}  // namespace

void backward(Backward& request) {
  run_pending();
  for (const auto& root : request.roots) observe(root.node);
  struct GradMode {
    explicit GradMode(bool on) : before(std::exchange(mode.grad, on)) {}
    ~GradMode() { mode.grad = before; }
    bool before;
  } grad_mode(request.create_graph);
  Walk(request).go();
}

Value fit_gradient(const Value& gradient, const Node& like) {
  Value g = gradient;
  if (g->layout != like.layout && !std::ranges::equal(g->sizes(), like.sizes()))
    g = sum_to(g, like.sizes());
  return g->dtype == like.dtype ? g : cast(g, like.dtype);
}

}  // namespace wend
