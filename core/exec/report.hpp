// exec/report.hpp: what ran, on behalf of which line, and why like nodes did not run as one.
// Filled by a run while somebody wants to know; what is made of it is the embedding program's.
#pragma once

#include <string>
#include <unordered_map>

#include "graph/activity.hpp"
#include "graph/op.hpp"

namespace wend {

// Why nodes that one line recorded did not run as one.
enum class Apart : uint8_t {
  inputs,         // they have another number of inputs
  shape,          // of input `slot`
  dtype,          // of input `slot`
  strides,        // of input `slot`
  attribute,      // `slot` is another one
  result,         // they give another shape, dtype or place in memory
  gradient,       // some need a gradient, or are of inference mode, and others not
  weight,         // input `slot` is another value, which is better shared
  refused,        // the op's rule does not cover them
  no_rule,        // the op runs by itself
  watched,        // a hook is to see it, or what it saves
  nothing_alike,  // nothing like it was ready at the same time
  too_few,        // too few of all that ran had company
};

class Report {
 public:
  struct Key {
    const Op* op = nullptr;
    void* code = nullptr;
    int32_t instruction = 0;
    Apart why = {};
    uint32_t slot = 0;  // of the reason, or the number of a batch's members
    bool operator==(const Key&) const = default;
  };
  struct Kernels {
    uint64_t calls = 0, bytes = 0;
    int64_t nanoseconds = 0;
  };
  struct Reads {
    uint64_t times = 0, runs = 0, nodes = 0;
    int64_t gain = 0;  // estimated nanoseconds less, were each the reading of a fiber
  };
  struct Parts {
    uint64_t nodes = 0, parts = 0,
             times = 0;              // so many nodes ran in so many parts, at so many times
    std::vector<std::string> texts;  // in what they differ
  };
  struct Shared {
    uint64_t reads = 0, at_once = 0;
    int64_t nanoseconds = 0;
  };
  struct Held {
    int64_t values = 0, bytes = 0;
  };
  Report();
  Report(const Report&) = delete;
  ~Report();

  // Nanoseconds of an activity so far.
  int64_t spent(Activity activity);

  void kernel(const Node& node, int64_t nanoseconds);
  // The node was given memory, new or of one of its inputs.
  void allocated(const Node& node);
  // Nodes that ran in one pass, whose time is divided by what they cost.
  void fusion(std::span<Node* const> members, int64_t nanoseconds);
  // The line that runs now looks at a value that is pending.
  void observed(int64_t gain_of_waiting);
  // A run begins.
  void run(size_t nodes);
  // Nodes that ran as one.
  void batch(std::span<Node* const> members);
  // The nodes of a level in groups that will run as one each.
  void level(std::span<const std::vector<Node*>> groups);
  // Members of a group that nevertheless run in parts.
  void apart(std::span<Node* const> members, Apart why, uint32_t slot, size_t parts);
  // A node that is not put into a group; whether there are others on its level.
  void alone(const Node& node, bool others);

  struct Hash {
    size_t operator()(const Key& k) const;
  };
  template <class T>
  using Map = std::unordered_map<Key, T, Hash>;
  Map<Kernels> kernels;
  Map<Reads> reads;
  Map<uint64_t> batches;  // how often, by op, line and size
  Map<Parts> parts;
  Map<Held> at_peak;  // what was held when it was most, of what was made since the report began
  // Reads of memory that others may write, by the tensor in words.
  std::unordered_map<std::string, Shared> shared;
  std::unordered_map<std::string, uint64_t> fusions;  // how often, by the names of the ops

 private:
  void note(const Key& key, int64_t values, int64_t bytes);
  static void given_back(const Buffer& buffer);
  template <class T>
  T& at(Map<T>& map, const Key& key);
  // The same for all instructions of one line.
  Key key_of(const Node& node, Apart why = {}, uint32_t slot = 0);
  void differ(std::span<const std::vector<Node*>* const> groups);

  Map<int32_t> lines_;       // the first instruction met of each line ...
  Map<int32_t> firsts_;      // ... and that of each instruction's; `lines_` holds on to the code
  Reads* reader_ = nullptr;  // the line that looked last
  Stopwatch stopwatch_;
  std::unordered_map<const Buffer*, Key> held_;
  Map<Held> since_peak_;  // what came and went; `lines_` holds on to the code of its keys
  int64_t bytes_held_ = 0, peak_ = 0;
};

// None: nobody wants to know.
extern constinit Report* report;

}  // namespace wend
