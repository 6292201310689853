#include <rhyton/tests/framework/distribute/training_setup.h>

#include <utility>

#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/layers/core/dense.h>
#include <rhyton/layers/core/embedding.h>
#include <rhyton/layers/core/input.h>
#include <rhyton/layers/normalization/batch_normalization.h>
#include <rhyton/models/callbacks/callback.h>
#include <rhyton/models/losses/crossentropy.h>
#include <rhyton/models/sequential.h>
#include <rhyton/optimizers/sgd.h>

namespace rhyton::distribute {
namespace {

/// Records the loss of each step: the mean loss so far, as in the logs.
class LossNotes final : public callbacks::CallbackImpl {
 public:
  explicit LossNotes(std::vector<double>& losses) : losses_(losses) {}
  void on_train_batch_end(callbacks::TrainingControl&, std::int64_t, callbacks::Logs& logs) override {
    losses_.push_back(logs.at("loss"));
  }

 private:
  std::vector<double>& losses_;
};

Tensor random_integers(const Shape& shape, int limit, std::uint64_t seed) {
  std::vector<std::int32_t> integers;
  for (const double number : random_uniform(shape, seed, 0).to_vector()) {
    integers.push_back(static_cast<std::int32_t>(number * limit));
  }
  return Tensor::from_data<std::int32_t>(shape, integers);
}

}  // namespace

Training masked_training(const std::string& reduction) {
  constexpr std::int64_t samples = 75;
  constexpr std::int64_t steps = 6;
  // Sentence i has i % 7 words.
  const Tensor words = random_integers({samples, steps}, 9, 11) + 1;
  std::vector<std::int32_t> counts;
  for (std::int64_t i = 0; i < samples * steps; ++i) {
    counts.push_back(i % steps < (i / steps) % (steps + 1) ? 1 : 0);
  }
  Training training;
  training.make_model = [reduction] {
    models::Sequential model({layers::Input({.shape = {steps}, .dtype = "int32"}),
                              layers::Embedding(10, 8, {.mask_zero = true}), layers::Dense(8, {.activation = "tanh"}),
                              layers::BatchNormalization({.trainable = false}), layers::Dense(4)});
    model.compile({.optimizer = optimizers::SGD({.learning_rate = 0.01}),
                   .loss = losses::SparseCategoricalCrossentropy({.from_logits = true, .reduction = reduction}),
                   .metrics = {"accuracy"},
                   .weighted_metrics = {"sparse_categorical_accuracy"}});
    return models::Model(model);
  };
  training.x = words * Tensor::from_data<std::int32_t>({samples, steps}, counts);
  training.y = random_integers({samples, steps}, 4, 12);
  training.fit = {.batch_size = 10};
  return training;
}

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
