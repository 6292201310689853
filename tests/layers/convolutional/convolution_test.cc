#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include <rhyton/framework/autodiff/gradient_tape.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/ops/spatial_convolution.h>
#include <rhyton/tests/layers/golden_cases.h>
#include <rhyton/tests/support/random_tensor.h>

namespace rhyton::layers {
namespace {

/// All positions in that shape; the last axis changes fastest.
std::vector<std::vector<std::int64_t>> positions_of(const Shape& shape) {
  std::vector<std::vector<std::int64_t>> result;
  for (std::int64_t i = 0; i < shape.size(); ++i) {
    std::vector<std::int64_t> position(static_cast<std::size_t>(shape.rank()));
    std::int64_t rest = i;
    for (int axis = shape.rank() - 1; axis >= 0; --axis) {
      position[static_cast<std::size_t>(axis)] = rest % shape[axis];
      rest /= shape[axis];
    }
    result.push_back(position);
  }
  return result;
}

std::size_t offset_of(const Shape& shape, const std::vector<std::int64_t>& position) {
  std::int64_t result = 0;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    result = result * shape[axis] + position[static_cast<std::size_t>(axis)];
  }
  return static_cast<std::size_t>(result);
}

/// Each output by its definition.
Tensor defined_convolution(const Tensor& x, const Tensor& kernel, const ConvolutionAttributes& attributes) {
  const int rank = x.rank() - 2;
  std::vector<WindowAxis> axes;
  Shape shape = {x.shape()[0]};
  Shape window;
  for (int i = 0; i < rank; ++i) {
    const auto entry = static_cast<std::size_t>(i);
    axes.emplace_back(x.shape()[i + 1], kernel.shape()[i], attributes.strides[entry], attributes.dilation_rate[entry],
                      attributes.padding);
    shape.push_back(axes.back().output);
    window.push_back(kernel.shape()[i]);
  }
  const std::int64_t depth = kernel.shape()[rank];
  const std::int64_t filters = kernel.shape()[rank + 1];
  shape.push_back(filters);
  const std::vector<double> xs = x.to_vector();
  const std::vector<double> kernels = kernel.to_vector();
  std::vector<double> ys;
  for (const std::vector<std::int64_t>& place : positions_of(shape)) {
    const std::int64_t group = place.back() / (filters / attributes.groups);
    double y = 0;
    for (const std::vector<std::int64_t>& cell : positions_of(window)) {
      std::vector<std::int64_t> source = {place[0]};
      bool is_inside = true;
      for (int i = 0; i < rank; ++i) {
        const auto entry = static_cast<std::size_t>(i);
        source.push_back(place[entry + 1] * axes[entry].stride + cell[entry] * axes[entry].dilation -
                         axes[entry].pad_before);
        is_inside = is_inside && source.back() >= 0 && source.back() < x.shape()[i + 1];
      }
      if (!is_inside) continue;
      for (std::int64_t channel = 0; channel < depth; ++channel) {
        std::vector<std::int64_t> in = source;
        in.push_back(group * depth + channel);
        std::vector<std::int64_t> weight = cell;
        weight.push_back(channel);
        weight.push_back(place.back());
        y += xs[offset_of(x.shape(), in)] * kernels[offset_of(kernel.shape(), weight)];
      }
    }
    ys.push_back(y);
  }
  return Tensor::from_data(shape, ys);
}

struct ConvolutionCase {
  Shape x;
  Shape kernel;
  ConvolutionAttributes attributes;
};

const std::vector<ConvolutionCase>& convolution_cases() {
  static const std::vector<ConvolutionCase> all = {
      {{2, 7, 3}, {3, 3, 4}, {.strides = {2}, .dilation_rate = {1}}},
      {{2, 7, 3}, {3, 3, 4}, {.strides = {1}, .padding = Padding::same, .dilation_rate = {2}}},
      {{2, 6, 4}, {2, 2, 6}, {.strides = {3}, .padding = Padding::same, .dilation_rate = {1}, .groups = 2}},
      {{2, 5, 6, 2}, {2, 3, 2, 3}, {.strides = {2, 1}, .padding = Padding::same, .dilation_rate = {1, 1}}},
      {{2, 4, 5, 6, 2}, {2, 3, 2, 2, 3}, {.strides = {1, 1, 1}, .dilation_rate = {1, 1, 1}}},
      {{2, 5, 5, 4, 2}, {3, 2, 2, 2, 3}, {.strides = {2, 1, 2}, .padding = Padding::same, .dilation_rate = {1, 1, 1}}},
      {{1, 7, 5, 4, 2}, {3, 2, 1, 2, 3}, {.strides = {1, 1, 1}, .padding = Padding::same, .dilation_rate = {2, 1, 3}}},
      {{2, 4, 3, 3, 4}, {2, 2, 2, 2, 6}, {.strides = {2, 1, 1}, .dilation_rate = {1, 1, 1}, .groups = 2}},
      {{1, 3, 3, 3, 2}, {1, 2, 2, 2, 2}, {.strides = {1, 1, 1}, .padding = Padding::same, .dilation_rate = {1, 1, 1}}},
  };
  return all;
}

TEST(Convolution, IsThatOfItsDefinition) {
  for (const ConvolutionCase& c : convolution_cases()) {
    const Tensor x = test::random_tensor(c.x, 1, -1, 1, DType::float64);
    const Tensor kernel = test::random_tensor(c.kernel, 2, -1, 1, DType::float64);
    test::expect_close(convolution(x, kernel, c.attributes), defined_convolution(x, kernel, c.attributes), 1e-12,
                       c.x.to_string() + " with " + c.kernel.to_string());
  }
}

// It is linear in both arguments, so that the sum of any tensor times the gradient of an argument is the value with
// that tensor in the argument's place.
TEST(Convolution, HasGradients) {
  for (const ConvolutionCase& c : convolution_cases()) {
    const Tensor x = test::random_tensor(c.x, 3, -1, 1, DType::float64);
    const Tensor kernel = test::random_tensor(c.kernel, 4, -1, 1, DType::float64);
    GradientTape tape({.persistent = true});
    tape.watch(x);
    tape.watch(kernel);
    const Tensor y = convolution(x, kernel, c.attributes);
    const Tensor weights = test::random_tensor(y.shape(), 5, -1, 1, DType::float64);
    const Tensor value = sum(multiply(y, weights));
    tape.stop_recording();
    const auto value_of = [&](const Tensor& a, const Tensor& b) {
      return sum(multiply(convolution(a, b, c.attributes), weights));
    };
    const Tensor other_x = test::random_tensor(c.x, 6, -1, 1, DType::float64);
    const Tensor other_kernel = test::random_tensor(c.kernel, 7, -1, 1, DType::float64);
    const std::string what = c.x.to_string() + " with " + c.kernel.to_string();
    test::expect_close(sum(multiply(other_x, tape.gradient(value, x))), value_of(other_x, kernel), 1e-12, what);
    test::expect_close(sum(multiply(other_kernel, tape.gradient(value, kernel))), value_of(x, other_kernel), 1e-12,
                       what);
  }
}

TEST(Convolution, RefusesWhatDoesNotFit) {
  const ConvolutionAttributes volumes = {.strides = {1, 1, 1}, .dilation_rate = {1, 1, 1}};
  const Tensor kernel = Tensor::zeros({2, 2, 2, 3, 4});
  EXPECT_THROW(convolution(Tensor::zeros({1, 1, 4, 4, 3}), kernel, volumes), Error);
  EXPECT_THROW(convolution(Tensor::zeros({1, 4, 4, 4, 2}), kernel, volumes), Error);
  EXPECT_THROW(convolution(Tensor::zeros({4, 4}), kernel, volumes), ValueError);
  EXPECT_THROW(convolution(Tensor::zeros({1, 4, 4, 4, 3}), kernel, {.strides = {1, 1}, .dilation_rate = {1, 1, 1}}),
               ValueError);
  EXPECT_THROW(convolution(Tensor::zeros({1, 4, 3}), Tensor::zeros({2, 3, 4}), {.strides = {1}, .dilation_rate = {}}),
               ValueError);
  EXPECT_THROW(convolution(Tensor::zeros({1, 4, 3}), Tensor::zeros({2, 3, 4}), volumes), ValueError);
}

}  // namespace
}  // namespace rhyton::layers
