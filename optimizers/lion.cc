#include <rhyton/optimizers/lion.h>

#include <memory>
#include <vector>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/optimizer_updates.h>
#include <rhyton/optimizers/optimizer_config.h>

namespace rhyton::optimizers {
namespace {

class LionImpl final : public OptimizerImpl {
 public:
  explicit LionImpl(const LionOptions& options)
      : OptimizerImpl(Lion::keras_name, base_options(options)), options_(options) {
    if (options.beta_1 > 0.0 && options.beta_1 <= 1.0) return;
    throw ValueError(
        "Argument `beta_1` must be in the [0, 1] range. Otherwise, the optimizer degenerates to SignSGD. Received: "
        "beta_1=" +
        io::Json(options.beta_1).dump() + ".");
  }

  void make_slots(const std::vector<Variable>& variables) override { momentums_ = add_slots(variables, "momentum"); }

  void update_step(const Tensor& gradient, const Variable& variable, const Tensor& learning_rate) override {
    const Variable& momentum = momentums_[index_of(variable)];
    const std::vector<Tensor> updated = lion_update(variable.value(), momentum.value(), gradient, learning_rate,
                                                    {.beta_1 = options_.beta_1, .beta_2 = options_.beta_2});
    variable.assign(updated[0]);
    momentum.assign(updated[1]);
  }

  /// Linear in the gradient, but for what a sum decides.
  SliceMoment slice_moment(const Variable& /*variable*/) const override { return SliceMoment::none; }

  io::Json get_config() const override { return written(OptimizerImpl::get_config(), options_); }

 private:
  LionOptions options_;
  std::vector<Variable> momentums_;
};

}  // namespace

Lion::Lion(const LionOptions& options) : Optimizer(std::make_shared<LionImpl>(options)) {}

Lion Lion::from_config(const io::Json& config) { return Lion(read_optimizer<Lion>(config)); }

}  // namespace rhyton::optimizers
