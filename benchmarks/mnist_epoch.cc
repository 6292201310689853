// Trains the MNIST CNN and prints the seconds of each warm epoch, then everything as one line of JSON, as the programs
// below peers/ do.

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <rhyton/rhyton.h>

using namespace rhyton;

namespace {

struct Options {
  int threads = 0;
  int epochs = 1;
  std::int64_t limit = 60000;
};

Options read_options(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; i += 2) {
    const std::string_view name = argv[i];
    const std::int64_t value = i + 1 < argc ? std::atoll(argv[i + 1]) : 0;
    if (value <= 0) throw ValueError("Usage: mnist_epoch [--threads N] [--epochs N] [--limit IMAGES]");
    if (name == "--threads") {
      options.threads = static_cast<int>(value);
    } else if (name == "--epochs") {
      options.epochs = static_cast<int>(value);
    } else if (name == "--limit") {
      options.limit = value;
    } else {
      throw ValueError("Unknown option: " + std::string(name));
    }
  }
  return options;
}

class EpochTimes final : public callbacks::CallbackImpl {
 public:
  explicit EpochTimes(std::vector<double>& seconds) : seconds_(seconds) {}
  void on_epoch_begin(callbacks::TrainingControl&, int, callbacks::Logs&) override { start_ = Clock::now(); }
  void on_epoch_end(callbacks::TrainingControl&, int, callbacks::Logs&) override {
    seconds_.push_back(std::chrono::duration<double>(Clock::now() - start_).count());
  }

 private:
  using Clock = std::chrono::steady_clock;
  std::vector<double>& seconds_;
  Clock::time_point start_;
};

models::Sequential make_model() {
  models::Sequential model({
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
  model.compile({.optimizer = optimizers::Adam({.learning_rate = 1e-3}),
                 .loss = losses::SparseCategoricalCrossentropy({.from_logits = true}),
                 .metrics = {"accuracy"}});
  return model;
}

double peak_megabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024.0;
}

void run(const Options& options) {
  set_random_seed(0);
  if (options.threads > 0) config::set_num_threads(options.threads);
  auto [train, test] = datasets::mnist::load_data();
  const std::int64_t samples = std::min(options.limit, train.labels.size());
  const Tensor x = train.images.slice(0, samples).reshape({-1, 28, 28, 1}).cast(float32) / 255.0f;
  const Tensor y = train.labels.slice(0, samples);

  models::Sequential model = make_model();
  // Makes everything ready, also for the short last batch.
  const std::int64_t warm_up = std::min<std::int64_t>(samples, 100 * 64 + 32);
  model.fit(x.slice(0, warm_up), y.slice(0, warm_up), {.batch_size = 64, .verbose = 0});

  std::vector<double> seconds;
  const auto history = model.fit(x, y,
                                 {.batch_size = 64,
                                  .epochs = options.epochs,
                                  .verbose = 0,
                                  .callbacks = {callbacks::make_callback<EpochTimes>(seconds)}});

  io::Json result = io::Json::object({{"seconds", io::Json::array_from(seconds)},
                                      {"loss", history["loss"].back()},
                                      {"accuracy", history["accuracy"].back()},
                                      {"peak_rss_mb", peak_megabytes()},
                                      {"threads", config::num_threads()}});
  for (std::size_t i = 0; i < seconds.size(); ++i) std::cout << "epoch " << i + 1 << ": " << seconds[i] << " s\n";
  std::cout << result.dump() << "\n";
}

}  // namespace

int main(int argc, char** argv) {
  try {
    run(read_options(argc, argv));
  } catch (const std::exception& error) {
    std::cerr << "mnist_epoch: " << error.what() << "\n";
    return 1;
  }
}
