#pragma once

#include <vector>

#include <rhyton/benchmarks/workloads/timing.h>
#include <rhyton/rhyton.h>

namespace workloads {

/// Records the seconds of each epoch of a `fit`, without the work before the first and after the last.
class EpochTimes final : public rhyton::callbacks::CallbackImpl {
 public:
  explicit EpochTimes(std::vector<double>& seconds) : seconds_(seconds) {}
  void on_epoch_begin(rhyton::callbacks::TrainingControl&, int, rhyton::callbacks::Logs&) override {
    start_ = Clock::now();
  }
  void on_epoch_end(rhyton::callbacks::TrainingControl&, int, rhyton::callbacks::Logs&) override {
    seconds_.push_back(seconds_since(start_));
  }

 private:
  std::vector<double>& seconds_;
  Clock::time_point start_;
};

}  // namespace workloads
