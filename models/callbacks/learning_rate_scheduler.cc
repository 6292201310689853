#include <rhyton/models/callbacks/learning_rate_scheduler.h>

#include <iostream>
#include <memory>
#include <utility>

#include <rhyton/framework/io/json/json.h>

namespace rhyton::callbacks {
namespace {

class LearningRateSchedulerImpl : public CallbackImpl {
 public:
  LearningRateSchedulerImpl(std::function<double(int, double)> schedule, int verbose)
      : schedule_(std::move(schedule)), verbose_(verbose) {}

  void on_epoch_begin(TrainingControl& training, int epoch, Logs&) override {
    const double rate = schedule_(epoch, training.learning_rate());
    training.set_learning_rate(rate);
    if (verbose_ > 0) {
      std::cout << "\nEpoch " << epoch + 1 << ": LearningRateScheduler setting learning rate to "
                << io::Json(rate).dump() << "." << std::endl;
    }
  }

  void on_epoch_end(TrainingControl& training, int, Logs& logs) override {
    logs.set("learning_rate", training.learning_rate());
  }

 private:
  std::function<double(int, double)> schedule_;
  int verbose_;
};

}  // namespace

LearningRateScheduler::LearningRateScheduler(std::function<double(int, double)> schedule,
                                             const LearningRateSchedulerOptions& options)
    : Callback(std::make_shared<LearningRateSchedulerImpl>(std::move(schedule), options.verbose)) {}

}  // namespace rhyton::callbacks
