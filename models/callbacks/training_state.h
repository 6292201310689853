#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <rhyton/framework/context.h>
#include <rhyton/framework/io/json/json.h>
#include <rhyton/framework/tensor/tensor.h>

namespace rhyton::callbacks {

/// What a callback has gathered so far and needs to go on in another process.
struct CallbackState {
  io::Json values = io::Json::object();
  std::vector<Tensor> tensors = {};
};

/// A member of `values`. Throw NotFoundError where it is absent, TypeError or ValueError where it is of another kind.
int integer_of(const CallbackState& state, const char* name);
/// Null is none.
std::optional<double> optional_number_of(const CallbackState& state, const char* name);

/// The next step of a `fit`, and the order of its samples.
struct FitPosition {
  /// Counted from 0.
  int epoch = 0;
  /// The steps of that epoch that are done. All of them: what is left is the validation and the callbacks of its end.
  std::int64_t step = 0;
  /// Somebody has called `stop_training`.
  bool is_stopped = false;

  /// The order of the samples is a function of this key and of the passes over the data that have begun.
  std::uint64_t shuffle_key = 0;
  std::uint64_t passes = 0;
  /// The next batch of the pass.
  std::int64_t batch = 0;

  /// What must be the same for a fit to go on within an epoch.
  std::int64_t samples = 0;
  std::int64_t batch_size = 0;
  std::int64_t steps_per_epoch = 0;
};

/// All that decides how a `fit` goes on, apart from the model's weights and the optimizer's variables: with these and
/// those another process continues with the bits that this one would have had.
struct TrainingState {
  FitPosition position;
  Context::RandomState random;
  /// The sums behind the loss and the metrics of the epoch so far.
  std::vector<Tensor> accumulators;
  /// What the model's layers keep besides weights (the random states of Dropout).
  std::vector<Tensor> layer_states;
  /// One per callback, in the order of `fit`.
  std::vector<CallbackState> callbacks;
};

}  // namespace rhyton::callbacks
