#include <rhyton/optimizers/adamax.h>

#include <cstddef>
#include <memory>
#include <vector>

#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/optimizer_updates.h>
#include <rhyton/optimizers/optimizer_config.h>

namespace rhyton::optimizers {
namespace {

class AdamaxImpl final : public OptimizerImpl {
 public:
  explicit AdamaxImpl(const AdamaxOptions& options)
      : OptimizerImpl(Adamax::keras_name, base_options(options)), options_(options) {}

  void make_slots(const std::vector<Variable>& variables) override {
    for (const Variable& variable : variables) {
      momentums_.push_back(add_variable_from_reference(variable, "momentum"));
      norms_.push_back(add_variable_from_reference(variable, "norm"));
    }
  }

  void update_step(const Tensor& gradient, const Variable& variable, const Tensor& learning_rate) override {
    const std::size_t i = index_of(variable);
    const std::vector<Tensor> updated =
        adamax_update(variable.value(), momentums_[i].value(), norms_[i].value(), gradient, learning_rate, iterations(),
                      {.beta_1 = options_.beta_1, .beta_2 = options_.beta_2, .epsilon = options_.epsilon});
    variable.assign(updated[0]);
    momentums_[i].assign(updated[1]);
    norms_[i].assign(updated[2]);
  }

  void update_step_of_slices(const SummedSlices& gradient, const Variable& variable,
                             const Tensor& learning_rate) override {
    const std::size_t i = index_of(variable);
    const DType dtype = variable.dtype();
    const Tensor step = cast(iterations() + 1, dtype);
    const Tensor m = momentums_[i].value();
    const Tensor momentum = m + (gradient.sum - m) * (1.0 - options_.beta_1);
    const Tensor norm = maximum(options_.beta_2 * norms_[i].value(), gradient.moment);
    momentums_[i].assign(momentum);
    norms_[i].assign(norm);
    variable.assign(variable.value() - cast(learning_rate, dtype) * momentum /
                                           ((1.0 - power(options_.beta_1, step)) * (norm + options_.epsilon)));
  }
  SliceMoment slice_moment(const Variable& /*variable*/) const override { return SliceMoment::magnitudes; }

  io::Json get_config() const override { return written(OptimizerImpl::get_config(), options_); }

 private:
  AdamaxOptions options_;
  std::vector<Variable> momentums_;
  std::vector<Variable> norms_;
};

}  // namespace

Adamax::Adamax(const AdamaxOptions& options) : Optimizer(std::make_shared<AdamaxImpl>(options)) {}

Adamax Adamax::from_config(const io::Json& config) { return Adamax(read_optimizer<Adamax>(config)); }

}  // namespace rhyton::optimizers
