// FeatureSpaces compared with Keras: what they learn, encode, and keep in files. See tests/golden/make_feature_space.py.

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/datasets/pipeline.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/tensor/string_tensor.h>
#include <rhyton/models/feature_space/feature_space.h>
#include <rhyton/models/model.h>
#include <rhyton/tests/framework/io/temporary_folder.h>
#include <rhyton/tests/models/golden_models.h>

namespace rhyton::utils {
namespace {

using io::Json;

std::vector<std::string> names() {
  std::vector<std::string> names;
  for (const Json& golden : models::golden_cases("feature_space")) names.push_back(golden["name"].as_string());
  return names;
}

Feature feature_of(const std::string& type, const Json& arguments) {
  const std::string output_mode = arguments.get_or("output_mode", "one_hot");
  if (type == "float") return FeatureSpace::float_();
  if (type == "float_normalized") return FeatureSpace::float_normalized();
  if (type == "float_rescaled") {
    return FeatureSpace::float_rescaled(
        {.scale = arguments.get_or("scale", 1.0), .offset = arguments.get_or("offset", 0.0)});
  }
  const std::int64_t num_bins = arguments.get_or("num_bins", std::int64_t{0});
  if (type == "float_discretized") return FeatureSpace::float_discretized(num_bins, {.output_mode = output_mode});
  if (type == "integer_hashed") return FeatureSpace::integer_hashed(num_bins, {.output_mode = output_mode});
  if (type == "string_hashed") return FeatureSpace::string_hashed(num_bins, {.output_mode = output_mode});
  CategoricalOptions options = {.num_oov_indices = arguments.get_or("num_oov_indices", std::int64_t{1}),
                                .output_mode = output_mode};
  if (const Json* const tokens = arguments.find("max_tokens")) options.max_tokens = tokens->as_int();
  return type == "integer_categorical" ? FeatureSpace::integer_categorical(options)
                                       : FeatureSpace::string_categorical(options);
}

FeatureSpace made_of(const Json& golden) {
  FeatureSpace::Features features;
  for (const Json& feature : golden["features"]) {
    const std::string type = feature["type"].as_string();
    const Json& arguments = feature["arguments"];
    features.emplace_back(feature["name"].as_string(),
                          arguments.is_null() ? FeatureArgument(type) : FeatureArgument(feature_of(type, arguments)));
  }
  FeatureSpaceOptions options = {.output_mode = golden["output_mode"].as_string(),
                                 .crossing_dim = golden["sizes"]["crossing_dim"].as_int(),
                                 .hashing_dim = golden["sizes"]["hashing_dim"].as_int(),
                                 .num_discretization_bins = golden["sizes"]["num_discretization_bins"].as_int()};
  for (const Json& cross : golden["crosses"]) {
    std::vector<std::string> names;
    for (const Json& name : cross["names"]) names.push_back(name.as_string());
    if (const Json* const size = cross.find("crossing_dim")) {
      options.crosses.emplace_back(FeatureSpace::cross(names, size->as_int(), cross["output_mode"].as_string()));
    } else {
      options.crosses.emplace_back(names);
    }
  }
  return FeatureSpace(features, options);
}

std::map<std::string, Tensor> data_of(const Json& golden) {
  std::map<std::string, Tensor> data;
  for (const auto& [name, column] : golden["data"].items()) {
    const std::string dtype = column["dtype"].as_string();
    if (dtype == "string") {
      std::vector<std::string> words;
      for (const Json& word : column["values"]) words.push_back(word.as_string());
      data.emplace(name, StringTensor(words));
      continue;
    }
    std::vector<double> numbers;
    for (const Json& number : column["values"]) numbers.push_back(number.as_double());
    const Shape shape = {static_cast<std::int64_t>(numbers.size())};
    data.emplace(name, cast(Tensor::from_data<double>(shape, numbers), dtype_from_name(dtype)));
  }
  return data;
}

/// The values of row 5, for which the golden file has the results.
std::map<std::string, Tensor> row_of(const std::map<std::string, Tensor>& data) {
  constexpr std::int64_t row = 5;
  std::map<std::string, Tensor> values;
  for (const auto& [name, column] : data) {
    if (const StringTensor* const words = StringTensor::find(column)) {
      values.emplace(name, words->slice(row, row + 1).reshape({}));
    } else {
      values.emplace(name, column[row]);
    }
  }
  return values;
}

void expect_equal(const EncodedFeatures<Tensor>& actual, const Json& expected) {
  ASSERT_EQ(actual.is_dict(), !expected.contains(""));
  for (const auto& [name, described] : expected.items()) {
    const Tensor& tensor = name.empty() ? static_cast<const Tensor&>(actual) : actual[name];
    Shape shape;
    for (const Json& length : described["shape"]) shape.push_back(length.as_int());
    ASSERT_EQ(tensor.shape(), shape) << name;
    EXPECT_EQ(std::string(name_of(tensor.dtype())), described["dtype"].as_string()) << name;
    const std::vector<double> values = tensor.to_vector();
    for (std::size_t i = 0; i < values.size(); ++i) {
      EXPECT_NEAR(values[i], described["values"][i].as_double(), 2e-6) << name << " " << i;
    }
  }
  EXPECT_EQ(actual.by_name().size(), actual.is_dict() ? expected.size() : 0U);
}

std::string file_of(const std::string& name) { return RHYTON_GOLDEN_DIR "/feature_space/" + name + ".keras"; }

class GoldenFeatureSpaces : public ::testing::TestWithParam<std::string> {};

TEST_P(GoldenFeatureSpaces, LearnAndEncodeAsKeras) {
  const Json golden = models::golden_case("feature_space", GetParam());
  const FeatureSpace space = made_of(golden);
  const std::map<std::string, Tensor> data = data_of(golden);
  const datasets::Pipeline rows = datasets::from_tensor_slices(data);
  space.adapt(golden["is_batched"].as_bool() ? rows.batch(9) : rows);
  expect_equal(space(data), golden["encoded"]);
  expect_equal(space(row_of(data)), golden["row"]);
}

TEST_P(GoldenFeatureSpaces, OfKerasFilesEncodeAsInKeras) {
  const Json golden = models::golden_case("feature_space", GetParam());
  const FeatureSpace space = FeatureSpace::from_layer(models::load_model(file_of(GetParam())));
  expect_equal(space(data_of(golden)), golden["encoded"]);
}

TEST_P(GoldenFeatureSpaces, ComeBackFromTheirOwnFiles) {
  const Json golden = models::golden_case("feature_space", GetParam());
  const FeatureSpace space = FeatureSpace::from_layer(models::load_model(file_of(GetParam())));
  const test::TemporaryFolder folder;
  const std::string path = (folder.path() / "space.keras").string();
  space.save(path);
  expect_equal(FeatureSpace::from_layer(models::load_model(path))(data_of(golden)), golden["encoded"]);
}

TEST_P(GoldenFeatureSpaces, InAModelEncodeAsOutsideOfIt) {
  const Json golden = models::golden_case("feature_space", GetParam());
  const FeatureSpace space = FeatureSpace::from_layer(models::load_model(file_of(GetParam())));
  const std::map<std::string, Tensor> data = data_of(golden);
  const EncodedFeatures<layers::SymbolicTensor> encoded = space.get_encoded_features();
  std::vector<layers::SymbolicTensor> outputs;
  for (const auto& [name, output] : encoded.by_name()) outputs.push_back(output);
  if (!encoded.is_dict()) outputs.push_back(encoded);
  const models::Model model({.inputs = space.get_inputs(), .outputs = outputs});
  const std::vector<Tensor> eager = model.call_many(data);
  const std::vector<Tensor> predicted = model.predict_many(data, {.batch_size = 16, .verbose = 0});
  ASSERT_EQ(predicted.size(), golden["encoded"].size());
  std::size_t i = 0;
  for (const auto& [name, described] : golden["encoded"].items()) {
    const std::size_t number =
        encoded.is_dict() ? std::distance(encoded.by_name().begin(), encoded.by_name().find(name)) : i;
    const std::vector<double> values = predicted.at(number).to_vector();
    ASSERT_EQ(values.size(), described["values"].size()) << name;
    for (std::size_t k = 0; k < values.size(); ++k) EXPECT_NEAR(values[k], described["values"][k].as_double(), 2e-6);
    EXPECT_EQ(eager.at(number).to_vector(), values);
    ++i;
  }
}

INSTANTIATE_TEST_SUITE_P(All, GoldenFeatureSpaces, ::testing::ValuesIn(names()),
                         [](const auto& info) { return "number_" + info.param; });

}  // namespace
}  // namespace rhyton::utils
