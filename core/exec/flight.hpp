// exec/flight.hpp: kernels that run on a worker while the scheduler, or the program, goes on.
// Nodes in flight count as valued, so that others can be launched that read them, and that run
// after them. But they hold on to what they read and write until they land: no memory is used again
// before all who use it have run, so that a kernel has to wait for those only whose results it
// reads. Who else wants to see a value waits for its kernel. How tasks run is base/threads.
#pragma once

#include <memory>
#include <span>

#include "base/threads.hpp"
#include "graph/op.hpp"

namespace wend {

// A kernel that was launched, or several nodes' in one pass.
class Launch : public Task {
 public:
  explicit Launch(int64_t work) : work(work) {}
  virtual ~Launch() = default;
  static void* operator new(size_t bytes) { return small_alloc(bytes); }
  static void operator delete(void* launch, size_t bytes) { small_free(launch, bytes); }

  // To be called before it is launched.
  void reads(const Node& node);
  void writes(Node& node);
  // The kernel writes its output over the value of `node`, which nobody else reads. It is gone
  // then, though the node keeps its memory until landing: who reads the output may write over it,
  // too.
  void writes_over(const Node& node);

  const int64_t work;    // estimated nanoseconds
  size_t held_back = 0;  // bytes that nobody needs once it has landed
  size_t written = 0;    // bytes that it writes

  void run() noexcept final;
  // Where it did not run for want of memory: runs it here. If there is not enough even so, or what
  // it reads has failed, its nodes fail.
  void run_again();
  // The nodes have their values now, or have failed, and let go of what they read.
  void land();

 private:
  virtual void kernel() = 0;
  virtual std::span<Node* const> nodes() const = 0;
  bool try_kernel() noexcept;
  void take_back();  // the memory that is written over, while it is there

  bool failed_ = false;  // it did not run to its end, for want of memory
  List<Buffer*> given_on_;
};

// Estimated nanoseconds from which it pays, if no other kernel is in flight.
inline constinit int64_t launches_from = 20'000;

// For tests: so many kernels find no memory, after so many that do.
void let_kernels_fail(int after, int kernels);

// True: the kernel is to be launched. False: everything that was has run.
bool make_way(bool can_launch);
inline bool is_to_be_launched(bool can_launch, int64_t work) {
  return (kernels_in_flight || (can_launch && work >= launches_from)) && make_way(can_launch);
}
// Where there is no worker to take it, the kernel runs here.
void launch(std::unique_ptr<Launch> kernel);
// Lets those land that have run. To be called where user code may be called, for landing may.
void land_some();
inline void land() {
  if (kernels_in_flight) land_some();
}
// Waits for all, and raises ErrorKind::memory if some had to fail since it was last raised.
void land_all();
// Whether that is yet to be raised; until then kernels count as in flight.
bool some_failed();
size_t in_flight();
// Whether kernels in flight write so little that it does not matter when what they hold goes.
bool little_in_flight();
// Waits until the node's value can be read; where kernels had to fail, for all as land_all.
void wait_for_value(const Node& node);

// Marks a node whose kernel is launched: nobody may drop it before it lands.
void take_off(Node& node);

}  // namespace wend
