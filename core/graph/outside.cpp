// graph/outside.cpp: copies of memory that somebody outside wend may write, and how long they hold.
#include "graph/outside.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <unordered_map>

#include "base/write_watch.hpp"
#include "graph/describe.hpp"
#include "graph/record.hpp"

namespace wend {
namespace {

constexpr size_t kMostCopies = 8;  // of parts of one memory, such as its rows
constexpr uint32_t kOften = 16;    // readers that ran at once, from which on the user is told

// A copy with the history of what it is a copy of, as long as somebody holds it.
struct Bound {
  uint32_t refs;
  Node* node;
  uint64_t history;  // the number of the node whose history it has
};
void release(Bound* bound) { delete bound; }

// Goes with the node that it is attached to.
struct Unbinds : Attachment {
  explicit Unbinds(Ref<Bound> of) : bound(std::move(of)) {}
  ~Unbinds() override { bound->node = nullptr; }
  Ref<Bound> bound;
};

// Of a memory seen with one geometry.
struct Copy {
  LayoutRef layout;
  int64_t offset = 0;
  DType dtype{};
  bool inference = false;
  Value value = {};         // none: it was not worth it so far
  uint32_t at_once = 0;     // readers that ran at once
  uint32_t met_again = 0;   // how often the value was found to hold since it was copied
  uint32_t watch_from = 4;  // times that it must hold, to be worth watching the memory
  std::unique_ptr<WriteWatch> watch = {};
  uint64_t version = 0;  // of what is watched, when it was last found to hold
  Ref<Bound> bound = {};
  std::string tensor = {};  // what it is a copy of, in words

  bool is_of(const Node& node) const {
    return layout.get() == node.layout && offset == node.offset && dtype == node.dtype &&
           inference == !!(node.flags & Node::inference);
  }
};

struct Copies {
  std::vector<Copy> all;
  size_t oldest = 0;

  Copy& of(const Node& node) {
    const auto known = std::ranges::find_if(all, [&](const Copy& c) { return c.is_of(node); });
    if (known != all.end()) return *known;
    const bool inference = node.flags & Node::inference;
    Copy added{LayoutRef(node.layout), node.offset, node.dtype, inference};
    if (all.size() < kMostCopies) return all.emplace_back(std::move(added));
    oldest = (oldest + 1) % kMostCopies;
    return all[oldest] = std::move(added);
  }
};

// Of each memory that has owners outside.
using AllCopies = std::unordered_map<const Buffer*, Copies>;
AllCopies& copies() {
  static AllCopies& all = *new AllCopies;
  return all;
}

void forget_copies(const Buffer& buffer) { copies().extract(&buffer); }

// Most memory is read once, such as that of an example: copies of it must not pile up.
size_t copied_since_look = 0;
void look_for_unneeded() {
  constexpr size_t kBytes = 16 << 20;
  if (copied_since_look < kBytes) return;
  copied_since_look = 0;
  const auto unneeded = [](const Copy& c) { return c.value && !c.met_again && c.value->refs == 1; };
  for (auto of = copies().begin(); of != copies().end();) {
    std::erase_if(of->second.all, unneeded);
    of->second.oldest = 0;
    of = of->second.all.empty() ? copies().erase(of) : std::next(of);
  }
}

size_t bytes_of(const Node& node) { return node.layout->span * size_of(node.dtype); }

bool is_outside(const Node& node) { return node.buffer && is_shared(*node.buffer); }

Value new_copy(const Node& node) {
  BufferRef buffer = allocate(bytes_of(node));
  std::memcpy(buffer->data, node.data(), buffer->bytes);
  Value made = from_buffer(op_named("data"), std::move(buffer), node.dtype, node.layout);
  made->flags = (made->flags & ~Node::inference) | (node.flags & Node::inference);
  ++outside_counters.copies;
  return made;
}

bool is_equal(const Copy& copy, const char* data, const char* begin, const char* end) {
  return std::memcmp(copy.value->data() + (begin - data), begin, end - begin) == 0;
}

// Whether the memory is still what was copied. What is watched was compared when its version was
// met first; of the rest there is less than a page on either side.
bool still_holds(Copy& copy, const char* data, size_t bytes) {
  if (!copy.value) return false;
  if (!copy.watch && copy.met_again >= copy.watch_from) {
    copy.watch = WriteWatch::begin(data, bytes);
    copy.watch_from = copy.met_again * 2;
  }
  const uint64_t version = copy.watch ? copy.watch->version() : 0;
  const bool known = version && version == copy.version;
  copy.version = version;
  if (!version) copy.watch = nullptr;
  if (!known) return is_equal(copy, data, data, data + bytes);
  return is_equal(copy, data, data, copy.watch->first()) &&
         is_equal(copy, data, copy.watch->last(), data + bytes);
}

// The value that is there now, for as long as somebody needs it.
Value value_now(Copy& copy, const Node& node) {
  if (still_holds(copy, node.data(), bytes_of(node))) {
    ++copy.met_again;
    ++outside_counters.again;
    return copy.value;
  }
  const Value made = copy.value = new_copy(node);
  copy.bound = {};
  copy.met_again = 0;
  copied_since_look += bytes_of(node);
  return made;
}

// A few elements that lie far apart, such as a column of a table, gathered.
Value gathered_now(const Value& in) {
  struct Eagerly {
    bool before = std::exchange(mode.eager, true);
    ~Eagerly() { mode.eager = before; }
  } eagerly;
  const WithoutGrad no_grad;
  return record(op_named("clone_of"), {in});
}

bool is_sparse(const Node& node) {
  constexpr int64_t kFewBytes = 64 << 10;
  const int64_t elements = node.numel() * size_of(node.dtype);
  return bytes_of(node) > taken_bytes.at_all && node.layout->span > 2 * node.numel() &&
         elements <= kFewBytes;
}

bool is_worth_a_copy(const Copy& copy, const Node& node, bool saved) {
  const bool met_before = copy.value || copy.at_once;
  return bytes_of(node) <= (met_before || saved ? taken_bytes.at_all : taken_bytes.at_first);
}

// The value as what gradients go through to what it is a copy of.
Value with_history(Value value, const Value& of) {
  static const Op& snapshot = op_named("snapshot");
  const Layout* layout = value->layout;
  Value inputs[] = {std::move(value), of};
  return append(snapshot, inputs, nullptr, of->dtype, layout);
}

// The same node for all readers, so that their gradients meet there. Of a view there may be a new
// node for each reader, which the scheduler knows to be the same.
Value bound_copy(Copy& copy, Value value, const Value& of) {
  if (of->op->view && !of->op->edges && !of->is_leaf()) return with_history(std::move(value), of);
  Node* known = copy.bound ? copy.bound->node : nullptr;
  if (known && copy.bound->history == of->number && known->state == State::valued)
    return Value(known);
  Value made = with_history(std::move(value), of);
  copy.bound = Ref<Bound>(new Bound{0, made.get(), of->number});
  made->extra = new Extra;
  made->extra->attachment = Ref<Attachment>(new Unbinds(copy.bound));
  return made;
}

// "float32 tensor of size (2, 3) made at train.py:12 in main"
std::string in_words(const Node& node) {
  const Node* made = &node;
  while (made->op->view && made->inputs[0]) made = made->inputs[0].get();
  const std::string place = made->code && source_hooks.describe
                                ? " made at " + source_hooks.describe(made->source())
                                : "";
  return std::string(name_of(node.dtype)) + " tensor of size " + show_tuple(node.sizes()) + place;
}

void tell(Copy& copy, const Node& node, bool at_once, int64_t nanoseconds) {
  const bool warns = at_once && copy.at_once >= kOften && outside_hooks.warn;
  if (!warns && !outside_hooks.read) return;
  if (copy.tensor.empty()) copy.tensor = in_words(node);
  const std::string tensor = copy.tensor;  // who is told may let it go
  if (outside_hooks.read) outside_hooks.read(tensor, at_once, nanoseconds);
  if (warns) outside_hooks.warn(tensor);
}

int64_t clock() {
  if (!outside_hooks.read) return 0;
  return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1);
}

// Nothing: the reader is to run at once.
Value taken(const Value& in, bool saved) {
  const bool grad = mode.grad && in->needs_grad();
  if (is_sparse(*in)) return grad ? with_history(gathered_now(in), in) : gathered_now(in);
  no_longer_outside = forget_copies;
  look_for_unneeded();
  const int64_t begin = clock();
  Copy& copy = copies()[in->buffer].of(*in);
  if (is_worth_a_copy(copy, *in, saved)) {
    Value value = value_now(copy, *in);
    if (grad) value = bound_copy(copy, std::move(value), in);
    tell(copy, *in, /*at_once=*/false, clock() - begin);
    return value;
  }
  ++copy.at_once;
  ++outside_counters.at_once;
  tell(copy, *in, /*at_once=*/true, 0);
  return nullptr;
}

}  // namespace

void expect_outside_write(const Buffer& buffer) {
  const auto known = copies().find(&buffer);
  if (known == copies().end()) return;
  for (Copy& copy : known->second.all)
    if (copy.watch) copy.watch->expect_writes();
}

bool reads_outside(const Op& op, std::span<const Value> inputs) {
  for (size_t i = 0; i < inputs.size(); ++i)
    if (!op.is_edge(i) && is_outside(*inputs[i])) return true;
  return false;
}

bool take_outside_values(const Op& op, std::span<Value> inputs, uint8_t saved) {
  bool at_once = false;
  for (size_t i = 0; i < inputs.size(); ++i) {
    Value& in = inputs[i];
    if (op.is_edge(i) || !is_outside(*in)) continue;
    Value value = taken(in, i < 7 && saved >> i & 1);
    at_once |= !value;
    if (value) in = std::move(value);
  }
  return at_once;
}

}  // namespace wend
