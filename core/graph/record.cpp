// graph/record.cpp: appending nodes, and the list of what is pending.
#include "graph/record.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "graph/batch.hpp"
#include "graph/fiber.hpp"
#include "graph/outside.hpp"
#include "graph/watch.hpp"

namespace wend {

constinit Forever<Pending> pending_forever;

namespace {

uint32_t level_above(std::span<const Value> inputs) {
  uint32_t level = 0;
  for (const Value& in : inputs)
    if (in && in->state == State::pending) level = std::max(level, in->row + 1);
  return level;
}

}  // namespace

void Pending::compact(bool recount) {
  ++moves;
  look_at -= std::min(look_at, nodes.size() - live);
  size_t kept = 0;
  for (Node* node : nodes.first(live ? nodes.size() : 0)) {
    if (!node) continue;
    if (recount) node->row = level_above(node->in());
    marks[kept] = {node->row, marks[node->slot].key};
    node->slot = static_cast<uint32_t>(kept);
    nodes[kept++] = node;
  }
  nodes = nodes.first(kept);
}

// A program that drops what it records without ever looking must not fill the list with gaps.
void Pending::grow() {
  if (!in_run && has_many_gaps()) return compact(false);
  places.resize(std::max<size_t>(64, 2 * places.size()));
  marks.resize(places.size());
  nodes = {places.data(), nodes.size()};
}

namespace {

uint64_t recorded = 0;
bool special_nodes = false;  // true once there was an inference tensor or a refused history
DType current_default = DType::float32;

// What a node's gradients will need, found while its inputs are made ready to be read.
struct Needs {
  uint8_t flags = 0;  // Node::requires_grad or nothing
  uint8_t saved = 0;
  bool outside = false;  // reads memory that somebody outside may write
  uint32_t level = 0;    // one more than the highest among pending inputs
  uint32_t started = 0;  // the highest among those that were started before the others
};

// The level that a node with a value had, if it was started before the others.
[[gnu::noinline]] uint32_t level_before(const Node& node) {
  if (pending.live == 0) {  // what it was recorded with is gone, though there was no run
    pending.begun = false;
    pending.since = recorded;
    return 0;
  }
  const Batch* batch = batch_of(node);
  if ((batch ? batch->whole : &node)->number <= pending.since) return 0;
  return batch ? batch->level : node.row;
}

// Nodes of an op with `by_layout` that agree in attributes and in the layouts of their inputs: most
// are of a kind that was met before.
struct alignas(64) Kind {
  const Op* op = nullptr;
  LayoutRef in[2];
  AttrsRef attrs;
  LayoutRef layout;
  DType dtype{};
  Known known;
};
static_assert(sizeof(Kind) == 64);
// Batches are of ever new kinds: one must be met twice to come first.
struct Kinds {
  Kind entries[256][2];
};
constinit Forever<Kinds> kinds;

template <size_t kInputs>
[[gnu::always_inline]] inline uint32_t about(std::span<const Value, kInputs> inputs) {
  uint32_t all = 2 | mode.grad;
  for (const Value& in : inputs)
    all = all << 12 | static_cast<uint32_t>(in->dtype) << 3 |
          (in->flags & (Node::requires_grad | Node::weak));
  return all;
}

// `known`: what is known of the node to be made, if anything is.
template <size_t kInputs>
[[gnu::always_inline]] inline Needs prepare(const Op& op, std::span<Value, kInputs> inputs,
                                            DType dtype, const Known* known) {
  Needs needs;
  if (known) {
    needs.flags = known->flags;
    needs.saved = known->saved;
  }
  const bool records_grad = !known && mode.grad && op.differentiable && is_floating(dtype);
  const uint8_t passed_on = records_grad ? Node::requires_grad : 0;
  for (size_t i = 0; i < inputs.size(); ++i) {
    Node& in = *inputs[i];
    if (!known && in.flags & passed_on) {
      needs.flags = passed_on;
      needs.saved |= op.saves_for(i);
    }
    if (in.state == State::pending)
      needs.level = std::max(needs.level, in.row + 1);
    else if (in.state == State::dropped && !op.is_edge(i)) [[unlikely]]
      derive_again(in);
    else if (pending.begun) [[unlikely]]
      needs.started = std::max(needs.started, level_before(in));
  }
  if (outside_buffers) needs.outside = !op.view && reads_outside(op, inputs);
  return needs;
}

// From now on the user's hooks hold what the gradient will read; numbers are not worth it.
void pack_saved(Node& node) {
  auto packed = std::make_unique<PackedValues>();
  extra(node);  // the hooks may let it run, and it is to keep its inputs
  for (uint32_t i = 0; i < 8; ++i) {
    if (!(node.saved >> i & 1) || (i < 7 && i >= node.n_inputs)) continue;
    Node* value = i == 7 ? &node : node.inputs[i].get();
    if (value->flags & Node::constant) continue;
    packed->values[i] = mode.saver->pack(Value(value), i == 7);
    packed->which |= 1 << i;
  }
  uint8_t which = 0;
  for (int i = 0; i < 8; ++i) which |= (packed->values[i] && !packed->values[i]->as_is) << i;
  node.saved &= ~which;
  if (packed->which) extra(node).packed = std::move(packed);
  for (int i = 0; node.state != State::pending && i < 7; ++i)
    if (which >> i & 1) unuse(node.inputs[i].get());
  if (which & kSavesOutput) unuse(&node);
}

void refuse_special_nodes(std::span<const Value> inputs, uint8_t saved) {
  for (const Value& in : inputs)
    if (in->needs_grad() && in->flags & Node::refused) throw *in->extra->error;
  for (size_t i = 0; i < 7 && i < inputs.size(); ++i)
    if (saved >> i & 1 && inputs[i]->flags & Node::inference)
      fail(ErrorKind::runtime,
           "Inference tensors cannot be saved for backward. Please do not use Tensors created in "
           "inference mode in computation tracked by autograd. To work around this, you can make a "
           "clone to get a normal tensor and use it in autograd, or use `torch.no_grad()` instead "
           "of `torch.inference_mode()`.");
}

// Written to where it belongs, which is cheaper than handing it on.
[[gnu::always_inline]] inline void find_source(void*& code, int32_t& instruction) {
  if (!mode.line_of) {
    const Source source = source_hooks.capture ? source_hooks.capture() : Source{};
    code = source.code;
    instruction = source.instruction;
  } else {
    code = mode.line_of->code;
    instruction = mode.line_of->instruction;
    if (code) source_hooks.retain(code);
  }
}

[[gnu::noinline]] void mark_inference(Node& node) {
  node.flags |= Node::inference;
  special_nodes = true;
}

// Takes over the references to layout and attributes.
[[gnu::always_inline]] inline Node* new_node_as(const Known& known, uint32_t level, const Op& op,
                                                size_t n_inputs, DType dtype, const Layout* layout,
                                                int64_t offset, Attrs* attrs) {
  auto* node = static_cast<Node*>(small_alloc(sizeof(Node) + n_inputs * sizeof(Value)));
  node->refs = 1;
  node->uses = 1 + (known.saved >> 7);  // the way back needs the output, too
  node->number = ++recorded;
  node->order = 0;  // until it has run
  node->batch = nullptr;
  node->op = &op;
  node->layout = layout;
  node->offset = offset;
  node->buffer = nullptr;
  node->attrs = attrs;
  node->extra = nullptr;
  node->slot = 0;
  node->row = level;
  node->dtype = dtype;
  node->state = State::pending;
  node->flags = known.flags;
  node->saved = known.saved;
  node->n_inputs = static_cast<uint32_t>(n_inputs);
  find_source(node->code, node->instruction);
  return node;
}

[[gnu::always_inline]] inline Node* new_node(const Op& op, size_t n_inputs, DType dtype,
                                             const Layout* layout, int64_t offset,
                                             Attrs* attrs = nullptr) {
  Node* node = new_node_as(Known{}, 0, op, n_inputs, dtype, layout, offset, attrs);
  if (mode.inference) [[unlikely]]
    mark_inference(*node);
  return node;
}

// The node takes over the references; of a gradient edge it does not need the value.
template <size_t kInputs>
inline void take_inputs(Node& node, std::span<Value, kInputs> inputs) {
  for (size_t i = 0; i < inputs.size(); ++i) new (&node.inputs[i]) Value(std::move(inputs[i]));
  if (!node.op->edges) return;
  for (size_t i = 0; i < inputs.size(); ++i)
    if (node.op->is_edge(i)) unuse(node.inputs[i].get());
}

// What runs at once reads outside memory as it is; what the gradient will read is copied now.
void make_private(std::span<Value> inputs, uint8_t saved) {
  for (size_t i = 0; i < inputs.size() && i < 7; ++i) {
    Buffer* buffer = inputs[i]->buffer;
    if (saved >> i & 1 && buffer && is_shared(*buffer))
      inputs[i] = record(op_named("clone_of"), {inputs[i]});
  }
}

}  // namespace

Known known_of(const Node& node, uint32_t about) {
  if (node.state != State::pending || mode.saver) return {};
  const Op& op = *node.op;
  const uint8_t flags = node.flags & Node::requires_grad;
  const uint32_t key = pending.marks[node.slot].key;
  // What has a key is not large.
  const bool waits = key && !op.edges && !op.at_once;
  const auto bytes = static_cast<uint32_t>(node.layout->numel * size_of(node.dtype));
  return {about, key, flags, node.saved, waits, waits ? bytes : 0};
}

Source current_source() {
  Source source;
  find_source(source.code, source.instruction);
  return source;
}

void derive_again(Node& view) {
  std::vector<Node*> chain;
  Node* base = &view;
  while (base->state == State::dropped && !revive(*base) && base->op->view && base->inputs[0]) {
    chain.push_back(base);
    base = base->inputs[0].get();
  }
  if (base->state != State::valued)
    fail(ErrorKind::runtime, "internal: the value of ", base->op->name, " was dropped too early");
  for (size_t i = chain.size(); i-- > 0;) take_value(*chain[i], *base);
}

void take_value(Node& view, Node& base) {
  with_buffer(base);
  view.buffer = base.buffer;
  ++view.buffer->refs;
  view.state = State::valued;
}

namespace {

// Before a node is made of inputs that somebody outside may write, or that may not be used.
[[gnu::noinline]] void look_at_inputs(const Op& op, std::span<Value> inputs, Needs& needs) {
  if (needs.outside && !op.at_once && !mode.eager)
    needs.outside = take_outside_values(op, inputs, needs.saved);
  if (needs.outside && needs.saved) make_private(inputs, needs.saved);
  if (special_nodes && needs.flags) refuse_special_nodes(inputs, needs.saved);
}

// After a node was made that does not simply wait for its turn.
[[gnu::noinline]] void attend_to(Node& node, bool outside) {
  if (is_watched()) tell_recorded(node);
  if (mode.saver && node.saved) pack_saved(node);
  if (node.op->at_once || mode.eager || outside) run_at_once(node);
}

template <size_t kInputs>
[[gnu::always_inline]] inline Value append_to(const Op& op, std::span<Value, kInputs> inputs,
                                              AttrsRef attrs, DType dtype, LayoutRef layout,
                                              int64_t offset, const Known* known = nullptr) {
  const uint32_t key = known ? known->key : 0;
  Needs needs = prepare(op, inputs, dtype, known);
  if (needs.outside | special_nodes) [[unlikely]]
    look_at_inputs(op, inputs, needs);
  Node* node = new_node(op, inputs.size(), dtype, layout.leak(), offset, attrs.leak());
  node->flags |= needs.flags;
  node->saved = needs.saved;
  node->row = std::max(needs.level, needs.started + 1);
  if (needs.saved & kSavesOutput) use(node);
  take_inputs(*node, inputs);
  if (op.view) {
    Node& base = *node->inputs[0];
    if (special_nodes)  // a view is of the kind that its base is
      node->flags = (node->flags & ~Node::inference) | (base.flags & Node::inference);
    // It has its value at once, but not its place before what its history leads to has one.
    if (base.state == State::valued && needs.level == 0) {
      take_value(*node, base);  // for which the base's batch may have to run
      if (!needs.started) node->row = 0;
      node->order = next_order();
      let_inputs_go(*node);
      if (is_watched()) [[unlikely]]
        tell_recorded(*node);
      return Value::adopt(node);
    }
  }
  pending.add(node, key);
  Value result = Value::adopt(node);
  if (op.at_once | mode.eager | needs.outside | (mode.saver != nullptr) | some_watch) [[unlikely]]
    attend_to(*node, needs.outside);
  return result;
}

template <size_t kInputs>
[[gnu::noinline]] Value append_with_care(const Op& op, std::span<Value, kInputs> inputs,
                                         Attrs* attrs, DType dtype, const Layout* layout,
                                         int64_t offset, const Known& known);

// The same, by the way of nearly all nodes that are like one before: whatever else there may be is
// told beforehand and left to the other, so that this one is short. `kOrdinary`: no input lies in
// memory that somebody outside may write.
template <size_t kInputs, bool kOrdinary = false>
[[gnu::always_inline]] inline Value append_like(const Op& op, std::span<Value, kInputs> inputs,
                                                Attrs* attrs, DType dtype, const Layout* layout,
                                                int64_t offset, const Known& known) {
  bool unusual = !known.waits | special_nodes | some_watch | mode.eager | mode.inference |
                 (!kOrdinary && outside_buffers != 0) | (mode.saver != nullptr);
  uint32_t level = 1;
  for (const Value& in : inputs) {
    if (in->state == State::pending)
      level = std::max(level, in->row + 1);
    else if (in->state == State::dropped || op.view)
      unusual = true;
    else if (pending.begun)
      level = std::max(level, level_before(*in) + 1);
  }
  if (unusual) [[unlikely]] {
    if constexpr (!kOrdinary)
      return append_with_care(op, inputs, attrs, dtype, layout, offset, known);
    return append_to(op, inputs, AttrsRef(attrs), dtype, LayoutRef(layout), offset, &known);
  }
  ++layout->refs;
  if (attrs) ++attrs->refs;
  Node* node = new_node_as(known, level, op, inputs.size(), dtype, layout, offset, attrs);
  for (size_t i = 0; i < inputs.size(); ++i) new (&node->inputs[i]) Value(std::move(inputs[i]));
  pending.add(node, level, known.key, known.bytes);
  return Value::adopt(node);
}

template <size_t kInputs>
Value append_with_care(const Op& op, std::span<Value, kInputs> inputs, Attrs* attrs, DType dtype,
                       const Layout* layout, int64_t offset, const Known& known) {
  if (outside_buffers && !reads_outside(op, inputs))
    return append_like<kInputs, true>(op, inputs, attrs, dtype, layout, offset, known);
  return append_to(op, inputs, AttrsRef(attrs), dtype, LayoutRef(layout), offset, &known);
}

template <size_t kInputs>
[[gnu::always_inline]] inline Value append_to(std::span<Value, kInputs> inputs, Infer& s,
                                              AttrsRef attrs) {
  return append_to(s.op, inputs, std::move(attrs), s.dtype, std::move(s.layout), s.offset);
}

// Most nodes have one input or two: for those it is compiled with the number known.
[[gnu::always_inline]] inline Value append_inferred(Infer& s, AttrsRef attrs) {
  if (s.in.size() == 1) return append_to(s.in.first<1>(), s, std::move(attrs));
  if (s.in.size() == 2) return append_to(s.in.first<2>(), s, std::move(attrs));
  return append_to(s.in, s, std::move(attrs));
}

}  // namespace

Value append(const Op& op, std::span<Value> inputs, AttrsRef attrs, DType dtype,
             const Layout* layout, int64_t offset) {
  Infer known{op, inputs, {}, dtype, LayoutRef(layout), offset};
  return append_inferred(known, std::move(attrs));
}

Value append_known(const Op& op, std::span<Value> inputs, const AttrsRef& attrs, DType dtype,
                   const LayoutRef& layout, const Known& known) {
  const auto append = [&](auto in) {
    return append_like(op, in, attrs.get(), dtype, layout.get(), 0, known);
  };
  if (inputs.size() == 1) return append(inputs.first<1>());
  if (inputs.size() == 2) return append(inputs.first<2>());
  return append(inputs);
}

void append_parts(const Op& op, const Value& of, std::span<ViewPart> parts, Values& to) {
  const uint32_t now = about(std::span<const Value, 1>(&of, 1));
  to.reserve(to.size() + parts.size());
  for (ViewPart& part : parts) {
    Value in[] = {of};
    const int64_t offset = of->offset + part.offset;
    if (part.known.about == now && part.known_at == of->offset) {
      to.push_back(append_like(op, std::span(in), part.attrs.get(), of->dtype, part.layout.get(),
                               offset, part.known));
      continue;
    }
    to.push_back(append_to(op, std::span(in), part.attrs, of->dtype, part.layout, offset));
    part.known = known_of(*to.back(), now);
    part.known_at = of->offset;
  }
}

Value append_marker(const Op& op, std::span<Value> inputs, const Layout* layout) {
  Node* node = new_node(op, inputs.size(), default_dtype(), LayoutRef(layout).leak(), 0);
  node->flags |= Node::requires_grad;
  node->row = std::max(1u, level_above(inputs));
  take_inputs(*node, inputs);
  pending.add(node);
  if (is_watched()) [[unlikely]]
    tell_recorded(*node);
  return Value::adopt(node);
}

Node* bare_node(const Op& op, uint32_t n_inputs, DType dtype, const Layout* layout,
                int64_t offset) {
  Node* node = new_node(op, n_inputs, dtype, LayoutRef(layout).leak(), offset);
  for (uint32_t i = 0; i < n_inputs; ++i) new (&node->inputs[i]) Value();
  node->uses = 0;
  node->state = State::dropped;
  return node;
}

void refuse_history(Node& node, Error error) {
  node.flags |= Node::refused;
  extra(node).error = std::make_unique<Error>(std::move(error));
  special_nodes = true;
}

namespace {

// Records a node of a kind that was not met before, and remembers the kind where it may.
template <size_t kInputs>
Value record_new_kind(const Op& op, std::span<Value, kInputs> inputs, AttrsRef attrs,
                      Kind (&last)[2]) {
  Kind kind;
  kind.op = &op;
  kind.attrs = attrs;
  const uint32_t now = about<kInputs>(inputs);
  const Node* given[kInputs];
  bool lasts = is_floating(inputs[0]->dtype);
  for (size_t i = 0; i < kInputs; ++i) {
    given[i] = inputs[i].get();
    kind.in[i] = LayoutRef(given[i]->layout);
    lasts &= !(given[i]->flags & Node::weak);
  }
  Infer infer{op, inputs, attrs ? attrs->span() : std::span<const Arg>()};
  op.infer(infer);
  for (size_t i = 0; i < kInputs; ++i) lasts &= inputs[i].get() == given[i];
  kind.dtype = infer.dtype;
  kind.layout = infer.layout;
  Value made = append_to(inputs, infer, std::move(attrs));
  kind.known = known_of(*made, now);
  if (lasts && kind.known.about) last[last[0].op != nullptr] = std::move(kind);
  return made;
}

template <size_t kInputs>
[[gnu::always_inline]] inline bool is_of_kind(const Kind& kind, const Op& op,
                                              std::span<const Value, kInputs> inputs,
                                              const Attrs* attrs) {
  const Layout* second = kInputs > 1 ? inputs[kInputs - 1]->layout : nullptr;
  return kind.op == &op && kind.attrs.get() == attrs && kind.in[0].get() == inputs[0]->layout &&
         kind.in[1].get() == second && kind.known.about == about<kInputs>(inputs);
}

template <size_t kInputs>
[[gnu::noinline]] Value record_other_kind(const Op& op, std::span<Value, kInputs> inputs,
                                          Attrs* attrs, Kind (&last)[2]) {
  if (!is_of_kind<kInputs>(last[1], op, inputs, attrs))
    return record_new_kind(op, inputs, AttrsRef(attrs), last);
  std::swap(last[0], last[1]);
  const Kind& kind = last[0];
  return append_like(op, inputs, attrs, kind.dtype, kind.layout.get(), 0, kind.known);
}

// Apart, with as little as can be in it: nearly every node is recorded here.
template <size_t kInputs>
[[gnu::noinline, gnu::hot]] Value record_by_layout(const Op& op, std::span<Value, kInputs> inputs,
                                                   Attrs* attrs) {
  const auto address = [](const void* p) { return reinterpret_cast<uintptr_t>(p); };
  uint64_t hash = address(&op) ^ address(attrs) ^ address(inputs[0]->layout);
  if (kInputs > 1) hash ^= address(inputs[kInputs - 1]->layout) << 20;
  auto& last = kinds.value.entries[hash * 0x9e3779b97f4a7c15u >> 56];
  const Kind& kind = last[0];
  if (!is_of_kind<kInputs>(kind, op, inputs, attrs)) [[unlikely]]
    return record_other_kind(op, inputs, attrs, last);
  return append_like(op, inputs, attrs, kind.dtype, kind.layout.get(), 0, kind.known);
}

[[gnu::noinline]] Value record_anew(const Op& op, std::span<Value> inputs) {
  Infer infer{op, inputs, {}};
  op.infer(infer);
  return append_inferred(infer, nullptr);
}

// Apart from those without attributes, for which less is to be done.
[[gnu::noinline]] Value record_with_attrs(const Op& op, std::span<Value> inputs,
                                          std::span<const Arg> attrs) {
  if (op.by_layout && inputs.size() - 1 < 2) return record(op, inputs, shared_attrs(op, attrs));
  Infer infer{op, inputs, attrs};
  op.infer(infer);
  return append_inferred(infer, shared_attrs(op, infer.attrs));
}

}  // namespace

Value record(const Op& op, std::span<Value> inputs, const AttrsRef& attrs) {
  if (op.by_layout && inputs.size() == 1)
    return record_by_layout(op, inputs.first<1>(), attrs.get());
  if (op.by_layout && inputs.size() == 2)
    return record_by_layout(op, inputs.first<2>(), attrs.get());
  Infer infer{op, inputs, attrs->span()};
  op.infer(infer);
  return append_inferred(infer, attrs);
}

Value record(const Op& op, std::span<Value> inputs, std::span<const Arg> attrs) {
  if (!attrs.empty()) return record_with_attrs(op, inputs, attrs);
  if (op.by_layout && inputs.size() == 1) return record_by_layout(op, inputs.first<1>(), nullptr);
  if (op.by_layout && inputs.size() == 2) return record_by_layout(op, inputs.first<2>(), nullptr);
  return record_anew(op, inputs);
}

const char* given_data(const Node& node) {
  const Node* origin = &node;
  const Buffer* buffer = node.buffer;
  while (origin->op->view && origin->n_inputs && origin->inputs[0]) {
    origin = origin->inputs[0].get();
    if (!buffer) buffer = origin->buffer;  // a view that is pending lies in its base's
  }
  if (!origin->op->given || !buffer) return nullptr;
  return buffer->data + node.offset * size_of(node.dtype);
}

const Op& memory_op(const Node& of) {
  return given_data(of) ? op_named("data") : op_named("computed");
}

Values call(const Op& op, std::span<Arg> args) {
  if (op.body) {
    Call c{op, args};
    return op.body(c);
  }
  Values inputs;
  std::vector<Arg> attrs;
  for (const Arg& a : args) {
    if (a.kind == Arg::tensor) {
      inputs.emplace_back(a.node);
    } else if (a.kind == Arg::tensors) {
      for (Node* n : a.as_nodes()) inputs.emplace_back(n);
    } else {
      attrs.push_back(a);
    }
  }
  return {record(op, inputs, attrs)};
}

Value from_buffer(const Op& op, BufferRef buffer, DType dtype, const Layout* layout,
                  int64_t offset) {
  Node* node = new_node(op, 0, dtype, LayoutRef(layout).leak(), offset);
  node->buffer = buffer.leak();
  node->state = State::valued;
  node->order = next_order();
  if (is_watched()) [[unlikely]]
    tell_recorded(*node);
  return Value::adopt(node);
}

uint64_t nodes_recorded() { return recorded; }

DType default_dtype() { return mode.fiber ? mode.fiber->default_dtype : current_default; }
void set_default_dtype(DType dtype) {
  (mode.fiber ? mode.fiber->default_dtype : current_default) = dtype;
}

}  // namespace wend
