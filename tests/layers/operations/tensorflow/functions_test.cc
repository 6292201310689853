// Functions of TensorFlow in models of tf.keras 2.15, against its results (tests/golden/make_tf_functions.py).

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/io/json/json.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/layers/operations/operation.h>
#include <rhyton/models/model.h>
#include <rhyton/tests/layers/golden_cases.h>
#include <rhyton/tests/support/message_of.h>

namespace rhyton::layers::tensorflow_functions {
namespace {

using io::Json;

Tensor tensor_of(const Json& described) {
  Shape shape;
  for (const Json& length : described["shape"]) shape.push_back(length.as_int());
  std::vector<double> values;
  for (const Json& value : described["values"]) values.push_back(value.as_double());
  return cast(Tensor::from_data<double>(shape, values), dtype_from_name(described["dtype"].as_string()));
}

std::vector<Tensor> inputs_of(const Json& golden) {
  std::vector<Tensor> inputs;
  for (const Json& input : golden["inputs"]) inputs.push_back(tensor_of(input));
  return inputs;
}

/// Keras 3 has smaller dtypes for positions, counts and quotients of integers than TensorFlow.
std::string dtype_in_keras_3(const Json& golden) {
  const std::string dtype = golden["output"]["dtype"].as_string();
  const std::string expression = golden["expression"].as_string();
  if (dtype == "int64") return "int32";
  return expression == "x / 4" ? "float32" : dtype;
}

void expect_output(const models::Model& model, const Json& golden) {
  const Tensor expected = tensor_of(golden["output"]);
  const Tensor actual = model.call_many(inputs_of(golden)).at(0);
  EXPECT_EQ(name_of(actual.dtype()), dtype_in_keras_3(golden));
  ASSERT_EQ(actual.shape(), expected.shape());
  const std::vector<double> values = expected.to_vector();
  const std::vector<double> elements = actual.to_vector();
  for (std::size_t i = 0; i < values.size(); ++i) {
    ASSERT_NEAR(elements[i], values[i], 1e-5 * std::max(1.0, std::abs(values[i]))) << "element " << i;
  }
}

const test::GoldenCases& cases() {
  static const test::GoldenCases golden("tf_functions");
  return golden;
}

TEST(TensorflowFunctions, ComputeWhatTheyComputeInTfKeras) {
  int count = 0;
  for (const Json& golden : cases().cases()) {
    if (golden.contains("refused_function")) continue;
    SCOPED_TRACE(golden["expression"].as_string());
    ++count;
    ASSERT_NO_THROW(expect_output(models::model_from_json(golden["config"].dump()), golden));
  }
  EXPECT_GT(count, 200);
}

TEST(TensorflowFunctions, AreWrittenAsOperationsOfKeras3) {
  for (const Json& golden : cases().cases()) {
    if (golden.contains("refused_function")) continue;
    SCOPED_TRACE(golden["expression"].as_string());
    const std::string text = models::model_from_json(golden["config"].dump()).to_json();
    EXPECT_EQ(text.find("OpLambda"), std::string::npos);
    ASSERT_NO_THROW(expect_output(models::model_from_json(text), golden));
  }
}

TEST(TensorflowFunctions, GiveTheirNameToTheLastOperation) {
  for (const Json& golden : cases().cases()) {
    if (golden.contains("refused_function")) continue;
    SCOPED_TRACE(golden["expression"].as_string());
    const models::Model model = models::model_from_json(golden["config"].dump());
    for (const Json& layer : golden["config"]["config"]["layers"]) {
      EXPECT_NO_THROW(static_cast<void>(model.get_layer(layer["name"].as_string())));
    }
  }
}

TEST(TensorflowFunctions, AreRefusedByLayerAndFunctionWhereRhytonLacksThem) {
  int count = 0;
  for (const Json& golden : cases().cases()) {
    if (!golden.contains("refused_function")) continue;
    SCOPED_TRACE(golden["expression"].as_string());
    ++count;
    try {
      static_cast<void>(models::model_from_json(golden["config"].dump()));
      ADD_FAILURE() << "It is not refused.";
    } catch (const NotImplementedError& error) {
      const std::string message = error.what();
      EXPECT_NE(message.find("'" + golden["refused_layer"].as_string() + "'"), std::string::npos) << message;
      EXPECT_NE(message.find("'" + golden["refused_function"].as_string() + "'"), std::string::npos) << message;
    }
  }
  EXPECT_GE(count, 8);
}

/// A model of one function of this input by position, in the form of tf.keras.
std::string model_of(const std::string& function, const std::string& node) {
  return R"({"class_name":"Functional","config":{"name":"m","trainable":true,"layers":[
    {"class_name":"InputLayer","config":{"batch_input_shape":[null,4],"dtype":"float32","name":"x"},"name":"x","inbound_nodes":[]},
    {"class_name":"TFOpLambda","config":{"name":"f","trainable":true,"dtype":"float32","function":")" +
         function + R"("},"name":"f","inbound_nodes":[)" + node +
         R"(]}],"input_layers":[["x",0,0]],"output_layers":[["f",0,0]]}})";
}

TEST(TensorflowFunctions, InvalidCallsAreErrors) {
  const std::vector<std::pair<std::string, std::string>> calls = {
      {"math.add", R"(["_CONSTANT_VALUE",-1,2.0,{"y":1.0}])"},
      {"math.add", R"(["_CONSTANT_VALUE",-1,2.0,{"y":null}])"},
      {"math.add", R"(["x",0,0,{}])"},
      {"math.add", R"(["x",0,0,{"y":[["x",0,0],1.0]}])"},
      {"math.add", R"(["x",0,0,{"y":"text"}])"},
      {"math.exp", R"([])"},
      {"math.exp", R"([["x",0,0,{}],["x",0,0,{}]])"},
      {"math.exp", R"(["x",0,0,{"unknown":1}])"},
      {"math.exp", R"(["_CONSTANT_VALUE",-1,[[1.0],2.0],{}])"},
      {"math.exp", R"(["y",0,0,{}])"},
      {"concat", R"(["_CONSTANT_VALUE",-1,"text",{"axis":0}])"},
      {"concat", R"([["_CONSTANT_VALUE",-1,1.0,{"axis":0}],["x",0,0,{"axis":0}]])"},
      {"reshape", R"(["x",0,0,{"shape":[["x",0,0],2]}])"},
      {"reshape", R"(["x",0,0,{}])"},
      {"split", R"(["x",0,0,{"num_or_size_splits":[1,-1],"axis":7}])"},
      {"compat.v1.gather", R"(["x",0,0,{"indices":[0],"axis":"a"}])"},
      {"one_hot", R"(["x",0,0,{"depth":null}])"},
      {"cast", R"(["x",0,0,{"dtype":"text"}])"},
      {"__operators__.getitem", R"(["x",0,0,{"slice_spec":{"start":0.5}}])"},
      {"__operators__.getitem", R"(["x",0,0,{"slice_spec":[0,0,0]}])"},
  };
  for (const auto& [function, node] : calls) {
    EXPECT_THROW(static_cast<void>(models::model_from_json(model_of(function, node))), Error)
        << function << " " << node;
  }
}

TEST(TensorflowFunctions, ABandWithoutLimitsIsTheWholeMatrix) {
  int count = 0;
  for (const Json& golden : cases().cases()) {
    if (golden["expression"].as_string() != "tf.linalg.band_part(x, -1, 0)") continue;
    ++count;
    std::string config = golden["config"].dump();
    const std::string limit = R"("num_upper": 0)";
    const std::size_t position = config.find(limit);
    ASSERT_NE(position, std::string::npos) << config;
    config.replace(position, limit.size(), R"("num_upper": -1)");
    const std::vector<Tensor> inputs = inputs_of(golden);
    EXPECT_EQ(models::model_from_json(config).call_many(inputs).at(0).to_vector(), inputs.front().to_vector());
  }
  EXPECT_EQ(count, 1);
}

/// Two Dense layers, each behind it a function with one operand.
std::string model_of_branches(const std::string& first_function, const std::string& second_function) {
  const auto dense = [](const std::string& name) {
    return R"({"class_name":"Dense","config":{"name":")" + name +
           R"(","trainable":true,"dtype":"float32","units":2},"name":")" + name +
           R"(","inbound_nodes":[[["x",0,0,{}]]]})";
  };
  const auto function = [](const std::string& name, const std::string& tf_name, const std::string& input) {
    const std::string operand = tf_name == "math.squared_difference" ? R"("y":1.0)" : "";
    return R"({"class_name":"TFOpLambda","config":{"name":")" + name + R"(","function":")" + tf_name +
           R"("},"name":")" + name + R"(","inbound_nodes":[[")" + input + R"(",0,0,{)" + operand + R"(}]]})";
  };
  return R"({"class_name":"Functional","config":{"name":"m","trainable":true,"layers":[
    {"class_name":"InputLayer","config":{"batch_input_shape":[null,4],"dtype":"float32","name":"x"},"name":"x","inbound_nodes":[]},)" +
         dense("a") + "," + dense("b") + "," + function("f", first_function, "a") + "," +
         function("g", second_function, "b") +
         R"(],"input_layers":[["x",0,0]],"output_layers":[["f",0,0],["g",0,0]]}})";
}

TEST(TensorflowFunctions, ThatWouldChangeTheOrderOfLayersAreRefused) {
  const auto names = [](const models::Model& model) {
    std::string text;
    for (const Layer& layer : model.layers()) {
      if (!layer.weights().empty()) text += layer.name();
    }
    return text;
  };
  EXPECT_EQ(names(models::model_from_json(model_of_branches("math.exp", "math.tanh"))), "ab");
  EXPECT_EQ(names(models::model_from_json(model_of_branches("math.squared_difference", "math.tanh"))), "ab");
  EXPECT_EQ(test::message_of<NotImplementedError>([] {
              static_cast<void>(models::model_from_json(model_of_branches("math.tanh", "math.squared_difference")));
            }),
            "Functions of TensorFlow that become several operations change the order of the layers with weights, by "
            "which files find weights: expected layer 'a' here, found 'b'.");
}

}  // namespace
}  // namespace rhyton::layers::tensorflow_functions
