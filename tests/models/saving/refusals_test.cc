// The messages for files with unknown classes or values of a wrong type.

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rhyton/framework/error.h>
#include <rhyton/framework/io/hdf5/hdf5.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/serialization/keras_names.h>
#include <rhyton/layers/serialization.h>
#include <rhyton/models/saving/unknown_classes.h>
#include <rhyton/optimizers/sgd.h>
#include <rhyton/tests/models/saving/saving_models.h>

namespace rhyton::models {
namespace {

using io::Json;
using saving::UnknownClass;
using saving::UnknownClassesError;
using test::message_of;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// The saved form of a Dense layer; `more` adds members to its configuration.
std::string dense(const std::string& name, const std::string& more = "") {
  return R"({"module": "keras.layers", "class_name": "Dense", "registered_name": null, "config": {"name": ")" + name +
         R"(", "units": 2)" + more + "}}";
}

std::string layer(const std::string& module, const std::string& class_name, const std::string& name) {
  return R"({"module": ")" + module + R"(", "class_name": ")" + class_name +
         R"(", "registered_name": null, "config": )" + R"({"name": ")" + name + R"("}})";
}

class Refusals : public testing::Test {
 protected:
  std::string path(const std::string& name = "model.keras") const { return (folder_ / name).string(); }

  /// A file with a Sequential of these layers, given as JSON, after an Input of four numbers.
  void put_layers(const std::string& layers, const std::string& compile_config = "null") const {
    put_config(R"({"module": "keras.layers", "class_name": "InputLayer", "registered_name": null, "config":
                   {"name": "input", "batch_shape": [null, 4], "dtype": "float32"}}, )" +
                   layers,
               compile_config);
  }
  void put_config(const std::string& layers, const std::string& compile_config = "null") const {
    trained_dense().save(path("base.keras"));
    const std::string config = R"({"module": "keras", "class_name": "Sequential", "registered_name": null, "config": )"
                               R"({"name": "row", "layers": [)" +
                               layers + R"(]}, "compile_config": )" + compile_config + "}";
    replace_member(path("base.keras"), path(), "config.json", test::to_bytes(config.c_str()));
  }

  std::vector<UnknownClass> unknown(const LoadModelOptions& options = {}) const {
    try {
      load_model(path(), options);
    } catch (const UnknownClassesError& error) {
      return error.unknown();
    }
    return {};
  }
  std::string refusal(const LoadModelOptions& options = {}) const {
    return message_of<UnknownClassesError>([&] { load_model(path(), options); });
  }

  test::TemporaryFolder folder_;
};

constexpr const char* own_training = R"({
    "optimizer": {"module": "shop", "class_name": "Shampoo", "registered_name": "shop>Shampoo", "config": {}},
    "loss": {"module": "builtins", "class_name": "function", "config": "own_loss", "registered_name": "function"},
    "metrics": ["accuracy", {"module": "keras.metrics", "class_name": "LaterMetric", "registered_name": null, "config": {}},
                {"module": "shop", "class_name": "Sales", "registered_name": "shop>Sales", "config": {}}],
    "weighted_metrics": [["own_score"]]})";

TEST_F(Refusals, NameAllUnknownClassesAtOnce) {
  put_layers(layer("keras.layers", "LaterLayer", "noise") + ", " + layer("shop.layers", "Shelf", "upper") + ", " +
                 layer("keras.layers", "LaterLayer", "more_noise") + ", " +
                 dense("last", R"(, "activation": "own_activation", "kernel_constraint": {"module": "keras.constraints",
                                  "class_name": "RadialConstraint", "registered_name": null, "config": {}},
                                  "bias_initializer": {"module": "shop", "class_name": "OwnStart", "config": {},
                                  "registered_name": "shop>OwnStart"}, "kernel_regularizer": {"module":
                                  "keras.regularizers", "class_name": "LaterPenalty", "config": {},
                                  "registered_name": null})"),
             own_training);
  const std::string message = refusal();
  EXPECT_THAT(message,
              HasSubstr("Rhyton has no layer 'LaterLayer' (layers 'noise', 'more_noise'), constraint "
                        "'RadialConstraint' (`kernel_constraint` of layer 'last'), regularizer 'LaterPenalty' "
                        "(`kernel_regularizer` of layer 'last'), metric 'LaterMetric' (`metrics` of `compile`), which "
                        "Keras has."));
  EXPECT_THAT(
      message,
      HasSubstr("Could not locate the custom layer 'Shelf' (layer 'upper'), activation "
                "'own_activation' (`activation` of layer 'last'), initializer 'OwnStart' "
                "(`bias_initializer` of layer 'last'), optimizer 'Shampoo' (`optimizer` of `compile`), "
                "loss 'own_loss' (`loss` of `compile`), metric 'Sales' (`metrics` of `compile`), metric 'own_score' "
                "(`weighted_metrics` of `compile`)."));
  EXPECT_THAT(message, AllOf(HasSubstr("register_keras_serializable"), HasSubstr("custom_objects"),
                             HasSubstr("compile = false"), HasSubstr(path())));
  const std::vector<UnknownClass> all = unknown();
  EXPECT_EQ(std::count_if(all.begin(), all.end(), [](const UnknownClass& one) { return one.is_of_compile; }), 5);
  // Unknown objects of `compile` are then irrelevant.
  EXPECT_THAT(refusal({.compile = false}), AllOf(HasSubstr("'Shelf'"), Not(HasSubstr("'Shampoo'"))));
}

TEST_F(Refusals, OfWhatOnlyCompileWasGivenNameTheWaysOut) {
  put_layers(dense("first", R"(, "activation": "relu")") + ", " + dense("last"), own_training);
  const std::string message = refusal();
  EXPECT_THAT(message, AllOf(HasSubstr("'own_loss'"), HasSubstr("`compile = false`"), HasSubstr("`custom_objects`")));
  try {
    load_model(path());
    FAIL();
  } catch (const UnknownClassesError& error) {
    EXPECT_TRUE(error.is_of_compile_alone());
  }
}

TEST_F(Refusals, WaysOutLead) {
  Sequential model({layers::Input({.shape = {4}}), layers::Dense(2)});
  const auto own_loss = [](const Tensor& y_true, const Tensor& y_pred) { return mean(abs(y_true - y_pred), {-1}); };
  model.compile({.optimizer = "sgd", .loss = losses::Loss(own_loss, "own_loss"), .metrics = {"mae"}});
  const Tensor x = test::random_tensor({3, 4}, 5);
  for (const char* const name : {"own.keras", "own.h5"}) {
    model.save(path(name));
    const std::string message = message_of<UnknownClassesError>([&] { load_model(path(name)); });
    EXPECT_THAT(message, HasSubstr("Could not locate the custom loss 'own_loss' (`loss` of `compile`)")) << name;
    EXPECT_THAT(message, AllOf(HasSubstr("`compile = false`"), HasSubstr("`custom_objects`"), HasSubstr(path(name))));
    const Model uncompiled = load_model(path(name), {.compile = false});
    EXPECT_FALSE(uncompiled.is_compiled()) << name;
    EXPECT_EQ(uncompiled.predict(x, {.verbose = 0}).to_vector(), model.predict(x, {.verbose = 0}).to_vector()) << name;
    EXPECT_TRUE(load_model(path(name), {.custom_objects = {{"own_loss", own_loss}}}).is_compiled()) << name;
  }
}

TEST_F(Refusals, ReachIntoModelsAndWrappers) {
  put_layers(R"({"module": "keras", "class_name": "Sequential", "registered_name": null, "config": {"name": "inner",
                 "layers": [)" +
             layer("keras.layers", "LaterLayer", "deep") + R"(]}}, {"module": "keras.layers", "class_name":
                 "Wrapper", "registered_name": null, "config": {"name": "both", "layer": )" +
             layer("shop", "Shelf", "wrapped") + R"(}}, {"module": "keras.layers", "class_name":
                 "TimeDistributed", "registered_name": null, "config": {"name": "each", "layer": )" +
             layer("shop", "Counter", "known_wrapper") + "}}");
  EXPECT_THAT(refusal(), AllOf(HasSubstr("'LaterLayer' (layer 'deep')"), HasSubstr("'Wrapper' (layer 'both')"),
                               HasSubstr("'Shelf' (layer 'wrapped')"), HasSubstr("'Counter' (layer 'known_wrapper')")));
}

TEST_F(Refusals, OperationsAreNamedAllAtOnceToo) {
  const auto operation = [](const std::string& class_name, const std::string& name) {
    return R"({"module": "keras.src.ops.numpy", "class_name": ")" + class_name + R"(", "name": ")" + name +
           R"(", "registered_name": null, "inbound_nodes": [], "config": {"name": ")" + name + R"("}})";
  };
  const std::string operations = operation("Bincount", "first") + ", " + operation("Nonzero", "second");
  put_layers(operations);
  EXPECT_THAT(message_of<NotImplementedError>([&] { load_model(path()); }),
              AllOf(HasSubstr("'Bincount'"), HasSubstr("'first'"), HasSubstr("Others: 'Nonzero' of 'second'")));
  put_layers(operations + ", " + layer("shop", "Shelf", "upper"));
  EXPECT_THAT(refusal(),
              AllOf(HasSubstr("operation 'Bincount' ('first'), operation 'Nonzero' ('second'), which Keras has"),
                    HasSubstr("'Shelf'")));
}

TEST_F(Refusals, LegacyFilesDoNotSayTheModule) {
  trained_dense().save(path("base.h5"));
  const io::Hdf5File base = io::Hdf5File::open_read(path("base.h5"));
  std::string config = base.root().read_string_attribute("model_config");
  const auto replace = [](std::string& text, const std::string& from, const std::string& to) {
    const std::size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from << " in " << text;
    text.replace(at, from.size(), to);
  };
  replace(config, R"("class_name": "Dense")", R"("class_name": "Wrapper")");
  replace(config, R"("class_name": "Dense")", R"("class_name": "Shelf")");
  std::string training = base.root().read_string_attribute("training_config");
  replace(training, R"("class_name": "Adam")", R"("class_name": "Shampoo")");
  io::Hdf5File file = io::Hdf5File::create(path("model.h5"));
  file.root().write_string_attribute("model_config", config);
  file.root().write_string_attribute("training_config", training);
  file.commit();
  const std::string message = message_of<UnknownClassesError>([&] { load_model(path("model.h5")); });
  EXPECT_THAT(message, HasSubstr("Rhyton has no layer 'Wrapper' (layer 'dense"));
  EXPECT_THAT(message, HasSubstr("optimizer 'Shampoo' (`optimizer` of `compile`)"));
  EXPECT_THAT(message, HasSubstr("Could not locate the custom layer 'Shelf' (layer 'dense"));
}

TEST_F(Refusals, ALayerWithoutANameIsNotCalledByAnEmptyOne) {
  put_layers(R"({"module": "keras.layers", "class_name": "LaterLayer", "registered_name": null, "config": {}})");
  EXPECT_THAT(refusal(), AllOf(HasSubstr("'LaterLayer' (a layer without a name)"), Not(HasSubstr("''"))));
  for (const char* const module : {"keras.layers", "shop"}) {
    const std::string message = message_of<ValueError>([&] {
      layers::deserialize(Json::object(
          {{"module", module}, {"class_name", "Shelf"}, {"config", Json::object()}, {"registered_name", nullptr}}));
    });
    EXPECT_THAT(message, AllOf(HasSubstr("a layer without a name"), Not(HasSubstr("''"))));
  }
}

TEST_F(Refusals, ValuesOfTheWrongTypeNameLayerAndArgument) {
  const auto message = [&](const std::string& layers) {
    put_layers(layers);
    return message_of<Error>([&] { load_model(path()); });
  };
  EXPECT_THAT(message(dense("upper", R"(, "use_bias": "yes")")),
              HasSubstr("The argument `use_bias` of layer Dense must be a bool. Received: use_bias=\"yes\" (layer "
                        "'upper' of class Dense)"));
  const auto with = [](const std::string& class_name, const std::string& arguments) {
    return R"({"module": "keras.layers", "class_name": ")" + class_name +
           R"(", "registered_name": null, "config": {"name": "upper", )" + arguments + "}}";
  };
  const std::vector<std::pair<std::string, std::string>> layers = {
      {with("Dense", R"("units": "many")"), "`units`"},
      {with("Dense", R"("units": 2, "activation": 3)"), "`activation`"},
      {with("Dense", R"("units": 2, "kernel_initializer": [1])"), "`kernel_initializer`"},
      {with("Dense", R"("units": 2, "kernel_initializer": {"class_name": "Constant", "config": {"value": "x"}})"),
       "`kernel_initializer`"},
      {with("Dense", R"("units": 2, "kernel_regularizer": {"class_name": "L2", "config": {"l2": []}})"),
       "`kernel_regularizer`"},
      {with("Dense", R"("units": 2, "dtype": 3)"), "`dtype`"},
      {with("Dropout", R"("rate": "half")"), "`rate`"},
      {with("Dropout", R"("rate": 0.5, "noise_shape": "none")"), "`noise_shape`"},
      {with("Rescaling", R"("scale": "small")"), "`scale`"},
      {with("Rescaling", R"("scale": 1.0, "offset": ["a"])"), "`offset`"},
      {with("BatchNormalization", R"("axis": "last")"), "`axis`"},
      {with("LayerNormalization", R"("epsilon": true)"), "`epsilon`"},
      {with("Reshape", R"("target_shape": 3.5)"), "`target_shape`"},
      {with("MaxPooling2D", R"("pool_size": [2, "two"])"), "`pool_size`"},
  };
  for (const auto& [layer_config, argument] : layers) {
    const std::string said = message(layer_config);
    EXPECT_THAT(said, AllOf(HasSubstr(argument), HasSubstr("'upper'"), HasSubstr(path()))) << layer_config;
  }
  const auto input_message = [&](const std::string& arguments) {
    put_config(R"({"module": "keras.layers", "class_name": "InputLayer", "registered_name": null, "config": {)" +
               arguments + "}}");
    return message_of<Error>([&] { load_model(path()); });
  };
  EXPECT_THAT(input_message(R"("name": "words", "batch_shape": [null, 1], "dtype": "complex64")"),
              HasSubstr("The dtype \"complex64\" of input 'words' is not supported."));
  EXPECT_THAT(input_message(R"("batch_shape": [null, 1], "dtype": "complex64")"),
              AllOf(HasSubstr("a layer of class InputLayer without a name"), Not(HasSubstr("''"))));
  EXPECT_THAT(input_message(R"("name": "words", "batch_shape": 3)"),
              AllOf(HasSubstr("`batch_shape`"), HasSubstr("'words'")));
}

TEST_F(Refusals, WhatCompileWasGivenIsNamedByItsArgument) {
  const auto message = [&](const char* compile_config) {
    put_layers(dense("only"), compile_config);
    return message_of<Error>([&] { load_model(path()); });
  };
  EXPECT_THAT(message(R"({"optimizer": {"module": "keras.optimizers", "class_name": "SGD", "registered_name": null,
                          "config": {"momentum": "fast"}}, "loss": "mse"})"),
              HasSubstr("The argument `optimizer` of `compile` cannot be read: "));
  EXPECT_THAT(message(R"({"optimizer": "sgd", "loss": {"module": "keras.losses", "class_name": "Huber",
                          "registered_name": null, "config": {"delta": "x"}}})"),
              HasSubstr("The argument `loss` of `compile` cannot be read: "));
  EXPECT_THAT(message(R"({"optimizer": "sgd", "loss": "mse", "loss_weights": ["a"]})"),
              HasSubstr("The argument `loss_weights` of `compile` cannot be read: "));
  EXPECT_THAT(message(R"({"optimizer": "sgd", "loss": "mse", "metrics": [{"class_name": "TopKCategoricalAccuracy",
                          "config": {"k": "three"}}]})"),
              HasSubstr("The argument `metrics` of `compile` cannot be read: "));
}

TEST_F(Refusals, AFileThatIsNoZipIsCalledThat) {
  test::put(path(), "no archive at all");
  const std::string text = message_of<ValueError>([&] { load_model(path()); });
  EXPECT_THAT(text, AllOf(HasSubstr("is not a zip archive: filepath=" + path()), Not(HasSubstr("not found"))));
  EXPECT_EQ(message_of<ValueError>([&] { trained_dense().load_weights(path()); }), text);
  EXPECT_THAT(message_of<IOError>([&] { io::ZipReader reader{std::filesystem::path(path())}; }),
              HasSubstr("is not a zip archive"));
  trained_dense().save(path("model.h5"));
  std::filesystem::rename(path("model.h5"), path());
  EXPECT_THAT(message_of<ValueError>([&] { load_model(path()); }), HasSubstr("It is an HDF5 file"));
  // A truncated one is an archive, but not a valid one.
  trained_dense().save(path("whole.keras"));
  const std::string whole = test::content_of(path("whole.keras"));
  test::put(path(), whole.substr(0, whole.size() / 2));
  EXPECT_THAT(message_of<IOError>([&] { load_model(path()); }), HasSubstr("is not a valid zip archive"));
  std::filesystem::create_directory(path("folder.keras"));
  EXPECT_THAT(message_of<ValueError>([&] { load_model(path("folder.keras")); }), HasSubstr("no config.json"));
}

TEST(KerasNames, AreToldFromOthersByKind) {
  for (const char* const name : {"Dense", "LSTM", "MultiHeadAttention"}) EXPECT_TRUE(is_keras_name("layer", name));
  EXPECT_TRUE(is_keras_name("metric", "AUC"));
  EXPECT_TRUE(is_keras_name("metric", "auc"));
  EXPECT_TRUE(is_keras_name("optimizer", "lion"));
  EXPECT_TRUE(is_keras_name("loss", "dice"));
  EXPECT_FALSE(is_keras_name("layer", "AUC"));
  EXPECT_FALSE(is_keras_name("layer", "Den"));
  EXPECT_FALSE(is_keras_name("layer", ""));
  EXPECT_FALSE(is_keras_name("layer", "Dense Dot"));
  EXPECT_FALSE(is_keras_name("spoon", "Dense"));
}

}  // namespace
}  // namespace rhyton::models
