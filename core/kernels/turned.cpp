// kernels/turned.cpp: the last few right sides, and the memory of those that were turned.
#include "kernels/turned.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <new>

#include "base/forever.hpp"
#include "kernels/level.hpp"

namespace wend {
namespace {

constexpr int64_t kFewest = 4096, kMost = 1 << 20;  // elements

// Which memory it is, and how it is read; what it holds follows from the name.
struct Key {
  uint64_t name = 0;
  const void* b = nullptr;
  int64_t n = 0, k = 0, b_row = 0, b_col = 0;
  bool operator==(const Key&) const = default;
};

// Memory goes from one right side to the next: each step of training changes the weights, and what
// a worker gives back to the system it would have zeroed anew, page by page.
template <class T>
struct Memory {
  std::shared_ptr<T[]> values;
  int64_t size = 0;

  void have(int64_t wanted) {
    // Nobody can get hold of it any more, but somebody may still be at it.
    if (size >= wanted && values.use_count() == 1)
      return std::atomic_thread_fence(std::memory_order_acquire);
    size = 0;
    values.reset(new (std::align_val_t{64}) T[static_cast<size_t>(wanted)],
                 [](T* p) { ::operator delete[](p, std::align_val_t{64}); });
    size = wanted;
  }
};

template <class T>
struct Entry {
  Key key;
  uint64_t last_use = 0;
  int64_t row = 0;  // of B as it was turned; 0 if it was not yet
  Memory<T> memory;
};

template <class T>
struct Kept {
  std::mutex mutex;
  uint64_t uses = 0;
  Entry<T> entries[4];

  // The entry of a right side; null where it was not known before, but is now.
  Entry<T>* find(const Key& key) {
    const auto known = std::ranges::find(entries, key, &Entry<T>::key);
    if (known != std::end(entries)) {
      known->last_use = ++uses;
      return known;
    }
    Entry<T>& oldest = *std::ranges::min_element(entries, {}, &Entry<T>::last_use);
    oldest.key = key;
    oldest.last_use = ++uses;
    oldest.row = 0;
    return nullptr;
  }
};
template <class T>
constinit Forever<Kept<T>> kept;

template <class T>
void turn(const Gemm<T>& g, Entry<T>& entry, decltype(GemmKernels<T>::turn) by) {
  const int64_t width = (g.n + 15) / 16 * 16;
  entry.memory.have(g.k * width);
  by(g, entry.memory.values.get(), width);
  entry.row = width;
}

template <class T>
Turned<T> turned_by(const Gemm<T>& g, decltype(GemmKernels<T>::turn) by) {
  if (g.k * g.n < kFewest || g.k * g.n > kMost) return {};
  Kept<T>& all = kept<T>.value;
  const Key key{g.b_name, g.b, g.n, g.k, g.b_row, g.b_col};
  // Who finds it being turned waits, which takes less time than to turn it.
  const std::lock_guard lock(all.mutex);
  Entry<T>* entry = all.find(key);
  if (!entry) return {};
  if (!entry->row) turn(g, *entry, by);
  return {entry->memory.values, entry->row};
}

template <class T>
void forget() {
  Kept<T>& all = kept<T>.value;
  const std::lock_guard lock(all.mutex);
  for (Entry<T>& entry : all.entries) entry = {};
}

}  // namespace

Turned<float> turned(const Gemm<float>& g) { return turned_by(g, level().gemm_f32.turn); }
Turned<double> turned(const Gemm<double>& g) { return turned_by(g, level().gemm_f64.turn); }

void forget_turned() {
  forget<float>();
  forget<double>();
}

}  // namespace wend
