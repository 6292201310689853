#include <rhyton/tests/framework/distribute/training_setup.h>

#include <utility>

#include <rhyton/models/callbacks/callback.h>

namespace rhyton::distribute {
namespace {

/// Records the loss of each step: the mean loss so far, as in the logs.
class LossNotes final : public callbacks::CallbackImpl {
 public:
  explicit LossNotes(std::vector<double>& losses) : losses_(losses) {}
  void on_train_batch_end(callbacks::TrainingControl&, std::int64_t, callbacks::Logs& logs) override {
    losses_.push_back(logs.at("loss"));
  }
  bool reads_batch_logs() const override { return true; }

 private:
  std::vector<double>& losses_;
};

}  // namespace

Trained Training::run(int replicas) const {
  if (replicas == 0) return run_under(std::nullopt);
  return run_under(MirroredStrategy(logical_cpus(replicas)));
}

Trained Training::run_under(const std::optional<Strategy>& strategy) const {
  set_random_seed(1);
  clear_session();
  Trained result;
  {
    std::optional<StrategyScope> scope;
    if (strategy) scope.emplace(*strategy);
    result.model = make_model();
  }
  models::FitOptions options = fit;
  options.verbose = 0;
  options.callbacks.push_back(callbacks::make_callback<LossNotes>(result.losses));
  result.history = result.model.fit(x, y, options);
  for (const Variable& weight : result.model.weights()) result.weights.push_back(weight.stored_value().clone());
  return result;
}

}  // namespace rhyton::distribute
