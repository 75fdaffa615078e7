// graph/activity.hpp: what time goes to, while somebody wants to know: every moment is of one
// activity. Who changes it says so; reading the clock is only paid for while it is watched.
#pragma once

#include <time.h>

#include <cstdint>
#include <utility>

namespace wend {

enum class Activity : uint8_t {
  outside,    // the embedding program
  recording,  // the library was called, and nothing runs
  planning,   // a run, but for its kernels
  kernels,
  watching,  // writing down what happens, which is nobody's fault
};

// Changes under the embedding program's lock only.
struct Stopwatch {
  int64_t nanoseconds[5] = {};
  int64_t since = 0;
  Activity now = Activity::outside;

  // The time since the last change goes to what it was; returns that.
  Activity change(Activity next) {
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    const int64_t time = t.tv_sec * int64_t{1'000'000'000} + t.tv_nsec;
    nanoseconds[static_cast<int>(now)] += time - since;
    since = time;
    return std::exchange(now, next);
  }
};

// None: nobody wants to know.
inline constinit Stopwatch* stopwatch = nullptr;

// For as long as it lives the time goes to one activity, then again to what it was.
class During {
 public:
  explicit During(Activity activity) {
    if (stopwatch) [[unlikely]]
      before_ = stopwatch->change(activity);
    watched_ = stopwatch;
  }
  During(const During&) = delete;
  ~During() {
    if (watched_ && watched_ == stopwatch) [[unlikely]]
      stopwatch->change(before_);
  }

 private:
  const Stopwatch* watched_;
  Activity before_;
};

}  // namespace wend
