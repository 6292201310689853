#include <rhyton/optimizers/sgd.h>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/optimizer_updates.h>
#include <rhyton/optimizers/optimizer_config.h>

namespace rhyton::optimizers {
namespace {

class SGDImpl final : public OptimizerImpl {
 public:
  explicit SGDImpl(const SGDOptions& options)
      : OptimizerImpl(SGD::keras_name, base_options(options)), options_(options) {
    if (!(options_.momentum >= 0.0 && options_.momentum <= 1.0))
      throw ValueError("`momentum` must be a float between [0, 1].");
  }

  void make_slots(const std::vector<Variable>& variables) override {
    if (options_.momentum != 0.0) slots_ = add_slots(variables, "momentum");
  }

  void update_step(const Tensor& gradient, const Variable& variable, const Tensor& learning_rate) override {
    if (slots_.empty()) {
      variable.assign(sgd_update(variable.value(), gradient, learning_rate));
      return;
    }
    const Variable& slot = slots_[index_of(variable)];
    const std::vector<Tensor> updated = sgd_momentum_update(variable.value(), slot.value(), gradient, learning_rate,
                                                            options_.momentum, options_.nesterov);
    variable.assign(updated[0]);
    slot.assign(updated[1]);
  }

  /// Linear in the gradient, but for what a sum decides.
  SliceMoment slice_moment(const Variable& /*variable*/) const override { return SliceMoment::none; }

  io::Json get_config() const override { return written(OptimizerImpl::get_config(), options_); }

 private:
  SGDOptions options_;
  std::vector<Variable> slots_;
};

}  // namespace

SGD::SGD(const SGDOptions& options) : Optimizer(std::make_shared<SGDImpl>(options)) {}

SGD SGD::from_config(const io::Json& config) { return SGD(read_optimizer<SGD>(config)); }

}  // namespace rhyton::optimizers
