// Every layer compared with Keras: outputs, gradients, losses, updated weights.

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/framework/autodiff/gradient_tape.h>
#include <rhyton/framework/context.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/layers/serialization.h>
#include <rhyton/tests/layers/golden_cases.h>

namespace rhyton::layers {
namespace {

using test::expect_close;
using test::GoldenCases;
using test::role;

constexpr double tolerance = 5e-6;

/// The areas of tests/golden with cases of this form.
const std::vector<std::string> areas = {"layers",           "convolutional_layers", "pooling_layers",
                                        "reshaping_layers", "preprocessing_layers", "activation_layers",
                                        "resizing_layers",  "spectrogram_layers",   "augmentation_layers"};

const GoldenCases& cases_of(const std::string& area) {
  static std::map<std::string, GoldenCases> cases;
  return cases.try_emplace(area, area).first->second;
}

struct LayerCase {
  std::string area;
  std::string name;
};

std::vector<LayerCase> all_cases() {
  std::vector<LayerCase> result;
  for (const std::string& area : areas) {
    for (const std::string& name : cases_of(area).names()) result.push_back({area, name});
  }
  return result;
}

class GoldenLayers : public ::testing::TestWithParam<LayerCase> {};

TEST_P(GoldenLayers, EqualsKeras) {
  const GoldenCases& all = cases_of(GetParam().area);
  const io::Json& golden = all.find(GetParam().name);
  const Layer layer = deserialize(golden);

  std::vector<Tensor> inputs;
  std::vector<Shape> shapes;
  for (std::size_t i = 0; i < golden["inputs"].size(); ++i) {
    inputs.push_back(all.array(golden, role("input", i)));
    shapes.push_back(inputs.back().shape());
  }
  layer.impl()->check_inputs(shapes);
  layer.impl()->ensure_built(shapes);

  const std::vector<Variable> weights = layer.weights();
  ASSERT_EQ(weights.size(), golden["weights"].size());
  std::vector<Tensor> values;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const io::Json& described = golden["weights"][i];
    EXPECT_EQ(weights[i].name(), described["name"].as_string());
    const io::Json* const path = described.find("path");
    EXPECT_EQ(weights[i].path(),
              path == nullptr ? layer.name() + "/" + described["name"].as_string() : path->as_string());
    EXPECT_EQ(weights[i].trainable(), described["trainable"].as_bool());
    values.push_back(all.array(golden, role("weight", i)));
  }
  layer.set_weights(values);

  GradientTape tape({.persistent = true});
  for (const Tensor& input : inputs) {
    if (is_floating(input.dtype())) tape.watch(input);
  }
  const CallOptions options{.training = golden["training"].as_bool()};
  const bool as_list = golden["call"].as_string() == "list";
  const Tensor output = as_list ? layer(inputs, options) : layer(inputs[0], options);
  const std::vector<Tensor> losses = layer.losses();
  Tensor total;
  for (const Tensor& loss : losses) total = total.is_empty() ? loss : add(total, loss);
  tape.stop_recording();

  expect_close(output, all.array(golden, "output0"), tolerance, "output");
  const Tensor cotangent = all.array(golden, "cotangent0");
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (!is_floating(inputs[i].dtype()) || !all.has_array(golden, role("input_gradient", i))) continue;
    expect_close(tape.gradient(output, inputs[i], cotangent), all.array(golden, role("input_gradient", i)), tolerance,
                 role("input gradient ", i));
    if (!all.has_array(golden, role("loss_input_gradient", i))) continue;
    expect_close(tape.gradient(total, inputs[i]), all.array(golden, role("loss_input_gradient", i)), tolerance,
                 role("loss input gradient ", i));
  }

  ASSERT_EQ(losses.size(), static_cast<std::size_t>(golden["losses"].as_int()));
  for (std::size_t i = 0; i < losses.size(); ++i) {
    expect_close(losses[i], all.array(golden, role("loss", i)), tolerance, role("loss ", i));
  }

  std::set<std::int64_t> changed;
  for (const io::Json& i : golden["changed_weights"]) changed.insert(i.as_int());
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i].trainable()) {
      expect_close(tape.gradient(output, weights[i], cotangent), all.array(golden, role("weight_gradient", i)),
                   tolerance, role("weight gradient ", i));
      if (!losses.empty()) {
        const Tensor expected = all.array(golden, role("loss_weight_gradient", i));
        Tensor gradient = tape.gradient(total, weights[i]);
        if (gradient.is_empty()) gradient = zeros_like(expected);
        expect_close(gradient, expected, tolerance, role("loss weight gradient ", i));
      }
    }
    const bool has_changed = changed.contains(static_cast<std::int64_t>(i));
    const Tensor expected = all.array(golden, role(has_changed ? "weight_after" : "weight", i));
    expect_close(weights[i].value(), expected, has_changed ? tolerance : 0.0, role("weight after ", i));
  }
}

/// Compares the configuration of a layer, or of an object within one, with Keras's.
void expect_config(const io::Json& written, const io::Json& golden, bool is_inner) {
  for (const auto& [key, value] : written.items()) {
    const io::Json* const expected = golden.find(key);
    if (key == "dtype" && expected != nullptr) {
      EXPECT_EQ(value, expected->is_string() ? *expected : (*expected)["config"]["name"]);
    } else if (expected == nullptr) {
      // Arguments of later versions are not written.
      EXPECT_TRUE(value.is_null()) << key;
    } else if (value.is_object()) {
      EXPECT_EQ(value["class_name"], (*expected)["class_name"]) << key;
      EXPECT_EQ(value["module"], (*expected)["module"]) << key;
      expect_config(value["config"], (*expected)["config"], true);
    } else if (key == "axis") {
      // Keras writes a list if a LayerNormalization is built.
      EXPECT_TRUE(value == *expected || io::Json::array({value}) == *expected) << value.dump();
    } else if (is_inner && value.is_number()) {
      EXPECT_FLOAT_EQ(static_cast<float>(value.as_double()), static_cast<float>(expected->as_double())) << key;
    } else {
      EXPECT_EQ(value, *expected) << key;
    }
  }
}

TEST_P(GoldenLayers, WritesTheConfigOfKeras) {
  const io::Json& golden = cases_of(GetParam().area).find(GetParam().name);
  expect_config(deserialize(golden).get_config(), golden["config"], false);
}

INSTANTIATE_TEST_SUITE_P(All, GoldenLayers, ::testing::ValuesIn(all_cases()),
                         [](const auto& info) { return test::test_name(info.param.area + "_" + info.param.name); });

/// The names of the tests of single classes, without underscores: "relu" of activations/relu_test.cc.
std::set<std::string> tests_of_classes() {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(RHYTON_SOURCE_DIR "/tests/layers")) {
    std::string name = entry.path().stem().string();
    std::erase(name, '_');
    if (name.ends_with("test")) names.insert(name.substr(0, name.size() - 4));
  }
  return names;
}

std::string lower_case(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

TEST(GoldenLayersTable, EverySerializableClassHasACaseOrATestOfItsOwn) {
  std::set<std::string> covered;
  std::vector<std::string> tables = areas;
  tables.insert(tables.end(), {"recurrent", "wrapped_recurrent", "attention", "colour_layers"});
  for (const std::string& area : tables) {
    for (const io::Json& golden : cases_of(area).cases()) covered.insert(golden["class_name"].as_string());
  }
  // InputLayer computes nothing; the next ones are tested in merging_test with explicit values, the cells in
  // rnn/cells_test, the last ones in preprocessing/text_golden_test.
  for (const char* const name :
       {"InputLayer", "Average", "Maximum", "Minimum", "Multiply", "Subtract", "GRUCell", "LSTMCell", "SimpleRNNCell",
        "StackedRNNCells", "HashedCrossing", "Hashing", "IntegerLookup"}) {
    covered.insert(name);
  }
  const std::set<std::string> tests = tests_of_classes();
  for (const std::string& name : serializable_classes()) {
    EXPECT_TRUE(covered.contains(name) || tests.contains(lower_case(name))) << name;
  }
}

}  // namespace
}  // namespace rhyton::layers
