#include <rhyton/optimizers/schedules/piecewise_constant_decay.h>

#include <cstddef>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/optimizers/schedules/decay_steps.h>

namespace rhyton::optimizers::schedules {
namespace {

class PiecewiseConstantDecayImpl final : public LearningRateScheduleImpl {
 public:
  PiecewiseConstantDecayImpl(const std::vector<std::int64_t>& boundaries, const std::vector<double>& values,
                             const PiecewiseConstantDecayOptions& options)
      : LearningRateScheduleImpl("PiecewiseConstantDecay"),
        boundaries_(boundaries),
        values_(values),
        options_(options) {
    for (const double value : values) require_learning_rate("values", value);
    if (boundaries.size() + 1 == values.size()) return;
    throw ValueError("The length of boundaries should be 1 less than the length of values. Received: boundaries=" +
                     io::Json::array_from(boundaries).dump() + " of length " + std::to_string(boundaries.size()) +
                     ", and values=" + io::Json::array_from(values).dump() + " of length " +
                     std::to_string(values.size()) + ".");
  }

  Tensor call(const Tensor& step) const override {
    Tensor result = Tensor::full({}, values_.back());
    for (std::size_t i = boundaries_.size(); i-- > 0;) {
      const Tensor boundary = cast(Tensor::scalar<std::int64_t>(boundaries_[i]), step.dtype());
      result = where(step <= boundary, values_[i], result);
    }
    return result;
  }

  io::Json get_config() const override {
    return io::Json::object({{"boundaries", io::Json::array_from(boundaries_)},
                             {"values", io::Json::array_from(values_)},
                             {"name", options_.name}});
  }

 private:
  std::vector<std::int64_t> boundaries_;
  std::vector<double> values_;
  PiecewiseConstantDecayOptions options_;
};

}  // namespace

PiecewiseConstantDecay::PiecewiseConstantDecay(const std::vector<std::int64_t>& boundaries,
                                               const std::vector<double>& values,
                                               const PiecewiseConstantDecayOptions& options)
    : LearningRateSchedule(std::make_shared<PiecewiseConstantDecayImpl>(boundaries, values, options)) {}

}  // namespace rhyton::optimizers::schedules
