// Models with mixed precision in files: those of Keras, and round trips.

#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/framework/io/hdf5/hdf5.h>
#include <rhyton/framework/io/npy.h>
#include <rhyton/layers/policy.h>
#include <rhyton/tests/models/saving/saving_models.h>
#include <rhyton/tests/support/policy_scope.h>
#include <rhyton/tests/support/tensor_distance.h>

namespace rhyton::models {
namespace {

using io::Json;
using test::PolicyScope;
using test::relative_distance;

const std::string mixed_files = std::string(RHYTON_GOLDEN_DIR) + "/mixed_precision/";

double unit_of(const std::string& policy) { return policy == "mixed_float16" ? 0x1p-10 : 0x1p-7; }

class MixedFile : public testing::TestWithParam<const char*> {
 protected:
  Json entry() const { return golden_case("mixed_precision/index", GetParam()); }
  std::string policy() const { return entry()["policy"].as_string(); }
  Tensor array(const std::string& role) const { return io::read_npz(mixed_files + GetParam() + ".npz", role); }

  void expect_state(const Model& model) const {
    const std::vector<Tensor> weights = model.get_weights();
    for (std::size_t i = 0; i < weights.size(); ++i) {
      expect_same_bits(weights[i], array("weight" + std::to_string(i)), "weight " + std::to_string(i));
    }
    const std::vector<Variable> state = model.optimizer().variables();
    ASSERT_EQ(state.size(), static_cast<std::size_t>(entry()["optimizer_variables"].as_int()));
    for (std::size_t i = 0; i < state.size(); ++i) {
      expect_same_bits(state[i].value(), array("optimizer_variable" + std::to_string(i)), state[i].path());
    }
  }

  /// Compares the policies of the file and its results.
  void expect_kerass(const Model& model) const {
    const Json expected = entry();
    std::vector<std::string> policies;
    for (const layers::Layer& layer : model.layers()) {
      if (layer.class_name() != "InputLayer") policies.push_back(layer.impl()->dtype_policy());
    }
    ASSERT_EQ(policies.size(), expected["layer_policies"].size());
    for (std::size_t i = 0; i < policies.size(); ++i) {
      EXPECT_EQ(policies[i], expected["layer_policies"][i].as_string());
    }
    EXPECT_EQ(model.optimizer().class_name(), expected["optimizer"]["class_name"].as_string());
    expect_state(model);
    const Tensor prediction = model.predict({array("x")}, {.verbose = 0});
    EXPECT_LE(relative_distance(prediction.cast(float32), array("prediction")), 4 * unit_of(policy()));
    const callbacks::Logs logs = model.train_on_batch({array("next_x")}, {array("next_y")});
    const double loss = expected["next_logs"]["loss"].as_double();
    EXPECT_NEAR(logs.at("loss"), loss, 2 * unit_of(policy()) * std::abs(loss));
  }
};

TEST_P(MixedFile, OfKerasIsReadUnderItsPolicy) {
  const PolicyScope scope(policy());
  expect_kerass(load_model(mixed_files + GetParam()));
}

TEST_P(MixedFile, GoesThereAndBack) {
  const PolicyScope scope(policy());
  const bool is_legacy = std::string(GetParam()).ends_with(".h5");
  const test::TemporaryFolder temporary;
  const std::string path = (temporary / (is_legacy ? "again.h5" : "again.keras")).string();
  load_model(mixed_files + GetParam()).save(path);
  expect_kerass(load_model(path));
}

INSTANTIATE_TEST_SUITE_P(Files, MixedFile,
                         testing::Values("mlp_mixed_float16.keras", "mlp_mixed_float16.h5", "cnn_mixed_bfloat16.keras",
                                         "functional_mixed_float16.keras"),
                         [](const auto& info) {
                           std::string name = info.param;
                           for (char& c : name) c = c == '.' ? '_' : c;
                           return name;
                         });

TEST(MixedFiles, ASequentialModelKeepsItsPolicyInAnotherProcess) {
  const Model model = load_model(mixed_files + "mlp_mixed_float16.keras");
  EXPECT_EQ(model.impl()->dtype_policy(), "mixed_float16");
  EXPECT_EQ(model.optimizer().class_name(), "LossScaleOptimizer");
  EXPECT_EQ(model.optimizer().iterations().item(), 3.0);
}

TEST(MixedFiles, AFunctionalModelKeepsTheStateOfTheInnerOptimizer) {
  // The file does not contain the policy of the model: as in Keras the global one is used.
  const Model model = load_model(mixed_files + "functional_mixed_float16.keras");
  EXPECT_EQ(model.optimizer().class_name(), "SGD");
  const std::string npz = mixed_files + "functional_mixed_float16.keras.npz";
  const std::vector<Variable> state = model.optimizer().variables();
  for (std::size_t i = 0; i < state.size(); ++i) {
    // After the four variables of the LossScaleOptimizer.
    expect_same_bits(state[i].value(), io::read_npz(npz, "optimizer_variable" + std::to_string(i + 4)),
                     state[i].path());
  }
}

}  // namespace
}  // namespace rhyton::models
