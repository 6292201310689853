#include <rhyton/framework/ops/optimizer_updates.h>

#include <cstdint>
#include <limits>
#include <memory>

#include <rhyton/framework/ops/attribute_text.h>
#include <rhyton/framework/ops/broadcasting.h>
#include <rhyton/framework/ops/op_tables.h>

namespace rhyton {
inline namespace ops {
namespace {

std::string text_of(const AdamAttributes& rates) {
  return attribute("beta_1", rates.beta_1) + ", " + attribute("beta_2", rates.beta_2) + ", " +
         attribute("epsilon", rates.epsilon);
}

void require_variable(const Op& op, const TensorSpec& variable) {
  if (is_floating(variable.dtype)) return;
  throw InvalidArgumentError(std::string(op.name()) + " takes variables of a floating dtype. Received: " +
                             std::string(message_name_of(variable.dtype)));
}

void require_same(const Op& op, const TensorSpec& variable, const TensorSpec& other, const char* what) {
  if (other == variable) return;
  throw InvalidArgumentError(std::string(op.name()) + ": var and " + what + " do not have the same shape and dtype: " +
                             bracketed(variable.shape) + " " + bracketed(other.shape));
}

void require_iterations(const TensorSpec& iterations) {
  if (iterations == TensorSpec{Shape{}, DType::int64}) return;
  throw InvalidArgumentError("iterations is not an int64 scalar: " + bracketed(iterations.shape));
}

}  // namespace

Tensor sgd_update(const Tensor& variable, const Tensor& gradient, const Tensor& learning_rate) {
  return call<SgdUpdateOp>({variable, gradient, learning_rate});
}

std::vector<Tensor> sgd_momentum_update(const Tensor& variable, const Tensor& slot, const Tensor& gradient,
                                        const Tensor& learning_rate, double momentum, bool nesterov) {
  const std::vector<Tensor> inputs = {variable, slot, gradient, learning_rate};
  return rhyton::apply(std::make_shared<const SgdMomentumUpdateOp>(momentum, nesterov), inputs);
}

std::vector<Tensor> adam_update(const Tensor& variable, const Tensor& momentum, const Tensor& velocity,
                                const Tensor& gradient, const Tensor& learning_rate, const Tensor& iterations,
                                const AdamAttributes& attributes, double weight_decay) {
  const std::vector<Tensor> inputs = {variable, momentum, velocity, gradient, learning_rate, iterations};
  return rhyton::apply(std::make_shared<const AdamUpdateOp>(attributes, false, weight_decay), inputs);
}

std::vector<Tensor> adam_amsgrad_update(const Tensor& variable, const Tensor& momentum, const Tensor& velocity,
                                        const Tensor& velocity_hat, const Tensor& gradient, const Tensor& learning_rate,
                                        const Tensor& iterations, const AdamAttributes& attributes,
                                        double weight_decay) {
  const std::vector<Tensor> inputs = {variable, momentum, velocity, velocity_hat, gradient, learning_rate, iterations};
  return rhyton::apply(std::make_shared<const AdamUpdateOp>(attributes, true, weight_decay), inputs);
}

std::vector<Tensor> rmsprop_update(const Tensor& variable, const Tensor& velocity, const Tensor& momentum,
                                   const Tensor& average_gradient, const Tensor& gradient, const Tensor& learning_rate,
                                   const RMSpropAttributes& attributes) {
  std::vector<Tensor> inputs = {variable, velocity};
  if (attributes.momentum > 0) inputs.push_back(momentum);
  if (attributes.centered) inputs.push_back(average_gradient);
  inputs.push_back(gradient);
  inputs.push_back(learning_rate);
  return rhyton::apply(std::make_shared<const RMSpropUpdateOp>(attributes), inputs);
}

std::vector<Tensor> adadelta_update(const Tensor& variable, const Tensor& gradients, const Tensor& changes,
                                    const Tensor& gradient, const Tensor& learning_rate,
                                    const AdadeltaAttributes& attributes) {
  const std::vector<Tensor> inputs = {variable, gradients, changes, gradient, learning_rate};
  return rhyton::apply(std::make_shared<const AdadeltaUpdateOp>(attributes), inputs);
}

std::vector<Tensor> adagrad_update(const Tensor& variable, const Tensor& accumulator, const Tensor& gradient,
                                   const Tensor& learning_rate, double epsilon) {
  const std::vector<Tensor> inputs = {variable, accumulator, gradient, learning_rate};
  return rhyton::apply(std::make_shared<const AdagradUpdateOp>(epsilon), inputs);
}

std::vector<Tensor> adamax_update(const Tensor& variable, const Tensor& momentum, const Tensor& norm,
                                  const Tensor& gradient, const Tensor& learning_rate, const Tensor& iterations,
                                  const AdamAttributes& attributes) {
  const std::vector<Tensor> inputs = {variable, momentum, norm, gradient, learning_rate, iterations};
  return rhyton::apply(std::make_shared<const AdamaxUpdateOp>(attributes), inputs);
}

std::vector<Tensor> ftrl_update(const Tensor& variable, const Tensor& accumulator, const Tensor& linear,
                                const Tensor& gradient, const Tensor& learning_rate, const FtrlAttributes& attributes) {
  const std::vector<Tensor> inputs = {variable, accumulator, linear, gradient, learning_rate};
  return rhyton::apply(std::make_shared<const FtrlUpdateOp>(attributes), inputs);
}

std::vector<Tensor> lion_update(const Tensor& variable, const Tensor& momentum, const Tensor& gradient,
                                const Tensor& learning_rate, const LionAttributes& attributes) {
  const std::vector<Tensor> inputs = {variable, momentum, gradient, learning_rate};
  return rhyton::apply(std::make_shared<const LionUpdateOp>(attributes), inputs);
}

std::vector<Tensor> nadam_update(const Tensor& variable, const Tensor& momentum, const Tensor& velocity,
                                 const Tensor& gradient, const Tensor& learning_rate, const Tensor& iterations,
                                 const Tensor& product, const AdamAttributes& attributes) {
  const std::vector<Tensor> inputs = {variable, momentum, velocity, gradient, learning_rate, iterations, product};
  return rhyton::apply(std::make_shared<const NadamUpdateOp>(attributes), inputs);
}

std::vector<Tensor> schedule_free_adamw_update(const Tensor& variable, const Tensor& momentum, const Tensor& velocity,
                                               const Tensor& gradient, const Tensor& learning_rate,
                                               const Tensor& iterations, const ScheduleFreeAttributes& attributes) {
  const std::vector<Tensor> inputs = {variable, momentum, velocity, gradient, learning_rate, iterations};
  return rhyton::apply(std::make_shared<const ScheduleFreeAdamWUpdateOp>(attributes), inputs);
}

LambDirection lamb_direction(const Tensor& variable, const Tensor& momentum, const Tensor& velocity,
                             const Tensor& gradient, const Tensor& iterations, const AdamAttributes& attributes) {
  const std::vector<Tensor> inputs = {variable, momentum, velocity, gradient, iterations};
  const std::vector<Tensor> outputs = rhyton::apply(std::make_shared<const LambDirectionOp>(attributes), inputs);
  return {outputs[0], outputs[1], outputs[2], outputs[3], outputs[4]};
}

std::vector<TensorSpec> OptimizerUpdateOp::infer(std::span<const TensorSpec> inputs) const {
  const std::size_t renewed = static_cast<std::size_t>(slots()) + 1;
  const std::size_t expected = renewed + 2 + (takes_iterations() ? 1 : 0) + (takes_product() ? 1 : 0);
  if (inputs.size() != expected) {
    throw InvalidArgumentError(std::string(name()) + " takes " + std::to_string(expected) +
                               " inputs. Received: " + std::to_string(inputs.size()));
  }
  const TensorSpec& variable = inputs[0];
  require_variable(*this, variable);
  for (std::size_t i = 1; i <= renewed; ++i) require_same(*this, variable, inputs[i], i == renewed ? "grad" : "slot");
  const TensorSpec& rate = inputs[renewed + 1];
  if (rate.shape.rank() != 0 || (rate.dtype != variable.dtype && rate.dtype != DType::float32)) {
    throw InvalidArgumentError("lr is not a scalar: " + bracketed(rate.shape));
  }
  if (takes_iterations()) require_iterations(inputs[renewed + 2]);
  if (takes_product() && inputs.back() != TensorSpec{Shape{}, variable.dtype}) {
    throw InvalidArgumentError("product is not a scalar of the variable's dtype: " + bracketed(inputs.back().shape));
  }
  return std::vector<TensorSpec>(renewed, variable);
}

std::vector<TensorSpec> LambDirectionOp::infer(std::span<const TensorSpec> inputs) const {
  if (inputs.size() != 5) {
    throw InvalidArgumentError("LambDirection takes 5 inputs. Received: " + std::to_string(inputs.size()));
  }
  const TensorSpec& variable = inputs[0];
  require_variable(*this, variable);
  for (std::size_t i = 1; i < 4; ++i) require_same(*this, variable, inputs[i], i == 3 ? "grad" : "slot");
  require_iterations(inputs[4]);
  const TensorSpec sums = {Shape{blocks_of(variable.shape.size())}, variable.dtype};
  return {variable, variable, variable, sums, sums};
}

std::string LambDirectionOp::attributes() const { return text_of(rates_); }

std::string SgdMomentumUpdateOp::attributes() const {
  return attribute("momentum", momentum_) + ", " + attribute("nesterov", nesterov_);
}

std::string AdamUpdateOp::attributes() const {
  return text_of(rates_) + ", " + attribute("amsgrad", amsgrad_) + ", " + attribute("weight_decay", weight_decay_);
}

std::string RMSpropUpdateOp::attributes() const {
  return attribute("rho", rates_.rho) + ", " + attribute("momentum", rates_.momentum) + ", " +
         attribute("epsilon", rates_.epsilon) + ", " + attribute("centered", rates_.centered);
}

std::string AdadeltaUpdateOp::attributes() const {
  return attribute("rho", rates_.rho) + ", " + attribute("epsilon", rates_.epsilon);
}

std::string AdagradUpdateOp::attributes() const { return attribute("epsilon", epsilon_); }

std::string AdamaxUpdateOp::attributes() const { return text_of(rates_); }

std::string FtrlUpdateOp::attributes() const {
  return attribute("learning_rate_power", rates_.learning_rate_power) + ", " +
         attribute("l1_regularization_strength", rates_.l1_regularization_strength) + ", " +
         attribute("l2_regularization_strength", rates_.l2_regularization_strength) + ", " +
         attribute("l2_shrinkage_regularization_strength", rates_.l2_shrinkage_regularization_strength) + ", " +
         attribute("beta", rates_.beta);
}

std::string LionUpdateOp::attributes() const {
  return attribute("beta_1", rates_.beta_1) + ", " + attribute("beta_2", rates_.beta_2);
}

std::string NadamUpdateOp::attributes() const { return text_of(rates_); }

std::string ScheduleFreeAdamWUpdateOp::attributes() const {
  return text_of({.beta_1 = rates_.beta_1, .beta_2 = rates_.beta_2, .epsilon = rates_.epsilon}) + ", " +
         attribute("warmup_steps", rates_.warmup_steps);
}

}  // namespace ops
namespace {

AdamAttributes adam_of(AttributeReader& attributes) {
  return {.beta_1 = attributes.number("beta_1"),
          .beta_2 = attributes.number("beta_2"),
          .epsilon = attributes.number("epsilon")};
}

constexpr std::size_t max_update_inputs = 10;

template <class O>
OpEntry adam_like() {
  return {O::op_name, 1, max_update_inputs,
          [](const OpDescription& op) -> OpPtr { return std::make_shared<const O>(adam_of(op.attributes)); }};
}

}  // namespace

OpTable optimizer_update_table() {
  return {
      {"SgdUpdate", 1, max_update_inputs,
       [](const OpDescription&) -> OpPtr { return std::make_shared<const SgdUpdateOp>(); }},
      {"SgdMomentumUpdate", 1, max_update_inputs,
       [](const OpDescription& op) -> OpPtr {
         const double momentum = op.attributes.number("momentum");
         return std::make_shared<const SgdMomentumUpdateOp>(momentum, op.attributes.flag("nesterov"));
       }},
      {"AdamUpdate", 1, max_update_inputs,
       [](const OpDescription& op) -> OpPtr {
         const AdamAttributes rates = adam_of(op.attributes);
         const bool amsgrad = op.attributes.flag("amsgrad");
         return std::make_shared<const AdamUpdateOp>(rates, amsgrad, op.attributes.number("weight_decay"));
       }},
      {"RMSpropUpdate", 1, max_update_inputs,
       [](const OpDescription& op) -> OpPtr {
         return std::make_shared<const RMSpropUpdateOp>(RMSpropAttributes{.rho = op.attributes.number("rho"),
                                                                          .momentum = op.attributes.number("momentum"),
                                                                          .epsilon = op.attributes.number("epsilon"),
                                                                          .centered = op.attributes.flag("centered")});
       }},
      {"AdadeltaUpdate", 1, max_update_inputs,
       [](const OpDescription& op) -> OpPtr {
         return std::make_shared<const AdadeltaUpdateOp>(
             AdadeltaAttributes{.rho = op.attributes.number("rho"), .epsilon = op.attributes.number("epsilon")});
       }},
      {"AdagradUpdate", 1, max_update_inputs,
       [](const OpDescription& op) -> OpPtr {
         return std::make_shared<const AdagradUpdateOp>(op.attributes.number("epsilon"));
       }},
      adam_like<AdamaxUpdateOp>(),
      {"FtrlUpdate", 1, max_update_inputs,
       [](const OpDescription& op) -> OpPtr {
         return std::make_shared<const FtrlUpdateOp>(FtrlAttributes{
             .learning_rate_power = op.attributes.number("learning_rate_power"),
             .l1_regularization_strength = op.attributes.number("l1_regularization_strength"),
             .l2_regularization_strength = op.attributes.number("l2_regularization_strength"),
             .l2_shrinkage_regularization_strength = op.attributes.number("l2_shrinkage_regularization_strength"),
             .beta = op.attributes.number("beta")});
       }},
      {"LionUpdate", 1, max_update_inputs,
       [](const OpDescription& op) -> OpPtr {
         return std::make_shared<const LionUpdateOp>(
             LionAttributes{.beta_1 = op.attributes.number("beta_1"), .beta_2 = op.attributes.number("beta_2")});
       }},
      adam_like<NadamUpdateOp>(),
      adam_like<LambDirectionOp>(),
      {"ScheduleFreeAdamWUpdate", 1, max_update_inputs,
       [](const OpDescription& op) -> OpPtr {
         const AdamAttributes rates = adam_of(op.attributes);
         return std::make_shared<const ScheduleFreeAdamWUpdateOp>(ScheduleFreeAttributes{
             .beta_1 = rates.beta_1,
             .beta_2 = rates.beta_2,
             .epsilon = rates.epsilon,
             .warmup_steps =
                 static_cast<int>(op.attributes.integer("warmup_steps", 0, std::numeric_limits<std::int32_t>::max()))});
       }},
  };
}

}  // namespace rhyton
