#include <rhyton/models/training/evaluation.h>

#include <memory>
#include <utility>

#include <rhyton/framework/error.h>
#include <rhyton/models/callbacks/log_order.h>
#include <rhyton/models/config.h>
#include <rhyton/models/keyboard_interrupt.h>
#include <rhyton/models/training/argument_checks.h>
#include <rhyton/models/training/evaluation_sums.h>
#include <rhyton/models/training/model_control.h>
#include <rhyton/models/training/progress_bar.h>
#include <rhyton/models/training/worker_agreement.h>

namespace rhyton::training {
namespace {

using callbacks::Logs;

/// Steps with the sums of loss and metrics that they add to.
class SummedSteps {
 public:
  /// `has_model`: whether the caller trains the model, so that no other thread uses its sums.
  SummedSteps(TrainedModel& model, std::shared_ptr<ModelSteps> steps, StepKind kind, const BatchSource& data,
              bool has_model)
      : model_(model), steps_(std::move(steps)) {
    // Steps of the model's own may write other variables than the sums.
    const bool has_own_sums = steps_->can_use_own_sums() && !steps_->functions.overrides().has_any();
    if (!has_model && !has_own_sums) use_.emplace(model.use);
    const bool is_alone = has_model || (use_ && use_->is_granted());
    sums_.emplace(steps_->functions, data, !is_alone);
    runner_ = steps_->runner(kind, {.writes_variables = is_alone, .own = sums_->own()});
  }

  std::int64_t steps_per_execution() const { return steps_->steps_per_execution; }
  void reset() { sums_->reset(); }
  void run(BatchStream& batches) { runner_->run(batches); }
  /// Those of the last step.
  Logs logs() {
    return sums_->logs([&] { return steps_->functions.logs(runner_->log_form(), runner_->outputs()); });
  }
  /// Those of the steps since `reset`.
  Logs last_logs() {
    return sums_->logs([&] { return steps_->functions.last_logs(runner_->log_form(), runner_->outputs()); });
  }
  /// Makes the sums the results of the model's metrics.
  void publish() { sums_->publish(model_.use); }
  Logs in_order_of_metrics(const Logs& logs) const {
    return callbacks::in_order_of_metrics(logs, steps_->functions.metric_names());
  }

 private:
  TrainedModel& model_;
  std::shared_ptr<ModelSteps> steps_;
  std::optional<ModelUse::Scope> use_;
  std::optional<EvaluationSums> sums_;
  std::unique_ptr<StepRunner> runner_;
};

void agree_with_workers(TrainedModel& model, const BatchSource& data, const std::optional<std::int64_t>& count,
                        bool is_within_fit) {
  const std::shared_ptr<distribute::StrategyImpl> strategy = model.compilation.strategy();
  if (strategy == nullptr) return;
  const layers::Layer layer = model.trainee.layer();
  if (!is_within_fit) take_values_of_chief(*strategy, layer.weights());
  require_same_work(*strategy, layer,
                    {.samples = data.stream->samples().value_or(-1),
                     .batch_size = data.batch_size,
                     .steps_per_epoch = count.value_or(-1)});
}

/// Runs the steps over one pass. `interrupts`: those of the fit that validates, else null. Returns the logs sorted by
/// name, with the values that callbacks added.
Logs run_pass(SummedSteps& steps, BatchStream& batches, const std::optional<std::int64_t>& count, int verbose,
              const CallbackList& callbacks, InterruptAgreement* interrupts) {
  ProgressBar bar(count, {.verbose = verbose});
  const CallbackList::ReadLogs read_logs = [&] { return steps.logs(); };
  steps.reset();
  Logs logs;
  callbacks.on_test_begin(logs);
  batches.begin_pass(0);
  std::int64_t batch = 0;
  const auto next_batch = [&] { return (!count || batch < *count) && batches.advance(); };
  while (next_batch()) {
    callbacks.on_test_batch_begin(batch, logs);
    std::int64_t steps_left = steps.steps_per_execution();
    do {
      steps.run(batches);
      ++batch;
    } while (--steps_left > 0 && next_batch());
    callbacks.on_test_batch_end(batch - 1, read_logs);
    if (interrupts != nullptr && interrupts->is_interrupted()) throw KeyboardInterrupt();
    if (!count || batch < *count) bar.update(batch, read_logs);
  }
  if (batch == 0) throw ValueError("The data set is empty: it has no batches.");
  const CallbackList::ReadLogs read_last_logs = [&] { return steps.last_logs(); };
  bar.finish(batch, read_last_logs);
  logs = steps.last_logs();
  steps.publish();
  callbacks.on_test_end(logs);
  return logs;
}

}  // namespace

Logs evaluate(TrainedModel& model, const BatchSource& data, const models::EvaluateOptions& options) {
  ModelControl control(model, 1, std::nullopt);
  const CallbackList callbacks(options.callbacks, control);
  const std::optional<std::int64_t> count = capped(data.steps(options.steps), config::max_steps_per_epoch());
  SummedSteps steps(model, model.compilation.training_steps(), StepKind::test, data, false);
  agree_with_workers(model, data, count, false);
  const Logs logs = run_pass(steps, *data.stream, count, model.verbosity(options.verbose), callbacks, nullptr);
  return steps.in_order_of_metrics(logs);
}

Logs validate(TrainedModel& model, const BatchSource& data, std::optional<std::int64_t> steps_limit,
              const CallbackList& callbacks, InterruptAgreement& interrupts) {
  const std::optional<std::int64_t> count = capped(data.steps(steps_limit), config::max_steps_per_epoch());
  SummedSteps steps(model, model.compilation.training_steps(), StepKind::test, data, true);
  agree_with_workers(model, data, count, true);
  return run_pass(steps, *data.stream, count, 0, callbacks, &interrupts);
}

Logs run_one_step(TrainedModel& model, StepKind kind, const BatchSource& data) {
  const std::shared_ptr<ModelSteps> compiled = model.compilation.training_steps();
  const bool trains = kind == StepKind::train;
  if (trains && !compiled->functions.overrides().train_step) model.build_optimizer();
  SummedSteps steps(model, compiled, kind, data, trains);
  steps.reset();
  data.stream->begin_pass(0);
  data.stream->advance();
  steps.run(*data.stream);
  const Logs logs = steps.logs();
  steps.publish();
  return steps.in_order_of_metrics(logs);
}

}  // namespace rhyton::training
