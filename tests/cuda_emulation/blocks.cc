#include <blocks.h>

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstring>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include <calls.h>
#include <fibers.h>

constinit thread_local uint3 threadIdx = {0, 0, 0};
constinit thread_local uint3 blockIdx = {0, 0, 0};
constinit thread_local dim3 blockDim(1, 1, 1);
constinit thread_local dim3 gridDim(1, 1, 1);

namespace rhyton::cuda_emulation {
namespace {

bool is_same(const Place& a, const Place& b) {
  return a.line() == b.line() && std::strcmp(a.file_name(), b.file_name()) == 0;
}

// A thread of the running block. Its wait conditions are only meaningful while it waits.
struct Thread {
  Fiber* fiber = nullptr;
  const char* call = nullptr;
  Place place;
  bool waits = false;
  std::uint32_t mask = 0;
  std::uint64_t value = 0;
  int source_lane = 0;
  bool predicate = false;
  Exchanged result{};
};

struct Warp {
  // The lanes that have not returned, and those of them that wait in an exchange.
  std::uint32_t running = 0;
  std::uint32_t waiting = 0;
};

// Runs blocks on one thread of the host. Threads of the block run on fibers: one fiber runs thread after thread, and
// another fiber takes over only when one of them has to wait.
class Scheduler {
 public:
  void run_block(unsigned count, bool last_first, const std::function<void()>& body) {
    count_ = count;
    started_ = 0;
    remaining_ = count;
    last_first_ = last_first;
    body_ = &body;
    if (threads_.size() < count) threads_.resize(count);
    warps_.assign((count + 31) / 32, Warp{0xFFFFFFFFu, 0});
    if (count % 32 != 0) warps_.back().running = (1u << (count % 32)) - 1;
    if (!host_) host_.emplace();
    continue_with(*host_, idle_fiber());
  }

  int wait_for_block(const char* call, Reduction reduction, int predicate, const Place& place) {
    require_kernel(call);
    if (waiting_in_block_ == 0) {
      block_place_ = place;
      predicates_ = 0;
    } else if (!is_same(place, block_place_)) {
      fail("Threads of a block wait for each other at different places: %s:%u and %s:%u.", block_place_.file_name(),
           block_place_.line(), place.file_name(), place.line());
    }
    ++waiting_in_block_;
    if (predicate != 0) ++predicates_;
    Thread& self = threads_[current_];
    self.call = call;
    self.place = place;
    self.mask = 0;
    self.waits = true;
    if (waiting_in_block_ == remaining_) release_block();
    wait();
    if (reduction == Reduction::any) return block_predicates_ != 0 ? 1 : 0;
    if (reduction == Reduction::all) return block_predicates_ == block_arrivals_ ? 1 : 0;
    return static_cast<int>(block_predicates_);
  }

  Exchanged exchange_in_warp(const char* call, std::uint32_t mask, std::uint64_t value, int source_lane, bool predicate,
                             const Place& place) {
    require_kernel(call);
    if ((mask >> (current_ % 32) & 1) == 0) {
      fail("A lane calls %s with a mask that it is not in itself: %s:%u.", call, place.file_name(), place.line());
    }
    Thread& self = threads_[current_];
    self.call = call;
    self.place = place;
    self.mask = mask;
    self.value = value;
    self.source_lane = source_lane;
    self.predicate = predicate;
    self.waits = true;
    Warp& warp = warps_[current_ / 32];
    warp.waiting |= 1u << (current_ % 32);
    release_lanes(current_ / 32, mask);
    wait();
    return threads_[current_].result;
  }

  int lane() const { return static_cast<int>(current_ % 32); }

 private:
  static void run_on_fiber();

  // Runs threads until all have been started, then switches to other fibers. Never returns, as another block may
  // follow.
  void run_threads(Fiber& self) {
    for (;;) {
      while (started_ < count_) {
        enter(last_first_ ? count_ - 1 - started_ : started_);
        ++started_;
        (*body_)();
        leave();
      }
      idle_.push_back(&self);
      if (!ready_.empty()) {
        continue_with(self, next_ready());
      } else if (remaining_ == 0) {
        continue_with(self, *host_);
      } else {
        report_deadlock();
      }
    }
  }

  void enter(unsigned thread) {
    current_ = thread;
    threadIdx = {thread % blockDim.x, thread / blockDim.x % blockDim.y, thread / (blockDim.x * blockDim.y)};
  }

  // Waiting threads no longer wait for a thread that has returned.
  void leave() {
    --remaining_;
    Warp& warp = warps_[current_ / 32];
    warp.running &= ~(1u << (current_ % 32));
    if (waiting_in_block_ != 0 && waiting_in_block_ == remaining_) release_block();
    for (std::uint32_t lanes = warp.waiting; lanes != 0; lanes &= lanes - 1) {
      const unsigned lane = static_cast<unsigned>(std::countr_zero(lanes));
      if ((warp.waiting >> lane & 1) != 0) {
        release_lanes(current_ / 32, threads_[current_ / 32 * 32 + lane].mask);
      }
    }
  }

  void release_block() {
    block_predicates_ = predicates_;
    block_arrivals_ = waiting_in_block_;
    waiting_in_block_ = 0;
    for (unsigned i = 0; i < count_; ++i) {
      const unsigned thread = last_first_ ? count_ - 1 - i : i;
      if (threads_[thread].waits && threads_[thread].mask == 0) make_ready(thread);
    }
  }

  // Resumes the lanes of a mask once all of them that have not returned wait for each other.
  void release_lanes(unsigned warp_index, std::uint32_t mask) {
    Warp& warp = warps_[warp_index];
    const std::uint32_t lanes = mask & warp.running;
    if ((warp.waiting & lanes) != lanes) return;
    const unsigned first = warp_index * 32;
    const char* call = nullptr;
    std::uint32_t ballot = 0;
    for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
      const unsigned lane = static_cast<unsigned>(std::countr_zero(rest));
      const Thread& thread = threads_[first + lane];
      if (thread.mask != mask) return;
      if (call != nullptr && std::strcmp(call, thread.call) != 0) {
        fail("Lanes of one mask call %s and %s: %s:%u.", call, thread.call, thread.place.file_name(),
             thread.place.line());
      }
      call = thread.call;
      if (thread.predicate) ballot |= 1u << lane;
    }
    for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
      const unsigned lane = static_cast<unsigned>(std::countr_zero(rest));
      Thread& thread = threads_[first + lane];
      const auto source = static_cast<unsigned>(thread.source_lane);
      const bool takes_part = (lanes >> source & 1) != 0;
      thread.result = {takes_part ? threads_[first + source].value : ~std::uint64_t{0}, lanes, ballot};
      make_ready(first + lane);
    }
    warp.waiting &= ~lanes;
  }

  // The running thread need not be woken.
  void make_ready(unsigned thread) {
    threads_[thread].waits = false;
    if (thread != current_) ready_.push_back(thread);
  }

  // Returns when the running thread no longer waits.
  void wait() {
    const unsigned self = current_;
    if (!threads_[self].waits) return;
    Fiber& mine = *running_;
    threads_[self].fiber = &mine;
    if (!ready_.empty()) {
      continue_with(mine, next_ready());
    } else if (started_ < count_) {
      continue_with(mine, idle_fiber());
    } else {
      report_deadlock();
    }
    enter(self);
  }

  Fiber& next_ready() {
    const unsigned thread = ready_.front();
    ready_.pop_front();
    return *threads_[thread].fiber;
  }

  Fiber& idle_fiber() {
    if (idle_.empty()) {
      fibers_.push_back(std::make_unique<Fiber>(&Scheduler::run_on_fiber));
      idle_.push_back(fibers_.back().get());
    }
    Fiber& fiber = *idle_.back();
    idle_.pop_back();
    return fiber;
  }

  void continue_with(Fiber& mine, Fiber& other) {
    if (&mine == &other) return;
    running_ = &other;
    mine.switch_to(other);
  }

  void require_kernel(const char* call) const {
    if (running_ == nullptr || running_ == &*host_) fail("%s was called outside of a kernel.", call);
  }

  [[noreturn]] void report_deadlock() const {
    std::fprintf(stderr, "Threads of block (%u, %u, %u) wait for each other forever:\n", blockIdx.x, blockIdx.y,
                 blockIdx.z);
    int shown = 0;
    for (unsigned thread = 0; thread < count_ && shown < 8; ++thread) {
      const Thread& it = threads_[thread];
      if (!it.waits) continue;
      std::fprintf(stderr, "  thread %u in %s (mask %08x) at %s:%u\n", thread, it.call, it.mask, it.place.file_name(),
                   it.place.line());
      ++shown;
    }
    fail("A kernel is in a deadlock.");
  }

  unsigned count_ = 0;
  unsigned started_ = 0;
  unsigned remaining_ = 0;
  unsigned current_ = 0;
  bool last_first_ = false;
  const std::function<void()>* body_ = nullptr;
  std::vector<Thread> threads_;
  std::vector<Warp> warps_;
  std::deque<unsigned> ready_;

  // The number of threads at the block's barrier, and the result of the last barrier, kept until all have read it.
  unsigned waiting_in_block_ = 0;
  unsigned predicates_ = 0;
  Place block_place_;
  unsigned block_arrivals_ = 0;
  unsigned block_predicates_ = 0;

  std::optional<Fiber> host_;
  Fiber* running_ = nullptr;
  std::vector<Fiber*> idle_;
  std::vector<std::unique_ptr<Fiber>> fibers_;
};

// Fibers stay on the host thread that created them.
thread_local Scheduler scheduler;

void Scheduler::run_on_fiber() { scheduler.run_threads(*scheduler.running_); }

}  // namespace

int wait_for_block(const char* call, Reduction reduction, int predicate, const Place& place) {
  return scheduler.wait_for_block(call, reduction, predicate, place);
}

Exchanged exchange_in_warp(const char* call, std::uint32_t mask, std::uint64_t value, int source_lane, bool predicate,
                           const Place& place) {
  return scheduler.exchange_in_warp(call, mask, value, source_lane, predicate, place);
}

int lane_of_this_thread() { return scheduler.lane(); }

void run_grid(const dim3& grid, const dim3& block, const std::function<void()>& thread) {
  const bool last_first = counted().kernels_run % 2 != 0;
  ++counted().kernels_run;
  gridDim = grid;
  blockDim = block;
  const std::uint64_t blocks = std::uint64_t{grid.x} * grid.y * grid.z;
  for (std::uint64_t i = 0; i < blocks; ++i) {
    const std::uint64_t index = last_first ? blocks - 1 - i : i;
    blockIdx = {static_cast<unsigned>(index % grid.x), static_cast<unsigned>(index / grid.x % grid.y),
                static_cast<unsigned>(index / grid.x / grid.y)};
    scheduler.run_block(block.x * block.y * block.z, last_first, thread);
  }
}

}  // namespace rhyton::cuda_emulation
