// base/write_watch.cpp: pages that were written, by userfaultfd's asynchronous write protection and
// the PAGEMAP_SCAN request of /proc/self/pagemap, which says which protected pages were written.
#include "base/write_watch.hpp"

#include <vector>

#ifdef __linux__
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace wend {
namespace {

// As in the system's headers from Linux 6.7 on; those that wend is compiled with may be older.
constexpr uint64_t kWriteProtectUnnoticed = 1 << 15;  // UFFD_FEATURE_WP_ASYNC
constexpr int kUserModeOnly = 1;                      // UFFD_USER_MODE_ONLY: needs no privilege
constexpr uint64_t kIsWritten = 1 << 1;               // PAGE_IS_WRITTEN
constexpr uint64_t kProtectMatching = 1 << 0;         // PM_SCAN_WP_MATCHING
constexpr uint64_t kOnlyIfWatched = 1 << 1;           // PM_SCAN_CHECK_WPASYNC

struct Region {
  uint64_t begin, end, categories;
};

struct Scan {
  uint64_t size = sizeof(Scan);
  uint64_t flags, begin, end;
  uint64_t walk_end = 0;
  uint64_t regions = 0, n_regions = 0, most_pages = 0;
  uint64_t inverted = 0, mask = kIsWritten, any_of = 0, wanted = kIsWritten;
};
constexpr unsigned long kScan = _IOWR('f', 16, Scan);

constexpr size_t kWorthIt = 128 << 10;  // bytes that take longer to compare than to ask for
constexpr size_t kMost = 256;           // watches; each may split a mapping in three

struct System {
  bool tried = false;
  int faults = -1;  // userfaultfd
  int pages = -1;   // /proc/self/pagemap
  std::vector<WriteWatch*> watches;

  bool works() const { return pages >= 0; }
  void open();
  void close();
};

System& kernel() {
  static System& system = *new System;
  return system;
}

void System::open() {
  tried = true;
#ifdef SYS_userfaultfd
  faults = static_cast<int>(syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK | kUserModeOnly));
  if (faults < 0) return;
  uffdio_api api = {.api = UFFD_API, .features = kWriteProtectUnnoticed, .ioctls = 0};
  if (ioctl(faults, UFFDIO_API, &api) == 0)
    pages = ::open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
  if (pages < 0) {
    close();
    tried = true;
    return;
  }
  // A child's memory is watched by nobody, and what it has open is about its parent's.
  static const int told = pthread_atfork(nullptr, nullptr, [] { kernel().close(); });
  if (told != 0) close();
#endif
}

void System::close() {
  if (faults >= 0) ::close(faults);
  if (pages >= 0) ::close(pages);
  faults = pages = -1;
  tried = false;
}

uint64_t address(const char* p) { return reinterpret_cast<uintptr_t>(p); }

// Other processes write to shared mappings unnoticed.
bool is_private(uint64_t begin, uint64_t end) {
  std::FILE* maps = std::fopen("/proc/self/maps", "re");
  if (!maps) return false;
  char line[512];
  unsigned long from, to, inode;
  char rights[8];
  while (begin < end && std::fgets(line, sizeof line, maps)) {
    const bool read = std::sscanf(line, "%lx-%lx %7s %*s %*s %lu", &from, &to, rights, &inode) == 4;
    while (!std::strchr(line, '\n') && std::fgets(line, sizeof line, maps)) continue;
    if (!read || to <= begin) continue;
    if (from > begin || rights[3] != 'p' || inode != 0) break;
    begin = to;
  }
  std::fclose(maps);
  return begin >= end;
}

uffdio_range range_of(const char* begin, const char* end) {
  return {.start = address(begin), .len = address(end) - address(begin)};
}

}  // namespace

std::unique_ptr<WriteWatch> WriteWatch::begin(const char* data, size_t bytes) {
  System& system = kernel();
  if (!watches_writes || bytes < kWorthIt || system.watches.size() >= kMost) return nullptr;
  if (!system.tried) system.open();
  if (!system.works()) return nullptr;
  const auto page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  const auto at = reinterpret_cast<char*>((address(data) + page - 1) & -page);
  const auto end = reinterpret_cast<char*>((address(data) + bytes) & -page);
  if (at >= end || !is_private(address(at), address(end))) return nullptr;
  uffdio_register request = {
      .range = range_of(at, end), .mode = UFFDIO_REGISTER_MODE_WP, .ioctls = 0};
  if (ioctl(system.faults, UFFDIO_REGISTER, &request) != 0) return nullptr;
  auto watch = std::unique_ptr<WriteWatch>(new WriteWatch(at, end));
  system.watches.push_back(watch.get());
  return watch;
}

WriteWatch::~WriteWatch() {
  System& system = kernel();
  std::erase(system.watches, this);
  if (std::ranges::any_of(system.watches, [&](auto* other) { return overlaps(*other); })) return;
  uffdio_range range = range_of(begin_, end_);
  if (system.works()) ioctl(system.faults, UFFDIO_UNREGISTER, &range);
}

uint64_t WriteWatch::version() {
  Region found;
  Scan scan{.flags = kOnlyIfWatched, .begin = address(begin_), .end = address(end_)};
  scan.regions = reinterpret_cast<uintptr_t>(&found);
  scan.n_regions = scan.most_pages = 1;
  const int written = ioctl(kernel().pages, kScan, &scan);
  if (written == 0) return version_;
  for (WriteWatch* other : kernel().watches)
    if (overlaps(*other)) ++other->version_;
  const Scan protect{
      .flags = kOnlyIfWatched | kProtectMatching, .begin = address(begin_), .end = address(end_)};
  return written > 0 && ioctl(kernel().pages, kScan, &protect) >= 0 ? version_ : 0;
}

void WriteWatch::expect_writes() {
  uffdio_writeprotect request = {.range = range_of(begin_, end_), .mode = 0};
  if (kernel().works()) ioctl(kernel().faults, UFFDIO_WRITEPROTECT, &request);
}

}  // namespace wend

#else

namespace wend {

std::unique_ptr<WriteWatch> WriteWatch::begin(const char*, size_t) { return nullptr; }
WriteWatch::~WriteWatch() = default;
uint64_t WriteWatch::version() { return 0; }
void WriteWatch::expect_writes() {}

}  // namespace wend

#endif
