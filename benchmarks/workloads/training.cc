// Workloads that train.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <vector>

#include <rhyton/benchmarks/measuring.h>
#include <rhyton/benchmarks/workloads/epoch_times.h>
#include <rhyton/benchmarks/workloads/models.h>
#include <rhyton/benchmarks/workloads/workloads.h>
#include <rhyton/rhyton.h>

namespace workloads {

using namespace measuring;
using namespace rhyton;

namespace {

std::int64_t trainable_parameters(const models::Model& model) {
  std::int64_t count = 0;
  for (const Variable& weight : model.trainable_weights()) count += weight.shape().size();
  return count;
}

/// Uniform random integers below `limit`.
Tensor random_integers(const Shape& shape, int limit, DType dtype) {
  return random_uniform(shape, /*key=*/2, /*counter=*/0, 0.0, limit).cast(int32).cast(dtype);
}

/// Seconds per step of `fit`: the median over several epochs of `steps` steps.
io::Json time_steps(const models::Model& model, const Tensor& x, const Tensor& y, std::int64_t batch_size,
                    std::int64_t steps) {
  constexpr int epochs = 5;
  model.fit(x.slice(0, 2 * batch_size), y.slice(0, 2 * batch_size), {.batch_size = batch_size, .verbose = 0});
  std::vector<double> seconds;
  const auto history = model.fit(x, y,
                                 {.batch_size = batch_size,
                                  .epochs = epochs,
                                  .verbose = 0,
                                  .callbacks = {callbacks::make_callback<EpochTimes>(seconds)}});
  return io::Json::object({{"cases", io::Json::object({{"step", median(seconds) / static_cast<double>(steps)}})},
                           {"loss", history["loss"].back()},
                           {"parameters", trainable_parameters(model)}});
}

}  // namespace

io::Json epoch(const Options& options) {
  auto [train, test] = datasets::mnist::load_data();
  const std::int64_t samples = std::min(options.limit, train.labels.size());
  const Tensor x = train.images.slice(0, samples).reshape({-1, 28, 28, 1}).cast(float32) / 255.0f;
  const Tensor y = train.labels.slice(0, samples);

  const models::Sequential model = mnist_cnn(options.width, options.depth);
  // A warm-up, including the short last batch.
  const std::int64_t batches = std::max<std::int64_t>(1, 100 * 64 / options.batch_size);
  const std::int64_t warm_up =
      std::min(samples, batches * options.batch_size + (options.batch_size == 64 ? 32 : samples % options.batch_size));
  model.fit(x.slice(0, warm_up), y.slice(0, warm_up), {.batch_size = options.batch_size, .verbose = 0});

  std::vector<double> seconds;
  const auto history = model.fit(x, y,
                                 {.batch_size = options.batch_size,
                                  .epochs = options.epochs,
                                  .verbose = 0,
                                  .callbacks = {callbacks::make_callback<EpochTimes>(seconds)}});
  return io::Json::object({{"cases", io::Json::object({{"epoch", median(seconds)}})},
                           {"loss", history["loss"].back()},
                           {"accuracy", history["accuracy"].back()},
                           {"parameters", trainable_parameters(model)}});
}

io::Json resnet20(const Options& options) {
  // On a GPU, four steps finish before they can be timed.
  const std::int64_t steps = current_device().is_host() ? 4 : 20;
  const std::int64_t samples = steps * options.batch_size;
  const Tensor x = random_uniform({samples, 32, 32, 3}, /*key=*/1, /*counter=*/0);
  return time_steps(resnet20_model(), x, random_integers({samples}, 10, int64), options.batch_size, steps);
}

io::Json mlp(const Options& options) {
  constexpr std::int64_t steps = 200;
  const std::int64_t samples = steps * options.batch_size;
  const Tensor x = random_uniform({samples, 784}, /*key=*/1, /*counter=*/0);
  return time_steps(mlp_model(), x, random_integers({samples}, 10, int64), options.batch_size, steps);
}

io::Json text(const Options& options) {
  constexpr std::int64_t steps = 100;
  const std::int64_t samples = steps * options.batch_size;
  const Tensor x = random_integers({samples, 200}, 20000, int32);
  const Tensor y = random_integers({samples, 1}, 2, float32);
  return time_steps(text_model(), x, y, options.batch_size, steps);
}

io::Json encoder_training(const Options&) {
  constexpr std::int64_t batch_size = 16;
  constexpr std::int64_t steps = 6;
  const Shape shape = {steps * batch_size, 128, 512};
  const Tensor x = random_normal(shape, /*key=*/1, /*counter=*/0);
  const Tensor y = random_normal(shape, /*key=*/2, /*counter=*/0);
  return time_steps(encoder_model(), x, y, batch_size, steps);
}

io::Json start(const Options&) {
  const models::Sequential model = mnist_cnn();
  const Tensor x = random_uniform({64, 28, 28, 1}, /*key=*/1, /*counter=*/0);
  const callbacks::Logs logs = model.train_on_batch(x, random_integers({64}, 10, int64));
  const std::chrono::duration<double> finished = std::chrono::system_clock::now().time_since_epoch();
  return io::Json::object(
      {{"finished", finished.count()}, {"loss", logs.at("loss")}, {"parameters", trainable_parameters(model)}});
}

}  // namespace workloads
