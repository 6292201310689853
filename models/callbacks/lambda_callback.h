#pragma once

#include <cstdint>
#include <functional>

#include <rhyton/framework/by_name.h>
#include <rhyton/models/callbacks/callback.h>

namespace rhyton::callbacks {

/// Arguments of `LambdaCallback`: functions of the epoch or batch, counted from 0, and the logs, which they may change.
/// Fields in the order of Keras's signature.
struct LambdaCallbackOptions {
  using OnEpoch = std::function<void(int epoch, Logs& logs)>;
  using OnTrain = std::function<void(Logs& logs)>;
  using OnBatch = std::function<void(std::int64_t batch, Logs& logs)>;

  ByName by_name = ByName();
  OnEpoch on_epoch_begin = {};
  OnEpoch on_epoch_end = {};
  OnTrain on_train_begin = {};
  OnTrain on_train_end = {};
  OnBatch on_train_batch_begin = {};
  /// If it looks at the logs, training waits for the step.
  OnBatch on_train_batch_end = {};
  /// Not in Keras: see `CallbackImpl`.
  OnTrain on_train_interrupted = {};
};

/// A callback made of functions (https://keras.io/api/callbacks/lambda_callback).
///
/// ```
/// callbacks::LambdaCallback({.on_epoch_end = [](int epoch, Logs& logs) { std::cout << epoch << logs.at("loss"); }})
/// ```
class LambdaCallback : public Callback {
 public:
  explicit LambdaCallback(const LambdaCallbackOptions& options);
};

}  // namespace rhyton::callbacks
