// Files that Rhyton writes and reads.

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rhyton/framework/io/hdf5/hdf5.h>
#include <rhyton/framework/io/json/json.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/warning.h>
#include <rhyton/layers/activations/elu.h>
#include <rhyton/layers/activations/leaky_relu.h>
#include <rhyton/layers/activations/softmax.h>
#include <rhyton/layers/preprocessing/normalization.h>
#include <rhyton/layers/regularization/dropout.h>
#include <rhyton/layers/reshaping/reshape.h>
#include <rhyton/layers/rnn/lstm.h>
#include <rhyton/models/saving/weights_file.h>
#include <rhyton/tests/models/saving/saving_models.h>

namespace rhyton::models {
namespace {

class RoundTrip : public testing::Test {
 protected:
  std::string path(const std::string& name = "model.keras") const { return (folder_ / name).string(); }
  Model saved_and_loaded(const Model& model) const {
    model.save(path());
    return load_model(path());
  }
  io::Hdf5File weights_file() const {
    io::ZipReader archive{std::filesystem::path(path())};
    return io::Hdf5File::open_image(archive.read("model.weights.h5"), "weights");
  }

  test::TemporaryFolder folder_;
};

TEST_F(RoundTrip, GivesTheSameModel) {
  const Model model = Branches::trained();
  const Model loaded = saved_and_loaded(model);
  EXPECT_EQ(loaded.to_json(), model.to_json());
  EXPECT_FALSE(loaded.is_same(model));
  expect_same_bits(loaded.get_weights(), model.get_weights(), "weight");
  expect_same_bits(values_of(loaded.optimizer().variables()), values_of(model.optimizer().variables()), "state");
  const std::vector<Tensor> x = Branches::inputs(30);
  expect_same_bits(loaded.predict_many(x, {.verbose = 0}), model.predict_many(x, {.verbose = 0}), "output");
}

TEST_F(RoundTrip, KeepsLayersThatAreActivations) {
  Sequential model({layers::Input({.shape = {6}}),
                    layers::Dense(6, {.activation = layers::LeakyReLU({.negative_slope = 0.3})}),
                    layers::Reshape({3, 2}), layers::LSTM(2, {.activation = layers::ELU({.alpha = 0.5})}),
                    layers::Dense(3, {.activation = layers::Softmax()})});
  model.compile({.optimizer = "sgd", .loss = "mse"});
  const Tensor x = test::random_tensor({4, 6}, 1);
  for (const char* const name : {"model.keras", "model.h5"}) {
    model.save(path(name));
    const Model loaded = load_model(path(name));
    expect_same_bits(loaded.predict(x, {.verbose = 0}), model.predict(x, {.verbose = 0}), name);
    const Tensor y = Tensor::zeros({4, 3});
    EXPECT_EQ(loaded.train_on_batch(x, y).at("loss"), model.train_on_batch(x, y).at("loss")) << name;
    expect_same_bits(loaded.get_weights(), model.get_weights(), name);
  }
}

TEST_F(RoundTrip, GoesOnTrainingInTheSameWay) {
  const Model model = Branches::trained();
  const Model loaded = saved_and_loaded(model);
  const callbacks::Logs expected = model.train_on_batch(Branches::inputs(40), Branches::targets(40));
  const callbacks::Logs logs = loaded.train_on_batch(Branches::inputs(40), Branches::targets(40));
  ASSERT_EQ(logs.size(), expected.size());
  for (const auto& [name, value] : expected) EXPECT_EQ(logs.at(name), value) << name;
  expect_same_bits(loaded.get_weights(), model.get_weights(), "weight");
  expect_same_bits(values_of(loaded.optimizer().variables()), values_of(model.optimizer().variables()), "state");
}

TEST_F(RoundTrip, SavesTheSameBytesAgain) {
  const Model loaded = saved_and_loaded(Branches::trained());
  loaded.save(path("again.keras"));
  io::ZipReader first{std::filesystem::path(path())};
  io::ZipReader second{std::filesystem::path(path("again.keras"))};
  for (const char* const name : {"config.json", "model.weights.h5"}) {
    EXPECT_EQ(first.read(name), second.read(name)) << name;
  }
}

TEST_F(RoundTrip, WritesTheMembersOfKerasInItsOrder) {
  trained_dense().save(path());
  io::ZipReader archive{std::filesystem::path(path())};
  std::vector<std::string> names;
  for (const io::ZipMember& member : archive.members()) names.push_back(member.name);
  EXPECT_EQ(names, (std::vector<std::string>{"metadata.json", "config.json", "model.weights.h5"}));
  const io::Json metadata = io::Json::parse(archive.read_text("metadata.json"));
  EXPECT_EQ(metadata["keras_version"], io::Json("3.0.0"));
  EXPECT_EQ(metadata["date_saved"].as_string().size(), std::string("2026-01-31@12:34:56").size());
  // Stored, not compressed: the file contains the text unchanged.
  EXPECT_NE(test::content_of(path()).find(archive.read_text("config.json")), std::string::npos);
}

TEST_F(RoundTrip, PutsVariablesWhereKerasPutsThem) {
  const Model model = Branches::trained();
  model.save(path());
  const io::Hdf5File file = weights_file();
  const io::Hdf5Group root = file.root();
  for (const char* const group :
       {"vars", "layers/input_layer/vars", "layers/input_layer_1/vars", "layers/sequential/vars",
        "layers/sequential/layers/batch_normalization/vars", "layers/add/vars", "optimizer/vars"}) {
    EXPECT_TRUE(root.has_group(group)) << group;
  }
  EXPECT_EQ(root.open_group("layers/sequential/layers/dense/vars").dataset_names().size(), 2u);
  EXPECT_EQ(root.open_group("layers/sequential/layers/dense_1/vars").dataset_names().size(), 2u);
  EXPECT_EQ(root.open_group("layers/sequential/layers/batch_normalization/vars").dataset_names().size(), 4u);
  // Its own four dense layers; shared ones count once.
  EXPECT_EQ(root.open_group("layers/dense_3/vars").dataset_names().size(), 2u);
  EXPECT_FALSE(root.has_group("layers/dense_4"));
  EXPECT_EQ(root.open_group("vars").read_string_attribute("name"), "branches");
  EXPECT_EQ(root.open_group("optimizer/vars").dataset_names().size(), model.optimizer().variables().size());
  EXPECT_EQ(root.open_dataset("optimizer/vars/0").spec().dtype, int64);
}

TEST_F(RoundTrip, LeavesRandomStatesOut) {
  const Sequential model({layers::Input({.shape = {3}}), layers::Dropout(0.5), layers::Dense(2)});
  const Model loaded = saved_and_loaded(model);
  EXPECT_TRUE(weights_file().root().open_group("layers/dropout/vars").dataset_names().empty());
  expect_same_bits(loaded.get_weights(), model.get_weights(), "weight");
}

TEST_F(RoundTrip, KeepsAModelThatIsNotCompiledOrNotBuilt) {
  const Sequential plain({layers::Input({.shape = {3}}), layers::Dense(2)});
  EXPECT_FALSE(saved_and_loaded(plain).is_compiled());
  EXPECT_FALSE(weights_file().root().has_group("optimizer"));

  const Sequential unbuilt({layers::Dense(2)});
  unbuilt.compile({.optimizer = "sgd", .loss = "mse"});
  const Model loaded = saved_and_loaded(unbuilt);
  EXPECT_FALSE(loaded.is_built());
  EXPECT_TRUE(loaded.is_compiled());
  loaded.train_on_batch(test::random_tensor({4, 3}, 1), test::random_tensor({4, 2}, 2));
}

// As Keras 3.15: the adapted layer is built, the model is not.
TEST_F(RoundTrip, KeepsAnAdaptedFirstLayerOfAModelThatIsNotBuilt) {
  const Tensor data = test::random_tensor({6, 4}, 1) * 3.0F + 2.0F;
  const layers::Normalization adapted;
  adapted.adapt(data);
  std::vector<std::string> warnings;
  const config::WarningHandler previous =
      config::set_warning_handler([&](const std::string& text) { warnings.push_back(text); });
  const Model loaded = saved_and_loaded(Sequential({adapted, layers::Dense(2)}));
  config::set_warning_handler(previous);
  EXPECT_THAT(warnings, testing::ElementsAre(
                            "You are saving a model that has not yet been built. It might not contain any weights "
                            "yet. Consider building the model first by calling it on some data."));
  EXPECT_FALSE(loaded.is_built());
  ASSERT_EQ(loaded.layers().size(), 2U);
  expect_same_bits(loaded.layers()[0].get_weights(), adapted.get_weights(), "weight");
  EXPECT_EQ(loaded.layers()[0](data).to_vector(), adapted(data).to_vector());
  EXPECT_EQ(loaded(data).shape(), (Shape{6, 2}));
}

TEST_F(RoundTrip, KeepsTheStateOfTheCompiledButUntrained) {
  const Sequential model({layers::Input({.shape = {3}}), layers::Dense(2)});
  model.compile({.optimizer = optimizers::Adam({.learning_rate = 0.25}), .loss = "mse"});
  const Model loaded = saved_and_loaded(model);
  EXPECT_EQ(loaded.optimizer().learning_rate().item(), 0.25);
  EXPECT_EQ(loaded.optimizer().iterations().item(), 0.0);
}

TEST_F(RoundTrip, KeepsWhatIsFrozen) {
  const Sequential model = trained_dense();
  model.get_layer(0).set_trainable(false);
  const Model loaded = saved_and_loaded(model);
  EXPECT_FALSE(loaded.get_layer(0).trainable());
  EXPECT_EQ(loaded.trainable_weights().size(), 2u);
  expect_same_bits(loaded.get_weights(), model.get_weights(), "weight");
}

TEST_F(RoundTrip, ReadsTheGroupsOfTensorFlow213) {
  const Sequential model = trained_dense();
  io::Hdf5File file = io::Hdf5File::create_image();
  io::Hdf5Group root = file.root();
  const std::vector<Tensor> weights = model.get_weights();
  for (const int layer : {0, 1}) {
    for (const int variable : {0, 1}) {
      root.write_dataset("_layer_checkpoint_dependencies/dense" + std::string(layer == 0 ? "" : "_1") + "/vars/" +
                             std::to_string(variable),
                         weights[2 * static_cast<std::size_t>(layer) + static_cast<std::size_t>(variable)]);
    }
  }
  const Sequential other({layers::Input({.shape = {4}}), layers::Dense(3), layers::Dense(2)});
  saving::find_weights(other, root).assign_all();
  expect_same_bits(other.get_weights(), weights, "weight");
}

}  // namespace
}  // namespace rhyton::models
