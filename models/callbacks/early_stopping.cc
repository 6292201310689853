#include <rhyton/models/callbacks/early_stopping.h>

#include <iostream>
#include <memory>

#include <rhyton/framework/io/json/json.h>
#include <rhyton/layers/layer.h>

namespace rhyton::callbacks {
namespace {

class EarlyStoppingImpl : public CallbackImpl {
 public:
  explicit EarlyStoppingImpl(const EarlyStoppingOptions& options)
      : options_(options), monitor_("EarlyStopping", options.monitor, options.mode, options.min_delta) {}

  void on_train_begin(TrainingControl& training, Logs&) override {
    monitor_.decide_direction_early(training);
    wait_ = 0;
    stopped_epoch = 0;
    best.reset();
    best_epoch = 0;
    best_weights_.reset();
  }

  void on_epoch_end(TrainingControl& training, int epoch, Logs& logs) override {
    monitor_.decide_direction(training);
    const std::optional<double> current = monitor_.value(logs, "Early stopping");
    if (!current || epoch < options_.start_from_epoch) return;
    // Weights to restore even if no value is ever an improvement (NaN).
    if (options_.restore_best_weights && !best_weights_) keep_weights(training, epoch);
    ++wait_;
    if (monitor_.is_improvement(*current, best)) {
      best = current;
      keep_weights(training, epoch);
      if (monitor_.is_improvement(*current, options_.baseline)) wait_ = 0;
      return;
    }
    if (wait_ >= options_.patience && epoch > 0) {
      stopped_epoch = epoch;
      training.stop_training();
    }
  }

  void on_train_end(TrainingControl& training, Logs&) override {
    if (stopped_epoch > 0 && options_.verbose > 0) {
      std::cout << "Epoch " << stopped_epoch + 1 << ": early stopping" << std::endl;
    }
    if (!best_weights_) return;
    if (options_.verbose > 0) {
      std::cout << "Restoring model weights from the end of the best epoch: " << best_epoch + 1 << "." << std::endl;
    }
    training.model().set_weights(*best_weights_);
    best_weights_.reset();
  }

  CallbackState state() const override {
    CallbackState state;
    state.values = io::Json::object({{"wait", wait_},
                                     {"stopped_epoch", stopped_epoch},
                                     {"best_epoch", best_epoch},
                                     {"best", best ? io::Json(*best) : io::Json()},
                                     {"has_best_weights", best_weights_.has_value()}});
    if (best_weights_) state.tensors = *best_weights_;
    return state;
  }

  void set_state(const CallbackState& state) override {
    wait_ = integer_of(state, "wait");
    stopped_epoch = integer_of(state, "stopped_epoch");
    best_epoch = integer_of(state, "best_epoch");
    best = optional_number_of(state, "best");
    best_weights_.reset();
    if (state.values["has_best_weights"].as_bool()) best_weights_ = state.tensors;
  }

  int stopped_epoch = 0;
  int best_epoch = 0;
  std::optional<double> best;

 private:
  void keep_weights(const TrainingControl& training, int epoch) {
    best_epoch = epoch;
    if (!options_.restore_best_weights) return;
    best_weights_.emplace();
    for (const Tensor& weight : training.model().get_weights()) best_weights_->push_back(weight.clone());
  }

  EarlyStoppingOptions options_;
  Monitor monitor_;
  int wait_ = 0;
  std::optional<std::vector<Tensor>> best_weights_;
};

const EarlyStoppingImpl& impl_of(const std::shared_ptr<CallbackImpl>& impl) {
  return static_cast<const EarlyStoppingImpl&>(*impl);
}

}  // namespace

EarlyStopping::EarlyStopping(const EarlyStoppingOptions& options)
    : Callback(std::make_shared<EarlyStoppingImpl>(options)) {}

int EarlyStopping::stopped_epoch() const { return impl_of(impl_).stopped_epoch; }
int EarlyStopping::best_epoch() const { return impl_of(impl_).best_epoch; }
std::optional<double> EarlyStopping::best() const { return impl_of(impl_).best; }

}  // namespace rhyton::callbacks
