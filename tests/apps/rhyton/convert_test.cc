#include <string>
#include <vector>

#include <rhyton/tests/apps/rhyton/rhyton_tool.h>

namespace rhyton::test {
namespace {

class Convert : public RhytonTool {
 protected:
  /// Whether the model in a file is the golden one: weights, predictions, training state.
  static void expect_same_model(const std::string& file, const std::string& name, bool with_training) {
    const models::Model expected = models::load_model(golden(name + ".keras"));
    const models::Model model = models::load_model(file);
    EXPECT_EQ(model.class_name(), expected.class_name());
    const std::vector<Tensor> weights = model.get_weights();
    const std::vector<Tensor> expected_weights = expected.get_weights();
    ASSERT_EQ(weights.size(), expected_weights.size());
    for (std::size_t i = 0; i < weights.size(); ++i) expect_same_tensor(weights[i], expected_weights[i]);
    if (!with_training) return;
    ASSERT_TRUE(model.is_compiled());
    const std::vector<Variable> state = model.optimizer().variables();
    const std::vector<Variable> expected_state = expected.optimizer().variables();
    ASSERT_EQ(state.size(), expected_state.size());
    for (std::size_t i = 0; i < state.size(); ++i) expect_same_tensor(state[i].value(), expected_state[i].value());
  }
};

TEST_F(Convert, ThroughEveryFormAndBack) {
  for (const char* const name : {"dense", "cnn", "two_inputs"}) {
    output_of("convert " + golden(std::string(name) + ".keras") + " " + path("m.h5"));
    expect_same_model(path("m.h5"), name, true);
    output_of("convert " + path("m.h5") + " " + path("m.keras"));
    expect_same_model(path("m.keras"), name, true);
    output_of("convert " + path("m.keras") + " " + path("m.weights.h5"));
    output_of("convert " + path("m.keras") + " " + path("config.json"));
    output_of("convert " + path("m.weights.h5") + " " + path("again.keras") + " --architecture " + path("config.json"));
    expect_same_model(path("again.keras"), name, true);
    output_of("convert " + path("m.weights.h5") + " " + path("again.hdf5") + " --architecture " + path("config.json"));
    expect_same_model(path("again.hdf5"), name, false);
  }
}

TEST_F(Convert, TakesTheArchitectureOutOfAnArchive) {
  io::ZipReader archive(golden("dense.keras"));
  put(path("config.json"), archive.read_text("config.json"));
  put(path("dense.weights.h5"), archive.read("model.weights.h5"));
  output_of("convert " + path("dense.weights.h5") + " " + path("m.keras") + " --architecture " + path("config.json"));
  expect_same_model(path("m.keras"), "dense", true);
}

TEST_F(Convert, WeightsNeedAnArchitecture) {
  const std::string weights = path("m.weights.h5");
  output_of("convert " + golden("dense.keras") + " " + weights);
  expect_failure("convert " + weights + " " + path("m.keras"), wrong_usage, "--architecture");
  expect_failure("convert " + golden("dense.keras") + " m.keras --architecture config.json", wrong_usage,
                 "--architecture");
  const std::string to = " " + path("m.keras") + " --architecture ";
  expect_failure("convert " + weights + to + path("none.json"), error, path("none.json"));
  put(path("bad.json"), "{\"class_name\": ");
  expect_failure("convert " + weights + to + path("bad.json"), error, path("bad.json"));
  put(path("list.json"), "[1, 2]");
  expect_failure("convert " + weights + to + path("list.json"), error, path("list.json"));
  output_of("convert " + golden("cnn.keras") + " " + path("other.json"));
  expect_failure("convert " + weights + to + path("other.json"), error, weights);
  EXPECT_FALSE(std::filesystem::exists(path("m.keras")));
}

TEST_F(Convert, DamagedFilesAreNamed) {
  output_of("convert " + golden("dense.keras") + " " + path("m.h5"));
  const std::string half = half_of(path("m.h5"), "half.h5");
  expect_failure("convert " + half + " " + path("m.keras"), error, half);
  expect_failure("convert " + path("none.h5") + " " + path("m.keras"), error, path("none.h5"));
  EXPECT_FALSE(std::filesystem::exists(path("m.keras")));
}

}  // namespace
}  // namespace rhyton::test
