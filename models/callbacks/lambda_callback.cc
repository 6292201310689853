#include <rhyton/models/callbacks/lambda_callback.h>

#include <memory>

namespace rhyton::callbacks {
namespace {

class LambdaCallbackImpl : public CallbackImpl {
 public:
  explicit LambdaCallbackImpl(const LambdaCallbackOptions& options) : options_(options) {}

  void on_train_begin(TrainingControl&, Logs& logs) override {
    if (options_.on_train_begin) options_.on_train_begin(logs);
  }
  void on_train_end(TrainingControl&, Logs& logs) override {
    if (options_.on_train_end) options_.on_train_end(logs);
  }
  void on_train_interrupted(TrainingControl&, Logs& logs) override {
    if (options_.on_train_interrupted) options_.on_train_interrupted(logs);
  }
  void on_epoch_begin(TrainingControl&, int epoch, Logs& logs) override {
    if (options_.on_epoch_begin) options_.on_epoch_begin(epoch, logs);
  }
  void on_epoch_end(TrainingControl&, int epoch, Logs& logs) override {
    if (options_.on_epoch_end) options_.on_epoch_end(epoch, logs);
  }
  void on_train_batch_begin(TrainingControl&, std::int64_t batch, Logs& logs) override {
    if (options_.on_train_batch_begin) options_.on_train_batch_begin(batch, logs);
  }
  void on_train_batch_end(TrainingControl&, std::int64_t batch, Logs& logs) override {
    if (options_.on_train_batch_end) options_.on_train_batch_end(batch, logs);
  }

 private:
  LambdaCallbackOptions options_;
};

}  // namespace

LambdaCallback::LambdaCallback(const LambdaCallbackOptions& options)
    : Callback(std::make_shared<LambdaCallbackImpl>(options)) {}

}  // namespace rhyton::callbacks
