// exec/execute.hpp: giving single nodes their values; for the files of exec/ only.
#pragma once

#include <string>

#include "exec/run.hpp"
#include "graph/record.hpp"

namespace wend {

// Estimated nanoseconds; small nodes are not worth estimating.
int64_t work_of(const Node& node);
// Whether a place in the list of pending nodes holds one that somebody may look at.
inline bool is_due(const Node* node) { return node && node->uses > 0; }
// Gives the node its value or its error. Out of memory and interrupts leave it as it was.
void execute(Node& node, int64_t work);
// That the value of a node takes.
inline size_t bytes_of(const Node& node) {
  return (node.offset + node.layout->span) * size_of(node.dtype);
}
// Whether the memory of `in` may become that of `out`, of so many bytes, if nobody else needs it.
inline bool has_memory_for(const Node& in, const Node& out, size_t bytes) {
  return in.buffer && in.buffer->refs == 1u + in.buffer->given_on && !in.buffer->outside &&
         in.layout == out.layout && in.dtype == out.dtype && in.offset == out.offset &&
         in.buffer->bytes == bytes && !in.buffer->lender;
}
std::string call_of(const Node& node);
// The error of the first input that has one; the node cannot run then.
const Error* input_error(const Node& node);
// A node that counted as valued turns out to have failed. Whoever shares its memory finds no
// number.
void fail_valued(Node& node, Error error);
// A value is there: readers may see it, and the node lets its inputs go.
void publish(Node& node);

// Looks for the user's request to stop every now and then; `work` has been done since last time.
class Poll {
 public:
  void after(int64_t work) {
    if ((since_ += 100 + work) > 1'000'000) look();
  }

 private:
  void look();
  int64_t since_ = 0;
  int64_t last_ = 0;
};

// Runs the whole of a batch whose members have been told that they have their values, and what it
// needs: but for that, pending nodes may not be looked at.
void run_with_needs(Node& whole);
// Runs a node in its turn.
void run_alone(Node& node, Poll& poll);

int64_t now();  // in nanoseconds

// Without the embedding program's lock, which is worth it for estimated nanoseconds of some work.
struct Unlocked {
  void* state = host.unlock();
  ~Unlocked() { host.lock(state); }
};
inline bool is_worth_unlocking(int64_t work) { return work > 100'000 && host.unlock; }

// Runs what is pending level by level, like nodes of a level at once; false if there is nothing to
// gain, and nothing was done.
bool run_in_batches(Poll& poll);
// Starts large batches of what is pending, for which it is no loss that more of their kind is yet
// to be recorded.
void start_large_batches(Poll& poll);
// A run is over: what is left in batches stays there.
void forget_outlook();

}  // namespace wend
