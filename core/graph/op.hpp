// graph/op.hpp: the declaration of an op. Everything that is known about an op stands in its entry;
// scheduler, autograd and binder ask the entry and never name an op.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "graph/node.hpp"

namespace wend {

struct Op;
struct Maker;

// What the shape and dtype rule of a primitive sees and answers.
struct Infer {
  const Op& op;
  std::span<Value>
      in;  // a rule may replace an input, e.g. a number by its value in the result dtype
  std::span<const Arg> attrs;
  DType dtype{};
  LayoutRef layout = nullptr;
  int64_t offset = 0;
};

// What a kernel sees. The output's memory is there; inputs are valued. A kernel may run without the
// embedding program's lock: it reads and writes raw memory and makes no nodes.
struct Run {
  const Node& node;
  const Maker* maker = nullptr;  // of the elements of input 0, which is nowhere in memory

  const Node& in(int i) const { return *node.inputs[i]; }
  const Arg& attr(int i) const { return node.attrs->items[i]; }
  char* out() const { return node.data(); }
  // True iff the output has taken over the memory of input i.
  bool donated(int i) const { return node.inputs[i]->buffer == node.buffer; }
};

// What a gradient rule sees: the node, its values as they were saved, the gradient of its output,
// and which input is asked for.
struct GradCall {
  const Node& of;
  const Value* inputs;
  const Value& out;
  const Value& g;
  int index;

  const Node& node() const { return of; }
  // May be bound to, but not looked at, for an input that the op does not have.
  const Value& in(int i) const { return inputs[i]; }
  const Arg& attr(int i) const { return of.attrs->items[i]; }
};

// One element of an op's result from one of each input, for rows of them: what exec/fuse runs.
struct Tile {
  // As in kernels/elementwise; none: input 0 is converted.
  int (*loop)(char* const* data, const int64_t* stride, int64_t n);
  DType inside[8];  // that operands have inside the loop, the output first
};

// Members of one batch as the rule sees that runs them at once. They agree in op, dtype, sizes and
// attributes, those excepted that are declared to be the member's own.
struct Lift {
  const Node& like;                // any of them
  std::span<Node* const> members;  // ... and all
  std::span<const Value> in;       // members' inputs one behind the other in a new first dimension
  uint64_t shared;                 // bit i: input i is the same for all and has no such dimension

  int64_t n() const { return static_cast<int64_t>(members.size()); }
  bool is_shared(size_t i) const { return shared >> i & 1; }
  // Sizes with the number of members in front.
  Dims with_n(std::span<const int64_t> sizes) const {
    Dims all(sizes);
    all.insert(0, n());
    return all;
  }
};

// A gradient formula and the values it reads, found in its own text: the words a, b, c, d and out.
struct Gradient {
  Value (*formula)(const GradCall&) = nullptr;
  uint8_t saves = 0;

  constexpr Gradient() = default;
  consteval Gradient(Value (*formula)(const GradCall&), std::string_view text)
      : formula(formula), saves(values_read(text)) {}

 private:
  static consteval bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  }
  static consteval uint8_t values_read(std::string_view text) {
    uint8_t mask = 0;
    for (size_t i = 0; i < text.size();) {
      size_t j = i;
      while (j < text.size() && is_word(text[j])) ++j;
      const std::string_view word = text.substr(i, j - i);
      if (word.size() == 1 && word[0] >= 'a' && word[0] <= 'd') mask |= 1 << (word[0] - 'a');
      if (word == "out") mask |= kSavesOutput;
      i = j > i ? j : i + 1;
    }
    return mask;
  }
};

// g: gradient of the output; a, b, c, d: the inputs; out: the output; s: the GradCall, through
// which shapes and attributes are read without keeping a value alive.
#define GRAD(...)                                                                      \
  ::wend::Gradient(                                                                    \
      [](const ::wend::GradCall& s) -> ::wend::Value {                                 \
        [[maybe_unused]] const ::wend::Value &g = s.g, &out = s.out;                   \
        [[maybe_unused]] const ::wend::Value &a = s.in(0), &b = s.in(1), &c = s.in(2), \
                                             &d = s.in(3);                             \
        return __VA_ARGS__;                                                            \
      },                                                                               \
      #__VA_ARGS__)

// What the body of a composite sees: arguments in the order of the signature, defaults filled in.
struct Call {
  const Op& op;
  std::span<Arg> args;

  Value tensor(int i) const { return Value(args[i].node); }
  const Arg& operator[](int i) const { return args[i]; }
};

// Memory for short lists from the small blocks, which is had sooner than from the system.
template <class T>
struct SmallAllocator {
  using value_type = T;
  SmallAllocator() = default;
  template <class U>
  SmallAllocator(const SmallAllocator<U>&) {}
  T* allocate(size_t n) { return static_cast<T*>(small_alloc(n * sizeof(T))); }
  void deallocate(T* p, size_t n) { small_free(p, n * sizeof(T)); }
  bool operator==(const SmallAllocator&) const = default;
};
template <class T>
using List = std::vector<T, SmallAllocator<T>>;
using Values = List<Value>;
// A list of nothing else.
inline Values only(Value v) {
  Values all(1);
  all[0] = std::move(v);
  return all;
}

// Where an input lies in a value that is made of its inputs, in elements.
struct PartAt {
  std::span<const int64_t> strides;
  int64_t offset;
};

// How the walk back goes through a node: by the rule in the entry, or through an autograd.Function,
// whose outputs are nodes of their own that hand their gradients to the function's node.
// The rows of a batch's input go back to the batches that they came from.
enum class Back : uint8_t { rule, function, function_output, rows };

struct Op {
  const char* name;
  // "(Tensor input, int dim, bool keepdim=False) -> Tensor"; types are listed in bind/signature.
  const char* signature = nullptr;
  const char* doc = "";
  const char* example = "";

  // A primitive has a rule for shape and dtype, and a kernel unless it is a view ...
  void (*infer)(Infer&) = nullptr;
  // The rule goes by layouts, dtypes and attributes alone if input 0 has floats and none is a
  // number: what it says is remembered. A body goes by those, by what requires grad and by the
  // default dtype, and has one result: the nodes that it records are remembered.
  bool by_layout = false;
  void (*kernel)(Run&) = nullptr;
  // Called before the kernel: looks at the values that it will read, and raises.
  void (*check)(const Node&) = nullptr;
  bool launches = false;  // the kernel cannot fail, so it may run while the scheduler goes on
  Gradient grad[4] = {};
  // ... or a gradient for any number of inputs, one call for each that needs it.
  Gradient grad_each = {};
  // A composite has a body in other ops and inherits the rest.
  Values (*body)(Call&) = nullptr;
  // What a body with `by_layout` does besides: looks at values that are there, and raises.
  void (*look)(const Call&) = nullptr;

  // The node whose rows are the members' values, recorded like any other; empty where these members
  // cannot be run at once. Views need no rule.
  Value (*lift)(const Lift&) = nullptr;
  uint32_t own_attrs = 0;  // bit i: members of one batch may differ in attribute i
  uint8_t weights = 0;     // bit i: a batch is better split than to have several input i

  // Where the op works element by element and cannot fail: how; false where not.
  bool (*tile)(const Node&, Tile&) = nullptr;
  bool takes_maker = false;  // its kernel looks at Run::maker
  // Where the op only takes rows of its inputs, one behind the other: where each begins, to be
  // asked once they have memory, or with null before that; false where rows have gaps.
  bool (*rows)(const Node&, char** begins) = nullptr;
  // Where it only puts its inputs side by side: where each goes; false where two of them meet or
  // something lies between them.
  bool (*parts)(const Node&, PartAt* places) = nullptr;

  int elementwise = -1;             // index into the elementwise kernels
  const char* grad_name = nullptr;  // PyTorch's name of the way back, where it is not NameBackward0
  const char* grad_name_of_number[2] = {};  // ... and where input 0 or input 1 is a number
  Back back = Back::rule;
  int output_attr = -1;    // of several results: which attribute says which one this is
  bool view = false;       // the output aliases input 0
  bool keeps_base = true;  // ... and can be derived from it again
  bool differentiable = true;
  bool at_once = false;  // can fail on values, so it runs when recorded
  bool given = false;    // the value was not computed: it came from outside
  uint8_t edges = 0;     // bit i: input i is a gradient edge only, its value is not read; 0xff: all
  uint8_t donates =
      0;  // bit i: the memory of input i, if nobody else needs it, may be the output's
  bool adds_to_first = false;  // the output is input 0 with something added to it
  // This node's value added to `start`, as one node that may write over it; for ops whose results
  // are often added up.
  Value (*onto)(const Value& start, const Node& node) = nullptr;
  // Several nodes of this op that agree in layout and dtype, added up as one.
  Value (*join)(std::span<const Value> nodes) = nullptr;
  double cost = 1;                        // work per output element, in nanoseconds
  double (*work)(const Node&) = nullptr;  // ... or of the whole node
  bool function = true;                   // wend.name(...)
  bool method = true;                     // tensor.name(...)
  bool inplace = false;                   // tensor.name_(...)
  bool inplace_function = false;          // wend.name_(tensor, ...)
  bool apart = false;                     // in place, nothing read may lie in what is written
  bool takes_number = false;              // ... but what has no dimensions, which is read before
  bool fills = false;      // in place, elements become equal: they may share a place in memory
  bool hidden = false;     // not bound: for other ops' use
  bool out = true;         // wend.name(..., out=...)
  bool out_apart = false;  // ... which may not lie in what is read
  bool out_exact = false;  // ... and must have the dtype of the result
  const char* method_signature = nullptr;  // where the method differs from the function
  const char* aliases = "";                // PyTorch's other names for it, separated by blanks
  const char* module = nullptr;  // bound in wend._C.<module> instead of in wend and Tensor

  bool primitive() const { return infer != nullptr; }
  bool can_batch() const { return lift != nullptr || (view && keeps_base && !edges); }
  // What the gradient of input i reads, as in Node::saved.
  uint8_t saves_for(size_t i) const { return grad_each.saves | (i < 4 ? grad[i].saves : 0); }
  bool is_edge(size_t i) const { return i < 8 ? edges >> i & 1 : edges == 0xff; }
};

// The entries of one file of ops/.
struct OpFamily {
  const char* name;
  std::span<const Op> ops;

  const Op* begin() const { return ops.data(); }
  const Op* end() const { return ops.data() + ops.size(); }
};

// Every entry, family by family.
std::span<const OpFamily> op_table();
// The first entry of that name; the name must exist.
const Op& op_named(std::string_view name);
// For names written in the program text: remembered by the address of the literal.
const Op& op_of_literal(const char* literal);
template <size_t N>
const Op& op_named(const char (&literal)[N]) {
  return op_of_literal(literal);
}

}  // namespace wend
