// Trains a linear model on several replicas, following TensorFlow's guide "Distributed training": first with `fit`,
// then in a custom training loop, with the same result.

#include <cstdint>
#include <exception>
#include <iostream>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include <rhyton/apps/replica_devices.h>
#include <rhyton/rhyton.h>

using namespace rhyton;

namespace {

constexpr std::int64_t samples = 100;
constexpr std::int64_t batch_size = 10;  // of all replicas together
constexpr int epochs = 2;

struct Options {
  int replicas = 2;
  std::string device_type = "CPU";
  bool log_placement = false;
};

struct Data {
  Tensor x = Tensor::full({samples, 1}, 1.0);
  Tensor y = Tensor::full({samples, 1}, 1.0);
};

models::Sequential make_model() {
  set_random_seed(1);  // the same initial weights each time
  return models::Sequential({layers::Input({.shape = {1}}), layers::Dense(1)});
}

void train_with_fit(const distribute::Strategy& strategy, const Data& data) {
  std::cout << "# fit\n";
  models::Sequential model;
  {
    const auto scope = strategy.scope();
    model = make_model();
    model.compile({.optimizer = optimizers::SGD({.learning_rate = 0.2}), .loss = "mse"});
  }
  model.fit(data.x, data.y, {.batch_size = batch_size, .epochs = epochs, .verbose = 2});
  model.evaluate(data.x, data.y, {.batch_size = batch_size, .verbose = 2});
}

// One replica's step on its part of a batch. The loss is divided by the size of the whole batch, so that the sums of
// losses and gradients over the replicas are those of the mean over the batch.
std::vector<Tensor> train_step(const models::Sequential& model, const optimizers::Optimizer& optimizer, const Tensor& x,
                               const Tensor& y) {
  GradientTape tape;
  const Tensor loss = sum(losses::mean_squared_error(y, model(x, {.training = true}))) / batch_size;
  const std::vector<Variable> weights = model.trainable_weights();
  optimizer.apply(tape.gradient(loss, weights), weights);
  return {loss};
}

void train_in_a_loop(const distribute::Strategy& strategy, const Data& data) {
  std::cout << "\n# A custom training loop\n";
  const auto scope = strategy.scope();
  const models::Sequential model = make_model();
  const optimizers::SGD sgd({.learning_rate = 0.2});

  for (int epoch = 1; epoch <= epochs; ++epoch) {
    double total = 0;
    for (std::int64_t first = 0; first < samples; first += batch_size) {
      const std::vector<distribute::PerReplica> losses =
          strategy.run([&](const std::vector<Tensor>& part) { return train_step(model, sgd, part[0], part[1]); },
                       {strategy.distribute_batch(data.x.slice(first, first + batch_size)),
                        strategy.distribute_batch(data.y.slice(first, first + batch_size))});
      total += strategy.reduce(distribute::ReduceOp::sum, losses[0]).item();
    }
    std::cout << "Epoch " << epoch << "/" << epochs << "\nloss: " << total * batch_size / samples << "\n";
  }

  const std::vector<distribute::PerReplica> errors = strategy.run(
      [&](const std::vector<Tensor>& part) {
        return std::vector<Tensor>{losses::mean_squared_error(part[1], model(part[0]))};
      },
      {strategy.distribute_batch(data.x), strategy.distribute_batch(data.y)});
  std::cout << "evaluation, loss: " << strategy.reduce(distribute::ReduceOp::mean, errors[0], /*axis=*/0).item()
            << "\n";
}

void run(const Options& options) {
  debugging::set_log_device_placement(options.log_placement);
  const distribute::MirroredStrategy strategy(apps::replica_devices(options.device_type, options.replicas));
  std::cout << "replicas: " << strategy.num_replicas_in_sync() << "\n\n";
  const Data data;
  train_with_fit(strategy, data);
  train_in_a_loop(strategy, data);
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app("Trains y = w x + b on several replicas: with fit, and in a custom training loop.");
  app.add_option("REPLICAS", options.replicas, "How many; logical devices where there are not as many of the hardware")
      ->capture_default_str()
      ->check(CLI::Range(std::int64_t{1}, batch_size));
  app.add_option("--device", options.device_type, "What they run on")
      ->capture_default_str()
      ->check(CLI::IsMember({"CPU", "GPU"}));
  app.add_flag("--log-placement", options.log_placement, "Ops say on standard error where they run");
  CLI11_PARSE(app, argc, argv);
  try {
    run(options);
  } catch (const KeyboardInterrupt&) {
    std::cerr << "mirrored_regression: interrupted\n";
    return 130;  // the exit status of shells after SIGINT
  } catch (const std::exception& error) {
    std::cerr << "mirrored_regression: " << error.what() << "\n";
    return 1;
  }
}
