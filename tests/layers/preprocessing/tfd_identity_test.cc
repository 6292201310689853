#include <rhyton/layers/preprocessing/tfd_identity.h>

#include <gtest/gtest.h>

#include <rhyton/framework/ops/convert_to_tensor.h>
#include <rhyton/layers/serialization.h>

namespace rhyton::layers {
namespace {

TEST(TFDIdentity, ReturnsItsInputInTheComputeDtype) {
  const Tensor x = convert_to_tensor({1, 2});
  EXPECT_EQ(TFDIdentity()(x).dtype(), float32);
  EXPECT_EQ(TFDIdentity({.dtype = "float16"})(x).dtype(), float16);
  EXPECT_EQ(TFDIdentity()(x).to_vector(), x.to_vector());
}

TEST(TFDIdentity, IsInFilesByTheNameThatKerasGivesIt) {
  const io::Json object = serialize(TFDIdentity({.name = "age_preprocessor"}));
  EXPECT_EQ(object["module"].as_string(), "keras.src.layers.preprocessing.feature_space");
  EXPECT_EQ(object["registered_name"].as_string(), "TFDIdentity");
  EXPECT_EQ(deserialize(object).class_name(), "TFDIdentity");
  EXPECT_EQ(deserialize(object).name(), "age_preprocessor");
}

}  // namespace
}  // namespace rhyton::layers
