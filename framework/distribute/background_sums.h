#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include <rhyton/framework/ops/communicator.h>

namespace rhyton::distribute {

/// Sums that run while the members continue to compute: a thread carries out, one after the other, the sums that all
/// members have begun. The thread starts with the first sum.
///
/// After `reset` has returned, or a member has seen its last sum finished, the thread accesses no memory of theirs.
class BackgroundSums {
 public:
  /// The buffers of each member.
  using Brought = std::vector<std::vector<ReductionBuffer>>;

  /// `sum` is called on the thread; an exception from it is rethrown to all waiting members.
  BackgroundSums(int members, std::function<void(const Brought&)> sum);
  /// Waits for a sum that is under way.
  ~BackgroundSums();
  BackgroundSums(const BackgroundSums&) = delete;
  BackgroundSums& operator=(const BackgroundSums&) = delete;

  /// Submits a member's part of its next sum; returns the sum's number: 0, 1, …. Throws threading::Abandoned after a
  /// failure.
  std::int64_t begin(int member, std::span<const ReductionBuffer> buffers);
  /// Waits until sum `number` is complete and all members have begun sum `last`. Throws threading::Abandoned, or the
  /// sum's own exception, when there will be none; no sum is under way then.
  void finish(std::int64_t number, std::int64_t last);
  /// Waits until all begun sums are complete. All members must have begun them. Throws as `finish` does.
  void finish_all();

  /// Reports that a member has failed: sums that are not under way yet are dropped. Present and future waits throw.
  void abandon();
  /// Restores the initial state after a failure. Waits for a sum that is under way.
  void reset();

 private:
  struct Sum {
    Brought brought;
    int missing = 0;
  };

  void work();
  bool may_go_on() const { return failure_ == nullptr && !is_abandoned_; }
  void require_none_failed() const;
  bool have_all_begun(std::int64_t number) const;

  int members_;
  std::function<void(const Brought&)> sum_;

  std::mutex mutex_;
  /// What the thread waits for; what members wait for.
  std::condition_variable ready_;
  std::condition_variable changed_;
  /// The sums that are not complete yet, in order; the first has number `done_`.
  std::deque<Sum> sums_;
  std::int64_t done_ = 0;
  /// The number of sums that each member has begun.
  std::vector<std::int64_t> begun_;
  bool is_under_way_ = false;
  bool is_abandoned_ = false;
  bool is_stopping_ = false;
  std::exception_ptr failure_;
  std::thread thread_;
};

}  // namespace rhyton::distribute
