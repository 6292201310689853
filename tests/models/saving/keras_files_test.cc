// Files saved by Keras itself.

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/framework/io/npy.h>
#include <rhyton/models/saving/compile_config.h>
#include <rhyton/tests/models/saving/saving_models.h>

namespace rhyton::models {
namespace {

using io::Json;

class KerasFile : public testing::TestWithParam<const char*> {
 protected:
  std::string folder() const { return std::string(RHYTON_GOLDEN_DIR) + "/keras_files/"; }
  Model load() const { return load_model(folder() + GetParam() + ".keras"); }
  Json entry() const { return golden_case("keras_files/index", GetParam()); }
  Tensor array(const std::string& role) const { return io::read_npz(folder() + GetParam() + ".npz", role); }
  std::vector<Tensor> arrays(const std::string& role, std::size_t count) const {
    std::vector<Tensor> result;
    for (std::size_t i = 0; i < count; ++i) result.push_back(array(role + std::to_string(i)));
    return result;
  }
};

void expect_close(const Tensor& ours, const Tensor& expected, double tolerance, const std::string& what) {
  ASSERT_EQ(ours.shape(), expected.shape()) << what;
  const Tensor a = ours.cast(float64);
  const Tensor b = expected.cast(float64);
  for (std::int64_t i = 0; i < a.size(); ++i) {
    ASSERT_NEAR(a.data<double>()[i], b.data<double>()[i], tolerance * (1.0 + std::abs(b.data<double>()[i])))
        << what << ", element " << i;
  }
}

TEST_P(KerasFile, WeightsAndOptimizerAreThere) {
  const Model model = load();
  const Json expected = entry();
  expect_same_bits(model.get_weights(), arrays("weight", expected["weights"].size()), "weight");
  const std::vector<Tensor> state = values_of(model.optimizer().variables());
  const std::vector<Tensor> golden = arrays("optimizer_variable", expected["optimizer_variables"].size());
  ASSERT_EQ(state.size(), golden.size());
  for (std::size_t i = 0; i < state.size(); ++i) {
    expect_same_bits(state[i], golden[i], expected["optimizer_variables"][i]["path"].as_string());
  }
}

TEST_P(KerasFile, PredictsWhatKerasPredicts) {
  const Model model = load();
  const Json expected = entry();
  const std::vector<Tensor> outputs = model.predict_many(arrays("input", expected["inputs"].size()), {.verbose = 0});
  ASSERT_EQ(outputs.size(), expected["outputs"].size());
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    expect_close(outputs[i], array("output" + std::to_string(i)), 1e-5, "output " + std::to_string(i));
  }
}

TEST_P(KerasFile, TrainsOnWhereKerasStopped) {
  const Json expected = entry();
  if (expected["next_logs"].is_null()) GTEST_SKIP() << "its Dropout draws";
  const Model model = load();
  const callbacks::Logs logs =
      model.train_on_batch(arrays("next_x", expected["inputs"].size()), arrays("next_y", expected["outputs"].size()));
  for (const auto& [name, value] : expected["next_logs"].items()) {
    ASSERT_TRUE(logs.contains(name)) << name;
    EXPECT_NEAR(logs.at(name), value.as_double(), 1e-5 * (1.0 + std::abs(value.as_double()))) << name;
  }
  const std::vector<Tensor> weights = model.get_weights();
  for (std::size_t i = 0; i < weights.size(); ++i) {
    expect_close(weights[i], array("next_weight" + std::to_string(i)), 1e-5, "weight " + std::to_string(i));
  }
}

TEST_P(KerasFile, KeepsWhatCompileWasGiven) {
  const Json golden = entry()["compile_config"];
  const Json ours = saving::serialize_compile_config(saving::deserialize_compile_config(golden));
  for (const char* const key : {"loss_weights", "metrics", "weighted_metrics", "run_eagerly", "steps_per_execution"}) {
    if (std::string(GetParam()) == "cnn" && std::string(key) == "metrics") continue;  // objects: see below
    EXPECT_EQ(ours[key], golden[key]) << key;
  }
  EXPECT_EQ(ours["optimizer"]["class_name"], golden["optimizer"]["class_name"]);
  for (const auto& [key, value] : golden["optimizer"]["config"].items()) {
    const Json* const own = ours["optimizer"]["config"].find(key);
    if (own == nullptr) {
      EXPECT_EQ(key, "gradient_accumulation_steps") << "Keras 3.0 knows all others";
    } else {
      EXPECT_EQ(*own, value) << key;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Saving, KerasFile, testing::Values("dense", "cnn", "two_inputs"),
                         [](const auto& parameter) { return std::string(parameter.param); });

// The second layer of a class is "dense_2" there, the third "dense_4": later versions use these names for other layers.
TEST(FileOfTensorFlow212, HasItsOwnNumbersOfLayers) {
  const std::string folder = std::string(RHYTON_GOLDEN_DIR) + "/tf212/";
  const auto array = [&](const std::string& role) { return io::read_npz(folder + "numbered.npz", role); };
  const Model model = load_model(folder + "numbered.keras");
  const std::vector<Tensor> weights = model.get_weights();
  ASSERT_EQ(weights.size(), 12u);
  for (std::size_t i = 0; i < weights.size(); ++i) {
    expect_same_bits({weights[i]}, {array("weight" + std::to_string(i))}, "weight");
  }
  expect_close(model.predict(array("input"), {.verbose = 0}), array("output"), 1e-5, "prediction");
  const Tensor losses = array("losses");
  for (std::int64_t step = 0; step < losses.size(); ++step) {
    const double loss = model.train_on_batch(array("input"), array("y")).at("loss");
    EXPECT_NEAR(loss, losses.data<float>()[step], 1e-5 * losses.data<float>()[step]) << "step " << step;
  }
}

TEST(CompileConfig, ReadsObjectsOfLossesAndMetrics) {
  const Json golden = golden_case("keras_files/index", "cnn")["compile_config"];
  const CompileOptions options = saving::deserialize_compile_config(golden);
  EXPECT_EQ(options.loss.list().front().class_name(), "CategoricalCrossentropy");
  EXPECT_EQ(options.loss.list().front().get_config()["label_smoothing"], Json(0.1));
  const Json ours = saving::serialize_compile_config(options);
  EXPECT_EQ(ours["loss"]["module"], Json("keras.losses"));
  EXPECT_EQ(ours["metrics"][0]["class_name"], Json("CategoricalAccuracy"));
  EXPECT_EQ(ours["metrics"][0]["config"]["name"], Json("right"));
}

TEST(CompileConfig, KeepsTheFormOfLists) {
  for (const char* const text : {
           R"({"optimizer": null, "loss": null, "metrics": null})",
           R"({"loss": ["mse", null], "loss_weights": [1.0, 2.0], "metrics": [["mae"], []]})",
           R"({"loss": {"a": "mse"}, "loss_weights": {"a": 3.0}, "metrics": {"a": ["mae", "mse"]}})",
           R"({"loss": "mse", "metrics": ["mae"], "weighted_metrics": ["mse"], "run_eagerly": true})",
       }) {
    const Json given = Json::parse(text);
    const Json ours = saving::serialize_compile_config(saving::deserialize_compile_config(given));
    for (const auto& [key, value] : given.items()) {
      if (key == "optimizer") continue;
      EXPECT_EQ(ours[key], value) << key << " in " << text;
    }
  }
  // Other forms of the same.
  const CompileOptions options = saving::deserialize_compile_config(
      Json::parse(R"({"loss_weights": 0.5, "metrics": {"a": "mae"}, "weighted_metrics": ["mae", null]})"));
  EXPECT_EQ(options.loss_weights.list(), std::vector<double>{0.5});
  EXPECT_EQ(options.metrics.map().at("a").size(), 1u);
  EXPECT_EQ(options.weighted_metrics.lists().size(), 2u);
}

}  // namespace
}  // namespace rhyton::models
