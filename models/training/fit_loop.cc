#include <rhyton/models/training/fit_loop.h>

#include <algorithm>
#include <cstdint>
#include <iostream>
#include <memory>
#include <optional>
#include <shared_mutex>
#include <string>
#include <utility>

#include <rhyton/framework/error.h>
#include <rhyton/framework/warning.h>
#include <rhyton/models/callbacks/log_order.h>
#include <rhyton/models/config.h>
#include <rhyton/models/keyboard_interrupt.h>
#include <rhyton/models/training/argument_checks.h>
#include <rhyton/models/training/callback_list.h>
#include <rhyton/models/training/epoch_cursor.h>
#include <rhyton/models/training/evaluation.h>
#include <rhyton/models/training/interrupts.h>
#include <rhyton/models/training/model_control.h>
#include <rhyton/models/training/parameter_server_runner.h>
#include <rhyton/models/training/progress_bar.h>
#include <rhyton/models/training/resumption.h>
#include <rhyton/models/training/step_mutex.h>
#include <rhyton/models/training/worker_agreement.h>

namespace rhyton::training {
namespace {

using callbacks::History;
using callbacks::Logs;

void warn_of_too_few_batches() {
  warn(
      "Your input ran out of data; interrupting training. Make sure that your dataset or generator can generate at "
      "least `steps_per_epoch * epochs` batches. You may need to use the `.repeat()` function when building your "
      "dataset.");
}

EpochPlan epoch_plan(const BatchSource& data, const models::FitOptions& options) {
  return {.initial_epoch = options.initial_epoch,
          .epochs = static_cast<int>(*capped(options.epochs, config::max_epochs())),
          .steps_per_epoch = capped(data.steps_per_epoch(options.steps_per_epoch), config::max_steps_per_epoch()),
          .continues_passes = options.steps_per_epoch.has_value()};
}

/// Throws the errors that otherwise the validation after the first epoch would throw.
void require_validation_data(ModelSteps& steps, const models::CompileOptions& options, const BatchSource& validation) {
  const StepOverrides& own = steps.functions.overrides();
  if (!own.test_step && !own.compute_loss) require_validation_targets(options, validation.specs.y.size());
  if (options.run_eagerly) return;  // a loss may read values
  try {
    steps.functions.require_fitting(validation.batch_specs());
  } catch (const ValueError& error) {
    throw ValueError(std::string("`validation_data` does not fit the model: ") + error.what());
  }
}

/// One call of `fit`.
class FitLoop {
 public:
  FitLoop(TrainedModel& model, const BatchSource& data, const BatchSource& validation,
          const models::FitOptions& options)
      : model_(model),
        steps_(model.compilation.training_steps()),
        data_(data),
        validation_(validation),
        options_(options),
        cursor_(data, epoch_plan(data, options)),
        progress_{.cursor = cursor_, .data = data, .callbacks = options.callbacks},
        control_(model, cursor_.epochs(), cursor_.steps_per_epoch(), &progress_),
        callbacks_(options.callbacks, control_),
        interrupts_(steps_->strategy.get()),
        verbose_(model.verbosity(options.verbose)),
        expected_steps_(cursor_.steps_per_epoch()) {}

  History run() {
    agree_with_workers();
    try {
      train();
    } catch (const KeyboardInterrupt&) {
      Logs logs = logs_of_step();
      callbacks_.on_train_interrupted(logs);
      throw;
    }
    return std::move(history_);
  }

 private:
  void agree_with_workers() {
    if (steps_->strategy == nullptr) return;
    const callbacks::FitPosition& at = cursor_.position();
    require_same_work(*steps_->strategy, model_.trainee.layer(),
                      {.samples = at.samples,
                       .batch_size = at.batch_size,
                       .steps_per_epoch = at.steps_per_epoch,
                       .epochs = cursor_.epochs()});
    cursor_.set_shuffle_key(number_of_chief(*steps_->strategy, at.shuffle_key));
  }

  void train() {
    runner_ = training_runner();
    callbacks_.on_train_begin(logs_);
    begin_or_resume();
    // An epoch that was stopped and then interrupted is still completed.
    while (cursor_.has_epoch() && (!control_.is_stopped() || cursor_.is_within_epoch())) train_epoch();
    require_uninterrupted(true);
    {
      const std::shared_lock no_snapshot(step_mutex());
      steps_->functions.optimizer().finalize_variable_values();
    }
    callbacks_.on_train_end(logs_);
    runner_->end();
  }

  std::unique_ptr<StepRunner> training_runner() {
    if (steps_->strategy == nullptr || steps_->strategy->parameter_servers() == nullptr) {
      return steps_->runner(StepKind::train);
    }
    auto runner = std::make_unique<ParameterServerRunner>(model_, *steps_, data_, cursor_);
    progress_.synchronize = [&steps = *runner] { steps.finish(); };
    return runner;
  }

  void begin_or_resume() {
    progress_.has_begun = true;
    if (progress_.resumed_from) {
      steps_->functions.prepare(data_.batch_specs());
      resumption_.emplace(std::move(*progress_.resumed_from), cursor_.position(), model_.trainee.layer(),
                          steps_->functions, options_.callbacks);
      cursor_.move_to(resumption_->position());
      if (cursor_.position().is_stopped) control_.stop_training();
      if (!resumption_->is_within_epoch()) finish_resumption();
    } else {
      cursor_.skip_passes_of_earlier_epochs();
    }
    if (steps_->strategy == nullptr) return;
    require_same_position(*steps_->strategy, cursor_.position());
    take_values_of_chief(*steps_->strategy, model_.mirrored_variables());
  }

  void finish_resumption() {
    if (!resumption_) return;
    resumption_->finish();
    resumption_.reset();
  }

  void train_epoch() {
    const int epoch = cursor_.epoch();
    if (verbose_ != 0 && cursor_.epochs() > 1) {
      std::cout << "Epoch " << epoch + 1 << "/" << cursor_.epochs() << "\n" << std::flush;
    }
    ProgressBar bar(expected_steps_, {.verbose = verbose_});
    steps_->functions.reset();
    cursor_.begin_epoch();
    logs_ = Logs();
    callbacks_.on_epoch_begin(epoch, logs_);
    finish_resumption();
    train_batches(bar);
    end_steps();
    callbacks_.on_epoch_end(epoch, logs_);
    if (steps_->strategy != nullptr && checks_replicas()) {
      require_mirrored(*steps_->strategy, model_.mirrored_variables());
    }
    history_.add(epoch, logs_);
    bar.finish(cursor_.step(), [&] { return logs_; });
    cursor_.end_epoch();
    callbacks_.on_resumable(cursor_.position());
  }

  void train_batches(ProgressBar& bar) {
    const CallbackList::ReadLogs read_logs = [&] { return logs_of_step(); };
    while (!control_.is_stopped() && cursor_.next_batch()) {
      logs_ = Logs();
      callbacks_.on_train_batch_begin(cursor_.step(), logs_);
      std::int64_t steps_left = steps_->steps_per_execution;
      do {
        runner_->run(*data_.stream);
        cursor_.count_step();
      } while (--steps_left > 0 && cursor_.next_batch());
      callbacks_.on_train_batch_end(cursor_.step() - 1, read_logs);
      callbacks_.on_resumable(cursor_.position());
      require_uninterrupted();
      if (!expected_steps_ || cursor_.step() < *expected_steps_) bar.update(cursor_.step(), read_logs);
    }
  }

  /// The end of an epoch's steps: the epoch's logs, with those of a validation if one is due.
  void end_steps() {
    runner_->finish();
    const bool continues = !control_.is_stopped();
    if (continues && cursor_.ran_out_of_data()) warn_of_too_few_batches();
    if (continues && !cursor_.steps_per_epoch()) expected_steps_ = cursor_.step();
    cursor_.end_steps(continues);
    logs_ = steps_->functions.last_logs(runner_->log_form(), runner_->outputs());
    if (validation_.is_empty() || (cursor_.epoch() + 1) % std::max(1, options_.validation_freq) != 0) return;
    logs_ = callbacks::with_validation(
        logs_, validate(model_, validation_, options_.validation_steps, callbacks_, interrupts_));
  }

  /// Those of the last step.
  Logs logs_of_step() const { return steps_->functions.logs(runner_->log_form(), runner_->outputs()); }

  void require_uninterrupted(bool is_last_chance = false) {
    if (interrupts_.is_interrupted(is_last_chance)) throw KeyboardInterrupt();
  }

  TrainedModel& model_;
  std::shared_ptr<ModelSteps> steps_;
  const BatchSource& data_;
  const BatchSource& validation_;
  const models::FitOptions& options_;
  EpochCursor cursor_;
  FitProgress progress_;
  ModelControl control_;
  CallbackList callbacks_;
  InterruptAgreement interrupts_;
  std::unique_ptr<StepRunner> runner_;
  std::optional<Resumption> resumption_;
  int verbose_;
  // The steps that the progress bar counts to: if unknown, as many as the last epoch had.
  std::optional<std::int64_t> expected_steps_;
  // Those of the last epoch.
  Logs logs_;
  History history_;
};

}  // namespace

callbacks::History fit(TrainedModel& model, const BatchSource& data, const BatchSource& validation,
                       const models::FitOptions& options) {
  if (data.stream->count() == 0) throw ValueError("The data set is empty: it has no batches.");
  const std::shared_ptr<ModelSteps> steps = model.compilation.training_steps();
  steps->require_runnable(StepKind::train);
  if (!validation.is_empty()) {
    steps->require_runnable(StepKind::test);
    require_validation_data(*steps, model.compilation.options(), validation);
  }
  // A step of the model's own may use others; `apply` builds those that it uses.
  if (!steps->functions.overrides().train_step) model.build_optimizer();
  if (const std::shared_ptr<distribute::StrategyImpl> strategy = model.compilation.strategy();
      strategy != nullptr && strategy->parameter_servers() != nullptr && !strategy->is_chief()) {
    serve_fit(model, data);
    return {};
  }
  return FitLoop(model, data, validation, options).run();
}

}  // namespace rhyton::training
