#include <rhyton/optimizers/multi_optimizer.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <rhyton/framework/error.h>
#include <rhyton/optimizers/optimizer_config.h>

namespace rhyton::optimizers {
namespace {

class MultiOptimizerImpl final : public OptimizerImpl {
 public:
  explicit MultiOptimizerImpl(const MultiOptimizerArguments& options)
      : MultiOptimizerImpl(options.optimizer_map, options) {
    map_ = options.optimizer_map;
    for (const auto& [key, optimizer] : map_.entries()) add_part(optimizer);
    add_part(map_.default_optimizer());
  }
  MultiOptimizerImpl(OptimizerSelector selector, const MultiOptimizerOptions& options)
      : OptimizerImpl(MultiOptimizer::keras_name,
                      {.learning_rate = 0.0, .loss_scale_factor = options.loss_scale_factor, .name = options.name}),
        selector_(std::move(selector)) {}

  void build(const std::vector<Variable>& variables) override {
    if (is_built()) return;
    std::vector<std::size_t> part_of;
    for (const Variable& variable : variables) {
      const Optimizer optimizer = selector_(variable);
      if (optimizer.is_empty()) {
        throw ValueError("Optimizer for variable " + variable.path() + " is not an Optimizer instance.");
      }
      part_of.push_back(add_part(optimizer));
    }
    part_of_ = std::move(part_of);
    std::vector<std::vector<Variable>> divided(parts_.size());
    for (std::size_t i = 0; i < variables.size(); ++i) divided[part_of_[i]].push_back(variables[i]);
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      if (!divided[i].empty()) parts_[i].build(divided[i]);
    }
    OptimizerImpl::build(variables);
  }

  void apply(const std::vector<SparseGradient>& gradients, const std::vector<Variable>& variables) override {
    if (gradients.empty()) return;
    build(variables);
    if (gradients.size() != trainable_variables().size() || gradients.size() != variables.size()) {
      throw ValueError("Gradients must match trainable variables one-to-one. Received " +
                       std::to_string(gradients.size()) + " gradients and " +
                       std::to_string(trainable_variables().size()) + " variables.");
    }
    std::vector<std::vector<SparseGradient>> divided_gradients(parts_.size());
    std::vector<std::vector<Variable>> divided(parts_.size());
    for (std::size_t i = 0; i < variables.size(); ++i) {
      const std::size_t part = part_of_[index_of(variables[i])];
      divided_gradients[part].push_back(gradients[i]);
      divided[part].push_back(variables[i]);
    }
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      if (!divided[i].empty()) parts_[i].impl()->apply(divided_gradients[i], divided[i]);
    }
    iteration_variable().assign_add(Tensor::scalar<std::int64_t>(1));
  }

  void update_step(const Tensor& gradient, const Variable& variable, const Tensor& learning_rate) override {
    parts_[part_of_[index_of(variable)]].impl()->update_step(gradient, variable, learning_rate);
  }

  std::vector<Variable> variables() const override {
    std::vector<Variable> all = OptimizerImpl::variables();
    for (const Optimizer& part : parts_) {
      const std::vector<Variable> own = part.variables();
      all.insert(all.end(), own.begin(), own.end());
    }
    return all;
  }

  std::vector<Optimizer> parts() const override { return parts_; }

  void finalize_variable_values() const override {
    for (const Optimizer& part : parts_) part.finalize_variable_values();
  }

  void become_inner(const std::string& outer_name) override {
    OptimizerImpl::become_inner(outer_name);
    outer_name_ = outer_name;
    for (const Optimizer& part : parts_) part.impl()->become_inner(outer_name);
  }

  void set_loss_scale_factor(std::optional<double> factor) override {
    OptimizerImpl::set_loss_scale_factor(factor);
    for (const Optimizer& part : parts_) part.impl()->set_loss_scale_factor(factor);
  }

  Tensor learning_rate() const override {
    throw RuntimeError(
        "Learning rate cannot be accessed on a MultiOptimizer. Access the learning rate on the individual "
        "sub-optimizers instead.");
  }

  void set_learning_rate(const LearningRate& /*learning_rate*/) override {
    throw RuntimeError(
        "Learning rate cannot be set on a MultiOptimizer. Set the learning rate on the individual sub-optimizers "
        "instead.");
  }

  io::Json get_config() const override {
    if (map_.is_empty()) {
      throw ValueError(
          "A MultiOptimizer with a function cannot be serialized: the function is C++ code, which a file cannot hold. "
          "Give it an OptimizerMap, or save the weights alone with `save_weights`.");
    }
    MultiOptimizerArguments current;
    current.optimizer_map = map_;
    current.loss_scale_factor = options().loss_scale_factor;
    current.name = name();
    return written(current);
  }

 private:
  std::size_t index_of_part(const Optimizer& optimizer) const {
    const auto found =
        std::find_if(parts_.begin(), parts_.end(), [&](const Optimizer& part) { return part.is_same(optimizer); });
    return static_cast<std::size_t>(found - parts_.begin());
  }

  /// Adds an optimizer, unless it is there; returns its number.
  std::size_t add_part(const Optimizer& optimizer) {
    if (!optimizer.impl()->inner_optimizer().is_empty()) {
      throw ValueError("LossScaleOptimizer cannot be used inside an MultiOptimizer.");
    }
    if (optimizer.impl()->class_name() == MultiOptimizer::keras_name) {
      throw ValueError("MultiOptimizer cannot be used inside an MultiOptimizer.");
    }
    const std::size_t index = index_of_part(optimizer);
    if (index < parts_.size()) return index;
    optimizer.impl()->set_loss_scale_factor(options().loss_scale_factor);
    if (outer_name_) optimizer.impl()->become_inner(*outer_name_);
    parts_.push_back(optimizer);
    return index;
  }

  OptimizerSelector selector_;
  /// What the selector looks up; empty for a function.
  OptimizerMap map_;
  std::optional<std::string> outer_name_;
  std::vector<Optimizer> parts_;
  /// The part of each variable, in the order of `build`.
  std::vector<std::size_t> part_of_;
};

MultiOptimizerArguments with_map(const OptimizerMap& optimizer_map, const MultiOptimizerOptions& options) {
  if (optimizer_map.is_empty()) throw ValueError("MultiOptimizer needs an `optimizer_map`.");
  return {options, optimizer_map};
}

OptimizerSelector callable(const OptimizerSelector& selector) {
  if (!selector) throw ValueError("MultiOptimizer needs an `optimizer_map`, or a function in its place.");
  return selector;
}

}  // namespace

MultiOptimizer::MultiOptimizer(const OptimizerMap& optimizer_map, const MultiOptimizerOptions& options)
    : Optimizer(std::make_shared<MultiOptimizerImpl>(with_map(optimizer_map, options))) {}

MultiOptimizer::MultiOptimizer(const OptimizerSelector& selector, const MultiOptimizerOptions& options)
    : Optimizer(std::make_shared<MultiOptimizerImpl>(callable(selector), options)) {}

MultiOptimizer MultiOptimizer::from_config(const io::Json& config) {
  const auto arguments = read_optimizer<MultiOptimizer>(config);
  return MultiOptimizer(arguments.optimizer_map, arguments);
}

}  // namespace rhyton::optimizers
