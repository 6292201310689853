// Trains on handwritten digits with parameter servers. Every task is started with this program and its own place in the
// cluster; for one server and two workers on one machine, in four terminals or in the background:
//   CLUSTER='{"chief": ["localhost:2220"], "ps": ["localhost:2222"], "worker": ["localhost:2223", "localhost:2224"]}'
//   parameter_servers --cluster "$CLUSTER" --job ps --task 0
//   parameter_servers --cluster "$CLUSTER" --job worker --task 0
//   parameter_servers --cluster "$CLUSTER" --job worker --task 1
//   parameter_servers --cluster "$CLUSTER" --job chief --task 0
// Without --cluster the place is that of the environment variable TF_CONFIG.

#include <algorithm>
#include <cstdint>
#include <exception>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include <rhyton/rhyton.h>

using namespace rhyton;

namespace {

struct Options {
  std::string cluster;
  distribute::TaskSpec task;
  bool synchronous = false;
  int backup_workers = 0;
  bool insecure = false;
  int epochs = 3;
  std::int64_t batch_size = 64;
  std::int64_t limit = 60000;
  std::optional<std::uint64_t> seed;
  std::string backup;
  std::string save;
};

models::Sequential make_model() {
  return models::Sequential({
      layers::Input({.shape = {28, 28, 1}}),
      layers::Rescaling(1.0 / 255),
      layers::Conv2D(32, {3, 3}, {.activation = "relu"}),
      layers::MaxPooling2D({2, 2}),
      layers::Conv2D(64, {3, 3}, {.activation = "relu"}),
      layers::MaxPooling2D({2, 2}),
      layers::Flatten(),
      layers::Dense(128, {.activation = "relu"}),
      layers::Dense(10),
  });
}

// Adds the channel axis. The model scales the pixels.
Tensor prepare(const Tensor& images) { return images.reshape({-1, 28, 28, 1}).cast(float32); }

distribute::ParameterServerStrategy make_strategy(const Options& options) {
  const distribute::ParameterServerStrategyOptions arguments{.synchronous = options.synchronous,
                                                             .backup_workers = options.backup_workers,
                                                             .transport = {.security = {.insecure = options.insecure}}};
  if (options.cluster.empty()) return distribute::ParameterServerStrategy(arguments);
  return distribute::ParameterServerStrategy(
      {.cluster = distribute::ClusterSpec::parse(options.cluster, "--cluster"), .task = options.task}, arguments);
}

// Every task runs this with all of the data: `fit` trains in the chief, and serves it in all others.
void train(const Options& options) {
  const distribute::ParameterServerStrategy strategy = make_strategy(options);
  const auto scope = strategy.scope();
  auto [train, test] = datasets::mnist::load_data();
  const std::int64_t samples = std::min(options.limit, train.labels.size());
  models::Sequential model = make_model();
  model.compile({.optimizer = optimizers::Adam({.learning_rate = 1e-3}),
                 .loss = losses::SparseCategoricalCrossentropy({.from_logits = true}),
                 .metrics = {"accuracy"}});
  std::vector<callbacks::Callback> callbacks;
  if (!options.backup.empty()) callbacks.push_back(callbacks::BackupAndRestore(options.backup));
  model.fit(prepare(train.images.slice(0, samples)), train.labels.slice(0, samples),
            {.batch_size = options.batch_size,
             .epochs = options.epochs,
             .verbose = 2,
             .callbacks = callbacks,
             .validation_data = {prepare(test.images), test.labels}});
  if (!strategy.is_chief()) return;
  const distribute::ParameterServerStatistics statistics = strategy.statistics();
  std::cout << "steps: " << statistics.steps << ", staleness: " << statistics.mean_staleness << " on average, "
            << statistics.max_staleness << " at most\n";
  if (!options.save.empty()) model.save(options.save);
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app("Trains a convolutional network on MNIST with parameter servers and workers.");
  app.add_option("--cluster", options.cluster,
                 "The tasks: '{\"chief\": [\"host:port\"], \"ps\": [...], \"worker\": [...]}'; from TF_CONFIG if it is "
                 "left out");
  app.add_option("--job", options.task.type, "The job of this task: chief, ps or worker");
  app.add_option("--task", options.task.index, "The number of this task in its job")->check(CLI::NonNegativeNumber);
  app.add_flag("--synchronous", options.synchronous, "Average the gradients of all workers before each update");
  app.add_option("--backup-workers", options.backup_workers, "Workers that an update need not wait for")
      ->check(CLI::NonNegativeNumber);
  app.add_flag("--insecure", options.insecure, "Use addresses beyond loopback without TLS");
  app.add_option("--epochs", options.epochs, "How often to go through the images")
      ->capture_default_str()
      ->check(CLI::Range(1, 1'000'000));
  app.add_option("--batch-size", options.batch_size,
                 "Images per step of a worker; with --synchronous per step of all workers together")
      ->capture_default_str()
      ->check(CLI::Range(1, 60000));
  app.add_option("--limit", options.limit, "Train on the first N images only")->check(CLI::Range(1, 60000));
  app.add_option("--seed", options.seed, "Makes the first weights and the order of the images the same in every run")
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{9'223'372'036'854'775'807}));
  app.add_option("--backup", options.backup,
                 "Save the state of the training in this folder after each epoch, and resume from it");
  app.add_option("--save", options.save, "Write the trained model to this .keras file");
  CLI11_PARSE(app, argc, argv);
  try {
    if (options.seed) set_random_seed(*options.seed);
    train(options);
  } catch (const KeyboardInterrupt&) {
    std::cerr << "parameter_servers: interrupted\n";
    return 130;  // the exit status of shells after SIGINT
  } catch (const std::exception& error) {
    std::cerr << "parameter_servers: " << error.what() << "\n";
    return 1;
  }
}
