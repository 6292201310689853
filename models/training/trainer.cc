#include <rhyton/models/training/trainer.h>

#include <algorithm>
#include <map>
#include <utility>

#include <rhyton/framework/context.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/tensor/step_mutex.h>
#include <rhyton/models/callbacks/log_order.h>
#include <rhyton/models/training/argument_checks.h>
#include <rhyton/models/training/arrays.h>
#include <rhyton/models/training/batch_source.h>
#include <rhyton/models/training/evaluation.h>
#include <rhyton/models/training/fit_loop.h>
#include <rhyton/models/training/host_call_stream.h>
#include <rhyton/models/training/lora_watch.h>
#include <rhyton/models/training/prediction.h>
#include <rhyton/models/training/step_scope.h>
#include <rhyton/models/training/trained_model.h>

namespace rhyton::training {

using callbacks::History;
using callbacks::Logs;

struct Trainer::Impl {
  explicit Impl(Trainee& trainee) : model(trainee) {}

  TrainedModel model;
  LoraWatch lora;

  /// Discards steps of the model without the LoRA that it has now.
  void update_steps() {
    if (lora.has_changed(model.trainee.layer())) discard_steps();
  }
  void discard_steps() {
    model.compilation.discard_steps();
    model.is_prepared = false;
    model.idle_prediction_runners.discard();
  }

  std::string name() { return model.trainee.layer().name(); }
  /// Throws if the model is not compiled, or its losses and metrics do not fit it.
  void require_compiled() {
    update_steps();
    static_cast<void>(model.compilation.training_steps());
  }

  /// A copy, since another thread may compile the model.
  RequiredTargets targets() { return model.compilation.training_steps()->functions.targets(); }

  BatchParts<Tensor> inputs(const Tensors& x) {
    update_steps();
    return model.prepared([&] { return arrays_for(model.trainee, x); });
  }
  BatchParts<Tensor> arrays(const Tensors& x, const Tensors& y, const Tensors& sample_weight) {
    const RequiredTargets required = targets();
    return model.prepared([&] { return arrays_for(model.trainee, x, y, sample_weight, required); });
  }

  std::size_t outputs() { return model.trainee.output_names().size(); }

  /// The data for steps that train and evaluate.
  BatchSource prepared(BatchSource data) {
    return with_host_calls(std::move(data), model.trainee, model.compilation.training_steps()->runs_eagerly);
  }
  BatchSource prepared_to_predict(BatchSource data) {
    return with_host_calls(std::move(data), model.trainee, model.compilation.prediction_steps()->runs_eagerly);
  }

  BatchSource one_batch(BatchParts<Tensor> arrays) {
    const std::int64_t samples = arrays.x.front().shape()[0];
    return prepared(array_source(std::move(arrays), samples));
  }

  BatchSource validation_source(const models::ValidationData& data, std::int64_t batch_size) {
    if (data.is_empty()) return {};
    if (data.dataset) return dataset_source(*data.dataset, model.trainee, true, targets());
    return array_source(arrays_for(model.trainee, data.x, data.y, data.sample_weight, targets()), batch_size);
  }
};

Trainer::Trainer(Trainee& trainee) : impl_(std::make_unique<Impl>(trainee)) {}
Trainer::~Trainer() = default;

void Trainer::compile(const models::CompileOptions& options) {
  if (options.optimizer.is_empty()) throw ValueError("`compile` needs an optimizer.");
  require_positive("steps_per_execution", options.steps_per_execution);
  check_compile_options(options);
  ModelUse& use = impl_->model.use;
  use.require_untrained(impl_->name(), "compile");
  const ModelUse::Scope compiling(use, impl_->name(), "compile");
  impl_->model.compilation.set(options);
  impl_->model.idle_prediction_runners.discard();
}

void Trainer::discard_steps() {
  impl_->discard_steps();
  impl_->lora.reset();
}

bool Trainer::is_chief() const { return impl_->model.compilation.is_chief(); }

bool Trainer::is_compiled() const { return impl_->model.compilation.is_compiled(); }

models::CompileOptions Trainer::compile_options() const { return impl_->model.compilation.options(); }

optimizers::Optimizer Trainer::optimizer() const { return impl_->model.compilation.optimizer(); }

void Trainer::build_optimizer() { impl_->model.build_optimizer(); }

History Trainer::fit(const Tensors& x, const Tensors& y, const models::FitOptions& options) {
  const ModelUse::Scope in_use(impl_->model.use, impl_->name(), "fit");
  impl_->require_compiled();
  check_fit_options(options);
  BatchParts<Tensor> arrays = impl_->arrays(x, y, options.sample_weight);
  const std::int64_t batch_size = options.batch_size.value_or(32);
  const std::int64_t validation_batch_size = options.validation_batch_size.value_or(batch_size);
  BatchSource validation = impl_->validation_source(options.validation_data, validation_batch_size);
  if (validation.is_empty() && options.validation_split > 0) {
    validation = array_source(split_off(arrays, options.validation_split), validation_batch_size);
  }
  // As in Keras, classes have no weights in the validation.
  weigh_classes(arrays, options.class_weight, impl_->outputs());
  // Drawn even if the data are not shuffled, so that later random numbers do not depend on that.
  const std::uint64_t key = context().next_seed();
  const BatchSource data = impl_->prepared(
      array_source(arrays, batch_size, options.shuffle ? std::optional<std::uint64_t>(key) : std::nullopt));
  return training::fit(impl_->model, data, impl_->prepared(std::move(validation)), options);
}

History Trainer::fit(const datasets::Dataset& dataset, const models::FitOptions& options) {
  const ModelUse::Scope in_use(impl_->model.use, impl_->name(), "fit");
  impl_->require_compiled();
  check_fit_options(options);
  require_nothing_beside_dataset(options.batch_size, options.sample_weight);
  if (options.validation_split > 0 && options.validation_data.is_empty()) {
    throw ValueError(
        "Argument `validation_split` is only supported for tensors or NumPy arrays. Found incompatible type in the "
        "input: Dataset");
  }
  const BatchSource data =
      impl_->prepared(dataset_source(dataset, impl_->model.trainee, true, impl_->targets(), options.class_weight));
  const BatchSource validation =
      impl_->prepared(impl_->validation_source(options.validation_data, options.validation_batch_size.value_or(32)));
  return training::fit(impl_->model, data, validation, options);
}

Logs Trainer::evaluate(const Tensors& x, const Tensors& y, const models::EvaluateOptions& options) {
  impl_->require_compiled();
  require_positive("steps", options.steps);
  require_callbacks(options.callbacks);
  const BatchSource data =
      impl_->prepared(array_source(impl_->arrays(x, y, options.sample_weight), options.batch_size.value_or(32)));
  return training::evaluate(impl_->model, data, options);
}

Logs Trainer::evaluate(const datasets::Dataset& dataset, const models::EvaluateOptions& options) {
  impl_->require_compiled();
  require_positive("steps", options.steps);
  require_callbacks(options.callbacks);
  require_nothing_beside_dataset(options.batch_size, options.sample_weight);
  return training::evaluate(
      impl_->model, impl_->prepared(dataset_source(dataset, impl_->model.trainee, true, impl_->targets())), options);
}

std::vector<Tensor> Trainer::predict(const Tensors& x, const models::PredictOptions& options) {
  require_positive("steps", options.steps);
  require_callbacks(options.callbacks);
  const BatchSource data = impl_->prepared_to_predict(array_source(impl_->inputs(x), options.batch_size.value_or(32)));
  return training::predict(impl_->model, data, options);
}

std::vector<Tensor> Trainer::predict(const datasets::Dataset& dataset, const models::PredictOptions& options) {
  require_positive("steps", options.steps);
  require_callbacks(options.callbacks);
  require_nothing_beside_dataset(options.batch_size, {});
  impl_->update_steps();
  return training::predict(impl_->model,
                           impl_->prepared_to_predict(dataset_source(dataset, impl_->model.trainee, false)), options);
}

Logs Trainer::train_on_batch(const Tensors& x, const Tensors& y, const models::BatchOptions& options) {
  const ModelUse::Scope in_use(impl_->model.use, impl_->name(), "train_on_batch");
  impl_->require_compiled();
  if (const auto strategy = impl_->model.compilation.strategy(); strategy && strategy->parameter_servers()) {
    throw NotImplementedError(
        "`train_on_batch` is not supported for models that ParameterServerStrategy trains: expected `fit`, or a "
        "ClusterCoordinator.");
  }
  BatchParts<Tensor> arrays = impl_->arrays(x, y, options.sample_weight);
  weigh_classes(arrays, options.class_weight, impl_->outputs());
  return run_one_step(impl_->model, StepKind::train, impl_->one_batch(std::move(arrays)));
}

Logs Trainer::test_on_batch(const Tensors& x, const Tensors& y, const models::BatchOptions& options) {
  impl_->require_compiled();
  return run_one_step(impl_->model, StepKind::test, impl_->one_batch(impl_->arrays(x, y, options.sample_weight)));
}

std::vector<Tensor> Trainer::predict_on_batch(const Tensors& x) {
  BatchParts<Tensor> arrays = impl_->inputs(x);
  const std::int64_t samples = arrays.x.front().shape()[0];
  const BatchSource data =
      impl_->prepared_to_predict(array_source(std::move(arrays), std::max<std::int64_t>(1, samples)));
  return training::predict(impl_->model, data, {.verbose = 0});
}

Logs Trainer::metrics_result() {
  if (!is_compiled()) return {};
  const std::shared_ptr<ModelSteps> steps = impl_->model.compilation.training_steps();
  const std::unique_lock between_steps(step_mutex());
  return callbacks::in_order_of_metrics(steps->functions.logs(), steps->functions.metric_names());
}

std::vector<std::string> Trainer::metrics_names() {
  if (!is_compiled()) return {};
  return impl_->model.compilation.training_steps()->functions.metric_names();
}

std::vector<Variable> Trainer::metrics_variables() {
  if (!is_compiled()) return {};
  return impl_->model.compilation.training_steps()->functions.accumulators();
}

void Trainer::reset_metrics() {
  if (!is_compiled()) return;
  const ModelUse::Scope in_use(impl_->model.use, impl_->name(), "reset_metrics");
  impl_->model.compilation.training_steps()->functions.reset();
}

std::shared_ptr<StepFunctions> Trainer::current_functions() const {
  // Not owned: the caller runs within one of its steps.
  if (StepFunctions* const running = StepScope::functions_of(impl_->model.trainee)) {
    return {std::shared_ptr<void>(), running};
  }
  const std::shared_ptr<ModelSteps> steps = impl_->model.compilation.training_steps();
  return {steps, &steps->functions};
}

std::vector<CompiledStep> Trainer::compiled_steps() const { return impl_->model.compilation.compiled_steps(); }

}  // namespace rhyton::training
