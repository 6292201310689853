#include <rhyton/optimizers/lamb.h>

#include <cstddef>
#include <memory>
#include <vector>

#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/optimizer_updates.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/optimizers/optimizer_config.h>

namespace rhyton::optimizers {
namespace {

class LambImpl final : public OptimizerImpl {
 public:
  explicit LambImpl(const LambOptions& options)
      : OptimizerImpl(Lamb::keras_name, base_options(options)), options_(options) {}

  void make_slots(const std::vector<Variable>& variables) override {
    for (const Variable& variable : variables) {
      momentums_.push_back(add_variable_from_reference(variable, "momentum"));
      velocities_.push_back(add_variable_from_reference(variable, "velocity"));
    }
  }

  void update_step(const Tensor& gradient, const Variable& variable, const Tensor& learning_rate) override {
    const std::size_t i = index_of(variable);
    const Tensor value = variable.value();
    const LambDirection step =
        lamb_direction(value, momentums_[i].value(), velocities_[i].value(), gradient, iterations(),
                       {.beta_1 = options_.beta_1, .beta_2 = options_.beta_2, .epsilon = options_.epsilon});
    momentums_[i].assign(step.momentum);
    velocities_[i].assign(step.velocity);
    const Tensor ratio = ratio_of(sqrt(sum(step.variable_squares)), sqrt(sum(step.direction_squares)));
    variable.assign(sgd_update(value, step.direction, ratio * cast(learning_rate, variable.dtype())));
  }

  void update_step_of_slices(const SummedSlices& gradient, const Variable& variable,
                             const Tensor& learning_rate) override {
    const std::size_t i = index_of(variable);
    const DType dtype = variable.dtype();
    const Tensor step = cast(iterations() + 1, dtype);
    const Tensor m = momentums_[i].value();
    const Tensor v = velocities_[i].value();
    const Tensor momentum = m + (gradient.sum - m) * (1.0 - options_.beta_1);
    const Tensor velocity = v + (gradient.moment - v) * (1.0 - options_.beta_2);
    const Tensor unbiased = momentum / (1.0 - power(options_.beta_1, step));
    const Tensor update = unbiased / (sqrt(velocity / (1.0 - power(options_.beta_2, step))) + options_.epsilon);
    const Tensor value = variable.value();
    const Tensor ratio = ratio_of(sqrt(sum(square(value))), sqrt(sum(square(update))));
    momentums_[i].assign(momentum);
    velocities_[i].assign(velocity);
    variable.assign(value - ratio * cast(learning_rate, dtype) * update);
  }
  SliceMoment slice_moment(const Variable& /*variable*/) const override { return SliceMoment::squares; }

  io::Json get_config() const override { return written(OptimizerImpl::get_config(), options_); }

 private:
  /// What the learning rate is multiplied by.
  static Tensor ratio_of(const Tensor& variable_norm, const Tensor& update_norm) {
    return where(logical_and(greater(variable_norm, 0.0), greater(update_norm, 0.0)), variable_norm / update_norm, 1.0);
  }

  LambOptions options_;
  std::vector<Variable> momentums_;
  std::vector<Variable> velocities_;
};

}  // namespace

Lamb::Lamb(const LambOptions& options) : Optimizer(std::make_shared<LambImpl>(options)) {}

Lamb Lamb::from_config(const io::Json& config) { return Lamb(read_optimizer<Lamb>(config)); }

}  // namespace rhyton::optimizers
