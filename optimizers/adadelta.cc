#include <rhyton/optimizers/adadelta.h>

#include <cstddef>
#include <memory>
#include <vector>

#include <rhyton/framework/ops/elementwise.h>
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

  void update_step_of_slices(const SummedSlices& gradient, const Variable& variable,
                             const Tensor& learning_rate) override {
    const std::size_t i = index_of(variable);
    const double rho = options_.rho;
    const Tensor gradients = rho * gradients_[i].value() + (1.0 - rho) * gradient.moment;
    const Tensor changes = changes_[i].value();
    // Of a slice the change is this times the slice.
    const Tensor factor = sqrt(changes + options_.epsilon) / sqrt(gradients + options_.epsilon);
    gradients_[i].assign(gradients);
    changes_[i].assign(rho * changes + (1.0 - rho) * (square(factor) * gradient.moment));
    variable.assign(variable.value() - cast(learning_rate, variable.dtype()) * (factor * gradient.sum));
  }
  SliceMoment slice_moment(const Variable& /*variable*/) const override { return SliceMoment::squares; }

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
