// Operations as older versions of Keras 3 write them: before 3.11 without a name beside options, and without options
// that came later.

#include <string>

#include <gtest/gtest.h>
#include <rhyton/framework/io/json/json.h>
#include <rhyton/models/model.h>

namespace rhyton::layers::older_configurations {
namespace {

using io::Json;

/// A model of one operation of inputs of shape (None, 3, 4).
Json model_of(const std::string& class_name, const std::string& config) {
  return Json::parse(R"({"module":"keras.src.models.functional","class_name":"Functional","config":{"name":"m",
    "trainable":true,"layers":[
    {"module":"keras.layers","class_name":"InputLayer","config":{"batch_shape":[null,3,4],"dtype":"float32",
     "sparse":false,"name":"x"},"registered_name":null,"name":"x","inbound_nodes":[]},
    {"module":"keras.src.ops.numpy","class_name":")" +
                     class_name + R"(","config":)" + config + R"(,"registered_name":")" + class_name +
                     R"(","name":"the_name","inbound_nodes":[{"args":[{"class_name":"__keras_tensor__",
     "config":{"shape":[null,3,4],"dtype":"float32","keras_history":["x",0,0]}}],"kwargs":{}}]}],
    "input_layers":[["x",0,0]],"output_layers":[["the_name",0,0]]},"registered_name":"Functional"})");
}

Json config_after_reading(const std::string& class_name, const std::string& config) {
  const models::Model model = models::model_from_json(model_of(class_name, config).dump());
  EXPECT_EQ(model.get_layer("the_name").class_name(), class_name);
  return Json::parse(model.to_json())["config"]["layers"][1]["config"];
}

TEST(OlderConfigurations, GetBackTheMembersThatTheyHad) {
  for (const char* const config : {R"({"axis":1,"keepdims":true})", R"({"axis":1})", R"({})",
                                   R"({"name":"the_name","axis":[1],"keepdims":false})"}) {
    EXPECT_EQ(config_after_reading("Mean", config).dump(), Json::parse(config).dump());
  }
}

TEST(OlderConfigurations, HaveTheDefaultsOfOptionsThatTheyLack) {
  const models::Model model = models::model_from_json(model_of("Max", R"({"axis":-1})").dump());
  EXPECT_EQ(model.outputs()[0].shape(), Shape({-1, 3}));
}

}  // namespace
}  // namespace rhyton::layers::older_configurations
