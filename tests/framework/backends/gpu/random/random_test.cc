#include <rhyton/framework/ops/random.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <rhyton/framework/backends/gpu/random/philox.h>
#include <rhyton/framework/random/philox.h>
#include <rhyton/tests/framework/backends/gpu/on_gpu.h>
#include <rhyton/tests/support/tensor_distance.h>

namespace rhyton::gpu::random_tests {
namespace {

constexpr std::uint64_t key = 0x123456789ABCDEF0U;

using Distribution = RandomOp::Distribution;

Tensor counter(std::int64_t value) { return Tensor::scalar<std::int64_t>(value); }

std::vector<Shape> shapes() { return {{}, {1}, {3}, {31, 33}, {257}, {4, 1024}, {0}}; }

std::shared_ptr<const RandomOp> random_op(Distribution distribution, const Shape& shape, DType dtype, double first = 0,
                                          double second = 1) {
  return std::make_shared<const RandomOp>(distribution, shape, key, first, second, dtype);
}

TEST(GpuPhilox, GivesTheSameWordsAndNumbersAsTheHosts) {
  for (const std::uint64_t block : {std::uint64_t{0}, std::uint64_t{77}, std::uint64_t{1} << 40}) {
    for (const std::uint64_t stream : {std::uint64_t{0}, ~std::uint64_t{0}}) {
      const auto expected = random::philox4x32(key, random::philox_counter(block, stream));
      const PhiloxWords actual = philox4x32(key, block, stream);
      for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(actual.words[i], expected[i]);
      float floats[4];
      uniform_numbers(actual, floats);
      for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(floats[i], random::uniform_float(expected[i]));
      double doubles[2];
      uniform_numbers(actual, doubles);
      for (std::size_t i = 0; i < 2; ++i) {
        EXPECT_EQ(doubles[i], random::uniform_double(expected[2 * i], expected[2 * i + 1]));
      }
      normal_numbers(actual, doubles);
      EXPECT_EQ(doubles[0], random::normal_doubles(expected).first);
      EXPECT_EQ(doubles[1], random::normal_doubles(expected).second);
    }
  }
}

TEST(GpuRandomUniform, HasTheBitsOfTheCpu) {
  for (const DType dtype : {float32, float64}) {
    for (const Shape& shape : shapes()) {
      for (const std::int64_t step : {std::int64_t{0}, std::int64_t{5}, std::int64_t{1} << 40}) {
        const auto op = random_op(Distribution::uniform, shape, dtype);
        const std::vector<Tensor> inputs = {counter(step)};
        EXPECT_TRUE(test::same_bits(on_gpu(*op, inputs), apply_single(op, inputs)))
            << name_of(dtype) << " " << shape.to_string() << " step " << step;
        const auto like = std::make_shared<const RandomUniformLikeOp>(key);
        const std::vector<Tensor> like_inputs = {Tensor::zeros(shape, dtype), counter(step)};
        EXPECT_TRUE(test::same_bits(on_gpu(*like, like_inputs), apply_single(like, like_inputs)))
            << name_of(dtype) << " " << shape.to_string() << " step " << step;
      }
    }
  }
}

/// Whether the numbers equal those of the CPU in that other dtype up to rounding.
void expect_near_cpu(Distribution distribution, double first, double second, DType dtype, DType of_cpu, double error) {
  for (const Shape& shape : shapes()) {
    SCOPED_TRACE(std::string(name_of(dtype)) + " " + shape.to_string());
    const std::vector<Tensor> inputs = {counter(9)};
    const auto op = random_op(distribution, shape, dtype, first, second);
    const Tensor actual = on_gpu(*op, inputs);
    ASSERT_EQ(actual.dtype(), dtype);
    const std::vector<double> values = actual.to_vector();
    const std::vector<double> expected =
        apply_single(random_op(distribution, shape, of_cpu, first, second), inputs).to_vector();
    ASSERT_EQ(values.size(), expected.size());
    double largest = 0;
    for (const double value : expected) largest = std::max(largest, std::abs(value));
    for (std::size_t i = 0; i < values.size(); ++i) ASSERT_NEAR(values[i], expected[i], error * largest) << i;
    EXPECT_TRUE(test::same_bits(on_gpu(*op, inputs), actual));
  }
}

TEST(GpuRandom, AgreesWithTheCpuWithinRounding) {
  for (const Distribution distribution :
       {Distribution::uniform, Distribution::normal, Distribution::truncated_normal}) {
    expect_near_cpu(distribution, -3.0, 0.5, float32, float32, 1e-6);
    expect_near_cpu(distribution, -3.0, 0.5, float64, float64, 1e-14);
    expect_near_cpu(distribution, 1.0, 2.0, float16, float32, 1e-3);
    expect_near_cpu(distribution, 1.0, 2.0, bfloat16, float32, 8e-3);
  }
}

TEST(GpuRandomUniform, StaysBelowTheEndInNarrowTypes) {
  for (const DType dtype : {float16, bfloat16}) {
    const std::vector<double> values =
        on_gpu(RandomUniformLikeOp(key), {Tensor::zeros({1 << 13}, dtype), counter(1)}).to_vector();
    EXPECT_LT(*std::max_element(values.begin(), values.end()), 1.0);
    EXPECT_GT(*std::max_element(values.begin(), values.end()), 0.99);
    EXPECT_GE(*std::min_element(values.begin(), values.end()), 0.0);
    // Rounded down, so that as many numbers are below a half as in float32.
    const auto is_low = [](double value) { return value < 0.5; };
    const std::vector<double> wide =
        on_gpu(RandomUniformLikeOp(key), {Tensor::zeros({1 << 13}, float32), counter(1)}).to_vector();
    EXPECT_EQ(std::count_if(values.begin(), values.end(), is_low), std::count_if(wide.begin(), wide.end(), is_low));
  }
}

TEST(GpuRandom, DrawsOtherNumbersForAnotherCount) {
  const RandomOp op(Distribution::normal, {64}, key, 0, 1, float32);
  EXPECT_FALSE(test::same_bits(on_gpu(op, {counter(1)}), on_gpu(op, {counter(2)})));
}

}  // namespace
}  // namespace rhyton::gpu::random_tests
