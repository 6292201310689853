#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <rhyton/framework/by_name.h>
#include <rhyton/optimizers/schedules/learning_rate_schedule.h>

namespace rhyton::optimizers::schedules {

/// The options of PiecewiseConstantDecay.
struct PiecewiseConstantDecayOptions {
  ByName by_name = ByName();
  std::string name = "PiecewiseConstant";
};

/// values[i] for the first boundary i with step <= boundaries[i], the last value after all boundaries. There must be
/// one value more than boundaries, which must ascend; otherwise throws ValueError in Keras's words.
/// https://keras.io/api/optimizers/learning_rate_schedules/piecewise_constant_decay/
class PiecewiseConstantDecay : public LearningRateSchedule {
 public:
  PiecewiseConstantDecay(const std::vector<std::int64_t>& boundaries, const std::vector<double>& values,
                         const PiecewiseConstantDecayOptions& options = {});
};

}  // namespace rhyton::optimizers::schedules
