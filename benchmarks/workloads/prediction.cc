// Workloads that predict.

#include <cstdint>
#include <string>

#include <rhyton/benchmarks/measuring.h>
#include <rhyton/benchmarks/workloads/models.h>
#include <rhyton/benchmarks/workloads/workloads.h>
#include <rhyton/rhyton.h>

namespace workloads {

using namespace measuring;
using namespace rhyton;

namespace {

Tensor test_images() {
  auto [train, test] = datasets::mnist::load_data();
  return test.images.reshape({-1, 28, 28, 1}).cast(float32) / 255.0f;
}

}  // namespace

io::Json predict(const Options&) {
  const Tensor x = test_images();
  const models::Sequential model = mnist_cnn();
  io::Json cases = io::Json::object();
  for (const std::int64_t batch_size : {64, 1024}) {
    cases["batch " + std::to_string(batch_size)] =
        seconds_per_call([&] { model.predict(x, {.batch_size = batch_size, .verbose = 0}); });
  }
  return io::Json::object({{"cases", cases}});
}

io::Json latency(const Options&) {
  const Tensor x = test_images().slice(0, 1);
  const models::Sequential model = mnist_cnn();
  const double seconds = seconds_per_call([&] { model.predict_on_batch(x); });
  return io::Json::object({{"cases", io::Json::object({{"one image", seconds}})}});
}

}  // namespace workloads
