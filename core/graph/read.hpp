// graph/read.hpp: looking at values. What a program learns of a tensor it learns by one of the read
// functions, each of which is one event; what the library itself needs to know, it evaluates.
// Running what is pending is exec/run.
#pragma once

#include "graph/node.hpp"
#include "graph/watch.hpp"

namespace wend {

// Gives a node its value, running what is pending; raises the node's error if it has one. A fiber
// lets the others go on first, so that what they record runs together. Defined by exec/run.
void evaluate(Node& node);
inline void evaluate(const Value& v) {
  if (!v->buffer || kernels_in_flight) evaluate(*v);
}
// The same at once, where others must not change what surrounds the call.
void evaluate_now(Node& node);
inline void evaluate_now(const Value& v) {
  if (!v->buffer || kernels_in_flight) evaluate_now(*v);
}
// Runs everything that is pending and that somebody may still look at. This and what follows is
// defined by exec/run.
void run_pending();
// The same, but the last kernels may still be at it when it returns: who looks waits for them.
void start_pending();
void finish_kernels();
// Unless they write so little that it does not matter when what they hold goes.
void finish_large_kernels();
// In a fiber together with the others, who may have recorded more when it returns.
void settle(bool finish = true);

// Whether the one element is true.
bool read_truth(const Value& v);
// The one element: a truth, an integer or a real number, as the dtype has it.
Arg read_number(const Value& v);
// All elements, which lie in the node when it returns.
void read_bytes(const Value& v);
// A size that `find` computes from all elements.
template <class Find>
int64_t read_size(const Value& v, Find find) {
  evaluate(v);
  const int64_t size = find(*v);
  if (is_watched()) [[unlikely]]
    tell_read(*v, Read::size, Arg::of(size));
  return size;
}

}  // namespace wend
