// Workloads with models of images, and with convolutions in one and three dimensions.

#include <cstdint>
#include <string>
#include <vector>

#include <rhyton/benchmarks/measuring.h>
#include <rhyton/benchmarks/workloads/models.h>
#include <rhyton/benchmarks/workloads/workloads.h>
#include <rhyton/rhyton.h>

namespace workloads {

using namespace measuring;
using namespace rhyton;

namespace {

Tensor random_inputs(const VisionModel& vision, std::int64_t samples) {
  return random_uniform(Shape{samples}.concatenate(vision.shape), /*key=*/1, /*counter=*/0);
}

Tensor random_classes(const VisionModel& vision) {
  const Shape shape = Shape{vision.batch_size}.concatenate(vision.outputs.slice(0, vision.outputs.rank() - 1));
  return random_uniform(shape, /*key=*/2, /*counter=*/0, 0.0, 10.0).cast(int32);
}

}  // namespace

io::Json vision_training(const Options&) {
  io::Json cases = io::Json::object();
  for (const VisionModel& vision : vision_models()) {
    const models::Model model = vision.make();
    const Tensor x = random_inputs(vision, vision.batch_size);
    const Tensor y = random_classes(vision);
    cases[vision.name] = seconds_per_call([&] { model.train_on_batch(x, y); });
  }
  return io::Json::object({{"cases", cases}});
}

io::Json vision_prediction(const Options&) {
  io::Json cases = io::Json::object();
  for (const VisionModel& vision : vision_models()) {
    const models::Model model = vision.make();
    for (const std::int64_t samples : {1, 8}) {
      const Tensor x = random_inputs(vision, samples);
      cases[vision.name + ", batch " + std::to_string(samples)] = seconds_per_call([&] { model.predict_on_batch(x); });
    }
  }
  return io::Json::object({{"cases", cases}});
}

}  // namespace workloads
