#pragma once

#include <string>
#include <utility>
#include <vector>

#include <rhyton/framework/ops/optimizer_updates.h>
#include <rhyton/optimizers/adam.h>
#include <rhyton/optimizers/optimizer.h>
#include <rhyton/optimizers/optimizer_config.h>

namespace rhyton::optimizers {

/// The arguments of Adam and AdamW besides the common ones.
struct AdamRates {
  double beta_1 = 0.9;
  double beta_2 = 0.999;
  double epsilon = 1e-7;
  bool amsgrad = false;

  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    AdamOptions::visit(self, fields);
  }
};

/// The implementation of Adam and AdamW.
class AdamImpl final : public OptimizerImpl {
 public:
  AdamImpl(std::string class_name, const OptimizerOptions& options, const AdamRates& rates)
      : OptimizerImpl(std::move(class_name), options), rates_(rates) {}

  void make_slots(const std::vector<Variable>& variables) override;
  void update_step(const Tensor& gradient, const Variable& variable, const Tensor& learning_rate) override;
  void update_step_of_slices(const SummedSlices& gradient, const Variable& variable,
                             const Tensor& learning_rate) override;
  SliceMoment slice_moment(const Variable& /*variable*/) const override { return SliceMoment::squares; }
  bool update_decays_weights() const override { return true; }
  io::Json get_config() const override;

 private:
  AdamRates rates_;
  std::vector<Variable> momentums_;
  std::vector<Variable> velocities_;
  std::vector<Variable> velocity_hats_;
};

/// The new values of a variable, its momentum and its velocity, and of its velocity_hat where it has one, by a gradient
/// that is a sum of slices with squares.
std::vector<Tensor> adam_update_of_slices(const std::vector<Tensor>& values, const SummedSlices& gradient,
                                          const Tensor& learning_rate, const Tensor& iterations,
                                          const AdamAttributes& attributes);

/// Takes those arguments from the options of Adam or AdamW.
template <class Options>
AdamRates adam_rates(const Options& options) {
  return {options.beta_1, options.beta_2, options.epsilon, options.amsgrad};
}

}  // namespace rhyton::optimizers
