#include <rhyton/models/training/prediction.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include <rhyton/framework/device/device_scope.h>
#include <rhyton/framework/error.h>
#include <rhyton/models/config.h>
#include <rhyton/models/training/argument_checks.h>
#include <rhyton/models/training/callback_list.h>
#include <rhyton/models/training/model_control.h>
#include <rhyton/models/training/predictions.h>
#include <rhyton/models/training/progress_bar.h>

namespace rhyton::training {

using callbacks::Logs;

std::vector<Tensor> predict(TrainedModel& model, const BatchSource& data, const models::PredictOptions& options) {
  std::unique_ptr<ReusableRunner> reusable = model.idle_prediction_runners.take(current_device(), [&] {
    const std::shared_ptr<ModelSteps> steps = model.compilation.prediction_steps();
    std::unique_ptr<StepRunner> made = steps->runner(StepKind::predict, {.writes_variables = false});
    return ReusableRunner{
        .owner = steps, .runner = std::move(made), .may_be_kept = steps->can_use_own_sums() && !steps->runs_eagerly};
  });
  StepRunner* const runner = reusable->runner.get();
  BatchStream& batches = *data.stream;
  const std::optional<std::int64_t> count = capped(data.steps(options.steps), config::max_steps_per_epoch());
  ProgressBar bar(count, {.verbose = model.verbosity(options.verbose)});
  ModelControl control(model, 1, count);
  const CallbackList callbacks(options.callbacks, control);
  const ProgressBar::Values no_values = [] { return Logs(); };
  Logs logs;
  Predictions results(options.steps || config::max_steps_per_epoch() ? std::nullopt : batches.samples());
  callbacks.on_predict_begin(logs);
  batches.begin_pass(0);
  std::int64_t batch = 0;
  for (; (!count || batch < *count) && batches.advance(); ++batch) {
    callbacks.on_predict_batch_begin(batch, logs);
    runner->run(batches);
    results.append(runner->outputs());
    callbacks.on_predict_batch_end(batch, logs);
    if (!count || batch + 1 < *count) bar.update(batch + 1, no_values);
  }
  if (batch == 0) throw ValueError("The data set is empty: it has no batches.");
  bar.finish(batch, no_values);
  callbacks.on_predict_end(logs);
  model.idle_prediction_runners.give_back(std::move(reusable));
  return results.take();
}

}  // namespace rhyton::training
