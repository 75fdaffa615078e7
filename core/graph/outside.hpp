// graph/outside.hpp: reading memory that somebody outside wend may write at any time.
// A reader gets the value that is there when it is recorded. Writing to such memory is
// tensor/variable's, and who counts as an owner outside base/buffer's.
#pragma once

#include "graph/op.hpp"

namespace wend {

// Whether one of the values that a node of this op will read lies in such memory.
bool reads_outside(const Op& op, std::span<const Value> inputs);

// Puts copies of ordinary memory in place of such inputs, so that the reader can wait for its turn
// like any other. Readers of the same memory get the same copy for as long as the memory is found
// equal to it, byte for byte. True if some input is too large for that: its reader runs at once.
bool take_outside_values(const Op& op, std::span<Value> inputs);

// Before wend itself writes most of such memory.
void expect_outside_write(const Buffer& buffer);

// Outside memory of up to so many bytes is copied and compared; benchmarks/w12_numpy.py measures
// what more or less would cost.
inline constinit size_t largest_taken = size_t{4} << 20;

struct OutsideCounters {
  uint64_t copies = 0;    // of outside memory that were made for readers
  uint64_t compared = 0;  // times that memory was found to be as it was copied
  uint64_t at_once = 0;   // nodes that ran at once, for outside memory was too large to be copied
};
inline constinit OutsideCounters outside_counters;

}  // namespace wend
