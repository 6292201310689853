#include <rhyton/models/training/step_functions.h>

#include <algorithm>
#include <utility>

#include <rhyton/framework/autodiff/gradient_tape.h>
#include <rhyton/framework/context.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/batches.h>
#include <rhyton/framework/ops/collectives.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/reduce.h>

namespace rhyton::training {
namespace {

std::vector<Tensor> part(const std::vector<Tensor>& arrays, std::size_t first, std::size_t count) {
  const auto begin = arrays.begin() + static_cast<std::ptrdiff_t>(first);
  return {begin, begin + static_cast<std::ptrdiff_t>(count)};
}

/// Where a replica's samples begin in a batch that begins with `first`.
Tensor first_of_replica(const Tensor& first) {
  const ReplicaBatch* const part = part_of_batch();
  return part == nullptr || part->is_empty() ? first : first + Tensor::scalar(part->first_sample);
}

std::int64_t samples_of_all(std::int64_t samples) {
  const ReplicaBatch* const part = part_of_batch();
  return part == nullptr ? samples : part->global_samples;
}

}  // namespace

TrainedWeights::TrainedWeights(const layers::Layer& model) {
  for (const Variable& weight : model.weights()) was_trainable_[weight.identity()] = false;
  for (const Variable& weight : model.trainable_weights()) was_trainable_[weight.identity()] = true;
}

std::vector<Variable> TrainedWeights::of(const layers::Layer& model) const {
  std::map<const void*, bool> is_trained = was_trainable_;
  for (const Variable& weight : model.trainable_weights()) is_trained.try_emplace(weight.identity(), true);
  std::vector<Variable> weights;
  for (const Variable& weight : model.weights()) {
    const auto it = is_trained.find(weight.identity());
    if (it != is_trained.end() && it->second) weights.push_back(weight);
  }
  return weights;
}

void BatchPosition::move_to(std::int64_t sample) const {
  if (value != sample) variable.set_stored_value(Tensor::scalar<std::int64_t>(sample));
}

StepFunctions::StepFunctions(Trainee& trainee, const models::CompileOptions& options, optimizers::Optimizer optimizer,
                             TrainedWeights trained_weights)
    : trainee_(trainee),
      optimizer_(std::move(optimizer)),
      loss_(options.loss, options.loss_weights, trainee.output_names()),
      metrics_(options.metrics, options.weighted_metrics, trainee.output_names()),
      trained_weights_(std::move(trained_weights)) {
  for (BatchPosition& position : positions_) {
    position.variable = Variable(Tensor::scalar<std::int64_t>(0), {.trainable = false, .name = "position"});
  }
}

graph::Function StepFunctions::function(const StepSignature& signature) {
  switch (signature.kind) {
    case StepKind::train:
      return [this, signature](const std::vector<Tensor>& arrays) { return train(signature, arrays); };
    case StepKind::test:
      return [this, signature](const std::vector<Tensor>& arrays) { return test(signature, arrays); };
    case StepKind::predict:
      break;
  }
  return [this](const std::vector<Tensor>& arrays) { return predict(arrays); };
}

graph::Function StepFunctions::picking_function(const StepSignature& signature) {
  const Variable position = this->position(signature.kind).variable;
  return [step = function(signature), position, samples = signature.samples](const std::vector<Tensor>& arguments) {
    const Tensor first = position.value();
    std::vector<Tensor> arrays;
    for (std::size_t i = 0; i + 1 < arguments.size(); ++i) {
      arrays.push_back(gather_samples(arguments[i], arguments.back(), first_of_replica(first), samples));
    }
    position.assign(first + Tensor::scalar(samples_of_all(samples)));
    return step(arrays);
  };
}

const std::vector<Variable>& StepFunctions::trainable_variables() {
  if (!variables_known_) {
    trainable_variables_ = trained_weights_.of(trainee_.layer());
    variables_known_ = true;
  }
  return trainable_variables_;
}

std::vector<Tensor> StepFunctions::call_model(const std::vector<Tensor>& x, bool training) {
  const DType floatx = dtype_from_name(context().floatx());
  std::vector<Tensor> inputs;
  for (const Tensor& array : x) {
    inputs.push_back(is_floating(array.dtype()) && array.dtype() != floatx ? array.cast(floatx) : array);
  }
  const layers::Layer model = trainee_.layer();
  model.impl()->clear_losses();
  return model.impl()->invoke(inputs, {.training = training});
}

Tensor StepFunctions::compute_loss(const StepSignature& signature, const std::vector<Tensor>& arrays,
                                   const std::vector<Tensor>& predictions) {
  const std::size_t inputs = arrays.size() - signature.targets - signature.weights;
  const std::vector<Tensor> y = part(arrays, inputs, signature.targets);
  std::vector<Tensor> weights = part(arrays, inputs + signature.targets, signature.weights);
  weights.resize(predictions.size());

  Tensor loss;
  if (!loss_.is_empty()) {
    if (y.empty()) throw ValueError("None values not supported.");
    loss = loss_(y, predictions, weights);
  }
  for (const Tensor& penalty : trainee_.layer().losses()) {
    if (!loss.is_empty() && loss.rank() != 0) {
      throw ValueError("A loss without reduction, here of shape " + loss.shape().to_string() +
                       ", cannot be added to the penalties of layers.");
    }
    // Of a replica only its part, as of the loss.
    const Tensor part = replica_context() == nullptr ? penalty : penalty * replica_share();
    // A layer may compute in another dtype than the loss.
    loss = loss.is_empty() ? part : loss + part.cast(loss.dtype());
  }
  if (loss.is_empty()) throw ValueError("No loss to compute. Provide a `loss` argument in `compile()`.");
  loss_tracker_.update(mean_of(loss), predictions.front().shape()[0]);
  if (!y.empty()) metrics_.update(y, predictions, weights);
  // Without reduction, as on TensorFlow: what is shown is the mean, what is minimized the sum.
  return loss.rank() == 0 ? loss : sum(loss);
}

std::vector<Tensor> StepFunctions::train(const StepSignature& signature, const std::vector<Tensor>& arrays) {
  const std::vector<Variable>& variables = trainable_variables();
  // What the loss is scaled by is a variable only then.
  optimizer_.build(variables);
  GradientTape tape({.watch_accessed_variables = false});
  for (const Variable& variable : variables) tape.watch(variable);
  const std::size_t inputs = arrays.size() - signature.targets - signature.weights;
  const std::vector<Tensor> predictions = call_model(part(arrays, 0, inputs), true);
  const Tensor loss = optimizer_.scale_loss(compute_loss(signature, arrays, predictions));
  tape.stop_recording();
  if (!variables.empty()) optimizer_.apply(tape.gradient(loss, variables), variables);
  return {};
}

std::vector<Tensor> StepFunctions::test(const StepSignature& signature, const std::vector<Tensor>& arrays) {
  const std::size_t inputs = arrays.size() - signature.targets - signature.weights;
  compute_loss(signature, arrays, call_model(part(arrays, 0, inputs), false));
  return {};
}

std::vector<Tensor> StepFunctions::predict(const std::vector<Tensor>& arrays) { return call_model(arrays, false); }

callbacks::Logs StepFunctions::logs() const {
  callbacks::Logs unsorted = evaluation_logs();
  std::vector<std::pair<std::string, double>> entries(unsorted.begin(), unsorted.end());
  std::sort(entries.begin(), entries.end());
  callbacks::Logs sorted;
  for (const auto& [name, value] : entries) sorted.set(name, value);
  return sorted;
}

callbacks::Logs StepFunctions::evaluation_logs() const {
  callbacks::Logs logs;
  logs.set("loss", loss_tracker_.result());
  // Keras lists the metrics whose bare name is a key in the order of `compile`, all others by name.
  // Of losses of one name, those of one layer's outputs, the last one counts.
  std::map<std::string, double> others;
  for (const MeanTracker& tracker : loss_.trackers()) others.insert_or_assign(tracker.name(), tracker.result());
  for (const auto& [name, value, is_bare] : metrics_.results()) {
    if (is_bare) {
      logs.set(name, value);
    } else {
      others.insert_or_assign(name, value);
    }
  }
  for (const auto& [name, value] : others) logs.set(name, value);
  return logs;
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

void StepFunctions::prepare(const std::vector<TensorSpec>& x, const std::vector<TensorSpec>& y) {
  if (!y.empty() && !metrics_.is_resolved()) metrics_.resolve(y, output_specs(x, true));
}

void StepFunctions::require_fitting(const std::vector<TensorSpec>& x, const std::vector<TensorSpec>& y) {
  const std::vector<TensorSpec> predictions = output_specs(x, false);
  if (!y.empty()) loss_.require_fitting(y, predictions);
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
