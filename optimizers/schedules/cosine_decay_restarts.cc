#include <rhyton/optimizers/schedules/cosine_decay_restarts.h>

#include <cmath>
#include <memory>
#include <numbers>

#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/optimizers/schedules/decay_steps.h>
#include <rhyton/optimizers/schedules/schedule_config.h>

namespace rhyton::optimizers::schedules {
namespace {

class CosineDecayRestartsImpl final : public LearningRateScheduleImpl {
 public:
  explicit CosineDecayRestartsImpl(const CosineDecayRestartsArguments& arguments)
      : LearningRateScheduleImpl(CosineDecayRestarts::keras_name), arguments_(arguments) {
    require_positive("first_decay_steps", arguments.first_decay_steps);
    require_learning_rate("initial_learning_rate", arguments.initial_learning_rate);
  }

  Tensor call(const Tensor& step) const override {
    const double t_mul = arguments_.t_mul;
    // In periods of the first length.
    const Tensor done = cast(step, DType::float32) / arguments_.first_decay_steps;
    Tensor period;
    Tensor fraction;
    if (t_mul == 1.0) {
      period = floor(done);
      fraction = done - period;
    } else {
      // As in Keras, in float32: at the first step of a period the logarithm may round to the period before.
      period = floor(log(1.0 - done * (1.0 - t_mul)) / std::log(t_mul));
      const Tensor length = power(t_mul, period);
      fraction = (done - (1.0 - length) / (1.0 - t_mul)) / length;
    }
    const Tensor cosine = 0.5 * power(arguments_.m_mul, period) * (1.0 + cos(std::numbers::pi * fraction));
    return arguments_.initial_learning_rate * ((1.0 - arguments_.alpha) * cosine + arguments_.alpha);
  }

  io::Json get_config() const override { return written(arguments_); }

 private:
  CosineDecayRestartsArguments arguments_;
};

}  // namespace

CosineDecayRestarts::CosineDecayRestarts(double initial_learning_rate, double first_decay_steps,
                                         const CosineDecayRestartsOptions& options)
    : LearningRateSchedule(std::make_shared<CosineDecayRestartsImpl>(
          CosineDecayRestartsArguments{options, initial_learning_rate, first_decay_steps})) {}

CosineDecayRestarts CosineDecayRestarts::from_config(const io::Json& config) {
  const auto arguments = read_schedule<CosineDecayRestarts>(config);
  return CosineDecayRestarts(arguments.initial_learning_rate, arguments.first_decay_steps, arguments);
}

}  // namespace rhyton::optimizers::schedules
