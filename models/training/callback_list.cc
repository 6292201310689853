#include <rhyton/models/training/callback_list.h>

namespace rhyton::training {

using callbacks::Callback;
using callbacks::Logs;

void CallbackList::on_train_begin(Logs& logs) const {
  for (const Callback& callback : callbacks_) callback->on_train_begin(control_, logs);
}

void CallbackList::on_train_end(Logs& logs) const {
  for (const Callback& callback : callbacks_) callback->on_train_end(control_, logs);
}

void CallbackList::on_train_interrupted(Logs& logs) const {
  for (const Callback& callback : callbacks_) callback->on_train_interrupted(control_, logs);
}

void CallbackList::on_epoch_begin(int epoch, Logs& logs) const {
  for (const Callback& callback : callbacks_) callback->on_epoch_begin(control_, epoch, logs);
}

void CallbackList::on_epoch_end(int epoch, Logs& logs) const {
  for (const Callback& callback : callbacks_) callback->on_epoch_end(control_, epoch, logs);
}

void CallbackList::on_train_batch_begin(std::int64_t batch, Logs& logs) const {
  for (const Callback& callback : callbacks_) callback->on_train_batch_begin(control_, batch, logs);
}

void CallbackList::on_train_batch_end(std::int64_t batch, const ReadLogs& read_logs) const {
  Logs logs = Logs::deferred(read_logs);
  for (const Callback& callback : callbacks_) callback->on_train_batch_end(control_, batch, logs);
}

void CallbackList::on_resumable(const callbacks::FitPosition& position) const {
  for (const Callback& callback : callbacks_) callback->on_resumable(control_, position);
}

void CallbackList::on_test_begin(Logs& logs) const {
  for (const Callback& callback : callbacks_) callback->on_test_begin(control_, logs);
}

void CallbackList::on_test_end(Logs& logs) const {
  for (const Callback& callback : callbacks_) callback->on_test_end(control_, logs);
}

void CallbackList::on_test_batch_begin(std::int64_t batch, Logs& logs) const {
  for (const Callback& callback : callbacks_) callback->on_test_batch_begin(control_, batch, logs);
}

void CallbackList::on_test_batch_end(std::int64_t batch, const ReadLogs& read_logs) const {
  Logs logs = Logs::deferred(read_logs);
  for (const Callback& callback : callbacks_) callback->on_test_batch_end(control_, batch, logs);
}

void CallbackList::on_predict_begin(Logs& logs) const {
  for (const Callback& callback : callbacks_) callback->on_predict_begin(control_, logs);
}

void CallbackList::on_predict_end(Logs& logs) const {
  for (const Callback& callback : callbacks_) callback->on_predict_end(control_, logs);
}

void CallbackList::on_predict_batch_begin(std::int64_t batch, Logs& logs) const {
  for (const Callback& callback : callbacks_) callback->on_predict_batch_begin(control_, batch, logs);
}

void CallbackList::on_predict_batch_end(std::int64_t batch, Logs& logs) const {
  for (const Callback& callback : callbacks_) callback->on_predict_batch_end(control_, batch, logs);
}

}  // namespace rhyton::training
