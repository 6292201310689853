// A convolutional network for handwritten digits, with about 99 % accuracy after five epochs.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include <rhyton/apps/replica_devices.h>
#include <rhyton/rhyton.h>

using namespace rhyton;

namespace {

struct Options {
  int epochs = 5;
  std::int64_t batch_size = 64;
  double learning_rate = 1e-3;
  std::optional<std::uint64_t> seed;
  std::string device;
  int replicas = 0;
  bool compare_devices = false;
  std::int64_t limit = 60000;
  std::string save;
  std::string profile;
  bool quiet = false;
};

models::Sequential make_model() {
  return models::Sequential({
      layers::Input({.shape = {28, 28, 1}}),
      layers::Rescaling(1.0 / 255),
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

// Adds the channel axis. Pixels keep their values from 0 to 255: the model scales them.
Tensor prepare(const Tensor& images) { return images.reshape({-1, 28, 28, 1}).cast(float32); }

void compile(models::Sequential& model, const Options& options) {
  model.compile({.optimizer = optimizers::Adam({.learning_rate = options.learning_rate}),
                 .loss = losses::SparseCategoricalCrossentropy({.from_logits = true}),
                 .metrics = {"accuracy"}});
}

// Uses logical devices of the type given by --device, created before any device is used.
distribute::MirroredStrategy make_strategy(const Options& options) {
  const std::string type = DeviceSpec::parse(options.device).device_type.value_or("CPU");
  return distribute::MirroredStrategy(apps::replica_devices(type, options.replicas));
}

void train(const Options& options) {
  std::optional<distribute::StrategyScope> replicas;
  std::optional<DeviceScope> scope;  // if empty, a GPU is used if there is one
  if (options.replicas > 0) {
    replicas.emplace(make_strategy(options));
  } else if (!options.device.empty()) {
    scope.emplace(options.device);
  }

  auto [train, test] = datasets::mnist::load_data();
  const std::int64_t samples = std::min(options.limit, train.labels.size());
  const Tensor x_train = prepare(train.images.slice(0, samples));
  const Tensor y_train = train.labels.slice(0, samples);

  models::Sequential model = make_model();
  if (!options.quiet) model.summary();
  compile(model, options);
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

// Times of the epochs after the first, which is the warm-up.
struct EpochTimes {
  double median = 0;
  double accuracy = 0;
};

EpochTimes time_epochs(LogicalDevice& target, const datasets::ImageData& digits, const Options& options) {
  const auto scope = device(target);
  const std::int64_t samples = std::min(options.limit, digits.labels.size());
  models::Sequential model = make_model();
  compile(model, options);

  using Clock = std::chrono::steady_clock;
  Clock::time_point start;
  std::vector<double> seconds;
  const auto begin = [&](int, callbacks::Logs&) { start = Clock::now(); };
  const auto end = [&](int, callbacks::Logs&) {
    seconds.push_back(std::chrono::duration<double>(Clock::now() - start).count());
  };
  const auto history =
      model.fit(prepare(digits.images.slice(0, samples)), digits.labels.slice(0, samples),
                {.batch_size = options.batch_size,
                 .epochs = options.epochs + 1,
                 .verbose = 0,
                 .callbacks = {callbacks::LambdaCallback({.on_epoch_begin = begin, .on_epoch_end = end})}});
  const auto middle = seconds.begin() + 1 + options.epochs / 2;
  std::nth_element(seconds.begin() + 1, middle, seconds.end());
  return {.median = *middle, .accuracy = history["accuracy"].back()};
}

void compare_devices(const Options& options) {
  const datasets::ImageData digits = datasets::mnist::load_data().train;
  std::printf("%-16s %17s %17s %18s\n", "device", "seconds per epoch", "times as fast", "training accuracy");
  double of_cpu = 0;
  for (LogicalDevice* const target : config::list_logical_devices()) {
    if (options.seed) set_random_seed(*options.seed);
    const EpochTimes times = time_epochs(*target, digits, options);
    if (of_cpu == 0) of_cpu = times.median;
    std::printf("%-16s %17.3f %17.2f %18.4f\n", target->name().c_str(), times.median, of_cpu / times.median,
                times.accuracy);
    std::fflush(stdout);
  }
  if (config::list_logical_devices("GPU").empty()) {
    std::printf("There is no GPU here to compare the CPU with; RHYTON_LOG=device says why.\n");
  }
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
  CLI::Option* const device_name = app.add_option(
      "--device", options.device, "Where to compute, as in /GPU:0 (default: the first GPU, else the CPU)");
  CLI::Option* const replicas =
      app.add_option("--replicas", options.replicas,
                     "Train on this many logical devices at once, each with its part of every batch (of --device only "
                     "the type is used then, and the default is the CPU)")
          ->check(CLI::Range(1, 64));
  app.add_option("--limit", options.limit, "Train on the first N images only")->check(CLI::Range(1, 60000));
  CLI::Option* const save = app.add_option("--save", options.save, "Write the trained model to this .keras file");
  CLI::Option* const profile =
      app.add_option("--profile", options.profile,
                     "Show where the time went, and write a trace for https://ui.perfetto.dev to this .json file");
  app.add_flag("--quiet", options.quiet, "One line per epoch");
  app.add_flag("--compare-devices", options.compare_devices,
               "Only show the time of an epoch on the CPU and on each GPU, after a warm-up epoch")
      ->excludes(device_name, replicas, save, profile);
  CLI11_PARSE(app, argc, argv);
  try {
    if (options.seed) set_random_seed(*options.seed);
    options.compare_devices ? compare_devices(options) : train(options);
  } catch (const KeyboardInterrupt&) {
    std::cerr << "mnist_cnn: interrupted\n";
    return 130;  // the exit status of shells after SIGINT
  } catch (const std::exception& error) {
    std::cerr << "mnist_cnn: " << error.what() << "\n";
    return 1;
  }
}
