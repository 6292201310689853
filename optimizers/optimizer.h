#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <rhyton/framework/by_name.h>
#include <rhyton/framework/io/json.h>
#include <rhyton/framework/tensor/tensor.h>
#include <rhyton/framework/tensor/variable.h>
#include <rhyton/optimizers/schedules/learning_rate_schedule.h>

namespace rhyton::optimizers {

/// What all optimizers are made with. Fields in the order of Keras's `Optimizer`; each optimizer has its own between
/// `learning_rate` and `weight_decay`.
struct OptimizerOptions {
  ByName by_name = ByName();
  LearningRate learning_rate = 0.001;
  /// Before each step the variables shrink by this times the learning rate.
  std::optional<double> weight_decay = std::nullopt;
  /// At most one of the three: the largest norm of the gradient of each variable, …
  std::optional<double> clipnorm = std::nullopt;
  /// … the largest size of an element of a gradient, …
  std::optional<double> clipvalue = std::nullopt;
  /// … the largest norm of all gradients together.
  std::optional<double> global_clipnorm = std::nullopt;
  /// Keeps a moving average of each variable: average = ema_momentum · average + (1 - ema_momentum) · variable.
  bool use_ema = false;
  double ema_momentum = 0.99;
  /// Every so many steps the averages replace the variables; only at the end of `fit` where empty.
  std::optional<int> ema_overwrite_frequency = std::nullopt;
  /// Gradients are divided by it; the trainer has multiplied the loss by it.
  std::optional<double> loss_scale_factor = std::nullopt;
  /// The variables change only every so many steps, by the mean of the gradients since the last change.
  std::optional<int> gradient_accumulation_steps = std::nullopt;
  /// Made unique from the class name ("adam", "adam_1") where empty.
  std::string name = {};
};

/// The fields of `OptimizerOptions` out of the options of any optimizer.
template <class Options>
OptimizerOptions base_options(const Options& options) {
  return {.learning_rate = options.learning_rate,
          .weight_decay = options.weight_decay,
          .clipnorm = options.clipnorm,
          .clipvalue = options.clipvalue,
          .global_clipnorm = options.global_clipnorm,
          .use_ema = options.use_ema,
          .ema_momentum = options.ema_momentum,
          .ema_overwrite_frequency = options.ema_overwrite_frequency,
          .loss_scale_factor = options.loss_scale_factor,
          .gradient_accumulation_steps = options.gradient_accumulation_steps,
          .name = options.name};
}

class Optimizer;

/// What an optimizer keeps and does. Handles (`Optimizer`, `Adam`, …) share it. An optimizer of one's own derives from
/// this class, overrides `update_step`, `make_slots` if it has slots and `get_config` if it has arguments, and is
/// wrapped by `make_optimizer<MyOptimizer>(…)`:
///
///     class Momentum final : public OptimizerImpl {
///      public:
///       explicit Momentum(const OptimizerOptions& options = {}) : OptimizerImpl("Momentum", options) {}
///       void make_slots(const std::vector<Variable>& variables) override { slots_ = add_slots(variables, "momentum");
///       } void update_step(const Tensor& gradient, const Variable& variable, const Tensor& learning_rate) override {
///         const Variable& slot = slots_[index_of(variable)];
///         slot.assign(0.9 * slot.value() - learning_rate * gradient);
///         variable.assign_add(slot.value());
///       }
///      private:
///       std::vector<Variable> slots_;
///     };
class OptimizerImpl {
 public:
  /// Throws ValueError in Keras's words for options that cannot be.
  OptimizerImpl(std::string class_name, const OptimizerOptions& options);
  virtual ~OptimizerImpl();
  OptimizerImpl(const OptimizerImpl&) = delete;
  OptimizerImpl& operator=(const OptimizerImpl&) = delete;

  /// Changes one variable, and its slots, by its gradient, with ops and assignments. `learning_rate` is a float scalar.
  virtual void update_step(const Tensor& gradient, const Variable& variable, const Tensor& learning_rate) = 0;
  /// Makes the slots, once, in Keras's order.
  virtual void make_slots(const std::vector<Variable>& variables);
  /// The arguments it was made with, in Keras's keys: those of `OptimizerOptions`, then those of the class. The
  /// learning rate is what it is now.
  virtual io::Json get_config() const;

  /// Makes averages, gradient accumulators and slots for these variables, once.
  virtual void build(const std::vector<Variable>& variables);
  bool is_built() const { return built_; }

  /// One step; see `Optimizer::apply`.
  virtual void apply(const std::vector<Tensor>& gradients, const std::vector<Variable>& variables);
  void apply(const std::vector<Tensor>& gradients);

  /// The variables that it was built for.
  const std::vector<Variable>& trainable_variables() const { return trainable_variables_; }
  /// Its own: iteration, learning_rate (unless a schedule gives it), averages, accumulators, slots; the order of the
  /// file.
  virtual std::vector<Variable> variables() const;
  /// Keeps variables from weight decay: those given, and those in whose name one of the regular expressions is found.
  void exclude_from_weight_decay(const std::vector<Variable>& variables, const std::vector<std::string>& names);
  /// Sets the variables to their averages where `use_ema` is on: the end of `fit`.
  virtual void finalize_variable_values() const;
  /// The loss times what gradients are divided by; see `Optimizer::scale_loss`.
  virtual Tensor scale_loss(const Tensor& loss) const;
  /// The optimizer that this one wraps (LossScaleOptimizer); empty for all others.
  virtual Optimizer inner_optimizer() const;
  /// For optimizers that wrap another: this one's own scaling is left out, and the paths of its slots begin with the
  /// other's name.
  void become_inner(const std::string& outer_name);

  const std::string& class_name() const { return class_name_; }
  const std::string& name() const { return options_.name; }
  const OptimizerOptions& options() const { return options_; }
  const Variable& iteration_variable() const { return iteration_; }
  virtual const Variable& learning_rate_variable() const { return learning_rate_; }
  /// The steps done: calls of `apply` over `gradient_accumulation_steps`. An int64 scalar.
  virtual Tensor iterations() const;
  virtual Tensor learning_rate() const;
  virtual void set_learning_rate(const LearningRate& learning_rate);

 protected:
  /// A variable of the optimizer itself, made when it is built, that no trained variable belongs to.
  Variable add_own_scalar(const Tensor& value, const std::string& name);
  /// Zeros of the reference's shape and dtype, called `<path of the reference>_<name>`.
  Variable add_variable_from_reference(const Variable& reference, const std::string& name);
  /// One such slot per variable.
  std::vector<Variable> add_slots(const std::vector<Variable>& variables, const std::string& name);
  /// The number of a variable, in the order of `build`.
  std::size_t index_of(const Variable& variable) const { return indices_.at(variable.identity()); }

 private:
  Variable add_scalar(const Tensor& value, const std::string& name) const;
  void require_known(const std::vector<Variable>& variables) const;
  void step(std::vector<Tensor> gradients, const std::vector<Variable>& variables);
  void accumulate_or_step(const std::vector<Tensor>& gradients, const std::vector<Variable>& variables);
  std::vector<Tensor> clipped(std::vector<Tensor> gradients) const;
  void decay_weights(const std::vector<Variable>& variables, const Tensor& learning_rate) const;
  bool decays(const Variable& variable) const;
  void update_averages() const;

  std::string class_name_;
  OptimizerOptions options_;
  Variable iteration_;
  Variable learning_rate_;
  std::vector<Variable> trainable_variables_;
  std::unordered_map<const void*, std::size_t> indices_;
  std::vector<Variable> averages_;
  std::vector<Variable> accumulators_;
  std::vector<Variable> own_variables_;
  std::vector<Variable> excluded_variables_;
  std::vector<std::string> excluded_names_;
  /// Before the names of slots in their paths: "adam/", "loss_scale_optimizer/adam/".
  std::string slot_scope_;
  bool built_ = false;
  /// Whether the optimizer around it has summed the gradients of the replicas.
  bool is_inner_ = false;
};

/// A rule that changes variables by gradients so that a loss becomes small: a handle; copies are the same optimizer
/// with the same state.
///
///     optimizers::Adam adam({.learning_rate = 1e-3});
///     adam.apply(tape.gradient(loss, weights), weights);
///
/// https://keras.io/api/optimizers/
class Optimizer {
 public:
  /// No optimizer.
  Optimizer() = default;
  /// A new one of that class with default arguments: "adam", "SGD", in any case. Throws ValueError "Could not interpret
  /// optimizer identifier: …" for an unknown name.
  Optimizer(const std::string& identifier);                                  // NOLINT(google-explicit-constructor)
  Optimizer(const char* identifier) : Optimizer(std::string(identifier)) {}  // NOLINT(google-explicit-constructor)
  explicit Optimizer(std::shared_ptr<OptimizerImpl> impl) : impl_(std::move(impl)) {}

  /// Makes its variables for these; `apply` does it where it has not been done.
  void build(const std::vector<Variable>& variables) const { impl_->build(variables); }
  bool is_built() const { return impl_->is_built(); }

  /// One step, in Keras's order: gradients summed over the replicas, where there are several
  /// (framework/ops/collectives.h), divided by loss_scale_factor (accumulated), clipped; weight decay; the
  /// update; averages; iterations + 1. An empty gradient leaves its variable alone. Run eagerly it acts at once, in a
  /// trace it becomes part of the graph. Throws ValueError in Keras's words when all gradients are empty and for
  /// variables that it was not built for.
  void apply(const std::vector<Tensor>& gradients, const std::vector<Variable>& variables) const {
    impl_->apply(gradients, variables);
  }
  /// The same for the variables that it was built for.
  void apply(const std::vector<Tensor>& gradients) const { impl_->apply(gradients); }
  /// The same for pairs.
  void apply_gradients(const std::vector<std::pair<Tensor, Variable>>& gradients_and_variables) const;

  /// Its own variables: iteration, learning_rate (unless a schedule gives it), averages, accumulators, slots.
  std::vector<Variable> variables() const { return impl_->variables(); }
  /// The steps done, an int64 scalar.
  Tensor iterations() const { return impl_->iterations(); }
  /// The learning rate of the next step, a scalar.
  Tensor learning_rate() const { return impl_->learning_rate(); }
  /// A number sets the variable, also for graphs that are compiled already; a schedule acts at the next trace. Throws
  /// TypeError in Keras's words for a number where a schedule gives the learning rate.
  void set_learning_rate(const LearningRate& learning_rate) const { impl_->set_learning_rate(learning_rate); }
  /// The variable behind the learning rate; empty where a schedule gives it.
  const Variable& learning_rate_variable() const { return impl_->learning_rate_variable(); }
  /// See `OptimizerImpl::exclude_from_weight_decay`. Throws ValueError when it is built already.
  void exclude_from_weight_decay(const std::vector<Variable>& variables,
                                 const std::vector<std::string>& names = {}) const {
    impl_->exclude_from_weight_decay(variables, names);
  }
  /// The loss times `loss_scale_factor`, if there is one; LossScaleOptimizer multiplies by its scale of now.
  Tensor scale_loss(const Tensor& loss) const { return impl_->scale_loss(loss); }
  /// See `OptimizerImpl::finalize_variable_values`.
  void finalize_variable_values() const { impl_->finalize_variable_values(); }

  bool is_empty() const { return impl_ == nullptr; }
  bool is_same(const Optimizer& other) const { return impl_ == other.impl_; }
  const std::string& name() const { return impl_->name(); }
  const std::string& class_name() const { return impl_->class_name(); }
  io::Json get_config() const { return impl_->get_config(); }

  const std::shared_ptr<OptimizerImpl>& impl() const { return impl_; }

 protected:
  std::shared_ptr<OptimizerImpl> impl_;
};

/// Wraps an optimizer of one's own: `Optimizer momentum = make_optimizer<Momentum>();`
template <class Impl, class... Arguments>
Optimizer make_optimizer(Arguments&&... arguments) {
  return Optimizer(std::make_shared<Impl>(std::forward<Arguments>(arguments)...));
}

/// {"module": "keras.optimizers", "class_name", "config", "registered_name"}. (`keras.optimizers.serialize`)
io::Json serialize(const Optimizer& optimizer);
/// The optimizer that `serialize` has written, without its variables; or a string. Throws TypeError for an unknown
/// class, ValueError for unknown arguments. (`keras.optimizers.deserialize`)
Optimizer deserialize(const io::Json& serialized);
/// Lets `deserialize`, and the string of that name, make objects of a class of one's own. Saved models name it
/// "package>class_name".
void register_optimizer(const std::string& class_name, std::function<Optimizer(const io::Json& config)> factory,
                        const std::string& package = "Custom");

}  // namespace rhyton::optimizers
