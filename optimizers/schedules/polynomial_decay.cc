#include <rhyton/optimizers/schedules/polynomial_decay.h>

#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/optimizers/schedules/decay_steps.h>
#include <rhyton/optimizers/schedules/schedule_config.h>

namespace rhyton::optimizers::schedules {
namespace {

class PolynomialDecayImpl final : public LearningRateScheduleImpl {
 public:
  explicit PolynomialDecayImpl(const PolynomialDecayArguments& arguments)
      : LearningRateScheduleImpl(PolynomialDecay::keras_name), arguments_(arguments) {
    require_positive("decay_steps", arguments.decay_steps);
    require_learning_rate("initial_learning_rate", arguments.initial_learning_rate);
    require_learning_rate("end_learning_rate", arguments.end_learning_rate);
  }

  Tensor call(const Tensor& step) const override {
    Tensor done = cast(step, DType::float32);
    Tensor fraction;
    if (arguments_.cycle) {
      const Tensor cycles = where(equal(done, 0.0), 1.0, ceil(done / arguments_.decay_steps));
      fraction = done / (arguments_.decay_steps * cycles);
    } else {
      fraction = minimum(done, arguments_.decay_steps) / arguments_.decay_steps;
    }
    const double end = arguments_.end_learning_rate;
    return (arguments_.initial_learning_rate - end) * power(1.0 - fraction, arguments_.power) + end;
  }

  io::Json get_config() const override { return written(arguments_); }

 private:
  PolynomialDecayArguments arguments_;
};

}  // namespace

PolynomialDecay::PolynomialDecay(double initial_learning_rate, double decay_steps,
                                 const PolynomialDecayOptions& options)
    : LearningRateSchedule(std::make_shared<PolynomialDecayImpl>(
          PolynomialDecayArguments{options, initial_learning_rate, decay_steps})) {}

PolynomialDecay PolynomialDecay::from_config(const io::Json& config) {
  const auto arguments = read_schedule<PolynomialDecay>(config);
  return PolynomialDecay(arguments.initial_learning_rate, arguments.decay_steps, arguments);
}

}  // namespace rhyton::optimizers::schedules
