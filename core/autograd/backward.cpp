// autograd/backward.cpp: one walk over the graph, by falling order of running. A node's readers ran
// after it, so its gradient is complete when its turn comes. Nodes that ran as a batch are passed
// as one, through the node that stands for them, by the same rules.
#include "autograd/backward.hpp"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "autograd/frontier.hpp"
#include "autograd/reach.hpp"
#include "autograd/rows.hpp"
#include "base/threads.hpp"
#include "graph/batch.hpp"
#include "graph/context.hpp"
#include "graph/describe.hpp"
#include "graph/fiber.hpp"
#include "graph/read.hpp"
#include "graph/record.hpp"
#include "ops/batching.hpp"
#include "ops/functions.hpp"

namespace wend {
namespace {

uint64_t walks = 0;

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

bool has_nan(const Value& v) {
  if (!is_floating(v->dtype)) return false;
  WithoutGrad no_grad;
  const Value count = sum(cast(ne(v, v), DType::float32), std::span<const int64_t>(), false);
  evaluate(count);
  return real_of(*count) > 0;
}

// Whether every node of the request's walk may be passed together with those that it ran with. Not
// to a node inside that has hooks: whether they change the answer depends on what lies beyond it,
// and not on what lies beyond its neighbours.
bool goes_by_batches(const Backward& request) {
  return !request.create_graph && !mode.anomaly &&
         std::ranges::none_of(request.targets, [](const auto& t) {
           return batch_of(*t.node) || (t.node->extra && !t.node->is_leaf());
         });
}

// The inputs and the output of a node as its rule is to see them: unpacked by the user's hooks, or
// taken from what the node's batch keeps.
struct Unpacked {
  Values in;
  Value out;

  Unpacked(const Value& node, const Batch& batch) : in(std::max(node->n_inputs, 4u)), out(node) {
    for (uint32_t i = 0; i < node->n_inputs; ++i) in[i] = node->inputs[i];
    const uint8_t saved = batch.like->saved;
    for (uint32_t i = 0; i < 7 && i < batch.in.size(); ++i)
      if (saved >> i & 1) in[i] = with_history(row_of(batch.in[i], node->row), in[i]);
    if (saved & kSavesOutput) out = with_history(row_of({batch.whole, false, {}}, node->row), node);
  }
  Unpacked(const Value& node, PackedValues& packed) : in(std::max(node->n_inputs, 4u)), out(node) {
    for (uint32_t i = 0; i < node->n_inputs; ++i) in[i] = node->inputs[i];
    for (int i = 0; i < 7; ++i)
      if (packed.which >> i & 1) in[i] = with_history(packed.values[i]->unpack(in[i]), in[i]);
    if (packed.which & kSavesOutput) out = with_history(packed.values[7]->unpack(node), node);
  }

  static Value row_of(const BatchInput& in, uint32_t row) {
    WithoutGrad no_grad;
    const Value all(in.all);
    return in.shared ? all : select(all, 0, row);
  }
  static Value with_history(const Value& value, const Value& original) {
    if (!mode.grad) return value;
    const Value plain = alias_without_grad(value);
    return original->needs_grad() ? rebind(plain, original) : plain;
  }
};

struct LineOf {
  explicit LineOf(const Node& node) : before(std::exchange(mode.line_of, &node)) {}
  ~LineOf() { mode.line_of = before; }
  const Node* before;
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
    const Node& node = **sum;
    if (!node.op->onto || node.state != State::pending || node.uses != 1 ||
        node.layout != (*start)->layout || node.dtype != (*start)->dtype)
      continue;
    if (const Value total = node.op->onto(*start, node)) return total;
  }
  for (auto [sum, start] : {std::pair(&b, &a), std::pair(&a, &b)}) {
    if ((*sum)->dtype != (*start)->dtype || !adds_to_zeros(**sum)) continue;
    Values in((*sum)->in().begin(), (*sum)->in().end());
    in[0] = *start;
    return record(*(*sum)->op, in, (*sum)->attrs->span());
  }
  return a + b;
}

}  // namespace

class Walk {
 public:
  ~Walk() {
    // Newest first: what nobody else holds goes with its reader.
    for (Node* node : passed_) {
      batch_of(*node) ? forget_inputs(*node) : forget_edges(*node);
      unref(node);
    }
  }
  explicit Walk(Backward& request) : request_(request) {
    if (!request.targets.empty()) reach_.emplace(request, by_batches_);
    if (hooked_leaves) turns_.emplace(request, by_batches_);
    for (auto& r : request.roots) add(r.node.get(), r.gradient);
  }

  void go() {
    while (!frontier_->empty()) {
      Entry entry = frontier_->pop_newest();
      if (entry.parts && !entry.parts->placed.empty()) join_parts(entry);
      at_ = entry.node.get();
      const size_t mark = pending.nodes.size();
      if (mode.anomaly)
        step_and_tell(entry);
      else
        step(entry);
      if (batches_made) count_self_reliant(mark);
      if (is_too_lazy()) [[unlikely]]
        join_and_run();
      else if (pending.self_reliant >= next_start_) [[unlikely]]
        start_some();
    }
  }

  uint64_t number() const { return number_; }

  std::vector<bool> yet_to_come(std::span<Node* const> nodes) const {
    std::unordered_set<const Node*> seen;
    std::vector<Node*> stack = frontier_->nodes();
    stack.push_back(at_);
    uint64_t oldest = ~uint64_t{0};
    for (const Node* n : nodes) oldest = std::min(oldest, order_of(*n));
    while (!stack.empty()) {
      Node* node = stack.back();
      stack.pop_back();
      if (order_of(*node) < oldest || !seen.insert(node).second) continue;
      for (const Value& in : node->in())
        if (wants(in.get())) stack.push_back(in.get());
    }
    std::vector<bool> answers;
    for (const Node* n : nodes) answers.push_back(seen.contains(n));
    return answers;
  }

 private:
  // Gradients of batches do much at once as they are, and views do nothing.
  void count_self_reliant(size_t mark) const {
    const bool batch = at_->flags & Node::stands_for_batch;
    for (size_t i = mark; i < pending.nodes.size(); ++i)
      if (const Node* node = pending.nodes[i]) pending.self_reliant += batch || node->op->view;
  }

  [[gnu::always_inline]] void add(Node* node, Value gradient) {
    if (!gradient || (reach_ && !reach_->leads_to_target(node))) return;
    if (by_batches_)
      if (const Batch* batch = batch_of(*node))
        return frontier_->rows(batch->whole).push_back({gradient, {}, node->row});
    Entry& entry = turns_ ? entry_in_turn(node) : frontier_->entry(node);
    if (gradient->op->join && gradient->state == State::pending && gradient->uses == 1)
      return add_part(entry, std::move(gradient));
    entry.gradient = entry.gradient ? total_of(entry.gradient, gradient) : std::move(gradient);
  }

  [[gnu::noinline]] Entry& entry_in_turn(Node* node) {
    const Turns::Turn* turn = turns_->of(node);
    return turn ? frontier_->entry_at(node, turn->order, turn->place) : frontier_->entry(node);
  }

  // Parts wait for each other, but never hold more than the whole would.
  static void add_part(Entry& entry, Value part) {
    Parts& parts = entry.own_parts();
    if (!parts.placed.empty()) {
      const Node& other = *parts.placed[0];
      if (other.op != part->op || other.layout != part->layout || other.dtype != part->dtype ||
          parts.elements >= part->numel())
        join_parts(entry);
    }
    for (const Value& in : part->in()) parts.elements += in->numel();
    parts.placed.push_back(std::move(part));
  }

  static void join_parts(Entry& entry) {
    join_waiting(*entry.parts);
    entry.parts->elements = 0;
    for (Value& sum : std::exchange(entry.parts->placed, {}))
      entry.gradient = entry.gradient ? total_of(entry.gradient, sum) : std::move(sum);
  }

  // Makes one of those that have yet to run; one that has run, for hooks may look, has let go of
  // its part and stays as it is.
  static void join_waiting(Parts& parts) {
    const auto waiting = std::ranges::stable_partition(
        parts.placed, [](const Value& part) { return part->state != State::pending; });
    if (waiting.size() < 2) return;
    Value joined = waiting[0]->op->join(waiting);
    parts.placed.erase(waiting.begin(), waiting.end());
    parts.placed.push_back(std::move(joined));
  }

  // Each part would run as a tensor of the whole's size. Often to join them is enough, so that much
  // more can wait; if it is not, a run is due.
  void join_and_run() {
    join_all();
    if (is_too_lazy(2)) start_pending();
  }

  void join_all() {
    frontier_->each([](Entry& entry) {
      if (entry.parts) join_waiting(*entry.parts);
    });
  }

  // Workers begin with what was recorded while the walk goes on; a run now and then is enough. The
  // walks of other fibers may go on as well, and run together with this one.
  void start_some() {
    next_start_ = num_threads() > 1 && !mode.fiber ? 2 * next_start_ : kNever;
    if (next_start_ == kNever) return;
    join_all();
    start_pending();
  }

  void step(Entry& entry) {
    Node& node = *entry.node;
    if (node.batch) fetch_inputs(node);
    if (by_batches_ && node.flags & Node::stands_for_batch && !step_batch(entry)) return;
    Attachment* attachment = node.extra ? node.extra->attachment.get() : nullptr;
    // As in PyTorch, hooks change the answer only where the walk ends.
    const bool goes_on = !reach_ || reach_->goes_on_from(node);
    if (reach_ && goes_on) answer(entry);
    if (attachment) entry.gradient = attachment->arrived(entry.gradient);
    const bool accumulate = !reach_ || (!goes_on && answer(entry));
    if (node.is_leaf()) {
      if (accumulate && attachment && entry.gradient) step_leaf(entry, *attachment);
      return;
    }
    if (!goes_on) return;
    if (is_freed(node)) {
      if (reach_ && reach_->is_target(&node)) return;
      wend::graph_was_freed(node);
    }
    LineOf line(node);
    switch (node.op->back) {
      case Back::rule:
        step_rule(entry);
        break;
      case Back::function:
        return step_function(entry);
      case Back::function_output:
        return step_function_output(entry);
      case Back::rows:
        step_rows(entry);
        break;
    }
    if (!request_.keep_graph) forget(node);
  }

  // A member must be there until the walk has come to its batch, so edges to one go at the end.
  void forget(Node& node) {
    if (Batch* batch = batch_of(node)) {
      forget_row(*batch, node.row);
    } else {
      if (node.saved || node.extra) forget_saved(node);
      if (node.flags & Node::stands_for_batch) forget_batch(*node.batch);
    }
    if (by_batches_ && std::ranges::any_of(node.in(), [](auto& in) { return in && batch_of(*in); }))
      retain(passed_.emplace_back(&node));
    else if (node.flags & Node::history_freed)
      forget_edges(node);
  }

  void forget_batch(Batch& batch) {
    if (!by_batches_) return;
    for (Node* member : batch.members)
      if (member && !member->op->view && member->inputs[0]) retain(passed_.emplace_back(member));
    forget_history(batch);
  }

  // Puts the gradient of a batch together; false if not all members take part or one of them needs
  // a look, so that they were passed one by one.
  bool step_batch(Entry& entry) {
    Node& whole = *entry.node;
    Batch& batch = *whole.batch;
    const bool alike = !batch.watched && !batch.freed_count &&
                       !(batch.merges && (reach_ || views_watched) && inputs_watched(batch));
    if (batch.freed) wend::graph_was_freed(*member_of(whole, 0));
    if (alike && (!entry.parts || entry.parts->rows.empty())) return true;
    RowList list;
    if (entry.gradient) list.add_all(entry.gradient, 0);
    const size_t first = list.to.size();
    if (entry.parts)
      for (const RowsGradient& rows : entry.parts->rows)
        if (rows.gradient) list.add(rows);
    const auto others = std::span(list.to).subspan(first);
    List<uint8_t> there(batch.n());
    for (int64_t to : others) there[to] = 1;
    const bool all_there = std::ranges::find(there, 0) == there.end();
    if (!alike || !(all_there || first)) {
      if (first) std::ranges::fill(there, 1);
      if (entry.parts)
        for (const RowsGradient& rows : entry.parts->rows)
          if (!rows.gradient) there[rows.which] = 1;
      step_members(batch, list, there);
      return false;
    }
    // Rows of all members are added in the pass that makes, or takes, the gradient of all.
    entry.gradient = first && all_there ? entry.gradient + list.assembled(whole, first)
                                        : list.assembled(whole, 0);
    return true;
  }

  // Whether somebody wants to see the gradient of one of several views that one stands for.
  bool inputs_watched(Batch& batch) const {
    auto seen = [&](Node* view) { return view->extra || (reach_ && reach_->is_target(view)); };
    // What has the history of a view stands for it; where it is that of one node, all meet there.
    auto history = [](Node* node) { return node->op->edges ? node->inputs[1].get() : nullptr; };
    auto any_watched = [&](const BatchInput& in) {
      if (std::ranges::any_of(in.each, seen)) return true;
      const bool differ = std::ranges::any_of(
          in.each, [&](Node* one) { return history(one) != history(in.each[0]); });
      return differ && std::ranges::any_of(
                           in.each, [&](Node* one) { return history(one) && seen(history(one)); });
    };
    return std::ranges::any_of(batch.in, any_watched);
  }

  void step_members(Batch& batch, const RowList& list, const List<uint8_t>& met) {
    for (uint32_t i = 0; i < batch.n(); ++i) {
      if (!met[i]) continue;
      Entry one{Value(member_of(*batch.whole, i).get()), list.of_row(i), {}};
      step(one);
    }
  }

  // Rows of batches and single values that were put one behind the other.
  void step_rows(Entry& entry) {
    Node& node = *entry.node;
    if (!entry.gradient) return pass_nothing(node);
    for (uint32_t i = 0; i < node.n_inputs; ++i) {
      Node* source = node.inputs[i].get();
      if (!wants(source) || !(source->flags & Node::stands_for_batch)) continue;
      frontier_->rows(source).push_back({entry.gradient, entry.node, i});
    }
    if (node.op->view) return;
    const auto sources = node.attr(1).as_ints(), rows = node.attr(2).as_ints();
    for (size_t i = 0; i < sources.size(); ++i) {
      Node* source = node.inputs[sources[i]].get();
      if (rows[i] >= 0 || !wants(source)) continue;
      const auto at = static_cast<int64_t>(i);
      if (const Batch* batch = by_batches_ ? batch_of(*source) : nullptr)
        frontier_->rows(batch->whole).push_back({entry.gradient, {}, source->row, at});
      else
        add(source, select(entry.gradient, 0, at));
    }
  }

  void step_and_tell(Entry& entry) {
    try {
      step(entry);
    } catch (...) {
      request_.failed_at = entry.node;
      throw;
    }
  }

  // Notes the gradient for whoever asked for it; true iff the leaf is to have it as well.
  bool answer(const Entry& entry) {
    bool accumulate = false;
    for (auto* t : reach_->targets_at(entry.node.get())) {
      t->gradient = entry.gradient;
      accumulate |= t->accumulate;
    }
    return accumulate;
  }

  static void step_leaf(Entry& entry, Attachment& attachment) {
    if (!attachment.watches()) return attachment.accumulate(entry.gradient);
    attachment.entering(std::span(&entry.gradient, 1));
    attachment.accumulate(entry.gradient);
    attachment.passed({}, std::span(&entry.gradient, 1));
  }

  void step_rule(Entry& entry) {
    Node& node = *entry.node;
    if (node.extra || mode.anomaly || batch_of(node)) [[unlikely]]
      return step_rule_watched(entry);
    if (!entry.gradient) return pass_nothing(node);
    apply_rule(entry, node.inputs, entry.node,
               [&](uint32_t i, Value gradient) { add(node.inputs[i].get(), std::move(gradient)); });
  }

  // The same where hooks are to see the gradients, or to unpack what was saved.
  void step_rule_watched(Entry& entry) {
    Node& node = *entry.node;
    const bool hooked = node.extra && node.extra->attachment && node.extra->attachment->watches();
    if (hooked) node.extra->attachment->entering(std::span(&entry.gradient, 1));
    if (!entry.gradient) return pass_nothing(node);
    std::optional<Unpacked> unpacked;
    if (node.extra && node.extra->packed)
      unpacked.emplace(entry.node, *node.extra->packed);
    else if (const Batch* batch = batch_of(node))
      unpacked.emplace(entry.node, *batch);
    Values gradients(node.n_inputs);
    apply_rule(entry, unpacked ? unpacked->in.data() : node.inputs,
               unpacked ? unpacked->out : entry.node,
               [&](uint32_t i, Value gradient) { gradients[i] = std::move(gradient); });
    hand_on(node, gradients, std::span(&entry.gradient, 1));
  }

  // Gives the gradient of every input that wants one to `take`. Weights come last among inputs and
  // go first here: what was saved for their gradient need not wait beside the others'.
  template <class Take>
  [[gnu::always_inline]] void apply_rule(const Entry& entry, const Value* in, const Value& out,
                                         Take take) {
    const Node& node = *entry.node;
    const Op& op = *node.op;
    for (uint32_t i = node.n_inputs; i-- > 0;) {
      const Node* input = node.inputs[i].get();
      if (!wants(input)) continue;
      const Gradient& rule = op.grad_each.formula ? op.grad_each : op.grad[std::min(i, 3u)];
      if (!rule.formula) continue;
      Value gradient = rule.formula({node, in, out, entry.gradient, static_cast<int>(i)});
      // An edge without a value has the geometry of the node that it gave its history to.
      const Node& like = op.is_edge(i) ? node : *input;
      if (gradient) take(i, fit_gradient(std::move(gradient), like));
    }
  }

  // The walk goes on without a gradient: hooks and functions are still called.
  void pass_nothing(Node& node) {
    for (const Value& in : node.in()) {
      if (!wants(in.get())) continue;
      const Batch* batch = by_batches_ ? batch_of(*in) : nullptr;
      if (batch)
        frontier_->rows(batch->whole).push_back({{}, {}, in->row});
      else
        frontier_->entry(in.get());
    }
  }

  void hand_on(Node& node, Values& gradients, std::span<const Value> outputs) {
    if (mode.anomaly && mode.check_nan) refuse_nan(node, gradients);
    Attachment* attachment = node.extra ? node.extra->attachment.get() : nullptr;
    if (attachment && attachment->watches()) attachment->passed(gradients, outputs);
    for (uint32_t i = 0; i < node.n_inputs; ++i)
      if (gradients[i] && wants(node.inputs[i].get())) add(node.inputs[i].get(), gradients[i]);
  }

  static void refuse_nan(const Node& node, const Values& gradients) {
    for (size_t i = 0; i < gradients.size(); ++i)
      if (gradients[i] && has_nan(gradients[i]))
        fail(ErrorKind::runtime, "Function '", backward_name(node), "' returned nan values in its ",
             i, "th output.");
  }

  void step_function(Entry& entry) {
    Node& node = *entry.node;
    auto& function = static_cast<FunctionAttachment&>(*node.extra->attachment);
    Values outputs = entry.parts ? std::move(entry.parts->slots) : Values();
    if (function.watches()) function.entering(outputs);
    Values gradients = function.backward(outputs);
    for (uint32_t i = 0; i < node.n_inputs; ++i)
      if (gradients[i]) gradients[i] = fit_gradient(gradients[i], *node.inputs[i]);
    hand_on(node, gradients, outputs);
    pass_nothing(node);
    if (!request_.keep_graph) function.forget();
  }

  // Input 1 is the function's node; the attribute says which of its outputs this is.
  void step_function_output(Entry& entry) {
    Node* function = entry.node->inputs[1].get();
    if (!wants(function)) return;
    const size_t slot = entry.node->attr(0).as_int();
    Values& slots = frontier_->entry(function).own_parts().slots;
    if (slots.size() <= slot) slots.resize(slot + 1);
    if (!entry.gradient) return;
    slots[slot] = slots[slot] ? slots[slot] + entry.gradient : entry.gradient;
  }

  bool wants(const Node* input) const {
    return input && input->needs_grad() && (!reach_ || reach_->leads_to_target(input));
  }

  Backward& request_;
  const uint64_t number_ = ++walks;
  const bool by_batches_ = goes_by_batches(request_);
  std::vector<Node*> passed_;  // whose edges go at the end
  BorrowedFrontier frontier_;
  static constexpr size_t kFirstStart = 24, kNever = ~size_t{0};
  size_t next_start_ = kFirstStart;  // nodes that gain nothing by company, of which to start some
  Node* at_ = nullptr;
  std::optional<Reach> reach_;  // none: all leaves are targets
  std::optional<Turns> turns_;  // none: no leaf has hooks
};

void backward(Backward& request) {
  const InContext walk_back(Scope::backward, "");
  fibers_walk_back = mode.fiber != nullptr;
  settle(/*finish=*/false);
  finish_large_kernels();
  // A root whose value was dropped has run; only its history is needed. Nor is a value needed that
  // a kernel is still at.
  for (const auto& root : request.roots)
    if (root.node->state != State::dropped && root.node->state != State::valued)
      evaluate(root.node);
  Walk walk(request);
  struct During {
    During(bool grad, Walk* walk)
        : grad(std::exchange(mode.grad, grad)), walk(std::exchange(mode.walk, walk)) {}
    ~During() {
      mode.grad = grad;
      mode.walk = walk;
    }
    bool grad;
    Walk* walk;
  } during(request.create_graph, &walk);
  walk.go();
}

uint64_t current_walk() { return mode.walk ? mode.walk->number() : 0; }

std::vector<bool> yet_to_come(std::span<Node* const> nodes) {
  if (!mode.walk) return std::vector<bool>(nodes.size());
  return mode.walk->yet_to_come(nodes);
}

Value refit_gradient(Value g, const Node& like) {
  if (g->layout != like.layout && !std::ranges::equal(g->sizes(), like.sizes()))
    g = sum_to(g, like.sizes());
  return g->dtype == like.dtype ? g : cast(g, like.dtype);
}

}  // namespace wend
