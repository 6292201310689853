// Models with LoRA: against Keras (tests/golden/make_lora.py), and what training, files and compiled steps do.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/layers/attention/multi_head_attention.h>
#include <rhyton/layers/core/dense.h>
#include <rhyton/layers/core/input.h>
#include <rhyton/models/callbacks/backup_and_restore.h>
#include <rhyton/models/model.h>
#include <rhyton/models/sequential.h>
#include <rhyton/optimizers/adam.h>
#include <rhyton/optimizers/optimizer.h>
#include <rhyton/tests/framework/io/temporary_folder.h>
#include <rhyton/tests/optimizers/golden.h>
#include <rhyton/tests/support/policy_scope.h>
#include <rhyton/tests/support/tensor_distance.h>

namespace rhyton::models {
namespace {

using layers::Dense;
using layers::Layer;
using layers::LoraLayer;

const test::GoldenArea& lora_area() {
  static const test::GoldenArea area("lora");
  return area;
}

std::vector<std::string> lora_cases() {
  std::vector<std::string> names;
  for (const io::Json& golden : lora_area().cases()) names.push_back(golden["name"].as_string());
  return names;
}

/// The layer of that name, or the projection "attention/_query_dense" of one.
LoraLayer adaptable(const Model& model, const std::string& path) {
  const std::size_t slash = path.find('/');
  const Layer layer = model.get_layer(path.substr(0, slash));
  if (slash == std::string::npos) return LoraLayer::from_layer(layer);
  const auto attention = layers::MultiHeadAttention::from_layer(layer);
  return path.ends_with("_query_dense") ? attention.query_dense() : attention.value_dense();
}

std::vector<std::string> paths_of(const std::vector<Variable>& weights) {
  std::vector<std::string> paths;
  for (const Variable& weight : weights) paths.push_back(weight.path());
  return paths;
}

class LoraGolden : public ::testing::TestWithParam<std::string> {
 protected:
  const io::Json& golden() const { return lora_area().find(GetParam()); }
  Tensor array(const std::string& role) const { return lora_area().array(golden(), role); }
  bool is_half() const { return golden()["policy"].as_string() != "float32"; }
  /// The unit of rounding of the policy's computation.
  double rounding() const {
    return golden()["policy"].as_string() == "mixed_bfloat16" ? 0x1p-8 : is_half() ? 0x1p-11 : 0x1p-24;
  }

  std::vector<Tensor> weights(const std::string& role, std::size_t count) const {
    std::vector<Tensor> result;
    for (std::size_t i = 0; i < count; ++i) result.push_back(array(role + std::to_string(i)));
    return result;
  }
  std::vector<std::string> strings(const char* key) const {
    std::vector<std::string> result;
    for (const io::Json& entry : golden()[key]) result.push_back(entry.as_string());
    return result;
  }

  Model plain() const { return model_from_json(golden()["model"].as_string()); }
  Model adapted() const {
    Model model = plain();
    for (const io::Json& entry : golden()["lora"]) {
      const std::optional<double> alpha =
          entry["alpha"].is_null() ? std::nullopt : std::optional<double>(entry["alpha"].as_double());
      adaptable(model, entry["layer"].as_string())
          .enable_lora(entry["rank"].as_int(), {.lora_alpha = alpha, .b_initializer = "he_uniform"});
    }
    return model;
  }
};

TEST_P(LoraGolden, IsKeras) {
  const test::PolicyScope scope(golden()["policy"].as_string());
  const Model model = adapted();
  EXPECT_EQ(paths_of(model.weights()), strings("paths"));
  EXPECT_EQ(paths_of(model.trainable_weights()), strings("trainable"));
  const io::Json config = io::Json::parse(model.to_json());
  const io::Json expected_config = io::Json::parse(golden()["adapted"].as_string());
  for (const io::Json& entry : golden()["lora"]) {
    if (entry["layer"].as_string().find('/') != std::string::npos) continue;
    const auto numbers = [&](const io::Json& of_model) {
      for (const io::Json& layer : of_model["config"]["layers"]) {
        const io::Json& own = layer["config"];
        if (own["name"] == entry["layer"]) {
          return std::vector{own["lora_rank"].as_double(), own["lora_alpha"].as_double()};
        }
      }
      return std::vector<double>();
    };
    EXPECT_EQ(numbers(config), numbers(expected_config));
  }

  model.set_weights(weights("initial", model.weights().size()));
  const Tensor x = array("x");
  const Tensor y = array("y");
  EXPECT_LT(test::relative_distance(model.predict(x[0], {.verbose = 0}).cast(float32), array("predictions")),
            8 * rounding());

  model.compile({.optimizer = optimizers::deserialize(golden()["optimizer"]), .loss = "mse", .auto_scale_loss = false});
  const Tensor losses = array("losses");
  for (std::int64_t step = 0; step < x.shape()[0]; ++step) {
    const double expected = losses.data<float>()[step];
    EXPECT_NEAR(model.train_on_batch(x[step], y[step]).at("loss"), expected, expected * (is_half() ? 1e-2 : 1e-5));
  }
  const std::vector<Tensor> trained = model.get_weights();
  const std::vector<Tensor> expected = weights("trained", trained.size());
  for (std::size_t i = 0; i < trained.size(); ++i) {
    // The same number for all keys changes no softmax: its gradient is 0 but for rounding, which Adam magnifies.
    if (strings("paths")[i] == "attention/key/bias") continue;
    EXPECT_LT(test::relative_distance(trained[i], expected[i]), is_half() ? 0x1p-5 : 1e-4) << strings("paths")[i];
  }
}

TEST_P(LoraGolden, HasTheWeightsOfKerasInFiles) {
  const test::PolicyScope scope(golden()["policy"].as_string());
  const Model model = adapted();
  model.set_weights(weights("trained", model.weights().size()));
  const test::TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "adapted.weights.h5";
  model.save_weights(path);
  const Model merged = plain();
  merged.load_weights(path);
  const std::vector<Tensor> values = merged.get_weights();
  const std::vector<Tensor> expected = weights("merged", values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_LT(test::relative_distance(values[i], expected[i]), 4 * rounding()) << merged.weights()[i].path();
  }
  // Matrices of zeros beside the merged kernels.
  const Tensor x = array("x")[0];
  const Tensor before = model.predict(x, {.verbose = 0});
  model.load_weights(path);
  for (const Variable& weight : model.weights()) {
    const bool is_zero = sum(abs(weight.value())).item() == 0;
    EXPECT_EQ(is_zero, weight.name().starts_with("lora_")) << weight.path();
  }
  EXPECT_LT(test::relative_distance(model.predict(x, {.verbose = 0}), before), 8 * rounding());
}

INSTANTIATE_TEST_SUITE_P(Golden, LoraGolden, ::testing::ValuesIn(lora_cases()), [](const auto& test_info) {
  std::string name = test_info.param;
  for (char& c : name) {
    if (c == '/') c = '_';
  }
  return name;
});

const Tensor lora_x = Tensor::from_data<float>({4, 3}, {1, 2, 3, -4, 5, 6, -7, 8, 9, 1, 0, 2});
const Tensor lora_y = Tensor::from_data<float>({4, 2}, {1, -2, 3, 4, 0, 1, 1, 0});

Sequential two_dense_layers() {
  set_random_seed(4);
  return Sequential({layers::Input({.shape = {3}}), Dense(4, {.activation = "tanh"}), Dense(2)});
}

void compile_with_adam(const Model& model) {
  model.compile({.optimizer = optimizers::Adam({.learning_rate = 0.05}), .loss = "mse"});
}

/// The use of LoRA: all layers of a class are adapted.
void adapt(const Model& model, std::int64_t rank) {
  for (const Layer& layer : model.layers()) {
    if (layer.class_name() == "Dense") LoraLayer::from_layer(layer).enable_lora(rank);
  }
}

TEST(Lora, TrainsOnlyItsMatricesAndBiases) {
  const Sequential model = two_dense_layers();
  const Tensor before = model.predict(lora_x, {.verbose = 0});
  adapt(model, 2);
  EXPECT_TRUE(test::same_bits(model.predict(lora_x, {.verbose = 0}), before)) << "the second matrix has zeros";
  compile_with_adam(model);
  const std::vector<Tensor> initial = model.get_weights();
  model.fit(lora_x, lora_y, {.epochs = 5, .verbose = 0});
  const std::vector<Variable> weights = model.weights();
  for (std::size_t i = 0; i < weights.size(); ++i) {
    EXPECT_EQ(test::same_bits(weights[i].value(), initial[i]), weights[i].name() == "kernel") << weights[i].path();
  }
}

TEST(Lora, IsInFilesOfModels) {
  const test::TemporaryFolder folder;
  const Sequential model = two_dense_layers();
  adapt(model, 2);
  compile_with_adam(model);
  model.fit(lora_x, lora_y, {.epochs = 5, .verbose = 0});
  const Tensor expected = model.predict(lora_x, {.verbose = 0});
  for (const char* name : {"model.keras", "model.h5"}) {
    model.save(folder.path() / name);
    const Model loaded = load_model(folder.path() / name);
    EXPECT_TRUE(LoraLayer::from_layer(loaded.layers()[0]).lora_enabled());
    EXPECT_LT(test::relative_distance(loaded.predict(lora_x, {.verbose = 0}), expected), 1e-6) << name;
  }
  // Files of models in HDF5 have the matrices.
  EXPECT_TRUE(test::same_bits(load_model(folder.path() / "model.h5").predict(lora_x, {.verbose = 0}), expected));
}

TEST(Lora, OfAFileOfKeras) {
  const io::Json& golden = lora_area().find("file");
  const Model model = load_model(RHYTON_GOLDEN_DIR "/lora.keras");
  EXPECT_TRUE(LoraLayer::from_layer(model.get_layer("hidden")).lora_enabled());
  const Model plain = model_from_json(golden["model"].as_string());
  std::vector<Tensor> merged;
  for (int i = 0; i < 4; ++i) merged.push_back(lora_area().array(golden, "merged" + std::to_string(i)));
  plain.set_weights(merged);
  const Tensor inputs = lora_area().array(golden, "x")[0];
  EXPECT_TRUE(test::same_bits(model.predict(inputs, {.verbose = 0}), plain.predict(inputs, {.verbose = 0})));
}

TEST(Lora, MakesModelsTraceTheirStepsAgain) {
  const Sequential model = two_dense_layers();
  compile_with_adam(model);
  const double before = model.evaluate(lora_x, lora_y, {.verbose = 0}).at("loss");
  const Tensor predictions = model.predict(lora_x, {.verbose = 0});
  const LoraLayer layer = LoraLayer::from_layer(model.layers()[0]);
  layer.enable_lora(2, {.b_initializer = "ones"});
  EXPECT_NE(model.evaluate(lora_x, lora_y, {.verbose = 0}).at("loss"), before);
  const Tensor expected = model(lora_x);
  EXPECT_LT(test::relative_distance(model.predict(lora_x, {.verbose = 0}), expected), 1e-6);
  EXPECT_LT(test::relative_distance(model.predict_on_batch(lora_x).front(), expected), 1e-6);
  EXPECT_GT(test::relative_distance(predictions, expected), 1e-2);
  // Also of a model that contains the layer in another one.
  const Sequential outer({layers::Input({.shape = {3}}), model});
  outer.predict(lora_x, {.verbose = 0});
  LoraLayer::from_layer(model.layers()[1]).enable_lora(1, {.b_initializer = "ones"});
  EXPECT_LT(test::relative_distance(outer.predict(lora_x, {.verbose = 0}), outer(lora_x)), 1e-6);
}

TEST(Lora, NeedsCompileAfterTraining) {
  const Sequential model = two_dense_layers();
  compile_with_adam(model);
  model.fit(lora_x, lora_y, {.verbose = 0});
  adapt(model, 2);
  // The optimizer has slots for the kernels.
  EXPECT_THROW(model.fit(lora_x, lora_y, {.verbose = 0}), ValueError);
  compile_with_adam(model);
  EXPECT_NO_THROW(model.fit(lora_x, lora_y, {.verbose = 0}));
}

TEST(Lora, IsResumedFromABackup) {
  const test::TemporaryFolder folder;
  const auto train = [&](int epochs, bool stops) {
    const Sequential model = two_dense_layers();
    adapt(model, 2);
    compile_with_adam(model);
    std::vector<callbacks::Callback> list = {
        callbacks::BackupAndRestore(folder.path() / (stops ? "stopped" : "whole"), {.delete_checkpoint = false})};
    model.fit(lora_x, lora_y, {.epochs = epochs, .verbose = 0, .callbacks = list});
    return model.get_weights();
  };
  train(2, true);
  const std::vector<Tensor> resumed = train(4, true);
  const std::vector<Tensor> whole = train(4, false);
  for (std::size_t i = 0; i < whole.size(); ++i) EXPECT_TRUE(test::same_bits(resumed[i], whole[i])) << i;
}

}  // namespace
}  // namespace rhyton::models
