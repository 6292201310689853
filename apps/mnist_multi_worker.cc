// Trains on handwritten digits with several processes, each with a part of every batch: on one machine,
//   mpirun -np 2 mnist_multi_worker
// or on several, mpirun -np 4 --host a,b,c,d mnist_multi_worker. The result is that of one process.

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
      layers::Conv2D(32, {3, 3}, {.activation = "relu"}),
      layers::MaxPooling2D({2, 2}),
      layers::Flatten(),
      layers::Dense(128, {.activation = "relu"}),
      layers::Dense(10),
  });
}

// Scales pixels to numbers from 0 to 1 and adds the channel axis.
Tensor prepare(const Tensor& images) { return images.reshape({-1, 28, 28, 1}).cast(float32) / 255.0f; }

// Every process runs this with all of the data; `fit` uses the process's part of each batch.
void train(const Options& options) {
  const distribute::MultiWorkerMirroredStrategy strategy;
  const auto scope = strategy.scope();
  if (strategy.is_chief()) {
    std::cout << "workers: " << strategy.worker_count() << ", replicas: " << strategy.num_replicas_in_sync()
              << ", images per step: " << options.batch_size << "\n";
  }

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
  if (!options.save.empty()) model.save(options.save);  // only the chief writes
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app("Trains a convolutional network on MNIST in several processes, which mpirun starts.");
  app.add_option("--epochs", options.epochs, "How often to go through the images")
      ->capture_default_str()
      ->check(CLI::Range(1, 1'000'000));
  app.add_option("--batch-size", options.batch_size, "Images per step, of all processes together")
      ->capture_default_str()
      ->check(CLI::Range(1, 60000));
  app.add_option("--limit", options.limit, "Train on the first N images only")->check(CLI::Range(1, 60000));
  app.add_option("--seed", options.seed, "Makes weights and order the same in every run")
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{9'223'372'036'854'775'807}));
  app.add_option(
      "--backup", options.backup,
      "Save the state of the training in this folder after each epoch, and resume from it when started again");
  app.add_option("--save", options.save, "Write the trained model to this .keras file");
  CLI11_PARSE(app, argc, argv);
  try {
    if (options.seed) set_random_seed(*options.seed);
    train(options);
  } catch (const KeyboardInterrupt&) {
    std::cerr << "mnist_multi_worker: interrupted\n";
    return 130;  // the exit status of shells after SIGINT
  } catch (const std::exception& error) {
    std::cerr << "mnist_multi_worker: " << error.what() << "\n";
    return 1;
  }
}
