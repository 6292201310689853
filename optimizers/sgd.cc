#include <rhyton/optimizers/sgd.h>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/optimizer_updates.h>
#include <rhyton/optimizers/optimizer_config.h>

namespace rhyton::optimizers {
namespace {

class SGDImpl final : public OptimizerImpl {
 public:
  explicit SGDImpl(const SGDOptions& options)
      : OptimizerImpl("SGD", base_options(options)), momentum_(options.momentum), nesterov_(options.nesterov) {
    if (!(momentum_ >= 0.0 && momentum_ <= 1.0)) throw ValueError("`momentum` must be a float between [0, 1].");
  }

  void make_slots(const std::vector<Variable>& variables) override {
    if (momentum_ != 0.0) slots_ = add_slots(variables, "momentum");
  }

  void update_step(const Tensor& gradient, const Variable& variable, const Tensor& learning_rate) override {
    if (slots_.empty()) {
      variable.assign(sgd_update(variable.value(), gradient, learning_rate));
      return;
    }
    const Variable& slot = slots_[index_of(variable)];
    const std::vector<Tensor> updated =
        sgd_momentum_update(variable.value(), slot.value(), gradient, learning_rate, momentum_, nesterov_);
    variable.assign(updated[0]);
    slot.assign(updated[1]);
  }

  io::Json get_config() const override {
    io::Json config = OptimizerImpl::get_config();
    config["momentum"] = momentum_;
    config["nesterov"] = nesterov_;
    return config;
  }

 private:
  double momentum_;
  bool nesterov_;
  std::vector<Variable> slots_;
};

}  // namespace

SGD::SGD(const SGDOptions& options) : Optimizer(std::make_shared<SGDImpl>(options)) {}

SGD SGD::from_config(const io::Json& config) {
  check_keys(config, {"momentum", "nesterov"});
  auto options = read_base_options<SGDOptions>(config);
  read_argument(config, "momentum", options.momentum);
  read_argument(config, "nesterov", options.nesterov);
  return SGD(options);
}

}  // namespace rhyton::optimizers
