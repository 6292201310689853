// timeseries_dataset_from_array and split_dataset, compared with Keras: tests/golden/make_data_utils.py draws the cases.

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rhyton/datasets/keras_names.h>
#include <rhyton/datasets/pipeline.h>
#include <rhyton/datasets/pipeline_stage.h>
#include <rhyton/datasets/python_shuffle.h>
#include <rhyton/framework/context.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/io/json/json.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/sequences.h>
#include <rhyton/tests/optimizers/golden.h>

namespace rhyton::datasets {
namespace {

using io::Json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::optional<std::int64_t> number_of(const Json& options, const std::string& name) {
  if (!options.contains(name) || options[name].is_null()) return std::nullopt;
  return options[name].as_int();
}

Tensor counted_up(std::int64_t count, std::int64_t step) { return arange(0, count, 1, DType::int64) * step; }

std::string described(const Tensor& tensor) {
  std::string text = tensor.shape().to_string();
  for (const double value : tensor.to_vector()) text += " " + std::to_string(static_cast<std::int64_t>(value));
  return text;
}

/// Shapes and values of all tensors of a pass.
std::vector<std::string> described(const Dataset& dataset) {
  std::vector<std::string> all;
  for (const Batch& element : dataset) {
    for (const Tensor& tensor : flat_tensors(element)) all.push_back(described(tensor));
  }
  return all;
}

std::vector<std::string> described(const Json& elements) {
  std::vector<std::string> all;
  for (const Json& element : elements) {
    for (const Json& part : element) {
      std::vector<std::int64_t> lengths;
      for (const Json& length : part["shape"]) lengths.push_back(length.as_int());
      std::string text = Shape(lengths).to_string();
      for (const Json& value : part["values"]) text += " " + std::to_string(value.as_int());
      all.push_back(text);
    }
  }
  return all;
}

/// The message of a ValueError; empty without one.
std::string refusal(const std::function<void()>& call) {
  try {
    call();
    return "";
  } catch (const ValueError& error) {
    return error.what();
  }
}

Pipeline timeseries_of(const Json& golden) {
  const Json& given = golden["options"];
  TimeseriesDatasetOptions options = {.sequence_stride = number_of(given, "sequence_stride").value_or(1),
                                      .sampling_rate = number_of(given, "sampling_rate").value_or(1),
                                      .shuffle = given.contains("shuffle"),
                                      .seed = number_of(given, "seed"),
                                      .start_index = number_of(given, "start_index"),
                                      .end_index = number_of(given, "end_index")};
  if (given.contains("batch_size")) options.batch_size = number_of(given, "batch_size");
  const std::int64_t length = golden["length"].as_int();
  Tensor data = counted_up(length * number_of(golden, "width").value_or(1), 1);
  if (!golden["width"].is_null()) data = data.reshape({length, golden["width"].as_int()});
  const Tensor targets = golden["targets"].is_null() ? Tensor() : counted_up(golden["targets"].as_int(), 10);
  return timeseries_dataset_from_array(data, targets, given["sequence_length"].as_int(), options);
}

TEST(TimeseriesDataset, EqualsKeras) {
  const test::GoldenArea area("data_utils");
  for (const Json& golden : area.cases()) {
    if (!golden["name"].as_string().starts_with("timeseries/")) continue;
    SCOPED_TRACE(golden.dump());
    if (golden.contains("error")) {
      EXPECT_EQ(refusal([&] { timeseries_of(golden); }), golden["error"].as_string());
      continue;
    }
    if (golden.contains("failure")) {
      EXPECT_THROW(described(timeseries_of(golden)), InvalidArgumentError);
      continue;
    }
    if (!golden["options"].contains("shuffle")) {
      EXPECT_EQ(described(timeseries_of(golden)), described(golden["elements"]));
    } else {
      // The orders within the buffer are Rhyton's own.
      EXPECT_EQ(described(timeseries_of(golden)).size(), described(golden["elements"]).size());
    }
  }
}

TEST(TimeseriesDataset, ShufflesAllSequencesAnewInEachPass) {
  const Pipeline data = utils::timeseries_dataset_from_array(counted_up(30, 1), counted_up(30, 2), 3,
                                                             {.batch_size = 7, .shuffle = true, .seed = 5});
  EXPECT_EQ(data.cardinality(), 4);
  EXPECT_EQ(data.element_spec().x.front(), (TensorSpec{{-1, 3}, DType::int64}));
  std::vector<std::vector<double>> orders;
  for (int pass = 0; pass < 2; ++pass) {
    std::vector<double> begins;
    for (const Batch& batch : data) {
      for (std::int64_t row = 0; row < batch.x[0].shape()[0]; ++row) {
        begins.push_back(batch.x[0][row][0].item());
        EXPECT_EQ(batch.y[0][row].item(), 2 * begins.back());
      }
    }
    orders.push_back(begins);
  }
  EXPECT_NE(orders[0], orders[1]);
  std::sort(orders[0].begin(), orders[0].end());
  EXPECT_EQ(orders[0], counted_up(28, 1).to_vector());
}

SplitDatasetOptions split_options(const Json& given) {
  const auto size = [&](const std::string& name) -> std::optional<Scalar> {
    if (!given.contains(name)) return std::nullopt;
    return given[name].type() == Json::Type::floating ? Scalar(given[name].as_double()) : Scalar(given[name].as_int());
  };
  return {.left_size = size("left_size"),
          .right_size = size("right_size"),
          .shuffle = given.contains("shuffle"),
          .seed = number_of(given, "seed")};
}

TEST(SplitDataset, EqualsKeras) {
  const test::GoldenArea area("data_utils");
  for (const Json& golden : area.cases()) {
    if (!golden["name"].as_string().starts_with("split/")) continue;
    SCOPED_TRACE(golden.dump());
    const std::int64_t length = golden["length"].as_int();
    Pipeline data = from_tensor_slices(counted_up(length, 1), counted_up(length, 2));
    if (!golden["batch"].is_null()) data = data.batch(golden["batch"].as_int());
    const SplitDatasetOptions options = split_options(golden["options"]);
    if (golden.contains("error")) {
      EXPECT_EQ(refusal([&] { split_dataset(data, options); }), golden["error"].as_string());
      continue;
    }
    const DatasetSplits splits = split_dataset(data, options);
    EXPECT_EQ(described(splits.left), described(golden["left"]));
    EXPECT_EQ(described(splits.right), described(golden["right"]));
  }
}

TEST(SplitDataset, RefusesDataWithoutEndAndElementsOfDifferentShapes) {
  const Pipeline data = from_tensor_slices(counted_up(5, 1));
  EXPECT_THROW(split_dataset(data.repeat(), {.left_size = 0.5}), ValueError);
  EXPECT_THROW(split_dataset(data.take(0), {.left_size = 0.5}), ValueError);
  EXPECT_THROW(split_dataset(data, {.left_size = true}), TypeError);
  const Pipeline growing =
      data.map([](const Tensor& x) { return Tensor::zeros({1 + x.data<std::int64_t>()[0]}, DType::int64); });
  EXPECT_THAT(refusal([&] { split_dataset(growing, {.left_size = 0.5}); }),
              HasSubstr("All `dataset` samples must have same shape"));
}

TEST(PythonShuffle, IsThatOfTheRandomModule) {
  // random.seed(42); items = list(range(10)); random.shuffle(items)
  EXPECT_THAT(python_shuffle(10, 42), ElementsAre(7, 3, 2, 8, 5, 6, 9, 4, 0, 1));
  EXPECT_EQ(python_shuffle(10, -42), python_shuffle(10, 42));
  EXPECT_TRUE(python_shuffle(0, 1).empty());
}

}  // namespace
}  // namespace rhyton::datasets
