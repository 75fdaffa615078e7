// exec/report.cpp: what ran, on behalf of which line, and why like nodes did not run as one.
#include "exec/report.hpp"

#include <algorithm>

#include "exec/execute.hpp"
#include "exec/group.hpp"
#include "graph/describe.hpp"
#include "graph/outside.hpp"

namespace wend {

constinit Report* report = nullptr;

namespace {

constexpr size_t kMostTexts = 5;

struct Difference {
  Apart why;
  uint32_t slot = 0;
};

std::span<const Arg> attrs_of(const Node& node) {
  return node.attrs ? node.attrs->span() : std::span<const Arg>{};
}

// In what two nodes of one op differ, so that they are not of one group.
Difference difference(const Node& a, const Node& b) {
  if (a.n_inputs != b.n_inputs) return {Apart::inputs};
  for (uint32_t i = 0; i < a.n_inputs; ++i) {
    if (!std::ranges::equal(a.inputs[i]->sizes(), b.inputs[i]->sizes())) return {Apart::shape, i};
    if (a.inputs[i]->dtype != b.inputs[i]->dtype) return {Apart::dtype, i};
    if (a.inputs[i]->layout != b.inputs[i]->layout) return {Apart::strides, i};
  }
  const auto ours = attrs_of(a), theirs = attrs_of(b);
  for (uint32_t i = 0; i < std::min(ours.size(), theirs.size()); ++i)
    if (!is_own(*a.op, i) && !same_attr(ours[i], theirs[i])) return {Apart::attribute, i};
  if (a.layout != b.layout || a.dtype != b.dtype) return {Apart::result};
  return {Apart::gradient};
}

std::string text_of(const Node& node, Difference d) {
  switch (d.why) {
    case Apart::shape:
      return show_tuple(node.inputs[d.slot]->sizes());
    case Apart::dtype:
      return name_of(node.inputs[d.slot]->dtype);
    case Apart::strides:
      return show_tuple(node.inputs[d.slot]->strides());
    case Apart::attribute:
      return show_argument(attrs_of(node)[d.slot]);
    case Apart::result:
      return show_tuple(node.sizes());
    default:
      return "";
  }
}

void add_part(Report::Parts& total, const std::vector<Node*>& group, Difference d) {
  total.nodes += group.size();
  ++total.parts;
  const std::string text = text_of(*group[0], d);
  if (!text.empty() && total.texts.size() < kMostTexts && !std::ranges::count(total.texts, text))
    total.texts.push_back(text);
}

}  // namespace

size_t Report::Hash::operator()(const Key& k) const {
  size_t hash = reinterpret_cast<uintptr_t>(k.op) * 31 + reinterpret_cast<uintptr_t>(k.code);
  hash = hash * 31 + static_cast<size_t>(k.instruction);
  return (hash * 31 + static_cast<size_t>(k.why)) * 31 + k.slot;
}

template <class T>
T& Report::at(Map<T>& map, const Key& key) {
  const auto [it, is_new] = map.try_emplace(key);
  if (is_new && key.code) source_hooks.retain(key.code);
  return it->second;
}

Report::Key Report::key_of(const Node& node, Apart why, uint32_t slot) {
  const Source source = node.source();
  if (!source.code) return {node.op, nullptr, 0, why, slot};
  // To find the line of an instruction takes long; few instructions record.
  const auto [known, is_new] = firsts_.try_emplace({nullptr, source.code, source.instruction});
  if (is_new) {
    int32_t& first = at(lines_, {nullptr, source.code, source_hooks.line(source)});
    if (first == 0) first = source.instruction;
    known->second = first;
  }
  return {node.op, source.code, known->second, why, slot};
}

Report::Report() {
  stopwatch = &stopwatch_;
  stopwatch_.since = now();
  buffer_goes = given_back;
  outside_hooks.read = [](const std::string& tensor, bool at_once, int64_t nanoseconds) {
    Shared& total = report->shared[tensor];
    ++total.reads;
    total.at_once += at_once;
    total.nanoseconds += nanoseconds;
  };
}

Report::~Report() {
  stopwatch = nullptr;
  buffer_goes = nullptr;
  outside_hooks.read = nullptr;
  const auto let_go = [](const auto& map) {
    for (const auto& [key, value] : map)
      if (key.code) source_hooks.release(key.code, 1);
  };
  let_go(kernels);
  let_go(reads);
  let_go(batches);
  let_go(parts);
  let_go(lines_);
}

void Report::kernel(const Node& node, int64_t nanoseconds) {
  const During watching(Activity::watching);
  Kernels& total = at(kernels, key_of(node));
  ++total.calls;
  total.nanoseconds += nanoseconds;
  total.bytes += node.numel() * size_of(node.dtype);
}

void Report::allocated(const Node& node) {
  const During watching(Activity::watching);
  given_back(*node.buffer);  // by the input that it was taken over from
  const Key key = key_of(node);
  held_.insert_or_assign(node.buffer, key);
  note(key, 1, static_cast<int64_t>(node.buffer->bytes));
}

void Report::given_back(const Buffer& buffer) {
  const During watching(Activity::watching);
  const auto it = report->held_.find(&buffer);
  if (it == report->held_.end()) return;
  report->note(it->second, -1, -static_cast<int64_t>(buffer.bytes));
  report->held_.erase(it);
}

void Report::note(const Key& key, int64_t values, int64_t bytes) {
  const auto add = [](Held& held, int64_t more_values, int64_t more_bytes) {
    held.values += more_values;
    held.bytes += more_bytes;
  };
  add(since_peak_[key], values, bytes);
  bytes_held_ += bytes;
  if (bytes_held_ <= peak_) return;
  peak_ = bytes_held_;
  for (const auto& [changed, held] : since_peak_) add(at_peak[changed], held.values, held.bytes);
  since_peak_.clear();
}

void Report::fusion(std::span<Node* const> members, int64_t nanoseconds) {
  const During watching(Activity::watching);
  std::string names;
  double cost = 0;
  for (const Node* member : members) {
    names += names.empty() ? "" : " ";
    names += member->op->name;
    cost += member->op->cost;
  }
  ++fusions[names];
  for (const Node* member : members) {
    Kernels& total = at(kernels, key_of(*member));
    ++total.calls;
    total.nanoseconds += static_cast<int64_t>(nanoseconds * member->op->cost / cost);
    if (member->buffer) total.bytes += member->numel() * size_of(member->dtype);
  }
}

int64_t Report::spent(Activity activity) {
  stopwatch_.change(stopwatch_.now);
  return stopwatch_.nanoseconds[static_cast<int>(activity)];
}

void Report::observed(int64_t gain_of_waiting) {
  const During watching(Activity::watching);
  const Source source = current_source();
  reader_ = &at(reads, {nullptr, source.code, source.instruction});
  ++reader_->times;
  reader_->gain += std::max<int64_t>(gain_of_waiting, 0);
  if (source.code) source_hooks.release(source.code, 1);
}

void Report::run(size_t nodes) {
  if (!reader_) return;
  ++reader_->runs;
  reader_->nodes += nodes;
  reader_ = nullptr;
}

void Report::batch(std::span<Node* const> members) {
  const During watching(Activity::watching);
  ++at(batches, key_of(*members[0], {}, static_cast<uint32_t>(members.size())));
}

void Report::apart(std::span<Node* const> members, Apart why, uint32_t slot, size_t count) {
  const During watching(Activity::watching);
  if (!members[0]->op->kernel) return;
  Parts& total = at(parts, key_of(*members[0], why, slot));
  total.nodes += members.size();
  total.parts += count;
  ++total.times;
}

void Report::alone(const Node& node, bool others) {
  const During watching(Activity::watching);
  if (node.n_inputs == 0) return;
  Node* const one[] = {const_cast<Node*>(&node)};
  if (node.extra)
    apart(one, Apart::watched, 0, 1);
  else if (!node.op->can_batch())
    apart(one, Apart::no_rule, 0, 1);
  else if (!others)
    apart(one, Apart::nothing_alike, 0, 1);
}

void Report::level(std::span<const std::vector<Node*>> groups) {
  const During watching(Activity::watching);
  Map<std::vector<const std::vector<Node*>*>> lines;
  for (const auto& group : groups) lines[key_of(*group[0])].push_back(&group);
  for (const auto& [line, all] : lines) {
    if (all.size() > 1)
      differ(all);
    else if (all[0]->size() == 1)
      apart(*all[0], Apart::nothing_alike, 0, 1);
  }
}

void Report::differ(std::span<const std::vector<Node*>* const> groups) {
  const Node& first = *(*groups[0])[0];
  if (!first.op->kernel) return;
  std::unordered_map<Parts*, Difference> met;
  for (const auto* group : groups.subspan(1)) {
    const Difference d = difference(first, *(*group)[0]);
    Parts& total = at(parts, key_of(first, d.why, d.slot));
    if (met.try_emplace(&total, d).second) add_part(total, *groups[0], d);
    add_part(total, *group, d);
  }
  for (const auto& [total, d] : met) ++total->times;
}

}  // namespace wend
