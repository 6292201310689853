// Operators on symbolic tensors as Keras saves them: `x + y`, `2 * x`, `keras.ops.mean(x)`.

#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/framework/error.h>
#include <rhyton/framework/io/json/json.h>
#include <rhyton/models/model.h>
#include <rhyton/tests/support/message_of.h>

namespace rhyton::models {
namespace {

using io::Json;

Json tensor_of(const std::string& layer, const Json& shape, const std::string& dtype = "float32") {
  return Json::object(
      {{"class_name", "__keras_tensor__"},
       {"config", Json::object({{"shape", shape}, {"dtype", dtype}, {"keras_history", Json::array({layer, 0, 0})}})}});
}

Json input(const std::string& name, const Json& shape) {
  return Json::object({{"module", "keras.layers"},
                       {"class_name", "InputLayer"},
                       {"config", Json::object({{"batch_shape", shape}, {"dtype", "float32"}, {"name", name}})},
                       {"registered_name", nullptr},
                       {"name", name},
                       {"inbound_nodes", Json::array()}});
}

/// A model of the inputs a and b, [batch, 2], that gives what the operation of these arguments does.
Model model_of(const std::string& operation, const Json& arguments,
               const Json& shape_of_b = Json::array({nullptr, 2})) {
  const Json shape = Json::array({nullptr, 2});
  const Json operation_entry =
      Json::object({{"module", "keras.src.ops.numpy"},
                    {"class_name", operation},
                    {"config", Json::object({{"name", "joined"}})},
                    {"registered_name", operation},
                    {"name", "joined"},
                    {"inbound_nodes", Json::array({Json::object({{"args", arguments}, {"kwargs", Json::object()}})})}});
  const Json config =
      Json::object({{"name", "model"},
                    {"trainable", true},
                    {"layers", Json::array({input("a", shape), input("b", shape_of_b), operation_entry})},
                    {"input_layers", Json::array({Json::array({"a", 0, 0}), Json::array({"b", 0, 0})})},
                    {"output_layers", Json::array({"joined", 0, 0})}});
  return model_from_json(Json::object({{"module", "keras.src.models.functional"},
                                       {"class_name", "Functional"},
                                       {"config", config},
                                       {"registered_name", "Functional"}})
                             .dump());
}

std::vector<double> result_of(const Model& model) {
  const Tensor a = Tensor::from_data<float>({1, 2}, {1, 2});
  const Tensor b = Tensor::from_data<float>({1, 2}, {10, 20});
  return model.predict({a, b}, {.verbose = 0}).to_vector();
}

const Json two = Json::array({nullptr, 2});
const Json a = tensor_of("a", two);
const Json b = tensor_of("b", two);

TEST(Operations, JoinTwoTensors) {
  EXPECT_EQ(result_of(model_of("Add", Json::array({a, b}))), (std::vector<double>{11, 22}));
  EXPECT_EQ(result_of(model_of("Subtract", Json::array({a, b}))), (std::vector<double>{-9, -18}));
  EXPECT_EQ(result_of(model_of("Multiply", Json::array({a, b}))), (std::vector<double>{10, 40}));
}

TEST(Operations, JoinATensorAndANumber) {
  EXPECT_EQ(result_of(model_of("Add", Json::array({a, 0.5}))), (std::vector<double>{1.5, 2.5}));
  EXPECT_EQ(result_of(model_of("Subtract", Json::array({a, 0.5}))), (std::vector<double>{0.5, 1.5}));
  EXPECT_EQ(result_of(model_of("Subtract", Json::array({3, a}))), (std::vector<double>{2, 1}));
  EXPECT_EQ(result_of(model_of("Multiply", Json::array({4.0, a}))), (std::vector<double>{4, 8}));
  EXPECT_EQ(result_of(model_of("Divide", Json::array({a, 4.0}))), (std::vector<double>{0.25, 0.5}));
  EXPECT_EQ(result_of(model_of("Negative", Json::array({a}))), (std::vector<double>{-1, -2}));
}

TEST(Operations, OfIntegersGiveIntegers) {
  const Json whole = tensor_of("a", two, "int32");
  EXPECT_EQ(model_of("Add", Json::array({whole, 1})).outputs()[0].dtype(), int32);
  EXPECT_EQ(model_of("Multiply", Json::array({whole, 0.5})).outputs()[0].dtype(), float32);
  EXPECT_EQ(model_of("Divide", Json::array({whole, 2})).outputs()[0].dtype(), float32);
  EXPECT_EQ(model_of("Negative", Json::array({whole})).outputs()[0].dtype(), int32);
}

// A legacy file does not contain the modules of its entries.
TEST(Operations, AreKnownByTheirArgumentsInLegacyFiles) {
  const auto without_module = [](const Model& model, const Json& arguments, const std::string& operation) {
    Json object = Json::parse(model.to_json());
    Json& entry = object["config"]["layers"][2];
    entry.erase("module");
    entry.erase("registered_name");
    entry["class_name"] = operation;
    entry["config"] = Json::object({{"name", "joined"}});
    entry["inbound_nodes"][0]["args"] = arguments;
    return model_from_json(object.dump());
  };
  const Model model = model_of("Add", Json::array({a, b}));
  EXPECT_EQ(result_of(without_module(model, Json::array({a, b}), "Subtract")), (std::vector<double>{-9, -18}));
  EXPECT_EQ(result_of(without_module(model, Json::array({a, 2.0}), "Multiply")), (std::vector<double>{2, 4}));
  EXPECT_EQ(result_of(without_module(model, Json::array({a}), "Negative")), (std::vector<double>{-1, -2}));
  // The layer of that name takes one list.
  EXPECT_EQ(result_of(without_module(model, Json::array({Json::array({a, b})}), "Subtract")),
            (std::vector<double>{-9, -18}));
}

TEST(Operations, AreSavedAsLayersOfTheSameName) {
  const Model again = model_from_json(model_of("Add", Json::array({a, b})).to_json());
  EXPECT_EQ(again.get_layer("joined").class_name(), "Add");
  EXPECT_EQ(result_of(again), (std::vector<double>{11, 22}));
}

Json slice_of(const Json& start, const Json& stop, const Json& step) {
  return Json::object(
      {{"class_name", "__slice__"}, {"config", Json::object({{"start", start}, {"stop", stop}, {"step", step}})}});
}

TEST(Operations, RaiseToPowers) {
  EXPECT_EQ(result_of(model_of("Power", Json::array({a, 2}))), (std::vector<double>{1, 4}));
  EXPECT_EQ(result_of(model_of("Power", Json::array({3.0, a}))), (std::vector<double>{3, 9}));
  EXPECT_EQ(result_of(model_of("Power", Json::array({b, a}))), (std::vector<double>{10, 400}));
}

TEST(Operations, PowersOfIntegersAreIntegers) {
  Json config = Json::parse(model_of("Power", Json::array({a, 2})).to_json());
  config["config"]["layers"][0]["config"]["dtype"] = "int32";
  const Model model = model_from_json(config.dump());
  EXPECT_EQ(model.outputs()[0].dtype(), int32);
  const Tensor whole = Tensor::from_data<std::int32_t>({1, 2}, {5000, -3});
  const Tensor b_values = Tensor::from_data<float>({1, 2}, {10, 20});
  const Tensor squares = model.predict({whole, b_values}, {.verbose = 0});
  EXPECT_EQ(squares.dtype(), int32);
  EXPECT_EQ(squares.to_vector(), (std::vector<double>{25000000, 9}));
}

TEST(Operations, PickElements) {
  const Json all = slice_of(nullptr, nullptr, nullptr);
  const Json rest = Json::object({{"class_name", "__ellipsis__"}, {"config", Json::object()}});
  EXPECT_EQ(result_of(model_of("GetItem", Json::array({a, Json::array({all, -1})}))), (std::vector<double>{2}));
  EXPECT_EQ(result_of(model_of("GetItem", Json::array({a, Json::array({rest, 0})}))), (std::vector<double>{1}));
  EXPECT_EQ(result_of(model_of("GetItem", Json::array({a, all}))), (std::vector<double>{1, 2}));
  const Model model = model_of("GetItem", Json::array({a, Json::array({all, nullptr, slice_of(-1, nullptr, 1)})}));
  EXPECT_EQ(model.outputs()[0].shape(), (Shape{-1, 1, 1}));
  EXPECT_EQ(result_of(model), (std::vector<double>{2}));
}

TEST(Operations, WithoutALayerAreSavedAsTheyCame) {
  const Json key = Json::array({slice_of(nullptr, nullptr, nullptr), -1});
  const std::vector<std::pair<std::string, Json>> cases = {
      {"Power", Json::array({2.0, a})}, {"Power", Json::array({a, 2})}, {"GetItem", Json::array({a, key})}};
  for (const auto& [operation, arguments] : cases) {
    const Json entry = Json::parse(model_of(operation, arguments).to_json())["config"]["layers"][2];
    EXPECT_EQ(entry["module"], Json("keras.src.ops.numpy"));
    EXPECT_EQ(entry["class_name"], Json(operation));
    EXPECT_EQ(entry["config"].dump(), R"({"name": "joined"})");
    EXPECT_EQ(entry["inbound_nodes"][0]["args"], arguments);
  }
}

TEST(Operations, ThatRhytonLacksAreNamed) {
  const Json flat = Json::array({nullptr});
  const auto error_of = [](const auto& make) { return test::message_of<NotImplementedError>(make); };
  for (const std::string operation : {"Mean", "Maximum", "Matmul"}) {
    const std::string message = error_of([&] { model_of(operation, Json::array({a, b})); });
    EXPECT_NE(message.find("'" + operation + "' (keras.src.ops.numpy)"), std::string::npos) << message;
    EXPECT_NE(message.find("'joined'"), std::string::npos) << message;
  }
  const Json backwards = Json::array({slice_of(nullptr, nullptr, -1)});
  for (const Json& key : {backwards, Json::array({true}), Json("a")}) {
    const std::string message = error_of([&] { model_of("GetItem", Json::array({a, key})); });
    EXPECT_NE(message.find("'joined' (GetItem)"), std::string::npos) << message;
  }
  const auto outside = [&] { model_of("GetItem", Json::array({a, Json::array({slice_of(0, 1, 1), 2})})); };
  EXPECT_THROW(outside(), ValueError);
  EXPECT_THROW(model_of("GetItem", Json::array({a, Json::array({0, 0, 0})})), ValueError);
  EXPECT_THROW(model_of("GetItem", Json::array({a, std::numeric_limits<std::int64_t>::max()})), ValueError);
  EXPECT_THROW(model_of("Power", Json::array({2, 3})), ValueError);
  // Keras broadcasts here from the last axis on, the layers from the first.
  const std::string message = error_of([&] { model_of("Add", Json::array({a, tensor_of("b", flat)}), flat); });
  EXPECT_NE(message.find("of one rank"), std::string::npos) << message;
}

}  // namespace
}  // namespace rhyton::models
