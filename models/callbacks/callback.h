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

/// The access of callbacks to a model that trains.
class TrainingControl {
 public:
  virtual ~TrainingControl() = default;
  /// The model that is being trained.
  virtual layers::Layer model() const = 0;
  /// Ends training after the current batch (Keras's `model.stop_training = True`).
  virtual void stop_training() = 0;
  virtual double learning_rate() const = 0;
  virtual void set_learning_rate(double learning_rate) = 0;
  virtual int epochs() const = 0;
  /// Steps per epoch; empty if unknown.
  virtual std::optional<std::int64_t> steps() const = 0;
  /// Which values of a compiled metric are better, larger ("up") or smaller ("down") ones; empty if unknown.
  virtual std::string direction_of(const std::string& metric) const = 0;
  /// The state of the fit, from which another process can continue. To be called in `on_resumable`. Throws RuntimeError
  /// if no fit runs.
  virtual TrainingState state() const = 0;
  /// Makes the fit that begins continue from such a state. To be called in `on_train_begin` by a callback that also
  /// sets the weights and the optimizer's variables. `fit` throws ValueError if the state does not fit its data, its
  /// metrics or its callbacks. Throws RuntimeError at any other time.
  virtual void resume_from(TrainingState state) = 0;
  /// Makes the fit begin with that epoch, counted from 0. To be called in `on_train_begin`. Throws RuntimeError at any
  /// other time.
  virtual void set_initial_epoch(int epoch) = 0;
  /// Whether this process writes files: only the chief of several processes that train together does.
  virtual bool is_chief() const { return true; }
};

/// The methods of a callback. A custom callback derives from this and is wrapped by `make_callback<MyCallback>(…)`.
/// Epochs and batches count from 0. Methods may change `logs`; values added at the end of an epoch are in the History.
/// A method that looks at the logs at the end of a batch waits for its step; one that does not costs no time.
class CallbackImpl {
 public:
  virtual ~CallbackImpl() = default;

  virtual void on_train_begin(TrainingControl&, Logs&) {}
  virtual void on_train_end(TrainingControl&, Logs&) {}
  /// Called instead of `on_train_end` if `fit` ends with KeyboardInterrupt: to close files. Backups and other state
  /// that another fit needs to continue must stay, and so do the weights. `logs`: of the epoch so far.
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

  /// Called at the points from which training could continue: after the `on_train_batch_end` of all callbacks, and
  /// after the `on_epoch_end` of all callbacks, when the epoch is in the History. `position`: of the next step, whose
  /// number within the epoch is 0 only in the second case.
  virtual void on_resumable(TrainingControl&, const FitPosition& /*position*/) {}
  /// The state since `on_train_begin` that the callback needs to continue in another process; empty unless overridden.
  virtual CallbackState state() const { return {}; }
  /// Sets the state to a result of `state`. Called after `on_train_begin`; if the fit continues within an epoch, after
  /// its `on_epoch_begin`. Throws an Error for the state of another callback.
  virtual void set_state(const CallbackState&) {}
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

/// Wraps a custom callback.
template <class Impl, class... Arguments>
Callback make_callback(Arguments&&... arguments) {
  return Callback(std::make_shared<Impl>(std::forward<Arguments>(arguments)...));
}

}  // namespace rhyton::callbacks
