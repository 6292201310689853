// A program outside this tree: find_package(Rhyton), one model, one fit.

#include <rhyton/rhyton.h>

#include <cmath>
#include <cstdio>
#include <random>
#include <vector>

using namespace rhyton;

int main() {
  constexpr int samples = 32;
  constexpr int features = 8;

  std::mt19937 generator(1);
  std::normal_distribution<float> normal;
  std::vector<float> inputs;
  std::vector<float> targets;
  for (int sample = 0; sample < samples; ++sample) {
    float sum = 0.0f;
    for (int feature = 0; feature < features; ++feature) {
      inputs.push_back(normal(generator));
      sum += inputs.back();
    }
    targets.push_back(sum);
  }
  auto x = Tensor::from_data(Shape{samples, features}, inputs);
  auto y = Tensor::from_data(Shape{samples, 1}, targets);

  models::Sequential model({
      layers::Input({.shape = {features}}),
      layers::Dense(16, {.activation = "relu"}),
      layers::Dense(1),
  });
  model.compile({.optimizer = optimizers::Adam({.learning_rate = 1e-2}), .loss = "mse"});
  auto history = model.fit(x, y, {.batch_size = 8, .epochs = 5, .verbose = 0});

  const std::vector<double> losses = history["loss"];
  std::printf("loss: %f -> %f\n", losses.front(), losses.back());
  return losses.size() == 5 && std::isfinite(losses.back()) && losses.back() < losses.front() ? 0 : 1;
}
