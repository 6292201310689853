#include <rhyton/models/callbacks/reduce_lr_on_plateau.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <optional>

#include <rhyton/framework/error.h>
#include <rhyton/framework/io/json/json.h>
#include <rhyton/models/callbacks/monitor.h>

namespace rhyton::callbacks {
namespace {

class ReduceLROnPlateauImpl : public CallbackImpl {
 public:
  explicit ReduceLROnPlateauImpl(const ReduceLROnPlateauOptions& options)
      : options_(options), monitor_("ReduceLROnPlateau", options.monitor, options.mode, options.min_delta) {
    if (options.factor >= 1.0) {
      throw ValueError("ReduceLROnPlateau does not support a factor >= 1.0. Received factor=" +
                       io::Json(options.factor).dump());
    }
  }

  void on_train_begin(TrainingControl& training, Logs&) override {
    monitor_.decide_direction_early(training);
    best_.reset();
    cooldown_left_ = 0;
    wait_ = 0;
  }

  void on_epoch_end(TrainingControl& training, int epoch, Logs& logs) override {
    monitor_.decide_direction(training);
    logs.set("learning_rate", training.learning_rate());
    const std::optional<double> current = monitor_.value(logs, "Learning rate reduction is");
    if (!current) return;
    if (cooldown_left_ > 0) {
      --cooldown_left_;
      wait_ = 0;
    }
    if (monitor_.is_improvement(*current, best_)) {
      best_ = current;
      wait_ = 0;
    } else if (cooldown_left_ == 0 && ++wait_ >= options_.patience && reduce(training, epoch)) {
      cooldown_left_ = options_.cooldown;
      wait_ = 0;
    }
  }

  CallbackState state() const override {
    CallbackState state;
    state.values = io::Json::object(
        {{"wait", wait_}, {"cooldown_left", cooldown_left_}, {"best", best_ ? io::Json(*best_) : io::Json()}});
    return state;
  }

  void set_state(const CallbackState& state) override {
    wait_ = integer_of(state, "wait");
    cooldown_left_ = integer_of(state, "cooldown_left");
    best_ = optional_number_of(state, "best");
  }

 private:
  /// False if the learning rate is minimal already.
  bool reduce(TrainingControl& training, int epoch) const {
    const double old_rate = training.learning_rate();
    if (old_rate <= static_cast<float>(options_.min_lr)) return false;
    const double new_rate = std::max(old_rate * options_.factor, options_.min_lr);
    training.set_learning_rate(new_rate);
    if (options_.verbose > 0) {
      std::cout << "\nEpoch " << epoch + 1 << ": ReduceLROnPlateau reducing learning rate to "
                << io::Json(new_rate).dump() << "." << std::endl;
    }
    return true;
  }

  ReduceLROnPlateauOptions options_;
  Monitor monitor_;
  std::optional<double> best_;
  int cooldown_left_ = 0;
  int wait_ = 0;
};

}  // namespace

ReduceLROnPlateau::ReduceLROnPlateau(const ReduceLROnPlateauOptions& options)
    : Callback(std::make_shared<ReduceLROnPlateauImpl>(options)) {}

}  // namespace rhyton::callbacks
