#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include <rhyton/models/callbacks/callback.h>
#include <rhyton/models/callbacks/logs.h>

namespace rhyton::training {

/// Calls the methods of all callbacks of a `fit`, `evaluate` or `predict`, in their order (Keras's `CallbackList`).
class CallbackList {
 public:
  /// Returns the logs of the steps so far, which waits for them.
  using ReadLogs = std::function<callbacks::Logs()>;

  /// `control`: passed to the callbacks; must outlive the list.
  CallbackList(const std::vector<callbacks::Callback>& callbacks, callbacks::TrainingControl& control)
      : callbacks_(callbacks), control_(control) {}

  void on_train_begin(callbacks::Logs& logs) const;
  void on_train_end(callbacks::Logs& logs) const;
  void on_train_interrupted(callbacks::Logs& logs) const;
  void on_epoch_begin(int epoch, callbacks::Logs& logs) const;
  void on_epoch_end(int epoch, callbacks::Logs& logs) const;
  void on_train_batch_begin(std::int64_t batch, callbacks::Logs& logs) const;
  /// `read_logs` is called once a callback looks at the logs.
  void on_train_batch_end(std::int64_t batch, const ReadLogs& read_logs) const;
  void on_resumable(const callbacks::FitPosition& position) const;

  void on_test_begin(callbacks::Logs& logs) const;
  void on_test_end(callbacks::Logs& logs) const;
  void on_test_batch_begin(std::int64_t batch, callbacks::Logs& logs) const;
  void on_test_batch_end(std::int64_t batch, const ReadLogs& read_logs) const;

  void on_predict_begin(callbacks::Logs& logs) const;
  void on_predict_end(callbacks::Logs& logs) const;
  void on_predict_batch_begin(std::int64_t batch, callbacks::Logs& logs) const;
  void on_predict_batch_end(std::int64_t batch, callbacks::Logs& logs) const;

 private:
  const std::vector<callbacks::Callback>& callbacks_;
  callbacks::TrainingControl& control_;
};

}  // namespace rhyton::training
