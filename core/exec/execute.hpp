// exec/execute.hpp: giving single nodes their values; for the files of exec/ only.
#pragma once

#include <atomic>
#include <span>
#include <string>

#include "exec/run.hpp"
#include "exec/turn.hpp"
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
// A node that nobody can look at is as if it had run and its value had been dropped: what it reads
// has run. A view is derived again where somebody looks after all.
void give_up(Node& node);

// Lets others in every now and then. A run pauses between nodes only, where it holds nothing that
// it does not look at again: user code may be called, which may run, write and drop anything.
class Poll {
 public:
  void after(int64_t work) { since_ += 100 + work; }
  void pause() {
    if (since_ > look_after) [[unlikely]]
      look();
  }

 private:
  void look();
  int64_t since_ = 0;   // work that has been done since it looked
  int64_t asked_ = 0;   // when the user was last asked whether to stop ...
  int64_t passed_ = 0;  // ... and the lock last offered to others
};

// Runs the whole of a batch whose members have been told that they have their values, and what it
// needs: but for that, pending nodes may not be looked at.
void run_with_needs(Node& whole);
// Runs a node in its turn.
void run_alone(Node& node, Poll& poll);

int64_t now();  // in nanoseconds

// Without the embedding program's lock, which is worth it for estimated nanoseconds of some work.
// Other threads may record and drop meanwhile, but not run.
inline constinit std::atomic<int> kernels_unlocked{0};
inline constinit std::span<Node* const> in_hand;  // nodes whose kernel runs so
struct Unlocked {
  explicit Unlocked(std::span<Node* const> nodes = {}) {
    in_hand = nodes;
    ++kernels_unlocked;
    state = host.unlock();
  }
  Unlocked(const Unlocked&) = delete;
  ~Unlocked() {
    --kernels_unlocked;
    host.lock(state);
    in_hand = {};
  }
  void* state;
};
// The thread whose kernel it was does not go on: its nodes have failed.
void abandon_kernel();
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
