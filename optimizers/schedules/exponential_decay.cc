#include <rhyton/optimizers/schedules/exponential_decay.h>

#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/optimizers/schedules/decay_steps.h>

namespace rhyton::optimizers::schedules {
namespace {

class ExponentialDecayImpl final : public LearningRateScheduleImpl {
 public:
  ExponentialDecayImpl(double initial_learning_rate, double decay_steps, double decay_rate,
                       const ExponentialDecayOptions& options)
      : LearningRateScheduleImpl("ExponentialDecay"),
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
    return initial_learning_rate_ * power(Tensor::full({}, decay_rate_), periods);
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
  ExponentialDecayOptions options_;
};

}  // namespace

ExponentialDecay::ExponentialDecay(double initial_learning_rate, double decay_steps, double decay_rate,
                                   const ExponentialDecayOptions& options)
    : LearningRateSchedule(
          std::make_shared<ExponentialDecayImpl>(initial_learning_rate, decay_steps, decay_rate, options)) {}

}  // namespace rhyton::optimizers::schedules
