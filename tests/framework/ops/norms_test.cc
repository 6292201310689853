#include <rhyton/framework/ops/norms.h>

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/elementwise.h>

namespace rhyton {
namespace {

TEST(Norm, EmptyBracesAreNoOrder) {
  const Tensor vector = Tensor::from_data<float>({2}, {3, 4});
  EXPECT_EQ(norm(vector, {}, {0}).item(), 5.0);
  EXPECT_EQ(norm(vector, std::nullopt, {0}).item(), 5.0);
  EXPECT_EQ(norm(vector).item(), 5.0);
  const Tensor matrix = Tensor::from_data<float>({1, 2}, {3, 4});
  EXPECT_EQ(norm(matrix, {}, {0, 1}).item(), 5.0);
  EXPECT_EQ(norm(matrix, {}, {}, true).shape(), Shape({1, 1}));
}

TEST(Norm, OrdersAreNumbersOfAnyTypeAndNames) {
  const Tensor vector = Tensor::from_data<float>({2}, {3, 4});
  EXPECT_EQ(norm(vector, 0).item(), 2.0);
  EXPECT_EQ(norm(vector, 1).item(), 7.0);
  EXPECT_EQ(norm(vector, 1.0F, {0}, true).shape(), Shape({1}));
  EXPECT_EQ(norm(vector, std::optional<double>(INFINITY)).item(), 4.0);
  const Tensor matrix = Tensor::from_data<float>({1, 2}, {3, 4});
  EXPECT_EQ(norm(matrix, "fro").item(), 5.0);
  EXPECT_EQ(norm(matrix, std::string("fro"), {1, 0}).item(), 5.0);
  EXPECT_THROW(norm(vector, "fro"), ValueError);
}

TEST(Norm, OfSingularValues) {
  const Tensor matrices = Tensor::from_data<double>({3, 1, 2}, {0, 0, 3, 0, 4, 0});
  for (const std::vector<int>& axes : {std::vector<int>{0, 2}, {2, 0}, {-1, 0}}) {
    EXPECT_NEAR(norm(matrices, 2, axes).item(), 5.0, 1e-14);
    EXPECT_NEAR(norm(matrices, -2, axes).item(), 0.0, 1e-14);
    EXPECT_NEAR(norm(matrices, "nuc", axes).item(), 5.0, 1e-14);
    EXPECT_EQ(norm(matrices, 2, axes).shape(), Shape({1}));
    EXPECT_EQ(norm(matrices, 2, axes, true).shape(), Shape({1, 1, 1}));
    EXPECT_EQ(norm(matrices, "nuc", axes, true).shape(), Shape({1, 1, 1}));
  }
  EXPECT_NEAR(norm(Tensor::from_data<std::int32_t>({2, 2}, {2, 0, 0, 1}), "nuc").item(), 3.0, 1e-6);
}

// As in Keras: 1 / epsilon is infinite in float16, so that it limits nothing.
TEST(Normalize, OfZerosInFloat16) {
  const Tensor zeros = Tensor::zeros({1, 2}, float16);
  for (const double value : normalize(zeros).to_vector()) EXPECT_TRUE(std::isnan(value));
  EXPECT_EQ(normalize(zeros, -1, 1).to_vector(), (std::vector<double>{0, 0}));
  EXPECT_EQ(normalize(zeros, -1, 2, 1e-4).to_vector(), (std::vector<double>{0, 0}));
  EXPECT_EQ(normalize(cast(zeros, bfloat16)).to_vector(), (std::vector<double>{0, 0}));
}

}  // namespace
}  // namespace rhyton
