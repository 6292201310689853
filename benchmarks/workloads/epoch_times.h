#pragma once

#include <vector>

#include <rhyton/benchmarks/measuring.h>
#include <rhyton/rhyton.h>

namespace workloads {

/// Records the seconds of each epoch of a `fit`, without the work before the first and after the last.
class EpochTimes final : public rhyton::callbacks::CallbackImpl {
 public:
  explicit EpochTimes(std::vector<double>& seconds) : seconds_(seconds) {}
  void on_epoch_begin(rhyton::callbacks::TrainingControl&, int, rhyton::callbacks::Logs&) override {
    start_ = measuring::Clock::now();
  }
  void on_epoch_end(rhyton::callbacks::TrainingControl&, int, rhyton::callbacks::Logs&) override {
    seconds_.push_back(measuring::seconds_since(start_));
  }

 private:
  std::vector<double>& seconds_;
  measuring::Clock::time_point start_;
};

}  // namespace workloads
