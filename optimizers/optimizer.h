#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <rhyton/framework/by_name.h>
#include <rhyton/framework/io/json/json.h>
#include <rhyton/framework/ops/indexed_slices.h>
#include <rhyton/framework/tensor/tensor.h>
#include <rhyton/framework/tensor/variable.h>
#include <rhyton/optimizers/schedules/learning_rate_schedule.h>

namespace rhyton::optimizers {

/// The options of all optimizers. Fields in the order of Keras's `Optimizer`; each optimizer has its own options
/// between `learning_rate` and `weight_decay`.
struct OptimizerOptions {
  ByName by_name = ByName();
  LearningRate learning_rate = 0.001;
  /// Before each step the variables are decreased by this times the learning rate times their value.
  std::optional<double> weight_decay = std::nullopt;
  /// At most one of the three: the maximum norm of the gradient of each variable, …
  std::optional<double> clipnorm = std::nullopt;
  /// … the maximum absolute value of an element of a gradient, …
  std::optional<double> clipvalue = std::nullopt;
  /// … the maximum global norm of all gradients.
  std::optional<double> global_clipnorm = std::nullopt;
  /// Keeps a moving average of each variable: average = ema_momentum · average + (1 - ema_momentum) · variable.
  bool use_ema = false;
  double ema_momentum = 0.99;
  /// The averages replace the variables every this many steps; only at the end of `fit` if empty.
  std::optional<int> ema_overwrite_frequency = std::nullopt;
  /// Gradients are divided by it; the trainer multiplies the loss by it.
  std::optional<double> loss_scale_factor = std::nullopt;
  /// The variables are updated only every this many steps, with the mean of the gradients since the last update.
  std::optional<int> gradient_accumulation_steps = std::nullopt;
  /// Made unique from the class name ("adam", "adam_1") if empty.
  std::string name = {};

  /// Lists these members of the options of any optimizer.
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields("name", self.name);
    fields("learning_rate", self.learning_rate);
    fields("weight_decay", self.weight_decay);
    fields("clipnorm", self.clipnorm);
    fields("global_clipnorm", self.global_clipnorm);
    fields("clipvalue", self.clipvalue);
    fields("use_ema", self.use_ema);
    fields("ema_momentum", self.ema_momentum);
    fields("ema_overwrite_frequency", self.ema_overwrite_frequency);
    fields("loss_scale_factor", self.loss_scale_factor);
    fields("gradient_accumulation_steps", self.gradient_accumulation_steps);
    for (const char* const outdated : {"decay", "lr", "jit_compile", "is_legacy_optimizer"}) fields.ignored(outdated);
  }
};

/// Takes the fields of `OptimizerOptions` from the options of any optimizer.
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

/// What an update takes of a gradient that is a sum of slices, besides the sum.
enum class SliceMoment { none, squares, magnitudes };

/// A gradient that is a sum of slices gᵢ (framework/ops/indexed_slices.h), each row over its slices.
struct SummedSlices {
  /// Σgᵢ
  Tensor sum = {};
  /// Σgᵢ² or Σ|gᵢ|; empty for SliceMoment::none.
  Tensor moment = {};
};

/// The implementation of an optimizer, shared by its handles (`Optimizer`, `Adam`, …). A custom optimizer derives from
/// this class, overrides `update_step`, `make_slots` if it has slots and `get_config` if it has arguments, and is
/// wrapped by `make_optimizer<MyOptimizer>(…)`:
///
///     class Momentum final : public OptimizerImpl {
///      public:
///       explicit Momentum(const OptimizerOptions& options = {}) : OptimizerImpl("Momentum", options) {}
///       void make_slots(const std::vector<Variable>& variables) override {
///         slots_ = add_slots(variables, "momentum");
///       }
///       void update_step(const Tensor& gradient, const Variable& variable, const Tensor& learning_rate) override {
///         const Variable& slot = slots_[index_of(variable)];
///         slot.assign(0.9 * slot.value() - learning_rate * gradient);
///         variable.assign_add(slot.value());
///       }
///      private:
///       std::vector<Variable> slots_;
///     };
class OptimizerImpl {
 public:
  /// Throws ValueError in Keras's words for invalid options.
  OptimizerImpl(std::string class_name, const OptimizerOptions& options);
  virtual ~OptimizerImpl();
  OptimizerImpl(const OptimizerImpl&) = delete;
  OptimizerImpl& operator=(const OptimizerImpl&) = delete;

  /// Updates one variable and its slots by its gradient, with ops and assignments. `learning_rate` is a float scalar.
  virtual void update_step(const Tensor& gradient, const Variable& variable, const Tensor& learning_rate) = 0;
  /// The same by a gradient that is a sum of slices. By default it calls `update_step` with the sum.
  virtual void update_step_of_slices(const SummedSlices& gradient, const Variable& variable,
                                     const Tensor& learning_rate);
  /// What `update_step_of_slices` takes besides the sum. By default it throws NotImplementedError: an update that is
  /// not linear in the gradient differs, where Keras on TensorFlow computes with slices.
  virtual SliceMoment slice_moment(const Variable& variable) const;
  /// Creates the slots, once, in Keras's order.
  virtual void make_slots(const std::vector<Variable>& variables);
  /// Called before the updates of a step: for what changes once for all variables.
  virtual void begin_step() {}
  /// Whether `update_step` decays the weights too, by `decay_of`; by default they are decayed before it.
  virtual bool update_decays_weights() const { return false; }
  /// The weight decay of a variable that is not excluded from it; by default that of the options.
  virtual std::optional<double> weight_decay_of(const Variable& variable) const;
  /// The constructor arguments, in Keras's keys: those of `OptimizerOptions`, then those of the class. The learning
  /// rate is the current one.
  virtual io::Json get_config() const;

  /// Creates averages, gradient accumulators and slots for these variables, once.
  virtual void build(const std::vector<Variable>& variables);
  bool is_built() const { return built_; }

  /// One step; see `Optimizer::apply`, which keeps readers of the variables away meanwhile.
  virtual void apply(const std::vector<SparseGradient>& gradients, const std::vector<Variable>& variables);
  /// The same with gradients that are no sums of slices.
  void apply_tensors(const std::vector<Tensor>& gradients, const std::vector<Variable>& variables);
  void apply_tensors(const std::vector<Tensor>& gradients);

  /// The variables that the optimizer was built for.
  const std::vector<Variable>& trainable_variables() const { return trainable_variables_; }
  /// Its own variables: iteration, learning_rate (unless a schedule gives it), averages, accumulators, slots; in the
  /// order of saved files.
  virtual std::vector<Variable> variables() const;
  /// Excludes from weight decay the variables given and those in whose name one of the regular expressions is found.
  void exclude_from_weight_decay(const std::vector<Variable>& variables, const std::vector<std::string>& names);
  /// Sets the variables to their averages if `use_ema` is on; called at the end of `fit`.
  virtual void finalize_variable_values() const;
  /// The loss times the divisor of the gradients; see `Optimizer::scale_loss`.
  virtual Tensor scale_loss(const Tensor& loss) const;
  /// The optimizer that this one wraps (LossScaleOptimizer); empty for all others.
  virtual Optimizer inner_optimizer() const;
  /// The optimizers among which this one divides its variables (MultiOptimizer); none for all others.
  virtual std::vector<Optimizer> parts() const;
  /// The averages of the variables, in their order; none before `build` and without `use_ema`.
  const std::vector<Variable>& averages() const { return averages_; }
  /// For optimizers that wrap another: disables this one's own scaling, and makes the paths of its slots begin with the
  /// outer optimizer's name.
  virtual void become_inner(const std::string& outer_name);
  /// The divisor of the gradients, and factor of the loss; none if empty.
  virtual void set_loss_scale_factor(std::optional<double> factor) { options_.loss_scale_factor = factor; }

  const std::string& class_name() const { return class_name_; }
  const std::string& name() const { return options_.name; }
  const OptimizerOptions& options() const { return options_; }
  const Variable& iteration_variable() const { return iteration_; }
  virtual const Variable& learning_rate_variable() const { return learning_rate_; }
  /// The number of steps: calls of `apply` divided by `gradient_accumulation_steps`. An int64 scalar.
  virtual Tensor iterations() const;
  virtual Tensor learning_rate() const;
  virtual void set_learning_rate(const LearningRate& learning_rate);

 protected:
  /// Adds a scalar variable of the optimizer, created when it is built, that belongs to no trained variable.
  Variable add_own_scalar(const Tensor& value, const std::string& name);
  /// Adds a variable with that value and name.
  Variable add_variable(const Tensor& value, const std::string& name);
  /// Adds a variable of the reference's shape and dtype, all elements that value, named `<path of the
  /// reference>_<name>`.
  Variable add_variable_from_reference(const Variable& reference, const std::string& name, double value = 0.0);
  /// Adds one such slot per variable.
  std::vector<Variable> add_slots(const std::vector<Variable>& variables, const std::string& name, double value = 0.0);
  /// The weight decay of a variable; none if it is excluded from it.
  std::optional<double> decay_of(const Variable& variable) const;
  /// The index of a variable, in the order of `build`.
  std::size_t index_of(const Variable& variable) const { return indices_.at(variable.identity()); }

 private:
  /// A gradient over all replicas; of slices, with the sums that the step takes.
  struct StepGradient {
    Tensor sum = {};
    Tensor squares = {};
    Tensor magnitudes = {};
    bool is_sparse = false;
  };

  Variable add_scalar(const Tensor& value, const std::string& name) const;
  void require_known(const std::vector<Variable>& variables) const;
  std::vector<StepGradient> over_replicas(const std::vector<SparseGradient>& gradients,
                                          const std::vector<Variable>& variables) const;
  StepGradient own_part(const SparseGradient& gradient, const Variable& variable) const;
  void step(std::vector<StepGradient> gradients, const std::vector<Variable>& variables);
  void accumulate_or_step(const std::vector<StepGradient>& gradients, const std::vector<Variable>& variables);
  std::vector<StepGradient> clipped(std::vector<StepGradient> gradients) const;
  void decay_weights(const std::vector<Variable>& variables, const Tensor& learning_rate) const;
  bool decays(const Variable& variable) const;
  void update_averages() const;
  static void apply_constraints(const std::vector<Variable>& variables);

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
  /// The prefix of the slots' paths: "adam/", "loss_scale_optimizer/adam/".
  std::string slot_scope_;
  bool built_ = false;
  /// Whether an outer optimizer has already summed the gradients of the replicas.
  bool is_inner_ = false;
};

/// An optimizer, which updates variables by gradients to minimize a loss: a handle; copies are the same optimizer with
/// the same state.
///
///     optimizers::Adam adam({.learning_rate = 1e-3});
///     adam.apply(tape.gradient(loss, weights), weights);
///
/// https://keras.io/api/optimizers/
class Optimizer {
 public:
  /// No optimizer.
  Optimizer() = default;
  /// A new optimizer of that class with default arguments: "adam", "SGD", in any case. Throws ValueError "Could not
  /// interpret optimizer identifier: …" for an unknown name.
  Optimizer(const std::string& identifier);                                  // NOLINT(google-explicit-constructor)
  Optimizer(const char* identifier) : Optimizer(std::string(identifier)) {}  // NOLINT(google-explicit-constructor)
  explicit Optimizer(std::shared_ptr<OptimizerImpl> impl) : impl_(std::move(impl)) {}

  /// Creates its variables for these; `apply` does it if necessary.
  void build(const std::vector<Variable>& variables) const { impl_->build(variables); }
  bool is_built() const { return impl_->is_built(); }

  /// Applies one step, in Keras's order: gradients summed over the replicas, if there are several
  /// (framework/ops/collectives.h), divided by loss_scale_factor (accumulated), clipped; weight decay; the update;
  /// averages; the constraints of the variables (`Variable::constraint`), also where gradients are only accumulated;
  /// iterations + 1. An empty gradient leaves its variable unchanged. Executed eagerly it takes effect at
  /// once; in a trace it becomes part of the graph. Throws ValueError in Keras's words when all gradients are empty and
  /// for variables that the optimizer was not built for.
  void apply(const std::vector<Tensor>& gradients, const std::vector<Variable>& variables) const;
  /// The same for the variables that the optimizer was built for.
  void apply(const std::vector<Tensor>& gradients) const;
  /// The same with gradients of which some are sums of slices (`GradientTape::sparse_gradient`), as Keras applies
  /// `tf.IndexedSlices`: moments of squares and `clipnorm` take the squares of the slices, `clipvalue` clips each
  /// slice, `global_clipnorm` takes their squares and goes on with sums, `gradient_accumulation_steps` takes sums.
  /// Throws TypeError for slices with a `loss_scale_factor`, NotImplementedError for slices that a custom optimizer
  /// does not take (`OptimizerImpl::slice_moment`). A template, so that `{g, h}` always means tensors.
  template <std::same_as<std::vector<SparseGradient>> Gradients>
  void apply(const Gradients& gradients, const std::vector<Variable>& variables) const {
    apply_sparse(gradients, variables);
  }
  /// The same for pairs of gradient and variable.
  void apply_gradients(const std::vector<std::pair<Tensor, Variable>>& gradients_and_variables) const;

  /// Its own variables: iteration, learning_rate (unless a schedule gives it), averages, accumulators, slots.
  std::vector<Variable> variables() const { return impl_->variables(); }
  /// The number of steps, an int64 scalar.
  Tensor iterations() const { return impl_->iterations(); }
  /// The learning rate of the next step, a scalar.
  Tensor learning_rate() const { return impl_->learning_rate(); }
  /// Sets the learning rate. A number sets the variable, also for compiled graphs; a schedule takes effect at the next
  /// trace. Throws TypeError in Keras's words for a number if a schedule gives the learning rate.
  void set_learning_rate(const LearningRate& learning_rate) const { impl_->set_learning_rate(learning_rate); }
  /// The learning rate variable; empty if a schedule gives the learning rate.
  const Variable& learning_rate_variable() const { return impl_->learning_rate_variable(); }
  /// See `OptimizerImpl::exclude_from_weight_decay`. Throws ValueError if the optimizer is built.
  void exclude_from_weight_decay(const std::vector<Variable>& variables,
                                 const std::vector<std::string>& names = {}) const {
    impl_->exclude_from_weight_decay(variables, names);
  }
  /// The loss times `loss_scale_factor`, if there is one; LossScaleOptimizer multiplies by its current scale.
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

 private:
  void apply_sparse(const std::vector<SparseGradient>& gradients, const std::vector<Variable>& variables) const;
};

/// Wraps a custom optimizer: `Optimizer momentum = make_optimizer<Momentum>();`
template <class Impl, class... Arguments>
Optimizer make_optimizer(Arguments&&... arguments) {
  return Optimizer(std::make_shared<Impl>(std::forward<Arguments>(arguments)...));
}

/// Writes {"module": "keras.optimizers", "class_name", "config", "registered_name"}. (`keras.optimizers.serialize`)
io::Json serialize(const Optimizer& optimizer);
/// Creates the optimizer that `serialize` has written, without its variables, or the one of a string. Throws TypeError
/// for an unknown class, ValueError for unknown arguments. (`keras.optimizers.deserialize`)
Optimizer deserialize(const io::Json& serialized);
/// Registers a custom optimizer for `deserialize` and for the string of that name. Saved models name it
/// "package>class_name".
void register_optimizer(const std::string& class_name, std::function<Optimizer(const io::Json& config)> factory,
                        const std::string& package = "Custom");

}  // namespace rhyton::optimizers
