// A pool whose threads claim chunks of jobs; the caller claims too, so no job needs a worker. Tasks
// are run by whoever is free, each after those that it needs. Leaves the choice of chunk size to
// the callers, and starts no thread before the first large job.
#include "base/threads.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#ifdef __linux__
#include <sched.h>
#endif

#include "base/denormals.hpp"
#include "base/error.hpp"

namespace wend {

void Task::comes_after(const Task& earlier) {
  if (earlier.done.load() ||
      std::find(needs_, needs_ + n_needs_, earlier.number_) != needs_ + n_needs_)
    return;
  if (n_needs_ == kNeeds)
    needs_all_ = true;
  else
    needs_[n_needs_++] = earlier.number_;
}

namespace {

// A thread that has gone to sleep is some tens of microseconds late when it is wanted again, and
// costs the one who wakes it some as well; between the kernels of a step there are seldom more.
constexpr auto spin_time = std::chrono::microseconds(200);
constexpr int64_t chunks_per_thread = 4;

void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// Waits a short while, awake, for ready() to become true.
template <class Ready>
bool spin_until(Ready ready) {
  const auto end = std::chrono::steady_clock::now() + spin_time;
  do {
    for (int i = 0; i < 16; ++i) {
      if (ready()) return true;
      pause();
    }
  } while (std::chrono::steady_clock::now() < end);
  return false;
}

using Clock = std::chrono::steady_clock;

// Nanoseconds that this thread was ready and others had its core; 0 where the system does not tell.
int64_t time_off_core() {
  char text[64];
  const int file = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  const ssize_t length = read(file, text, sizeof text - 1);
  close(file);
  long long on = 0, off = 0;
  text[std::max<ssize_t>(length, 0)] = 0;
  return std::sscanf(text, "%lld %lld", &on, &off) == 2 ? off : 0;
}

// Notices where a worker spends much of its time off its core. What is short costs it two looks at
// the clock.
class Watch {
 public:
  ~Watch() {
    thread_local int64_t before = 0;
    if (Clock::now() - start_ < kLong) return;
    const int64_t now = time_off_core();
    if (now - std::exchange(before, now) >= kMuch) worker_was_held_up();
  }

 private:
  static constexpr auto kLong = std::chrono::microseconds(1500);
  static constexpr int64_t kMuch = 1'000'000;  // nanoseconds
  const Clock::time_point start_ = Clock::now();
};

// When workers may be counted on again, and how long they will not be the next time. Other programs
// that stay are met ever more seldom.
struct HeldUp {
  static constexpr int64_t together = 20'000'000, first = 50'000'000, most = 1'600'000'000;
  std::atomic<int64_t> last{0}, until{0}, next{first};  // nanoseconds
};
constinit HeldUp held_up;

int64_t nanoseconds() { return Clock::now().time_since_epoch().count(); }

struct Range {
  detail::RangeBody body;
  void* context;
  int64_t n, chunk;
};

// A range that is being worked off, in chunks.
struct alignas(64) Job {
  Range range;
  std::atomic<int64_t> unclaimed{0}, unfinished{0};
  std::atomic<bool> taken{false};
};

// True iff this thread is running a body; the nested call then runs inline.
thread_local bool in_body = false;

}  // namespace

class Pool {
 public:
  // A thread that the system refuses is not missed: whoever is there claims its chunks.
  explicit Pool(int workers) : workers_(workers) {
    try {
      for (int i = 0; i < workers; ++i) threads_.emplace_back([this] { work(); });
    } catch (const std::system_error&) {
    }
  }

  ~Pool() {
    stop_ = true;
    notify(awake_);
    for (auto& thread : threads_) thread.join();
  }

  int workers() const { return workers_; }
  bool is_idle() const {
    return finished_.load() == posted_.load() && helpers.load() == 0 &&
           std::none_of(jobs_, jobs_ + kJobs, [](const Job& job) { return job.taken.load(); });
  }

  bool post(Task& task) {
    const uint64_t number = posted_.load();
    if (threads_.empty() || number - finished_.load() == kTasks) return false;
    task.number_ = number;
    tasks_[number % kTasks] = &task;
    states_[number % kTasks].store(waiting);
    posted_.store(number + 1);
    news();
    return true;
  }

  void help_with(const Task& task);
  std::atomic<int> helpers{0};  // threads that are not its own and work for it

  // A place for a range; null where others have all.
  Job* take_job() {
    const auto job =
        std::find_if(jobs_, jobs_ + kJobs, [](Job& j) { return !j.taken.exchange(true); });
    return job == jobs_ + kJobs ? nullptr : job;
  }

  // Gives the place back.
  void run(Job& job, const Range& range, int64_t chunks, bool wake) {
    job.range = range;
    job.unfinished.store(chunks);
    job.unclaimed.store(chunks);
    ++news_;
    if (wake && sleeping_.load() > 0) notify(awake_);
    while (claim(job)) {
    }
    wait_for(job);
    job.taken.store(false);
  }

 private:
  // Taking a chunk also proves that the range is stable: it is only replaced once no chunk is
  // unfinished.
  bool claim(Job& job) {
    int64_t left = job.unclaimed.load();
    while (left > 0 && !job.unclaimed.compare_exchange_weak(left, left - 1)) {
    }
    if (left <= 0) return false;
    const KernelFloats floats;
    const Watch watch;
    const Range& range = job.range;
    const int64_t begin = (left - 1) * range.chunk;
    range.body(range.context, begin, std::min(begin + range.chunk, range.n));
    if (job.unfinished.fetch_sub(1) == 1 && callers_asleep_.load() > 0) notify(done_);
    return true;
  }

  bool claim_any() {
    return std::any_of(jobs_, jobs_ + kJobs, [this](Job& job) { return claim(job); });
  }

  void wait_for(const Job& job) {
    const auto finished = [&] { return job.unfinished.load() == 0; };
    if (spin_until(finished)) return;
    std::unique_lock lock(mutex_);
    ++callers_asleep_;
    done_.wait(lock, finished);
    --callers_asleep_;
  }

  enum TaskState : uint8_t { waiting, running, over };

  bool is_over(uint64_t number) const {
    return number < finished_.load() || states_[number % kTasks].load() == over;
  }
  bool is_ready(const Task& task) const {
    if (task.needs_all_) return finished_.load() == task.number_;
    return std::all_of(task.needs_, task.needs_ + task.n_needs_,
                       [this](uint64_t number) { return is_over(number); });
  }
  // A task was posted or is done; a new range counts as well.
  void news() {
    ++news_;
    if (sleeping_.load() > 0) notify(awake_);
  }
  void finish(uint64_t number);
  bool run_task();
  template <class Ended>
  void work_until(Ended ended);
  void work();

  // The sleeper announces itself, then looks at the condition, both under the mutex; the other side
  // changes the condition, then looks for a sleeper: so one of the two sees the other.
  void notify(std::condition_variable& sleepers) {
    {
      std::lock_guard lock(mutex_);
    }
    sleepers.notify_all();
  }

  static constexpr size_t kTasks = 256;
  static constexpr int kJobs = 4;

  const int workers_;
  Job jobs_[kJobs];
  // Those from finished_ to posted_, in a ring. Only who has set one's state to running may look at
  // it: it may be gone once it is over.
  std::atomic<Task*> tasks_[kTasks];
  std::atomic<TaskState> states_[kTasks];
  std::atomic<uint64_t> posted_{0}, finished_{0};
  std::atomic<uint32_t> news_{0};
  std::atomic<int> sleeping_{0}, callers_asleep_{0};
  std::atomic<bool> stop_{false};
  std::mutex mutex_;
  std::condition_variable awake_, done_;
  std::vector<std::thread> threads_;
};

void Pool::finish(uint64_t number) {
  states_[number % kTasks].store(over);
  uint64_t first = finished_.load();
  while (first < posted_.load() && states_[first % kTasks].load() == over)
    if (finished_.compare_exchange_weak(first, first + 1)) ++first;
}

// Runs the first task that is ready, if there is one.
bool Pool::run_task() {
  for (uint64_t number = finished_.load(); number < posted_.load(); ++number) {
    auto& state = states_[number % kTasks];
    TaskState expected = waiting;
    if (state.load() != waiting || !state.compare_exchange_strong(expected, running)) continue;
    // By now it may be a later one.
    Task& task = *tasks_[number % kTasks].load();
    if (!is_ready(task)) {
      state.store(waiting);
      continue;
    }
    const bool before = std::exchange(in_body, false);
    {
      const Watch watch;
      task.run();
    }
    in_body = before;
    finish(task.number_);
    task.done.store(true);
    news();
    return true;
  }
  return false;
}

// Does what there is to do: tasks before chunks of somebody else's jobs.
template <class Ended>
void Pool::work_until(Ended ended) {
  const bool before = std::exchange(in_body, true);
  while (!ended()) {
    const uint32_t seen = news_.load();
    if (run_task() || claim_any()) continue;
    auto wanted = [&] { return news_.load() != seen || ended(); };
    if (spin_until(wanted)) continue;
    std::unique_lock lock(mutex_);
    ++sleeping_;
    awake_.wait(lock, wanted);
    --sleeping_;
  }
  in_body = before;
}

void Pool::help_with(const Task& task) {
  work_until([&] { return task.done.load(); });
}

void Pool::work() {
  work_until([this] { return stop_.load(); });
}

namespace {

// The pool is never destroyed at exit: its workers may still be asleep then.
std::atomic<int> threads_wanted{0};
std::atomic<bool> pool_changes{false};  // somebody replaces it, or gives it something to do
Pool* pool = nullptr;

struct HoldPool {
  HoldPool() {
    while (pool_changes.exchange(true)) pause();
  }
  ~HoldPool() { pool_changes = false; }
};

// The child of a fork has none of its parent's threads, and perhaps their locks: forget them all.
void forget_pool() {
  pool = nullptr;
  pool_changes = false;
  in_body = false;
}

// A pool that has something to do stays as it is: one of its tasks may be asking.
Pool& pool_of(int workers) {
  static const int registered = pthread_atfork(nullptr, nullptr, forget_pool);
  static_cast<void>(registered);
  if (pool && pool->workers() != workers && pool->is_idle()) {
    delete pool;
    pool = nullptr;
  }
  if (!pool) pool = new Pool(workers);
  return *pool;
}

int usable_cores() {
#ifdef __linux__
  cpu_set_t cores;
  if (sched_getaffinity(0, sizeof cores, &cores) == 0) return CPU_COUNT(&cores);
#endif
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

int default_threads() {
  const char* setting = std::getenv("WEND_NUM_THREADS");
  const int count = setting ? std::atoi(setting) : 0;
  return count > 0 ? std::min(count, kMostThreads) : usable_cores();
}

}  // namespace

int num_threads() {
  int count = threads_wanted.load(std::memory_order_relaxed);
  if (count == 0) {
    int unset = 0;
    threads_wanted.compare_exchange_strong(unset, default_threads());
    count = threads_wanted.load();
  }
  return count;
}

bool workers_are_held_up() {
  const int64_t until = held_up.until.load(std::memory_order_relaxed);
  return until && watches_workers && nanoseconds() < until;
}

void worker_was_held_up() {
  const int64_t now = nanoseconds();
  if (now - held_up.last.exchange(now) > HeldUp::together || workers_are_held_up()) return;
  const bool again = now - held_up.until.load() < held_up.next.load();
  const int64_t time = again ? std::min(held_up.next.load(), HeldUp::most) : HeldUp::first;
  held_up.next = 2 * time;
  held_up.until = now + time;
}

void set_num_threads(int count) {
  if (count > kMostThreads)
    fail(ErrorKind::runtime, "set_num_threads: wend runs at most ", kMostThreads, " threads, not ",
         count);
  threads_wanted = std::max(1, count);
}

void detail::parallel_for(int64_t n, int64_t grain, RangeBody body, void* context, bool wake) {
  const int threads = num_threads();
  if (threads == 1 || in_body || workers_are_held_up()) return body(context, 0, n);
  const int64_t unit = std::max<int64_t>(1, grain);
  const int64_t grains = (n - 1) / unit + 1;
  const int64_t per_chunk = (grains - 1) / (threads * chunks_per_thread) + 1;
  const int64_t chunks = (grains - 1) / per_chunk + 1;
  Pool* mine;
  Job* job;
  {
    const HoldPool hold;
    mine = &pool_of(threads - 1);
    job = mine->take_job();
  }
  if (!job) return body(context, 0, n);
  in_body = true;
  mine->run(*job, {body, context, n, unit * per_chunk}, chunks, wake);
  in_body = false;
}

bool post(Task& task) {
  const int threads = num_threads();
  if (threads == 1 || in_body) return false;
  const HoldPool hold;
  return pool ? pool->post(task) : pool_of(threads - 1).post(task);
}

bool pool_is_busy() {
  const HoldPool hold;
  return pool && !pool->is_idle();
}

void help_with(const Task& task) {
  Pool* helped;
  {
    const HoldPool hold;
    helped = pool;
    ++helped->helpers;
  }
  helped->help_with(task);
  --helped->helpers;
}

}  // namespace wend
