#include <rhyton/optimizers/muon.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>

#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/matmul.h>
#include <rhyton/framework/ops/optimizer_updates.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/regular_expression.h>
#include <rhyton/optimizers/adam_impl.h>
#include <rhyton/optimizers/optimizer_config.h>

namespace rhyton::optimizers {
namespace {

class MuonImpl final : public OptimizerImpl {
 public:
  explicit MuonImpl(const MuonOptions& options)
      : OptimizerImpl(Muon::keras_name, base_options(options)), options_(options) {}

  void make_slots(const std::vector<Variable>& variables) override {
    for (const Variable& variable : variables) {
      momentums_.push_back(add_variable_from_reference(variable, "momentum"));
      velocities_.push_back(is_adams(variable) ? add_variable_from_reference(variable, "velocity") : Variable());
    }
  }

  void update_step(const Tensor& gradient, const Variable& variable, const Tensor& learning_rate) override {
    const std::size_t i = index_of(variable);
    if (velocities_[i].is_empty()) return update_matrix(gradient, variable, learning_rate, momentums_[i]);
    const std::vector<Tensor> updated = adam_update(
        variable.value(), momentums_[i].value(), velocities_[i].value(), gradient, adam_rate(learning_rate),
        iterations(), {.beta_1 = options_.adam_beta_1, .beta_2 = options_.adam_beta_2, .epsilon = options_.epsilon});
    variable.assign(updated[0]);
    momentums_[i].assign(updated[1]);
    velocities_[i].assign(updated[2]);
  }

  void update_step_of_slices(const SummedSlices& gradient, const Variable& variable,
                             const Tensor& learning_rate) override {
    const std::size_t i = index_of(variable);
    if (velocities_[i].is_empty()) return update_step(gradient.sum, variable, learning_rate);
    const std::vector<Tensor> updated = adam_update_of_slices(
        {variable.value(), momentums_[i].value(), velocities_[i].value()}, gradient, adam_rate(learning_rate),
        iterations(), {.beta_1 = options_.adam_beta_1, .beta_2 = options_.adam_beta_2, .epsilon = options_.epsilon});
    variable.assign(updated[0]);
    momentums_[i].assign(updated[1]);
    velocities_[i].assign(updated[2]);
  }

  SliceMoment slice_moment(const Variable& variable) const override {
    return velocities_[index_of(variable)].is_empty() ? SliceMoment::none : SliceMoment::squares;
  }

  std::optional<double> weight_decay_of(const Variable& variable) const override {
    return velocities_[index_of(variable)].is_empty() ? options_.weight_decay : options_.adam_weight_decay;
  }

  io::Json get_config() const override { return written(OptimizerImpl::get_config(), options_); }

 private:
  Tensor adam_rate(const Tensor& learning_rate) const {
    return options_.adam_lr_ratio == 1.0 ? learning_rate : learning_rate * options_.adam_lr_ratio;
  }

  bool is_adams(const Variable& variable) const {
    if (variable.shape().rank() != 2) return true;
    std::string lower = variable.path();
    for (char& c : lower) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
    if (options_.exclude_embeddings && lower.find("embedding") != std::string::npos) return true;
    return std::any_of(options_.exclude_layers.begin(), options_.exclude_layers.end(),
                       [&](const std::string& name) { return RegularExpression(name).is_found_in(variable.path()); });
  }

  void update_matrix(const Tensor& gradient, const Variable& variable, const Tensor& learning_rate,
                     const Variable& slot) const {
    const Tensor before = slot.value();
    const Tensor momentum = before + (gradient + before * (options_.momentum - 1.0));
    slot.assign(momentum);
    const Tensor update = cast(learning_rate, variable.dtype()) *
                          made_orthogonal(options_.nesterov ? gradient + options_.momentum * momentum : momentum);
    const Shape& shape = variable.shape();
    const double side = static_cast<double>(std::max(shape[0], shape[1]));
    variable.assign_sub(options_.rms_rate ? update * std::sqrt(side) * *options_.rms_rate : update);
  }

  /// The matrix with all its singular values brought near 1, by Newton's and Schulz's iteration.
  Tensor made_orthogonal(const Tensor& matrix) const {
    // The products below are those of the shorter side.
    const bool is_tall = matrix.shape()[0] > matrix.shape()[1];
    Tensor x = matrix / (sqrt(sum(square(matrix))) + 1e-7);
    for (int step = 0; step < options_.ns_steps; ++step) {
      const Tensor product = is_tall ? matmul(x, x, true, false) : matmul(x, x, false, true);
      const Tensor factor = options_.muon_b * product + options_.muon_c * matmul(product, product);
      x = options_.muon_a * x + (is_tall ? matmul(x, factor) : matmul(factor, x));
    }
    return x;
  }

  MuonOptions options_;
  std::vector<Variable> momentums_;
  /// Empty for the variables that Adam does not update.
  std::vector<Variable> velocities_;
};

}  // namespace

Muon::Muon(const MuonOptions& options) : Optimizer(std::make_shared<MuonImpl>(options)) {}

Muon Muon::from_config(const io::Json& config) { return Muon(read_optimizer<Muon>(config)); }

}  // namespace rhyton::optimizers
