// What configurations of tf.keras mean otherwise than those of Keras 3.

#include <optional>
#include <string>

#include <gtest/gtest.h>

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
