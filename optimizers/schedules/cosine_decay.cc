#include <rhyton/optimizers/schedules/cosine_decay.h>

#include <numbers>

#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/optimizers/schedules/decay_steps.h>
#include <rhyton/optimizers/schedules/schedule_config.h>

namespace rhyton::optimizers::schedules {
namespace {

class CosineDecayImpl final : public LearningRateScheduleImpl {
 public:
  explicit CosineDecayImpl(const CosineDecayArguments& arguments)
      : LearningRateScheduleImpl(CosineDecay::keras_name), arguments_(arguments) {
    require_positive("decay_steps", arguments.decay_steps);
    require_learning_rate("initial_learning_rate", arguments.initial_learning_rate);
    if (arguments.warmup_target) require_learning_rate("warmup_target", *arguments.warmup_target);
  }

  Tensor call(const Tensor& step) const override {
    const Tensor done = cast(step, DType::float32);
    if (!arguments_.warmup_target)
      return decayed(minimum(done, arguments_.decay_steps), arguments_.initial_learning_rate);
    const double warmup_steps = arguments_.warmup_steps;
    const double target = *arguments_.warmup_target;
    const Tensor limited = minimum(done, arguments_.decay_steps + warmup_steps);
    Tensor after = decayed(limited - warmup_steps, target);
    if (warmup_steps <= 0) return after;
    const Tensor rising =
        (target - arguments_.initial_learning_rate) * (limited / warmup_steps) + arguments_.initial_learning_rate;
    return where(limited < warmup_steps, rising, after);
  }

  io::Json get_config() const override { return written(arguments_); }

 private:
  Tensor decayed(const Tensor& step, double from) const {
    const Tensor cosine = 0.5 * (1.0 + cos(std::numbers::pi * (step / arguments_.decay_steps)));
    return from * ((1.0 - arguments_.alpha) * cosine + arguments_.alpha);
  }

  CosineDecayArguments arguments_;
};

}  // namespace

CosineDecay::CosineDecay(double initial_learning_rate, double decay_steps, const CosineDecayOptions& options)
    : LearningRateSchedule(
          std::make_shared<CosineDecayImpl>(CosineDecayArguments{options, initial_learning_rate, decay_steps})) {}

CosineDecay CosineDecay::from_config(const io::Json& config) {
  const auto arguments = read_schedule<CosineDecay>(config);
  return CosineDecay(arguments.initial_learning_rate, arguments.decay_steps, arguments);
}

}  // namespace rhyton::optimizers::schedules
