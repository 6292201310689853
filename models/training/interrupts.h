#pragma once

#include <chrono>
#include <cstdint>

#include <rhyton/framework/distribute/strategy_impl.h>

namespace rhyton::training {

/// During the lifetime of a scope SIGINT is recorded instead of ending the process; a second one ends it at once, and
/// removes the temporary files of unfinished saves. Of several scopes, on any threads, the last one restores the signal
/// handler from before the first.
class InterruptScope {
 public:
  InterruptScope();
  ~InterruptScope();
  InterruptScope(const InterruptScope&) = delete;
  InterruptScope& operator=(const InterruptScope&) = delete;

  /// Whether SIGINT has come since the first of the current scopes was made.
  bool is_requested() const;
  /// Records that the request was handled. A request that was not is raised again when the last scope ends.
  void note_met() const;

 private:
  bool is_enabled_;
};

/// Whether a fit is interrupted: all processes of a job ask after every step.
class InterruptAgreement {
 public:
  /// `strategy` may be null.
  explicit InterruptAgreement(const distribute::StrategyImpl* strategy);

  /// Whether this fit must end now, because one of the processes was interrupted: the same result in all of them. They
  /// communicate only after so many steps that it takes little time, and if it `is_last_chance`.
  bool is_interrupted(bool is_last_chance = false);

 private:
  InterruptScope scope_;
  distribute::ProcessGroup* processes_;
  std::int64_t steps_until_next_ = 1;
  std::int64_t interval_ = 1;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

}  // namespace rhyton::training
