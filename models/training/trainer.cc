#include <rhyton/models/training/trainer.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <mutex>
#include <shared_mutex>

#include <fmt/format.h>

#include <rhyton/framework/context.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/random/philox.h>
#include <rhyton/models/training/class_weights.h>
#include <rhyton/models/training/progress_bar.h>
#include <rhyton/models/training/resumption.h>
#include <rhyton/models/training/step_runner.h>

namespace rhyton::training {
namespace {

using callbacks::Callback;
using callbacks::FitPosition;
using callbacks::History;
using callbacks::Logs;

// The caps that Keras takes from the environment, to make any program short.
std::int64_t capped(std::int64_t value, const char* variable) {
  const char* cap = std::getenv(variable);
  return cap == nullptr ? value : std::min<std::int64_t>(value, std::max(0L, std::strtol(cap, nullptr, 10)));
}

void require_positive(const char* name, const std::optional<std::int64_t>& value) {
  if (value && *value <= 0) {
    throw ValueError(fmt::format("`{0}` must be a positive integer. Received: {0}={1}", name, *value));
  }
}

void require_callbacks(const std::vector<Callback>& callbacks) {
  for (const Callback& callback : callbacks) {
    if (callback.is_empty()) throw ValueError("`callbacks` must not contain an empty callback.");
  }
}

// A structure of that many arrays, as Keras prints it.
std::string structure(std::size_t count) {
  if (count == 1) return "*";
  std::string text = "[";
  for (std::size_t i = 0; i < count; ++i) text += i > 0 ? ", '*'" : "'*'";
  return text + "]";
}

// The arrays of a call, as many weights as outputs or none.
struct Arrays {
  std::vector<Tensor> x;
  std::vector<Tensor> y;
  std::vector<Tensor> weights;

  std::vector<Shape> input_shapes() const {
    std::vector<Shape> shapes;
    for (const Tensor& array : x) {
      if (array.rank() == 0) throw ValueError("An input array must have at least one axis, the samples.");
      shapes.push_back(array.shape().with(0, -1));
    }
    return shapes;
  }
};

std::vector<TensorSpec> specs_of(const std::vector<Tensor>& tensors) {
  std::vector<TensorSpec> specs;
  for (const Tensor& tensor : tensors) specs.push_back(tensor.spec());
  return specs;
}

// Where a fit stands, and where its callbacks want it to go on.
struct FitUnderWay {
  FitPosition position;
  const std::vector<Callback>& callbacks;
  bool has_begun = false;
  std::optional<callbacks::TrainingState> resumed_from = std::nullopt;
};

}  // namespace

struct Trainer::Impl {
  explicit Impl(Trainee& t) : trainee(t) {}

  class Control;

  Trainee& trainee;
  std::optional<models::CompileOptions> options;
  TrainedWeights trained_weights;
  std::unique_ptr<StepFunctions> functions;
  StepCache cache;
  // `predict` works without `compile`.
  std::unique_ptr<StepFunctions> prediction;
  StepCache prediction_cache;

  StepFunctions& compiled() {
    if (!options) throw ValueError("You must call `compile()` before using the model.");
    if (!functions) functions = std::make_unique<StepFunctions>(trainee, *options, trained_weights);
    return *functions;
  }

  std::vector<Tensor> inputs(const Tensors& x) {
    const std::vector<std::string> names = trainee.input_names();
    if (!x.is_map() && x.list().size() != names.size()) {
      std::vector<Shape> shapes;
      for (const Tensor& array : x.list()) shapes.push_back(array.shape());
      trainee.layer().impl()->check_inputs(shapes);  // says it in Keras's words
    }
    return x.ordered(names, "inputs");
  }

  Arrays arrays(const Tensors& x, const Tensors& y, const Tensors& sample_weight,
                const std::map<std::int64_t, double>& class_weight) {
    Arrays arrays;
    arrays.x = inputs(x);
    trainee.prepare(arrays.input_shapes());
    const std::vector<std::string> outputs = trainee.output_names();
    if (!y.is_empty()) {
      if (!y.is_map() && y.list().size() != outputs.size()) {
        throw ValueError("y_true and y_pred have different structures.\ny_true: " + structure(y.list().size()) +
                         "\ny_pred: " + structure(outputs.size()) + "\n");
      }
      arrays.y = y.ordered(outputs, "outputs");
    }
    if (!sample_weight.is_empty()) arrays.weights = sample_weight.ordered(outputs, "outputs");
    if (!class_weight.empty()) {
      if (!sample_weight.is_empty())
        throw ValueError("You cannot `class_weight` and `sample_weight` at the same time.");
      if (outputs.size() > 1) throw ValueError("`class_weight` is only supported for Models with a single output.");
      if (arrays.y.empty()) throw ValueError("`class_weight` needs targets `y`.");
      arrays.weights = {sample_weights_from_classes(arrays.y[0], class_weight)};
    }
    return arrays;
  }

  StepRunner runner(StepFunctions& steps, StepKind kind, const Arrays& arrays) {
    StepSignature signature{kind, arrays.y.size(), arrays.weights.size(), {}};
    return StepRunner(steps, kind == StepKind::predict ? prediction_cache : cache, std::move(signature),
                      options && options->run_eagerly);
  }

  void build_optimizer() {
    StepFunctions& steps = compiled();
    if (!steps.optimizer().is_built()) steps.optimizer().build(steps.trainable_variables());
  }

  Logs evaluate(const Arrays& arrays, std::int64_t batch_size, std::optional<std::int64_t> steps_limit, int verbose,
                const std::vector<Callback>& callbacks, Control& control);
  History fit(const Arrays& arrays, const Arrays& validation, const models::FitOptions& options);
  // Whether a callback wants the fit to go on where another one was interrupted; sets the position.
  std::optional<Resumption> begin_resumption(const Arrays& arrays, FitUnderWay& fit);
};

// What callbacks see.
class Trainer::Impl::Control final : public callbacks::TrainingControl {
 public:
  Control(Impl& impl, int epochs, std::optional<std::int64_t> steps, FitUnderWay* fit = nullptr)
      : impl_(impl), epochs_(epochs), steps_(steps), fit_(fit) {}

  layers::Layer model() const override { return impl_.trainee.layer(); }
  void stop_training() override { stopped_ = true; }
  double learning_rate() const override { return impl_.compiled().optimizer().learning_rate().item(); }
  void set_learning_rate(double rate) override {
    const std::shared_lock no_snapshot(step_mutex());
    impl_.compiled().optimizer().set_learning_rate(rate);
  }
  int epochs() const override { return epochs_; }
  std::optional<std::int64_t> steps() const override { return steps_; }
  std::string direction_of(const std::string& metric) const override {
    return impl_.compiled().metrics().direction_of(metric);
  }
  callbacks::TrainingState state() const override {
    if (fit_ == nullptr) throw RuntimeError("There is a state to continue from only while `fit` runs.");
    FitPosition position = fit_->position;
    position.is_stopped = stopped_;
    return training_state(position, model(), impl_.compiled(), fit_->callbacks);
  }
  void resume_from(callbacks::TrainingState state) override { beginning_fit().resumed_from = std::move(state); }
  void set_initial_epoch(int epoch) override { beginning_fit().position.epoch = epoch; }
  bool stopped() const { return stopped_; }

 private:
  FitUnderWay& beginning_fit() const {
    if (fit_ == nullptr || fit_->has_begun) {
      throw RuntimeError("Only in `on_train_begin` can be said where a fit goes on.");
    }
    return *fit_;
  }

  Impl& impl_;
  int epochs_;
  std::optional<std::int64_t> steps_;
  FitUnderWay* fit_;
  bool stopped_ = false;
};

Logs Trainer::Impl::evaluate(const Arrays& arrays, std::int64_t batch_size, std::optional<std::int64_t> steps_limit,
                             int verbose, const std::vector<Callback>& callbacks, Control& control) {
  StepFunctions& steps = compiled();
  Batches batches(arrays.x, arrays.y, arrays.weights, batch_size);
  const std::int64_t count = std::min(batches.count(), steps_limit.value_or(batches.count()));
  StepRunner step = runner(steps, StepKind::test, arrays);
  ProgressBar bar(count, {.verbose = verbose});
  const auto values = [&] { return steps.logs(); };
  steps.reset();
  Logs logs;
  for (const Callback& callback : callbacks) callback->on_test_begin(control, logs);
  for (std::int64_t batch = 0; batch < count; ++batch) {
    for (const Callback& callback : callbacks) callback->on_test_batch_begin(control, batch, logs);
    step.run(batches, batch);
    for (const Callback& callback : callbacks) {
      Logs current = callback->reads_batch_logs() ? steps.logs() : Logs();
      callback->on_test_batch_end(control, batch, current);
    }
    if (batch + 1 < count) bar.update(batch + 1, values);
  }
  bar.finish(count, values);
  logs = steps.evaluation_logs();
  for (const Callback& callback : callbacks) callback->on_test_end(control, logs);
  return logs;
}

std::optional<Resumption> Trainer::Impl::begin_resumption(const Arrays& arrays, FitUnderWay& fit) {
  fit.has_begun = true;
  if (!fit.resumed_from) return std::nullopt;
  compiled().prepare(specs_of(arrays.x), specs_of(arrays.y));
  Resumption resumption(std::move(*fit.resumed_from), fit.position, trainee.layer(), compiled(), fit.callbacks);
  fit.position = resumption.position();
  return resumption;
}

History Trainer::Impl::fit(const Arrays& arrays, const Arrays& validation, const models::FitOptions& fit) {
  StepFunctions& steps = compiled();
  Batches batches(arrays.x, arrays.y, arrays.weights, fit.batch_size.value_or(32));
  build_optimizer();
  const int epochs = static_cast<int>(capped(fit.epochs, "KERAS_MAX_EPOCHS"));
  const std::int64_t steps_per_epoch =
      capped(fit.steps_per_epoch.value_or(batches.count()), "KERAS_MAX_STEPS_PER_EPOCH");
  FitUnderWay under_way{.position = {.epoch = fit.initial_epoch,
                                     .shuffle_key = context().next_seed(),
                                     .samples = batches.samples(),
                                     .batch_size = batches.batch_size(),
                                     .steps_per_epoch = steps_per_epoch},
                        .callbacks = fit.callbacks};
  FitPosition& at = under_way.position;
  Control control(*this, epochs, steps_per_epoch, &under_way);
  StepRunner step = runner(steps, StepKind::train, arrays);
  const auto values = [&] { return steps.logs(); };
  History history;
  Logs logs;
  for (const Callback& callback : fit.callbacks) callback->on_train_begin(control, logs);
  std::optional<Resumption> resumption = begin_resumption(arrays, under_way);
  if (resumption) {
    if (at.is_stopped) control.stop_training();
    if (fit.shuffle && at.batch > 0 && at.passes > 0) batches.shuffle(random::mix_key(at.shuffle_key, at.passes - 1));
    if (!resumption->is_within_epoch()) {
      resumption->finish();
      resumption.reset();
    }
  }
  // An epoch in which training was stopped, and then interrupted, still comes to its end.
  while (at.epoch < epochs && (!control.stopped() || at.step > 0)) {
    if (fit.verbose != 0 && epochs > 1) std::cout << "Epoch " << at.epoch + 1 << "/" << epochs << "\n" << std::flush;
    ProgressBar bar(steps_per_epoch, {.verbose = fit.verbose});
    steps.reset();
    logs = Logs();
    for (const Callback& callback : fit.callbacks) callback->on_epoch_begin(control, at.epoch, logs);
    if (resumption) {
      resumption->finish();
      resumption.reset();
    }
    while (at.step < steps_per_epoch && !control.stopped()) {
      // With steps_per_epoch an epoch goes on in the data where the last one has ended.
      if (at.batch == batches.count()) at.batch = 0;
      if (at.batch == 0 && fit.shuffle) batches.shuffle(random::mix_key(at.shuffle_key, at.passes++));
      logs = Logs();
      for (const Callback& callback : fit.callbacks) callback->on_train_batch_begin(control, at.step, logs);
      step.run(batches, at.batch++);
      const std::int64_t done = at.step++;
      for (const Callback& callback : fit.callbacks) {
        logs = callback->reads_batch_logs() ? steps.logs() : Logs();
        callback->on_train_batch_end(control, done, logs);
      }
      for (const Callback& callback : fit.callbacks) callback->on_resumable(control, at);
      if (at.step < steps_per_epoch) bar.update(at.step, values);
    }
    logs = steps.logs();
    if (!validation.x.empty() && (at.epoch + 1) % std::max(1, fit.validation_freq) == 0) {
      const std::int64_t batch_size = fit.validation_batch_size.value_or(fit.batch_size.value_or(32));
      const Logs results = evaluate(validation, batch_size, fit.validation_steps, 0, fit.callbacks, control);
      std::vector<std::pair<std::string, double>> sorted(results.begin(), results.end());
      std::sort(sorted.begin(), sorted.end());
      for (const auto& [name, value] : sorted) logs.set("val_" + name, value);
    }
    for (const Callback& callback : fit.callbacks) callback->on_epoch_end(control, at.epoch, logs);
    history.epoch.push_back(at.epoch);
    for (const auto& [name, value] : logs) history.history[name].push_back(value);
    bar.finish(at.step, [&] { return logs; });
    ++at.epoch;
    at.step = 0;
    if (!fit.steps_per_epoch) at.batch = 0;
    for (const Callback& callback : fit.callbacks) callback->on_resumable(control, at);
  }
  {
    const std::shared_lock no_snapshot(step_mutex());
    steps.optimizer().finalize_variable_values();
  }
  for (const Callback& callback : fit.callbacks) callback->on_train_end(control, logs);
  return history;
}

Trainer::Trainer(Trainee& trainee) : impl_(std::make_unique<Impl>(trainee)) {}
Trainer::~Trainer() = default;

void Trainer::compile(const models::CompileOptions& options) {
  if (options.optimizer.is_empty()) throw ValueError("`compile` needs an optimizer.");
  impl_->options = options;
  impl_->trained_weights = TrainedWeights(impl_->trainee.layer());
  impl_->functions.reset();
  impl_->cache.clear();
  // What is trainable and what is inferred may have changed.
  impl_->prediction.reset();
  impl_->prediction_cache.clear();
}

bool Trainer::is_compiled() const { return impl_->options.has_value(); }

const models::CompileOptions& Trainer::compile_options() const {
  if (!impl_->options) throw ValueError("You must call `compile()` before using the model.");
  return *impl_->options;
}

optimizers::Optimizer& Trainer::optimizer() {
  if (!impl_->options) throw ValueError("You must call `compile()` before using the model.");
  return impl_->options->optimizer;
}

void Trainer::build_optimizer() { impl_->build_optimizer(); }

History Trainer::fit(const Tensors& x, const Tensors& y, const models::FitOptions& options) {
  impl_->compiled();
  require_positive("steps_per_epoch", options.steps_per_epoch);
  require_positive("validation_steps", options.validation_steps);
  require_callbacks(options.callbacks);
  if (options.validation_split < 0 || options.validation_split >= 1) {
    throw ValueError(
        fmt::format("`validation_split` must be in [0, 1). Received: validation_split={}", options.validation_split));
  }
  Arrays arrays = impl_->arrays(x, y, options.sample_weight, options.class_weight);
  Arrays validation;
  if (!options.validation_data.is_empty()) {
    const models::ValidationData& data = options.validation_data;
    validation = impl_->arrays(data.x, data.y, data.sample_weight, {});
  } else if (options.validation_split > 0) {
    // Checks the cardinality before anything is cut.
    const Batches whole(arrays.x, arrays.y, arrays.weights, 1);
    const auto samples = static_cast<double>(whole.samples());
    const auto split = static_cast<std::int64_t>(std::floor(samples * (1.0 - options.validation_split)));
    if (split == 0 || split == whole.samples()) {
      throw ValueError(
          "Training data contains " + std::to_string(whole.samples()) +
          " samples, which is not sufficient to split it into a validation and training set as specified by "
          "`validation_split=" +
          fmt::format("{}", options.validation_split) +
          "`. Either provide more data, or a different value for the `validation_split` argument.");
    }
    for (auto member : {&Arrays::x, &Arrays::y, &Arrays::weights}) {
      SplitArrays parts = split_arrays(arrays.*member, split);
      arrays.*member = std::move(parts.first);
      validation.*member = std::move(parts.second);
    }
  }
  return impl_->fit(arrays, validation, options);
}

Logs Trainer::evaluate(const Tensors& x, const Tensors& y, const models::EvaluateOptions& options) {
  impl_->compiled();
  require_positive("steps", options.steps);
  require_callbacks(options.callbacks);
  const Arrays arrays = impl_->arrays(x, y, options.sample_weight, {});
  Impl::Control control(*impl_, 1, std::nullopt);
  return impl_->evaluate(arrays, options.batch_size.value_or(32), options.steps, options.verbose, options.callbacks,
                         control);
}

std::vector<Tensor> Trainer::predict(const Tensors& x, const models::PredictOptions& options) {
  require_positive("steps", options.steps);
  require_callbacks(options.callbacks);
  const Arrays arrays = impl_->arrays(x, {}, {}, {});
  Batches batches(arrays.x, {}, {}, options.batch_size.value_or(32));
  if (!impl_->prediction) impl_->prediction = std::make_unique<StepFunctions>(impl_->trainee, models::CompileOptions{});
  StepRunner step = impl_->runner(*impl_->prediction, StepKind::predict, arrays);
  const std::int64_t count = std::min(batches.count(), options.steps.value_or(batches.count()));
  const std::int64_t samples = std::min(batches.samples(), count * batches.batch_size());
  ProgressBar bar(count, {.verbose = options.verbose});
  Impl::Control control(*impl_, 1, count);
  Logs logs;
  std::vector<Tensor> results;
  for (const Callback& callback : options.callbacks) callback->on_predict_begin(control, logs);
  for (std::int64_t batch = 0; batch < count; ++batch) {
    for (const Callback& callback : options.callbacks) callback->on_predict_batch_begin(control, batch, logs);
    step.run(batches, batch);
    const std::vector<Tensor>& outputs = step.outputs();
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      if (batch == 0) results.push_back(Tensor::uninitialized(outputs[i].shape().with(0, samples), outputs[i].dtype()));
      const std::size_t whole_batch = results[i].spec().bytes() / static_cast<std::size_t>(samples) *
                                      static_cast<std::size_t>(batches.batch_size());
      std::memcpy(
          static_cast<std::byte*>(results[i].mutable_raw_data()) + static_cast<std::size_t>(batch) * whole_batch,
          outputs[i].raw_data(), outputs[i].spec().bytes());
    }
    for (const Callback& callback : options.callbacks) callback->on_predict_batch_end(control, batch, logs);
    if (batch + 1 < count) bar.update(batch + 1, [] { return Logs(); });
  }
  bar.finish(count, [] { return Logs(); });
  for (const Callback& callback : options.callbacks) callback->on_predict_end(control, logs);
  return results;
}

Logs Trainer::train_on_batch(const Tensors& x, const Tensors& y, const models::BatchOptions& options) {
  StepFunctions& steps = impl_->compiled();
  const Arrays arrays = impl_->arrays(x, y, options.sample_weight, options.class_weight);
  Batches batch(arrays.x, arrays.y, arrays.weights, arrays.x.front().shape()[0]);
  impl_->build_optimizer();
  StepRunner step = impl_->runner(steps, StepKind::train, arrays);
  steps.reset();
  step.run(batch, 0);
  return steps.evaluation_logs();
}

Logs Trainer::test_on_batch(const Tensors& x, const Tensors& y, const models::BatchOptions& options) {
  StepFunctions& steps = impl_->compiled();
  const Arrays arrays = impl_->arrays(x, y, options.sample_weight, {});
  Batches batch(arrays.x, arrays.y, arrays.weights, arrays.x.front().shape()[0]);
  StepRunner step = impl_->runner(steps, StepKind::test, arrays);
  steps.reset();
  step.run(batch, 0);
  return steps.evaluation_logs();
}

std::vector<Tensor> Trainer::predict_on_batch(const Tensors& x) {
  const Arrays arrays = impl_->arrays(x, {}, {}, {});
  return predict(x, {.batch_size = std::max<std::int64_t>(1, arrays.x.front().shape()[0]), .verbose = 0});
}

std::vector<CompiledStep> Trainer::compiled_steps() const {
  std::vector<CompiledStep> steps = impl_->cache.steps();
  const std::vector<CompiledStep> predictions = impl_->prediction_cache.steps();
  steps.insert(steps.end(), predictions.begin(), predictions.end());
  return steps;
}

}  // namespace rhyton::training
