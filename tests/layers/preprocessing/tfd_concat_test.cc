#include <rhyton/layers/preprocessing/tfd_concat.h>

#include <gtest/gtest.h>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/convert_to_tensor.h>
#include <rhyton/layers/serialization.h>

namespace rhyton::layers {
namespace {

TEST(TFDConcat, JoinsInputsOfAnyDtypeInTheComputeDtype) {
  const Tensor joined = TFDConcat(-1)({convert_to_tensor({{1}, {2}}), convert_to_tensor({{0.5F, 3.0F}, {1.0F, 4.0F}})});
  EXPECT_EQ(joined.dtype(), float32);
  EXPECT_EQ(joined.shape(), (Shape{2, 3}));
  EXPECT_EQ(joined.to_vector(), (std::vector<double>{1, 0.5, 3, 2, 1, 4}));
  EXPECT_EQ(TFDConcat(0)({convert_to_tensor({{1}}), convert_to_tensor({{2}, {3}})}).shape(), (Shape{3, 1}));
}

TEST(TFDConcat, TakesAList) {
  EXPECT_THROW(TFDConcat(-1)(convert_to_tensor({{1}, {2}})), ValueError);
  EXPECT_EQ(TFDConcat(-1)(std::vector<Tensor>{convert_to_tensor({{1}, {2}})}).shape(), (Shape{2, 1}));
}

TEST(TFDConcat, IsInFilesByTheNameThatKerasGivesIt) {
  const io::Json object = serialize(TFDConcat(-1, {.name = "tfd_concat"}));
  EXPECT_EQ(object["module"].as_string(), "keras.src.layers.preprocessing.feature_space");
  EXPECT_EQ(object["registered_name"].as_string(), "TFDConcat");
  EXPECT_EQ(object["config"]["axis"].as_int(), -1);
  EXPECT_EQ(deserialize(object).class_name(), "TFDConcat");
}

}  // namespace
}  // namespace rhyton::layers
