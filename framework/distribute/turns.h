#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <vector>

#include <rhyton/framework/ops/communicator.h>

namespace rhyton::distribute {

/// Runs replicas with user code one at a time: member 0 until it waits for the others or is done, then member 1, and so
/// on. User code therefore need not be thread-safe.
class Turns {
 public:
  explicit Turns(int members)
      : members_(members), sums_(static_cast<std::size_t>(members)), has_finished_(static_cast<std::size_t>(members)) {}

  /// Waits until it is this member's turn.
  void begin(int member);
  /// Passes the turn to the next member.
  void end(int member);
  /// Ends this member's turns for good. Throws RuntimeError when another member waits for this one in a sum.
  void finish(int member);
  /// Ends all waits: a member has failed.
  void abandon();

  /// A communicator that passes the turn on while its member waits for the others.
  std::shared_ptr<Communicator> wrap(std::shared_ptr<Communicator> communicator, int member);

 private:
  class TurnTakingCommunicator;

  void begin_sum(int member);
  /// Throws unless the finished member has called as many sums as the other one waits for.
  void require_as_many_sums(int finished, int other) const;

  int members_;
  /// The number of sums that each member has called so far.
  std::vector<int> sums_;
  std::vector<bool> has_finished_;
  std::mutex mutex_;
  std::condition_variable changed_;
  int current_ = 0;
  bool is_abandoned_ = false;
};

}  // namespace rhyton::distribute
