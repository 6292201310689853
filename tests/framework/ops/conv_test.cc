#include <rhyton/framework/ops/conv.h>

#include <gtest/gtest.h>

#include <string>

#include <rhyton/tests/framework/ops/kernel_checks.h>

namespace rhyton::conv_tests {
namespace {

using test::check_gradients;
using test::expect_near;
using test::random_tensor;
using test::run_kernel;
using test::run_kernel_sliced;
using test::to_dtype;
using test::tolerance;

struct Case {
  std::int64_t images;
  std::int64_t height;
  std::int64_t width;
  std::int64_t channels;
  std::int64_t filters;
  std::int64_t kernel_height;
  std::int64_t kernel_width;
  Conv2DAttributes attributes;

  Shape x() const { return {images, height, width, channels}; }
  Shape kernel() const { return {kernel_height, kernel_width, channels / attributes.groups, filters}; }
  std::int64_t depth() const { return kernel_height * kernel_width * channels / attributes.groups; }
  std::string text() const { return x().to_string() + " " + kernel().to_string() + " " + attributes.to_string(); }
};

constexpr Padding valid = Padding::valid;
constexpr Padding same = Padding::same;

std::vector<Case> cases() {
  std::vector<Case> all = {
      // The layers of the MNIST CNN.
      {2, 28, 28, 1, 32, 3, 3, {}},
      {3, 13, 13, 32, 64, 3, 3, {}},
      {5, 5, 5, 64, 64, 3, 3, {}},
      // Kernels of one cell, of one row, of one column, of even size.
      {2, 4, 5, 17, 33, 1, 1, {}},
      {2, 4, 5, 16, 16, 1, 1, {.strides = {2, 2}}},
      {1, 6, 7, 3, 5, 1, 4, {.padding = same}},
      {1, 7, 6, 3, 5, 4, 1, {.padding = same}},
      {2, 6, 6, 5, 3, 2, 2, {.padding = same}},
      // An output of one pixel; a kernel larger than the image.
      {4, 3, 3, 5, 17, 3, 3, {}},
      {2, 2, 3, 3, 17, 5, 5, {.padding = same}},
      {2, 1, 1, 65, 65, 3, 3, {.padding = same}},
      // Strides and dilation.
      {2, 9, 11, 5, 17, 3, 3, {.strides = {2, 3}}},
      {2, 9, 11, 5, 17, 3, 3, {.strides = {3, 2}, .padding = same}},
      {2, 7, 7, 3, 16, 3, 3, {.strides = {4, 5}}},
      {1, 5, 5, 2, 3, 2, 2, {.strides = {3, 3}, .padding = same}},
      {2, 10, 9, 3, 33, 3, 3, {.dilation_rate = {2, 2}}},
      {2, 10, 9, 3, 33, 3, 3, {.padding = same, .dilation_rate = {2, 3}}},
      {1, 10, 9, 17, 16, 3, 2, {.padding = same, .dilation_rate = {1, 4}}},
      {1, 12, 11, 4, 6, 3, 3, {.strides = {2, 2}, .padding = same, .dilation_rate = {3, 2}}},
      {1, 12, 11, 4, 6, 4, 3, {.strides = {4, 2}, .padding = valid, .dilation_rate = {2, 3}}},
      // Groups, and one group per channel.
      {2, 6, 5, 6, 9, 3, 3, {.padding = same, .groups = 3}},
      {2, 6, 5, 32, 32, 3, 3, {.groups = 2}},
      {1, 6, 5, 4, 64, 3, 3, {.padding = same, .groups = 4}},
      {3, 6, 5, 17, 17, 3, 3, {.padding = same, .groups = 17}},
      {2, 6, 5, 5, 15, 3, 2, {.strides = {2, 2}, .padding = same, .groups = 5}},
      {2, 7, 6, 16, 16, 3, 3, {.strides = {1, 2}, .dilation_rate = {2, 1}, .groups = 16}},
      {1, 9, 14, 37, 37, 5, 7, {.padding = same, .groups = 37}},
      {2, 12, 11, 24, 24, 3, 3, {.strides = {2, 3}, .padding = same, .groups = 24}},
      {2, 5, 9, 40, 40, 4, 6, {.strides = {3, 1}, .groups = 40}},
      {1, 8, 3, 16, 16, 2, 5, {.padding = same, .dilation_rate = {2, 3}, .groups = 16}},
      {2, 6, 5, 3, 12, 3, 3, {.strides = {2, 1}, .padding = same, .groups = 3}},
      // Images too large for one chunk.
      {1, 90, 45, 17, 17, 3, 3, {.padding = same, .groups = 17}},
      {1, 70, 65, 3, 8, 3, 3, {.padding = same}},
      {2, 50, 41, 33, 5, 3, 3, {.strides = {2, 1}}},
      {1, 3, 300, 64, 16, 3, 3, {.padding = same}},
      {1, 4, 700, 65, 2, 3, 3, {.padding = same}},
      {70, 6, 6, 3, 4, 3, 3, {.padding = same}},
  };
  for (const std::int64_t channels : {1, 3, 5, 17, 33, 65}) {
    for (const std::int64_t filters : {1, 3, 5, 17, 33, 65}) {
      all.push_back({1 + (channels + filters) % 4, 5, 6, channels, filters, 3, 3, {.padding = same}});
    }
  }
  return all;
}

/// Calls function(index in y, index in x, index in the kernel) for every product of a convolution.
template <class Function>
void for_each_product(const Case& test, Function&& function) {
  const Conv2DAttributes& attributes = test.attributes;
  const WindowAxis rows(test.height, test.kernel_height, attributes.strides[0], attributes.dilation_rate[0],
                        attributes.padding);
  const WindowAxis columns(test.width, test.kernel_width, attributes.strides[1], attributes.dilation_rate[1],
                           attributes.padding);
  const std::int64_t thickness = test.channels / attributes.groups;
  std::int64_t y = 0;
  for (std::int64_t image = 0; image < test.images; ++image) {
    for (std::int64_t out_row = 0; out_row < rows.output; ++out_row) {
      for (std::int64_t out_column = 0; out_column < columns.output; ++out_column) {
        for (std::int64_t filter = 0; filter < test.filters; ++filter, ++y) {
          const std::int64_t group = filter / (test.filters / attributes.groups);
          for (std::int64_t i = 0; i < test.kernel_height; ++i) {
            const std::int64_t row = out_row * rows.stride - rows.pad_before + i * rows.dilation;
            if (row < 0 || row >= test.height) continue;
            for (std::int64_t j = 0; j < test.kernel_width; ++j) {
              const std::int64_t column = out_column * columns.stride - columns.pad_before + j * columns.dilation;
              if (column < 0 || column >= test.width) continue;
              for (std::int64_t c = 0; c < thickness; ++c) {
                function(y, ((image * test.height + row) * test.width + column) * test.channels + group * thickness + c,
                         ((i * test.kernel_width + j) * thickness + c) * test.filters + filter);
              }
            }
          }
        }
      }
    }
  }
}

std::size_t at(std::int64_t index) { return static_cast<std::size_t>(index); }

TEST(Conv2D, KernelsMatchLoops) {
  unsigned seed = 1;
  for (const Case& test : cases()) {
    SCOPED_TRACE(test.text());
    const Tensor x = random_tensor(test.x(), float64, ++seed);
    const Tensor kernel = random_tensor(test.kernel(), float64, ++seed);
    const Conv2DOp op(test.attributes);
    const std::vector<TensorSpec> specs = {x.spec(), kernel.spec()};
    const Shape y_shape = op.infer(specs)[0].shape;
    const Tensor dy = random_tensor(y_shape, float64, ++seed);
    for (const DType dtype : {float64, float32}) {
      const Tensor short_x = to_dtype(x, dtype);
      const Tensor short_kernel = to_dtype(kernel, dtype);
      const Tensor short_dy = to_dtype(dy, dtype);
      const std::vector<double> xs = short_x.to_vector();
      const std::vector<double> ks = short_kernel.to_vector();
      const std::vector<double> dys = short_dy.to_vector();
      std::vector<double> y(at(y_shape.size()));
      std::vector<double> dx(xs.size());
      std::vector<double> dk(ks.size());
      for_each_product(test, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
        y[at(i)] += xs[at(j)] * ks[at(k)];
        dx[at(j)] += dys[at(i)] * ks[at(k)];
        dk[at(k)] += dys[at(i)] * xs[at(j)];
      });
      const Conv2DInputGradientOp input_gradient(test.height, test.width, test.attributes);
      const Conv2DKernelGradientOp kernel_gradient(test.kernel_height, test.kernel_width, test.attributes);
      const double error = tolerance(dtype, test.depth());
      const double input_error = tolerance(dtype, test.kernel_height * test.kernel_width * test.filters);
      const double kernel_error = tolerance(dtype, y_shape.size() / test.filters);
      const std::vector<Tensor> forward = {short_x, short_kernel};
      const std::vector<Tensor> backward = {short_kernel, short_dy};
      const std::vector<Tensor> weights = {short_x, short_dy};
      expect_near(run_kernel(op, forward), y, error);
      expect_near(run_kernel(input_gradient, backward), dx, input_error);
      expect_near(run_kernel(kernel_gradient, weights), dk, kernel_error);
      if (test.images == 1) continue;
      for (const std::int64_t samples : {1, 2}) {
        expect_near(run_kernel_sliced(op, forward, samples, {true, false}), y, error);
        expect_near(run_kernel_sliced(input_gradient, backward, samples, {false, true}), dx, input_error);
        expect_near(run_kernel_sliced(kernel_gradient, weights, samples, {true, true}), dk, kernel_error);
      }
    }
  }
}

TEST(Conv2D, FusedFormAddsBiasAndActivates) {
  for (const std::int64_t filters : {16, 17, 33, 64}) {
    for (const std::int64_t groups : {1, 2}) {
      if (filters % groups != 0) continue;
      for (const DType dtype : {float32, float64}) {
        const Conv2DAttributes attributes = {.padding = same, .groups = groups};
        const Tensor x = random_tensor({2, 5, 6, 4}, dtype, 1);
        const Tensor kernel = random_tensor({3, 3, 4 / groups, filters}, dtype, 2);
        const Tensor bias = random_tensor({filters}, dtype, 3);
        std::vector<double> expected = run_kernel(Conv2DOp(attributes), {x, kernel}).to_vector();
        const std::vector<double> biases = bias.to_vector();
        for (std::size_t i = 0; i < expected.size(); ++i) expected[i] += biases[i % biases.size()];
        expect_near(run_kernel(FusedConv2DOp(Epilogue::none, attributes), {x, kernel, bias}), expected,
                    tolerance(dtype));
        for (double& value : expected) value = std::max(0.0, value);
        const FusedConv2DOp fused(Epilogue::relu, attributes);
        expect_near(run_kernel(fused, {x, kernel, bias}), expected, tolerance(dtype));
        expect_near(run_kernel_sliced(fused, {x, kernel, bias}, 1, {true, false, false}), expected, tolerance(dtype));
      }
    }
  }
}

TEST(Conv2D, FusedFormOfDepthwise) {
  const Conv2DAttributes attributes = {.groups = 5};
  const Tensor x = random_tensor({1, 5, 6, 5}, float32, 1);
  const Tensor kernel = random_tensor({3, 3, 1, 10}, float32, 2);
  const Tensor bias = random_tensor({10}, float32, 3);
  std::vector<double> expected = run_kernel(Conv2DOp(attributes), {x, kernel}).to_vector();
  const std::vector<double> biases = bias.to_vector();
  for (std::size_t i = 0; i < expected.size(); ++i) expected[i] = std::max(0.0, expected[i] + biases[i % 10]);
  expect_near(run_kernel(FusedConv2DOp(Epilogue::relu, attributes), {x, kernel, bias}), expected, 1e-6);
}

TEST(Conv2D, GradientsAreNumericallyRight) {
  const std::vector<Case> some = {
      {2, 6, 5, 3, 5, 3, 3, {}},
      {1, 5, 6, 3, 17, 3, 2, {.padding = same}},
      {2, 7, 8, 2, 3, 3, 3, {.strides = {2, 3}, .padding = same}},
      {1, 8, 7, 2, 3, 2, 3, {.dilation_rate = {2, 2}}},
      {2, 5, 5, 4, 6, 3, 3, {.padding = same, .groups = 2}},
      {2, 5, 5, 3, 6, 3, 3, {.strides = {2, 2}, .groups = 3}},
  };
  for (const Case& test : some) {
    SCOPED_TRACE(test.text());
    const Tensor x = random_tensor(test.x(), float64, 1);
    const Tensor kernel = random_tensor(test.kernel(), float64, 2);
    const Tensor dy = random_tensor(conv2d(x, kernel, test.attributes).shape(), float64, 3);
    check_gradients(std::make_shared<const Conv2DOp>(test.attributes), {x, kernel});
    check_gradients(std::make_shared<const Conv2DInputGradientOp>(test.height, test.width, test.attributes),
                    {kernel, dy});
    check_gradients(
        std::make_shared<const Conv2DKernelGradientOp>(test.kernel_height, test.kernel_width, test.attributes),
        {x, dy});
  }
}

TEST(Conv2D, SamePaddingIsTensorFlows) {
  // An odd cell of padding is at the end: with stride 2 over 4 cells, windows begin at cells 0 and 2.
  const Tensor x = Tensor::from_data<float>({1, 1, 4, 1}, {1, 2, 3, 4});
  const Tensor kernel = Tensor::from_data<float>({1, 3, 1, 1}, {1, 10, 100});
  const Tensor y = conv2d(x, kernel, {.strides = {1, 2}, .padding = same});
  EXPECT_EQ(y.to_vector(), (std::vector<double>{321, 43}));
}

TEST(Conv2D, NothingToComputeIsFine) {
  const Tensor empty = Tensor::zeros({0, 5, 5, 3});
  const Tensor kernel = Tensor::zeros({3, 3, 3, 4});
  EXPECT_EQ(conv2d(empty, kernel).shape(), (Shape{0, 3, 3, 4}));
  const Tensor gradient = conv2d_kernel_gradient(empty, Tensor::zeros({0, 3, 3, 4}), 3, 3);
  EXPECT_EQ(gradient.to_vector(), std::vector<double>(108, 0.0));
  const Tensor small = Tensor::zeros({2, 2, 5, 3});
  EXPECT_EQ(conv2d(small, kernel).shape(), (Shape{2, 0, 3, 4}));
  EXPECT_EQ(conv2d_input_gradient(kernel, Tensor::zeros({2, 0, 3, 4}), 2, 5).to_vector(), std::vector<double>(60, 0.0));
}

TEST(Conv2D, SaysWhatIsWrong) {
  const auto message = [](auto&& call) {
    try {
      call();
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("nothing thrown");
  };
  const Tensor x = Tensor::zeros({2, 2, 2, 3});
  EXPECT_EQ(message([&] {
              conv2d(x, Tensor::zeros({5, 5, 3, 4}));
            }),
            "Computed output size would be negative. Received `inputs shape=(2, 2, 2, 3)`, "
            "`kernel shape=(5, 5, 3, 4)`, `dilation_rate=[1 1]`.");
  EXPECT_THROW(conv2d(x, Tensor::zeros({5, 5, 3, 4})), ValueError);
  EXPECT_EQ(message([&] {
              conv2d(x, Tensor::zeros({1, 1, 2, 4}));
            }),
            "input depth must be evenly divisible by filter depth: 3 vs 2");
  EXPECT_THROW(conv2d(x, Tensor::zeros({1, 1, 3, 4}, float64)), InvalidArgumentError);
  EXPECT_THROW(conv2d(x, Tensor::zeros({1, 1, 1, 4}), {.groups = 3}), ValueError);
  EXPECT_THROW(conv2d(x, Tensor::zeros({1, 3, 4})), InvalidArgumentError);
  EXPECT_THROW(conv2d(x, Tensor::zeros({1, 1, 3, 4}), {.strides = {0, 1}}), ValueError);
  EXPECT_THROW(conv2d_input_gradient(Tensor::zeros({3, 3, 3, 4}), Tensor::zeros({1, 5, 5, 4}), 9, 9),
               InvalidArgumentError);
}

}  // namespace
}  // namespace rhyton::conv_tests
