#include <gtest/gtest.h>

#include <rhyton/framework/error.h>
#include <rhyton/layers/core/input.h>
#include <rhyton/layers/merging/dot.h>
#include <rhyton/layers/serialization.h>

namespace rhyton::layers {
namespace {

using Values = std::vector<double>;

TEST(Dot, MultipliesVectorsOfEachSample) {
  const Tensor a = Tensor::from_data<float>({2, 2}, {1, 2, 3, 4});
  const Tensor b = Tensor::from_data<float>({2, 2}, {5, 6, 7, 8});
  const Tensor y = Dot(1)({a, b});
  EXPECT_EQ(y.shape(), (Shape{2, 1}));
  EXPECT_EQ(y.to_vector(), (Values{17, 53}));
}

TEST(Dot, ShapesFollowTheAxes) {
  const auto shape_of = [](const Axes& axes, const Shape& a, const Shape& b) {
    return Dot(axes)({Tensor::zeros(a), Tensor::zeros(b)}).shape();
  };
  EXPECT_EQ(shape_of({1, 2}, {2, 3, 5}, {2, 10, 3}), (Shape{2, 5, 10}));
  EXPECT_EQ(shape_of({1, 1}, {2, 3, 4, 5}, {2, 3, 6}), (Shape{2, 4, 5, 6}));
  EXPECT_EQ(shape_of({3, 2}, {2, 3, 4, 5}, {2, 6, 5, 7, 8}), (Shape{2, 3, 4, 6, 7, 8}));
  EXPECT_EQ(shape_of(-3, {2, 3}, {2, 3}), (Shape{2, 1})) << "-3 modulo 2";
  EXPECT_EQ(Dot(2)({Input({.shape = {-1, 3}}), Input({.shape = {5, 3}})}).shape(), (Shape{-1, -1, 5}));
}

TEST(Dot, TakesEmptyInputsAndIntegers) {
  EXPECT_EQ(Dot(1)({Tensor::zeros({0, 3}), Tensor::zeros({0, 3})}).shape(), (Shape{0, 1}));
  EXPECT_EQ(Dot(2)({Tensor::zeros({2, 0, 3}), Tensor::zeros({2, 5, 3})}).shape(), (Shape{2, 0, 5}));
  EXPECT_EQ(Dot(2)({Tensor::zeros({2, 1, 0}), Tensor::zeros({2, 1, 0})}).to_vector(), (Values{0, 0}));
  const Tensor integers = Tensor::from_data<std::int32_t>({1, 2}, {3, 4});
  EXPECT_EQ(Dot(1)({integers, integers}).dtype(), DType::int32);
  EXPECT_EQ(Dot(1)({integers, Tensor::from_data<float>({1, 2}, {0.5, 1})}).to_vector(), (Values{5.5}));
}

TEST(Dot, AxesOutOfRangeAreErrors) {
  EXPECT_THROW(Dot(3)({Tensor::zeros({2, 3}), Tensor::zeros({2, 3})}), ValueError);
  EXPECT_THROW(Dot({2, 1})({Tensor::zeros({2, 3}), Tensor::zeros({2, 3})}), ValueError);
  EXPECT_THROW(Dot(1)({Tensor::zeros({2}), Tensor::zeros({2})}), ValueError);
}

TEST(Dot, ConfigComesBack) {
  const Layer pair = deserialize(serialize(Dot({1, 2}, {.normalize = true, .name = "dot"})));
  EXPECT_EQ(pair.get_config().dump(),
            R"({"name": "dot", "trainable": true, "dtype": "float32", "axes": [1, 2], "normalize": true})");
  EXPECT_EQ(deserialize(serialize(Dot(-1))).get_config()["axes"].dump(), "-1");
}

}  // namespace
}  // namespace rhyton::layers
