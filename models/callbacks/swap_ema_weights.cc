#include <rhyton/models/callbacks/swap_ema_weights.h>

#include <cstddef>
#include <memory>
#include <shared_mutex>
#include <string>
#include <vector>

#include <rhyton/framework/error.h>
#include <rhyton/framework/tensor/step_mutex.h>
#include <rhyton/models/model.h>
#include <rhyton/optimizers/optimizer.h>

namespace rhyton::callbacks {
namespace {

using optimizers::Optimizer;

/// The optimizers of the model that have averages. Throws ValueError in Keras's words if there are none.
std::vector<Optimizer> averaging_optimizers(const TrainingControl& training) {
  Optimizer optimizer = models::Model::from_layer(training.model()).optimizer();
  if (const Optimizer inner = optimizer.impl()->inner_optimizer(); !inner.is_empty()) optimizer = inner;
  std::vector<Optimizer> found;
  const std::vector<Optimizer> parts = optimizer.impl()->parts();
  for (const Optimizer& part : parts) {
    if (part.impl()->options().use_ema) found.push_back(part);
  }
  if (parts.empty()) {
    found.push_back(optimizer);
  } else if (found.empty()) {
    throw ValueError(
        "SwapEMAWeights must be used when at least one inner optimizer has `use_ema=True` set. Received a "
        "MultiOptimizer with all inner optimizers having `use_ema=False`.");
  }
  for (const Optimizer& each : found) {
    if (!each.impl()->averages().empty()) continue;
    throw ValueError("SwapEMAWeights must be used when `use_ema=True` is set on the optimizer. Received: use_ema=" +
                     std::string(each.impl()->options().use_ema ? "True" : "False"));
  }
  return found;
}

class SwapEMAWeightsImpl : public CallbackImpl {
 public:
  explicit SwapEMAWeightsImpl(bool swap_on_epoch) : swap_on_epoch_(swap_on_epoch) {}

  void on_epoch_begin(TrainingControl& training, int /*epoch*/, Logs&) override {
    if (swap_on_epoch_ && has_swapped_) swap(training);
  }
  void on_epoch_end(TrainingControl& training, int epoch, Logs&) override {
    if (!swap_on_epoch_ || has_swapped_) return;
    swap(training);
    if (epoch == training.epochs() - 1) keep_averages(training);
  }
  void on_test_begin(TrainingControl& training, Logs&) override {
    if (!has_swapped_) swap(training);
  }
  void on_test_end(TrainingControl& training, Logs&) override {
    if (has_swapped_) swap(training);
  }
  void on_predict_begin(TrainingControl& training, Logs&) override {
    if (!has_swapped_) swap(training);
  }

  CallbackState state() const override {
    CallbackState state;
    state.values = io::Json::object({{"has_swapped", has_swapped_}});
    return state;
  }
  void set_state(const CallbackState& state) override { has_swapped_ = state.values["has_swapped"].as_bool(); }

 private:
  void swap(const TrainingControl& training) {
    const std::vector<Optimizer> optimizers = averaging_optimizers(training);
    const std::shared_lock no_snapshot(step_mutex());
    for (const Optimizer& optimizer : optimizers) {
      const std::vector<Variable>& variables = optimizer.impl()->trainable_variables();
      const std::vector<Variable>& averages = optimizer.impl()->averages();
      for (std::size_t i = 0; i < averages.size(); ++i) {
        const Tensor weight = variables[i].value();
        variables[i].assign(averages[i].value());
        averages[i].assign(weight);
      }
    }
    has_swapped_ = !has_swapped_;
  }

  /// Makes the averages the weights in the model, so that the end of training does not undo the last swap.
  static void keep_averages(const TrainingControl& training) {
    const std::vector<Optimizer> optimizers = averaging_optimizers(training);
    const std::shared_lock no_snapshot(step_mutex());
    for (const Optimizer& optimizer : optimizers) {
      const std::vector<Variable>& averages = optimizer.impl()->averages();
      for (std::size_t i = 0; i < averages.size(); ++i) {
        averages[i].assign(optimizer.impl()->trainable_variables()[i].value());
      }
    }
  }

  bool swap_on_epoch_;
  bool has_swapped_ = false;
};

}  // namespace

SwapEMAWeights::SwapEMAWeights(const SwapEMAWeightsOptions& options)
    : Callback(std::make_shared<SwapEMAWeightsImpl>(options.swap_on_epoch)) {}

}  // namespace rhyton::callbacks
