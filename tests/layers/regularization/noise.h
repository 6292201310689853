#pragma once

#include <cstddef>
#include <vector>

#include <rhyton/framework/autodiff/gradient_tape.h>
#include <rhyton/framework/tensor/tensor.h>
#include <rhyton/layers/layer.h>

// What the tests of layers that draw random numbers share.

namespace rhyton::test {

inline double mean_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

inline double variance_of(const std::vector<double>& values) {
  const double mean = mean_of(values);
  double sum = 0;
  for (const double value : values) sum += (value - mean) * (value - mean);
  return sum / static_cast<double>(values.size());
}

inline std::vector<double> trained(const layers::Layer& layer, const Tensor& x) {
  return layer(x, {.training = true}).to_vector();
}

struct TrainedCall {
  std::vector<double> output;
  std::vector<double> gradient;
};

/// The output in training, and the gradient of its sum.
inline TrainedCall trained_call(const layers::Layer& layer, const Tensor& x) {
  GradientTape tape;
  tape.watch(x);
  const Tensor y = layer(x, {.training = true});
  return {y.to_vector(), tape.gradient(y, x).to_vector()};
}

}  // namespace rhyton::test
