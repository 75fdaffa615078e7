// base/buffer.cpp: the caching allocator. Small blocks come from free lists carved out of chunks
// and stay there; larger ones are kept in classes of four sizes an octave, as much as was lately in
// use at once: beyond that, memory goes back to the system, and at most its addresses are kept.
#include "base/buffer.hpp"

#include <sys/mman.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <functional>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/forever.hpp"
#include "base/put_off.hpp"

namespace wend {
namespace {

constexpr size_t kInline = 1024;  // values up to here lie right behind their buffer's header
constexpr size_t kHeader = 48;
static_assert(sizeof(Buffer) <= kHeader);
constexpr size_t kChunk = 64 * 1024;
constexpr size_t kPage = 2 << 20;     // a large one, if the system has such
constexpr size_t kSpace = 64 << 20;   // addresses that are asked for at a time ...
constexpr size_t kMostCut = 8 << 20;  // ... and the largest block that is cut from them
constexpr size_t kKeptAtLeast = size_t{256} << 20;
#ifdef __SANITIZE_ADDRESS__
constexpr bool kCuts = false;  // each block has its bounds watched
#else
constexpr bool kCuts = true;
#endif

// Blocks of one size that nobody uses.
struct Class {
  size_t bytes = 0;
  std::vector<void*> kept;
  std::vector<void*> empty;  // without memory
};

// The most bytes of large blocks that were in use at once of late, which is as long as it takes to
// hand out many times as many. So a program that does the same again and again finds the memory
// that it had, and one that is done with what was large does not keep it.
struct RecentPeak {
  static constexpr size_t kTimes = 16;
  size_t peak = 0, before = 0, handed_out = 0;

  // Answers whether it may have become less.
  bool count(size_t bytes, size_t in_use) {
    peak = std::max(peak, in_use);
    handed_out += bytes;
    if (handed_out < kTimes * std::max(kKeptAtLeast, peak)) return false;
    before = std::exchange(peak, in_use);
    handed_out = 0;
    return true;
  }
  // Where blocks of one size are used after those of another, more are kept than were ever in use.
  size_t to_keep() const {
    const size_t most = std::max(peak, before);
    return std::max(kKeptAtLeast, most + most / 4);
  }
};

struct Allocator {
  Class large[256];
  size_t in_use = 0;  // bytes of large blocks
  RecentPeak recent;
  char *space = nullptr, *space_end = nullptr;
  MemoryStats stats = {};
};

constinit Forever<Allocator> allocator_forever;
Allocator& allocator() { return allocator_forever.value; }

void reserve(size_t bytes) {
  MemoryStats& stats = allocator().stats;
  stats.reserved_bytes += bytes;
  stats.peak_reserved_bytes = std::max(stats.peak_reserved_bytes, stats.reserved_bytes);
}

[[noreturn]] void out_of_memory(size_t bytes) {
  fail(ErrorKind::memory, "can't allocate memory: you tried to allocate ", bytes, " bytes.");
}

size_t physical_memory() {
  static const size_t total =
      static_cast<size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<size_t>(sysconf(_SC_PAGESIZE));
  return total;
}

// The class that `bytes` (> kInline) falls in: 4 classes an octave.
Class& class_of(size_t bytes) {
  const int octave = std::bit_width(bytes - 1) - 1;
  const size_t step = size_t{1} << (octave - 2);
  const size_t up = (bytes + step - 1) / step * step;
  Class& found = allocator().large[octave * 4 + (up - (size_t{1} << octave)) / step];
  found.bytes = up;
  return found;
}

// Chunks and blocks are cut from spaces that the system is asked to map in large pages: what a step
// reads lies far apart, and finding its pages would take longer than reading it. Blocks of round
// sizes side by side would share lines of the first cache, so something is left between them.
char* cut(size_t bytes) {
  constexpr size_t kBetween = 192;
  Allocator& a = allocator();
  if (a.space_end - a.space < static_cast<ptrdiff_t>(bytes)) {
    void* p = mmap(nullptr, kSpace + kPage, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) return nullptr;
    const auto first = (reinterpret_cast<uintptr_t>(p) + kPage - 1) & -kPage;
    a.space = reinterpret_cast<char*>(first);
    a.space_end = a.space + kSpace - kBetween;
    madvise(a.space, kSpace, MADV_HUGEPAGE);
  }
  return std::exchange(a.space, a.space + bytes + kBetween);
}

// Blocks that lie side by side are handed out one after the other.
void refill(SmallBlocks::Free& list, size_t bytes) {
  char* chunk = cut(kChunk);
  if (!chunk) out_of_memory(kChunk);
  reserve(kChunk);
  for (size_t n = kChunk / bytes; n-- > 0;) {
    if (list.top == list.end && !more_room(list)) out_of_memory(kChunk);
    *list.top++ = chunk + n * bytes;
  }
}

bool is_cut(const Class& of) { return kCuts && of.bytes <= kMostCut; }

void* new_block(Class& of) {
  if (!of.empty.empty()) {
    void* p = of.empty.back();
    of.empty.pop_back();
    return p;
  }
  if (is_cut(of)) return cut(of.bytes);
  if (of.bytes < kPage) return std::aligned_alloc(64, of.bytes);
  void* p = nullptr;  // unlike aligned_alloc this takes sizes that are no multiple of the alignment
  if (posix_memalign(&p, kPage, of.bytes) != 0) return nullptr;
  madvise(p, of.bytes & -kPage, MADV_HUGEPAGE);
  return p;
}

// Gives a block's memory back to the system.
void let_go(void* p, Class& of) {
  allocator().stats.reserved_bytes -= of.bytes;
  if (!is_cut(of)) return std::free(p);
  static const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto begin = (reinterpret_cast<uintptr_t>(p) + page - 1) & -page;
  const auto end = (reinterpret_cast<uintptr_t>(p) + of.bytes) & -page;
  if (begin < end) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
  of.empty.push_back(p);
}

bool keeps_too_much(size_t more = 0) {
  const Allocator& a = allocator();
  return a.in_use + a.stats.cached_bytes + more > a.recent.to_keep();
}

void let_kept_go(Class& of) {
  let_go(of.kept.back(), of);
  of.kept.pop_back();
  allocator().stats.cached_bytes -= of.bytes;
}

void count_in_use(size_t bytes) {
  Allocator& a = allocator();
  a.in_use += bytes;
  if (!a.recent.count(bytes, a.in_use)) return;
  for (Class& of : a.large)
    while (!of.kept.empty() && keeps_too_much()) let_kept_go(of);
}

void* large_alloc(size_t bytes) {
  Allocator& a = allocator();
  // The kernel hands out more than there is and kills later: refuse here instead.
  if (bytes > physical_memory()) out_of_memory(bytes);
  Class& of = class_of(bytes);
  if (!of.kept.empty()) {
    void* p = of.kept.back();
    of.kept.pop_back();
    a.stats.cached_bytes -= of.bytes;
    count_in_use(of.bytes);
    return p;
  }
  void* p = new_block(of);
  if (!p) {
    empty_cache();
    p = new_block(of);
  }
  if (!p) out_of_memory(bytes);
  reserve(of.bytes);
  count_in_use(of.bytes);
  return p;
}

void large_free(void* p, size_t bytes) {
  Allocator& a = allocator();
  Class& of = class_of(bytes);
  a.in_use -= of.bytes;
  if (keeps_too_much(of.bytes)) return let_go(p, of);
  of.kept.push_back(p);
  a.stats.cached_bytes += of.bytes;
}

}  // namespace

constinit SmallBlocks small_blocks;

bool more_room(SmallBlocks::Free& list) {
  constexpr size_t kAhead = SmallBlocks::kAhead;
  const auto used = static_cast<size_t>(list.top - list.begin);
  const size_t room = std::max<size_t>(256, 2 * used);
  void** all = list.begin ? list.begin - kAhead : nullptr;
  all = static_cast<void**>(std::realloc(all, (kAhead + room) * sizeof(void*)));
  if (!all) return false;
  std::fill(all, all + kAhead, nullptr);
  list = {all + kAhead + used, all + kAhead, all + kAhead + room};
  return true;
}

namespace {

// Whether blocks that are handed out one after the other mostly lie so; by a sample.
bool is_tidy(const SmallBlocks::Free& list, size_t bytes) {
  constexpr size_t kSample = 64;
  const size_t step = (list.top - list.begin) / kSample;
  size_t in_order = 0;
  for (void** at = list.top - 1; in_order < kSample && at > list.begin; at -= step)
    in_order +=
        static_cast<char*>(at[-1]) - static_cast<char*>(at[0]) == static_cast<ptrdiff_t>(bytes);
  return in_order > kSample / 2;
}

// In time that grows with their number: a bit for each place that one may lie at.
void sort_blocks(SmallBlocks::Free& list) {
  const auto [lowest, highest] = std::minmax_element(list.begin, list.top);
  const auto begin = reinterpret_cast<uintptr_t>(*lowest);
  const size_t places = (reinterpret_cast<uintptr_t>(*highest) - begin) / SmallBlocks::kGrain + 1;
  const auto n = static_cast<size_t>(list.top - list.begin);
  if (places > 256 * n) return std::sort(list.begin, list.top, std::greater<>());
  std::vector<uint64_t> bits(places / 64 + 1);
  for (void** at = list.begin; at < list.top; ++at) {
    const size_t place = (reinterpret_cast<uintptr_t>(*at) - begin) / SmallBlocks::kGrain;
    bits[place / 64] |= uint64_t{1} << place % 64;
  }
  void** to = list.top;
  for (size_t word = 0; word < bits.size(); ++word)
    for (uint64_t left = bits[word]; left; left &= left - 1)
      *--to = reinterpret_cast<void*>(begin +
                                      (word * 64 + std::countr_zero(left)) * SmallBlocks::kGrain);
}

}  // namespace

void tidy_small_blocks() {
  constexpr size_t kWorthIt = 1 << 20;  // bytes, that the nearest caches do not hold anyway
  for (size_t i = 1; i <= SmallBlocks::kLargest / SmallBlocks::kGrain; ++i) {
    SmallBlocks::Free& list = small_blocks.free[i];
    const size_t bytes = i * SmallBlocks::kGrain;
    if ((list.top - list.begin) * bytes >= kWorthIt && !is_tidy(list, bytes)) sort_blocks(list);
  }
}

void* small_alloc_anew(size_t bytes) {
  if (bytes > SmallBlocks::kLargest) {
    void* p = std::malloc(bytes);
    if (!p) out_of_memory(bytes);
    return p;
  }
  const size_t index = small_index(bytes);
  refill(small_blocks.free[index], index * SmallBlocks::kGrain);
  return small_alloc(bytes);
}

BufferRef allocate(size_t bytes) {
  MemoryStats& stats = allocator().stats;
  Buffer* b;
  if (bytes <= kInline) {
    b = static_cast<Buffer*>(small_alloc(kHeader + bytes));
    b->data = reinterpret_cast<char*>(b) + kHeader;
  } else {
    void* data = large_alloc(bytes);
    b = static_cast<Buffer*>(small_alloc(kHeader));
    b->data = static_cast<char*>(data);
  }
  b->refs = 1;
  b->outside = 0;
  b->lent = false;
  b->read_only = false;
  b->was_lent = false;
  b->bytes = bytes;
  b->lender = nullptr;
  b->keeper = nullptr;
  b->writer = 0;
  b->given_on = 0;
  ++stats.allocations;
  ++stats.buffers;
  stats.allocated_bytes += bytes;
  stats.peak_bytes = std::max(stats.peak_bytes, stats.allocated_bytes);
  return BufferRef::adopt(b);
}

BufferRef borrow(void* data, size_t bytes, const Lender& lender, void* keeper, bool read_only) {
  auto* b = static_cast<Buffer*>(small_alloc(kHeader));
  *b = {1, 0, true, read_only, true, bytes, static_cast<char*>(data), &lender, keeper, 0, 0};
  lend(*b);
  return BufferRef::adopt(b);
}

namespace {

void let_go_of_whole(void* whole) { BufferRef::adopt(static_cast<Buffer*>(whole)); }
constinit const Lender whole{let_go_of_whole, nullptr};

}  // namespace

BufferRef part_of(Buffer& of, size_t begin, size_t bytes) {
  auto* b = static_cast<Buffer*>(small_alloc(kHeader));
  *b = {1, 0, false, false, false, bytes, of.data + begin, &whole, BufferRef(&of).leak(), 0, 0};
  return BufferRef::adopt(b);
}

Buffer* whole_of(const Buffer& buffer) {
  return buffer.lender == &whole ? static_cast<Buffer*>(buffer.keeper) : nullptr;
}

uint32_t outside_buffers = 0;

void lend(Buffer& buffer) {
  if (buffer.outside++ == 0) ++outside_buffers;
  for (Buffer* b = &buffer; b; b = whole_of(*b)) b->was_lent = true;
}

constinit NoLongerOutside no_longer_outside = nullptr;

void take_back(Buffer& buffer) {
  if (--buffer.outside > 0) return;
  --outside_buffers;
  if (no_longer_outside) no_longer_outside(buffer);
}

bool ask_lender(Buffer& buffer) {
  const auto reachable = buffer.lender->reachable;
  // Only the lender is left to count: consumers of this memory hold on to it themselves.
  if (buffer.lent && buffer.outside == 1 && reachable && !reachable(buffer.keeper)) {
    buffer.lent = false;
    take_back(buffer);
  }
  return buffer.outside > 0;
}

constinit BufferGoes buffer_goes = nullptr;

void release(Buffer* b) {
  if (b->lender) {
    if (b->outside) take_back(*b);
    b->lender == &whole ? whole.let_go(b->keeper) : let_go_when_done(b->keeper, b->lender->let_go);
    small_free(b, kHeader);
    return;
  }
  if (buffer_goes) [[unlikely]]
    buffer_goes(*b);
  MemoryStats& stats = allocator().stats;
  stats.allocated_bytes -= b->bytes;
  --stats.buffers;
  if (b->bytes <= kInline) {
    small_free(b, kHeader + b->bytes);
  } else {
    large_free(b->data, b->bytes);
    small_free(b, kHeader);
  }
}

MemoryStats memory_stats() { return allocator().stats; }

void reset_peak_memory_stats() {
  MemoryStats& stats = allocator().stats;
  stats.peak_bytes = stats.allocated_bytes;
  stats.peak_reserved_bytes = stats.reserved_bytes;
}

void empty_cache() {
  for (Class& of : allocator().large)
    while (!of.kept.empty()) let_kept_go(of);
#ifdef __GLIBC__
  malloc_trim(0);  // the C library keeps what it was given back, too
#endif
}

}  // namespace wend
