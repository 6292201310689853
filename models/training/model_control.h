#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <rhyton/models/callbacks/callback.h>
#include <rhyton/models/training/batch_source.h>
#include <rhyton/models/training/epoch_cursor.h>
#include <rhyton/models/training/trained_model.h>

namespace rhyton::training {

/// The parts of a running `fit` that callbacks see and change.
struct FitProgress {
  EpochCursor& cursor;
  const BatchSource& data;
  const std::vector<callbacks::Callback>& callbacks;
  /// Whether `on_train_begin` has been called.
  bool has_begun = false;
  /// The state from which a callback wants the fit to continue.
  std::optional<callbacks::TrainingState> resumed_from = std::nullopt;
  /// Brings the model up to date where its steps run in other processes; empty: it is.
  std::function<void()> synchronize = {};
};

/// What callbacks of a model may see and do.
class ModelControl final : public callbacks::TrainingControl {
 public:
  /// `fit`: null while no fit runs.
  ModelControl(TrainedModel& model, int epochs, std::optional<std::int64_t> steps, FitProgress* fit = nullptr)
      : model_(model), epochs_(epochs), steps_(steps), fit_(fit) {}

  layers::Layer model() const override;
  void stop_training() override { is_stopped_ = true; }
  double learning_rate() const override;
  void set_learning_rate(double rate) override;
  int epochs() const override { return epochs_; }
  std::optional<std::int64_t> steps() const override { return steps_; }
  std::string direction_of(const std::string& metric) const override;
  callbacks::TrainingState state() const override;
  void resume_from(callbacks::TrainingState state) override;
  void set_initial_epoch(int epoch) override;
  bool is_chief() const override { return model_.compilation.is_chief(); }

  bool is_stopped() const { return is_stopped_; }

 private:
  FitProgress& beginning_fit() const;

  TrainedModel& model_;
  int epochs_;
  std::optional<std::int64_t> steps_;
  FitProgress* fit_;
  bool is_stopped_ = false;
};

}  // namespace rhyton::training
