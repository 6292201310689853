// The editor of files of weights, compared with Keras's.

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rhyton/framework/error.h>
#include <rhyton/layers/layers.h>
#include <rhyton/models/saving/keras_file_editor.h>
#include <rhyton/models/sequential.h>
#include <rhyton/tests/framework/io/temporary_folder.h>
#include <rhyton/tests/optimizers/golden.h>
#include <rhyton/tests/support/message_of.h>
#include <rhyton/tests/support/random_tensor.h>
#include <rhyton/tests/support/tensor_distance.h>

namespace rhyton::saving {
namespace {

using models::Model;
using models::Sequential;
using test::message_of;
using test::same_bits;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::string golden_folder = RHYTON_GOLDEN_DIR "/file_editor/";

Model network(int units, bool has_last = true) {
  std::vector<layers::Layer> all = {layers::Input({.shape = {3}}), layers::Dense(units, {.name = "first"}),
                                    layers::BatchNormalization({.name = "norm"})};
  if (has_last) all.push_back(layers::Dense(2, {.name = "second"}));
  return Sequential(all, {.name = "network"});
}

/// The shapes by path, as the golden values have them.
io::Json shapes_of(const KerasFileEditor& editor) {
  std::vector<std::pair<std::string, Tensor>> weights = editor.weights();
  std::sort(weights.begin(), weights.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  io::Json shapes = io::Json::object();
  for (const auto& [path, value] : weights) shapes[path] = io::Json::array_from(value.shape());
  return shapes;
}

class FileEditor : public ::testing::Test {
 protected:
  KerasFileEditor open(const std::string& path) {
    return KerasFileEditor(path, [this](const std::string& line) { lines_.push_back(line); });
  }

  std::vector<std::string> lines_;
  test::GoldenArea area_{"file_editor"};
  test::TemporaryFolder folder_;
};

TEST_F(FileEditor, ReadsBothFormats) {
  for (const std::string name : {"model.weights.h5", "model.keras"}) {
    const KerasFileEditor editor = open(golden_folder + name);
    const io::Json& golden = area_.find(name);
    EXPECT_EQ(shapes_of(editor).dump(), golden["weights"].dump());
    EXPECT_EQ(editor.compare(network(4)).status, golden["same"]["status"].as_string());
    EXPECT_EQ(editor.compare(network(5)).status, golden["wider"]["status"].as_string());
    EXPECT_EQ(editor.compare(network(4, false)).status, golden["shorter"]["status"].as_string());
    EXPECT_EQ(editor.config().is_object(), name == "model.keras");
  }
}

TEST_F(FileEditor, ComparisonsSayWhatDiffers) {
  const KerasFileEditor editor = open(golden_folder + "model.weights.h5");
  const KerasFileEditor::Comparison same = editor.compare(network(4));
  EXPECT_EQ(same.error_count, 0);
  EXPECT_EQ(same.match_count, 8);
  EXPECT_THAT(lines_, Contains("    Found 8 matching weights"));
  const KerasFileEditor::Comparison wider = editor.compare(network(5));
  EXPECT_EQ(wider.error_count, 7);
  EXPECT_EQ(wider.match_count, 1);
  EXPECT_THAT(lines_, Contains("...Weight shape mismatch for /layers/dense/0"));
  EXPECT_THAT(lines_, Contains("    In reference model: shape=(3, 5)"));
  const KerasFileEditor::Comparison shorter = editor.compare(network(4, false));
  EXPECT_EQ(shorter.error_count, 1);
  EXPECT_THAT(lines_, Contains("...Object /layers/dense_1 present in saved file, missing from reference model"));
  EXPECT_THAT(lines_, Contains("    In saved file, /layers/dense_1 contains the following keys: ['0', '1']"));
}

TEST_F(FileEditor, SummaryHasObjectsAndWeights) {
  const KerasFileEditor editor = open(golden_folder + "model.weights.h5");
  lines_.clear();
  editor.summary();
  EXPECT_THAT(lines_,
              ElementsAre("Weights structure", "  > layers", "      ├─ batch_normalization ('norm')",
                          "      │   ├─ 0: shape=(4,), dtype=float32", "      │   ├─ 1: shape=(4,), dtype=float32",
                          "      │   ├─ 2: shape=(4,), dtype=float32", "      │   └─ 3: shape=(4,), dtype=float32",
                          "      ├─ dense ('first')", "      │   ├─ 0: shape=(3, 4), dtype=float32",
                          "      │   └─ 1: shape=(4,), dtype=float32", "      └─ dense_1 ('second')",
                          "          ├─ 0: shape=(4, 2), dtype=float32", "          └─ 1: shape=(2,), dtype=float32"));
}

TEST_F(FileEditor, EditsAreThoseOfKeras) {
  KerasFileEditor editor = open(golden_folder + "model.weights.h5");
  editor.rename_object("dense_1", "dense_7");
  editor.delete_object("layers/batch_normalization");
  editor.add_object("layers/einsum_dense", {{"0", test::random_tensor({2, 2}, 1)}});
  editor.delete_weight("dense_7", "1");
  editor.add_weights("layers/dense", {{"2", test::random_tensor({5}, 2)}});
  EXPECT_EQ(shapes_of(editor).dump(), area_.find("edited")["weights"].dump());

  const std::string path = (folder_.path() / "edited.weights.h5").string();
  editor.save(path);
  const KerasFileEditor again = open(path);
  EXPECT_EQ(shapes_of(again).dump(), shapes_of(editor).dump());

  const io::Json& messages = area_.find("errors")["messages"];
  EXPECT_EQ(message_of<ValueError>([&] { editor.rename_object("dense", "layers/dense_9"); }), messages[0].as_string());
  EXPECT_EQ(message_of<ValueError>([&] { editor.rename_object("layers/nothing", "dense_9"); }),
            messages[1].as_string());
  EXPECT_EQ(message_of<ValueError>([&] { editor.add_object("nothing/dense", {}); }), messages[2].as_string());
  EXPECT_EQ(message_of<ValueError>([&] { editor.delete_weight("layers/dense", "9"); }), messages[3].as_string());
  EXPECT_EQ(message_of<ValueError>([&] { editor.save("edited.h5"); }), messages[4].as_string());
  EXPECT_EQ(message_of<ValueError>([&] { open("model.h5"); }), messages[5].as_string());
  EXPECT_THAT(message_of<ValueError>([&] { editor.rename_object("dense", "dense_7"); }),
              HasSubstr("there is an object of that path"));
  EXPECT_THAT(message_of<ValueError>([&] { editor.delete_object("nothing"); }), HasSubstr("does not appear"));
}

TEST_F(FileEditor, AnEditedFileFitsTheChangedModel) {
  const Model model = network(4);
  const std::string path = (folder_.path() / "old.weights.h5").string();
  const std::string edited = (folder_.path() / "edited.weights.h5").string();
  model.save_weights(path);
  KerasFileEditor editor = open(path);
  editor.delete_object("dense_1");
  editor.save(edited);
  const Model shorter = network(4, false);
  EXPECT_EQ(open(edited).compare(shorter).status, "success");
  shorter.load_weights(edited);
  EXPECT_TRUE(same_bits(shorter.get_weights()[0], model.get_weights()[0]));
}

TEST_F(FileEditor, KeepsWeightsWithinObjectsWithoutOwnOnes) {
  const Sequential model({layers::Input({.shape = {5, 3}}), layers::LSTM(4),
                          Sequential({layers::Input({.shape = {4}}), layers::Dense(2)})});
  const std::string path = (folder_.path() / "lstm.weights.h5").string();
  const std::string copied = (folder_.path() / "copied.weights.h5").string();
  model.save_weights(path);
  open(path).resave_weights(copied);
  const Sequential other({layers::Input({.shape = {5, 3}}), layers::LSTM(4),
                          Sequential({layers::Input({.shape = {4}}), layers::Dense(2)})});
  other.load_weights(copied);
  for (std::size_t i = 0; i < model.get_weights().size(); ++i) {
    EXPECT_TRUE(same_bits(other.get_weights()[i], model.get_weights()[i])) << i;
  }
  EXPECT_EQ(message_of<ValueError>([&] { open(path).delete_object("vars"); }).substr(0, 18), "Source name 'vars'");
}

}  // namespace
}  // namespace rhyton::saving
