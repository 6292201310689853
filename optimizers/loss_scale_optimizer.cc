#include <rhyton/optimizers/loss_scale_optimizer.h>

#include <array>
#include <memory>
#include <utility>
#include <vector>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/collectives.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/serialization/config_reader.h>
#include <rhyton/framework/serialization/config_writer.h>

namespace rhyton::optimizers {
namespace {

/// Whether all elements of all gradients are finite, a bool scalar.
Tensor all_finite(const std::vector<Tensor>& gradients) {
  Tensor result;
  for (const Tensor& gradient : gradients) {
    if (gradient.is_empty()) continue;
    const Tensor finite = all(isfinite(gradient));
    result = result.is_empty() ? finite : logical_and(result, finite);
  }
  if (result.is_empty()) throw ValueError("No gradients provided for any variable.");
  return result;
}

class LossScaleOptimizerImpl final : public OptimizerImpl {
 public:
  explicit LossScaleOptimizerImpl(const LossScaleOptimizerArguments& options)
      : OptimizerImpl(LossScaleOptimizer::keras_name, {.learning_rate = 0.0, .name = options.name}),
        options_(options),
        inner_(options.inner_optimizer) {
    inner_.impl()->become_inner(name());
  }

  void build(const std::vector<Variable>& variables) override {
    if (is_built()) return;
    step_counter_ = add_own_scalar(Tensor::scalar<std::int64_t>(0), "step_counter");
    dynamic_scale_ = add_own_scalar(Tensor::full({}, options_.initial_scale, DType::float32), "dynamic_scale");
    inner_.build(variables);
    OptimizerImpl::build(variables);
  }

  void apply(const std::vector<SparseGradient>& own_gradients, const std::vector<Variable>& variables) override {
    if (own_gradients.empty()) return;
    build(variables);
    // All replicas must agree on whether all gradients are finite.
    std::vector<Tensor> own_sums;
    own_sums.reserve(own_gradients.size());
    for (const SparseGradient& gradient : own_gradients) own_sums.push_back(gradient.sum);
    const std::vector<Tensor> gradients = all_reduce(own_sums);
    const Tensor finite = all_finite(gradients);
    const Tensor scale = dynamic_scale_.value();
    const auto divided = [&](const Tensor& values) { return values / cast(scale, values.dtype()); };
    std::vector<SparseGradient> unscaled;
    for (std::size_t i = 0; i < gradients.size(); ++i) {
      unscaled.push_back({.sum = gradients[i].is_empty() ? gradients[i] : divided(gradients[i]),
                          .slices = mapped(own_gradients[i].slices, divided)});
    }

    // The step is always taken and undone if a gradient is not finite: a captured graph cannot branch.
    std::vector<Variable> changing = variables;
    for (const Variable& variable : inner_.variables()) {
      if (!variable.is_same(inner_.learning_rate_variable())) changing.push_back(variable);
    }
    std::vector<Tensor> before;
    for (const Variable& variable : changing) before.push_back(variable.value());
    inner_.impl()->apply(unscaled, variables);
    for (std::size_t i = 0; i < changing.size(); ++i) {
      changing[i].assign(where(finite, changing[i].value(), before[i]));
    }
    update_scale(finite, scale);
  }

  void update_step(const Tensor& gradient, const Variable& variable, const Tensor& learning_rate) override {
    inner_.impl()->update_step(gradient, variable, learning_rate);
  }

  std::vector<Variable> variables() const override {
    std::vector<Variable> all = OptimizerImpl::variables();
    const std::vector<Variable> inner = inner_.variables();
    all.insert(all.end(), inner.begin(), inner.end());
    return all;
  }

  Tensor scale_loss(const Tensor& loss) const override {
    return is_built() ? loss * cast(dynamic_scale_.value(), loss.dtype()) : loss * options_.initial_scale;
  }

  Optimizer inner_optimizer() const override { return inner_; }
  const Variable& learning_rate_variable() const override { return inner_.learning_rate_variable(); }
  Tensor iterations() const override { return inner_.iterations(); }
  Tensor learning_rate() const override { return inner_.learning_rate(); }
  void set_learning_rate(const LearningRate& learning_rate) override { inner_.set_learning_rate(learning_rate); }
  void finalize_variable_values() const override { inner_.finalize_variable_values(); }

  io::Json get_config() const override {
    LossScaleOptimizerArguments current = options_;
    current.name = name();
    return written(current);
  }

 private:
  void update_scale(const Tensor& finite, const Tensor& scale) {
    const Tensor count = step_counter_.value();
    const Tensor none = Tensor::scalar<std::int64_t>(0);
    const Tensor grows = equal(count, Tensor::scalar<std::int64_t>(options_.dynamic_growth_steps - 1));
    const Tensor restarts = logical_or(logical_not(finite), grows);
    step_counter_.assign(where(restarts, none, count + Tensor::scalar<std::int64_t>(1)));
    dynamic_scale_.assign(where(finite, where(grows, scale * 2.0, scale), scale * 0.5));
  }

  LossScaleOptimizerArguments options_;
  Optimizer inner_;
  Variable step_counter_;
  Variable dynamic_scale_;
};

/// Arguments that older versions of Keras also wrote, and the only value that each may have.
const std::array<std::pair<const char*, io::Json>, 9>& outdated_arguments() {
  static const std::array<std::pair<const char*, io::Json>, 9> arguments = {{{"weight_decay", nullptr},
                                                                             {"clipnorm", nullptr},
                                                                             {"global_clipnorm", nullptr},
                                                                             {"clipvalue", nullptr},
                                                                             {"use_ema", false},
                                                                             {"ema_momentum", 0.99},
                                                                             {"ema_overwrite_frequency", nullptr},
                                                                             {"loss_scale_factor", nullptr},
                                                                             {"gradient_accumulation_steps", nullptr}}};
  return arguments;
}

void check_outdated_arguments(const io::Json& config) {
  if (!config.get_or("dynamic", true)) {
    throw ValueError(
        "LossScaleOptimizer no longer supports `dynamic=False`. Instead, simply set `loss_scale_factor` directly on "
        "the `inner_optimizer`.");
  }
  for (const auto& [name, only_value] : outdated_arguments()) {
    const io::Json* const value = config.find(name);
    if (value == nullptr || *value == only_value) continue;
    throw ValueError("LossScaleOptimizer does not support `" + std::string(name) + "`. Instead, set `" + name +
                     "` on the `inner_optimizer`.");
  }
}

Optimizer require_inner(const Optimizer& inner) {
  if (inner.is_empty()) throw ValueError("LossScaleOptimizer needs an `inner_optimizer`.");
  return inner;
}

}  // namespace

LossScaleOptimizer::LossScaleOptimizer(const Optimizer& inner_optimizer, const LossScaleOptimizerOptions& options)
    : Optimizer(std::make_shared<LossScaleOptimizerImpl>(
          LossScaleOptimizerArguments{options, require_inner(inner_optimizer)})) {}

LossScaleOptimizer LossScaleOptimizer::from_config(const io::Json& config) {
  check_outdated_arguments(config);
  ConfigReader reader("optimizer", keras_name, config);
  LossScaleOptimizerArguments arguments;
  LossScaleOptimizerArguments::visit(arguments, reader);
  for (const auto& [name, only_value] : outdated_arguments()) reader.ignored(name);
  std::string unknown;
  for (const std::string& key : reader.unread_keys()) unknown += (unknown.empty() ? "`" : "`, `") + key;
  if (!unknown.empty()) throw ValueError("LossScaleOptimizer does not support arguments: " + unknown + "`.");
  return LossScaleOptimizer(arguments.inner_optimizer, arguments);
}

}  // namespace rhyton::optimizers
