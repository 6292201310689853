// A task of a training with parameter servers: run by run_tasks.py, with TF_CONFIG.
//   parameter_server_task CHECK [FOLDER]

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <exception>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include <rhyton/framework/distribute/strategy_impl.h>
#include <rhyton/models/cluster/parameter_server_job.h>
#include <rhyton/rhyton.h>

using namespace rhyton;

namespace {

using distribute::ParameterServerStrategy;
using distribute::ParameterServerStrategyOptions;

void require(bool condition, const std::string& what) {
  if (!condition) throw RuntimeError("FAILED: " + what);
}

void say(const std::string& line) { std::cout << line << "\n" << std::flush; }

double relative_distance(const Tensor& a, const Tensor& b) {
  const std::vector<double> as = a.to_vector();
  const std::vector<double> bs = b.to_vector();
  double difference = 0;
  double norm = 0;
  for (std::size_t i = 0; i < as.size(); ++i) {
    difference += (as[i] - bs[i]) * (as[i] - bs[i]);
    norm += bs[i] * bs[i];
  }
  return difference == 0 ? 0 : std::sqrt(difference / norm);
}

/// A model whose gradient is 1 in every step, whatever its weight: with SGD of rate 1 the weight is minus the number of
/// steps that were applied. A step takes some time.
struct CountingModel {
  explicit CountingModel(int milliseconds) {
    model = models::Sequential(
        {layers::Input({.shape = {1}}), layers::Dense(1, {.use_bias = false, .kernel_initializer = "zeros"})});
    const auto has_said = std::make_shared<bool>(false);
    const losses::Loss loss([milliseconds, has_said](const Tensor&, const Tensor& y_pred) {
      if (!*has_said) say("the first step");
      *has_said = true;
      std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
      return y_pred.reshape({-1});
    });
    model.compile(
        {.optimizer = optimizers::SGD({.learning_rate = 1.0}), .loss = loss, .run_eagerly = milliseconds > 0});
  }
  double steps() const { return -model.weights().front().value().item(); }

  models::Sequential model;
};

Tensor ones(std::int64_t samples) { return Tensor::full({samples, 1}, 1.0); }

/// The same program with and without servers gives the same weights, losses and metrics.
void synchronous(const ParameterServerStrategyOptions& options, double tolerance) {
  const ParameterServerStrategy strategy(options);
  const Tensor x = random_normal({90, 6, 6, 1}, 1, 0);
  const Tensor y = argmax(random_normal({90, 3}, 2, 0), 1).cast(int32);
  const auto train = [&](models::Model& trained) {
    set_random_seed(7);
    models::Sequential model({layers::Input({.shape = {6, 6, 1}}), layers::Conv2D(4, {3, 3}, {.activation = "relu"}),
                              layers::Flatten(), layers::Dropout(0.3),
                              layers::Dense(16, {.activation = "relu", .kernel_regularizer = "l2"}), layers::Dense(3)});
    model.compile({.optimizer = optimizers::Adam({.learning_rate = 0.01, .clipnorm = 0.5}),
                   .loss = losses::SparseCategoricalCrossentropy({.from_logits = true}),
                   .metrics = {"accuracy"}});
    models::History history = model.fit(x, y,
                                        {.batch_size = 16,
                                         .epochs = 3,
                                         .verbose = 0,
                                         .validation_split = 0.2,
                                         .class_weight = {{0, 1.0}, {1, 2.0}, {2, 0.5}}});
    trained = model;
    return history;
  };
  models::Model with;
  models::Model without;
  models::History history;
  {
    const auto scope = strategy.scope();
    history = train(with);
  }
  const models::History expected = train(without);
  // Workers have the last values too.
  if (strategy.impl()->is_chief() || history.epoch.empty()) {
    for (std::size_t i = 0; i < without.weights().size(); ++i) {
      const double distance = relative_distance(with.weights()[i].value(), without.weights()[i].value());
      if (strategy.is_chief()) say(fmt::format("{}: {:.3g}", with.weights()[i].path(), distance));
      if (strategy.is_chief()) require(distance <= tolerance, "weights differ: " + with.weights()[i].path());
    }
  }
  for (const auto& [name, values] : expected.history) {
    if (!strategy.is_chief()) break;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double own = history.history.at(name).at(i);
      require(std::abs(own - values[i]) <= tolerance * std::max(1.0, std::abs(values[i])),
              fmt::format("{} of epoch {} is {}, of one process {}", name, i, own, values[i]));
    }
  }
}

/// Batches of one sample each: 1.
class OnesDataset final : public datasets::DatasetImpl {
 public:
  datasets::BatchSpec element_spec() const override { return {.x = {TensorSpec{Shape({-1, 1}), float32}}}; }
  std::unique_ptr<datasets::BatchIterator> iterator(std::uint64_t) const override {
    return std::make_unique<Iterator>();
  }

 private:
  class Iterator final : public datasets::BatchIterator {
   public:
    std::optional<datasets::Batch> next() override {
      if (++count_ > 3) return std::nullopt;
      return datasets::Batch{.x = {ones(1)}};
    }

   private:
    int count_ = 0;
  };
};

/// Every step counts once, in the weights and in the metrics.
void counting(const std::string& folder, const ParameterServerStrategyOptions& options, int epochs, int milliseconds) {
  const ParameterServerStrategy strategy(options);
  const auto scope = strategy.scope();
  const CountingModel counting(milliseconds);
  std::vector<callbacks::Callback> callbacks;
  if (!folder.empty()) callbacks.push_back(callbacks::BackupAndRestore(folder, {.delete_checkpoint = false}));
  callbacks.push_back(callbacks::LambdaCallback(
      {.on_epoch_begin = [](int epoch, callbacks::Logs&) { say(fmt::format("epoch {} begins", epoch)); }}));
  constexpr std::int64_t steps_per_epoch = 20;
  const Tensor x = ones(steps_per_epoch * 4);
  models::Sequential model = counting.model;
  const models::History history =
      model.fit(x, x, {.batch_size = 4, .epochs = epochs, .verbose = 0, .callbacks = callbacks});
  const auto expected = static_cast<double>(steps_per_epoch * epochs);
  // After `fit` every worker has the last values.
  const bool is_server = history.epoch.empty() && counting.steps() == 0;
  if (!is_server) {
    require(counting.steps() == expected, fmt::format("{} of {} steps were applied", counting.steps(), expected));
  }
  if (!strategy.is_chief()) return;
  require(model.optimizer().iterations().item() == expected, "the optimizer counts other steps");
  const distribute::ParameterServerStatistics statistics = strategy.statistics();
  say(fmt::format("{} epochs ended after {} steps, staleness {:.2f} and {} at most, {} lost, {} repeated",
                  history.epoch.size(), counting.steps(), statistics.mean_staleness, statistics.max_staleness,
                  statistics.lost_workers, statistics.repeated));
}

/// Functions on workers, and their variables on servers.
void coordinator() {
  const ParameterServerStrategy strategy;
  distribute::ClusterCoordinator coordinator(strategy);
  const Variable weight(Tensor::zeros({2}), {.name = "weight"});
  const Variable calls(Tensor::zeros({}), {.trainable = false, .name = "calls"});
  const optimizers::Optimizer sgd =
      coordinator.create_variables({weight}, optimizers::SGD({.learning_rate = 0.5}), {calls});
  const auto square = coordinator.function("square", [](const std::vector<Tensor>& arguments) {
    return std::vector<Tensor>{arguments[0] * arguments[0], arguments[0] + 1.0};
  });
  const auto step = coordinator.function("step", [&](const std::vector<Tensor>& arguments) {
    GradientTape tape;
    const Tensor loss = sum(weight.value() * arguments[0]);
    sgd.apply(tape.gradient(loss, std::vector<Variable>{weight}), {weight});
    calls.assign_add(Tensor::scalar(1.0F));
    return std::vector<Tensor>{loss};
  });
  const auto fails = coordinator.function(
      "fails", [](const std::vector<Tensor>&) -> std::vector<Tensor> { throw ValueError("on purpose"); });
  const distribute::PerWorkerDataset data =
      coordinator.create_per_worker_dataset([] { return datasets::Dataset(std::make_shared<const OnesDataset>()); });
  const auto read = coordinator.function(
      "read", [&](const std::vector<Tensor>&) { return std::vector<Tensor>{data.next().x.front()}; });
  coordinator.run([&] {
    const distribute::RemoteValue value = coordinator.schedule(square, {Tensor::scalar(3.0F)});
    require(coordinator.fetch(value)[0].item() == 9 && value.fetch()[1].item() == 4, "results");
    for (int i = 0; i < 40; ++i) coordinator.schedule(step, {Tensor::full({2}, 2.0)});
    coordinator.join();
    require(coordinator.done(), "done");
    require(weight.value().to_vector() == std::vector<double>{-40, -40}, "40 steps: " + weight.value().to_string());
    require(calls.value().item() == 40, "40 calls: " + calls.value().to_string());
    weight.assign(Tensor::zeros({2}));
    coordinator.schedule(step, {Tensor::full({2}, 1.0)});
    coordinator.join();
    require(weight.value().to_vector() == std::vector<double>{-0.5, -0.5}, "after an assignment");
    for (int i = 0; i < 10; ++i) {
      require(coordinator.fetch(coordinator.schedule(read))[0].to_vector() == std::vector<double>{1}, "data sets");
    }
    const distribute::RemoteValue failed = coordinator.schedule(fails);
    std::string complaint;
    try {
      coordinator.join();
    } catch (const RuntimeError& error) {
      complaint = error.what();
    }
    require(complaint.find("on purpose") != std::string::npos, "the error of a function: " + complaint);
    try {
      failed.fetch();
      require(false, "the value of a function that failed");
    } catch (const RuntimeError& error) {
      require(std::string(error.what()).find("FAILED") != 0, error.what());
    }
    coordinator.join();
    require(coordinator.fetch(coordinator.schedule(square, {Tensor::scalar(2.0F)}))[0].item() == 4, "after an error");
  });
  if (strategy.is_chief()) say("coordinator ended");
}

/// Worker 1 has another model.
void different() {
  const ParameterServerStrategy strategy;
  const auto scope = strategy.scope();
  const distribute::TaskSpec& task = strategy.impl()->parameter_servers()->config().task;
  const bool is_other = task.type == "worker" && task.index == 1;
  models::Sequential model({layers::Input({.shape = {1}}), layers::Dense(is_other ? 17 : 16), layers::Dense(1)});
  model.compile({.optimizer = "sgd", .loss = "mse"});
  model.fit(ones(400), ones(400), {.batch_size = 1, .epochs = 100, .verbose = 0});
}

/// A worker whose function does not return: its work goes to the other one, and its gradients count once.
void hanging() {
  const ParameterServerStrategy strategy({.closure_timeout = std::chrono::milliseconds(2000)});
  distribute::ClusterCoordinator coordinator(strategy);
  const Variable weight(Tensor::zeros({}), {.name = "weight"});
  const optimizers::Optimizer sgd = coordinator.create_variables({weight}, optimizers::SGD({.learning_rate = 1.0}));
  const bool hangs = strategy.impl()->parameter_servers()->config().task.index == 1;
  const auto step = coordinator.function("step", [&](const std::vector<Tensor>&) {
    sgd.apply({Tensor::scalar(-1.0F)}, {weight});
    if (hangs) std::this_thread::sleep_for(std::chrono::hours(1));
    return std::vector<Tensor>{};
  });
  coordinator.run([&] {
    for (int i = 0; i < 20; ++i) coordinator.schedule(step);
    coordinator.join();
    require(weight.value().item() == 20, "20 steps: " + weight.value().to_string());
  });
  say(fmt::format("hanging ended, {} repeated", strategy.statistics().repeated));
}

/// Rows of an embedding on two servers, of whose gradient only the rows in use travel; and averages, which are not
/// trained.
void partitioned() {
  const ParameterServerStrategy strategy(
      {.variable_partitioner = distribute::experimental::partitioners::FixedShardsPartitioner(2), .synchronous = true});
  const Tensor x = Tensor::from_data<std::int32_t>({8, 2}, {0, 1, 2, 3, 4, 5, 6, 7, 190, 191, 192, 193, 2, 1, 3, 0});
  const Tensor y = random_normal({8, 1}, 2, 0);
  const auto train = [&] {
    set_random_seed(3);
    models::Sequential model({layers::Input({.shape = {2}, .dtype = "int32"}), layers::Embedding(201, 4),
                              layers::Flatten(), layers::Dense(1)});
    model.compile({.optimizer = optimizers::Adam({.learning_rate = 0.1}), .loss = "mse"});
    model.fit(x, y, {.batch_size = 8, .epochs = 4, .verbose = 0});
    return model;
  };
  const Tensor numbers = random_normal({30, 5}, 3, 0);
  const auto average = [&] {
    models::Sequential model({layers::Input({.shape = {5}}), layers::BatchNormalization(), layers::Dense(1)});
    model.compile({.optimizer = "sgd", .loss = "mse"});
    model.fit(numbers, sum(numbers, {1}, true), {.batch_size = 7, .epochs = 2, .verbose = 0, .shuffle = false});
    return model.layers()[0].weights()[2].value();
  };
  models::Sequential with;
  Tensor averages;
  {
    const auto scope = strategy.scope();
    with = train();
    averages = average();
  }
  if (!strategy.is_chief()) return;
  const models::Sequential without = train();
  for (std::size_t i = 0; i < with.weights().size(); ++i) {
    require(relative_distance(with.weights()[i].value(), without.weights()[i].value()) <= 1e-5,
            with.weights()[i].path() + " differs");
  }
  // The mean of the parts' means is that of the batch.
  require(relative_distance(averages, average()) <= 1e-5, "the moving average differs");
  for (const optimizers::Optimizer& optimizer :
       {optimizers::Optimizer(optimizers::Adafactor()), optimizers::Optimizer(optimizers::SGD({.clipnorm = 1.0}))}) {
    const auto scope = strategy.scope();
    models::Sequential model({layers::Input({.shape = {5}}), layers::Dense(1)});
    model.compile({.optimizer = optimizer, .loss = "mse"});
    bool is_refused = false;
    try {
      model.fit(numbers, numbers, {.verbose = 0});
    } catch (const NotImplementedError& error) {
      is_refused = std::string(error.what()).find("'sequential") != std::string::npos;
    }
    require(is_refused, optimizer.class_name() + " must be refused");
  }
  say("partitioned ended");
}

void run(const std::string& check, const std::string& folder) {
  const std::map<std::string, std::function<void()>> checks = {
      {"synchronous", [] { synchronous({.synchronous = true}, 1e-4); }},
      {"counting", [&] { counting(folder, {}, 3, 0); }},
      {"counting_synchronous", [&] { counting(folder, {.synchronous = true}, 3, 0); }},
      {"slow", [&] { counting(folder, {}, 6, 20); }},
      {"long", [&] { counting(folder, {}, 30, 20); }},
      {"endless", [&] { counting(folder, {}, 1000, 20); }},
      {"slow_synchronous", [&] { counting(folder, {.synchronous = true}, 6, 20); }},
      {"slow_backup", [&] { counting(folder, {.synchronous = true, .backup_workers = 1}, 6, 20); }},
      {"coordinator", [] { coordinator(); }},
      {"different", [] { different(); }},
      {"hanging", [] { hanging(); }},
      {"partitioned", [] { partitioned(); }}};
  checks.at(check)();
}

}  // namespace

int main(int argc, char** argv) {
  try {
    run(argc > 1 ? argv[1] : "", argc > 2 ? argv[2] : "");
  } catch (const std::exception& error) {
    say(std::string("error: ") + error.what());
    return 1;
  }
}
