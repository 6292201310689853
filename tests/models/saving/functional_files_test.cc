// Functional models saved by Keras: dictionaries of outputs, one output twice, nested inputs, operations, calls with
// `training`, names beyond ASCII.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rhyton/framework/io/npy.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/layers/call_node.h>
#include <rhyton/models/saving/custom_objects.h>
#include <rhyton/tests/models/saving/saving_models.h>

namespace rhyton::models {
namespace {

using io::Json;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// One of tests/golden/functional_files.
class GoldenFile {
 public:
  explicit GoldenFile(std::string file) : file_(std::move(file)) {}

  Model load() const { return load_model(folder() + file_); }

  Json entry() const {
    const Json index = golden_cases("functional_files/index");
    const Json& files = index["files"];
    return *std::find_if(files.begin(), files.end(), [&](const Json& entry) { return entry["file"] == Json(file_); });
  }

  /// "input", "output", "target" or "trained": all arrays of that kind.
  std::vector<Tensor> arrays(const std::string& kind) const {
    const std::string path = folder() + file_.substr(0, file_.find('.')) + ".npz";
    std::vector<Tensor> result;
    const io::NamedTensors all = io::read_npz(path);
    for (std::size_t i = 0; i < all.size(); ++i) {
      for (const auto& [name, tensor] : all) {
        if (name == kind + std::to_string(i)) result.push_back(tensor);
      }
    }
    return result;
  }

 private:
  static std::string folder() { return std::string(RHYTON_GOLDEN_DIR) + "/functional_files/"; }
  std::string file_;
};

void expect_close(const std::vector<Tensor>& ours, const std::vector<Tensor>& expected, const std::string& what) {
  ASSERT_EQ(ours.size(), expected.size()) << what;
  for (std::size_t k = 0; k < ours.size(); ++k) {
    ASSERT_EQ(ours[k].shape(), expected[k].shape()) << what << " " << k;
    const Tensor a = ours[k].cast(float64);
    const Tensor b = expected[k].cast(float64);
    for (std::int64_t i = 0; i < a.size(); ++i) {
      const double value = b.data<double>()[i];
      ASSERT_NEAR(a.data<double>()[i], value, 1e-5 * (1.0 + std::abs(value))) << what << " " << k << ", element " << i;
    }
  }
}

template <class Values>
void expect_values(const Values& ours, const Json& expected, const std::string& what) {
  std::vector<std::string> names;
  std::vector<std::string> expected_names;
  for (const auto& [name, value] : ours) names.push_back(name);
  for (const auto& [name, value] : expected.items()) expected_names.push_back(name);
  std::sort(names.begin(), names.end());
  std::sort(expected_names.begin(), expected_names.end());
  EXPECT_EQ(names, expected_names) << what;
  for (const auto& [name, value] : ours) {
    const Json* const golden = expected.find(name);
    if (golden != nullptr) {
      EXPECT_NEAR(value, golden->as_double(), 2e-5 * (1.0 + value)) << what << ": " << name;
    }
  }
}

class FunctionalFile : public testing::TestWithParam<const char*> {};

/// Compares the model with Keras's results.
void expect_what_keras_did(const Model& model, const GoldenFile& golden, const std::string& what) {
  const std::vector<Tensor> x = golden.arrays("input");
  expect_close(model.predict_many(x, {.verbose = 0}), golden.arrays("output"), what + ": output");
  const Json entry = golden.entry();
  if (!entry.contains("fit")) return;
  const std::vector<Tensor> y = golden.arrays("target");
  expect_values(model.evaluate(x, y, {.batch_size = 4, .verbose = 0}), entry["evaluate"], what + ": evaluate");
  const History history = model.fit(x, y, {.batch_size = 4, .verbose = 0, .shuffle = false});
  std::map<std::string, double> last;
  for (const auto& [name, values] : history.history) last[name] = values.back();
  expect_values(last, entry["fit"], what + ": fit");
  expect_close(model.get_weights(), golden.arrays("trained"), what + ": weight");
}

TEST_P(FunctionalFile, DoesWhatKerasDoes) {
  const GoldenFile golden(GetParam());
  expect_what_keras_did(golden.load(), golden, "from Keras's file");
}

TEST_P(FunctionalFile, DoesItAlsoWhenSavedAgain) {
  const GoldenFile golden(GetParam());
  const test::TemporaryFolder folder;
  for (const std::string extension : {".keras", ".h5"}) {
    // Legacy files create objects from names of metrics, and one object for two outputs counts both, as in Keras.
    if (extension == ".h5" && GetParam() == std::string("output_twice_by_name.keras")) continue;
    const std::string path = (folder / ("again" + extension)).string();
    golden.load().save(path);
    expect_what_keras_did(load_model(path), golden, extension);
  }
}

INSTANTIATE_TEST_SUITE_P(Saving, FunctionalFile,
                         testing::Values("outputs_by_key.keras", "one_output_by_key.keras",
                                         "keys_of_other_layers.keras", "output_twice.keras",
                                         "output_twice_by_name.keras", "normalized_axes.keras",
                                         "normalized_inner_axes.keras", "nested_inputs.keras",
                                         "inner_dictionary_first.keras", "lists_of_one.keras", "operations.keras",
                                         "operations_legacy.h5", "without_reduction.keras", "beyond_ascii.h5"),
                         [](const auto& parameter) {
                           std::string name = parameter.param;
                           return name.substr(0, name.find('.'));
                         });

TEST(OutputsByKey, TakeDataByKeyAndNameTheOrder) {
  const GoldenFile golden("outputs_by_key.keras");
  const Model model = golden.load();
  EXPECT_THAT(model.output_names(), ElementsAre("k1", "k9"));
  const std::vector<Tensor> x = golden.arrays("input");
  const std::vector<Tensor> y = golden.arrays("target");
  const std::map<std::string, Tensor> by_key = {{"k9", y[1]}, {"k1", y[0]}};
  EXPECT_EQ(model.evaluate(x, by_key, {.verbose = 0}).at("loss"), model.evaluate(x, y, {.verbose = 0}).at("loss"));
  // Sample weights by key, and one for all outputs.
  const Tensor ones = Tensor::full({8}, 1.0);
  const Tensor zeros = Tensor::full({8}, 0.0);
  const callbacks::Logs only_k9 = model.evaluate(
      x, by_key, {.verbose = 0, .sample_weight = std::map<std::string, Tensor>{{"k9", ones}, {"k1", zeros}}});
  EXPECT_EQ(only_k9.at("k1_loss"), 0);
  EXPECT_GT(only_k9.at("k9_loss"), 0);
  EXPECT_EQ(model.evaluate(x, by_key, {.verbose = 0, .sample_weight = zeros}).at("loss"), 0);
  EXPECT_THAT(message_of<ValueError>([&] {
                model.evaluate(x, std::map<std::string, Tensor>{{"a", y[1]}, {"b", y[0]}});
              }),
              HasSubstr("'k1'"));
  EXPECT_THAT(message_of<ValueError>([&] {
                model.compile({.loss = std::map<std::string, losses::Loss>{{"a", "mse"}, {"b", "mse"}}});
                model.evaluate(x, y, {.verbose = 0});
              }),
              HasSubstr("Expected keys ['k1', 'k9'] in loss dict"));
}

TEST(NestedInputs, AreWrittenAsTheyCame) {
  const Json config = Json::parse(GoldenFile("nested_inputs.keras").load().to_json())["config"];
  EXPECT_EQ(config["input_layers"].dump(), R"([["a", 0, 0], {"u": ["b", 0, 0], "v": ["c", 0, 0]}])");
  for (const Json& layer : config["layers"]) {
    if (layer["name"] == Json("inner")) {
      const Json& argument = layer["inbound_nodes"][0]["args"][0];
      EXPECT_EQ(argument["p"].size(), 2u);
      EXPECT_EQ(argument["q"]["config"]["keras_history"].dump(), R"(["c", 0, 0])");
    } else if (layer["name"] == Json("by_key")) {
      EXPECT_EQ(layer["inbound_nodes"][0]["args"][0]["ia"]["config"]["keras_history"].dump(), R"(["b", 0, 0])");
    }
  }
}

TEST(ListsOfOne, AreWrittenAsLists) {
  const Json config = Json::parse(GoldenFile("lists_of_one.keras").load().to_json())["config"];
  int lists = 0;
  for (const Json& layer : config["layers"]) {
    const Json& nodes = layer["inbound_nodes"];
    if (nodes.empty() || layer["name"] == Json("all") || layer["class_name"] == Json("Dense")) continue;
    EXPECT_TRUE(nodes[0]["args"][0].is_array()) << layer["name"].dump();
    ++lists;
  }
  EXPECT_EQ(lists, 6);
}

// As in Keras, which has no form for a list of one in the files of Keras 2.
TEST(ListsOfOne, AreNotTheTensorAlone) {
  const std::string text = GoldenFile("lists_of_one.keras").load().to_json();
  const auto changed = [&](const std::string& class_name, const auto& change) {
    Json json = Json::parse(text);
    for (Json& layer : json["config"]["layers"]) {
      const Json& nodes = layer["inbound_nodes"];
      if (layer["class_name"] == Json(class_name) && layer["name"] != Json("all"))
        layer["inbound_nodes"] = change(nodes);
    }
    return json.dump();
  };
  const auto bare = [](Json nodes) {
    nodes[0]["args"] = Json(nodes[0]["args"][0]);
    return nodes;
  };
  const auto of_keras_2 = [](const Json&) { return Json::parse(R"([[["i", 0, 0, {}]]])"); };
  EXPECT_EQ(
      message_of<ValueError>([&] { model_from_json(changed("Add", bare)); }),
      "A merge layer should be called on a list of inputs. Received: input_shape=(None, 4) (not a list of shapes)");
  const std::string of_concatenate =
      "A `Concatenate` layer should be called on a list of at least 1 input. Received: input_shape=(None, 4)";
  EXPECT_EQ(message_of<ValueError>([&] { model_from_json(changed("Concatenate", bare)); }), of_concatenate);
  EXPECT_EQ(message_of<ValueError>([&] { model_from_json(changed("Concatenate", of_keras_2)); }), of_concatenate);
}

TEST(NestedOutputs, AreListedInKerasOrderAndWrittenAsTheyCame) {
  Json json = Json::parse(GoldenFile("outputs_by_key.keras").load().to_json());
  const Json outputs = json["config"]["output_layers"];
  const Json nested = Json::object({{"z", outputs["k9"]}, {"a", Json::array({outputs["k1"], outputs["k9"]})}});
  json["config"]["output_layers"] = nested;
  json.erase("compile_config");  // which names the outputs by key
  const Model model = model_from_json(json.dump());
  ASSERT_EQ(model.outputs().size(), 3U);
  EXPECT_EQ(model.outputs()[0].node()->layer->name(), outputs["k1"][0].as_string());
  EXPECT_TRUE(model.outputs()[1].is_same(model.outputs()[2]));
  EXPECT_EQ(Json::parse(model.to_json())["config"]["output_layers"].dump(),
            Json::object({{"a", nested["a"]}, {"z", nested["z"]}}).dump());
}

// Keras's name of a loss is the way to its output; the layer stands for a position at its end.
TEST(NestedOutputs, AreNamedByTheWayToThem) {
  Json json = Json::parse(GoldenFile("outputs_by_key.keras").load().to_json());
  const Json outputs = json["config"]["output_layers"];
  const std::string layer = outputs["k1"][0].as_string();
  json["config"]["output_layers"] =
      Json::array({outputs["k1"], Json::object({{"z", outputs["k9"]}, {"a", Json::array({outputs["k1"]})}})});
  json["compile_config"]["loss"] =
      Json::array({"mse", Json::object({{"z", "mae"}, {"a", Json::array({"sparse_categorical_crossentropy"})}})});
  json["compile_config"]["loss_weights"] = Json::array({1.0, Json::object({{"z", 3.0}, {"a", Json::array({2.0})}})});
  json["compile_config"]["metrics"] = nullptr;
  json["compile_config"]["weighted_metrics"] = nullptr;
  const Model model = model_from_json(json.dump());
  EXPECT_EQ(model.output_names(), (std::vector<std::string>{layer, "1/a/" + layer, "1/z"}));
  const CompileOptions options = model.compile_options();
  std::vector<std::string> losses;
  for (const losses::Loss& loss : options.loss.list()) losses.push_back(loss.name());
  EXPECT_THAT(losses, ElementsAre("mse", "sparse_categorical_crossentropy", "mae"));
  EXPECT_EQ(options.loss_weights.list(), (std::vector<double>{1, 2, 3}));
}

TEST(SmallIntegers, AreInputs) {
  const GoldenFile file("small_integers.keras");
  const Model model = file.load();
  EXPECT_EQ(file.arrays("input").front().dtype(), DType::int16);
  expect_close({model.predict(file.arrays("input").front(), {.verbose = 0})}, file.arrays("output"), "small_integers");
}

// --- Stochastic layers -----------------------------------------------------------------------------------------------

std::vector<double> losses_of_training(const Model& model) {
  const Tensor x = Tensor::full({16, 50}, 0.1);
  const Tensor y = Tensor::full({16, 1}, 3.0);
  return model.fit(x, y, {.batch_size = 4, .epochs = 2, .verbose = 0, .shuffle = false})["loss"];
}

/// The fraction of zeros in the Dropout's output during training.
double dropped_share(const Model& model) {
  const Model until_dropout(
      {.inputs = model.inputs()[0], .outputs = layers::SymbolicTensor(model.outputs()[0].node()->inputs[0])});
  const Tensor dropped = until_dropout(Tensor::full({200, 50}, 1.0), {.training = true});
  const std::vector<double> values = dropped.to_vector();
  return static_cast<double>(std::count(values.begin(), values.end(), 0.0)) / static_cast<double>(values.size());
}

class StochasticFile : public testing::TestWithParam<const char*> {};

// Keras writes `"kwargs": {"training": false}` for a call without `training`.
TEST_P(StochasticFile, DropsWhileItTrains) {
  const Model model = GoldenFile(GetParam()).load();
  EXPECT_NEAR(dropped_share(model), 0.95, 0.01);
  const Tensor x = Tensor::full({16, 50}, 1.0);
  expect_same_bits(model.predict(x, {.verbose = 0}), model.predict(x, {.verbose = 0}), "prediction");
}

TEST_P(StochasticFile, TrainsInAnotherWayForEverySeed) {
  std::vector<std::vector<double>> losses;
  for (const std::int64_t seed : {1, 2, 3}) {
    Json config = Json::parse(GoldenFile(GetParam()).load().to_json());
    for (Json& layer : config["config"]["layers"]) {
      if (layer["name"] == Json("drop")) layer["config"]["seed"] = seed;
    }
    const Model model = model_from_json(config.dump());
    model.set_weights(GoldenFile(GetParam()).load().get_weights());
    losses.push_back(losses_of_training(model));
  }
  EXPECT_NE(losses[0], losses[1]);
  EXPECT_NE(losses[1], losses[2]);
  EXPECT_NE(losses[0], losses[2]);
}

INSTANTIATE_TEST_SUITE_P(Saving, StochasticFile, testing::Values("stochastic.keras", "stochastic_legacy.h5"),
                         [](const auto& parameter) {
                           return std::string(parameter.param).find(".h5") == std::string::npos ? "archive" : "legacy";
                         });

/// The `training` argument in the file that Rhyton writes for the call of that layer.
Json written_training(const Model& model, const std::string& layer) {
  const Json json = Json::parse(model.to_json());
  for (const Json& entry : json["config"]["layers"]) {
    if (entry["name"] != Json(layer)) continue;
    const Json* const training = entry["inbound_nodes"][0]["kwargs"].find("training");
    return training == nullptr ? Json() : *training;
  }
  return "no such layer";
}

TEST(TrainingInFiles, KeepsWhatTheCallSaid) {
  const Model model = GoldenFile("said.keras").load();
  const Tensor x = Tensor::full({64, 4}, 1.0);
  const auto zeros = [](const Tensor& values) {
    const std::vector<double> all = values.to_vector();
    return std::count(all.begin(), all.end(), 0.0);
  };
  // Dropout(x, training=True) also drops in predictions; the call without `training` does not.
  const std::vector<Tensor> predicted = model.predict_many(x, {.verbose = 0});
  EXPECT_NEAR(static_cast<double>(zeros(predicted[0])), 128.0, 40.0);
  EXPECT_EQ(zeros(predicted[1]), 0);
  EXPECT_GT(zeros(model.call_many({x}, {.training = true})[1]), 0);

  // BatchNormalization(x, training=False) is not updated, the other one is.
  const auto moving_mean = [&](const std::string& name) {
    return model.get_layer(name).get_weights().at(2).to_vector();
  };
  const std::vector<double> frozen = moving_mean("frozen");
  const std::vector<double> learns = moving_mean("learns");
  model.call_many({x}, {.training = true});
  EXPECT_EQ(moving_mean("frozen"), frozen);
  EXPECT_NE(moving_mean("learns"), learns);
}

TEST(TrainingInFiles, IsWrittenAsKerasWritesIt) {
  for (const Model& model :
       {GoldenFile("said.keras").load(), model_from_json(GoldenFile("said.keras").load().to_json())}) {
    EXPECT_EQ(written_training(model, "silent"), Json(false));
    EXPECT_EQ(written_training(model, "always"), Json(true));
    EXPECT_EQ(written_training(model, "frozen"), Json(false));
    EXPECT_EQ(written_training(model, "learns"), Json());
  }
}

// tf.keras writes `training` only if the call gives it.
TEST(TrainingInFiles, FalseOfTfKerasIsWhatTheCallSaid) {
  Json json = Json::parse(GoldenFile("stochastic.keras").load().to_json());
  for (Json& layer : json["config"]["layers"]) {
    if (layer["name"] == Json("drop")) {
      layer["inbound_nodes"] = Json::parse(R"([[["i", 0, 0, {"training": false}]]])");
    } else if (layer["name"] == Json("dense")) {
      layer["inbound_nodes"] = Json::parse(R"([[["drop", 0, 0, {}]]])");
    }
  }
  EXPECT_EQ(dropped_share(model_from_json(json.dump())), 0.0);
}

/// Doubles while it trains.
class DoubledInTraining final : public layers::LayerImpl {
 public:
  DoubledInTraining(std::string class_name, const layers::LayerOptions& options)
      : LayerImpl(options), class_name_(std::move(class_name)) {}
  std::string class_name() const override { return class_name_; }
  std::vector<Tensor> call(const std::vector<Tensor>& inputs, bool training) override {
    return {training ? inputs[0] * 2.0 : inputs[0]};
  }

 private:
  std::string class_name_;
};

/// Keras writes the default of a custom class's `training` as if the call had said it, and no file tells that default:
/// `false` is taken for it, whatever Keras's own class of that name has.
class TrainingOfCustomClasses : public testing::TestWithParam<const char*> {
 protected:
  /// As it was read from a file that holds `training` for the only call.
  Model read(const std::string& class_name, bool training) const {
    const layers::SymbolicTensor x = layers::Input({.shape = {1}});
    const layers::Layer own = layers::make_layer<DoubledInTraining>(class_name, layers::LayerOptions{.name = "own"});
    const std::string path = (folder_ / GetParam()).string();
    Model({.inputs = x, .outputs = own(x, {.training = training})}).save(path);
    const auto factory = [class_name](const Json& config) {
      return layers::make_layer<DoubledInTraining>(class_name,
                                                   layers::LayerOptions{.name = config["name"].as_string()});
    };
    return load_model(path, {.custom_objects = {{class_name, factory}}});
  }
  static double value(const Model& model, bool training) {
    return model(Tensor::full({1, 1}, 1.0), {.training = training}).to_vector().front();
  }

  test::TemporaryFolder folder_;
};

TEST_P(TrainingOfCustomClasses, FalseIsTheDefault) {
  for (const char* const class_name : {"OwnNoise", "Dropout"}) {
    const Model model = read(class_name, false);
    EXPECT_EQ(value(model, true), 2) << class_name;
    EXPECT_EQ(value(model, false), 1) << class_name;
  }
}

TEST_P(TrainingOfCustomClasses, TrueIsWhatTheCallSaid) {
  const Model model = read("OwnNoise", true);
  EXPECT_EQ(value(model, true), 2);
  EXPECT_EQ(value(model, false), 2);
}

INSTANTIATE_TEST_SUITE_P(Saving, TrainingOfCustomClasses, testing::Values("model.keras", "model.h5"),
                         [](const auto& parameter) {
                           return std::string(parameter.param) == "model.h5" ? "legacy" : "archive";
                         });

}  // namespace
}  // namespace rhyton::models
