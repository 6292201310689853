#include <rhyton/optimizers/schedules/exponential_decay.h>

#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/optimizers/schedules/decay_steps.h>
#include <rhyton/optimizers/schedules/schedule_config.h>

namespace rhyton::optimizers::schedules {
namespace {

class ExponentialDecayImpl final : public LearningRateScheduleImpl {
 public:
  explicit ExponentialDecayImpl(const ExponentialDecayArguments& arguments)
      : LearningRateScheduleImpl(ExponentialDecay::keras_name), arguments_(arguments) {
    require_positive("decay_steps", arguments.decay_steps);
    require_learning_rate("initial_learning_rate", arguments.initial_learning_rate);
  }

  Tensor call(const Tensor& step) const override {
    const Tensor periods = periods_at(step, arguments_.decay_steps, arguments_.staircase);
    return arguments_.initial_learning_rate * power(Tensor::full({}, arguments_.decay_rate), periods);
  }

  io::Json get_config() const override { return written(arguments_); }

 private:
  ExponentialDecayArguments arguments_;
};

}  // namespace

ExponentialDecay::ExponentialDecay(double initial_learning_rate, double decay_steps, double decay_rate,
                                   const ExponentialDecayOptions& options)
    : LearningRateSchedule(std::make_shared<ExponentialDecayImpl>(
          ExponentialDecayArguments{options, initial_learning_rate, decay_steps, decay_rate})) {}

ExponentialDecay ExponentialDecay::from_config(const io::Json& config) {
  const auto arguments = read_schedule<ExponentialDecay>(config);
  return ExponentialDecay(arguments.initial_learning_rate, arguments.decay_steps, arguments.decay_rate, arguments);
}

}  // namespace rhyton::optimizers::schedules
