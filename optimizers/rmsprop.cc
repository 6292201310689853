#include <rhyton/optimizers/rmsprop.h>

#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/optimizer_updates.h>
#include <rhyton/optimizers/optimizer_config.h>

namespace rhyton::optimizers {
namespace {

class RMSpropImpl final : public OptimizerImpl {
 public:
  explicit RMSpropImpl(const RMSpropOptions& options)
      : OptimizerImpl(RMSprop::keras_name, base_options(options)),
        options_(options),
        attributes_{.rho = options.rho,
                    .momentum = options.momentum,
                    .epsilon = options.epsilon,
                    .centered = options.centered} {}

  void make_slots(const std::vector<Variable>& variables) override {
    velocities_ = add_slots(variables, "velocity");
    if (attributes_.momentum > 0.0) momentums_ = add_slots(variables, "momentum");
    if (attributes_.centered) average_gradients_ = add_slots(variables, "average_gradient");
  }

  void update_step(const Tensor& gradient, const Variable& variable, const Tensor& learning_rate) override {
    const std::size_t i = index_of(variable);
    std::vector<Variable> changed{variable, velocities_[i]};
    Tensor momentum;
    if (!momentums_.empty()) {
      changed.push_back(momentums_[i]);
      momentum = momentums_[i].value();
    }
    Tensor average_gradient;
    if (!average_gradients_.empty()) {
      changed.push_back(average_gradients_[i]);
      average_gradient = average_gradients_[i].value();
    }
    const std::vector<Tensor> updated = rmsprop_update(variable.value(), velocities_[i].value(), momentum,
                                                       average_gradient, gradient, learning_rate, attributes_);
    for (std::size_t k = 0; k < changed.size(); ++k) changed[k].assign(updated[k]);
  }

  void update_step_of_slices(const SummedSlices& gradient, const Variable& variable,
                             const Tensor& learning_rate) override {
    const std::size_t i = index_of(variable);
    const double rho = options_.rho;
    const Tensor velocity = rho * velocities_[i].value() + (1.0 - rho) * gradient.moment;
    velocities_[i].assign(velocity);
    Tensor denominator = velocity + options_.epsilon;
    if (!average_gradients_.empty()) {
      const Tensor average = rho * average_gradients_[i].value() + (1.0 - rho) * gradient.sum;
      average_gradients_[i].assign(average);
      denominator = velocity - square(average) + options_.epsilon;
    }
    Tensor change = cast(learning_rate, variable.dtype()) * gradient.sum / sqrt(denominator);
    if (!momentums_.empty()) {
      change = options_.momentum * momentums_[i].value() + change;
      momentums_[i].assign(change);
    }
    variable.assign(variable.value() - change);
  }
  SliceMoment slice_moment(const Variable& /*variable*/) const override { return SliceMoment::squares; }

  io::Json get_config() const override { return written(OptimizerImpl::get_config(), options_); }

 private:
  RMSpropOptions options_;
  RMSpropAttributes attributes_;
  std::vector<Variable> velocities_;
  std::vector<Variable> momentums_;
  std::vector<Variable> average_gradients_;
};

}  // namespace

RMSprop::RMSprop(const RMSpropOptions& options) : Optimizer(std::make_shared<RMSpropImpl>(options)) {}

RMSprop RMSprop::from_config(const io::Json& config) { return RMSprop(read_optimizer<RMSprop>(config)); }

}  // namespace rhyton::optimizers
