// base/denormals.hpp: whether the CPU takes tiny floats for zero while kernels run.
// Only kernels are concerned: the embedding program's own arithmetic stays as it is.
#pragma once

#include <atomic>
#include <cstdint>

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

namespace wend {

inline std::atomic<bool> flush_denormals{false};

#if defined(__SSE2__)
constexpr bool can_flush_denormals = true;
constexpr uint64_t kFlushBits = 0x8040;  // of results, and of operands
inline uint64_t float_mode() { return _mm_getcsr(); }
inline void set_float_mode(uint64_t mode) { _mm_setcsr(static_cast<unsigned>(mode)); }
#elif defined(__aarch64__)
constexpr bool can_flush_denormals = true;
constexpr uint64_t kFlushBits = 1 << 24;
inline uint64_t float_mode() {
  uint64_t mode;
  asm volatile("mrs %0, fpcr" : "=r"(mode));
  return mode;
}
inline void set_float_mode(uint64_t mode) { asm volatile("msr fpcr, %0" : : "r"(mode)); }
#else
constexpr bool can_flush_denormals = false;
constexpr uint64_t kFlushBits = 0;
inline uint64_t float_mode() { return 0; }
inline void set_float_mode(uint64_t) {}
#endif

// The thread computes as kernels should for as long as this lives.
class KernelFloats {
 public:
  KernelFloats() : flushes_(flush_denormals.load(std::memory_order_relaxed)) {
    if (!flushes_) return;
    before_ = float_mode();
    set_float_mode(before_ | kFlushBits);
  }
  ~KernelFloats() {
    if (flushes_) set_float_mode(before_);
  }
  KernelFloats(const KernelFloats&) = delete;

 private:
  bool flushes_;
  uint64_t before_ = 0;
};

}  // namespace wend
