#include <gtest/gtest.h>

#include <rhyton/framework/context.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/layers/core/dense.h>
#include <rhyton/layers/core/input.h>
#include <rhyton/layers/merging/add.h>
#include <rhyton/layers/normalization/batch_normalization.h>
#include <rhyton/layers/reshaping/flatten.h>
#include <rhyton/layers/serialization.h>

namespace rhyton::layers {
namespace {

class SerializationTest : public ::testing::Test {
 protected:
  void SetUp() override { clear_session(); }
};

TEST_F(SerializationTest, WritesTheFormOfKeras) {
  const Dense dense(10, {.activation = "softmax", .kernel_regularizer = "l2"});
  dense.build({-1, 784});
  EXPECT_EQ(serialize(dense).dump(),
            R"({"module": "keras.layers", "class_name": "Dense", "config": {"name": "dense", "trainable": true, )"
            R"("dtype": "float32", "units": 10, "activation": "softmax", "use_bias": true, )"
            R"("kernel_initializer": {"module": "keras.initializers", "class_name": "GlorotUniform", )"
            R"("config": {"seed": null}, "registered_name": null}, )"
            R"("bias_initializer": {"module": "keras.initializers", "class_name": "Zeros", "config": {}, )"
            R"("registered_name": null}, "kernel_regularizer": {"module": "keras.regularizers", "class_name": "L2", )"
            R"("config": {"l2": 0.01}, "registered_name": null}, "bias_regularizer": null, )"
            R"("kernel_constraint": null, "bias_constraint": null}, "registered_name": null, )"
            R"("build_config": {"input_shape": [null, 784]}})");
  EXPECT_EQ(serialize(Input({.shape = {784}})).dump(),
            R"({"module": "keras.layers", "class_name": "InputLayer", "config": {"batch_shape": [null, 784], )"
            R"("dtype": "float32", "sparse": false, "name": "input_layer"}, "registered_name": null})");
  const Flatten flatten;
  EXPECT_FALSE(serialize(flatten).contains("build_config"));
  flatten(Input({.shape = {2, 3}}));
  EXPECT_EQ(serialize(flatten)["build_config"].dump(), R"({"input_shape": [null, 2, 3]})");
  const Add add;
  add({Input({.shape = {3}}), Input({.shape = {3}})});
  EXPECT_EQ(serialize(add)["build_config"].dump(), R"({"input_shape": [[null, 3], [null, 3]]})");
}

TEST_F(SerializationTest, ComesBackBuilt) {
  const Dense dense(10, {.name = "mine", .trainable = false});
  dense.build({-1, 4});
  const Layer again = deserialize(serialize(dense));
  EXPECT_TRUE(again.is_built());
  EXPECT_FALSE(again.trainable());
  EXPECT_EQ(again.name(), "mine");
  again.set_weights(dense.get_weights());
  const Tensor x = Tensor::full({2, 4}, 0.5);
  EXPECT_EQ(again(x).to_vector(), dense(x).to_vector());
}

TEST_F(SerializationTest, ReadsEveryKeras) {
  // Keras 3.13 adds a key whose value is null, Keras 3.4 a policy object.
  const Layer newest = deserialize(io::Json::parse(
      R"({"module": "keras.layers", "class_name": "Dense", "registered_name": null, "config": {"name": "d", "trainable":
          true, "dtype": {"module": "keras", "class_name": "DTypePolicy", "config": {"name": "mixed_bfloat16"},
          "registered_name": null}, "units": 2, "quantization_config": null}})"));
  EXPECT_EQ(newest.impl()->dtype_policy(), "mixed_bfloat16");
  // Keras 2: no modules, a list for an axis, a plain dtype.
  const Layer oldest = deserialize(io::Json::parse(
      R"({"class_name": "BatchNormalization", "config": {"name": "b", "trainable": true, "dtype": "float32", "axis": [3],
          "momentum": 0.9, "epsilon": 0.01, "center": true, "scale": false, "beta_initializer": {"class_name": "Ones",
          "config": {}}, "gamma_initializer": {"class_name": "Ones", "config": {}}, "moving_mean_initializer":
          {"class_name": "Zeros", "config": {}}, "moving_variance_initializer": {"class_name": "Ones", "config": {}},
          "beta_regularizer": null, "gamma_regularizer": null, "beta_constraint": null, "gamma_constraint": null}})"));
  EXPECT_EQ(oldest.get_config()["axis"].as_int(), 3);
  EXPECT_EQ(oldest.get_config()["beta_initializer"]["class_name"].as_string(), "Ones");
  const Layer input = deserialize(io::Json::parse(
      R"({"class_name": "InputLayer", "config": {"batch_input_shape": [null, 28, 28], "dtype": "uint8", "sparse": false,
          "ragged": false, "name": "images"}})"));
  EXPECT_EQ(input_tensor(input).shape(), (Shape{-1, 28, 28}));
  EXPECT_EQ(input_tensor(input).dtype(), DType::uint8);
}

void expect_refusal(const std::string& json, const std::vector<std::string>& parts) {
  try {
    deserialize(io::Json::parse(json));
    FAIL() << json;
  } catch (const ValueError& error) {
    for (const std::string& part : parts) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
  }
}

// As TensorFlow 2.12 wrote NumPy numbers.
TEST_F(SerializationTest, ReadsValuesOfNumPy) {
  const Layer relu = deserialize(io::Json::parse(
      R"({"class_name": "ReLU", "config": {"name": "cut", "max_value": {"class_name": "__numpy__", )"
      R"("config": {"value": 2.5, "dtype": "float32"}}, "negative_slope": 0.25, "threshold": {"class_name": )"
      R"("__numpy__", "config": {"value": 0.0, "dtype": "float32"}}}})"));
  EXPECT_EQ(relu.get_config()["max_value"], io::Json(2.5));
  EXPECT_EQ(relu.get_config()["negative_slope"], io::Json(0.25));
  EXPECT_EQ(relu.get_config()["threshold"], io::Json(0.0));
}

TEST_F(SerializationTest, RefusesWhatItDoesNotKnow) {
  expect_refusal(R"({"class_name": "Nonsense", "config": {"name": "mine"}})",
                 {"Could not locate class 'Nonsense'", "'mine'", "register_keras_serializable"});
  expect_refusal(R"({"class_name": "Dense", "config": {"units": 3, "nonsense": 1}})",
                 {"Unrecognized keyword arguments passed to Dense: {'nonsense': 1}"});
  expect_refusal(
      R"({"class_name": "Dense", "config": {"units": 3, "kernel_constraint": {"class_name": "Nonsense", "config": {}}}})",
      {"kernel_constraint", "Could not interpret constraint identifier: Nonsense"});
  expect_refusal(R"({"class_name": "Dense", "config": {}})", {"units"});
  expect_refusal(R"({"config": {}})", {"class_name"});
  expect_refusal(R"({"class_name": "Dense"})", {"config"});
}

class Scale final : public LayerImpl {
 public:
  Scale(double factor, const LayerOptions& options) : LayerImpl(options), factor_(factor) {}
  std::string class_name() const override { return "Scale"; }
  std::vector<Tensor> call(const std::vector<Tensor>& inputs, bool) override { return {multiply(inputs[0], factor_)}; }
  io::Json get_config() const override {
    io::Json config = LayerImpl::get_config();
    config["factor"] = factor_;
    return config;
  }

 private:
  double factor_;
};

TEST_F(SerializationTest, OwnClassesAreRegistered) {
  const Layer scale = make_layer<Scale>(3.0, LayerOptions{.name = "triple"});
  EXPECT_EQ(serialize(scale)["registered_name"].as_string(), "Scale");
  register_keras_serializable("mine", "Scale", [](const io::Json& config) {
    return make_layer<Scale>(config["factor"].as_double(), LayerOptions{.name = config["name"].as_string()});
  });
  const io::Json written = serialize(scale);
  EXPECT_EQ(written["registered_name"].as_string(), "mine>Scale");
  EXPECT_TRUE(written["module"].is_null());
  const Layer again = deserialize(written);
  EXPECT_EQ(again.name(), "triple");
  EXPECT_EQ(again(Tensor::full({2}, 2.0)).to_vector(), (std::vector<double>{6, 6}));
}

}  // namespace
}  // namespace rhyton::layers
