#include <rhyton/optimizers/schedule_free_adam_w.h>

#include <cstddef>
#include <memory>
#include <vector>

#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/listeners.h>
#include <rhyton/framework/ops/optimizer_updates.h>
#include <rhyton/optimizers/optimizer_config.h>

namespace rhyton::optimizers {
namespace {

class ScheduleFreeAdamWImpl final : public OptimizerImpl {
 public:
  explicit ScheduleFreeAdamWImpl(const ScheduleFreeAdamWOptions& options)
      : OptimizerImpl(ScheduleFreeAdamW::keras_name, base_options(options)), options_(options) {}

  void make_slots(const std::vector<Variable>& variables) override {
    for (const Variable& variable : variables) {
      momentums_.push_back(add_variable_from_reference(variable, "momentum"));
      velocities_.push_back(add_variable_from_reference(variable, "velocity"));
    }
    const InitScope scope;
    for (std::size_t i = 0; i < variables.size(); ++i) momentums_[i].assign(variables[i].value());
  }

  void update_step(const Tensor& gradient, const Variable& variable, const Tensor& learning_rate) override {
    const std::size_t i = index_of(variable);
    const ScheduleFreeAttributes attributes{.beta_1 = options_.beta_1,
                                            .beta_2 = options_.beta_2,
                                            .epsilon = options_.epsilon,
                                            .warmup_steps = options_.warmup_steps};
    const std::vector<Tensor> updated =
        schedule_free_adamw_update(variable.value(), momentums_[i].value(), velocities_[i].value(), gradient,
                                   learning_rate, iterations(), attributes);
    variable.assign(updated[0]);
    momentums_[i].assign(updated[1]);
    velocities_[i].assign(updated[2]);
  }

  void update_step_of_slices(const SummedSlices& gradient, const Variable& variable,
                             const Tensor& learning_rate) override {
    const std::size_t i = index_of(variable);
    const DType dtype = variable.dtype();
    const Tensor beta_1 = Tensor::full({}, options_.beta_1, dtype);
    const Tensor beta_2 = Tensor::full({}, options_.beta_2, dtype);
    const Tensor step = cast(iterations() + 1, dtype);
    Tensor rate = cast(learning_rate, dtype);
    if (options_.warmup_steps > 0) rate = rate * minimum(step / static_cast<double>(options_.warmup_steps), 1.0);
    const Tensor v = velocities_[i].value();
    const Tensor velocity = v + (gradient.moment - v) * (1.0 - beta_2);
    const Tensor denominator = sqrt(velocity / (1.0 - power(beta_2, step))) + options_.epsilon;
    const Tensor before = momentums_[i].value();
    const Tensor momentum = before - rate * gradient.sum / denominator;
    const Tensor weight = 1.0 / step;
    const Tensor average = (variable.value() - (1.0 - beta_1) * before) / beta_1;
    const Tensor next = (1.0 - weight) * average + weight * momentum;
    velocities_[i].assign(velocity);
    momentums_[i].assign(momentum);
    variable.assign((1.0 - beta_1) * momentum + beta_1 * next);
  }
  SliceMoment slice_moment(const Variable& /*variable*/) const override { return SliceMoment::squares; }

  io::Json get_config() const override { return written(OptimizerImpl::get_config(), options_); }

 private:
  ScheduleFreeAdamWOptions options_;
  std::vector<Variable> momentums_;
  std::vector<Variable> velocities_;
};

}  // namespace

ScheduleFreeAdamW::ScheduleFreeAdamW(const ScheduleFreeAdamWOptions& options)
    : Optimizer(std::make_shared<ScheduleFreeAdamWImpl>(options)) {}

ScheduleFreeAdamW ScheduleFreeAdamW::from_config(const io::Json& config) {
  return ScheduleFreeAdamW(read_optimizer<ScheduleFreeAdamW>(config));
}

}  // namespace rhyton::optimizers
