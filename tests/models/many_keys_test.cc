// Dictionaries with very many keys as inputs and outputs of functional models: they are written in order, come back,
// and find their tensors.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/framework/context.h>
#include <rhyton/framework/io/json/json.h>
#include <rhyton/layers/activations/relu.h>
#include <rhyton/layers/core/input.h>
#include <rhyton/models/model.h>

namespace rhyton::models {
namespace {

using io::Json;
using layers::SymbolicTensor;

/// Keys whose order is not that in which they are made.
std::string key(int i) { return (i % 2 == 0 ? "even" : "odd") + std::to_string(i); }

std::string json_of_keys(const Json& dictionary) {
  Json keys = Json::array();
  for (const Json::Member& member : dictionary.items()) keys.push_back(member.key);
  return keys.dump();
}

class ManyKeys : public testing::Test {
 protected:
  void SetUp() override { clear_session(); }

  /// Takes a positive number for each key, and gives it.
  static Model passing_on(int keys) {
    std::map<std::string, SymbolicTensor> inputs;
    std::map<std::string, SymbolicTensor> outputs;
    for (int i = 0; i < keys; ++i) {
      const SymbolicTensor x = layers::Input({.shape = {1}, .name = "in" + std::to_string(i)});
      inputs.emplace(key(i), x);
      outputs.emplace(key(i), layers::ReLU({.name = "out" + std::to_string(i)})(x));
    }
    return Model({.inputs = inputs, .outputs = outputs, .name = "inner"});
  }

  /// Calls such a model, which files tell by a dictionary.
  static Model outer(const Model& inner, int keys) {
    std::vector<SymbolicTensor> inputs;
    for (int i = 0; i < keys; ++i) inputs.push_back(layers::Input({.shape = {1}, .name = "outer" + std::to_string(i)}));
    return Model({.inputs = inputs, .outputs = inner.call_many(inputs)});
  }
};

TEST_F(ManyKeys, AreWrittenInOrderAndComeBack) {
  constexpr int keys = 5000;
  const Model inner = passing_on(keys);
  const std::string text = inner.to_json();
  const Json config = Json::parse(text)["config"];
  std::map<std::string, int> sorted;
  for (int i = 0; i < keys; ++i) sorted.emplace(key(i), i);
  Json expected = Json::array();
  for (const auto& [name, number] : sorted) expected.push_back(name);
  EXPECT_EQ(json_of_keys(config["input_layers"]), expected.dump());
  EXPECT_EQ(json_of_keys(config["output_layers"]), expected.dump());
  clear_session();
  EXPECT_EQ(model_from_json(text).to_json(), text);

  const std::string nested = outer(inner, keys).to_json();
  const Json outer_config = Json::parse(nested)["config"];
  for (const Json& layer : outer_config["layers"]) {
    if (layer["name"] == Json("inner")) {
      EXPECT_EQ(json_of_keys(layer["inbound_nodes"][0]["args"][0]), expected.dump());
    }
  }
  EXPECT_EQ(model_from_json(nested).to_json(), nested);
}

TEST_F(ManyKeys, FindTheirTensors) {
  constexpr int keys = 2000;
  const Model inner = passing_on(keys);
  std::map<std::string, Tensor> x;
  for (int i = 0; i < keys; ++i) x.emplace(key(i), Tensor::full({1, 1}, i));
  const std::vector<Tensor> y = model_from_json(inner.to_json()).predict_many(x, {.verbose = 0});
  const Model nested = model_from_json(outer(inner, keys).to_json());
  std::vector<Tensor> in_order;
  for (const auto& [name, value] : x) in_order.push_back(value);
  const std::vector<Tensor> nested_y = nested.predict_many(in_order, {.verbose = 0});
  ASSERT_EQ(y.size(), static_cast<std::size_t>(keys));
  std::size_t i = 0;
  for (const auto& [name, value] : x) {
    ASSERT_EQ(y[i].to_vector(), value.to_vector()) << name;
    ASSERT_EQ(nested_y[i].to_vector(), value.to_vector()) << name;
    ++i;
  }
}

}  // namespace
}  // namespace rhyton::models
