#pragma once

#include <cstdint>
#include <optional>

#include <rhyton/models/callbacks/training_state.h>
#include <rhyton/models/training/batch_source.h>

namespace rhyton::training {

/// The epochs of a `fit`.
struct EpochPlan {
  int initial_epoch = 0;
  /// The epoch, counted from 0, before which the fit ends.
  int epochs = 1;
  /// Empty if unknown: an epoch then ends with the pass over the data.
  std::optional<std::int64_t> steps_per_epoch = std::nullopt;
  /// Whether the user gave `steps_per_epoch`: an epoch then continues in the data where the last one ended.
  bool continues_passes = false;
};

/// The position of a `fit` in its epochs and its data. It moves the stream.
class EpochCursor {
 public:
  /// `data` must outlive it.
  EpochCursor(const BatchSource& data, const EpochPlan& plan);

  const callbacks::FitPosition& position() const { return at_; }
  int epoch() const { return at_.epoch; }
  /// The steps of the epoch that are done.
  std::int64_t step() const { return at_.step; }
  int epochs() const { return plan_.epochs; }
  const std::optional<std::int64_t>& steps_per_epoch() const { return plan_.steps_per_epoch; }

  // Before the first batch.

  void set_shuffle_key(std::uint64_t key);
  void set_epoch(int epoch) { at_.epoch = epoch; }
  /// Moves to the position of an interrupted fit.
  void move_to(const callbacks::FitPosition& position);
  /// Moves to the first pass of an epoch that is not the first: the order of a data set depends only on the number of
  /// the pass.
  void skip_passes_of_earlier_epochs();

  // Within the epochs.

  bool has_epoch() const { return at_.epoch < plan_.epochs; }
  bool is_within_epoch() const { return at_.step > 0; }
  void begin_epoch() { has_data_ = true; }
  /// Moves to the next batch of the epoch; false at its end. Throws ValueError if the data have no batches.
  bool next_batch();
  /// Counts a step over the batch.
  void count_step() { ++at_.step; }
  /// Whether the data ended before the steps of the epoch.
  bool ran_out_of_data() const;
  /// Ends the pass of an epoch whose steps are done. If the fit `continues`, begins the next pass, so that a data set
  /// prepares its first batches during the validation.
  void end_steps(bool continues);
  /// Moves to the next epoch.
  void end_epoch();

 private:
  void begin_pass();

  const BatchSource& data_;
  EpochPlan plan_;
  callbacks::FitPosition at_;
  bool is_within_pass_ = false;
  bool has_data_ = true;
};

}  // namespace rhyton::training
