// exec/company.hpp: whether what a fiber looks at is worth waiting for other fibers, so that it
// runs in batches with what they record. Made from structure alone; running it is exec/run's.
#pragma once

#include <bit>
#include <cstdint>

#include "graph/record.hpp"

namespace wend {

// Some of the last pending nodes: bit `i` stands for the one `i` places before `last`.
struct Few {
  uint32_t last = 0;
  uint64_t places = 0;

  bool empty() const { return places == 0; }
  size_t size() const { return std::popcount(places); }
  // Takes the one that was recorded first.
  uint32_t pop() {
    const int i = std::bit_width(places) - 1;
    places ^= uint64_t{1} << i;
    return last - static_cast<uint32_t>(i);
  }
};

// What waiting costs, in nanoseconds: fitted by hand to an RNN like that of benchmarks/w11_map.py,
// with 2 to 256 sequences.
struct WaitingCosts {
  int64_t to_switch = 450;  // to leave a fiber and come back to it
  int64_t to_batch = 400;   // to put a batch together, whatever its members
};
inline constinit WaitingCosts waiting_costs;

// As many as it takes for more to gain little.
constexpr size_t kManyFibers = 64;

struct Weighed {
  Few alone;  // the node and all that it needs, if to run them alone is better; or nothing
  int64_t nanoseconds;  // that the fiber gains if it waits
};

// Whether a fiber that looks at a pending node had better wait until what that needs runs together
// with the same of other fibers; all of them are `fibers`.
Weighed weigh_waiting(const Node& node, size_t fibers);
// The same for all that is pending.
bool is_worth_waiting(size_t fibers);

}  // namespace wend
