#include <rhyton/optimizers/nadam.h>

#include <cstddef>
#include <memory>
#include <vector>

#include <rhyton/framework/context.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/optimizer_updates.h>
#include <rhyton/optimizers/optimizer_config.h>

namespace rhyton::optimizers {
namespace {

class NadamImpl final : public OptimizerImpl {
 public:
  explicit NadamImpl(const NadamOptions& options)
      : OptimizerImpl(Nadam::keras_name, base_options(options)), options_(options) {}

  void make_slots(const std::vector<Variable>& variables) override {
    for (const Variable& variable : variables) {
      momentums_.push_back(add_variable_from_reference(variable, "momentum"));
      velocities_.push_back(add_variable_from_reference(variable, "velocity"));
    }
    const DType dtype = variables.empty() ? dtype_from_name(context().floatx()) : variables.front().dtype();
    product_ = add_variable(Tensor::full({}, 1.0, dtype), "variable");
  }

  void update_step(const Tensor& gradient, const Variable& variable, const Tensor& learning_rate) override {
    const std::size_t i = index_of(variable);
    const std::vector<Tensor> updated =
        nadam_update(variable.value(), momentums_[i].value(), velocities_[i].value(), gradient, learning_rate,
                     iterations(), cast(product_.value(), variable.dtype()),
                     {.beta_1 = options_.beta_1, .beta_2 = options_.beta_2, .epsilon = options_.epsilon});
    variable.assign(updated[0]);
    momentums_[i].assign(updated[1]);
    velocities_[i].assign(updated[2]);
  }

  void begin_step() override {
    const Tensor step = cast(iterations() + 1, product_.dtype());
    product_.assign(product_.value() * options_.beta_1 * (1.0 - 0.5 * power(0.96, step)));
  }

  io::Json get_config() const override { return written(OptimizerImpl::get_config(), options_); }

 private:
  NadamOptions options_;
  std::vector<Variable> momentums_;
  std::vector<Variable> velocities_;
  /// Of the rates of the momentum so far.
  Variable product_;
};

}  // namespace

Nadam::Nadam(const NadamOptions& options) : Optimizer(std::make_shared<NadamImpl>(options)) {}

Nadam Nadam::from_config(const io::Json& config) { return Nadam(read_optimizer<Nadam>(config)); }

}  // namespace rhyton::optimizers
