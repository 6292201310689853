#include <rhyton/optimizers/schedules/polynomial_decay.h>

#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/optimizers/schedules/decay_steps.h>

namespace rhyton::optimizers::schedules {
namespace {

class PolynomialDecayImpl final : public LearningRateScheduleImpl {
 public:
  PolynomialDecayImpl(double initial_learning_rate, double decay_steps, const PolynomialDecayOptions& options)
      : LearningRateScheduleImpl("PolynomialDecay"),
        initial_learning_rate_(initial_learning_rate),
        decay_steps_(decay_steps),
        options_(options) {
    require_positive("decay_steps", decay_steps);
    require_learning_rate("initial_learning_rate", initial_learning_rate);
    require_learning_rate("end_learning_rate", options.end_learning_rate);
  }

  Tensor call(const Tensor& step) const override {
    Tensor done = cast(step, DType::float32);
    Tensor fraction;
    if (options_.cycle) {
      const Tensor cycles = where(equal(done, 0.0), 1.0, ceil(done / decay_steps_));
      fraction = done / (decay_steps_ * cycles);
    } else {
      fraction = minimum(done, decay_steps_) / decay_steps_;
    }
    const double end = options_.end_learning_rate;
    return (initial_learning_rate_ - end) * power(1.0 - fraction, options_.power) + end;
  }

  io::Json get_config() const override {
    return io::Json::object({{"initial_learning_rate", initial_learning_rate_},
                             {"decay_steps", python_number(decay_steps_)},
                             {"end_learning_rate", options_.end_learning_rate},
                             {"power", options_.power},
                             {"cycle", options_.cycle},
                             {"name", options_.name}});
  }

 private:
  double initial_learning_rate_;
  double decay_steps_;
  PolynomialDecayOptions options_;
};

}  // namespace

PolynomialDecay::PolynomialDecay(double initial_learning_rate, double decay_steps,
                                 const PolynomialDecayOptions& options)
    : LearningRateSchedule(std::make_shared<PolynomialDecayImpl>(initial_learning_rate, decay_steps, options)) {}

}  // namespace rhyton::optimizers::schedules
