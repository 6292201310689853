// Input with a batch shape, also that of a single number.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rhyton/framework/context.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/layers/activations/activation.h>
#include <rhyton/layers/core/dense.h>
#include <rhyton/layers/core/input.h>
#include <rhyton/layers/operations/operations.h>
#include <rhyton/layers/serialization.h>
#include <rhyton/models/model.h>
#include <rhyton/models/sequential.h>
#include <rhyton/tests/support/message_of.h>

namespace rhyton::layers {
namespace {

TEST(Input, TakesTheShapeOfTheBatch) {
  EXPECT_EQ(SymbolicTensor(Input({.batch_shape = Shape{-1, 3}})).shape(), (Shape{-1, 3}));
  EXPECT_EQ(SymbolicTensor(Input({.batch_shape = Shape{8, -1}})).shape(), (Shape{8, -1}));
  EXPECT_EQ(SymbolicTensor(Input({.batch_shape = Shape{}})).shape(), Shape{});
  const auto message = [](const InputOptions& options) {
    return test::message_of<ValueError>([&] { Input{options}; });
  };
  EXPECT_EQ(message({.shape = {3}, .batch_shape = Shape{-1, 3}}),
            "You cannot pass both `shape` and `batch_shape` at the same time.");
  EXPECT_EQ(message({.batch_size = 2, .batch_shape = Shape{-1, 3}}),
            "You cannot pass both `batch_size` and `batch_shape` at the same time.");
  EXPECT_EQ(message({}), "You must pass a `shape` argument.");
  EXPECT_EQ(SymbolicTensor(Input({.shape = Shape{}})).shape(), Shape{-1});
}

TEST(Input, IsUsedAsOtherSymbolicTensors) {
  const Input x({.shape = {4, 3}});
  EXPECT_EQ(x.shape(), (Shape{-1, 4, 3}));
  EXPECT_EQ(x.dtype(), DType::float32);
  EXPECT_EQ(x.rank(), 3);
  const Tensor given = Tensor::from_data<float>({1, 4, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
  const auto result = [&](const SymbolicTensor& y) { return models::Model(x, y)(given).to_vector(); };
  EXPECT_EQ(result(x[{Slice(), 1}]), (std::vector<double>{4, 5, 6}));
  EXPECT_EQ(result(x[0]), (std::vector<double>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}));
  EXPECT_EQ(result(x[Slice(0, 1)]).size(), 12U);
  EXPECT_EQ(result(x[ellipsis]).size(), 12U);
}

TEST(Input, OfOneNumberBelongsToModelsAndTheirFiles) {
  const SymbolicTensor x = Input({.batch_shape = Shape{}});
  const models::Model model({.inputs = x, .outputs = x * 2.0});
  EXPECT_EQ(model(Tensor::scalar(3.0f)).to_vector(), std::vector<double>{6});
  const io::Json config = model.get_config();
  EXPECT_EQ(config["layers"][0]["config"]["batch_shape"].dump(), "[]");
  const models::Model again = models::model_from_json(model.to_json());
  EXPECT_EQ(again.inputs().front().shape(), Shape{});
  EXPECT_EQ(again(Tensor::scalar(3.0f)).to_vector(), std::vector<double>{6});
  EXPECT_THROW(again.predict(Tensor::full({2}, 3.0)), Error);
}

TEST(Input, OfOneNumberBeginsASequentialModel) {
  const models::Sequential model({Input({.batch_shape = Shape{}}), Activation("relu")});
  EXPECT_EQ(model(Tensor::scalar(-3.0f)).to_vector(), std::vector<double>{0});
  EXPECT_THAT(test::message_of<ValueError>([] {
                models::Sequential({Input({.batch_shape = Shape{}}), Dense(2, {.name = "d"})});
              }),
              ::testing::HasSubstr("is incompatible with the layer: expected min_ndim=2, found ndim=0."));
}

TEST(Input, NeedsItsShapeInAConfiguration) {
  EXPECT_THROW(deserialize(io::Json::parse(R"({"class_name": "InputLayer", "config": {"dtype": "float32"}})")),
               ValueError);
  EXPECT_THROW(deserialize(io::Json::parse(R"({"class_name": "InputLayer", "config": {"batch_shape": null}})")),
               ValueError);
}

}  // namespace
}  // namespace rhyton::layers
