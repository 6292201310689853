#include <rhyton/optimizers/ftrl.h>

#include <cstddef>
#include <memory>
#include <vector>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/optimizer_updates.h>
#include <rhyton/optimizers/optimizer_config.h>

namespace rhyton::optimizers {
namespace {

class FtrlImpl final : public OptimizerImpl {
 public:
  explicit FtrlImpl(const FtrlOptions& options)
      : OptimizerImpl(Ftrl::keras_name, base_options(options)), options_(options) {
    require_not_negative("initial_accumulator_value", options.initial_accumulator_value);
    if (options.learning_rate_power > 0.0) {
      throw ValueError("`learning_rate_power` needs to be negative or zero. Received: learning_rate_power=" +
                       io::Json(options.learning_rate_power).dump() + ".");
    }
    require_not_negative("l1_regularization_strength", options.l1_regularization_strength);
    require_not_negative("l2_regularization_strength", options.l2_regularization_strength);
    require_not_negative("l2_shrinkage_regularization_strength", options.l2_shrinkage_regularization_strength);
  }

  void make_slots(const std::vector<Variable>& variables) override {
    for (const Variable& variable : variables) {
      accumulators_.push_back(add_variable_from_reference(variable, "accumulator", options_.initial_accumulator_value));
      linears_.push_back(add_variable_from_reference(variable, "linear"));
    }
  }

  void update_step(const Tensor& gradient, const Variable& variable, const Tensor& learning_rate) override {
    const std::size_t i = index_of(variable);
    const FtrlAttributes attributes{
        .learning_rate_power = options_.learning_rate_power,
        .l1_regularization_strength = options_.l1_regularization_strength,
        .l2_regularization_strength = options_.l2_regularization_strength,
        .l2_shrinkage_regularization_strength = options_.l2_shrinkage_regularization_strength,
        .beta = options_.beta};
    const std::vector<Tensor> updated = ftrl_update(variable.value(), accumulators_[i].value(), linears_[i].value(),
                                                    gradient, learning_rate, attributes);
    variable.assign(updated[0]);
    accumulators_[i].assign(updated[1]);
    linears_[i].assign(updated[2]);
  }

  void update_step_of_slices(const SummedSlices& gradient, const Variable& variable,
                             const Tensor& learning_rate) override {
    const std::size_t i = index_of(variable);
    const Tensor rate = cast(learning_rate, variable.dtype());
    const double power_of_rate = -options_.learning_rate_power;
    const double l1 = options_.l1_regularization_strength;
    const Tensor l2 = options_.l2_regularization_strength + options_.beta / (2.0 * rate);
    const Tensor value = variable.value();
    const Tensor shrunk = gradient.sum + 2.0 * options_.l2_shrinkage_regularization_strength * value;
    const Tensor before = accumulators_[i].value();
    const Tensor accumulator = before + gradient.moment;
    const Tensor raised = power(accumulator, power_of_rate);
    const Tensor linear = linears_[i].value() + (shrunk - (raised - power(before, power_of_rate)) / rate * value);
    const Tensor quadratic = raised / rate + 2.0 * l2;
    accumulators_[i].assign(accumulator);
    linears_[i].assign(linear);
    variable.assign((clip_by_value(linear, -l1, l1) - linear) / quadratic);
  }
  SliceMoment slice_moment(const Variable& /*variable*/) const override { return SliceMoment::squares; }

  io::Json get_config() const override { return written(OptimizerImpl::get_config(), options_); }

 private:
  static void require_not_negative(const std::string& name, double value) {
    if (value >= 0.0) return;
    throw ValueError("`" + name + "` needs to be positive or zero. Received: " + name + "=" + io::Json(value).dump() +
                     ".");
  }

  FtrlOptions options_;
  std::vector<Variable> accumulators_;
  std::vector<Variable> linears_;
};

}  // namespace

Ftrl::Ftrl(const FtrlOptions& options) : Optimizer(std::make_shared<FtrlImpl>(options)) {}

Ftrl Ftrl::from_config(const io::Json& config) { return Ftrl(read_optimizer<Ftrl>(config)); }

}  // namespace rhyton::optimizers
