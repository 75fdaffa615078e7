// base/buffer.hpp: memory that values live in, from a caching allocator.
// Who may write into a buffer, and when, is decided by tensor/variable and exec/run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "base/ref.hpp"

namespace wend {

// Who memory was borrowed from. `keeper` is what the borrower was given to hold on to it.
struct Lender {
  void (*let_go)(void* keeper);  // when the last reference goes
  // Whether somebody besides wend can still reach the memory; null when that cannot be known.
  bool (*reachable)(void* keeper);
};

struct Buffer {
  uint32_t refs;
  uint32_t outside : 29;  // owners outside wend (arrays, DLPack consumers) who may write any time
  uint32_t lent : 1;      // the lender is one of them
  uint32_t read_only : 1;
  uint32_t was_lent : 1;  // there was such an owner once: what a value is may have changed
  size_t bytes;
  char* data;
  const Lender* lender;  // of memory that wend did not allocate
  void* keeper;
  // Apart from what kernels in flight look at, see exec/flight.
  uint64_t writer : 56;   // the last kernel that was launched to write it
  uint64_t given_on : 8;  // references of values that are written over
};

using BufferRef = Ref<Buffer>;

// Uninitialised memory, 64-byte aligned from 1 KiB on and 16-byte aligned below.
// Raises ErrorKind::memory and changes nothing when there is not enough.
BufferRef allocate(size_t bytes);
// Wraps memory of somebody else, who counts as an owner outside until found to be gone.
BufferRef borrow(void* data, size_t bytes, const Lender& lender, void* keeper, bool read_only);
// A part of another buffer, which lives at least as long.
BufferRef part_of(Buffer& whole, size_t begin, size_t bytes);
// The buffer that `buffer` is a part of; null for an ordinary one.
Buffer* whole_of(const Buffer& buffer);
void release(Buffer* buffer);

// How many live buffers have owners outside wend; while there are none, nobody asks further.
extern uint32_t outside_buffers;
// Counts owners outside wend in and out.
void lend(Buffer& buffer);
void take_back(Buffer& buffer);
// Told of every buffer whose last owner outside is gone.
using NoLongerOutside = void (*)(const Buffer& buffer);
extern constinit NoLongerOutside no_longer_outside;
// Asks the lender too: memory whose owner is gone is ordinary from then on.
bool ask_lender(Buffer& buffer);
inline bool is_shared(Buffer& buffer) {
  return buffer.outside && (!buffer.lender || ask_lender(buffer));
}

// Told of every buffer that goes, while somebody wants to know.
using BufferGoes = void (*)(const Buffer& buffer);
extern constinit BufferGoes buffer_goes;

struct MemoryStats {
  size_t allocated_bytes;      // held by live buffers ...
  size_t peak_bytes;           // ... and the most since reset_peak_memory_stats
  size_t cached_bytes;         // kept for reuse
  size_t reserved_bytes;       // had from the system, cached ones and small blocks included ...
  size_t peak_reserved_bytes;  // ... and the most
  size_t buffers;              // alive
  size_t allocations;          // buffers made since the start
};
MemoryStats memory_stats();
void reset_peak_memory_stats();
// Gives cached memory back to the system.
void empty_cache();

// Fixed-size blocks for small objects (nodes, buffers, lists): those that are free, for each
// multiple of 16 bytes, and for fewer sizes where they are larger. They are kept in a list of
// pointers, not in each other, so that the memory of one that will be needed soon can be fetched
// ahead.
struct SmallBlocks {
  static constexpr size_t kGrain = 16, kCoarse = 256, kFine = 1088, kLargest = 8192, kAhead = 8;
  struct Free {
    void** top = nullptr;
    void** begin = nullptr;  // behind `kAhead` places that are never taken
    void** end = nullptr;
  };
  Free free[kLargest / kGrain + 1] = {};
};
extern constinit SmallBlocks small_blocks;
void* small_alloc_anew(size_t bytes);
// Where so many are free that caches do not hold them, they are handed out by address again: what
// is made one after the other is soon read so, and memory is fast where it can tell what comes
// next.
void tidy_small_blocks();
// False where there is none.
bool more_room(SmallBlocks::Free& list);

// Which list a block of so many bytes, at most kLargest, is in.
inline size_t small_index(size_t bytes) {
  const size_t grain = bytes > SmallBlocks::kFine ? SmallBlocks::kCoarse : SmallBlocks::kGrain;
  return ((bytes + grain - 1) & -grain) / SmallBlocks::kGrain;  // the compiler would divide
}

[[gnu::always_inline]] inline void* small_alloc(size_t bytes) {
  if (bytes > SmallBlocks::kLargest) [[unlikely]]
    return small_alloc_anew(bytes);
  SmallBlocks::Free& list = small_blocks.free[small_index(bytes)];
  if (list.top == list.begin) [[unlikely]]
    return small_alloc_anew(bytes);
  void* block = *--list.top;
  const char* soon = static_cast<const char*>(*(list.top - SmallBlocks::kAhead));
  __builtin_prefetch(soon, 1);
  __builtin_prefetch(soon + 64, 1);
  return block;
}

// Into the list of its size.
[[gnu::always_inline]] inline void small_free(void* p, SmallBlocks::Free& list) {
  if (list.top == list.end && !more_room(list)) [[unlikely]]
    return;  // it is lost, which is better than to fail here
  *list.top++ = p;
}

inline void small_free(void* p, size_t bytes) {
  if (bytes > SmallBlocks::kLargest) [[unlikely]]
    return std::free(p);
  small_free(p, small_blocks.free[small_index(bytes)]);
}

}  // namespace wend
