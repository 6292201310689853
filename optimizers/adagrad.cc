#include <rhyton/optimizers/adagrad.h>

#include <memory>
#include <vector>

#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/optimizer_updates.h>
#include <rhyton/optimizers/optimizer_config.h>

namespace rhyton::optimizers {
namespace {

class AdagradImpl final : public OptimizerImpl {
 public:
  explicit AdagradImpl(const AdagradOptions& options)
      : OptimizerImpl(Adagrad::keras_name, base_options(options)), options_(options) {}

  void make_slots(const std::vector<Variable>& variables) override {
    accumulators_ = add_slots(variables, "accumulator", options_.initial_accumulator_value);
  }

  void update_step(const Tensor& gradient, const Variable& variable, const Tensor& learning_rate) override {
    const Variable& accumulator = accumulators_[index_of(variable)];
    const std::vector<Tensor> updated =
        adagrad_update(variable.value(), accumulator.value(), gradient, learning_rate, options_.epsilon);
    variable.assign(updated[0]);
    accumulator.assign(updated[1]);
  }

  void update_step_of_slices(const SummedSlices& gradient, const Variable& variable,
                             const Tensor& learning_rate) override {
    const Variable& slot = accumulators_[index_of(variable)];
    const Tensor accumulator = slot.value() + gradient.moment;
    slot.assign(accumulator);
    const Tensor rate = cast(learning_rate, variable.dtype());
    variable.assign(variable.value() - rate * gradient.sum / sqrt(accumulator + options_.epsilon));
  }
  SliceMoment slice_moment(const Variable& /*variable*/) const override { return SliceMoment::squares; }

  io::Json get_config() const override { return written(OptimizerImpl::get_config(), options_); }

 private:
  AdagradOptions options_;
  std::vector<Variable> accumulators_;
};

}  // namespace

Adagrad::Adagrad(const AdagradOptions& options) : Optimizer(std::make_shared<AdagradImpl>(options)) {}

Adagrad Adagrad::from_config(const io::Json& config) { return Adagrad(read_optimizer<Adagrad>(config)); }

}  // namespace rhyton::optimizers
