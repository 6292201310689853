// The convolutional network that everybody begins with: handwritten digits, about 99 % right after five epochs.

#include <algorithm>
#include <cstdint>
#include <exception>
#include <iostream>
#include <optional>
#include <string>

#include <CLI/CLI.hpp>

#include <rhyton/rhyton.h>

using namespace rhyton;

namespace {

struct Options {
  int epochs = 5;
  std::int64_t batch_size = 64;
  double learning_rate = 1e-3;
  std::optional<std::uint64_t> seed;
  std::string device = "/CPU:0";
  std::int64_t limit = 60000;
  std::string save;
  std::string profile;
  bool quiet = false;
};

models::Sequential make_model() {
  return models::Sequential({
      layers::Input({.shape = {28, 28, 1}}),
      layers::Conv2D(32, {3, 3}, {.activation = "relu"}),
      layers::MaxPooling2D({2, 2}),
      layers::Conv2D(64, {3, 3}, {.activation = "relu"}),
      layers::MaxPooling2D({2, 2}),
      layers::Conv2D(64, {3, 3}, {.activation = "relu"}),
      layers::Flatten(),
      layers::Dense(64, {.activation = "relu"}),
      layers::Dense(10),
  });
}

// Pixels become numbers from 0 to 1, with one channel.
Tensor prepare(const Tensor& images) { return images.reshape({-1, 28, 28, 1}).cast(float32) / 255.0f; }

void run(const Options& options) {
  if (options.seed) set_random_seed(*options.seed);
  auto scope = device(options.device);

  auto [train, test] = datasets::mnist::load_data();
  const std::int64_t samples = std::min(options.limit, train.labels.size());
  const Tensor x_train = prepare(train.images.slice(0, samples));
  const Tensor y_train = train.labels.slice(0, samples);

  models::Sequential model = make_model();
  if (!options.quiet) model.summary();
  model.compile({.optimizer = optimizers::Adam({.learning_rate = options.learning_rate}),
                 .loss = losses::SparseCategoricalCrossentropy({.from_logits = true}),
                 .metrics = {"accuracy"}});
  if (!options.profile.empty()) profiler::start();
  model.fit(x_train, y_train,
            {.batch_size = options.batch_size,
             .epochs = options.epochs,
             .verbose = options.quiet ? 2 : 1,
             .validation_data = {prepare(test.images), test.labels}});
  if (!options.profile.empty()) {
    const profiler::Profile profile = profiler::stop();
    std::cout << "\n" << profile.table();
    profile.save_chrome_trace(options.profile);
  }
  if (!options.save.empty()) model.save(options.save);
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app("Trains a convolutional network on MNIST.");
  app.add_option("--epochs", options.epochs, "How often to go through the images")
      ->capture_default_str()
      ->check(CLI::Range(1, 1'000'000));
  app.add_option("--batch-size", options.batch_size, "Images per step")
      ->capture_default_str()
      ->check(CLI::Range(1, 60000));
  app.add_option("--learning-rate", options.learning_rate, "Of Adam")->capture_default_str();
  app.add_option("--seed", options.seed, "Makes weights and order the same in every run")
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{9'223'372'036'854'775'807}));
  app.add_option("--device", options.device, "Where to compute")->capture_default_str();
  app.add_option("--limit", options.limit, "Train on the first N images only")->check(CLI::Range(1, 60000));
  app.add_option("--save", options.save, "Write the trained model to this .keras file");
  app.add_option("--profile", options.profile,
                 "Show where the time went, and write a trace for https://ui.perfetto.dev to this .json file");
  app.add_flag("--quiet", options.quiet, "One line per epoch");
  CLI11_PARSE(app, argc, argv);
  try {
    run(options);
  } catch (const std::exception& error) {
    std::cerr << "mnist_cnn: " << error.what() << "\n";
    return 1;
  }
}
