#include <rhyton/models/callbacks/terminate_on_nan.h>

#include <cmath>
#include <iostream>
#include <memory>
#include <string>

#include <rhyton/framework/error.h>
#include <rhyton/framework/tensor/number_format.h>

namespace rhyton::callbacks {
namespace {

class TerminateOnNaNImpl : public CallbackImpl {
 public:
  explicit TerminateOnNaNImpl(bool raise_error) : raise_error_(raise_error) {}

  void on_train_batch_end(TrainingControl& training, std::int64_t batch, Logs& logs) override {
    const std::optional<double> loss = logs.find("loss");
    if (!loss || std::isfinite(*loss)) return;
    if (raise_error_) {
      throw RuntimeError("NaN or Inf loss encountered at batch " + std::to_string(batch) + ". Loss value: " +
                         scalar_to_string(*loss, DType::float64) + ". Terminating training immediately.");
    }
    std::cout << "Batch " << batch << ": Invalid loss, terminating training" << std::endl;
    training.stop_training();
  }

 private:
  bool raise_error_;
};

}  // namespace

TerminateOnNaN::TerminateOnNaN(const TerminateOnNaNOptions& options)
    : Callback(std::make_shared<TerminateOnNaNImpl>(options.raise_error)) {}

}  // namespace rhyton::callbacks
