#include <rhyton/optimizers/adam.h>

#include <cstddef>
#include <optional>

#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/optimizer_updates.h>
#include <rhyton/optimizers/adam_impl.h>

namespace rhyton::optimizers {

void AdamImpl::make_slots(const std::vector<Variable>& variables) {
  for (const Variable& variable : variables) {
    momentums_.push_back(add_variable_from_reference(variable, "momentum"));
    velocities_.push_back(add_variable_from_reference(variable, "velocity"));
  }
  if (rates_.amsgrad) velocity_hats_ = add_slots(variables, "velocity_hat");
}

void AdamImpl::update_step(const Tensor& gradient, const Variable& variable, const Tensor& learning_rate) {
  const std::size_t i = index_of(variable);
  const AdamAttributes attributes{.beta_1 = rates_.beta_1, .beta_2 = rates_.beta_2, .epsilon = rates_.epsilon};
  const Tensor steps = iterations();
  const double weight_decay = decay_of(variable).value_or(0.0);
  std::vector<Variable> changed{variable, momentums_[i], velocities_[i]};
  std::vector<Tensor> updated;
  if (rates_.amsgrad) {
    changed.push_back(velocity_hats_[i]);
    updated = adam_amsgrad_update(variable.value(), momentums_[i].value(), velocities_[i].value(),
                                  velocity_hats_[i].value(), gradient, learning_rate, steps, attributes, weight_decay);
  } else {
    updated = adam_update(variable.value(), momentums_[i].value(), velocities_[i].value(), gradient, learning_rate,
                          steps, attributes, weight_decay);
  }
  for (std::size_t k = 0; k < changed.size(); ++k) changed[k].assign(updated[k]);
}

std::vector<Tensor> adam_update_of_slices(const std::vector<Tensor>& values, const SummedSlices& gradient,
                                          const Tensor& learning_rate, const Tensor& iterations,
                                          const AdamAttributes& attributes) {
  const DType dtype = values[0].dtype();
  const Tensor step = cast(iterations + 1, dtype);
  const Tensor alpha =
      cast(learning_rate, dtype) * sqrt(1.0 - power(attributes.beta_2, step)) / (1.0 - power(attributes.beta_1, step));
  const Tensor momentum = values[1] + (gradient.sum - values[1]) * (1.0 - attributes.beta_1);
  const Tensor velocity = values[2] + (gradient.moment - values[2]) * (1.0 - attributes.beta_2);
  std::vector<Tensor> updated{values[0], momentum, velocity};
  if (values.size() > 3) updated.push_back(maximum(values[3], velocity));
  updated[0] = values[0] - momentum * alpha / (sqrt(updated.back()) + attributes.epsilon);
  return updated;
}

void AdamImpl::update_step_of_slices(const SummedSlices& gradient, const Variable& variable,
                                     const Tensor& learning_rate) {
  const std::size_t i = index_of(variable);
  std::vector<Variable> changed{variable, momentums_[i], velocities_[i]};
  if (rates_.amsgrad) changed.push_back(velocity_hats_[i]);
  std::vector<Tensor> values;
  for (const Variable& one : changed) values.push_back(one.value());
  if (const std::optional<double> decay = decay_of(variable)) {
    values[0] = values[0] - values[0] * *decay * cast(learning_rate, variable.dtype());
  }
  const std::vector<Tensor> updated =
      adam_update_of_slices(values, gradient, learning_rate, iterations(),
                            {.beta_1 = rates_.beta_1, .beta_2 = rates_.beta_2, .epsilon = rates_.epsilon});
  for (std::size_t k = 0; k < changed.size(); ++k) changed[k].assign(updated[k]);
}

io::Json AdamImpl::get_config() const { return written(OptimizerImpl::get_config(), rates_); }

Adam::Adam(const AdamOptions& options)
    : Optimizer(std::make_shared<AdamImpl>(keras_name, base_options(options), adam_rates(options))) {}

Adam Adam::from_config(const io::Json& config) { return Adam(read_optimizer<Adam>(config)); }

}  // namespace rhyton::optimizers
