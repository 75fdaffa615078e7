// graph/node.hpp: one vertex of the live graph, and Value, the counted pointer to it.
// A node never changes once recorded, except that its value appears, and is dropped when nobody
// can need it any more. Making nodes is graph/record, running them exec/run.
#pragma once

#include <memory>
#include <string>

#include "base/buffer.hpp"
#include "base/layout.hpp"
#include "graph/arg.hpp"
#include "graph/source.hpp"

namespace wend {

struct Op;
struct Node;
struct Batch;
// Gives a valued node that is a row of a batch a buffer of its own, see graph/batch.
void give_row(Node& node);

// Holds a node and counts as somebody who may need its value.
class Value {
 public:
  Value() = default;
  Value(std::nullptr_t) {}
  explicit inline Value(Node* node);
  // A number takes part as PyTorch's Python scalars do: it adapts to the other operand's dtype.
  Value(double number);
  Value(int number);
  inline Value(const Value& o);
  Value(Value&& o) noexcept : p_(std::exchange(o.p_, nullptr)) {}
  Value& operator=(Value o) noexcept {
    std::swap(p_, o.p_);
    return *this;
  }
  inline ~Value();

  Node* get() const { return p_; }
  Node* operator->() const { return p_; }
  Node& operator*() const { return *p_; }
  explicit operator bool() const { return p_ != nullptr; }
  Node* leak() { return std::exchange(p_, nullptr); }  // the caller takes over reference and use
  static Value adopt(Node* node) {
    Value v;
    v.p_ = node;
    return v;
  }

 private:
  Node* p_ = nullptr;
};

enum class State : uint8_t {
  pending,  // recorded, to be run when somebody looks
  valued,   // `buffer` holds the value, or that of the batch does
  dropped,  // was valued; nobody could need the value any more
  failed,   // running raised `extra->error`
};

// What a node of a tensor with hooks, a leaf or an autograd.Function carries for the walk back.
// Implemented by the binding, which knows the tensor objects.
struct Attachment {
  uint32_t refs = 0;
  virtual ~Attachment() = default;
  // Called when the gradient of this node is complete; may replace it.
  virtual Value arrived(Value gradient) { return gradient; }
  // Leaves: adds to the tensor's .grad.
  virtual void accumulate(const Value&) {}
  // Leaves: whether anybody is told when the gradient comes.
  virtual bool hooked() const { return false; }
  // Whether before and after the node's rule gradients are to be shown, and perhaps replaced.
  virtual bool watches() const { return false; }
  // Of an autograd.Function: what the way back is called.
  virtual std::string name() const { return {}; }
  virtual void entering(std::span<Value> /*output_gradients*/) {}
  virtual void passed(std::span<Value> /*input_gradients*/,
                      std::span<const Value> /*output_gradients*/) {}
};
inline void release(Attachment* a) { delete a; }

// A value that the user's hooks keep for the walk back, in whatever form they like.
struct Packed {
  bool as_is = false;  // they gave it back: the node keeps the value itself
  virtual ~Packed() = default;
  virtual Value unpack(const Value& original) = 0;
};

// Bit i of `which` and `values[i]` are as in Node::saved; the output comes last.
struct PackedValues {
  uint8_t which = 0;
  std::unique_ptr<Packed> values[8];
};

struct Extra {
  std::unique_ptr<Error> error;
  Ref<Attachment> attachment;
  std::unique_ptr<PackedValues> packed;
};

struct Node {
  enum Flag : uint8_t {
    requires_grad = 1,
    leaf = 2,           // gradients end here, in the attachment's accumulate
    weak = 4,           // a Python number: no say in dtype promotion within its category
    history_freed = 8,  // its gradient edges were given up by a backward
    stands_for_batch = 16,
    inference = 32,
    constant = 64,  // made from a number; equal ones are shared
    refused = 128,  // its gradient may not be used: `extra->error` says why
  };

  uint32_t refs;
  uint32_t uses;  // who may still need the value: handles, pending readers, saved for backward
  const Op* op;
  const Layout* layout;
  Buffer* buffer;
  Attrs* attrs;
  Batch* batch;   // that it ran in, or that it stands for, see graph/batch
  uint32_t slot;  // place in the list of pending nodes; kInFlight while its kernel runs elsewhere
  uint32_t row;   // place in the batch; while pending, one more than the highest among its inputs
  uint32_t n_inputs;
  DType dtype;
  State state;
  uint8_t flags;
  uint8_t saved;    // bit i: input i is kept for the gradient; bit 7: the output is
  int64_t offset;   // of the first element within the storage, in elements
  uint64_t number;  // in the order of recording
  uint64_t order;   // in the order of running: later than everything it reads
  Extra* extra;
  void* code;  // the user's code object that recorded this, see graph/source
  int32_t instruction;
  // Beyond `state` pending an input is held for its history only, unless `saved` says otherwise.
  Value inputs[];

  bool needs_grad() const { return flags & requires_grad; }
  bool is_leaf() const { return flags & leaf; }
  int ndim() const { return layout->ndim; }
  int64_t numel() const { return layout->numel; }
  int64_t size(int i) const { return layout->size(i); }
  std::span<const int64_t> sizes() const { return layout->sizes(); }
  std::span<const int64_t> strides() const { return layout->strides(); }
  std::span<const Value> in() const { return {inputs, n_inputs}; }
  const Arg& attr(int i) const { return attrs->items[i]; }
  char* data() const {
    if (!buffer) [[unlikely]]
      give_row(const_cast<Node&>(*this));
    return buffer->data + offset * size_of(dtype);
  }
  Source source() const { return {code, instruction}; }
};

constexpr uint8_t kSavesOutput = 0x80;

// True iff kernels of nodes that count as valued may have yet to end, see exec/flight.
inline constinit bool kernels_in_flight = false;
inline constinit uint64_t oldest_in_flight = 1;  // by the number in Buffer::writer
constexpr uint32_t kInFlight = ~0u;
inline bool is_in_flight(const Node& node) { return node.slot == kInFlight; }
// The last kernel that was launched to write the memory that the value lies in.
uint64_t writer_of(const Node& node);
// Whether a batch that the valued node is a row of has its value.
bool row_is_there(const Node& node);
// Whether the value can be read.
inline bool is_readable(const Node& node) {
  return node.state == State::valued && (node.buffer || row_is_there(node)) &&
         (!kernels_in_flight || writer_of(node) < oldest_in_flight);
}

// Has memory bring a node that is needed soon. Inline, or GCC takes a function of prefetches for
// one without effect and leaves the call out.
[[gnu::always_inline]] inline void fetch(const Node* node) {
  __builtin_prefetch(node, 1);
  __builtin_prefetch(reinterpret_cast<const char*>(node) + 64, 1);
}

// Whether the value may be needed is counted apart from whether the node is: a node that is held
// for its history alone keeps no value.
void release(Node* node);
void value_unneeded(Node* node);

inline void use(Node* node) { ++node->uses; }
inline void unuse(Node* node) {
  if (--node->uses == 0) value_unneeded(node);
}
inline void retain(Node* node) { ++node->refs; }
inline void unref(Node* node) {
  if (--node->refs == 0) release(node);
}

// Gives up a reference and a use together.
inline void let_go(Node* node) {
  const bool unneeded = --node->uses == 0;
  if (--node->refs == 0)
    release(node);
  else if (unneeded)
    value_unneeded(node);
}

inline Value::Value(Node* node) : p_(node) {
  if (p_) ++p_->refs, ++p_->uses;
}
inline Value::Value(const Value& o) : Value(o.p_) {}
inline Value::~Value() {
  if (p_) let_go(p_);
}

Extra& extra(Node& node);
// Gives up what was saved for the way back through `node`, and the way itself: a later backward
// through it is an error. Nothing changes for a node that saved nothing. A pending node keeps what
// it needs to run.
void forget_saved(Node& node);  // the first half of it: the edges stay
void forget_edges(Node& node);  // the second
inline void forget_history(Node& node) {
  if (!node.saved && !node.extra) return;
  forget_saved(node);
  forget_edges(node);
}

// Nodes alive now, for tests of memory.
int64_t live_nodes();
inline constinit uint64_t nodes_freed = 0;
// The end of a node that refers to nothing any more.
inline void free_memory(Node* node) {
  small_free(node, sizeof(Node) + node->n_inputs * sizeof(Value));
  ++nodes_freed;
}

}  // namespace wend
