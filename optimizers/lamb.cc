#include <rhyton/optimizers/lamb.h>

#include <cstddef>
#include <memory>
#include <vector>

#include <rhyton/framework/ops/elementwise.h>
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
    update(gradient, square(gradient), variable, learning_rate);
  }

  void update_step_of_slices(const SummedSlices& gradient, const Variable& variable,
                             const Tensor& learning_rate) override {
    update(gradient.sum, gradient.moment, variable, learning_rate);
  }
  SliceMoment slice_moment(const Variable& /*variable*/) const override { return SliceMoment::squares; }

  io::Json get_config() const override { return written(OptimizerImpl::get_config(), options_); }

 private:
  void update(const Tensor& gradient, const Tensor& squares, const Variable& variable, const Tensor& learning_rate) {
    const std::size_t i = index_of(variable);
    const DType dtype = variable.dtype();
    const Tensor step = cast(iterations() + 1, dtype);
    const Tensor m = momentums_[i].value();
    const Tensor v = velocities_[i].value();
    const Tensor momentum = m + (gradient - m) * (1.0 - options_.beta_1);
    const Tensor velocity = v + (squares - v) * (1.0 - options_.beta_2);
    const Tensor unbiased = momentum / (1.0 - power(options_.beta_1, step));
    const Tensor update = unbiased / (sqrt(velocity / (1.0 - power(options_.beta_2, step))) + options_.epsilon);
    const Tensor value = variable.value();
    const Tensor norm = sqrt(sum(square(value)));
    const Tensor update_norm = sqrt(sum(square(update)));
    const Tensor ratio = where(logical_and(greater(norm, 0.0), greater(update_norm, 0.0)), norm / update_norm, 1.0);
    momentums_[i].assign(momentum);
    velocities_[i].assign(velocity);
    variable.assign(value - ratio * cast(learning_rate, dtype) * update);
  }

  LambOptions options_;
  std::vector<Variable> momentums_;
  std::vector<Variable> velocities_;
};

}  // namespace

Lamb::Lamb(const LambOptions& options) : Optimizer(std::make_shared<LambImpl>(options)) {}

Lamb Lamb::from_config(const io::Json& config) { return Lamb(read_optimizer<Lamb>(config)); }

}  // namespace rhyton::optimizers
