#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/datasets/dataset.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/layers/core/input.h>
#include <rhyton/layers/preprocessing/normalization.h>
#include <rhyton/layers/serialization.h>

namespace rhyton::layers {
namespace {

using Values = std::vector<double>;

Tensor four_rows() { return Tensor::from_data<float>({4, 3}, {0, 7, 4, 2, 9, 6, 0, 7, 4, 2, 9, 6}); }

void expect_near(const Tensor& actual, const Values& expected) {
  const Values values = actual.to_vector();
  ASSERT_EQ(values.size(), expected.size());
  for (std::size_t i = 0; i < values.size(); ++i) EXPECT_NEAR(values[i], expected[i], 1e-5) << i;
}

template <class Error = ValueError, class Function>
void expect_error(const std::string& message, Function function) {
  try {
    function();
    FAIL() << "no error; expected: " << message;
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(message), std::string::npos) << error.what();
  }
}

/// Two batches of the rows, of three and one, with targets that do not matter, and an empty one.
class RowBatches final : public datasets::DatasetImpl {
 public:
  datasets::BatchSpec element_spec() const override { return {.x = {{{-1, 3}, DType::float32}}}; }
  std::unique_ptr<datasets::BatchIterator> iterator(std::uint64_t) const override {
    return std::make_unique<Iterator>();
  }

 private:
  class Iterator final : public datasets::BatchIterator {
   public:
    std::optional<datasets::Batch> next() override {
      switch (position_++) {
        case 0:
          return datasets::Batch{.x = {slice_axis(four_rows(), 0, 0, 3)}, .y = {Tensor::zeros({3})}};
        case 1:
          return datasets::Batch{.x = {Tensor::zeros({0, 3})}, .y = {Tensor::zeros({0})}};
        case 2:
          return datasets::Batch{.x = {slice_axis(four_rows(), 0, 3, 4)}, .y = {Tensor::zeros({1})}};
        default:
          return std::nullopt;
      }
    }

   private:
    int position_ = 0;
  };
};

TEST(Normalization, AdaptsToValues) {
  const Normalization layer;
  layer.adapt(four_rows());
  expect_near(layer(Tensor::from_data<float>({1, 3}, {1, 2, 3})), {0, -6, -2});
  const std::vector<Tensor> weights = layer.get_weights();
  ASSERT_EQ(weights.size(), 3U);
  expect_near(weights[0], {1, 8, 5});
  expect_near(weights[1], {1, 1, 1});
  EXPECT_EQ(weights[2].dtype(), DType::int64);
  EXPECT_TRUE(layer.trainable_weights().empty());
}

TEST(Normalization, TellsItsMeanAndVariance) {
  const Normalization layer;
  EXPECT_THROW(layer.mean(), ValueError);
  layer.adapt(four_rows());
  EXPECT_EQ(layer.mean().shape(), Shape({1, 3}));
  expect_near(layer.mean(), {1, 8, 5});
  expect_near(layer.variance(), {1, 1, 1});
  const Normalization given({.mean = {1, 2, 3}, .variance = {4, 5, 6}});
  EXPECT_THROW(given.variance(), ValueError);
  given(four_rows());
  expect_near(given.variance(), {4, 5, 6});
}

TEST(Normalization, UndoesItself) {
  const Normalization layer({.invert = true});
  layer.adapt(four_rows());
  expect_near(layer(Tensor::from_data<float>({1, 3}, {1, 2, 3})), {2, 10, 8});
}

TEST(Normalization, AdaptsToBatches) {
  const Normalization layer;
  layer.adapt(datasets::Dataset(std::make_shared<RowBatches>()));
  expect_near(layer.get_weights()[0], {1, 8, 5});
  expect_near(layer.get_weights()[1], {1, 1, 1});
  const Normalization of_tensors;
  of_tensors.adapt(std::vector<Tensor>{four_rows(), four_rows() * 3.0F});
  expect_near(of_tensors.get_weights()[0], {2, 16, 10});
  expect_near(of_tensors.get_weights()[1], {6, 69, 30});
}

TEST(Normalization, AdaptsAnewEachTime) {
  const Normalization layer;
  layer.adapt(four_rows());
  layer.adapt(four_rows() * 2.0F);
  expect_near(layer.get_weights()[0], {2, 16, 10});
}

TEST(Normalization, AdaptsToLargeIntegers) {
  const Normalization layer({.axis = {}});
  layer.adapt(Tensor::from_data<std::int64_t>({2, 1}, {20'000'001, 20'000'003}));
  EXPECT_EQ(layer.get_weights()[0].shape(), Shape{});
  expect_near(layer.get_weights()[1], {1});
}

TEST(Normalization, HasOneMeanForAllValues) {
  const Normalization layer({.axis = {}});
  layer.adapt(Tensor::from_data<float>({2, 2}, {1, 2, 3, 6}));
  expect_near(layer.get_weights()[0], {3});
  expect_near(layer.get_weights()[1], {3.5});
}

TEST(Normalization, TakesKerasNoneForNoAxes) {
  const auto from = [](const std::string& config) {
    return Normalization::from_config(io::Json::parse(config, "test"));
  };
  EXPECT_EQ(from(R"({"axis": null})").get_config()["axis"], io::Json::array());
  const Layer given = from(R"({"axis": null, "mean": 2.0, "variance": 4.0})");
  EXPECT_EQ(given(Tensor::from_data<float>({1, 3}, {0, 2, 5})).to_vector(), (std::vector<double>{-1, 0, 1.5}));
  expect_error(
      "The rank of `mean` must be less than or equal to the number of axes (0). Received: mean shape (1,) for ",
      [&] { from(R"({"axis": null, "mean": [2.0], "variance": [4.0]})"); });
}

TEST(Normalization, KeepsSeveralAxes) {
  const Normalization layer({.axis = {0, -1}});
  layer.adapt(Tensor::from_data<float>({1, 3, 2}, {1, 2, 3, 4, 5, 9}));
  EXPECT_EQ(layer.get_weights()[0].shape(), (Shape{1, 2}));
  expect_near(layer.get_weights()[0], {3, 5});
}

TEST(Normalization, DoesNotDivideByZero) {
  const Normalization layer;
  layer.adapt(Tensor::full({3, 1}, 2.0, DType::float32));
  expect_near(layer(Tensor::full({1, 1}, 2.0, DType::float32)), {0});
  expect_near(layer(Tensor::full({1, 1}, 3.0, DType::float32)) * 1e-7F, {1});
}

TEST(Normalization, TakesIntegersAndSymbolicTensors) {
  const Normalization layer({.mean = 1.0, .variance = 4.0});
  const Tensor y = layer(Tensor::from_data<std::uint8_t>({1, 2}, {3, 255}));
  EXPECT_EQ(y.dtype(), DType::float32);
  expect_near(y, {1, 127});
  const SymbolicTensor symbolic = Normalization()(Input({.shape = {-1, 5}, .dtype = "int32"}));
  EXPECT_EQ(symbolic.shape(), (Shape{-1, -1, 5}));
  EXPECT_EQ(symbolic.dtype(), DType::float32);
}

TEST(Normalization, ComputesInThePolicysDtype) {
  const Normalization layer({.dtype = "mixed_float16"});
  layer.adapt(four_rows());
  EXPECT_EQ(layer.get_weights()[0].dtype(), DType::float32);
  const Tensor y = layer(Tensor::from_data<float>({1, 3}, {1, 2, 3}));
  EXPECT_EQ(y.dtype(), DType::float16);
  expect_near(y, {0, -6, -2});
}

TEST(Normalization, RefusesMomentsThatDoNotFit) {
  expect_error("both `mean` and `variance` must be set. Received: mean=1.0 and variance=None",
               [] { Normalization({.mean = 1.0}); });
  expect_error("must have the same shape. Received: mean shape (2,) and variance shape ()", [] {
    Normalization({.mean = {1.0, 2.0}, .variance = 1.0});
  });
  expect_error(
      "The rank of `mean` must be less than or equal to the number of axes (1). Received: mean shape (1, 2) for axis "
      "(-1,)",
      [] {
        const Tensor moment = Tensor::from_data<float>({1, 2}, {1, 2});
        Normalization({.mean = moment, .variance = moment});
      });
  const Normalization layer({.mean = {1.0, 2.0}, .variance = {1.0, 2.0}});
  expect_error("cannot be broadcast to axis 1 of inputs of shape", [&] { layer(four_rows()); });
  expect_error("was created with `mean` and `variance`", [&] { layer.adapt(four_rows()); });
}

TEST(Normalization, RefusesAxesThatInputsLack) {
  expect_error("All `axis` values must be in the range [-ndim, ndim). Received inputs with ndim=2, while axis=(2,)",
               [] { Normalization({.axis = 2})(four_rows()); });
  expect_error(
      "All `axis` values to be kept must have a known shape. Received axis=(1,), inputs.shape=(None, None, 3), "
      "with unknown axis at index 1",
      [] {
        Normalization({.axis = 1})(Input({.shape = {-1, 3}}));
      });
}

TEST(Normalization, RefusesDataThatDoesNotFit) {
  const Normalization layer;
  layer.adapt(four_rows());
  expect_error("but adapt() is being called with data with an incompatible shape, data.shape=(2, 4)", [&] {
    layer.adapt(Tensor::zeros({2, 4}));
  });
  expect_error("adapt() yielded a batch with incompatible shape.", [&] {
    layer.adapt(std::vector<Tensor>{four_rows(), Tensor::zeros({2, 4})});
  });
  expect_error("adapt() received an empty iterable (no batches).", [&] { layer.adapt(std::vector<Tensor>{}); });
  expect_error("received no samples", [&] { layer.adapt(Tensor::zeros({0, 3})); });
  expect_near(layer.get_weights()[0], {1, 8, 5});
}

TEST(Normalization, RefusesInputsThatMeanAndVarianceDoNotFit) {
  const Normalization layer({.name = "scale"});
  layer.adapt(four_rows());
  const std::string message =
      "The mean and variance of layer 'scale' (of type Normalization) are those of inputs of shape (4, 3). Received: "
      "an "
      "input of shape ";
  expect_error(message + "(5, 2), whose axis -1 should have length 3.", [&] { layer(Tensor::zeros({5, 2})); });
  expect_error(message + "(None, 2), whose axis -1 should have length 3.", [&] { layer(Input({.shape = {2}})); });
  EXPECT_EQ(layer(Tensor::zeros({5, 1})).shape(), (Shape{5, 3}));
  EXPECT_EQ(layer(Tensor::zeros({2, 5, 3})).shape(), (Shape{2, 5, 3}));
}

TEST(Normalization, AnAdaptedLayerKnowsLengthsThatItsInputLacks) {
  const Normalization layer;
  layer.adapt(four_rows());
  EXPECT_EQ(layer(Input({.shape = {-1}})).shape(), (Shape{-1, 3}));
}

TEST(Normalization, ConfigComesBack) {
  const auto config_of = [](const Layer& layer) { return deserialize(serialize(layer)).get_config().dump(); };
  EXPECT_EQ(config_of(Normalization({.name = "n"})),
            R"({"name": "n", "trainable": true, "dtype": "float32", "axis": [-1], "invert": false, "mean": null, )"
            R"("variance": null})");
  const Tensor moment = Tensor::from_data<double>({2, 1}, {0.5, 3});
  EXPECT_EQ(config_of(Normalization({.axis = {1, 2}, .mean = moment, .variance = moment, .name = "n"})),
            R"({"name": "n", "trainable": true, "dtype": "float32", "axis": [1, 2], "invert": false, )"
            R"("mean": [[0.5], [3.0]], "variance": [[0.5], [3.0]]})");
  EXPECT_THROW(Normalization::from_config(io::Json::parse(R"({"mean": [[1, 2], [3]], "variance": 1})", "test")),
               ValueError);
  EXPECT_THROW(Normalization::from_config(io::Json::parse(R"({"mean": "one", "variance": 1})", "test")), TypeError);
}

}  // namespace
}  // namespace rhyton::layers
