// Files saved by Keras 3 and tf.keras 2.15: legacy `.h5`, weights alone, and `.keras` archives of 2.15.

#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/framework/io/hdf5/hdf5.h>
#include <rhyton/framework/io/json/json.h>
#include <rhyton/framework/io/npy.h>
#include <rhyton/tests/models/saving/saving_models.h>

namespace rhyton::models {
namespace {

using io::Json;

const std::string legacy_files = std::string(RHYTON_GOLDEN_DIR) + "/legacy_files/";

/// The results of the Keras version that saved a model.
struct Golden {
  explicit Golden(const std::string& model_name)
      : name(model_name), index(Json::parse(test::content_of(legacy_files + model_name + ".json"))) {}

  Tensor array(const std::string& role) const { return io::read_npz(legacy_files + name + ".npz", role); }
  std::vector<Tensor> arrays(const std::string& role, const char* count) const {
    std::vector<Tensor> result;
    for (std::int64_t i = 0; i < index[count].as_int(); ++i) result.push_back(array(role + std::to_string(i)));
    return result;
  }

  std::string name;
  Json index;
};

void expect_close(const std::vector<Tensor>& ours, const std::vector<Tensor>& expected, double tolerance,
                  const std::string& what) {
  ASSERT_EQ(ours.size(), expected.size()) << what;
  for (std::size_t k = 0; k < ours.size(); ++k) {
    ASSERT_EQ(ours[k].shape(), expected[k].shape()) << what << " " << k;
    const Tensor a = ours[k].cast(float64);
    const Tensor b = expected[k].cast(float64);
    for (std::int64_t i = 0; i < a.size(); ++i) {
      ASSERT_NEAR(a.data<double>()[i], b.data<double>()[i], tolerance * (1.0 + std::abs(b.data<double>()[i])))
          << what << " " << k << ", element " << i;
    }
  }
}

void expect_predictions(const Model& model, const Golden& golden, const std::string& what) {
  expect_close(model.predict_many(golden.arrays("input", "inputs"), {.verbose = 0}), golden.arrays("output", "outputs"),
               1e-5, "output of " + what);
}

/// Five more steps, compared with the losses of that Keras.
void expect_further_training(const Model& model, const Golden& golden, const std::string& what) {
  const Json& losses = golden.index["losses"];
  for (std::size_t step = 0; step < losses.size(); ++step) {
    const std::string number = std::to_string(step) + "_";
    const callbacks::Logs logs =
        model.train_on_batch(golden.arrays("x" + number, "inputs"), golden.arrays("y" + number, "outputs"));
    EXPECT_NEAR(logs.at("loss"), losses[step].as_double(), 1e-4 * losses[step].as_double())
        << what << ", step " << step;
  }
  expect_close(model.get_weights(), golden.arrays("last_weight", "weights"), 1e-4, "last weight of " + what);
}

class LegacyFile : public testing::TestWithParam<const char*> {};

TEST_P(LegacyFile, ComesBackWhole) {
  const Golden golden(GetParam());
  for (const Json& entry : golden.index["files"]) {
    const std::string& file = entry.as_string();
    if (file.ends_with("weights.h5")) continue;
    const Model model = load_model(legacy_files + file);
    expect_same_bits(model.get_weights(), golden.arrays("weight", "weights"), "weight of " + file);
    expect_predictions(model, golden, file);
    ASSERT_TRUE(model.is_compiled()) << file;
    EXPECT_EQ(model.optimizer().iterations().item(), 3.0) << file;
    expect_further_training(model, golden, file);
  }
}

TEST_P(LegacyFile, GivesItsWeightsToAModelThatExists) {
  const Golden golden(GetParam());
  for (const Json& entry : golden.index["files"]) {
    const std::string& file = entry.as_string();
    const Model model = load_model(legacy_files + GetParam() + ".h5", {.compile = false});
    for (const Variable& variable : model.weights()) variable.assign(Tensor::zeros(variable.shape(), variable.dtype()));
    model.load_weights(legacy_files + file);
    expect_same_bits(model.get_weights(), golden.arrays("weight", "weights"), "weight of " + file);
  }
}

TEST_P(LegacyFile, GoesThroughOurOwnFiles) {
  const Golden golden(GetParam());
  const test::TemporaryFolder temporary;
  const Model model = load_model(legacy_files + GetParam() + ".h5");
  for (const char* const name : {"model.keras", "model.h5", "model.hdf5"}) {
    const std::string path = (temporary / name).string();
    model.save(path);
    const Model again = load_model(path);
    EXPECT_EQ(again.get_config(), model.get_config()) << name;
    expect_same_bits(again.get_weights(), model.get_weights(), name);
    expect_same_bits(values_of(again.optimizer().variables()), values_of(model.optimizer().variables()), name);
    expect_further_training(again, golden, name);
  }
}

INSTANTIATE_TEST_SUITE_P(Saving, LegacyFile,
                         testing::Values("keras2_dense", "keras2_nested", "keras2_cnn", "keras2_schedule", "keras2_sgd",
                                         "keras2_functions", "keras2_legacy_adam", "keras2_legacy_amsgrad",
                                         "keras2_legacy_sgd", "keras2_new_nadam", "keras2_new_adafactor",
                                         "keras2_new_transformer_block", "keras3_dense", "keras3_nested", "keras3_cnn",
                                         "keras3_schedule", "keras3_sgd"),
                         [](const auto& parameter) { return std::string(parameter.param); });

// Keras names a metric that it reads as a string by its class.
TEST(LegacyFiles, NameMetricsAsTheLogsDo) {
  const test::TemporaryFolder temporary;
  const std::string path = (temporary / "model.h5").string();
  const Sequential model({layers::Input({.shape = {4}}), layers::Dense(1, {.activation = "sigmoid"})});
  model.compile({.optimizer = "sgd",
                 .loss = "binary_crossentropy",
                 .metrics = {"AUC", "auc", "mse", "mean_absolute_error", "acc"}});
  model.save(path);

  const io::Hdf5File file = io::Hdf5File::open_read(path);
  const Json config = Json::parse(file.root().read_string_attribute("training_config"));
  const auto object = [](const char* class_name, const char* name) {
    return Json::object({{"class_name", class_name}, {"config", Json::object({{"name", name}, {"dtype", "float32"}})}});
  };
  EXPECT_EQ(config["loss"], Json("binary_crossentropy"));
  EXPECT_EQ(config["metrics"],
            Json::array({object("AUC", "AUC"), object("AUC", "auc"), object("MeanSquaredError", "mse"),
                         object("MeanAbsoluteError", "mean_absolute_error"), "acc"}));

  const callbacks::Logs logs = load_model(path).test_on_batch(test::random_tensor({6, 4}, 1),
                                                              Tensor::from_data<float>({6, 1}, {0, 1, 1, 0, 1, 0}));
  for (const char* const name : {"AUC", "auc", "mse", "mean_absolute_error", "acc"}) {
    EXPECT_TRUE(logs.contains(name)) << name;
  }
}

}  // namespace
}  // namespace rhyton::models
