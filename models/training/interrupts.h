#pragma once

#include <chrono>
#include <cstdint>

#include <rhyton/framework/distribute/strategy_impl.h>

namespace rhyton::training {

/// While one lives, SIGINT is noted instead of ending the process; a second one ends it at once, and removes the
/// temporary files of what is being saved. Of several at a time, on whatever threads, the last puts back what was there
/// before the first.
class InterruptScope {
 public:
  InterruptScope();
  ~InterruptScope();
  InterruptScope(const InterruptScope&) = delete;
  InterruptScope& operator=(const InterruptScope&) = delete;

  /// Whether SIGINT has come since the first of the scopes that live now was made.
  bool is_requested() const;
  /// Says that what was requested is done. A request that nobody has met comes again when the last scope ends.
  void note_met() const;

 private:
  bool is_enabled_;
};

/// Whether a fit is to end now: asked after every step, by all processes of a job alike.
class InterruptAgreement {
 public:
  /// `strategy` may be null.
  explicit InterruptAgreement(const distribute::StrategyImpl* strategy);

  /// Whether this fit is to end now, the same in all processes: one of them has been interrupted. They talk about it
  /// only so often that steps are not held up, or where it `is_last_chance`.
  bool is_interrupted(bool is_last_chance = false);

 private:
  InterruptScope scope_;
  distribute::ProcessGroup* processes_;
  std::int64_t steps_until_next_ = 1;
  std::int64_t interval_ = 1;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

}  // namespace rhyton::training
