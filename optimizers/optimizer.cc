#include <rhyton/optimizers/optimizer.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <shared_mutex>

#include <rhyton/framework/context.h>
#include <rhyton/framework/device/device_scope.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/collectives.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/listeners.h>
#include <rhyton/framework/regular_expression.h>
#include <rhyton/framework/tensor/step_mutex.h>
#include <rhyton/optimizers/class_names.h>
#include <rhyton/optimizers/clipping.h>
#include <rhyton/optimizers/optimizer_config.h>
#include <rhyton/optimizers/schedules/decay_steps.h>

namespace rhyton::optimizers {
namespace {

Tensor int64_scalar(std::int64_t value) { return Tensor::scalar<std::int64_t>(value); }

/// floor(count / divisor), exact for any count that a program reaches.
Tensor floor_divide(const Tensor& count, int divisor) {
  return cast(floor(cast(count, DType::float64) / static_cast<double>(divisor)), DType::int64);
}

Tensor is_multiple(const Tensor& count, int divisor) { return equal(floor_divide(count, divisor) * divisor, count); }

// As in Keras, a limit that is not positive has no effect.
bool is_limit(const std::optional<double>& limit) { return limit.value_or(0.0) > 0.0; }

bool has_norm(const OptimizerOptions& options) {
  return is_limit(options.clipnorm) || is_limit(options.global_clipnorm);
}

bool clips_values(const OptimizerOptions& options) { return is_limit(options.clipvalue) && !has_norm(options); }

Tensor square_of(const Tensor& x) { return square(x); }
Tensor magnitude_of(const Tensor& x) { return abs(x); }

}  // namespace

OptimizerImpl::OptimizerImpl(std::string class_name, const OptimizerOptions& options)
    : class_name_(std::move(class_name)), options_(options) {
  check_options(options_);
  if (options_.name.empty()) options_.name = automatic_name(class_name_);
  slot_scope_ = options_.name + "/";
  iteration_ = add_scalar(int64_scalar(0), "iteration");
  if (!options_.learning_rate.is_schedule()) {
    const DType dtype = dtype_from_name(context().floatx());
    learning_rate_ = add_scalar(Tensor::full({}, options_.learning_rate.value(), dtype), "learning_rate");
  }
}

OptimizerImpl::~OptimizerImpl() = default;

void OptimizerImpl::make_slots(const std::vector<Variable>& /*variables*/) {}

void OptimizerImpl::update_step_of_slices(const SummedSlices& gradient, const Variable& variable,
                                          const Tensor& learning_rate) {
  update_step(gradient.sum, variable, learning_rate);
}

SliceMoment OptimizerImpl::slice_moment(const Variable& variable) const {
  throw NotImplementedError("Optimizer '" + name() + "' (" + class_name() +
                            ") has no update by slices, but the gradient of variable '" + variable.path() +
                            "' is a sum of slices, of lookups of its rows. Override `slice_moment`, or train without "
                            "`sparse_embedding_gradients`.");
}

void OptimizerImpl::build(const std::vector<Variable>& variables) {
  if (built_) return;
  trainable_variables_ = variables;
  for (std::size_t i = 0; i < variables.size(); ++i) indices_[variables[i].identity()] = i;
  if (options_.use_ema) averages_ = add_slots(variables, "average");
  if (options_.gradient_accumulation_steps) accumulators_ = add_slots(variables, "gradient_accumulator");
  make_slots(variables);
  built_ = true;
}

std::vector<Variable> OptimizerImpl::variables() const {
  std::vector<Variable> all{iteration_};
  if (!learning_rate_.is_empty()) all.push_back(learning_rate_);
  all.insert(all.end(), own_variables_.begin(), own_variables_.end());
  return all;
}

Variable OptimizerImpl::add_scalar(const Tensor& value, const std::string& name) const {
  const InitScope scope;
  return Variable(value, {.trainable = false, .name = name, .path = options_.name + "/" + name});
}

Variable OptimizerImpl::add_own_scalar(const Tensor& value, const std::string& name) {
  own_variables_.push_back(add_scalar(value, name));
  return own_variables_.back();
}

Variable OptimizerImpl::add_variable(const Tensor& value, const std::string& name) {
  const InitScope scope;
  own_variables_.emplace_back(value, VariableOptions{.trainable = false, .name = name, .path = slot_scope_ + name});
  return own_variables_.back();
}

Variable OptimizerImpl::add_variable_from_reference(const Variable& reference, const std::string& name, double value) {
  std::string whole_name = reference.path();
  std::replace(whole_name.begin(), whole_name.end(), '/', '_');
  // In the reference's task, as in TensorFlow: an update needs both.
  LogicalDevice& home = reference.stored_value().device();
  std::optional<DeviceScope> there;
  if (home.is_remote() || current_device().is_remote()) there.emplace(home);
  return add_variable(Tensor::full(reference.shape(), value, reference.dtype()), whole_name + "_" + name);
}

std::vector<Variable> OptimizerImpl::add_slots(const std::vector<Variable>& variables, const std::string& name,
                                               double value) {
  std::vector<Variable> slots;
  slots.reserve(variables.size());
  for (const Variable& variable : variables) slots.push_back(add_variable_from_reference(variable, name, value));
  return slots;
}

Tensor OptimizerImpl::iterations() const {
  const Tensor calls = iteration_.value();
  return options_.gradient_accumulation_steps ? floor_divide(calls, *options_.gradient_accumulation_steps) : calls;
}

Tensor OptimizerImpl::learning_rate() const {
  // As in Keras, a schedule counts every call, including calls that only accumulate.
  return learning_rate_.is_empty() ? options_.learning_rate.schedule()(iteration_.value()) : learning_rate_.value();
}

void OptimizerImpl::set_learning_rate(const LearningRate& learning_rate) {
  if (learning_rate.is_schedule()) {
    options_.learning_rate = learning_rate;
    learning_rate_ = Variable();
    return;
  }
  if (learning_rate_.is_empty()) {
    throw TypeError(
        "This optimizer was created with a `LearningRateSchedule` object as its `learning_rate` constructor argument, "
        "hence its learning rate is not settable. If you need the learning rate to be settable, you should instantiate "
        "the optimizer with a float `learning_rate` argument.");
  }
  schedules::require_learning_rate("learning_rate", learning_rate.value());
  learning_rate_.assign(Tensor::full({}, learning_rate.value(), learning_rate_.dtype()));
}

void OptimizerImpl::require_known(const std::vector<Variable>& variables) const {
  for (const Variable& variable : variables) {
    if (indices_.contains(variable.identity())) continue;
    throw ValueError("Unknown variable: <Variable path=" + variable.path() + ", shape=" + variable.shape().to_string() +
                     ", dtype=" + std::string(name_of(variable.dtype())) +
                     ">. This optimizer can only be called for the variables it was originally built with. When "
                     "working with a new set of variables, you should recreate a new optimizer instance.");
  }
}

void OptimizerImpl::apply_tensors(const std::vector<Tensor>& gradients) {
  if (gradients.empty()) return;
  if (!built_) {
    throw ValueError(
        "When passing `grads` without `variables`, the optimizer must already be built on a list of variables. Call "
        "`optimizer.build(trainable_variables)` first. ");
  }
  if (gradients.size() != trainable_variables_.size()) {
    throw ValueError(
        "When passing `grads` as a list of gradient tensors, the gradients must match `optimizer.variables` one-to-on. "
        "Received a list of " +
        std::to_string(gradients.size()) + " gradients, but the optimizer is tracking " +
        std::to_string(trainable_variables_.size()) + " trainable variables.");
  }
  apply_tensors(gradients, trainable_variables_);
}

void OptimizerImpl::apply_tensors(const std::vector<Tensor>& gradients, const std::vector<Variable>& variables) {
  apply(without_slices(gradients), variables);
}

void OptimizerImpl::apply(const std::vector<SparseGradient>& gradients, const std::vector<Variable>& variables) {
  if (gradients.empty()) return;
  if (gradients.size() != variables.size()) {
    throw ValueError("Received " + std::to_string(gradients.size()) + " gradients for " +
                     std::to_string(variables.size()) + " variables.");
  }
  build(variables);
  require_known(variables);

  const std::vector<StepGradient> sums = over_replicas(gradients, variables);
  std::vector<StepGradient> present_gradients;
  std::vector<Variable> present_variables;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    if (sums[i].sum.is_empty()) continue;
    StepGradient gradient = sums[i];
    gradient.sum = cast(gradient.sum, variables[i].dtype());
    if (options_.loss_scale_factor) gradient.sum = gradient.sum / *options_.loss_scale_factor;
    present_gradients.push_back(std::move(gradient));
    present_variables.push_back(variables[i]);
  }
  if (present_gradients.empty()) throw ValueError("No gradients provided for any variable.");

  if (options_.gradient_accumulation_steps) {
    accumulate_or_step(present_gradients, present_variables);
  } else {
    step(std::move(present_gradients), present_variables);
  }
  if (options_.use_ema) update_averages();
  apply_constraints(present_variables);
  iteration_.assign_add(int64_scalar(1));
}

OptimizerImpl::StepGradient OptimizerImpl::own_part(const SparseGradient& gradient, const Variable& variable) const {
  if (!gradient.is_sparse()) return {.sum = gradient.sum};
  if (options_.loss_scale_factor) {
    throw TypeError("The gradient of variable '" + variable.path() +
                    "' is a sum of slices, which cannot be divided by `loss_scale_factor`, as in Keras on TensorFlow. "
                    "Use a LossScaleOptimizer, or train without `sparse_embedding_gradients`.");
  }
  // As in Keras, slices become their sum where they are added to an accumulator.
  if (options_.gradient_accumulation_steps) return {.sum = gradient.sum};
  StepGradient result{.sum = gradient.sum, .is_sparse = true};
  std::vector<IndexedSlices> slices = gradient.slices;
  const Tensor table = variable.value();
  if (clips_values(options_)) {
    const double limit = *options_.clipvalue;
    slices = mapped(slices, [&](const Tensor& values) { return clip_by_value(values, -limit, limit); });
    result.sum = sum_of_slices(slices, table);
  }
  const SliceMoment moment = slice_moment(variable);
  if (has_norm(options_) || moment == SliceMoment::squares) {
    result.squares = sum_of_slices(mapped(slices, square_of), table);
  }
  if (moment == SliceMoment::magnitudes) result.magnitudes = sum_of_slices(mapped(slices, magnitude_of), table);
  return result;
}

std::vector<OptimizerImpl::StepGradient> OptimizerImpl::over_replicas(const std::vector<SparseGradient>& gradients,
                                                                      const std::vector<Variable>& variables) const {
  std::vector<StepGradient> result;
  // Of this replica: the sums of all gradients, then those that slices have besides.
  std::vector<Tensor> own;
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    result.push_back(own_part(gradients[i], variables[i]));
    // What an outer optimizer has summed already.
    const bool is_summed = is_inner_ && result.back().sum.is_same(gradients[i].sum);
    own.push_back(is_summed ? Tensor() : result.back().sum);
  }
  for (const StepGradient& gradient : result) {
    if (!gradient.is_sparse) continue;
    own.push_back(gradient.squares);
    own.push_back(gradient.magnitudes);
  }
  const std::vector<Tensor> sums = all_reduce(own);
  std::size_t next = result.size();
  for (std::size_t i = 0; i < result.size(); ++i) {
    if (!sums[i].is_empty()) result[i].sum = sums[i];
    if (!result[i].is_sparse) continue;
    result[i].squares = sums[next++];
    result[i].magnitudes = sums[next++];
  }
  return result;
}

void OptimizerImpl::step(std::vector<StepGradient> gradients, const std::vector<Variable>& variables) {
  const Tensor rate = learning_rate();
  gradients = clipped(std::move(gradients));
  decay_weights(variables, rate);
  begin_step();
  for (std::size_t i = 0; i < variables.size(); ++i) {
    const auto& [sum, squares, magnitudes, is_sparse] = gradients[i];
    if (!is_sparse) {
      update_step(sum, variables[i], rate);
      continue;
    }
    SummedSlices slices{.sum = sum};
    const SliceMoment moment = slice_moment(variables[i]);
    if (moment != SliceMoment::none) slices.moment = moment == SliceMoment::squares ? squares : magnitudes;
    update_step_of_slices(slices, variables[i], rate);
  }
}

void OptimizerImpl::accumulate_or_step(const std::vector<StepGradient>& gradients,
                                       const std::vector<Variable>& variables) {
  const int steps = *options_.gradient_accumulation_steps;
  const Tensor is_update = is_multiple(iteration_.value() + 1, steps);

  std::vector<Tensor> sums;
  std::vector<StepGradient> means;
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    sums.push_back(gradients[i].sum + accumulators_[index_of(variables[i])].value());
    means.push_back({.sum = sums.back() / static_cast<double>(steps)});
  }

  // The step is always taken and undone unless an update is due: while a graph is traced the condition has no value.
  std::vector<Variable> changing = variables;
  const std::size_t first_slot = averages_.size() + accumulators_.size();
  changing.insert(changing.end(), own_variables_.begin() + static_cast<std::ptrdiff_t>(first_slot),
                  own_variables_.end());
  std::vector<Tensor> before;
  before.reserve(changing.size());
  for (const Variable& variable : changing) before.push_back(variable.value());
  step(means, variables);
  for (std::size_t i = 0; i < changing.size(); ++i) {
    changing[i].assign(where(is_update, changing[i].value(), before[i]));
  }
  // As in Keras, an update also discards what variables have accumulated that have no gradient in this step.
  std::vector<Tensor> accumulated;
  for (const Variable& accumulator : accumulators_) accumulated.push_back(accumulator.value());
  for (std::size_t i = 0; i < sums.size(); ++i) accumulated[index_of(variables[i])] = sums[i];
  for (std::size_t i = 0; i < accumulated.size(); ++i) accumulators_[i].assign(where(is_update, 0.0, accumulated[i]));
}

std::vector<OptimizerImpl::StepGradient> OptimizerImpl::clipped(std::vector<StepGradient> gradients) const {
  if (is_limit(options_.clipnorm)) {
    const double limit = *options_.clipnorm;
    for (auto& [sum, squares, magnitudes, is_sparse] : gradients) {
      sum = clip_by_norm(sum, limit, squares);
      if (!is_sparse) continue;
      const Tensor factor = factor_of_norm(squares, limit);
      if (!magnitudes.is_empty()) magnitudes = magnitudes * factor;
      squares = squares * square(factor);
    }
  } else if (is_limit(options_.global_clipnorm)) {
    std::vector<Tensor> sums;
    std::vector<Tensor> squares;
    for (const StepGradient& gradient : gradients) {
      sums.push_back(gradient.sum);
      squares.push_back(gradient.squares);
    }
    sums = clip_by_global_norm(sums, *options_.global_clipnorm, squares);
    // As in Keras on TensorFlow, the product of slices and the scale is that of their sum.
    for (std::size_t i = 0; i < sums.size(); ++i) gradients[i] = {.sum = sums[i]};
  } else if (clips_values(options_)) {
    const double limit = *options_.clipvalue;
    for (StepGradient& gradient : gradients) {
      // Slices are clipped one by one.
      if (!gradient.is_sparse) gradient.sum = clip_by_value(gradient.sum, -limit, limit);
    }
  }
  return gradients;
}

bool OptimizerImpl::decays(const Variable& variable) const {
  const auto is_variable = [&](const Variable& excluded) { return excluded.is_same(variable); };
  if (std::any_of(excluded_variables_.begin(), excluded_variables_.end(), is_variable)) return false;
  const auto matches = [&](const std::string& name) { return RegularExpression(name).is_found_in(variable.name()); };
  return std::none_of(excluded_names_.begin(), excluded_names_.end(), matches);
}

std::optional<double> OptimizerImpl::decay_of(const Variable& variable) const {
  const std::optional<double> decay = weight_decay_of(variable);
  return decay && decays(variable) ? decay : std::nullopt;
}

void OptimizerImpl::decay_weights(const std::vector<Variable>& variables, const Tensor& learning_rate) const {
  if (update_decays_weights()) return;
  for (const Variable& variable : variables) {
    const std::optional<double> decay = decay_of(variable);
    if (!decay) continue;
    const Tensor value = variable.value();
    variable.assign(value - value * *decay * cast(learning_rate, variable.dtype()));
  }
}

void OptimizerImpl::exclude_from_weight_decay(const std::vector<Variable>& variables,
                                              const std::vector<std::string>& names) {
  if (built_) {
    throw ValueError("`exclude_from_weight_decay()` can only be configured before the optimizer is built.");
  }
  excluded_variables_ = variables;
  excluded_names_ = names;
}

void OptimizerImpl::update_averages() const {
  const Tensor steps = iterations();
  Tensor overwrites;
  if (options_.ema_overwrite_frequency) overwrites = is_multiple(steps + 1, *options_.ema_overwrite_frequency);
  for (std::size_t i = 0; i < averages_.size(); ++i) {
    const Variable& variable = trainable_variables_[i];
    const Tensor value = variable.value();
    // The first average is the variable itself.
    const Tensor momentum = cast(not_equal(steps, 0), variable.dtype()) * options_.ema_momentum;
    const Tensor average = momentum * averages_[i].value() + (1.0 - momentum) * value;
    averages_[i].assign(average);
    if (!overwrites.is_empty()) variable.assign(where(overwrites, average, value));
  }
}

void OptimizerImpl::apply_constraints(const std::vector<Variable>& variables) {
  for (const Variable& variable : variables) {
    if (variable.constraint()) variable.assign(variable.constraint()(variable.value()));
  }
}

void OptimizerImpl::finalize_variable_values() const {
  for (std::size_t i = 0; i < averages_.size(); ++i) trainable_variables_[i].assign(averages_[i].value());
}

Tensor OptimizerImpl::scale_loss(const Tensor& loss) const {
  return options_.loss_scale_factor ? loss * *options_.loss_scale_factor : loss;
}

std::optional<double> OptimizerImpl::weight_decay_of(const Variable& /*variable*/) const {
  return options_.weight_decay;
}

Optimizer OptimizerImpl::inner_optimizer() const { return {}; }

std::vector<Optimizer> OptimizerImpl::parts() const { return {}; }

void OptimizerImpl::become_inner(const std::string& outer_name) {
  options_.loss_scale_factor.reset();
  is_inner_ = true;
  slot_scope_ = outer_name + "/" + options_.name + "/";
}

void Optimizer::apply(const std::vector<Tensor>& gradients, const std::vector<Variable>& variables) const {
  // In a custom training loop this call is the step. The lock keeps readers from seeing a partial step.
  const std::shared_lock as_a_step(step_mutex());
  impl_->apply_tensors(gradients, variables);
}

void Optimizer::apply(const std::vector<Tensor>& gradients) const {
  const std::shared_lock as_a_step(step_mutex());
  impl_->apply_tensors(gradients);
}

void Optimizer::apply_sparse(const std::vector<SparseGradient>& gradients,
                             const std::vector<Variable>& variables) const {
  const std::shared_lock as_a_step(step_mutex());
  impl_->apply(gradients, variables);
}

void Optimizer::apply_gradients(const std::vector<std::pair<Tensor, Variable>>& gradients_and_variables) const {
  std::vector<Tensor> gradients;
  std::vector<Variable> variables;
  for (const auto& [gradient, variable] : gradients_and_variables) {
    gradients.push_back(gradient);
    variables.push_back(variable);
  }
  apply(gradients, variables);
}

}  // namespace rhyton::optimizers
