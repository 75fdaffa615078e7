// base/write_watch.hpp: whether memory was written, as far as the operating system can tell.
// What is made of it is the caller's, who compares memory where the system cannot tell.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace wend {

// Watches whole pages, those inside a stretch of memory that only this process can write.
// On Linux from 6.7 on, where userfaultfd is permitted; elsewhere there is never one. Unlike
// protection by mprotect, nobody notices it: writes go through, also those of system calls, and are
// marked. Devices that write to pages handed to them before (O_DIRECT by another thread) are not.
class WriteWatch {
 public:
  // None: not here, or too little to be worth it.
  static std::unique_ptr<WriteWatch> begin(const char* data, size_t bytes);
  WriteWatch(const WriteWatch&) = delete;
  ~WriteWatch();

  // As long as the number is the same, nobody has written. Memory is to be looked at after asking.
  // 0: it can no longer be told.
  uint64_t version();
  // The caller is about to write most of it: marking each page by itself would take longer.
  void expect_writes();

  // The pages that are watched.
  const char* first() const { return begin_; }
  const char* last() const { return end_; }

 private:
  WriteWatch(char* begin, char* end) : begin_(begin), end_(end) {}
  bool overlaps(const WriteWatch& other) const {
    return begin_ < other.end_ && other.begin_ < end_;
  }

  char *begin_, *end_;
  uint64_t version_ = 1;
};

// False: as where the system cannot tell, to see what that costs.
inline constinit bool watches_writes = true;

}  // namespace wend
