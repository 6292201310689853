#include <gtest/gtest.h>

#include <rhyton/layers/core/input.h>
#include <rhyton/layers/reshaping/permute.h>
#include <rhyton/layers/serialization.h>

namespace rhyton::layers {
namespace {

using Values = std::vector<double>;

TEST(Permute, MovesTheAxesOfEachSample) {
  const Tensor x = Tensor::from_data<float>({1, 2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(Permute({2, 1})(x).to_vector(), (Values{1, 4, 2, 5, 3, 6}));
  EXPECT_EQ(Permute({3, 1, 2})(Tensor::zeros({2, 3, 4, 5})).shape(), (Shape{2, 5, 3, 4}));
  EXPECT_EQ(Permute({2, 1})(Input({.shape = {-1, 4}})).shape(), (Shape{-1, 4, -1}));
}

TEST(Permute, TakesSamplesThatAreNumbersIntegersAndEmptyInputs) {
  EXPECT_EQ(Permute(std::vector<int>())(Tensor::zeros({3})).shape(), Shape({3}));
  EXPECT_EQ(Permute({2, 1})(Tensor::from_data<std::int32_t>({1, 1, 2}, {7, 8})).dtype(), DType::int32);
  EXPECT_EQ(Permute({2, 1})(Tensor::zeros({0, 3, 2})).shape(), (Shape{0, 2, 3}));
}

TEST(Permute, ConfigComesBack) {
  const Layer layer = deserialize(serialize(Permute({2, 1}, {.name = "permute"})));
  EXPECT_EQ(layer.get_config().dump(), R"({"name": "permute", "trainable": true, "dtype": "float32", "dims": [2, 1]})");
}

}  // namespace
}  // namespace rhyton::layers
