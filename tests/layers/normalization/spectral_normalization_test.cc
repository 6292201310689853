#include <gtest/gtest.h>

#include <rhyton/framework/autodiff/gradient_tape.h>
#include <rhyton/framework/context.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/layers/core/dense.h>
#include <rhyton/layers/core/embedding.h>
#include <rhyton/layers/core/input.h>
#include <rhyton/layers/normalization/spectral_normalization.h>
#include <rhyton/layers/serialization.h>
#include <rhyton/models/sequential.h>
#include <rhyton/tests/layers/golden_cases.h>
#include <rhyton/tests/support/random_tensor.h>

namespace rhyton::layers {
namespace {

using models::Sequential;

Variable weight_named(const Layer& layer, const std::string& name) {
  for (const Variable& weight : layer.weights()) {
    if (weight.name() == name) return weight;
  }
  throw NotFoundError(name);
}

TEST(SpectralNormalization, NormalizesDuringTrainingOnly) {
  const SpectralNormalization layer(Dense(2, {.use_bias = false}), {.power_iterations = 20});
  layer.build({-1, 2});
  const Variable kernel = weight_named(layer, "kernel");
  const std::vector<double> before = {0, 3, -1, 0};
  kernel.assign(Tensor::from_data<float>({2, 2}, {0, 3, -1, 0}));
  layer(Tensor::zeros({1, 2}));
  EXPECT_EQ(kernel.value().to_vector(), before);
  layer(Tensor::zeros({1, 2}), {.training = true});
  // Its largest singular value was 3.
  test::expect_close(kernel, Tensor::from_data<float>({2, 2}, {0, 1, -1.0F / 3, 0}), 1e-6, "kernel");
  EXPECT_NEAR(sum(square(weight_named(layer, "vector_u"))).item(), 1.0, 1e-6);
}

TEST(SpectralNormalization, KeepsAKernelOfZeros) {
  const SpectralNormalization layer(Dense(2, {.kernel_initializer = "zeros"}));
  layer.build({-1, 3});
  const std::vector<double> u = weight_named(layer, "vector_u").value().to_vector();
  EXPECT_EQ(layer(Tensor::full({1, 3}, 1.0, DType::float32), {.training = true}).to_vector(),
            (std::vector<double>{0, 0}));
  EXPECT_EQ(weight_named(layer, "vector_u").value().to_vector(), u);
}

TEST(SpectralNormalization, HasTheGradientOfTheNormalizedKernel) {
  const SpectralNormalization layer(Dense(2, {.use_bias = false}));
  layer.build({-1, 3});
  const Tensor x = test::random_tensor({4, 3}, 1);
  GradientTape tape;
  const Tensor y = layer(x, {.training = true});
  const Tensor gradient = tape.gradient(y, weight_named(layer, "kernel"));
  const Tensor sums = sum(x, {0});
  for (int row = 0; row < 3; ++row) {
    for (int column = 0; column < 2; ++column) {
      EXPECT_FLOAT_EQ(static_cast<float>(gradient.to_vector()[static_cast<std::size_t>(2 * row + column)]),
                      static_cast<float>(sums.to_vector()[static_cast<std::size_t>(row)]));
    }
  }
}

// As in Keras: the result has the dtype of the input.
TEST(SpectralNormalization, OfAnEmbeddingGivesIntegersForIntegers) {
  const SpectralNormalization layer(Embedding(5, 3));
  EXPECT_EQ(layer(Tensor::from_data<std::int32_t>({2, 2}, {0, 1, 2, 4})).dtype(), DType::int32);
  EXPECT_EQ(layer(Tensor::from_data<float>({2, 2}, {0, 1, 2, 4})).shape(), (Shape{2, 2, 3}));
  EXPECT_EQ(layer(Tensor::zeros({0, 2})).shape(), (Shape{0, 2, 3}));
}

TEST(SpectralNormalization, TrainsCompiledAsEagerly) {
  const Tensor x = test::random_tensor({8, 4}, 1);
  const Tensor y = test::random_tensor({8, 2}, 2);
  std::vector<std::vector<Tensor>> weights;
  for (const bool run_eagerly : {false, true}) {
    set_random_seed(5);
    Sequential model({Input({.shape = {4}}), SpectralNormalization(Dense(3, {.activation = "tanh"})), Dense(2)});
    model.compile({.optimizer = "sgd", .loss = "mse", .run_eagerly = run_eagerly});
    model.fit(x, y, {.batch_size = 3, .epochs = 2, .verbose = 0, .shuffle = false});
    weights.push_back(model.get_weights());
  }
  ASSERT_EQ(weights[0].size(), weights[1].size());
  for (std::size_t i = 0; i < weights[0].size(); ++i) {
    test::expect_close(weights[0][i], weights[1][i], 1e-5, test::role("weight ", i));
  }
}

TEST(SpectralNormalization, ConfigComesBack) {
  const SpectralNormalization layer(Dense(2, {.name = "inner"}), {.power_iterations = 3, .name = "outer"});
  layer.build({-1, 4});
  const Layer read = deserialize(serialize(layer));
  EXPECT_EQ(read.get_config(), layer.get_config());
  EXPECT_EQ(read.get_config()["power_iterations"].as_int(), 3);
  EXPECT_EQ(weight_named(read, "kernel").shape(), (Shape{4, 2}));
  EXPECT_THROW(SpectralNormalization::from_config(io::Json::object()), ValueError);
  EXPECT_THROW(SpectralNormalization{Layer()}, ValueError);
}

TEST(SpectralNormalization, AddsThePenaltyOnItsOutputs) {
  const SpectralNormalization layer(Dense(2, {.kernel_initializer = "ones"}), {.activity_regularizer = "l2"});
  const Tensor x = Tensor::full({4, 3}, 1.0, DType::float32);
  layer(x);
  ASSERT_EQ(layer.losses().size(), 1U);
  EXPECT_NEAR(layer.losses()[0].item(), 0.18, 1e-6) << "0.01 times 4 x 2 squares of 3, by 4 samples";
  const io::Json config = layer.get_config();
  EXPECT_EQ(config["activity_regularizer"]["class_name"].as_string(), "L2");
  const Layer again = SpectralNormalization::from_config(config);
  again(x);
  ASSERT_EQ(again.losses().size(), 1U);
  EXPECT_NEAR(again.losses()[0].item(), 0.18, 1e-6);
}

}  // namespace
}  // namespace rhyton::layers
