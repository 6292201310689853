#include <rhyton/optimizers/schedules/cosine_decay.h>

#include <numbers>

#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/optimizers/schedules/decay_steps.h>

namespace rhyton::optimizers::schedules {
namespace {

class CosineDecayImpl final : public LearningRateScheduleImpl {
 public:
  CosineDecayImpl(double initial_learning_rate, double decay_steps, const CosineDecayOptions& options)
      : LearningRateScheduleImpl("CosineDecay"),
        initial_learning_rate_(initial_learning_rate),
        decay_steps_(decay_steps),
        options_(options) {
    require_positive("decay_steps", decay_steps);
    require_learning_rate("initial_learning_rate", initial_learning_rate);
    if (options.warmup_target) require_learning_rate("warmup_target", *options.warmup_target);
  }

  Tensor call(const Tensor& step) const override {
    const Tensor done = cast(step, DType::float32);
    if (!options_.warmup_target) return decayed(minimum(done, decay_steps_), initial_learning_rate_);
    const double warmup_steps = options_.warmup_steps;
    const double target = *options_.warmup_target;
    const Tensor limited = minimum(done, decay_steps_ + warmup_steps);
    Tensor after = decayed(limited - warmup_steps, target);
    if (warmup_steps <= 0) return after;
    const Tensor rising = (target - initial_learning_rate_) * (limited / warmup_steps) + initial_learning_rate_;
    return where(limited < warmup_steps, rising, after);
  }

  io::Json get_config() const override {
    return io::Json::object({{"initial_learning_rate", initial_learning_rate_},
                             {"decay_steps", python_number(decay_steps_)},
                             {"alpha", options_.alpha},
                             {"name", options_.name},
                             {"warmup_target", options_.warmup_target ? io::Json(*options_.warmup_target) : io::Json()},
                             {"warmup_steps", python_number(options_.warmup_steps)}});
  }

 private:
  Tensor decayed(const Tensor& step, double from) const {
    const Tensor cosine = 0.5 * (1.0 + cos(std::numbers::pi * (step / decay_steps_)));
    return from * ((1.0 - options_.alpha) * cosine + options_.alpha);
  }

  double initial_learning_rate_;
  double decay_steps_;
  CosineDecayOptions options_;
};

}  // namespace

CosineDecay::CosineDecay(double initial_learning_rate, double decay_steps, const CosineDecayOptions& options)
    : LearningRateSchedule(std::make_shared<CosineDecayImpl>(initial_learning_rate, decay_steps, options)) {}

}  // namespace rhyton::optimizers::schedules
