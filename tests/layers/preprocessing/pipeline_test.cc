#include <rhyton/layers/preprocessing/pipeline.h>

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/framework/error.h>
#include <rhyton/layers/core/dense.h>
#include <rhyton/layers/core/input.h>
#include <rhyton/layers/core/masking.h>
#include <rhyton/layers/preprocessing/auto_contrast.h>
#include <rhyton/layers/preprocessing/random_brightness.h>
#include <rhyton/layers/preprocessing/rescaling.h>
#include <rhyton/layers/regularization/dropout.h>
#include <rhyton/layers/serialization.h>
#include <rhyton/tests/support/message_of.h>
#include <rhyton/tests/support/random_tensor.h>

namespace rhyton::layers {
namespace {

TEST(Pipeline, CallsItsLayersOneAfterTheOther) {
  const Tensor x = test::random_tensor({2, 3}, 1);
  const Pipeline pipeline({Rescaling(2.0), Rescaling(3.0, {.offset = 1})});
  EXPECT_EQ(pipeline(x).to_vector(), Rescaling(3.0, {.offset = 1})(Rescaling(2.0)(x)).to_vector());
  EXPECT_EQ(pipeline.layers().size(), 2);
  EXPECT_EQ(Pipeline(std::vector<Layer>{})(x).to_vector(), x.to_vector());
}

TEST(Pipeline, IsActiveUnlessItsCallerSaysOtherwise) {
  const Tensor x = Tensor::full({4, 50}, 1.0);
  const Pipeline pipeline({Dropout(0.5, {.seed = 1})});
  EXPECT_NE(pipeline(x).to_vector(), x.to_vector());
  EXPECT_EQ(pipeline(x, {.training = false}).to_vector(), x.to_vector());
  const TrainingScope prediction(false);
  EXPECT_EQ(pipeline(x).to_vector(), x.to_vector());
}

TEST(Pipeline, BuildsItsLayersForTheShapesBetweenThem) {
  const Pipeline pipeline({Dense(4, {.name = "first"}), Dense(2, {.name = "second"})}, {.name = "chain"});
  EXPECT_EQ(pipeline(Input({.shape = {3}})).shape(), (Shape{-1, 2}));
  const std::vector<Variable> weights = pipeline.weights();
  ASSERT_EQ(weights.size(), 4);
  EXPECT_EQ(weights[2].path(), "chain/second/kernel");
  EXPECT_EQ(weights[2].shape(), (Shape{4, 2}));
}

TEST(Pipeline, PassesTheMaskOn) {
  const Tensor x = Tensor::zeros({2, 3, 4});
  const Tensor mask = Tensor::from_data<bool>({2, 3}, {true, false, true, true, true, false});
  const Pipeline pipeline({Dropout(0.5), Dropout(0.5)});
  const Tensor result = pipeline(x, {.mask = mask});
  ASSERT_TRUE(result.has_mask());
  EXPECT_EQ(result.mask().to_vector(), mask.to_vector());
  EXPECT_TRUE(Pipeline({Masking(), Dropout(0.5)})(x).has_mask());
}

TEST(Pipeline, HasTheConfigurationOfKeras) {
  const Pipeline pipeline({AutoContrast({.name = "a"}), RandomBrightness(0.1, {.name = "b"})}, {.name = "p"});
  const io::Json config = pipeline.get_config();
  EXPECT_EQ(config.size(), 2);
  EXPECT_EQ(config["name"].as_string(), "p");
  EXPECT_EQ(config["layers"][1]["class_name"].as_string(), "RandomBrightness");
  EXPECT_EQ(Pipeline::from_config(config).get_config(), config);
  EXPECT_EQ(test::message_of<ValueError>([] { Pipeline::from_config(io::Json::object()); }),
            "`Pipeline` config must contain a `layers` key mapping to a list of serialized layers. Received config "
            "with layers=None.");
  EXPECT_THROW(Pipeline(std::vector<Layer>{Layer()}), ValueError);
}

}  // namespace
}  // namespace rhyton::layers
