#include <rhyton/optimizers/adadelta.h>

#include <cstddef>
#include <memory>
#include <vector>

#include <rhyton/framework/ops/optimizer_updates.h>
#include <rhyton/optimizers/optimizer_config.h>

namespace rhyton::optimizers {
namespace {

class AdadeltaImpl final : public OptimizerImpl {
 public:
  explicit AdadeltaImpl(const AdadeltaOptions& options)
      : OptimizerImpl(Adadelta::keras_name, base_options(options)), options_(options) {}

  void make_slots(const std::vector<Variable>& variables) override {
    for (const Variable& variable : variables) {
      gradients_.push_back(add_variable_from_reference(variable, "accumulated_grad"));
      changes_.push_back(add_variable_from_reference(variable, "accumulated_delta_var"));
    }
  }

  void update_step(const Tensor& gradient, const Variable& variable, const Tensor& learning_rate) override {
    const std::size_t i = index_of(variable);
    const std::vector<Tensor> updated =
        adadelta_update(variable.value(), gradients_[i].value(), changes_[i].value(), gradient, learning_rate,
                        {.rho = options_.rho, .epsilon = options_.epsilon});
    variable.assign(updated[0]);
    gradients_[i].assign(updated[1]);
    changes_[i].assign(updated[2]);
  }

  io::Json get_config() const override { return written(OptimizerImpl::get_config(), options_); }

 private:
  AdadeltaOptions options_;
  std::vector<Variable> gradients_;
  std::vector<Variable> changes_;
};

}  // namespace

Adadelta::Adadelta(const AdadeltaOptions& options) : Optimizer(std::make_shared<AdadeltaImpl>(options)) {}

Adadelta Adadelta::from_config(const io::Json& config) { return Adadelta(read_optimizer<Adadelta>(config)); }

}  // namespace rhyton::optimizers
