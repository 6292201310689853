#include <rhyton/optimizers/schedules/inverse_time_decay.h>

#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/optimizers/schedules/decay_steps.h>

namespace rhyton::optimizers::schedules {
namespace {

class InverseTimeDecayImpl final : public LearningRateScheduleImpl {
 public:
  InverseTimeDecayImpl(double initial_learning_rate, double decay_steps, double decay_rate,
                       const InverseTimeDecayOptions& options)
      : LearningRateScheduleImpl("InverseTimeDecay"),
        initial_learning_rate_(initial_learning_rate),
        decay_steps_(decay_steps),
        decay_rate_(decay_rate),
        options_(options) {
    require_positive("decay_steps", decay_steps);
    require_learning_rate("initial_learning_rate", initial_learning_rate);
  }

  Tensor call(const Tensor& step) const override {
    Tensor periods = cast(step, DType::float32) / decay_steps_;
    if (options_.staircase) periods = floor(periods);
    return initial_learning_rate_ / (1.0 + decay_rate_ * periods);
  }

  io::Json get_config() const override {
    return io::Json::object({{"initial_learning_rate", initial_learning_rate_},
                             {"decay_steps", python_number(decay_steps_)},
                             {"decay_rate", decay_rate_},
                             {"staircase", options_.staircase},
                             {"name", options_.name}});
  }

 private:
  double initial_learning_rate_;
  double decay_steps_;
  double decay_rate_;
  InverseTimeDecayOptions options_;
};

}  // namespace

InverseTimeDecay::InverseTimeDecay(double initial_learning_rate, double decay_steps, double decay_rate,
                                   const InverseTimeDecayOptions& options)
    : LearningRateSchedule(
          std::make_shared<InverseTimeDecayImpl>(initial_learning_rate, decay_steps, decay_rate, options)) {}

}  // namespace rhyton::optimizers::schedules
