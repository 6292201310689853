// What metrics cost in training.

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <rhyton/benchmarks/workloads/epoch_times.h>
#include <rhyton/benchmarks/workloads/models.h>
#include <rhyton/benchmarks/workloads/workloads.h>
#include <rhyton/rhyton.h>

namespace workloads {

using namespace rhyton;

namespace {

constexpr std::int64_t samples_per_step = 64;
constexpr std::int64_t steps = 100;

/// A metric, by its class or an object, and whether its labels are numbers of classes.
struct Contestant {
  std::string name;
  metrics::MetricArgument metric;
  bool is_sparse = false;
};

std::vector<Contestant> contestants() {
  return {{"none, numbers", {}, true},
          {"SparseCategoricalAccuracy", "sparse_categorical_accuracy", true},
          {"SparseTopKCategoricalAccuracy", "sparse_top_k_categorical_accuracy", true},
          {"SparseCategoricalCrossentropy", metrics::SparseCategoricalCrossentropy({.from_logits = true}), true},
          {"none, one-hot", {}},
          {"CategoricalAccuracy", "categorical_accuracy"},
          {"MeanSquaredError", "mse"},
          {"Precision", metrics::Precision()},
          {"Recall", metrics::Recall({.top_k = 1})},
          {"AUC", metrics::AUC({.from_logits = true})},
          {"F1Score", metrics::F1Score()},
          {"OneHotMeanIoU", metrics::OneHotMeanIoU(10)},
          {"CosineSimilarity", metrics::CosineSimilarity()},
          {"R2Score", metrics::R2Score()}};
}

models::Model model_with(const Contestant& contestant) {
  models::Model model = mnist_cnn();
  models::CompileOptions options{.optimizer = "adam"};
  if (contestant.is_sparse) {
    options.loss = losses::SparseCategoricalCrossentropy({.from_logits = true});
  } else {
    options.loss = losses::CategoricalCrossentropy({.from_logits = true});
  }
  if (!contestant.metric.is_empty()) options.metrics = {contestant.metric};
  model.compile(options);
  return model;
}

}  // namespace

io::Json metrics_of_steps(const Options& options) {
  auto [train, test] = datasets::mnist::load_data();
  const Tensor x = train.images.slice(0, steps * samples_per_step).reshape({-1, 28, 28, 1}).cast(float32) / 255.0f;
  const Tensor numbers = train.labels.slice(0, steps * samples_per_step);
  const Tensor vectors = one_hot(numbers, 10);
  const std::vector<Contestant> all = contestants();
  std::vector<models::Model> models;
  for (const Contestant& contestant : all) models.push_back(model_with(contestant));

  io::Json rounds = io::Json::object();
  for (int round = -1; round < options.rounds; ++round) {
    for (std::size_t i = 0; i < models.size(); ++i) {
      const Contestant& contestant = all[i];
      std::vector<double> seconds;
      models[i].fit(
          x, contestant.is_sparse ? numbers : vectors,
          {.batch_size = samples_per_step, .verbose = 0, .callbacks = {callbacks::make_callback<EpochTimes>(seconds)}});
      if (round < 0) continue;  // warms up
      if (!rounds.contains(contestant.name)) rounds[contestant.name] = io::Json::array();
      rounds[contestant.name].push_back(seconds.front() / static_cast<double>(steps));
    }
  }
  return io::Json::object({{"rounds", rounds}});
}

}  // namespace workloads
