// graph/node.cpp: the life of a node: uses, history, release without recursion.
#include "graph/node.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "base/forever.hpp"
#include "base/put_off.hpp"
#include "graph/batch.hpp"
#include "graph/op.hpp"
#include "graph/record.hpp"

namespace wend {
namespace {

void drop_value(Node& node) {
  node.state = State::dropped;
  if (!node.buffer) return row_unneeded(node);
  BufferRef::adopt(std::exchange(node.buffer, nullptr));
}

// Which inputs' values are still held: a pending node reads them, or the gradient will. Bit i is
// for input i, bit 7 also for those beyond.
uint8_t values_held(const Node& node) {
  const uint8_t read = node.state == State::pending ? 0xff : node.saved & ~kSavesOutput;
  return read & ~node.op->edges;
}

// Nodes whose count reached zero and that wait to be taken apart.
constinit Forever<std::vector<Node*>> dying;

[[gnu::always_inline]] inline void take_apart(Node* node) {
  if (node->state == State::pending) pending.remove(node);
  for (uint32_t i = 0, n = node->n_inputs; i < n; ++i) {
    Node* input = node->inputs[i].leak();
    if (!input) continue;
    if (values_held(*node) >> std::min(i, 7u) & 1) unuse(input);
    if (--input->refs == 0) dying.value.push_back(input);
  }
  if (node->batch) leave_batch(*node);
  BufferRef::adopt(node->buffer);
  LayoutRef::adopt(node->layout);
  AttrsRef::adopt(node->attrs);
  Extra* extra = node->extra;
  if (node->code) source_hooks.release(node->code, 1);
  free_memory(node);
  if (extra) let_go_when_done(extra, [](void* e) { delete static_cast<Extra*>(e); });
}

[[gnu::noinline]] void drain(std::vector<Node*>& nodes) {
  while (!nodes.empty()) {
    Node* next = nodes.back();
    nodes.pop_back();
    take_apart(next);
  }
}

}  // namespace

int64_t live_nodes() { return static_cast<int64_t>(nodes_recorded() - nodes_freed); }

void value_unneeded(Node* node) {
  if (node->state == State::valued && !is_in_flight(*node)) drop_value(*node);
}

void release(Node* node) {
  if (taking_apart) return dying.value.push_back(node);
  taking_apart = true;
  take_apart(node);
  if (!dying.value.empty()) drain(dying.value);
  taking_apart = false;
  if (!put_off.value.empty()) [[unlikely]]
    let_go_of_put_off();
}

Extra& extra(Node& node) {
  if (!node.extra) {
    node.extra = new Extra;
    if (Batch* batch = batch_of(node)) batch->watched = true;
    if (node.op->view) views_watched = true;
  }
  return *node.extra;
}

void keep_history(Node& node, bool keep) {
  for (uint32_t i = 0; i < node.n_inputs; ++i) {
    Node* input = node.inputs[i].get();
    if (!input) continue;
    const bool edge = node.op->is_edge(i);
    const bool saved = i < 7 && node.saved >> i & 1;
    if (!edge && !saved) unuse(input);
    if (keep) continue;
    node.inputs[i].leak();
    unref(input);
  }
}

namespace {

// True as long as the node holds its inputs because it, or its kernel, is yet to read them.
bool reads_inputs(const Node& node) { return node.state == State::pending || is_in_flight(node); }

}  // namespace

void forget_saved(Node& node) {
  const uint8_t saved = node.saved;
  std::unique_ptr<PackedValues> packed;
  if (node.extra) packed = std::move(node.extra->packed);
  if (!saved && !packed) return;
  node.flags |= Node::history_freed;
  node.saved = 0;
  if (!reads_inputs(node))
    for (uint32_t i = 0; i < node.n_inputs && i < 7; ++i)
      if (saved >> i & 1 && node.inputs[i]) unuse(node.inputs[i].get());
  if (saved & kSavesOutput) unuse(&node);
}

void forget_edges(Node& node) {
  if (!(node.flags & Node::history_freed) || reads_inputs(node) || node.op->view) return;
  for (uint32_t i = 0; i < node.n_inputs; ++i)
    if (Node* input = node.inputs[i].leak()) unref(input);
}

namespace {

bool has_tail(const Arg& a) {
  constexpr uint32_t tails = 1u << Arg::ints | 1u << Arg::reals | 1u << Arg::text;
  return tails >> a.kind & 1;
}

// A text ends with a zero.
size_t tail_bytes(const Arg& a) {
  return a.kind == Arg::text ? (size_t{a.n} + 8) / 8 * 8 : size_t{a.n} * 8;
}

}  // namespace

AttrsRef make_attrs(std::span<const Arg> args) {
  if (args.empty()) return nullptr;
  size_t bytes = sizeof(Attrs) + args.size() * sizeof(Arg);
  for (const Arg& a : args)
    if (has_tail(a)) bytes += tail_bytes(a);
  auto* attrs = static_cast<Attrs*>(small_alloc(bytes));
  attrs->refs = 1;
  attrs->n = static_cast<uint32_t>(args.size());
  attrs->bytes = bytes;
  attrs->key = 0;
  char* tail = reinterpret_cast<char*>(attrs->items + args.size());
  for (size_t i = 0; i < args.size(); ++i) {
    Arg& a = attrs->items[i] = args[i];
    if (!has_tail(a)) continue;
    if (a.n) std::memcpy(tail, a.text_p, a.kind == Arg::text ? a.n : size_t{a.n} * 8);
    if (a.kind == Arg::text) tail[a.n] = 0;
    a.text_p = tail;
    tail += tail_bytes(a);
  }
  return AttrsRef::adopt(attrs);
}

namespace {

// Two in a place, the later first.
constinit Forever<std::array<AttrsRef[2], 256>> known_attrs;

bool same_attrs(const Attrs& a, std::span<const Arg> b) {
  if (a.n != b.size()) return false;
  for (uint32_t i = 0; i < a.n; ++i) {
    const Arg &x = a.items[i], &y = b[i];
    if (x.kind != y.kind || x.n != y.n) return false;
    if (x.i != y.i && !(has_tail(x) && same_attr(x, y))) return false;
  }
  return true;
}

[[gnu::noinline]] AttrsRef other_attrs(AttrsRef (&last)[2], std::span<const Arg> args) {
  constexpr size_t kWorthKeeping = 256;  // bytes
  if (last[1] && same_attrs(*last[1], args)) return last[1];
  AttrsRef made = make_attrs(args);
  if (made->bytes <= kWorthKeeping) last[1] = std::exchange(last[0], made);
  return made;
}

}  // namespace

AttrsRef shared_attrs(const Op& op, std::span<const Arg> args) {
  if (op.own_attrs || args.empty()) return make_attrs(args);  // own ones differ anyway
  auto sum = static_cast<uint64_t>(reinterpret_cast<uintptr_t>(&op));
  for (const Arg& a : args) sum += has_tail(a) ? a.n : static_cast<uint64_t>(a.i);
  auto& last = known_attrs.value[sum * 0x9e3779b97f4a7c15u >> 56];
  return last[0] && same_attrs(*last[0], args) ? last[0] : other_attrs(last, args);
}

void release(Attrs* attrs) { small_free(attrs, attrs->bytes); }

}  // namespace wend
