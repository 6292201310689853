#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rhyton/datasets/dataset.h>
#include <rhyton/framework/context.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/warning.h>
#include <rhyton/layers/core/dense.h>
#include <rhyton/layers/core/input.h>
#include <rhyton/layers/preprocessing/discretization.h>
#include <rhyton/layers/serialization.h>
#include <rhyton/models/model.h>
#include <rhyton/models/sequential.h>
#include <rhyton/tests/framework/io/temporary_folder.h>
#include <rhyton/tests/support/message_of.h>

namespace rhyton::layers {
namespace {

using test::message_of;
using ::testing::HasSubstr;
using Values = std::vector<double>;

Tensor rows() { return Tensor::from_data<float>({2, 4}, {-1.5, 1.0, 3.4F, 0.5, 0.0, 3.0, 1.3F, 0.0}); }

Tensor numbers(std::int64_t count) {
  std::vector<float> values;
  for (std::int64_t i = 0; i < count; ++i) values.push_back(static_cast<float>(i));
  return Tensor::from_data<float>({count}, values);
}

/// Endless batches of three numbers.
class EndlessBatches final : public datasets::DatasetImpl {
 public:
  datasets::BatchSpec element_spec() const override { return {.x = {{{-1}, DType::float32}}}; }
  std::unique_ptr<datasets::BatchIterator> iterator(std::uint64_t) const override {
    return std::make_unique<Iterator>();
  }

 private:
  class Iterator final : public datasets::BatchIterator {
   public:
    std::optional<datasets::Batch> next() override {
      const Tensor x = numbers(3) + static_cast<double>(3 * position_++);
      return datasets::Batch{.x = {x}, .y = {Tensor::zeros({3})}};
    }

   private:
    int position_ = 0;
  };
};

TEST(Discretization, RefusesArgumentsInKerasWords) {
  const auto message = [](const DiscretizationOptions& options) {
    return message_of<ValueError>([&] { Discretization{options}; });
  };
  EXPECT_EQ(message({}), "You need to set either `num_bins` or `bin_boundaries`.");
  EXPECT_EQ(message({.bin_boundaries = Values{1, 2}, .num_bins = 3}),
            "Both `num_bins` and `bin_boundaries` should not be set. Received: `num_bins=3` and "
            "`bin_boundaries=[1.0, 2.0]`");
  EXPECT_EQ(message({.num_bins = -1}), "`num_bins` must be greater than or equal to 0. Received: `num_bins=-1`");
  EXPECT_EQ(message({.num_bins = 2, .output_mode = "tf_idf"}),
            "Unknown value for `output_mode` argument of Discretization. Allowed values are: ('int', 'one_hot', "
            "'multi_hot', 'count'). Received: output_mode=tf_idf");
  EXPECT_EQ(message_of<InvalidArgumentError>([] {
              Discretization({.bin_boundaries = Values{2, 1}});
            }),
            "Expected sorted boundaries [Op:Bucketize]");
}

TEST(Discretization, RefusesToAdaptGivenBoundaries) {
  const Discretization layer({.bin_boundaries = Values{1}});
  const std::string expected =
      "Cannot adapt a Discretization layer that has been initialized with `bin_boundaries`, use `num_bins` instead.";
  EXPECT_EQ(message_of<ValueError>([&] { layer.adapt(rows()); }), expected);
  EXPECT_EQ(message_of<ValueError>([&] { layer.adapt(std::vector<Tensor>{rows()}); }), expected);
  EXPECT_EQ(message_of<ValueError>([&] { layer.update_state(rows()); }), expected);
  layer.reset_state();
  layer.finalize_state();
  EXPECT_EQ(layer.bin_boundaries(), Values{1});
}

TEST(Discretization, RefusesToDivideByZero) {
  EXPECT_EQ(message_of<ValueError>([] { Discretization({.num_bins = 0}).adapt(rows()); }), "float division by zero");
  EXPECT_EQ(message_of<ValueError>([] { Discretization({.num_bins = 2, .epsilon = 0.0}).adapt(rows()); }),
            "float division by zero");
  EXPECT_EQ(message_of<ValueError>([] {
              Discretization({.num_bins = 2, .epsilon = std::numeric_limits<double>::quiet_NaN()}).adapt(rows());
            }),
            "cannot convert float NaN to integer");
}

TEST(Discretization, IsNotCalledBeforeItHasBoundaries) {
  const Discretization layer({.num_bins = 3, .output_mode = "one_hot"});
  const std::string expected =
      "You need to either pass the `bin_boundaries` argument at construction time or call `adapt(dataset)` before you "
      "can start using the `Discretization` layer.";
  EXPECT_THAT(message_of<ValueError>([&] { layer(rows()); }), HasSubstr(expected));
  // A model may be made of it.
  const SymbolicTensor x = Input({.shape = {4}});
  EXPECT_EQ(layer(x).shape(), (Shape{-1, 4, 3}));
  const models::Model model({.inputs = x, .outputs = layer(x)});
  EXPECT_THAT(message_of<ValueError>([&] { model.predict(rows(), {.verbose = 0}); }), HasSubstr(expected));
  layer.adapt(rows());
  EXPECT_EQ(model.predict(rows(), {.verbose = 0}).shape(), (Shape{2, 4, 3}));
}

TEST(Discretization, InfersShapesAndDtypes) {
  const auto spec_of = [](const Shape& input, const char* mode) {
    const SymbolicTensor y = Discretization(
        {.bin_boundaries = Values{0, 1}, .output_mode = mode, .dtype = "mixed_float16"})(Input({.shape = input}));
    return TensorSpec{y.shape(), y.dtype()};
  };
  EXPECT_EQ(spec_of({-1, 4}, "int"), (TensorSpec{{-1, -1, 4}, DType::int32}));
  EXPECT_EQ(spec_of({4}, "one_hot"), (TensorSpec{{-1, 4, 3}, DType::float16}));
  EXPECT_EQ(spec_of({1}, "one_hot"), (TensorSpec{{-1, 3}, DType::float16}));
  EXPECT_EQ(spec_of({4}, "multi_hot"), (TensorSpec{{-1, 3}, DType::float16}));
  EXPECT_EQ(spec_of({4, 2}, "count"), (TensorSpec{{-1, 2, 3}, DType::float16}));
}

TEST(Discretization, ComputesInFloat32WhateverThePolicyIs) {
  const Discretization layer({.bin_boundaries = Values{0.1}, .dtype = "float64"});
  // 0.1 of float64 is less than 0.1 of float32.
  EXPECT_EQ(layer(Tensor::from_data<double>({1}, {0.1})).to_vector(), Values{1});
  config::set_floatx("float64");
  EXPECT_EQ(layer(Tensor::from_data<double>({1}, {0.1})).to_vector(), Values{0});
  config::set_floatx("float32");
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const Tensor odd =
      Tensor::from_data<double>({4}, {std::numeric_limits<double>::quiet_NaN(), infinity, -infinity, -0.0});
  EXPECT_EQ(Discretization({.bin_boundaries = Values{0, 1, 2}})(odd).to_vector(), (Values{3, 3, 0, 1}));
}

TEST(Discretization, AdaptsToTensors) {
  const Discretization layer({.num_bins = 4});
  EXPECT_EQ(layer.bin_boundaries(), std::nullopt);
  layer.adapt(rows());
  EXPECT_EQ(layer.bin_boundaries(), (Values{0, 0.5, 1.2999999523162842}));
  EXPECT_EQ(layer(rows()).to_vector(), (Values{0, 2, 3, 2, 1, 3, 3, 1}));
  EXPECT_TRUE(layer.weights().empty());
  // Anew.
  layer.adapt(Tensor::from_data<std::int64_t>({2, 2}, {1, 2, 3, 4}));
  EXPECT_EQ(layer.bin_boundaries(), (Values{1, 2, 3}));
}

TEST(Discretization, AdaptsToBatches) {
  const Discretization layer({.num_bins = 3});
  layer.adapt(std::vector<Tensor>{numbers(5), numbers(5) + 5.0, numbers(2) + 10.0});
  EXPECT_EQ(layer.bin_boundaries(), (Values{3, 7}));
  const datasets::Dataset endless(std::make_shared<EndlessBatches>());
  layer.adapt(endless, 4);
  EXPECT_EQ(layer.bin_boundaries(), (Values{3, 7}));
  layer.adapt(std::vector<Tensor>{});
  EXPECT_EQ(layer.bin_boundaries(), Values{});
}

TEST(Discretization, AdaptsInParts) {
  const Discretization layer({.num_bins = 3});
  layer.update_state(numbers(5));
  EXPECT_EQ(layer.bin_boundaries(), std::nullopt);
  layer.finalize_state();
  const Values boundaries = {0.6666666269302368, 2.3333332538604736};
  EXPECT_EQ(layer.bin_boundaries(), boundaries);
  layer.reset_state();
  EXPECT_EQ(layer.bin_boundaries(), boundaries);
  layer.finalize_state();
  EXPECT_EQ(layer.bin_boundaries(), Values{});
}

TEST(Discretization, KeepsInfinitiesAndNaN) {
  const auto boundaries = [](std::int64_t bins, const std::vector<float>& data) {
    const Discretization layer({.num_bins = bins});
    layer.adapt(Tensor::from_data<float>({static_cast<std::int64_t>(data.size())}, data));
    return layer.bin_boundaries();
  };
  constexpr float infinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(boundaries(2, {1, std::numeric_limits<float>::quiet_NaN(), 2, 3, 4}), Values{2.5});
  EXPECT_EQ(boundaries(3, {1, infinity, 2, 3, -infinity, 4}), (Values{-infinity, 3}));
}

TEST(Discretization, AModelUsesNewBoundariesOfTheSameNumber) {
  const Discretization layer({.num_bins = 3});
  layer.adapt(numbers(12));
  const models::Sequential model({Input({.shape = {4}}), layer});
  const Tensor x = Tensor::from_data<float>({1, 4}, {0, 4, 20, 100});
  EXPECT_EQ(model.predict(x, {.verbose = 0}).to_vector(), (Values{0, 1, 2, 2}));
  layer.adapt(numbers(120));
  EXPECT_EQ(model.predict(x, {.verbose = 0}).to_vector(), (Values{0, 0, 0, 2}));
}

TEST(Discretization, WarnsWhereAModelKeepsAnotherNumberOfBins) {
  std::vector<std::string> warnings;
  const config::WarningHandler previous =
      config::set_warning_handler([&](const std::string& message) { warnings.push_back(message); });
  const Discretization layer({.num_bins = 3, .output_mode = "count", .name = "bins"});
  layer.adapt(numbers(12));
  models::Sequential model({Input({.shape = {4}}), layer});
  const Tensor x = Tensor::from_data<float>({1, 4}, {0, 4, 20, 100});
  model.predict(x, {.verbose = 0});
  EXPECT_TRUE(warnings.empty());
  layer.adapt(numbers(2));
  config::set_warning_handler(previous);
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_EQ(
      warnings.front(),
      "The number of bins of layer 'bins' (of type Discretization) changes from 3 to 2. Models that have used it keep "
      "the earlier bins until they are compiled again.");
  model.compile({});
  EXPECT_EQ(model.predict(x, {.verbose = 0}).to_vector(), (Values{0, 4}));
}

TEST(Discretization, ConfigComesBack) {
  const auto config_of = [](const Layer& layer) { return deserialize(serialize(layer)).get_config().dump(); };
  EXPECT_EQ(config_of(Discretization({.bin_boundaries = Values{0.5, 2}, .output_mode = "count", .name = "d"})),
            R"({"bin_boundaries": [0.5, 2.0], "num_bins": null, "epsilon": 0.01, "output_mode": "count", )"
            R"("sparse": false, "name": "d", "dtype": "float32"})");
  const Discretization layer({.num_bins = 4, .dtype = "mixed_bfloat16", .name = "d"});
  EXPECT_EQ(config_of(layer), R"({"bin_boundaries": null, "num_bins": 4, "epsilon": 0.01, "output_mode": "int", )"
                              R"("sparse": false, "name": "d", "dtype": "mixed_bfloat16"})");
  layer.adapt(rows());
  const std::string adapted =
      R"({"bin_boundaries": [0.0, 0.5, 1.2999999523162842], "num_bins": 4, "epsilon": 0.01, "output_mode": "int", )"
      R"("sparse": false, "name": "d", "dtype": "mixed_bfloat16"})";
  EXPECT_EQ(config_of(layer), adapted);
  // It can be adapted again.
  const Discretization read = Discretization::from_config(io::Json::parse(adapted, "test"));
  EXPECT_EQ(read(rows()).to_vector(), layer(rows()).to_vector());
  read.adapt(numbers(12));
  EXPECT_EQ(read.bin_boundaries(), (Values{2, 5, 8}));
  const auto from = [](const char* config) { return Discretization::from_config(io::Json::parse(config, "test")); };
  EXPECT_THROW(from(R"({"num_bins": 4, "output_mode": "count", "sparse": true})"), ValueError);
  // Of tf.keras.
  EXPECT_EQ(from(R"({"bin_boundaries": [1, 2], "trainable": true})").bin_boundaries(), (Values{1, 2}));
}

TEST(Discretization, AnAdaptedLayerComesBackFromFiles) {
  const test::TemporaryFolder folder;
  const Discretization layer({.num_bins = 3, .output_mode = "count"});
  layer.adapt(rows());
  const models::Sequential model({Input({.shape = {4}}), layer, Dense(2)});
  const Values expected = model.predict(rows(), {.verbose = 0}).to_vector();
  for (const char* const name : {"model.keras", "model.h5"}) {
    const std::string path = (folder.path() / name).string();
    model.save(path);
    EXPECT_EQ(models::load_model(path).predict(rows(), {.verbose = 0}).to_vector(), expected) << name;
  }
}

}  // namespace
}  // namespace rhyton::layers
