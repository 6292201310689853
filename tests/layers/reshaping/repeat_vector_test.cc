#include <gtest/gtest.h>

#include <rhyton/framework/error.h>
#include <rhyton/layers/core/input.h>
#include <rhyton/layers/reshaping/repeat_vector.h>
#include <rhyton/layers/serialization.h>

namespace rhyton::layers {
namespace {

using Values = std::vector<double>;

TEST(RepeatVector, RepeatsEachSample) {
  const Tensor x = Tensor::from_data<float>({2, 3}, {1, 2, 3, 4, 5, 6});
  const Tensor y = RepeatVector(2)(x);
  EXPECT_EQ(y.shape(), (Shape{2, 2, 3}));
  EXPECT_EQ(y.to_vector(), (Values{1, 2, 3, 1, 2, 3, 4, 5, 6, 4, 5, 6}));
  EXPECT_EQ(RepeatVector(5)(Input({.shape = {-1}})).shape(), (Shape{-1, 5, -1}));
}

TEST(RepeatVector, KeepsIntegersAndTakesEmptyInputs) {
  EXPECT_EQ(RepeatVector(2)(Tensor::from_data<std::int32_t>({1, 2}, {7, 8})).dtype(), DType::int32);
  EXPECT_EQ(RepeatVector(2)(Tensor::zeros({0, 3})).shape(), (Shape{0, 2, 3}));
  EXPECT_EQ(RepeatVector(2)(Tensor::zeros({3, 0})).shape(), (Shape{3, 2, 0}));
}

TEST(RepeatVector, ConfigComesBack) {
  const Layer layer = deserialize(serialize(RepeatVector(4, {.name = "repeat"})));
  EXPECT_EQ(layer.get_config().dump(), R"({"name": "repeat", "trainable": true, "dtype": "float32", "n": 4})");
  EXPECT_THROW(RepeatVector::from_config(io::Json::object()), ValueError);
  EXPECT_THROW(RepeatVector::from_config(io::Json::object({{"n", 1.5}})), TypeError);
}

}  // namespace
}  // namespace rhyton::layers
