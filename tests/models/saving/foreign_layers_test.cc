// Layers that wrap code of other frameworks are refused with a sentence of their own, without advice to register them.

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rhyton/framework/error.h>
#include <rhyton/layers/core/identity.h>
#include <rhyton/layers/serialization.h>
#include <rhyton/models/saving/unknown_classes.h>
#include <rhyton/tests/models/saving/saving_models.h>
#include <rhyton/tests/support/message_of.h>

namespace rhyton::models {
namespace {

using io::Json;
using saving::UnknownClassesError;
using test::message_of;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// The classes with their configurations, and what they wrap.
struct ForeignClass {
  const char* name;
  const char* arguments;
  const char* code;
};
const std::vector<ForeignClass> foreign_classes = {
    {"FlaxLayer", R"("module": {"module": "shop", "class_name": "Net", "config": {}}, "method": null)",
     "a Python module of Flax"},
    {"JaxLayer", R"("call_fn": {"class_name": "function", "config": "apply"}, "init_fn": null)",
     "a Python function of JAX"},
    {"TFSMLayer", R"("filepath": "saved", "call_endpoint": "serve", "call_training_endpoint": null)",
     "a SavedModel of TensorFlow"},
    {"TorchModuleWrapper", R"("module": "UEsDBA==", "output_shape": null)", "a Python module of PyTorch"}};

std::string layer(const std::string& class_name, const std::string& name, const std::string& arguments,
                  const std::string& module = R"("module": "keras.layers", )") {
  return "{" + module + R"("class_name": ")" + class_name + R"(", "registered_name": null, "config": {"name": ")" +
         name + R"(", )" + arguments + "}}";
}

class ForeignLayers : public testing::Test {
 protected:
  std::string path() const { return (folder_ / "model.keras").string(); }

  /// A file with a Sequential of these layers after an Input of four numbers.
  void put_layers(const std::string& layers) const {
    const std::string base = (folder_ / "base.keras").string();
    trained_dense().save(base);
    const std::string config =
        R"({"module": "keras", "class_name": "Sequential", "registered_name": null, "config": {"name": "row", )"
        R"("layers": [{"module": "keras.layers", "class_name": "InputLayer", "registered_name": null, "config": )"
        R"({"name": "input", "batch_shape": [null, 4], "dtype": "float32"}}, )" +
        layers + "]}}";
    replace_member(base, path(), "config.json", test::to_bytes(config.c_str()));
  }

  test::TemporaryFolder folder_;
};

TEST_F(ForeignLayers, AreNamedWithWhatTheyWrap) {
  for (const ForeignClass& foreign : foreign_classes) {
    const std::string sentence = std::string("Rhyton cannot run the layer '") + foreign.name +
                                 "' (layer 'encoder'), which wraps code of another framework, " + foreign.code + ".";
    put_layers(layer(foreign.name, "encoder", foreign.arguments));
    EXPECT_THAT(message_of<NotImplementedError>([&] { load_model(path()); }),
                AllOf(HasSubstr(sentence), HasSubstr(path()), Not(HasSubstr("custom_objects")),
                      Not(HasSubstr("Rhyton has no"))));
    EXPECT_EQ(message_of<NotImplementedError>(
                  [&] { layers::deserialize(Json::parse(layer(foreign.name, "encoder", foreign.arguments))); }),
              sentence);
    // Legacy files do not say the module.
    EXPECT_EQ(message_of<NotImplementedError>(
                  [&] { layers::deserialize(Json::parse(layer(foreign.name, "encoder", foreign.arguments, ""))); }),
              sentence);
  }
}

TEST_F(ForeignLayers, AreListedBesideUnknownClasses) {
  put_layers(layer("TFSMLayer", "first", R"("filepath": "saved")") + ", " +
             layer("TFSMLayer", "second", R"("filepath": "saved")") + ", " +
             layer("JaxLayer", "third", R"("init_fn": null)") + ", " +
             layer("Shelf", "upper", R"("depth": 2)", R"("module": "shop", )"));
  EXPECT_THAT(message_of<UnknownClassesError>([&] { load_model(path()); }),
              AllOf(HasSubstr("Rhyton cannot run the layer 'TFSMLayer' (layers 'first', 'second'), which wraps code of "
                              "another framework, a SavedModel of TensorFlow. Rhyton cannot run the layer 'JaxLayer' "
                              "(layer 'third'), which wraps code of another framework, a Python function of JAX. Could "
                              "not locate the custom layer 'Shelf' (layer 'upper'). Register the others with "),
                    Not(HasSubstr("Rhyton has no"))));
}

TEST_F(ForeignLayers, OfThatNameFromElsewhereAreCustomOnes) {
  put_layers(layer("JaxLayer", "own", R"("depth": 2)", R"("module": "shop", )"));
  EXPECT_THAT(message_of<UnknownClassesError>([&] { load_model(path()); }),
              AllOf(HasSubstr("Could not locate the custom layer 'JaxLayer' (layer 'own')."),
                    HasSubstr("Register them with "), Not(HasSubstr("another framework"))));
}

TEST_F(ForeignLayers, CanBeReplaced) {
  put_layers(layer("JaxLayer", "encoder", R"("init_fn": null)") + ", " + layer("Dense", "middle", R"("units": 3)") +
             ", " + layer("Dense", "last", R"("units": 2)"));
  const auto identity = [](const Json&) -> layers::Layer { return layers::Identity({.name = "encoder"}); };
  const Model model = load_model(path(), {.custom_objects = {{"JaxLayer", layers::LayerFactory(identity)}}});
  EXPECT_EQ(model.get_layer("encoder").class_name(), "Identity");
}

}  // namespace
}  // namespace rhyton::models
