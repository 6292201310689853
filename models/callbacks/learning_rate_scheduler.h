#pragma once

#include <functional>
#include <type_traits>
#include <utility>

#include <rhyton/framework/by_name.h>
#include <rhyton/models/callbacks/callback.h>

namespace rhyton::callbacks {

/// The optional arguments of `LearningRateScheduler`.
struct LearningRateSchedulerOptions {
  ByName by_name = ByName();
  /// 1: prints the learning rates that it sets.
  int verbose = 0;
};

/// Sets the learning rate at the beginning of every epoch (https://keras.io/api/callbacks/learning_rate_scheduler).
/// Adds "learning_rate" to the logs.
///
/// ```
/// callbacks::LearningRateScheduler([](int epoch, double rate) { return epoch < 10 ? rate : rate * 0.9; })
/// ```
class LearningRateScheduler : public Callback {
 public:
  /// `schedule`: returns the new learning rate for the epoch, counted from 0, and the current learning rate.
  explicit LearningRateScheduler(std::function<double(int epoch, double learning_rate)> schedule,
                                 const LearningRateSchedulerOptions& options = {});
  /// A schedule of the epoch alone.
  template <class Schedule>
  requires(std::is_invocable_r_v<double, Schedule, int> &&
           !std::is_invocable_v<
               Schedule, int, double>) explicit LearningRateScheduler(Schedule schedule,
                                                                      const LearningRateSchedulerOptions& options = {})
      : LearningRateScheduler(
            [schedule = std::move(schedule)](int epoch, double) mutable -> double { return schedule(epoch); },
            options) {}
};

}  // namespace rhyton::callbacks
