#include <rhyton/framework/profiler/recording.h>

#include <algorithm>
#include <iterator>
#include <new>
#include <utility>

#include <rhyton/framework/context.h>
#include <rhyton/framework/error.h>

namespace rhyton::profiler {
namespace {

// Small maxima are divided into small blocks, so that one thread does not take all.
constexpr std::int64_t max_events_per_block = 4096;
constexpr std::int64_t least_blocks = 64;

std::int64_t block_size_for(std::int64_t max_events) {
  return std::clamp<std::int64_t>(max_events / least_blocks, 1, max_events_per_block);
}

void add_to(std::atomic<std::int64_t>& sum, std::int64_t value) noexcept {
  sum.store(sum.load(std::memory_order_relaxed) + value, std::memory_order_relaxed);
}

}  // namespace

std::int64_t EventBudget::take(std::int64_t wanted) noexcept {
  std::int64_t left = left_.load(std::memory_order_relaxed);
  std::int64_t taken = 0;
  do {
    taken = std::min(wanted, left);
  } while (!left_.compare_exchange_weak(left, left - taken, std::memory_order_relaxed));
  return taken;
}

Track::Track(int number, EventBudget& budget, std::int64_t block_size, std::int64_t max_blocks)
    : number_(number), budget_(budget), block_size_(block_size), blocks_(static_cast<std::size_t>(max_blocks)) {}

void Track::add(const Event& event) noexcept {
  if (next_ == end_ && !make_room()) return add_to(dropped_, 1);
  *next_++ = event;
  count_.store(count_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
}

bool Track::make_room() noexcept {
  if (blocks_used_ == blocks_.size()) return false;
  const std::int64_t size = budget_.take(block_size_);
  if (size == 0) return false;
  Block& block = blocks_[blocks_used_];
  try {
    block.events = std::make_unique<Event[]>(static_cast<std::size_t>(size));
  } catch (const std::bad_alloc&) {
    return false;
  }
  block.size = size;
  ++blocks_used_;
  next_ = block.events.get();
  end_ = next_ + size;
  return true;
}

void Track::append_events_to(std::vector<Event>& events) const {
  std::int64_t left = count_.load(std::memory_order_acquire);
  for (std::size_t b = 0; left > 0; ++b) {
    const Event* const first = blocks_[b].events.get();
    const std::int64_t size = std::min(left, blocks_[b].size);
    events.insert(events.end(), first, first + size);
    left -= size;
  }
}

Lane::Lane(Track& track, int first_activity, std::size_t activities, std::thread::id owner)
    : track_(track), first_activity_(first_activity), owner_(owner), sums_(activities) {}

void Lane::add(int activity, std::int64_t start, std::int64_t end, const Range& range) noexcept {
  Sums& sums = sums_[static_cast<std::size_t>(activity)];
  add_to(sums.calls, 1);
  add_to(sums.nanoseconds, end - start);
  add_to(sums.count, range.count);
  track_.add({.activity = first_activity_ + activity,
              .thread = track_.number(),
              .start = start,
              .duration = end - start,
              .index = range.index,
              .first = range.first,
              .count = range.count});
}

void Lane::add_totals_to(std::vector<Totals>& totals) const {
  for (std::size_t i = 0; i < sums_.size(); ++i) {
    Totals& total = totals[static_cast<std::size_t>(first_activity_) + i];
    total.calls += sums_[i].calls.load(std::memory_order_relaxed);
    total.nanoseconds += sums_[i].nanoseconds.load(std::memory_order_relaxed);
    total.count += sums_[i].count.load(std::memory_order_relaxed);
  }
}

Recording::Recording(std::int64_t max_events)
    : start_(Lane::now()),
      block_size_(block_size_for(max_events)),
      max_blocks_((max_events + block_size_ - 1) / block_size_),
      budget_(max_events) {}

int Recording::add_group(std::vector<Activity> activities) {
  const std::scoped_lock lock(mutex_);
  return add_group_locked(std::move(activities));
}

int Recording::add_group_locked(std::vector<Activity> activities) {
  Group& group = groups_.emplace_back();
  group.first = static_cast<int>(activities_.size());
  group.size = activities.size();
  std::move(activities.begin(), activities.end(), std::back_inserter(activities_));
  return static_cast<int>(groups_.size()) - 1;
}

int Recording::group_of_span(const std::string& name) {
  const std::scoped_lock lock(mutex_);
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    if (groups_[g].size != 1) continue;
    const Activity& activity = activities_[static_cast<std::size_t>(groups_[g].first)];
    if (activity.kind == Kind::span && activity.name == name) return static_cast<int>(g);
  }
  return add_group_locked({{.kind = Kind::span, .name = name}});
}

Lane& Recording::lane(int group, int worker) {
  const std::scoped_lock lock(mutex_);
  Group& found = groups_[static_cast<std::size_t>(group)];
  const std::thread::id self = std::this_thread::get_id();
  for (Lane& lane : found.lanes) {
    if (lane.belongs_to(self)) return lane;
  }
  return found.lanes.emplace_back(track_of_this_thread(worker), found.first, found.size, self);
}

Track& Recording::track_of_this_thread(int worker) {
  const std::thread::id self = std::this_thread::get_id();
  for (Thread& thread : threads_) {
    if (thread.id == self) return *thread.track;
  }
  std::string name = "worker " + std::to_string(worker);
  if (worker == 0) name = ++callers_ == 1 ? "caller" : "caller " + std::to_string(callers_);
  const int number = static_cast<int>(threads_.size());
  auto track = std::make_unique<Track>(number, budget_, block_size_, max_blocks_);
  return *threads_.emplace_back(Thread{self, std::move(name), std::move(track)}).track;
}

Measurements Recording::measurements() const {
  Measurements result;
  result.nanoseconds = Lane::now() - start_;
  const std::scoped_lock lock(mutex_);
  result.activities = activities_;
  result.totals.resize(activities_.size());
  for (const Group& group : groups_) {
    for (const Lane& lane : group.lanes) lane.add_totals_to(result.totals);
  }
  for (const Thread& thread : threads_) {
    result.threads.push_back(thread.name);
    thread.track->append_events_to(result.events);
    result.dropped_events += thread.track->dropped();
  }
  for (Event& event : result.events) event.start -= start_;
  return result;
}

std::shared_ptr<Recording> Recorder::recording() const {
  const std::scoped_lock lock(mutex_);
  return recording_;
}

void Recorder::start(std::int64_t max_events) {
  const std::scoped_lock lock(mutex_);
  if (recording_ != nullptr) throw RuntimeError("Another profiler is running.");
  recording_ = std::make_shared<Recording>(max_events);
  is_running_.store(true, std::memory_order_relaxed);
}

std::shared_ptr<Recording> Recorder::stop() {
  const std::scoped_lock lock(mutex_);
  if (recording_ == nullptr) throw RuntimeError("Cannot export profiling results. No profiler is running.");
  is_running_.store(false, std::memory_order_relaxed);
  return std::exchange(recording_, nullptr);
}

Recorder& recorder() {
  static Recorder& instance = context().slot<Recorder>();
  return instance;
}

}  // namespace rhyton::profiler
