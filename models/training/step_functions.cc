#include <rhyton/models/training/step_functions.h>

#include <set>
#include <utility>

#include <rhyton/framework/autodiff/gradient_tape.h>
#include <rhyton/framework/context.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/batches.h>
#include <rhyton/framework/ops/collectives.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/warning.h>
#include <rhyton/models/callbacks/log_order.h>

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
      loss_(options.loss, options.loss_weights, trainee.output_names(), trainee.has_dictionary_of_outputs()),
      metrics_(options.metrics, options.weighted_metrics, trainee.output_names()),
      targets_(loss_.outputs(), metrics_.outputs()),
      trainable_at_compile_(std::move(trainable_at_compile)),
      runs_eagerly_(options.run_eagerly),
      sparse_embedding_gradients_(options.sparse_embedding_gradients) {
  for (BatchPosition& position : positions_) {
    position.variable = Variable(Tensor::scalar<std::int64_t>(0), {.trainable = false, .name = "position"});
  }
}

std::vector<Tensor> StepFunctions::run(StepKind kind, const BatchParts<Tensor>& batch) {
  switch (kind) {
    case StepKind::train:
      train(batch);
      return {};
    case StepKind::test:
      test(batch);
      return {};
    case StepKind::predict:
      break;
  }
  return call_model(batch.x, false);
}

graph::Function StepFunctions::function(const StepSignature& signature) {
  return [this, kind = signature.kind, like = signature.arrays](const std::vector<Tensor>& arrays) {
    return run(kind, parts_like(like, arrays));
  };
}

graph::Function StepFunctions::picking_function(const StepSignature& signature) {
  const Variable position = this->position(signature.kind).variable;
  return [step = function(signature), position, samples = signature.samples](const std::vector<Tensor>& arguments) {
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

Tensor StepFunctions::compute_loss(const BatchParts<Tensor>& batch, const std::vector<Tensor>& predictions) {
  std::vector<Tensor> weights = batch.sample_weight;
  weights.resize(predictions.size());
  const std::vector<Tensor> y = targets_.by_output(batch.y);
  Tensor loss;
  if (!loss_.is_empty()) {
    if (batch.y.empty()) throw ValueError("None values not supported.");
    loss = loss_(y, predictions, weights);
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
  loss_tracker_.update(mean_of(loss), predictions.front().shape()[0]);
  if (!batch.y.empty()) metrics_.update(y, predictions, weights);
  // Without reduction, as on TensorFlow: logs show the mean, the sum is minimized.
  return loss.rank() == 0 ? loss : sum(loss);
}

Tensor StepFunctions::recorded_loss(GradientTape& tape, const BatchParts<Tensor>& batch) {
  for (const Variable& variable : trainable_variables()) tape.watch(variable);
  Tensor loss = optimizer_.scale_loss(compute_loss(batch, call_model(batch.x, true)));
  tape.stop_recording();
  return loss;
}

std::vector<Tensor> StepFunctions::gradients(const BatchParts<Tensor>& batch) {
  GradientTape tape({.watch_accessed_variables = false});
  const Tensor loss = recorded_loss(tape, batch);
  const std::vector<Variable>& variables = trainable_variables();
  return variables.empty() ? std::vector<Tensor>() : tape.gradient(loss, variables);
}

void StepFunctions::train(const BatchParts<Tensor>& batch) {
  const std::vector<Variable>& variables = trainable_variables();
  // First, since this makes the variable that scales the loss.
  optimizer_.build(variables);
  GradientTape tape({.watch_accessed_variables = false});
  const Tensor loss = recorded_loss(tape, batch);
  if (variables.empty()) return;
  if (sparse_embedding_gradients_) {
    optimizer_.apply(tape.sparse_gradient(loss, variables), variables);
  } else {
    optimizer_.apply(tape.gradient(loss, variables), variables);
  }
}

void StepFunctions::test(const BatchParts<Tensor>& batch) { compute_loss(batch, call_model(batch.x, false)); }

callbacks::Logs StepFunctions::logs() const {
  callbacks::Logs logs;
  logs.set("loss", loss_tracker_.result());
  // Of losses of one name, those of one layer's outputs, the last one counts.
  for (const MeanTracker& tracker : loss_.trackers()) logs.set(tracker.name(), tracker.result());
  for (const auto& [name, value] : metrics_.results()) logs.set(name, value);
  return callbacks::sorted_by_name(logs);
}

std::vector<std::string> StepFunctions::metric_names() const {
  std::vector<std::string> names = metrics_.bare_names();
  names.insert(names.begin(), "loss");
  for (const MeanTracker& tracker : loss_.trackers()) names.push_back(tracker.name());
  return names;
}

void StepFunctions::reset() {
  loss_tracker_.reset();
  for (const MeanTracker& tracker : loss_.trackers()) tracker.reset();
  metrics_.reset();
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
  if (!batch.y.empty() && !metrics_.is_resolved())
    metrics_.resolve(targets_.by_output(batch.y), output_specs(batch.x, true));
}

void StepFunctions::require_fitting(const BatchParts<TensorSpec>& batch) {
  const std::vector<TensorSpec> predictions = output_specs(batch.x, false);
  if (!batch.y.empty()) loss_.require_fitting(targets_.by_output(batch.y), predictions);
}

std::vector<Variable> StepFunctions::accumulators() const {
  std::vector<Variable> variables = loss_tracker_.variables();
  const auto append = [&](const std::vector<Variable>& more) {
    variables.insert(variables.end(), more.begin(), more.end());
  };
  for (const MeanTracker& tracker : loss_.trackers()) append(tracker.variables());
  append(metrics_.variables());
  return variables;
}

}  // namespace rhyton::training
