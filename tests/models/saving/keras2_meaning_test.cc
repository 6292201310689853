// What configurations of tf.keras mean otherwise than those of Keras 3.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/layers/activations/activation.h>
#include <rhyton/layers/activations/softmax.h>
#include <rhyton/models/saving/keras2_meaning.h>
#include <rhyton/tests/models/saving/saving_models.h>

namespace rhyton::models {
namespace {

using io::Json;

Json axis_of(const Model& model) { return model.get_layer(-1).get_config()["axis"]; }

TEST(Keras2Meaning, ASoftmaxWithoutAxisIsOneAlongTheLast) {
  const Json layer = Json::parse(R"({"class_name": "Softmax", "config": {"name": "s", "axis": null}})");
  const Json model = Json::object({{"class_name", "Sequential"}, {"layers", Json::array({layer, nullptr, 3})}});
  EXPECT_EQ(
      saving::in_meaning_of_keras3(model, "2.15.0").dump(),
      R"({"class_name": "Sequential", "layers": [{"class_name": "Softmax", "config": {"name": "s", "axis": -1}}, )"
      R"(null, 3]})");
  EXPECT_EQ(saving::in_meaning_of_keras3(model, "3.0.5"), model);
  EXPECT_EQ(saving::in_meaning_of_keras3(model, ""), model);
  const Json other = Json::parse(R"({"class_name": "Concatenate", "config": {"axis": null}})");
  EXPECT_EQ(saving::in_meaning_of_keras3(other, "2.15.0"), other);
  const Json along_first = Json::parse(R"({"class_name": "Softmax", "config": {"axis": 1}})");
  EXPECT_EQ(saving::in_meaning_of_keras3(along_first, "2.15.0"), along_first);
}

// tf.keras makes this input for a model that begins with an adapted layer; it cannot read its file itself.
TEST(Keras2Meaning, AnAdaptedLayerKnowsTheLengthThatItsInputLacks) {
  const Model model = model_from_json(R"({"class_name": "Sequential", "config": {"name": "s", "layers": [
    {"module": "keras.layers", "class_name": "InputLayer", "registered_name": null,
     "config": {"batch_input_shape": [null, null], "dtype": "float32", "sparse": false, "ragged": false, "name": "i"}},
    {"module": "keras.layers", "class_name": "Normalization", "registered_name": null,
     "config": {"name": "n", "trainable": true, "dtype": "float32", "batch_input_shape": [null, null], "axis": [-1],
                "invert": false, "mean": null, "variance": null},
     "build_config": {"input_shape": [null, 4]}},
    {"module": "keras.layers", "class_name": "Dense", "registered_name": null,
     "config": {"name": "d", "trainable": true, "dtype": "float32", "units": 2, "activation": "linear"},
     "build_config": {"input_shape": [null, 4]}}]}})");
  EXPECT_EQ(model.layers()[0].output().shape(), (Shape{-1, 4}));
  EXPECT_EQ(model(Tensor::zeros({3, 4})).shape(), (Shape{3, 2}));
}

TEST(Keras2Meaning, ItsHardSigmoidIsAnotherFunction) {
  const Json layer = Json::parse(
      R"({"class_name": "LSTM", "config": {"activation": "tanh", "recurrent_activation": "hard_sigmoid"}})");
  EXPECT_EQ(saving::in_meaning_of_keras3(layer, "2.3.1")["config"].dump(),
            R"({"activation": "tanh", "recurrent_activation": "keras2_hard_sigmoid"})");
  EXPECT_EQ(saving::in_meaning_of_keras3(layer, "3.0.5"), layer);
  const Json object = Json::parse(
      R"({"class_name": "Dense", "config": {"activation": {"class_name": "function", "config": "hard_sigmoid"}}})");
  EXPECT_EQ(saving::in_meaning_of_keras3(object, "2.15.0")["config"].dump(),
            R"({"activation": "keras2_hard_sigmoid"})");
}

TEST(Keras2Meaning, ItsHardSigmoidIsComputedAndSaved) {
  const test::TemporaryFolder folder;
  const Sequential model({layers::Input({.shape = {6}}), layers::Activation("hard_sigmoid")});
  const Tensor x = Tensor::from_data<float>({1, 6}, {-3.0F, -2.5F, -1.0F, 0.0F, 2.0F, 2.75F});
  const std::vector<double> of_keras2 = {0.0, 0.0, 0.3, 0.5, 0.9, 1.0};
  const std::string archive = (folder / "model.keras").string();
  const std::string of_2 = (folder / "of_2.keras").string();
  model.save(archive);
  replace_member(archive, of_2, "metadata.json", test::to_bytes(R"({"keras_version": "2.15.0"})"));
  Model loaded = load_model(of_2);
  for (const char* const name : {"again.keras", "again.h5"}) {
    const std::vector<double> values = loaded.predict(x, {.verbose = 0}).to_vector();
    ASSERT_EQ(values.size(), of_keras2.size());
    for (std::size_t i = 0; i < values.size(); ++i) EXPECT_NEAR(values[i], of_keras2[i], 1e-6) << name << ", " << i;
    // Files name it as a function of a program, which Keras 3 asks for.
    const Json function = loaded.get_layer(-1).get_config()["activation"];
    EXPECT_EQ(function["config"], Json("keras2_hard_sigmoid"));
    EXPECT_TRUE(function["module"].is_null());
    const std::string path = (folder / name).string();
    loaded.save(path);
    loaded = load_model(path);
  }
  EXPECT_NEAR(load_model(archive).predict(x, {.verbose = 0}).to_vector()[2], 0.5 - 1.0 / 6, 1e-6);
}

TEST(Keras2Meaning, AGruOfItsFirstVersionsResetsBeforeTheProduct) {
  const Json gru = Json::parse(R"({"class_name": "GRU", "config": {"units": 2}})");
  EXPECT_EQ(saving::in_meaning_of_keras3(gru, "2.1.2")["config"]["reset_after"], Json(false));
  const Json later = Json::parse(R"({"class_name": "GRU", "config": {"units": 2, "reset_after": true}})");
  EXPECT_EQ(saving::in_meaning_of_keras3(later, "2.15.0"), later);
}

TEST(Keras2Meaning, ClassesOfTensorFlow1AndShapesOfTheQueryAlone) {
  const Json normalization = Json::parse(R"({"class_name": "BatchNormalizationV1", "config": {"axis": [3]}})");
  EXPECT_EQ(saving::in_meaning_of_keras3(normalization, "2.2.4-tf")["class_name"], Json("BatchNormalization"));
  const Json attention = Json::parse(
      R"({"build_config": {"input_shape": [null, 6, 8]}, "class_name": "MultiHeadAttention", "config": {"num_heads": 2}})");
  EXPECT_EQ(saving::in_meaning_of_keras3(attention, "2.15.0").dump(),
            R"({"class_name": "MultiHeadAttention", "config": {"num_heads": 2}})");
  EXPECT_EQ(saving::in_meaning_of_keras3(attention, "3.0.5"), attention);
}

TEST(Keras2Meaning, HoldsForFilesOfThatVersion) {
  const test::TemporaryFolder folder;
  const Sequential model({layers::Input({.shape = {4}}), layers::Softmax({.axis = std::nullopt})});
  const std::string archive = (folder / "model.keras").string();
  const std::string of_2 = (folder / "of_2.keras").string();
  model.save(archive);
  EXPECT_TRUE(axis_of(load_model(archive)).is_null());
  replace_member(archive, of_2, "metadata.json", test::to_bytes(R"({"keras_version": "2.15.0"})"));
  EXPECT_EQ(axis_of(load_model(of_2)), Json(-1));
  replace_member(archive, of_2, "metadata.json", test::to_bytes("no JSON"));
  EXPECT_TRUE(axis_of(load_model(of_2)).is_null());

  const std::string legacy = (folder / "model.h5").string();
  model.save(legacy);
  EXPECT_TRUE(axis_of(load_model(legacy)).is_null());

  Json text = Json::parse(model.to_json());
  EXPECT_TRUE(axis_of(model_from_json(text.dump())).is_null());
  text["keras_version"] = "2.15.0";
  EXPECT_EQ(axis_of(model_from_json(text.dump())), Json(-1));
}

}  // namespace
}  // namespace rhyton::models
