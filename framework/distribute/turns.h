#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <vector>

#include <rhyton/framework/ops/communicator.h>

namespace rhyton::distribute {

/// Lets replicas that run code of the user take turns: member 0 runs until it waits for the others or is done, then
/// member 1, and so on. So that code need not be ready to be run by several threads at once.
class Turns {
 public:
  explicit Turns(int members)
      : members_(members), sums_(static_cast<std::size_t>(members)), has_finished_(static_cast<std::size_t>(members)) {}

  /// Waits until it is this member's turn.
  void begin(int member);
  /// The next one's turn.
  void end(int member);
  /// The same, for good. Throws RuntimeError when another member waits for this one in a sum.
  void finish(int member);
  /// Nobody waits any more: a member has failed.
  void abandon();

  /// A communicator that gives the turn away while its member waits for the others.
  std::shared_ptr<Communicator> wrap(std::shared_ptr<Communicator> communicator, int member);

 private:
  class TurnTakingCommunicator;

  void begin_sum(int member);
  /// Whether the one that has finished will be missed by the other.
  void require_as_many_sums(int finished, int other) const;

  int members_;
  /// The sums that each member has come to so far.
  std::vector<int> sums_;
  std::vector<bool> has_finished_;
  std::mutex mutex_;
  std::condition_variable changed_;
  int current_ = 0;
  bool is_abandoned_ = false;
};

}  // namespace rhyton::distribute
