// base/buffer.hpp: memory that values live in, from a caching allocator.
// Who may write into a buffer, and when, is decided by graph/cell and exec/run.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/ref.hpp"

namespace wend {

struct Buffer {
  uint32_t refs;
  uint32_t outside;  // owners outside wend (NumPy arrays, DLPack consumers) who may write any time
  size_t bytes;
  char* data;
  // Memory that wend did not allocate: called with `keeper` when the last reference goes.
  void (*let_go)(void* keeper);
  void* keeper;
};

using BufferRef = Ref<Buffer>;

// Uninitialised memory, 64-byte aligned from 1 KiB on and 16-byte aligned below.
// Raises ErrorKind::memory and changes nothing when there is not enough.
BufferRef allocate(size_t bytes);
// Wraps memory of somebody else.
BufferRef borrow(void* data, size_t bytes, void (*let_go)(void*), void* keeper);
void release(Buffer* buffer);

struct MemoryStats {
  size_t allocated_bytes;  // held by live buffers
  size_t peak_bytes;       // the most that was ever held since reset_peak
  size_t cached_bytes;     // kept for reuse
  size_t allocations;      // buffers made since the start
};
MemoryStats memory_stats();
void reset_peak_memory_stats();
// Gives cached memory back to the system.
void empty_cache();

// Fixed-size blocks for small objects (nodes, buffers): a free list for each multiple of 16 bytes.
void* small_alloc(size_t bytes);
void small_free(void* p, size_t bytes);

}  // namespace wend
