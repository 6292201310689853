// Custom classes and functions in saved models, and the messages if they are missing.

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/layers/core/lambda.h>
#include <rhyton/optimizers/sgd.h>
#include <rhyton/tests/models/saving/saving_models.h>

namespace rhyton::models {
namespace {

using io::Json;
using test::message_of;
using testing::HasSubstr;

class ScaleImpl final : public layers::LayerImpl {
 public:
  explicit ScaleImpl(double factor, const layers::LayerOptions& options = {}) : LayerImpl(options), factor_(factor) {}
  std::string class_name() const override { return "OwnScale"; }
  std::vector<Tensor> call(const std::vector<Tensor>& inputs, bool) override { return {inputs[0] * factor_}; }
  Json get_config() const override {
    Json config = LayerImpl::get_config();
    config["factor"] = factor_;
    return config;
  }

 private:
  double factor_;
};

layers::Layer scale_from(const Json& config) {
  return layers::make_layer<ScaleImpl>(config["factor"].as_double(),
                                       layers::LayerOptions{.name = config["name"].as_string()});
}

class OwnLossImpl final : public losses::LossImpl {
 public:
  explicit OwnLossImpl(const losses::LossOptions& options = {}) : LossImpl("OwnLoss", options) {}
  Tensor call(const Tensor& y_true, const Tensor& y_pred) const override {
    return mean(abs(y_true - y_pred), {-1}) * 3.0;
  }
};

class OwnRate final : public optimizers::schedules::LearningRateScheduleImpl {
 public:
  OwnRate() : LearningRateScheduleImpl("OwnRate") {}
  Tensor call(const Tensor& step) const override { return cast(step, float32) * 0.0 + 0.125; }
  Json get_config() const override { return Json::object(); }
};

class OwnStart final : public layers::InitializerImpl {
 public:
  Tensor call(const Shape& shape, DType dtype) const override { return Tensor::full(shape, 0.5, dtype); }
  std::string class_name() const override { return "OwnStart"; }
  Json get_config() const override { return Json::object(); }
};

class OwnPenalty final : public layers::RegularizerImpl {
 public:
  Tensor call(const Tensor& values) const override { return sum(values) * 0.25; }
  std::string class_name() const override { return "OwnPenalty"; }
  Json get_config() const override { return Json::object(); }
};

class OwnBound final : public layers::ConstraintImpl {
 public:
  explicit OwnBound(double bound) : bound_(bound) {}
  Tensor call(const Tensor& weight) const override { return minimum(weight, bound_); }
  std::string class_name() const override { return "OwnBound"; }
  Json get_config() const override { return Json::object({{"bound", bound_}}); }

 private:
  double bound_;
};

layers::Constraint bound_from(const Json& config) {
  return layers::Constraint(std::make_shared<OwnBound>(config["bound"].as_double()));
}

Tensor own_activation(const Tensor& x) { return x * x; }
Tensor own_error(const Tensor& y_true, const Tensor& y_pred) { return mean(abs(y_true - y_pred), {-1}); }

saving::CustomObjectMap all_objects() {
  return {
      {"OwnScale", scale_from},
      {"OwnLoss",
       [](const Json& config) {
         return losses::make_loss<OwnLossImpl>(losses::LossOptions{.name = config["name"].as_string()});
       }},
      {"OwnRate", [](const Json&) { return optimizers::schedules::make_schedule<OwnRate>(); }},
      {"OwnStart", [](const Json&) { return layers::Initializer(std::make_shared<OwnStart>()); }},
      {"OwnPenalty", [](const Json&) { return layers::Regularizer(std::make_shared<OwnPenalty>()); }},
      {"OwnBound", bound_from},
      {"own_activation", own_activation},
      {"own_error", own_error},
  };
}

/// A model with custom objects in every place.
Sequential own_model() {
  const saving::CustomObjectScope scope({{"own_activation", own_activation}});
  Sequential model({layers::Input({.shape = {4}}),
                    layers::Dense(3, {.activation = "own_activation",
                                      .kernel_initializer = layers::Initializer(std::make_shared<OwnStart>()),
                                      .kernel_regularizer = layers::Regularizer(std::make_shared<OwnPenalty>()),
                                      .kernel_constraint = layers::Constraint(std::make_shared<OwnBound>(0.25))}),
                    layers::make_layer<ScaleImpl>(2.0, layers::LayerOptions{.name = "doubled"})});
  model.compile({.optimizer = optimizers::SGD(
                     {.learning_rate = optimizers::schedules::make_schedule<OwnRate>(), .momentum = 0.5}),
                 .loss = losses::make_loss<OwnLossImpl>(),
                 .metrics = {metrics::MetricArgument(own_error, "own_error")}});
  model.train_on_batch(test::random_tensor({6, 4}, 1), test::random_tensor({6, 3}, 2));
  return model;
}

class CustomObjectsTest : public testing::Test {
 protected:
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  test::TemporaryFolder folder_;
};

TEST_F(CustomObjectsTest, OfEveryKindComeBackWithOneLoad) {
  const Sequential model = own_model();
  const Tensor x = test::random_tensor({6, 4}, 3);
  const Tensor y = test::random_tensor({6, 3}, 4);
  for (const char* const name : {"own.keras", "own.h5"}) {
    model.save(path(name));
    EXPECT_THROW(load_model(path(name)), ValueError) << name;
    const Model loaded = load_model(path(name), {.custom_objects = all_objects()});
    EXPECT_EQ(loaded.to_json(), model.to_json()) << name;
    EXPECT_EQ(loaded.predict(x, {.verbose = 0}).to_vector(), model.predict(x, {.verbose = 0}).to_vector()) << name;
    EXPECT_THROW(load_model(path(name)), ValueError) << "valid for that load only";
    const callbacks::Logs ours = load_model(path(name), {.custom_objects = all_objects()}).train_on_batch(x, y);
    const callbacks::Logs again = loaded.train_on_batch(x, y);
    EXPECT_EQ(ours.at("loss"), again.at("loss")) << name;
    EXPECT_TRUE(again.contains("own_error")) << name;
  }
  const callbacks::Logs expected = model.train_on_batch(x, y);
  EXPECT_EQ(load_model(path("own.keras"), {.custom_objects = all_objects()}).train_on_batch(x, y).at("loss"),
            expected.at("loss"));
}

TEST_F(CustomObjectsTest, ServeModelsFromJson) {
  const std::string text = own_model().to_json();
  EXPECT_THROW(model_from_json(text), ValueError);
  EXPECT_EQ(model_from_json(text, all_objects()).to_json(), text);
}

TEST_F(CustomObjectsTest, ThatAreRegisteredAreSavedWithTheirPackage) {
  saving::register_keras_serializable("shop", "OwnRegistered", [](const Json& config) {
    return losses::make_loss<OwnLossImpl>(losses::LossOptions{.name = config["name"].as_string()});
  });
  const losses::Loss loss = losses::deserialize(
      Json::parse(R"({"module": "shop.losses", "class_name": "OwnRegistered", "config": {"name": "x"},
                      "registered_name": "shop>OwnRegistered"})"));
  EXPECT_EQ(loss.name(), "x");
  constraints::register_constraint("OwnBound", bound_from, "shop");
  const layers::Dense dense(2, {.kernel_constraint = bound_from(Json::object({{"bound", 0.5}}))});
  EXPECT_EQ(dense.get_config()["kernel_constraint"]["registered_name"], Json("shop>OwnBound"));
  EXPECT_EQ(layers::Dense::from_config(dense.get_config()).get_config(), dense.get_config());
  optimizers::schedules::register_schedule(
      "OwnRate", [](const Json&) { return optimizers::schedules::make_schedule<OwnRate>(); }, "shop");
  EXPECT_EQ(optimizers::schedules::serialize(optimizers::schedules::make_schedule<OwnRate>())["registered_name"],
            Json("shop>OwnRate"));
}

void put_layer(const std::string& path, const std::string& layer) {
  trained_dense().save(path);
  const std::string config = R"({"module": "keras", "class_name": "Sequential", "config": {"name": "sequential",
      "layers": [{"module": "keras.layers", "class_name": "InputLayer", "config": {"batch_shape": [null, 4],
      "name": "input"}, "registered_name": null}, )" +
                             layer + R"(]}, "registered_name": null})";
  replace_member(path, path + ".new", "config.json", test::to_bytes(config));
  std::filesystem::rename(path + ".new", path);
}

TEST_F(CustomObjectsTest, MissingOnesAreNamedWithLayerAndFile) {
  put_layer(path("own.keras"), R"({"module": "shop.layers", "class_name": "Shelf", "config": {"name": "upper"},
                                   "registered_name": "shop>Shelf"})");
  const std::string message = message_of<ValueError>([&] { load_model(path("own.keras")); });
  for (const std::string& part : {std::string("'Shelf'"), std::string("'upper'"), path("own.keras"),
                                  std::string("register_keras_serializable"), std::string("custom_objects")}) {
    EXPECT_THAT(message, HasSubstr(part));
  }
}

TEST_F(CustomObjectsTest, LayersThatRhytonLacksAreNamedAndCanBeGiven) {
  put_layer(path("own.keras"), R"({"module": "keras.layers", "class_name": "LaterLayer",
                                   "config": {"name": "upper", "factor": 2.0}, "registered_name": null})");
  const std::string message = message_of<ValueError>([&] { load_model(path("own.keras")); });
  EXPECT_THAT(message, HasSubstr("Rhyton has no layer 'LaterLayer'"));
  EXPECT_THAT(message, HasSubstr("'upper'"));
  EXPECT_THAT(message, HasSubstr(path("own.keras")));
  put_layer(path("own.keras"), R"({"module": "keras.layers", "class_name": "Dense", "config": {"name": "upper",
      "units": 3}, "registered_name": null}, {"module": "keras.layers", "class_name": "LaterLayer",
      "config": {"name": "middle", "factor": 2.0}, "registered_name": null}, {"module": "keras.layers",
      "class_name": "Dense", "config": {"name": "lower", "units": 2}, "registered_name": null})");
  const Model model = load_model(path("own.keras"), {.custom_objects = {{"LaterLayer", scale_from}}});
  EXPECT_EQ(model.get_layer("middle").class_name(), "OwnScale");
}

TEST_F(CustomObjectsTest, LambdaIsRefusedInKerasWords) {
  put_layer(path("own.keras"), R"({"module": "keras.layers", "class_name": "Lambda", "config": {"name": "upper",
      "function": {"class_name": "__lambda__", "config": {"code": "4wEAAAA=", "defaults": null, "closure": null}}},
      "registered_name": null})");
  const std::string message = message_of<ValueError>([&] { load_model(path("own.keras")); });
  EXPECT_THAT(message,
              HasSubstr("Requested the deserialization of a `Lambda` layer whose `function` is a Python lambda. "
                        "This carries a potential risk of arbitrary code execution and thus it is disallowed by "
                        "default."));
  EXPECT_THAT(message, HasSubstr("'upper'"));
  EXPECT_THAT(message, HasSubstr(path("own.keras")));
  EXPECT_THAT(message_of<NotImplementedError>([&] { load_model(path("own.keras"), {.safe_mode = false}); }),
              HasSubstr("Layer 'upper' is a `Lambda`: its Python function cannot be run."));
  EXPECT_THAT(message, HasSubstr("`custom_objects = {{\"Lambda\", factory}}`"));
  const auto factory = [](const io::Json& config) -> layers::Layer {
    return layers::Lambda([](const Tensor& x) { return x * 3.0; }, {.name = config["name"].as_string()});
  };
  const Model model = load_model(path("own.keras"), {.custom_objects = {{"Lambda", factory}}});
  EXPECT_EQ(model.predict(Tensor::full({1, 4}, 2.0), {.verbose = 0}).to_vector(), (std::vector<double>{6, 6, 6, 6}));
}

TEST_F(CustomObjectsTest, ArgumentsThatAreNotKnownNameTheLayer) {
  put_layer(path("own.keras"), R"({"module": "keras.layers", "class_name": "Dense", "config": {"name": "upper",
      "units": 3, "sharpness": 4}, "registered_name": null})");
  const std::string message = message_of<ValueError>([&] { load_model(path("own.keras")); });
  EXPECT_THAT(message, HasSubstr("Unrecognized keyword arguments passed to Dense: {'sharpness': 4}"));
  EXPECT_THAT(message, HasSubstr("(layer 'upper' of class Dense)"));
  EXPECT_THAT(message, HasSubstr(path("own.keras")));
}

TEST_F(CustomObjectsTest, ALayerThatStandsInTwoModelsComesBackAsOne) {
  const layers::Dense shared(4, {.name = "shared"});
  const Sequential a({layers::Input({.shape = {4}}), shared, layers::Dense(4, {.name = "own_a"})});
  const Sequential b({layers::Input({.shape = {4}}), shared, layers::Dense(4, {.name = "own_b"})});
  const layers::SymbolicTensor x = layers::Input({.shape = {4}});
  const Model model({.inputs = x, .outputs = layers::Add()({a(x), b(x)})});
  model.compile({.optimizer = "sgd", .loss = "mse"});
  for (const char* const name : {"shared.keras", "shared.h5"}) {
    model.save(path(name));
    const Model loaded = load_model(path(name));
    EXPECT_EQ(loaded.weights().size(), 6u) << name;
    EXPECT_EQ(loaded.count_params(), model.count_params()) << name;
    const Tensor input = test::random_tensor({3, 4}, 7);
    EXPECT_EQ(loaded.predict(input, {.verbose = 0}).to_vector(), model.predict(input, {.verbose = 0}).to_vector())
        << name;
  }
}

}  // namespace
}  // namespace rhyton::models
