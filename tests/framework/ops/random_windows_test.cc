// Windows of any geometry, as files may contain them: either a clear error, or the result of a straightforward
// reference.

#include <array>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rhyton/framework/autodiff/gradient_tape.h>
#include <rhyton/framework/ops/conv.h>
#include <rhyton/framework/ops/pooling.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/tensor/checked_arithmetic.h>

namespace rhyton {
namespace {

constexpr std::int64_t max_length = std::int64_t{1} << 62;

/// Positions of a window along an axis, and the start of the first one. Only for accepted lengths, whose products fit
/// in 64 bits.
struct Axis {
  std::int64_t output = 0;
  std::int64_t begin = 0;
};

Axis axis_of(std::int64_t input, std::int64_t window, std::int64_t stride, std::int64_t dilation, Padding padding) {
  const std::int64_t extent = (window - 1) * dilation + 1;
  if (padding == Padding::valid) {
    return {extent > input ? 0 : (input - extent) / stride + 1, 0};
  }
  const std::int64_t output = (input - 1) / stride + 1;
  const std::int64_t needed = std::max<std::int64_t>(0, (output - 1) * stride + extent - input);
  return {output, -(needed / 2)};
}

class Lengths {
 public:
  explicit Lengths(unsigned seed) : engine_(seed) {}

  std::int64_t between(std::int64_t least, std::int64_t maximum) {
    return std::uniform_int_distribution<std::int64_t>(least, maximum)(engine_);
  }
  /// Mostly small, sometimes any value.
  std::int64_t any(std::int64_t small) {
    if (between(0, 3) > 0) return between(1, small);
    const std::array<std::int64_t, 10> large = {17,        64,        1000,      65536,      (1LL << 31) - 1,
                                                1LL << 31, 1LL << 32, 1LL << 61, max_length, max_length + 2};
    return large[static_cast<std::size_t>(between(0, large.size() - 1))];
  }
  Padding padding() { return between(0, 2) == 0 ? Padding::valid : Padding::same; }

 private:
  std::mt19937_64 engine_;
};

std::vector<double> numbers(std::int64_t count, int period) {
  std::vector<double> values;
  for (std::int64_t i = 0; i < count; ++i) values.push_back(static_cast<double>((i * 7 + 3) % period) / 4 - 1);
  return values;
}

struct Convolution {
  Shape x;
  Shape kernel;
  Conv2DAttributes attributes;

  std::string text() const { return x.to_string() + " " + kernel.to_string() + " " + attributes.to_string(); }
};

Convolution random_convolution(Lengths& lengths) {
  Convolution test;
  // A third has one group per channel, with one filter or two.
  const bool is_depthwise = lengths.between(0, 2) == 0;
  const std::int64_t groups = is_depthwise ? lengths.between(2, 21) : lengths.between(1, 2);
  const std::int64_t thickness = is_depthwise ? 1 : 2;
  const std::int64_t per_group = is_depthwise ? lengths.between(1, 2) : 3;
  test.x = {2, lengths.between(1, 9), lengths.between(1, 9), thickness * groups};
  test.kernel = {lengths.between(1, 5), lengths.between(1, 5), thickness, per_group * groups};
  test.attributes.groups = groups;
  test.attributes.padding = lengths.padding();
  // As in the layer, one of the two is 1.
  if (lengths.between(0, 2) > 0) {
    test.attributes.dilation_rate = {lengths.any(6), lengths.any(6)};
  } else {
    test.attributes.strides = {lengths.any(4), lengths.any(4)};
  }
  return test;
}

/// Sums over taps, and the gradients of the sum of `weight * y` with respect to images and kernel.
struct Reference {
  std::vector<double> y;
  std::vector<double> dx;
  std::vector<double> dk;

  Reference(const Convolution& test, const std::vector<double>& x, const std::vector<double>& kernel)
      : dx(x.size()), dk(kernel.size()) {
    const Conv2DAttributes& window = test.attributes;
    const std::array<Axis, 2> axes = {
        axis_of(test.x[1], test.kernel[0], window.strides[0], window.dilation_rate[0], window.padding),
        axis_of(test.x[2], test.kernel[1], window.strides[1], window.dilation_rate[1], window.padding)};
    const std::int64_t filters = test.kernel[3];
    const std::int64_t per_group = filters / window.groups;
    for (std::int64_t n = 0; n < test.x[0]; ++n) {
      for (std::int64_t i = 0; i < axes[0].output; ++i) {
        for (std::int64_t j = 0; j < axes[1].output; ++j) {
          for (std::int64_t filter = 0; filter < filters; ++filter) {
            double sum = 0;
            const double weight = weight_of(y.size());
            for (std::int64_t k = 0; k < test.kernel[0] * test.kernel[1] * test.kernel[2]; ++k) {
              const std::int64_t channel = k % test.kernel[2];
              const std::int64_t tap_row = k / test.kernel[2] / test.kernel[1];
              const std::int64_t tap_column = k / test.kernel[2] % test.kernel[1];
              const std::int64_t row = axes[0].begin + i * window.strides[0] + tap_row * window.dilation_rate[0];
              const std::int64_t column = axes[1].begin + j * window.strides[1] + tap_column * window.dilation_rate[1];
              if (row < 0 || row >= test.x[1] || column < 0 || column >= test.x[2]) continue;
              const auto at_x = static_cast<std::size_t>(((n * test.x[1] + row) * test.x[2] + column) * test.x[3] +
                                                         filter / per_group * test.kernel[2] + channel);
              const auto at_kernel = static_cast<std::size_t>(k * filters + filter);
              sum += x[at_x] * kernel[at_kernel];
              dx[at_x] += weight * kernel[at_kernel];
              dk[at_kernel] += weight * x[at_x];
            }
            y.push_back(sum);
          }
        }
      }
    }
  }

  static double weight_of(std::size_t i) { return static_cast<double>(i % 5) - 1.5; }
};

Tensor tensor_of(const Shape& shape, const std::vector<double>& values) {
  return Tensor::from_data<double>(shape, values);
}

void expect_equal(const Tensor& actual, const std::vector<double>& expected) {
  const std::vector<double> values = actual.to_vector();
  ASSERT_EQ(values.size(), expected.size());
  for (std::size_t i = 0; i < values.size(); ++i) ASSERT_NEAR(values[i], expected[i], 1e-9) << "element " << i;
}

/// What the message of a refusal begins with.
const auto says_which_window =
    testing::AnyOf(testing::StartsWith("A window"), testing::StartsWith("Computed output size would be"));

TEST(RandomWindows, ConvolutionsAreRightOrRefused) {
  Lengths lengths(16);
  int right = 0;
  int refused = 0;
  for (int round = 0; round < 600; ++round) {
    const Convolution test = random_convolution(lengths);
    SCOPED_TRACE(test.text());
    const std::vector<double> x = numbers(test.x.size(), 11);
    const std::vector<double> kernel = numbers(test.kernel.size(), 13);
    const Tensor images = tensor_of(test.x, x);
    const Tensor weights = tensor_of(test.kernel, kernel);
    GradientTape tape;
    tape.watch(images);
    tape.watch(weights);
    std::optional<Tensor> y;
    try {
      y = conv2d(images, weights, test.attributes);
    } catch (const ValueError& error) {
      ASSERT_THAT(error.what(), says_which_window);
      ++refused;
      continue;
    }
    const Reference reference(test, x, kernel);
    expect_equal(*y, reference.y);
    if (y->size() > 0) {
      std::vector<double> factors;
      for (std::size_t i = 0; i < reference.y.size(); ++i) factors.push_back(Reference::weight_of(i));
      const std::vector<Tensor> gradients =
          tape.gradient(*y, std::vector<Tensor>{images, weights}, tensor_of(y->shape(), factors));
      expect_equal(gradients[0], reference.dx);
      expect_equal(gradients[1], reference.dk);
    }
    ++right;
  }
  EXPECT_GT(right, 300);
  EXPECT_GT(refused, 100);
}

TEST(RandomWindows, PoolingsAreRightOrRefused) {
  Lengths lengths(17);
  int right = 0;
  int refused = 0;
  for (int round = 0; round < 600; ++round) {
    const Shape shape = {2, lengths.between(1, 9), lengths.between(1, 9), lengths.between(1, 3)};
    Pool2DAttributes window{.pool_size = {lengths.any(5), lengths.any(5)}, .strides = {lengths.any(4), lengths.any(4)}};
    window.padding = lengths.padding();
    SCOPED_TRACE(shape.to_string() + " " + window.to_string());
    const std::vector<double> x = numbers(shape.size(), 127);
    const Tensor images = tensor_of(shape, x);
    GradientTape tape;
    tape.watch(images);
    std::optional<Tensor> largest;
    std::optional<Tensor> mean;
    try {
      mean = average_pool2d(images, window);
      largest = max_pool2d(images, window);
    } catch (const ValueError& error) {
      ASSERT_THAT(error.what(), says_which_window);
      ++refused;
      continue;
    }
    const Axis rows = axis_of(shape[1], window.pool_size[0], window.strides[0], 1, window.padding);
    const Axis columns = axis_of(shape[2], window.pool_size[1], window.strides[1], 1, window.padding);
    std::vector<double> largest_expected;
    std::vector<double> mean_expected;
    std::vector<double> gradient(x.size());
    for (std::int64_t n = 0; n < shape[0]; ++n) {
      for (std::int64_t i = 0; i < rows.output * columns.output; ++i) {
        for (std::int64_t channel = 0; channel < shape[3]; ++channel) {
          const std::int64_t top = rows.begin + i / columns.output * window.strides[0];
          const std::int64_t left = columns.begin + i % columns.output * window.strides[1];
          double sum = 0;
          std::int64_t cells = 0;
          std::optional<std::size_t> best;
          for (std::int64_t row = 0; row < shape[1]; ++row) {
            for (std::int64_t column = 0; column < shape[2]; ++column) {
              if (row < top || row >= top + window.pool_size[0]) continue;
              if (column < left || column >= left + window.pool_size[1]) continue;
              const auto at = static_cast<std::size_t>(((n * shape[1] + row) * shape[2] + column) * shape[3] + channel);
              sum += x[at];
              ++cells;
              if (!best || x[at] > x[*best]) best = at;
            }
          }
          ASSERT_TRUE(best.has_value());
          largest_expected.push_back(x[*best]);
          mean_expected.push_back(sum / static_cast<double>(cells));
          gradient[*best] += 1;
        }
      }
    }
    expect_equal(*largest, largest_expected);
    expect_equal(*mean, mean_expected);
    if (largest->size() > 0) expect_equal(tape.gradient(*largest, images), gradient);
    ++right;
  }
  EXPECT_GT(right, 200);
  EXPECT_GT(refused, 100);
}

TEST(RandomWindows, DilationFarBeyondTheImagesTakesNoMemory) {
  const Tensor x = Tensor::full({1, 4, 4, 1}, 1.0);
  const Tensor kernel = Tensor::full({3, 3, 1, 1}, 1.0);
  constexpr std::int64_t far = (1LL << 30) - 1;
  const Tensor y = conv2d(x, kernel, {.padding = Padding::same, .dilation_rate = {far, far}});
  EXPECT_EQ(y.to_vector(), std::vector<double>(16, 1.0));  // only the middle tap is on the image
}

}  // namespace
}  // namespace rhyton
