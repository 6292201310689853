#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <rhyton/framework/context.h>
#include <rhyton/framework/io/json/json.h>
#include <rhyton/framework/tensor/tensor.h>

namespace rhyton::callbacks {

/// The state that a callback needs to continue in another process.
struct CallbackState {
  io::Json values = io::Json::object();
  std::vector<Tensor> tensors = {};
};

/// A member of `values`. Throws NotFoundError if it is absent, TypeError or ValueError if it is no int.
int integer_of(const CallbackState& state, const char* name);
/// The same for a number; empty for null.
std::optional<double> optional_number_of(const CallbackState& state, const char* name);

/// The next step of a `fit` and the order of its samples.
struct FitPosition {
  /// Counted from 0.
  int epoch = 0;
  /// The steps of that epoch that are done. After all of them, the validation and the callbacks at its end are left.
  std::int64_t step = 0;
  /// Whether `stop_training` was called.
  bool is_stopped = false;

  /// The order of the samples is a function of this key and of the number of passes over the data that have begun.
  std::uint64_t shuffle_key = 0;
  std::uint64_t passes = 0;
  /// The next batch of the pass.
  std::int64_t batch = 0;

  /// These must be the same for a fit to continue within an epoch.
  std::int64_t samples = 0;
  std::int64_t batch_size = 0;
  std::int64_t steps_per_epoch = 0;
};

/// The state that, with the model's weights and the optimizer's variables, determines how a `fit` continues: another
/// process continues with the bits that this one would have had.
struct TrainingState {
  FitPosition position;
  Context::RandomState random;
  /// The sums of the loss and the metrics of the epoch so far.
  std::vector<Tensor> accumulators;
  /// The variables of the model's layers that are no weights (the random states of Dropout).
  std::vector<Tensor> layer_states;
  /// One per callback, in the order of `fit`.
  std::vector<CallbackState> callbacks;
};

}  // namespace rhyton::callbacks
