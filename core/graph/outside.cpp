// graph/outside.cpp: copies of memory that somebody outside wend may write, and how long they hold.
#include "graph/outside.hpp"

#include <algorithm>
#include <cstring>
#include <unordered_map>

#include "base/write_watch.hpp"
#include "graph/record.hpp"

namespace wend {
namespace {

constexpr size_t kMostCopies = 8;  // of parts of one memory, such as its rows

// Of a memory seen with one geometry.
struct Copy {
  LayoutRef layout;
  int64_t offset = 0;
  DType dtype{};
  bool inference = false;
  Value value = {};
  uint32_t met_again = 0;   // how often it was found equal since it was made
  uint32_t watch_from = 4;  // times that it must be, to be worth watching what it was made from
  std::unique_ptr<WriteWatch> watch = {};
  uint64_t version = 0;  // that was compared last

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
  const auto unneeded = [](const Copy& c) { return !c.met_again && c.value->refs == 1; };
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

// The copy of what is there now.
Value current_copy(const Node& node) {
  no_longer_outside = forget_copies;
  Copy& copy = copies()[node.buffer].of(node);
  if (still_holds(copy, node.data(), bytes_of(node))) {
    ++copy.met_again;
    ++outside_counters.compared;
    return copy.value;
  }
  const Value made = copy.value = new_copy(node);
  copy.met_again = 0;
  copied_since_look += bytes_of(node);
  look_for_unneeded();
  return made;
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

bool take_outside_values(const Op& op, std::span<Value> inputs) {
  static const Op& snapshot = op_named("snapshot");
  bool too_large = false;
  for (size_t i = 0; i < inputs.size(); ++i) {
    Value& in = inputs[i];
    if (op.is_edge(i) || !is_outside(*in)) continue;
    if (bytes_of(*in) > largest_taken) {
      too_large = true;
      continue;
    }
    Value copy = current_copy(*in);
    in = mode.grad && in->needs_grad() ? record(snapshot, {std::move(copy), in}) : copy;
  }
  outside_counters.at_once += too_large;
  return too_large;
}

}  // namespace wend
