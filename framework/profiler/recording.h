#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <rhyton/framework/profiler/profile.h>

namespace rhyton::profiler {

/// The slice or piece that an event covers, and its samples, rows or elements; see Event.
struct Range {
  int index = -1;
  std::int64_t first = 0;
  std::int64_t count = 1;
};

/// The number of events that may still be kept. Threads reserve it a block at a time.
class EventBudget {
 public:
  explicit EventBudget(std::int64_t events) : left_(events) {}
  /// At most `wanted`, 0 when there is none left.
  std::int64_t take(std::int64_t wanted) noexcept;

 private:
  std::atomic<std::int64_t> left_;
};

/// The events of one thread. Only that thread adds to them, without locks; others may read completed ones.
class Track {
 public:
  Track(int number, EventBudget& budget, std::int64_t block_size, std::int64_t max_blocks);

  /// Drops the event when the budget is used up.
  void add(const Event& event) noexcept;

  int number() const { return number_; }
  std::int64_t dropped() const { return dropped_.load(std::memory_order_relaxed); }
  void append_events_to(std::vector<Event>& events) const;

 private:
  struct Block {
    std::unique_ptr<Event[]> events;
    std::int64_t size = 0;
  };

  bool make_room() noexcept;

  int number_;
  EventBudget& budget_;
  std::int64_t block_size_;
  // Never resized, so that readers need no lock: a block is valid once `count_` has passed its beginning.
  std::vector<Block> blocks_;
  std::size_t blocks_used_ = 0;
  // In the block that is being filled.
  Event* next_ = nullptr;
  Event* end_ = nullptr;
  std::atomic<std::int64_t> count_{0};
  std::atomic<std::int64_t> dropped_{0};
};

/// The interface through which one thread reports a group of activities.
class Lane {
 public:
  Lane(Track& track, int first_activity, std::size_t activities, std::thread::id owner);

  /// Nanoseconds on the clock of events.
  static std::int64_t now() noexcept {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
  }

  /// Only from the thread that it belongs to. `activity`: its number in the group; times are those of `now`.
  void add(int activity, std::int64_t start, std::int64_t end, const Range& range) noexcept;

  bool belongs_to(std::thread::id thread) const { return owner_ == thread; }
  int first_activity() const { return first_activity_; }
  /// Adds its sums to those of all activities.
  void add_totals_to(std::vector<Totals>& totals) const;

 private:
  // Written by the owner only, therefore without read-modify-write instructions; atomic for concurrent readers.
  struct Sums {
    std::atomic<std::int64_t> calls{0};
    std::atomic<std::int64_t> nanoseconds{0};
    std::atomic<std::int64_t> count{0};
  };

  Track& track_;
  int first_activity_;
  std::thread::id owner_;
  std::vector<Sums> sums_;
};

/// The measurements between `start` and `stop`. Threads that report to it hold it, so that late reports are harmless.
class Recording {
 public:
  explicit Recording(std::int64_t max_events);

  /// Adds activities that are reported together, and returns the number of their group.
  int add_group(std::vector<Activity> activities);
  /// The same for one span; a known name has its group already.
  int group_of_span(const std::string& name);

  /// The calling thread's lane for that group. `worker`: its number in the pool, 0 for a thread outside. Takes a lock:
  /// the result, which is valid as long as the recording, should be kept.
  Lane& lane(int group, int worker);

  Measurements measurements() const;

 private:
  struct Group {
    int first = 0;
    std::size_t size = 0;
    std::deque<Lane> lanes;
  };
  struct Thread {
    std::thread::id id;
    std::string name;
    std::unique_ptr<Track> track;
  };

  Track& track_of_this_thread(int worker);
  int add_group_locked(std::vector<Activity> activities);

  const std::int64_t start_;
  const std::int64_t block_size_;
  const std::int64_t max_blocks_;
  EventBudget budget_;

  mutable std::mutex mutex_;
  std::vector<Activity> activities_;
  std::deque<Group> groups_;
  std::vector<Thread> threads_;
  int callers_ = 0;
};

/// Reports the time of its lifetime.
class Timing {
 public:
  Timing(Lane& lane, int activity, const Range& range)
      : lane_(lane), activity_(activity), range_(range), start_(Lane::now()) {}
  ~Timing() { lane_.add(activity_, start_, Lane::now(), range_); }
  Timing(const Timing&) = delete;
  Timing& operator=(const Timing&) = delete;

 private:
  Lane& lane_;
  int activity_;
  Range range_;
  std::int64_t start_;
};

/// The current recording, if any. One per process.
class Recorder {
 public:
  bool is_running() const { return is_running_.load(std::memory_order_relaxed); }
  /// Null when nothing is being recorded.
  std::shared_ptr<Recording> recording() const;
  /// Start throws RuntimeError during a recording, stop without one.
  void start(std::int64_t max_events);
  std::shared_ptr<Recording> stop();

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<Recording> recording_;
  std::atomic<bool> is_running_{false};
};

/// The recorder of the process's Context.
Recorder& recorder();

}  // namespace rhyton::profiler
