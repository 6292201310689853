#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include <rhyton/models/callbacks/logs.h>
#include <rhyton/models/callbacks/training_state.h>

namespace rhyton::layers {
class Layer;
}

namespace rhyton::callbacks {

/// What a callback may see and do while a model trains.
class TrainingControl {
 public:
  virtual ~TrainingControl() = default;
  /// The model that is being trained.
  virtual layers::Layer model() const = 0;
  /// Ends training after the running batch (Keras's `model.stop_training = True`).
  virtual void stop_training() = 0;
  virtual double learning_rate() const = 0;
  virtual void set_learning_rate(double learning_rate) = 0;
  virtual int epochs() const = 0;
  /// Steps per epoch; empty where not known.
  virtual std::optional<std::int64_t> steps() const = 0;
  /// "up" or "down" for a compiled metric that says which way is better, else empty.
  virtual std::string direction_of(const std::string& metric) const = 0;
  /// Where the fit stands, for another process to continue from. To be asked for in `on_resumable`. Throws RuntimeError
  /// where no fit runs.
  virtual TrainingState state() const = 0;
  /// Lets the fit that begins continue from such a state; to be called in `on_train_begin`, by whoever also sets the
  /// weights and the optimizer's variables. `fit` throws ValueError when the state does not fit its data, its metrics
  /// or its callbacks, RuntimeError at any other time.
  virtual void resume_from(TrainingState state) = 0;
  /// Lets the fit that begins start with that epoch, counted from 0. To be called in `on_train_begin`. Throws
  /// RuntimeError at any other time.
  virtual void set_initial_epoch(int epoch) = 0;
  /// Whether this process writes files: of several that train together only the chief does.
  virtual bool is_chief() const { return true; }
};

/// What a callback does. One's own derives from this and is wrapped by `make_callback<MyCallback>(…)`. Epochs and
/// batches count from 0; `logs` may be changed, and what is added at the end of an epoch shows in the History.
class CallbackImpl {
 public:
  virtual ~CallbackImpl() = default;

  virtual void on_train_begin(TrainingControl&, Logs&) {}
  virtual void on_train_end(TrainingControl&, Logs&) {}
  /// Called instead of `on_train_end` where `fit` ends with KeyboardInterrupt: to close what is open. What another fit
  /// needs to go on, backups above all, stays, and so do the weights. `logs`: of the epoch so far.
  virtual void on_train_interrupted(TrainingControl&, Logs&) {}
  virtual void on_test_begin(TrainingControl&, Logs&) {}
  virtual void on_test_end(TrainingControl&, Logs&) {}
  virtual void on_predict_begin(TrainingControl&, Logs&) {}
  virtual void on_predict_end(TrainingControl&, Logs&) {}
  virtual void on_epoch_begin(TrainingControl&, int /*epoch*/, Logs&) {}
  virtual void on_epoch_end(TrainingControl&, int /*epoch*/, Logs&) {}
  virtual void on_train_batch_begin(TrainingControl&, std::int64_t /*batch*/, Logs&) {}
  virtual void on_train_batch_end(TrainingControl&, std::int64_t /*batch*/, Logs&) {}
  virtual void on_test_batch_begin(TrainingControl&, std::int64_t /*batch*/, Logs&) {}
  virtual void on_test_batch_end(TrainingControl&, std::int64_t /*batch*/, Logs&) {}
  virtual void on_predict_batch_begin(TrainingControl&, std::int64_t /*batch*/, Logs&) {}
  virtual void on_predict_batch_end(TrainingControl&, std::int64_t /*batch*/, Logs&) {}

  /// Called where training could be interrupted and continued: after the `on_train_batch_end` of all callbacks, and
  /// after the `on_epoch_end` of all callbacks, when the epoch stands in the History. `position` is that of the next
  /// step: its number within the epoch is 0 only in the latter case.
  virtual void on_resumable(TrainingControl&, const FitPosition& /*position*/) {}
  /// What the callback has gathered since `on_train_begin` and needs to go on in another process; nothing unless
  /// overridden.
  virtual CallbackState state() const { return {}; }
  /// Takes what `state` has given. Called after `on_train_begin`, and within an epoch after its `on_epoch_begin`.
  /// Throws an Error for what is not its own.
  virtual void set_state(const CallbackState&) {}

  /// True when the batch hooks want the current metrics in their logs, which makes the host wait for every step.
  virtual bool reads_batch_logs() const { return false; }
};

/// A callback: a handle; copies are the same callback.
class Callback {
 public:
  Callback() = default;
  explicit Callback(std::shared_ptr<CallbackImpl> impl) : impl_(std::move(impl)) {}
  CallbackImpl* operator->() const { return impl_.get(); }
  bool is_empty() const { return impl_ == nullptr; }

 protected:
  std::shared_ptr<CallbackImpl> impl_;
};

/// Wraps a callback of one's own.
template <class Impl, class... Arguments>
Callback make_callback(Arguments&&... arguments) {
  return Callback(std::make_shared<Impl>(std::forward<Arguments>(arguments)...));
}

}  // namespace rhyton::callbacks
