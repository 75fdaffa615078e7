// graph/record.hpp: the one point through which every node is made.
// Rules of shape and dtype are the ops'; running is exec/run.
#pragma once

#include <initializer_list>

#include "base/forever.hpp"
#include "graph/key.hpp"
#include "graph/mode.hpp"
#include "graph/op.hpp"

namespace wend {

// Records a primitive: infers, checks, appends. Errors leave nothing behind.
Value record(const Op& op, std::span<Value> inputs, std::span<const Arg> attrs = {});
inline Value record(const Op& op, std::span<Value> inputs, std::initializer_list<Arg> attrs) {
  return record(op, inputs, std::span(attrs.begin(), attrs.size()));
}
template <size_t N>
Value record(const Op& op, Value (&&inputs)[N], std::initializer_list<Arg> attrs = {}) {
  return record(op, std::span<Value>(inputs), attrs);
}
// Makes the node of a primitive whose dtype and layout are known; `inputs` are moved from.
// Attributes that many nodes have may be made once.
Value append(const Op& op, std::span<Value> inputs, AttrsRef attrs, DType dtype,
             const Layout* layout, int64_t offset = 0);
// As the other, with attributes that were made for nodes of this op.
Value record(const Op& op, std::span<Value> inputs, const AttrsRef& attrs);
// What a node has from dtypes and flags of its inputs, layouts apart, as it was found for the last.
struct Known {
  uint32_t about = 0;  // those dtypes and flags, and whether gradients are recorded; 0: nothing
  uint32_t key = 0;    // see graph/key
  uint8_t flags = 0;   // Node::requires_grad or nothing
  uint8_t saved = 0;
  bool waits = false;  // there is nothing to it but to join those that are pending
  uint32_t bytes = 0;  // of its value, if it waits
};
// Of a node that was just recorded: nothing unless it may be known.
Known known_of(const Node& node, uint32_t about);
// Makes a node like one that was made before, of inputs with the same layouts, dtypes and flags.
Value append_known(const Op& op, std::span<Value> inputs, const AttrsRef& attrs, DType dtype,
                   const LayoutRef& layout, const Known& known);
// Makes views of `of`, one for each of `parts`, which describe views of tensors of that layout.
struct ViewPart {
  AttrsRef attrs;
  LayoutRef layout;
  int64_t offset;  // from the first element of the whole
  Known known = {};
  int64_t known_at = 0;  // the offset of the whole for which it is known
};
void append_parts(const Op& op, const Value& of, std::span<ViewPart> parts, Values& to);
// A node without a value that only carries gradient edges; its turn comes in a run all the same.
Value append_marker(const Op& op, std::span<Value> inputs, const Layout* layout);
// A node that was never pending and has neither inputs nor a value; its only reference is the
// caller's.
Node* bare_node(const Op& op, uint32_t n_inputs, DType dtype, const Layout* layout, int64_t offset);
// Where a value lies that came from outside (from Python's numbers, NumPy, a file), or a view of
// such a value; null for what was computed. Ops that can fail on values look at the former when
// they are recorded, so that they raise where they are called, and at the latter when they run,
// even if they are there already: when an error is raised does not depend on what ran before.
const char* given_data(const Node& node);
// Of a node that is to hold memory of `of`, or a copy: so that it is given or computed as `of` is.
const Op& memory_op(const Node& of);
// Calls any op with arguments in the order of its signature.
Values call(const Op& op, std::span<Arg> args);

// Whoever uses the gradient of `node` from now on gets the error.
void refuse_history(Node& node, Error error);

// A node that has its value from the start.
Value from_buffer(const Op& op, BufferRef buffer, DType dtype, const Layout* layout,
                  int64_t offset = 0);
// A 0-d constant; equal constants are usually the same node.
Value constant(double v, DType dtype);
Value constant(int64_t v, DType dtype);
// A Python number: it adapts to the dtype of what it meets.
Value number(double v);
Value number(int64_t v);
Value number(bool v);
Value number(const Arg& arg);
// The value of a constant or number, which is there from the start, as a double or an integer.
inline bool is_constant(const Node& node) { return node.flags & Node::constant; }
double real_of(const Node& node);
int64_t int_of(const Node& node);

// The recorded, not yet valued nodes in order of recording; nullptr where one was freed.
struct Pending {
  // What batches are found by without a look at the nodes.
  struct Mark {
    uint32_t level;  // more than any among its inputs; 0 for what earlier runs have passed over
    uint32_t key;    // see graph/key
  };

  std::span<Node*> nodes;   // those in `places` that are in use
  std::vector<Mark> marks;  // of each; as many as there are places
  size_t live = 0;          // entries that are not nullptr
  size_t bytes = 0;         // that their values will take
  size_t pinned = 0;        // of values that only pending nodes keep alive
  bool in_run = false;      // nodes keep their places ...
  uint64_t moves = 0;       // ... which they have changed so often
  size_t max_nodes = 1 << 16;
  size_t max_bytes = size_t{256} << 20;
  size_t look_at = 0;  // length of the list at which to look whether to run some of it
  // Some of what was recorded since the last run has been started. Nodes with later numbers than
  // `since` keep their levels for what is yet to be recorded: it is to have the level that it would
  // have had.
  bool begun = false;
  uint64_t since = 0;
  size_t self_reliant = 0;  // that gain nothing by company, as far as the walk back knows

  // `key`: that of the node, if it is known and not 0.
  [[gnu::always_inline]] void add(Node* node, uint32_t key = 0) {
    const size_t size = node->layout->numel * size_of(node->dtype);
    add(node, node->row, key ? key : key_of(*node, size), size);
  }
  [[gnu::always_inline]] void add(Node* node, uint32_t level, uint32_t key, size_t size) {
    if (nodes.size() == places.size()) [[unlikely]]
      grow();
    const size_t slot = nodes.size();
    node->slot = static_cast<uint32_t>(slot);
    marks[slot] = {level, key};
    nodes = {nodes.data(), slot + 1};
    nodes[slot] = node;
    ++live;
    bytes += size;
  }
  void remove(Node* node) {
    nodes[node->slot] = nullptr;
    --live;
    bytes -= node->layout->numel * size_of(node->dtype);
  }
  // So many nodes that are all like one have left their places.
  void removed(size_t n, const Node& like) {
    live -= n;
    bytes -= n * like.layout->numel * size_of(like.dtype);
  }
  // Some time after the list has been looked at, but as soon as there may be too many.
  void look_later(size_t at_least) {
    const size_t room = max_nodes - std::min(max_nodes, live);
    look_at = nodes.size() + std::min(at_least, room + 1);
  }
  // Whether the gaps that nodes have left are worth closing. While some of what waits is started,
  // what is known of the rest is known by its places.
  bool has_many_gaps() const {
    constexpr size_t kMany = 1 << 16;
    return live < nodes.size() / 2 && (!begun || nodes.size() >= kMany);
  }
  // Closes them; what is left may count its levels anew.
  void compact(bool recount);
  // Closes only those at the end, so that nodes keep their places.
  void trim() {
    ++moves;
    size_t kept = nodes.size();
    while (kept > 0 && !nodes[kept - 1]) --kept;
    nodes = nodes.first(kept);
  }

 private:
  void grow();

  std::vector<Node*> places;
};
extern constinit Forever<Pending> pending_forever;
inline constinit Pending& pending = pending_forever.value;

// Whether too much is pending, by nodes or by the bytes that they will take or keep; or would be,
// were it several times as much.
inline bool is_too_lazy(size_t times = 1) {
  return pending.live * times > pending.max_nodes ||
         (pending.bytes + pending.pinned) * times > pending.max_bytes;
}

// Set by exec: runs `node` now.
using RunAtOnce = void (*)(Node& node);
extern constinit RunAtOnce run_at_once;

// Steps of giving a node its value, for graph/ and exec/ only.
void take_value(Node& view, Node& base);
// A view whose value was dropped takes it again from its base.
void derive_again(Node& view);
// After a run: inputs are held on only for the way back.
void keep_history(Node& node, bool keep);  // of ops with gradient edges
inline void let_inputs_go(Node& node) {
  // A view can be derived again from its base as long as it is held.
  const bool view = node.op->view && node.op->keeps_base;
  const bool keep = view || (node.needs_grad() && !(node.flags & Node::history_freed));
  if (node.op->edges) return keep_history(node, keep);
  if (keep) {
    for (uint32_t i = 0; i < node.n_inputs; ++i)
      if (Node* input = node.inputs[i].get(); input && (i > 6 || !(node.saved >> i & 1)))
        unuse(input);
    return;
  }
  // Most nodes: reference and use go together.
  for (uint32_t i = 0; i < node.n_inputs; ++i)
    if (Node* input = node.inputs[i].leak()) let_go(input);
}

uint64_t nodes_recorded();
// Lower ones are places among the few nodes that wait to run in one pass, see exec/fuse.
constexpr uint64_t kNoOrder = 64;
inline constinit uint64_t last_order = kNoOrder;
inline uint64_t next_order() { return ++last_order; }
// A pending node that a run passed over keeps the place that it had there: others may have taken
// theirs after it.
inline void take_place(Node& node) {
  if (node.order <= kNoOrder) node.order = next_order();
}
// The place in the user's program that a node recorded now belongs to, its code object retained.
Source current_source();

}  // namespace wend
