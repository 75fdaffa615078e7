// graph/outside.hpp: reading memory that somebody outside wend may write at any time.
// A reader gets the value that is there when it is recorded. Writing to such memory is
// tensor/variable's, and who counts as an owner outside base/buffer's.
#pragma once

#include <string>

#include "graph/op.hpp"

namespace wend {

// Whether one of the values that a node of this op will read lies in such memory.
bool reads_outside(const Op& op, std::span<const Value> inputs);

// Puts copies in ordinary memory in place of such inputs, so that the reader can wait for its turn
// like any other. Readers of the same memory get the same copy as long as nobody has written to the
// memory. True if an input is not worth a copy: its reader runs at once. Bit i of `saved`: the
// gradient reads input i, too.
bool take_outside_values(const Op& op, std::span<Value> inputs, uint8_t saved);

// Before wend itself writes most of such memory.
void expect_outside_write(const Buffer& buffer);

// How many bytes of outside memory are copied; benchmarks/w12_shared.py measures what it gains.
struct TakenBytes {
  size_t at_first = 1 << 20;  // when it is met first: most of what is large is read only once ...
  size_t at_all = 16 << 20;   // ... and from then on: beyond, kernels take longer than what is lost
};
inline constinit TakenBytes taken_bytes;

struct OutsideCounters {
  uint64_t copies = 0;   // that were made for readers
  uint64_t again = 0;    // times that a reader got the copy of one before
  uint64_t at_once = 0;  // inputs whose readers ran at once
};
inline constinit OutsideCounters outside_counters;

// `tensor`: what was read, in words.
struct OutsideHooks {
  // While somebody wants to know: a read, and how long it took to have the value.
  void (*read)(const std::string& tensor, bool at_once, int64_t nanoseconds) = nullptr;
  // Readers of it have run at once for a while. May raise.
  void (*warn)(const std::string& tensor) = nullptr;
};
inline constinit OutsideHooks outside_hooks;

}  // namespace wend
