#include <set>
#include <string>

#include <gtest/gtest.h>

#include <rhyton/framework/context.h>
#include <rhyton/layers/core/dense.h>
#include <rhyton/layers/core/input.h>
#include <rhyton/layers/merging/add.h>
#include <rhyton/models/model.h>
#include <rhyton/models/sequential.h>
#include <rhyton/tests/models/golden_models.h>

namespace rhyton::models {
namespace {

using io::Json;

/// Values that a file may omit: null, false, {}, or a key that older versions of Keras do not have.
bool is_default(const std::string& key, const Json& value) {
  static const std::set<std::string> newer = {"renorm_momentum", "registered_name", "steps_per_execution"};
  return value.is_null() || value == Json(false) || ((value.is_object() || value.is_array()) && value.empty()) ||
         newer.contains(key);
}

/// A policy as an object or as its name.
Json plain(const Json& value) {
  if (value.is_object() && value.contains("class_name") && value["class_name"] == Json("DTypePolicy")) {
    return value["config"]["name"];
  }
  return value;
}

void expect_equivalent(const Json& ours_given, const Json& keras_given, const std::string& path) {
  const Json ours = plain(ours_given);
  const Json keras = plain(keras_given);
  if (ours.is_object() && keras.is_object()) {
    for (const auto& [key, value] : ours.items()) {
      if (const Json* other = keras.find(key)) {
        expect_equivalent(value, *other, path + "." + key);
      } else {
        EXPECT_TRUE(key == "build_config" || is_default(key, value)) << path << "." << key << " is not Keras's";
      }
    }
    for (const auto& [key, value] : keras.items()) {
      if (ours.contains(key) || key == "build_config") continue;
      EXPECT_TRUE(is_default(key, value)) << path << "." << key << " is missing: " << value.dump();
    }
  } else if (ours.is_array() && keras.is_array() && ours.size() == keras.size()) {
    for (std::size_t i = 0; i < ours.size(); ++i) {
      expect_equivalent(ours[i], keras[i], path + "[" + std::to_string(i) + "]");
    }
  } else {
    EXPECT_EQ(ours.dump(), keras.dump()) << path;
  }
}

void expect_round_trip(const Json& config) {
  const Model model = model_from_json(config.dump());
  const std::string text = model.to_json();
  expect_equivalent(Json::parse(text), config, "");
  EXPECT_EQ(model_from_json(text).to_json(), text);
}

TEST(ModelConfig, ReadsAndWritesTheModelsOfTraining) {
  for (const char* area : {"training_mnist_cnn", "training_two_inputs", "training_normalized"}) {
    SCOPED_TRACE(area);
    for (const Json& entry : golden_cases(area)) {
      const Json& model = entry["model"];
      expect_round_trip(model.is_string() ? Json::parse(model.as_string()) : model);
    }
  }
}

TEST(ModelConfig, ReadsAndWritesTheModelsOfSummaries) {
  for (const Json& entry : golden_cases("summary")) {
    // "large" only takes time.
    if (entry["model"].is_null() || entry["name"] == Json("large")) continue;
    SCOPED_TRACE(entry["name"].as_string());
    expect_round_trip(entry["model"]);
  }
}

TEST(ModelConfig, WritesOneTensorAListOrAMap) {
  const layers::Input a({.shape = {2}, .name = "a"});
  const layers::Input b({.shape = {2}, .name = "b"});
  const layers::SymbolicTensor sum = layers::Add({.name = "sum"})({a, b});
  const auto ends = [](const Model& model, const char* key) {
    return Json::parse(model.to_json())["config"][key].dump();
  };

  const Model lists({.inputs = {a, b}, .outputs = sum});
  EXPECT_EQ(ends(lists, "input_layers"), R"([["a", 0, 0], ["b", 0, 0]])");
  // The only form that Keras 3.0 reads.
  EXPECT_EQ(ends(lists, "output_layers"), R"([["sum", 0, 0]])");

  const Model maps({.inputs = {{"a", a}, {"b", b}}, .outputs = {sum}});
  EXPECT_EQ(ends(maps, "input_layers"), R"({"a": ["a", 0, 0], "b": ["b", 0, 0]})");
  EXPECT_EQ(ends(maps, "output_layers"), R"([["sum", 0, 0]])");

  for (const Model& model : {lists, maps}) EXPECT_EQ(model_from_json(model.to_json()).to_json(), model.to_json());
}

TEST(ModelConfig, CountsCallsOfAFunctionalModelFromOneAtTheEnds) {
  const layers::Input inner_input({.shape = {2}});
  const Model inner({.inputs = inner_input, .outputs = layers::Dense(2)(inner_input), .name = "inner"});
  const layers::Input x({.shape = {2}, .name = "x"});
  const Model at_the_end({.inputs = x, .outputs = inner(x)});
  const Json config = Json::parse(at_the_end.to_json())["config"];
  EXPECT_EQ(config["output_layers"].dump(), R"([["inner", 1, 0]])");

  const Model inside({.inputs = x, .outputs = layers::Dense(1, {.name = "last"})(inner(x))});
  const std::string text = inside.to_json();
  EXPECT_NE(text.find(R"("keras_history": ["inner", 0, 0])"), std::string::npos);
  for (const Model& model : {at_the_end, inside})
    EXPECT_EQ(model_from_json(model.to_json()).to_json(), model.to_json());
}

TEST(ModelConfig, CountsOnlyCallsOfItsOwnGraph) {
  const layers::Dense shared(2, {.name = "shared"});
  const layers::Input x({.shape = {2}, .name = "x"});
  const Model first({.inputs = x, .outputs = shared(x)});
  const layers::Input y({.shape = {2}, .name = "y"});
  const Model second({.inputs = y, .outputs = shared(y)});
  EXPECT_EQ(Json::parse(second.to_json())["config"]["output_layers"].dump(), R"([["shared", 0, 0]])");
}

TEST(ModelConfig, KeepsABareTensorOfNewerVersionsBare) {
  const layers::Input x({.shape = {2}, .name = "x"});
  const Model model({.inputs = x, .outputs = layers::Dense(1, {.name = "y"})(x)});
  Json json = Json::parse(model.to_json());
  json["config"]["input_layers"] = Json::array({"x", 0, 0});
  json["config"]["output_layers"] = Json::array({"y", 0, 0});
  const Json again = Json::parse(model_from_json(json.dump()).to_json());
  EXPECT_EQ(again["config"]["input_layers"].dump(), R"(["x", 0, 0])");
  EXPECT_EQ(again["config"]["output_layers"].dump(), R"(["y", 0, 0])");
}

// Keras would pass a list on to the next layer.
TEST(ModelConfig, WritesABareTensorWithinASequential) {
  const layers::Input x({.shape = {2}, .name = "x"});
  const Model inner({.inputs = {x}, .outputs = {layers::Dense(3, {.name = "y"})(x)}, .name = "inner"});
  const Sequential model({layers::Input({.shape = {2}}), inner, layers::Dense(1)});
  const Json config = Json::parse(model.to_json())["config"]["layers"][1]["config"];
  EXPECT_EQ(config["input_layers"].dump(), R"(["x", 0, 0])");
  EXPECT_EQ(config["output_layers"].dump(), R"(["y", 0, 0])");
  EXPECT_EQ(model_from_json(model.to_json()).to_json(), model.to_json());
}

TEST(ModelConfig, ReadsCallsThatStandBeforeWhatTheyNeed) {
  const layers::Input x({.shape = {3}, .name = "x"});
  const layers::Dense first(3, {.name = "first"});
  const layers::Dense second(3, {.name = "second"});
  const Model model({.inputs = x, .outputs = first(second(first(second(x))))});
  const Model again = model_from_json(model.to_json());
  EXPECT_EQ(again.to_json(), model.to_json());
  again.set_weights(model.get_weights());
  const Tensor data = Tensor::from_data<float>({2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(again(data).to_vector(), model(data).to_vector());
}

TEST(ModelConfig, KeepsWhatACallSaysOfTraining) {
  Json config = golden_case("summary", "functional_line")["model"];
  for (Json& layer : config["config"]["layers"]) {
    if (layer["name"] == Json("batch_normalization")) layer["inbound_nodes"][0]["kwargs"]["training"] = false;
  }
  EXPECT_NE(model_from_json(config.dump()).to_json().find(R"("kwargs": {"training": false})"), std::string::npos);
}

TEST(ModelConfig, RefusesGraphsThatDoNotHang) {
  Json config = golden_case("summary", "functional_line")["model"];
  for (Json& layer : config["config"]["layers"]) {
    if (layer["name"] == Json("conv2d")) {
      layer["inbound_nodes"][0]["args"][0]["config"]["keras_history"][0] = "dense";
    }
  }
  const std::string loop = message_of<ValueError>([&] { model_from_json(config.dump()); });
  EXPECT_TRUE(
      loop.starts_with("Invalid Functional model configuration. The graph of the Functional model either has "
                       "loops or disconnected nodes."))
      << loop;

  for (Json& layer : config["config"]["layers"]) {
    if (layer["name"] == Json("conv2d")) {
      layer["inbound_nodes"][0]["args"][0]["config"]["keras_history"][0] = "nobody";
    }
  }
  EXPECT_EQ(message_of<ValueError>([&] { model_from_json(config.dump()); }), "Unknown layer: nobody");
}

TEST(ModelConfig, RefusesWhatIsNoModel) {
  EXPECT_THROW(model_from_json("{"), ValueError);
  EXPECT_THROW(model_from_json(R"({"class_name": "Sequential", "config": {}})"), ValueError);
  EXPECT_THROW(model_from_json(R"({"class_name": "Functional", "config": {"layers": []}})"), ValueError);
  EXPECT_THROW(model_from_json(layers::Dense(3).get_config().dump()), Error);
}

}  // namespace
}  // namespace rhyton::models
