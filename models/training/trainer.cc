#include <rhyton/models/training/trainer.h>

#include <algorithm>
#include <atomic>
#include <iostream>
#include <map>
#include <mutex>
#include <shared_mutex>

#include <rhyton/framework/context.h>
#include <rhyton/framework/device/device_scope.h>
#include <rhyton/framework/device/logical_device.h>
#include <rhyton/framework/distribute/strategy.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/warning.h>
#include <rhyton/models/keyboard_interrupt.h>
#include <rhyton/models/training/argument_checks.h>
#include <rhyton/models/training/arrays.h>
#include <rhyton/models/training/batch_source.h>
#include <rhyton/models/training/compiled_steps.h>
#include <rhyton/models/training/evaluation_sums.h>
#include <rhyton/models/training/idle_runners.h>
#include <rhyton/models/training/interrupts.h>
#include <rhyton/models/training/model_use.h>
#include <rhyton/models/training/predictions.h>
#include <rhyton/models/training/progress_bar.h>
#include <rhyton/models/training/random_states.h>
#include <rhyton/models/training/resumption.h>
#include <rhyton/models/training/step_mutex.h>
#include <rhyton/models/training/worker_agreement.h>
#include <rhyton/optimizers/loss_scale_optimizer.h>

namespace rhyton::training {
namespace {

using callbacks::Callback;
using callbacks::FitPosition;
using callbacks::History;
using callbacks::Logs;

/// The optimizer that trains such a model. As in Keras the policy of the model counts, not that of its layers.
optimizers::Optimizer with_loss_scale(const models::CompileOptions& options, const layers::Layer& model) {
  const bool is_scaled = !options.optimizer.impl()->inner_optimizer().is_empty();
  if (is_scaled || !options.auto_scale_loss || model.impl()->dtype_policy() != "mixed_float16") {
    return options.optimizer;
  }
  return optimizers::LossScaleOptimizer(options.optimizer, {.name = "loss_scale_optimizer"});
}

void warn_of_too_few_batches() {
  warn(
      "Your input ran out of data; interrupting training. Make sure that your dataset or generator can generate at "
      "least "
      "`steps_per_epoch * epochs` batches. You may need to use the `.repeat()` function when building your dataset.");
}

std::optional<std::int64_t> fewer(const std::optional<std::int64_t>& a, const std::optional<std::int64_t>& b) {
  return a && b ? std::min(*a, *b) : a ? a : b;
}

// Where a fit stands, and where its callbacks want it to go on.
struct FitUnderWay {
  FitPosition position;
  const BatchSource& data;
  const std::vector<Callback>& callbacks;
  InterruptAgreement& interrupts;
  bool has_begun = false;
  std::optional<callbacks::TrainingState> resumed_from = std::nullopt;
};

}  // namespace

struct Trainer::Impl {
  explicit Impl(Trainee& t) : trainee(t) {}

  class Control;

  // What steps do, and those that are compiled.
  struct Steps {
    Steps(Trainee& trainee, const models::CompileOptions& options, const optimizers::Optimizer& optimizer,
          const TrainedWeights& trained_weights)
        : functions(trainee, options, optimizer, trained_weights),
          runs_eagerly(options.run_eagerly),
          steps_per_execution(options.steps_per_execution) {}

    StepFunctions functions;
    CompiledSteps compiled;
    bool runs_eagerly;
    std::int64_t steps_per_execution;
  };

  Trainee& trainee;
  ModelUse use;
  std::optional<models::CompileOptions> options;
  // That of `options`, or what wraps it.
  optimizers::Optimizer optimizer;
  TrainedWeights trained_weights;
  // Threads that evaluate or predict keep theirs until they are done, whatever is compiled meanwhile.
  std::mutex steps_mutex;
  std::shared_ptr<Steps> training_steps;
  // `predict` works without `compile`.
  std::shared_ptr<Steps> prediction_steps;
  IdleRunners idle_prediction_runners;
  // Whether the model has been built for data.
  std::atomic<bool> is_prepared{false};
  // That of the scope in which the model was made or, before it, compiled; null outside of any.
  std::shared_ptr<distribute::StrategyImpl> strategy =
      distribute::has_strategy() ? distribute::get_strategy().impl() : nullptr;

  bool is_chief() const { return strategy == nullptr || strategy->is_chief(); }
  // Of several processes only the chief shows progress.
  int verbosity(int verbose) const { return is_chief() ? verbose : 0; }

  std::shared_ptr<Steps> compiled_steps() {
    const std::scoped_lock lock(steps_mutex);
    if (!options) throw ValueError("You must call `compile()` before using the model.");
    if (!training_steps) {
      const std::scoped_lock nobody_builds(making_mutex());
      training_steps = std::make_shared<Steps>(trainee, *options, optimizer, trained_weights);
    }
    return training_steps;
  }
  std::shared_ptr<Steps> steps_of_prediction() {
    const std::scoped_lock lock(steps_mutex);
    if (!prediction_steps) {
      const std::scoped_lock nobody_builds(making_mutex());
      models::CompileOptions nothing;
      nothing.run_eagerly = options && options->run_eagerly;
      prediction_steps = std::make_shared<Steps>(trainee, nothing, optimizers::Optimizer(), TrainedWeights());
    }
    return prediction_steps;
  }
  StepFunctions& compiled() { return compiled_steps()->functions; }

  // Calls `make`, which asks for the names of inputs and outputs and builds the model where that has not been done.
  template <class Make>
  auto prepared(const Make& make) {
    if (is_prepared.load(std::memory_order_acquire)) return make();
    const std::scoped_lock lock(making_mutex());
    const WithoutStepMutex nobody_knows_it;
    auto result = make();
    is_prepared.store(true, std::memory_order_release);
    return result;
  }

  Arrays arrays(const Tensors& x, const Tensors& y = {}, const Tensors& sample_weight = {},
                const std::map<std::int64_t, double>& class_weight = {}) {
    return prepared([&] { return arrays_for(trainee, x, y, sample_weight, class_weight); });
  }

  BatchSource source(const models::ValidationData& data, std::int64_t batch_size) {
    if (data.dataset) return dataset_source(*data.dataset, trainee, true);
    return array_source(arrays_for(trainee, data.x, data.y, data.sample_weight), batch_size);
  }

  // It must not outlive `of`.
  std::unique_ptr<StepRunner> runner(Steps& of, StepKind kind, const BatchSource& data,
                                     const StepSharing& sharing = {}) const {
    return of.compiled.runner(of.functions,
                              {.kind = kind, .targets = data.targets, .weights = data.weights, .arrays = {}}, strategy,
                              of.runs_eagerly, sharing);
  }
  const LogicalDevice& first_device() const {
    return strategy == nullptr ? current_device() : *strategy->devices().front();
  }
  // Whether steps that evaluate know own values for sums, and not only variables.
  bool has_own_sums() const { return (strategy == nullptr || strategy->is_single()) && first_device().is_host(); }

  // What every replica of every process has, with the same value.
  std::vector<Variable> mirrored_variables() {
    std::vector<Variable> variables = trainee.layer().weights();
    const auto append = [&](const std::vector<Variable>& more) {
      variables.insert(variables.end(), more.begin(), more.end());
    };
    append(random_states_of(trainee.layer()));
    append(compiled().optimizer().variables());
    return variables;
  }

  void build_optimizer() {
    StepFunctions& steps = compiled();
    const std::unique_lock nobody_saves(step_mutex());
    if (!steps.optimizer().is_built()) steps.optimizer().build(steps.trainable_variables());
  }

  Logs evaluate(BatchSource& data, std::optional<std::int64_t> steps_limit, int verbose,
                const std::vector<Callback>& callbacks, Control& control);
  History fit(BatchSource& data, BatchSource& validation, const models::FitOptions& options);
  History train(BatchSource& data, BatchSource& validation, const models::FitOptions& options, FitUnderWay& under_way,
                Control& control);
  // Throws what otherwise the evaluation after the first epoch would.
  void require_validation_data(const BatchSource& validation);
  // Whether a callback wants the fit to go on where another one was interrupted; sets the position.
  std::optional<Resumption> begin_resumption(FitUnderWay& fit);
  std::vector<Tensor> predict(BatchSource& data, const models::PredictOptions& options);
  Logs logs_of_one_step(StepKind kind, const Arrays& arrays);
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
    StepFunctions& steps = impl_.compiled();
    // Before the first step, which makes the metrics otherwise.
    if (fit_ != nullptr) steps.prepare(fit_->data.batch_specs(), fit_->data.y_specs);
    return steps.metrics().direction_of(metric);
  }
  callbacks::TrainingState state() const override {
    if (fit_ == nullptr) throw RuntimeError("There is a state to continue from only while `fit` runs.");
    FitPosition position = fit_->position;
    position.is_stopped = stopped_;
    return training_state(position, model(), impl_.compiled(), fit_->callbacks);
  }
  void resume_from(callbacks::TrainingState state) override { beginning_fit().resumed_from = std::move(state); }
  void set_initial_epoch(int epoch) override { beginning_fit().position.epoch = epoch; }
  bool is_chief() const override { return impl_.is_chief(); }
  bool stopped() const { return stopped_; }
  bool is_within_fit() const { return fit_ != nullptr; }
  // Within a fit, throws KeyboardInterrupt where it is to end now.
  void require_uninterrupted(bool is_last_chance = false) {
    if (fit_ != nullptr && fit_->interrupts.is_interrupted(is_last_chance)) throw KeyboardInterrupt();
  }

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

Logs Trainer::Impl::evaluate(BatchSource& data, std::optional<std::int64_t> steps_limit, int verbose,
                             const std::vector<Callback>& callbacks, Control& control) {
  const std::shared_ptr<Steps> compiled = compiled_steps();
  BatchStream& batches = *data.stream;
  const std::optional<std::int64_t> count = fewer(batches.count(), steps_limit);
  std::optional<ModelUse::Scope> evaluating;
  if (!control.is_within_fit() && !has_own_sums()) evaluating.emplace(use);
  const bool is_alone = control.is_within_fit() || (evaluating && evaluating->is_granted());
  EvaluationSums steps(compiled->functions, data, !is_alone);
  const std::unique_ptr<StepRunner> step =
      runner(*compiled, StepKind::test, data, {.writes_variables = is_alone, .own = steps.own()});
  if (strategy && !control.is_within_fit()) {
    take_values_of_chief(*strategy, trainee.layer().weights());
  }
  if (strategy) {
    require_same_work(*strategy, trainee.layer(),
                      {.samples = batches.samples().value_or(-1),
                       .batch_size = data.batch_size,
                       .steps_per_epoch = count.value_or(-1)});
  }
  ProgressBar bar(count, {.verbose = verbosity(verbose)});
  const auto values = [&] { return steps.logs(); };
  steps.reset();
  Logs logs;
  for (const Callback& callback : callbacks) callback->on_test_begin(control, logs);
  batches.begin_pass(0);
  std::int64_t batch = 0;
  const std::int64_t steps_per_execution = compiled->steps_per_execution;
  const auto next_batch = [&] { return (!count || batch < *count) && batches.advance(); };
  while (next_batch()) {
    for (const Callback& callback : callbacks) callback->on_test_batch_begin(control, batch, logs);
    std::int64_t steps_left = steps_per_execution;
    do {
      step->run(batches);
      ++batch;
    } while (--steps_left > 0 && next_batch());
    for (const Callback& callback : callbacks) {
      Logs current = callback->reads_batch_logs() ? steps.logs() : Logs();
      callback->on_test_batch_end(control, batch - 1, current);
    }
    control.require_uninterrupted();
    if (!count || batch < *count) bar.update(batch, values);
  }
  if (batch == 0) throw ValueError("The data set is empty: it has no batches.");
  bar.finish(batch, values);
  logs = steps.evaluation_logs();
  steps.publish(use);
  for (const Callback& callback : callbacks) callback->on_test_end(control, logs);
  return logs;
}

void Trainer::Impl::require_validation_data(const BatchSource& validation) {
  require_validation_targets(*options, validation.targets);
  if (options->run_eagerly) return;  // a loss may read values
  try {
    compiled().require_fitting(validation.batch_specs(), validation.y_specs);
  } catch (const ValueError& error) {
    throw ValueError(std::string("`validation_data` does not fit the model: ") + error.what());
  }
}

std::optional<Resumption> Trainer::Impl::begin_resumption(FitUnderWay& fit) {
  fit.has_begun = true;
  if (!fit.resumed_from) return std::nullopt;
  compiled().prepare(fit.data.batch_specs(), fit.data.y_specs);
  Resumption resumption(std::move(*fit.resumed_from), fit.position, trainee.layer(), compiled(), fit.callbacks);
  fit.position = resumption.position();
  return resumption;
}

History Trainer::Impl::fit(BatchSource& data, BatchSource& validation, const models::FitOptions& fit) {
  StepFunctions& steps = compiled();
  BatchStream& batches = *data.stream;
  if (batches.count() == 0) throw ValueError("The data set is empty: it has no batches.");
  if (!validation.is_empty()) require_validation_data(validation);
  build_optimizer();
  const int epochs = static_cast<int>(*capped(fit.epochs, "KERAS_MAX_EPOCHS"));
  const std::optional<std::int64_t> steps_per_epoch =
      capped(fit.steps_per_epoch ? fit.steps_per_epoch : batches.count(), "KERAS_MAX_STEPS_PER_EPOCH");
  InterruptAgreement interrupts(strategy.get());
  FitUnderWay under_way{.position = {.epoch = fit.initial_epoch,
                                     .shuffle_key = data.shuffle_key,
                                     .samples = batches.samples().value_or(-1),
                                     .batch_size = data.batch_size,
                                     .steps_per_epoch = steps_per_epoch.value_or(-1)},
                        .data = data,
                        .callbacks = fit.callbacks,
                        .interrupts = interrupts};
  FitPosition& at = under_way.position;
  if (strategy) {
    require_same_work(
        *strategy, trainee.layer(),
        {.samples = at.samples, .batch_size = at.batch_size, .steps_per_epoch = at.steps_per_epoch, .epochs = epochs});
    at.shuffle_key = number_of_chief(*strategy, at.shuffle_key);
    batches.set_shuffle_key(at.shuffle_key);
  }
  Control control(*this, epochs, steps_per_epoch, &under_way);
  try {
    return train(data, validation, fit, under_way, control);
  } catch (const KeyboardInterrupt&) {
    Logs logs = steps.logs();
    for (const Callback& callback : fit.callbacks) callback->on_train_interrupted(control, logs);
    throw;
  }
}

History Trainer::Impl::train(BatchSource& data, BatchSource& validation, const models::FitOptions& fit,
                             FitUnderWay& under_way, Control& control) {
  StepFunctions& steps = compiled();
  BatchStream& batches = *data.stream;
  const int epochs = control.epochs();
  const std::optional<std::int64_t> steps_per_epoch = control.steps();
  FitPosition& at = under_way.position;
  const std::unique_ptr<StepRunner> step = runner(*training_steps, StepKind::train, data);
  const int verbose = verbosity(fit.verbose);
  const auto values = [&] { return steps.logs(); };
  History history;
  Logs logs;
  for (const Callback& callback : fit.callbacks) callback->on_train_begin(control, logs);
  std::optional<Resumption> resumption = begin_resumption(under_way);
  bool is_within_pass = false;
  if (resumption) {
    if (at.is_stopped) control.stop_training();
    batches.set_shuffle_key(at.shuffle_key);
    if (at.batch > 0 && at.passes > 0) {
      batches.begin_pass(at.passes - 1);
      batches.skip(at.batch);
      is_within_pass = true;
    }
    if (!resumption->is_within_epoch()) {
      resumption->finish();
      resumption.reset();
    }
  } else if (!data.repeats) {
    // The order of a data set hangs on the number of the pass alone: a later epoch meets another one.
    at.passes = static_cast<std::uint64_t>(std::max(0, at.epoch));
  }
  if (strategy) {
    require_same_position(*strategy, at);
    take_values_of_chief(*strategy, mirrored_variables());
  }
  const auto begin_pass = [&] {
    batches.begin_pass(at.passes);
    at.batch = 0;
    is_within_pass = true;
  };
  // Goes on to the next batch of the epoch; false where the epoch ends.
  bool has_data = true;
  const auto next_batch = [&] {
    if (!has_data || (steps_per_epoch && at.step >= *steps_per_epoch)) return false;
    if (!is_within_pass) begin_pass();
    // With steps_per_epoch an epoch goes on in the data where the last one has ended.
    if (!batches.advance()) {
      is_within_pass = false;
      has_data = data.repeats || at.step == 0;
      if (!has_data) return false;
      begin_pass();
      if (!batches.advance()) throw ValueError("The data set is empty: it has no batches.");
    }
    if (at.batch++ == 0) ++at.passes;
    return true;
  };
  // What the progress bar counts to: where it is not known, as many steps as the last epoch had.
  std::optional<std::int64_t> expected = steps_per_epoch;
  // An epoch in which training was stopped, and then interrupted, still comes to its end.
  while (at.epoch < epochs && (!control.stopped() || at.step > 0)) {
    if (verbose != 0 && epochs > 1) std::cout << "Epoch " << at.epoch + 1 << "/" << epochs << "\n" << std::flush;
    ProgressBar bar(expected, {.verbose = verbose});
    steps.reset();
    has_data = true;
    logs = Logs();
    for (const Callback& callback : fit.callbacks) callback->on_epoch_begin(control, at.epoch, logs);
    if (resumption) {
      resumption->finish();
      resumption.reset();
    }
    while (!control.stopped() && next_batch()) {
      logs = Logs();
      for (const Callback& callback : fit.callbacks) callback->on_train_batch_begin(control, at.step, logs);
      std::int64_t steps_left = options->steps_per_execution;
      do {
        step->run(batches);
        ++at.step;
      } while (--steps_left > 0 && next_batch());
      const std::int64_t done = at.step - 1;
      for (const Callback& callback : fit.callbacks) {
        logs = callback->reads_batch_logs() ? steps.logs() : Logs();
        callback->on_train_batch_end(control, done, logs);
      }
      for (const Callback& callback : fit.callbacks) callback->on_resumable(control, at);
      control.require_uninterrupted();
      if (!expected || at.step < *expected) bar.update(at.step, values);
    }
    if (fit.steps_per_epoch && at.step < *steps_per_epoch && !control.stopped()) warn_of_too_few_batches();
    if (!steps_per_epoch && !control.stopped()) expected = at.step;
    // Before the validation, so that a data set makes the next epoch's first batches ready meanwhile.
    if (!fit.steps_per_epoch) is_within_pass = false;
    if (!is_within_pass && at.epoch + 1 < epochs && !control.stopped()) begin_pass();
    logs = steps.logs();
    if (!validation.is_empty() && (at.epoch + 1) % std::max(1, fit.validation_freq) == 0) {
      const Logs results = evaluate(validation, fit.validation_steps, 0, fit.callbacks, control);
      std::vector<std::pair<std::string, double>> sorted(results.begin(), results.end());
      std::sort(sorted.begin(), sorted.end());
      for (const auto& [name, value] : sorted) logs.set("val_" + name, value);
    }
    for (const Callback& callback : fit.callbacks) callback->on_epoch_end(control, at.epoch, logs);
    if (strategy && checks_replicas()) require_mirrored(*strategy, mirrored_variables());
    history.epoch.push_back(at.epoch);
    for (const auto& [name, value] : logs) history.history[name].push_back(value);
    bar.finish(at.step, [&] { return logs; });
    ++at.epoch;
    at.step = 0;
    if (!fit.steps_per_epoch) at.batch = 0;
    for (const Callback& callback : fit.callbacks) callback->on_resumable(control, at);
  }
  control.require_uninterrupted(true);
  {
    const std::shared_lock no_snapshot(step_mutex());
    steps.optimizer().finalize_variable_values();
  }
  for (const Callback& callback : fit.callbacks) callback->on_train_end(control, logs);
  return history;
}

std::vector<Tensor> Trainer::Impl::predict(BatchSource& data, const models::PredictOptions& options) {
  BatchStream& batches = *data.stream;
  std::unique_ptr<ReusableRunner> reusable = idle_prediction_runners.take(first_device(), [&] {
    const std::shared_ptr<Steps> steps = steps_of_prediction();
    std::unique_ptr<StepRunner> made = runner(*steps, StepKind::predict, data, {.writes_variables = false});
    return ReusableRunner{.owner = steps, .runner = std::move(made)};
  });
  StepRunner* const step = reusable->runner.get();
  const std::optional<std::int64_t> count = fewer(batches.count(), options.steps);
  ProgressBar bar(count, {.verbose = verbosity(options.verbose)});
  Control control(*this, 1, count);
  Logs logs;
  Predictions results(options.steps ? std::nullopt : batches.samples());
  for (const Callback& callback : options.callbacks) callback->on_predict_begin(control, logs);
  batches.begin_pass(0);
  std::int64_t batch = 0;
  for (; (!count || batch < *count) && batches.advance(); ++batch) {
    for (const Callback& callback : options.callbacks) callback->on_predict_batch_begin(control, batch, logs);
    step->run(batches);
    results.append(step->outputs());
    for (const Callback& callback : options.callbacks) callback->on_predict_batch_end(control, batch, logs);
    if (!count || batch + 1 < *count) bar.update(batch + 1, [] { return Logs(); });
  }
  if (batch == 0) throw ValueError("The data set is empty: it has no batches.");
  bar.finish(batch, [] { return Logs(); });
  for (const Callback& callback : options.callbacks) callback->on_predict_end(control, logs);
  // Runners on other devices hold arrays of this call.
  if (has_own_sums()) idle_prediction_runners.give_back(std::move(reusable));
  return results.take();
}

Logs Trainer::Impl::logs_of_one_step(StepKind kind, const Arrays& arrays) {
  const std::shared_ptr<Steps> compiled = compiled_steps();
  const BatchSource data = array_source(arrays, arrays.x.front().shape()[0]);
  std::optional<ModelUse::Scope> evaluating;
  if (kind == StepKind::train) {
    build_optimizer();
  } else if (!has_own_sums()) {
    evaluating.emplace(use);
  }
  const bool is_alone = kind == StepKind::train || (evaluating && evaluating->is_granted());
  EvaluationSums steps(compiled->functions, data, !is_alone);
  const std::unique_ptr<StepRunner> step =
      runner(*compiled, kind, data, {.writes_variables = is_alone, .own = steps.own()});
  steps.reset();
  data.stream->begin_pass(0);
  data.stream->advance();
  step->run(*data.stream);
  Logs logs = steps.evaluation_logs();
  steps.publish(use);
  return logs;
}

Trainer::Trainer(Trainee& trainee) : impl_(std::make_unique<Impl>(trainee)) {}
Trainer::~Trainer() = default;

void Trainer::compile(const models::CompileOptions& options) {
  if (options.optimizer.is_empty()) throw ValueError("`compile` needs an optimizer.");
  require_positive("steps_per_execution", options.steps_per_execution);
  check_compile_options(options);
  impl_->use.require_untrained(impl_->trainee.layer().name(), "compile");
  const ModelUse::Scope compiling(impl_->use, impl_->trainee.layer().name(), "compile");
  const std::scoped_lock lock(impl_->steps_mutex);
  impl_->options = options;
  impl_->optimizer = with_loss_scale(options, impl_->trainee.layer());
  impl_->trained_weights = TrainedWeights(impl_->trainee.layer());
  impl_->training_steps.reset();
  // What is trainable and what is inferred may have changed.
  impl_->prediction_steps.reset();
  impl_->idle_prediction_runners.discard();
  if (distribute::has_strategy() && distribute::get_strategy().impl() != impl_->strategy) {
    impl_->strategy = distribute::get_strategy().impl();
  }
}

bool Trainer::is_chief() const { return impl_->is_chief(); }

bool Trainer::is_compiled() const { return impl_->options.has_value(); }

const models::CompileOptions& Trainer::compile_options() const {
  if (!impl_->options) throw ValueError("You must call `compile()` before using the model.");
  return *impl_->options;
}

optimizers::Optimizer& Trainer::optimizer() const {
  if (!impl_->options) throw ValueError("You must call `compile()` before using the model.");
  return impl_->optimizer;
}

void Trainer::build_optimizer() { impl_->build_optimizer(); }

History Trainer::fit(const Tensors& x, const Tensors& y, const models::FitOptions& options) {
  const ModelUse::Scope training(impl_->use, impl_->trainee.layer().name(), "fit");
  impl_->compiled();
  check_fit_options(options);
  Arrays arrays = impl_->arrays(x, y, options.sample_weight, options.class_weight);
  const std::int64_t batch_size = options.batch_size.value_or(32);
  const std::int64_t validation_batch_size = options.validation_batch_size.value_or(batch_size);
  BatchSource validation;
  if (!options.validation_data.is_empty()) {
    validation = impl_->source(options.validation_data, validation_batch_size);
  } else if (options.validation_split > 0) {
    validation = array_source(split_off(arrays, options.validation_split), validation_batch_size);
  }
  // Drawn in any case: what comes after it does not hang on whether the data are shuffled.
  const std::uint64_t key = context().next_seed();
  BatchSource data =
      array_source(arrays, batch_size, options.shuffle ? std::optional<std::uint64_t>(key) : std::nullopt);
  return impl_->fit(data, validation, options);
}

History Trainer::fit(const datasets::Dataset& dataset, const models::FitOptions& options) {
  const ModelUse::Scope training(impl_->use, impl_->trainee.layer().name(), "fit");
  impl_->compiled();
  check_fit_options(options);
  require_nothing_beside_dataset(options.batch_size, options.sample_weight);
  if (options.validation_split > 0 && options.validation_data.is_empty()) {
    throw ValueError(
        "Argument `validation_split` is only supported for tensors or NumPy arrays. Found incompatible type in the "
        "input: Dataset");
  }
  BatchSource data = dataset_source(dataset, impl_->trainee, true, options.class_weight);
  BatchSource validation;
  if (!options.validation_data.is_empty()) {
    validation = impl_->source(options.validation_data, options.validation_batch_size.value_or(32));
  }
  return impl_->fit(data, validation, options);
}

Logs Trainer::evaluate(const Tensors& x, const Tensors& y, const models::EvaluateOptions& options) {
  impl_->compiled();
  require_positive("steps", options.steps);
  require_callbacks(options.callbacks);
  BatchSource data = array_source(impl_->arrays(x, y, options.sample_weight), options.batch_size.value_or(32));
  Impl::Control control(*impl_, 1, std::nullopt);
  return impl_->evaluate(data, options.steps, options.verbose, options.callbacks, control);
}

Logs Trainer::evaluate(const datasets::Dataset& dataset, const models::EvaluateOptions& options) {
  impl_->compiled();
  require_positive("steps", options.steps);
  require_callbacks(options.callbacks);
  require_nothing_beside_dataset(options.batch_size, options.sample_weight);
  BatchSource data = dataset_source(dataset, impl_->trainee, true);
  Impl::Control control(*impl_, 1, std::nullopt);
  return impl_->evaluate(data, options.steps, options.verbose, options.callbacks, control);
}

std::vector<Tensor> Trainer::predict(const Tensors& x, const models::PredictOptions& options) {
  require_positive("steps", options.steps);
  require_callbacks(options.callbacks);
  BatchSource data = array_source(impl_->arrays(x), options.batch_size.value_or(32));
  return impl_->predict(data, options);
}

std::vector<Tensor> Trainer::predict(const datasets::Dataset& dataset, const models::PredictOptions& options) {
  require_positive("steps", options.steps);
  require_callbacks(options.callbacks);
  require_nothing_beside_dataset(options.batch_size, {});
  BatchSource data = dataset_source(dataset, impl_->trainee, false);
  return impl_->predict(data, options);
}

Logs Trainer::train_on_batch(const Tensors& x, const Tensors& y, const models::BatchOptions& options) {
  const ModelUse::Scope training(impl_->use, impl_->trainee.layer().name(), "train_on_batch");
  impl_->compiled();
  return impl_->logs_of_one_step(StepKind::train, impl_->arrays(x, y, options.sample_weight, options.class_weight));
}

Logs Trainer::test_on_batch(const Tensors& x, const Tensors& y, const models::BatchOptions& options) {
  impl_->compiled();
  return impl_->logs_of_one_step(StepKind::test, impl_->arrays(x, y, options.sample_weight));
}

std::vector<Tensor> Trainer::predict_on_batch(const Tensors& x) {
  const Arrays arrays = impl_->arrays(x);
  BatchSource data = array_source(arrays, std::max<std::int64_t>(1, arrays.x.front().shape()[0]));
  return impl_->predict(data, {.verbose = 0});
}

std::vector<CompiledStep> Trainer::compiled_steps() const {
  const std::scoped_lock lock(impl_->steps_mutex);
  std::vector<CompiledStep> list;
  for (const auto& steps : {impl_->training_steps, impl_->prediction_steps}) {
    if (!steps) continue;
    const std::vector<CompiledStep> own = steps->compiled.list();
    list.insert(list.end(), own.begin(), own.end());
  }
  return list;
}

}  // namespace rhyton::training
