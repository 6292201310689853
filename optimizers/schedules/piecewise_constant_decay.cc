#include <rhyton/optimizers/schedules/piecewise_constant_decay.h>

#include <cstddef>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/optimizers/schedules/decay_steps.h>
#include <rhyton/optimizers/schedules/schedule_config.h>

namespace rhyton::optimizers::schedules {
namespace {

class PiecewiseConstantDecayImpl final : public LearningRateScheduleImpl {
 public:
  explicit PiecewiseConstantDecayImpl(const PiecewiseConstantDecayArguments& arguments)
      : LearningRateScheduleImpl(PiecewiseConstantDecay::keras_name), arguments_(arguments) {
    for (const double value : arguments.values) require_learning_rate("values", value);
    if (arguments.boundaries.size() + 1 == arguments.values.size()) return;
    throw ValueError(
        "The length of boundaries should be 1 less than the length of values. Received: "
        "boundaries=" +
        io::Json::array_from(arguments.boundaries).dump() + " of length " +
        std::to_string(arguments.boundaries.size()) + ", and values=" + io::Json::array_from(arguments.values).dump() +
        " of length " + std::to_string(arguments.values.size()) + ".");
  }

  Tensor call(const Tensor& step) const override {
    Tensor result = Tensor::full({}, arguments_.values.back());
    for (std::size_t i = arguments_.boundaries.size(); i-- > 0;) {
      const Tensor boundary = cast(Tensor::scalar<std::int64_t>(arguments_.boundaries[i]), step.dtype());
      result = where(step <= boundary, arguments_.values[i], result);
    }
    return result;
  }

  io::Json get_config() const override { return written(arguments_); }

 private:
  PiecewiseConstantDecayArguments arguments_;
};

}  // namespace

PiecewiseConstantDecay::PiecewiseConstantDecay(const std::vector<std::int64_t>& boundaries,
                                               const std::vector<double>& values,
                                               const PiecewiseConstantDecayOptions& options)
    : LearningRateSchedule(
          std::make_shared<PiecewiseConstantDecayImpl>(PiecewiseConstantDecayArguments{options, boundaries, values})) {}

PiecewiseConstantDecay PiecewiseConstantDecay::from_config(const io::Json& config) {
  const auto arguments = read_schedule<PiecewiseConstantDecay>(config);
  return PiecewiseConstantDecay(arguments.boundaries, arguments.values, arguments);
}

}  // namespace rhyton::optimizers::schedules
