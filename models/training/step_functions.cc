#include <rhyton/models/training/step_functions.h>

#include <algorithm>
#include <set>
#include <utility>

#include <rhyton/framework/autodiff/gradient_tape.h>
#include <rhyton/framework/context.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/batches.h>
#include <rhyton/framework/ops/collectives.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/listeners.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/warning.h>
#include <rhyton/layers/call_stack.h>
#include <rhyton/models/callbacks/log_order.h>
#include <rhyton/models/host_calls.h>
#include <rhyton/models/training/metrics_as_one.h>
#include <rhyton/models/training/step_scope.h>

namespace rhyton::training {
namespace {

/// The first sample of a replica in a batch whose first sample is `first`.
Tensor first_of_replica(const Tensor& first) {
  const ReplicaBatch* const part = part_of_batch();
  return part == nullptr || part->is_empty() ? first : first + Tensor::scalar(part->first_sample);
}

std::int64_t samples_of_all(std::int64_t samples) {
  const ReplicaBatch* const part = part_of_batch();
  return part == nullptr ? samples : part->global_samples;
}

callbacks::LogValue log_value(const Tensor& value) {
  return value.rank() == 0 ? callbacks::LogValue(value.item()) : callbacks::LogValue(value.to_vector());
}

}  // namespace

std::vector<Variable> trainable_weights_of(const layers::Layer& model) {
  std::set<const void*> trainable;
  for (const Variable& weight : model.trainable_weights()) trainable.insert(weight.identity());
  std::vector<Variable> weights = model.weights();
  std::erase_if(weights, [&](const Variable& weight) { return !trainable.contains(weight.identity()); });
  return weights;
}

TrainableAtCompile::TrainableAtCompile(const layers::Layer& model) {
  for (const Variable& weight : model.weights()) was_trainable_[weight.identity()] = false;
  for (const Variable& weight : model.trainable_weights()) was_trainable_[weight.identity()] = true;
}

void TrainableAtCompile::warn_of_changes(const layers::Layer& model) const {
  std::set<const void*> trainable;
  for (const Variable& weight : model.trainable_weights()) trainable.insert(weight.identity());
  for (const Variable& weight : model.weights()) {
    const auto found = was_trainable_.find(weight.identity());
    if (found == was_trainable_.end() || found->second == trainable.contains(weight.identity())) continue;
    warn("`trainable` was set after `compile()`: '" + weight.path() + "' is " +
         (found->second ? "frozen now and will not be trained" : "trainable now and will be trained") +
         ". The first training step decides which weights are trained. Call `compile()` after setting `trainable`.");
    return;
  }
}

void BatchPosition::move_to(std::int64_t sample) const {
  if (value != sample) variable.set_stored_value(Tensor::scalar<std::int64_t>(sample));
}

StepFunctions::StepFunctions(Trainee& trainee, const models::CompileOptions& options, optimizers::Optimizer optimizer,
                             TrainableAtCompile trainable_at_compile)
    : trainee_(trainee),
      optimizer_(std::move(optimizer)),
      overrides_(trainee.overrides()),
      loss_(options.loss, options.loss_weights, trainee.output_names(), trainee.has_dictionary_of_outputs()),
      metrics_(std::make_shared<CompiledMetrics>(options.metrics, options.weighted_metrics, trainee.output_names())),
      metrics_as_one_(metrics_as_one(metrics_)),
      targets_(loss_.outputs(), metrics_->outputs()),
      trainable_at_compile_(std::move(trainable_at_compile)),
      runs_eagerly_(options.run_eagerly),
      sparse_embedding_gradients_(options.sparse_embedding_gradients) {
  for (BatchPosition& position : positions_) {
    position.variable = Variable(Tensor::scalar<std::int64_t>(0), {.trainable = false, .name = "position"});
  }
}

template <class Step>
auto StepFunctions::with_model_inputs(const BatchParts<Tensor>& batch, const Step& step) {
  const models::HostCalls* const calls = runs_eagerly_ ? nullptr : trainee_.host_calls();
  if (calls == nullptr) return step(batch);
  models::HostCalls::StepInputs inputs = calls->step_inputs(batch.x);
  const layers::HostResultsScope results(inputs.results);
  BatchParts<Tensor> of_model = batch;
  of_model.x = std::move(inputs.inputs);
  return step(of_model);
}

std::vector<Tensor> StepFunctions::run(StepKind kind, const BatchParts<Tensor>& batch, LogForm& form) {
  return with_model_inputs(batch,
                           [&](const BatchParts<Tensor>& of_model) { return run_on_inputs(kind, of_model, form); });
}

std::vector<Tensor> StepFunctions::run_on_inputs(StepKind kind, const BatchParts<Tensor>& batch, LogForm& form) {
  if (overrides_.has_any()) return run_own(kind, batch, form);
  form = LogForm();
  switch (kind) {
    case StepKind::train:
      default_train_step(batch);
      return {};
    case StepKind::test:
      default_test_step(batch);
      return {};
    case StepKind::predict:
      break;
  }
  return call_model(batch.x, false);
}

graph::Function StepFunctions::function(const StepSignature& signature, std::shared_ptr<LogForm> form) {
  return [this, kind = signature.kind, like = signature.arrays, form = std::move(form)](
             const std::vector<Tensor>& arrays) { return run(kind, parts_like(like, arrays), *form); };
}

graph::Function StepFunctions::picking_function(const StepSignature& signature, std::shared_ptr<LogForm> form) {
  const Variable position = this->position(signature.kind).variable;
  return [step = function(signature, std::move(form)), position,
          samples = signature.samples](const std::vector<Tensor>& arguments) {
    const Tensor first = position.value();
    const Tensor& permutation = arguments.back();
    std::vector<Tensor> arrays;
    for (std::size_t i = 0; i + 1 < arguments.size(); ++i) {
      arrays.push_back(gather_samples(arguments[i], permutation, first_of_replica(first), samples));
    }
    position.assign(first + Tensor::scalar(samples_of_all(samples)));
    return step(arrays);
  };
}

const std::vector<Variable>& StepFunctions::trainable_variables() {
  if (!variables_known_ || runs_eagerly_) {
    if (!variables_known_) trainable_at_compile_.warn_of_changes(trainee_.layer());
    trainable_variables_ = trainable_weights_of(trainee_.layer());
    variables_known_ = true;
  }
  return trainable_variables_;
}

std::vector<Tensor> StepFunctions::call_model(const std::vector<Tensor>& x, bool training) {
  const DType floatx = dtype_from_name(context().floatx());
  std::vector<Tensor> inputs;
  for (const Tensor& array : x) {
    const bool is_cast = is_floating(array.dtype()) && array.dtype() != floatx;
    // Masks of data reach the model in no way of running it.
    inputs.push_back((is_cast ? array.cast(floatx) : array).without_mask());
  }
  const layers::Layer model = trainee_.layer();
  model.impl()->clear_losses();
  return model.impl()->invoke(inputs, {.training = training});
}

std::vector<Tensor> StepFunctions::run_own(StepKind kind, const BatchParts<Tensor>& batch, LogForm& form) {
  const StepScope scope(trainee_, *this);
  const layers::Layer model = trainee_.layer();
  const layers::FrameScope frame(model.impl().get(), true);
  model.impl()->clear_losses();
  const DType floatx = dtype_from_name(context().floatx());
  const models::StepData data = map_parts(batch, [&](const Tensor& array) {
    const bool is_cast = is_floating(array.dtype()) && array.dtype() != floatx;
    return (is_cast ? array.cast(floatx) : array).without_mask();
  });
  if (kind == StepKind::predict) return trainee_.predict_step(data);
  const models::StepLogs logs = kind == StepKind::train ? trainee_.train_step(data) : trainee_.test_step(data);
  const auto refuse = [&](const std::string& what) {
    throw ValueError("`" + std::string(kind == StepKind::train ? "train_step" : "test_step") + "` of model '" +
                     model.name() + "' returned " + what);
  };
  if (!logs.has_metrics() && logs.entries().empty()) {
    refuse("no logs. Expected at least one value by name, such as {{\"loss\", loss}}, or get_metrics_result().");
  }
  form = {.has_metrics = logs.has_metrics(), .names = {}};
  std::vector<Tensor> outputs;
  for (const auto& [name, value] : logs.entries()) {
    if (value.is_empty()) refuse("an empty tensor as '" + name + "'. Expected a scalar or a vector.");
    if (value.rank() > 1) {
      refuse("a tensor of shape " + value.shape().to_string() + " as '" + name + "'. Expected a scalar or a vector.");
    }
    form.names.push_back(name);
    outputs.push_back(value);
  }
  return outputs;
}

Tensor StepFunctions::default_loss(const models::LossArguments& arguments) {
  const std::vector<Tensor>& predictions = arguments.y_pred;
  std::vector<Tensor> weights = arguments.sample_weight;
  weights.resize(predictions.size());
  Tensor loss;
  if (!loss_.is_empty()) {
    if (arguments.y.empty()) throw ValueError("None values not supported.");
    const std::size_t outputs = trainee_.output_names().size();
    const bool lacks_targets = trainee_.takes_any_structure() && arguments.y.size() < outputs;
    if (predictions.size() < outputs || lacks_targets) {
      throw ValueError("The loss of model '" + trainee_.layer().name() + "' expects " + std::to_string(outputs) +
                       " outputs. Received " + std::to_string(predictions.size()) + " tensors as y_pred and " +
                       std::to_string(arguments.y.size()) + " as y.");
    }
    loss = loss_(targets_.by_output(arguments.y), predictions, weights);
  }
  for (const Tensor& penalty : trainee_.layer().losses()) {
    if (!loss.is_empty() && loss.rank() != 0) {
      throw ValueError("A loss without reduction, here of shape " + loss.shape().to_string() +
                       ", cannot be added to the penalties of layers.");
    }
    // A replica adds only its part, as for the loss.
    const Tensor part = replica_context() == nullptr ? penalty : penalty * replica_share();
    // A layer may compute in another dtype than the loss.
    loss = loss.is_empty() ? part : loss + part.cast(loss.dtype());
  }
  if (loss.is_empty()) throw ValueError("No loss to compute. Provide a `loss` argument in `compile()`.");
  return loss;
}

void StepFunctions::update_compiled_metrics(const models::LossArguments& arguments) {
  if (arguments.y.empty()) return;
  std::vector<Tensor> weights = arguments.sample_weight;
  weights.resize(arguments.y_pred.size());
  metrics_->update(targets_.by_output(arguments.y), arguments.y_pred, weights);
}

Tensor StepFunctions::tracked_loss(const models::LossArguments& arguments) {
  const Tensor loss = overrides_.compute_loss ? trainee_.compute_loss(arguments) : default_loss(arguments);
  if (loss.is_empty()) {
    throw ValueError("`compute_loss` of model '" + trainee_.layer().name() +
                     "' returned an empty tensor. Expected a scalar.");
  }
  loss_tracker_.update(mean_of(loss), arguments.x.front().shape()[0]);
  if (!overrides_.compute_metrics) update_compiled_metrics(arguments);
  // Without reduction, as on TensorFlow: logs show the mean, the sum is minimized.
  return loss.rank() == 0 ? loss : sum(loss);
}

models::StepLogs StepFunctions::step_logs(const models::LossArguments& arguments) {
  return overrides_.compute_metrics ? trainee_.compute_metrics(arguments) : models::StepLogs::of_metrics();
}

Tensor StepFunctions::recorded_loss(GradientTape& tape, const BatchParts<Tensor>& batch,
                                    models::LossArguments& arguments) {
  for (const Variable& variable : trainable_variables()) tape.watch(variable);
  arguments = {.x = batch.x, .y = batch.y, .y_pred = call_model(batch.x, true), .sample_weight = batch.sample_weight};
  Tensor loss = optimizer_.scale_loss(tracked_loss(arguments));
  tape.stop_recording();
  return loss;
}

std::vector<Tensor> StepFunctions::gradients(const BatchParts<Tensor>& batch) {
  return with_model_inputs(batch, [&](const BatchParts<Tensor>& of_model) {
    GradientTape tape({.watch_accessed_variables = false});
    models::LossArguments arguments;
    const Tensor loss = recorded_loss(tape, of_model, arguments);
    const std::vector<Variable>& variables = trainable_variables();
    return variables.empty() ? std::vector<Tensor>() : tape.gradient(loss, variables);
  });
}

models::StepLogs StepFunctions::default_train_step(const BatchParts<Tensor>& batch) {
  const std::vector<Variable>& variables = trainable_variables();
  // First, since this makes the variable that scales the loss.
  optimizer_.build(variables);
  GradientTape tape({.watch_accessed_variables = false});
  models::LossArguments arguments;
  const Tensor loss = recorded_loss(tape, batch, arguments);
  if (variables.empty()) return step_logs(arguments);
  if (sparse_embedding_gradients_) {
    optimizer_.apply(tape.sparse_gradient(loss, variables), variables);
  } else {
    optimizer_.apply(tape.gradient(loss, variables), variables);
  }
  return step_logs(arguments);
}

models::StepLogs StepFunctions::default_test_step(const BatchParts<Tensor>& batch) {
  const models::LossArguments arguments = {.x = batch.x,
                                           .y = batch.y,
                                           .y_pred = call_model(batch.x, false),
                                           .sample_weight = batch.sample_weight,
                                           .training = false};
  tracked_loss(arguments);
  return step_logs(arguments);
}

std::vector<metrics::Metric> StepFunctions::compiled_metrics() const {
  std::vector<metrics::Metric> metrics = {loss_tracker_.metric()};
  if (!metrics_->is_empty()) metrics.push_back(metrics_as_one_);
  for (const MeanTracker& tracker : loss_.trackers()) metrics.push_back(tracker.metric());
  return metrics;
}

std::optional<std::vector<metrics::Metric>> StepFunctions::own_metrics() {
  if (!overrides_.metrics && trainee_.tracked_metrics().empty()) return std::nullopt;
  const StepScope scope(trainee_, *this);
  return trainee_.metrics();
}

callbacks::Logs StepFunctions::logs() {
  callbacks::Logs logs;
  const auto add_compiled = [&] {
    for (const auto& [name, value] : metrics_->results()) logs.set(name, value);
  };
  if (const std::optional<std::vector<metrics::Metric>> own = own_metrics()) {
    const InitScope eager;
    for (const metrics::Metric& metric : *own) {
      if (metric.is_same(metrics_as_one_)) {
        add_compiled();
      } else if (!metric.variables().empty()) {  // else the first update will make its state
        logs.set(metric.name(), log_value(metric.result()));
      }
    }
    return callbacks::sorted_by_name(logs);
  }
  logs.set("loss", loss_tracker_.result());
  // Of losses of one name, those of one layer's outputs, the last one counts.
  for (const MeanTracker& tracker : loss_.trackers()) logs.set(tracker.name(), tracker.result());
  add_compiled();
  return callbacks::sorted_by_name(logs);
}

callbacks::Logs StepFunctions::logs(const LogForm& form, const std::vector<Tensor>& outputs) {
  callbacks::Logs all = form.has_metrics ? logs() : callbacks::Logs();
  if (form.names.empty()) return all;
  const InitScope eager;
  for (std::size_t i = 0; i < form.names.size(); ++i) all.set(form.names[i], log_value(outputs.at(i)));
  return callbacks::sorted_by_name(all);
}

callbacks::Logs StepFunctions::last_logs(const LogForm& form, const std::vector<Tensor>& outputs) {
  if (form.has_metrics) return logs(form, outputs);
  callbacks::Logs results = logs();
  const std::set<std::string> names(form.names.begin(), form.names.end());
  const bool has_same_names =
      names.size() == results.size() &&
      std::all_of(results.begin(), results.end(), [&](const auto& entry) { return names.contains(entry.first); });
  return has_same_names ? results : logs(form, outputs);
}

std::vector<std::string> StepFunctions::metric_names() {
  std::vector<std::string> names;
  const auto add_compiled = [&] {
    const std::vector<std::string> bare = metrics_->bare_names();
    names.insert(names.end(), bare.begin(), bare.end());
  };
  if (const std::optional<std::vector<metrics::Metric>> own = own_metrics()) {
    for (const metrics::Metric& metric : *own) {
      if (metric.is_same(metrics_as_one_)) {
        add_compiled();
      } else {
        names.push_back(metric.name());
      }
    }
    return names;
  }
  names.emplace_back("loss");
  add_compiled();
  for (const MeanTracker& tracker : loss_.trackers()) names.push_back(tracker.name());
  return names;
}

std::string StepFunctions::direction_of(const std::string& metric) {
  if (std::string direction = metrics_->direction_of(metric); !direction.empty()) return direction;
  if (const std::optional<std::vector<metrics::Metric>> own = own_metrics()) {
    for (const metrics::Metric& candidate : *own) {
      if (candidate.name() == metric) return training::direction_of(candidate);
    }
  }
  return {};
}

void StepFunctions::reset() {
  loss_tracker_.reset();
  for (const MeanTracker& tracker : loss_.trackers()) tracker.reset();
  metrics_->reset();
  if (const std::optional<std::vector<metrics::Metric>> own = own_metrics()) {
    const InitScope eager;
    for (const metrics::Metric& metric : *own) metric.reset_state();
  }
}

std::vector<TensorSpec> StepFunctions::output_specs(const std::vector<TensorSpec>& x, bool training) {
  const DType floatx = dtype_from_name(context().floatx());
  std::vector<TensorSpec> inputs = x;
  std::vector<Shape> shapes;
  for (TensorSpec& input : inputs) {
    if (is_floating(input.dtype)) input.dtype = floatx;
    shapes.push_back(input.shape);
  }
  const layers::Layer model = trainee_.layer();
  model.impl()->check_inputs(shapes);
  const layers::TrainingScope scope(training);
  return model.impl()->compute_output_specs(inputs);
}

void StepFunctions::prepare(const BatchParts<TensorSpec>& batch) {
  if (batch.y.empty() || metrics_->is_resolved()) return;
  if (!trainee_.takes_any_structure()) {
    return metrics_->resolve(targets_.by_output(batch.y), output_specs(batch.x, true));
  }
  // Steps of its own may call it on other tensors than x: the first one makes the metrics.
  if (overrides_.train_step) return;
  try {
    metrics_->resolve(batch.y, output_specs(batch.x, true));
  } catch (const Error&) {
    // As for a model without `call`, whose step calls its layers.
  }
}

void StepFunctions::require_fitting(const BatchParts<TensorSpec>& batch) {
  if (trainee_.takes_any_structure() || overrides_.test_step || overrides_.compute_loss) return;
  const std::vector<TensorSpec> predictions = output_specs(batch.x, false);
  if (!batch.y.empty()) loss_.require_fitting(targets_.by_output(batch.y), predictions);
}

std::vector<Variable> StepFunctions::accumulators() {
  std::vector<Variable> variables = loss_tracker_.variables();
  const auto append = [&](const std::vector<Variable>& more) {
    variables.insert(variables.end(), more.begin(), more.end());
  };
  for (const MeanTracker& tracker : loss_.trackers()) append(tracker.variables());
  append(metrics_->variables());
  if (const std::optional<std::vector<metrics::Metric>> own = own_metrics()) {
    std::set<const void*> known;
    for (const Variable& variable : variables) known.insert(variable.identity());
    for (const metrics::Metric& metric : *own) {
      for (const Variable& variable : metric.variables()) {
        if (known.insert(variable.identity()).second) variables.push_back(variable);
      }
    }
  }
  return variables;
}

}  // namespace rhyton::training
