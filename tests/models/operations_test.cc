// Operations on symbolic tensors as Keras saves them, `x + y`, `2 * x`, `x[:, ::-1]`: what models of such files
// compute, what they are saved as, and what is refused.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/framework/error.h>
#include <rhyton/framework/io/json/json.h>
#include <rhyton/layers/core/input.h>
#include <rhyton/layers/operations/numpy_binary.h>
#include <rhyton/layers/operations/numpy_shaping.h>
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
Model model_of(const std::string& operation, const Json& arguments, const Json& shape_of_b = Json::array({nullptr, 2}),
               const Json& options = Json::object()) {
  const Json shape = Json::array({nullptr, 2});
  Json config = Json::object({{"name", "joined"}});
  for (const auto& [option, value] : options.items()) config[option] = value;
  const Json operation_entry =
      Json::object({{"module", "keras.src.ops.numpy"},
                    {"class_name", operation},
                    {"config", config},
                    {"registered_name", operation},
                    {"name", "joined"},
                    {"inbound_nodes", Json::array({Json::object({{"args", arguments}, {"kwargs", Json::object()}})})}});
  const Json model =
      Json::object({{"name", "model"},
                    {"trainable", true},
                    {"layers", Json::array({input("a", shape), input("b", shape_of_b), operation_entry})},
                    {"input_layers", Json::array({Json::array({"a", 0, 0}), Json::array({"b", 0, 0})})},
                    {"output_layers", Json::array({"joined", 0, 0})}});
  return model_from_json(Json::object({{"module", "keras.src.models.functional"},
                                       {"class_name", "Functional"},
                                       {"config", model},
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
  EXPECT_EQ(result_of(model_of("TrueDivide", Json::array({4.0, a}))), (std::vector<double>{4, 2}));
  EXPECT_EQ(result_of(model_of("Negative", Json::array({a}))), (std::vector<double>{-1, -2}));
}

/// The same model whose input a has integers.
Model with_integers(const Model& model) {
  Json config = Json::parse(model.to_json());
  config["config"]["layers"][0]["config"]["dtype"] = "int32";
  return model_from_json(config.dump());
}

TEST(Operations, OfIntegersGiveIntegers) {
  const auto dtype_of = [](const std::string& operation, const Json& arguments) {
    return with_integers(model_of(operation, arguments)).outputs()[0].dtype();
  };
  EXPECT_EQ(dtype_of("Add", Json::array({a, 1})), int32);
  EXPECT_EQ(dtype_of("Multiply", Json::array({a, 0.5})), float32);
  EXPECT_EQ(dtype_of("Divide", Json::array({a, 2})), float32);
  EXPECT_EQ(dtype_of("TrueDivide", Json::array({a, 2})), float32);
  EXPECT_EQ(dtype_of("Negative", Json::array({a})), int32);
  EXPECT_EQ(dtype_of("Add", Json::array({a, 1.0})), float32);
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

// Layers have an argument of that name too.
TEST(Operations, MayHaveADtypeInLegacyFiles) {
  Json object = Json::parse(model_of("Negative", Json::array({a})).to_json());
  Json& entry = object["config"]["layers"][2];
  entry.erase("module");
  entry.erase("registered_name");
  entry["class_name"] = "Cast";
  entry["config"] = Json::object({{"name", "joined"}, {"dtype", "int32"}});
  const Model model = model_from_json(object.dump());
  EXPECT_EQ(model.outputs()[0].dtype(), int32);
  EXPECT_EQ(result_of(model), (std::vector<double>{1, 2}));
}

// The number of elements is not known, so that each shape is possible.
TEST(Operations, ReshapeUnknownLengths) {
  const auto reshaped = [](const Json& shape) {
    return model_of("Reshape", Json::array({a}), two, Json::object({{"newshape", shape}}));
  };
  const Model model = reshaped(Json::array({-1, 4}));
  EXPECT_EQ(model.outputs()[0].shape(), (Shape{-1, 4}));
  const Tensor b_values = Tensor::from_data<float>({2, 2}, {0, 0, 0, 0});
  EXPECT_EQ(model(std::vector<Tensor>{Tensor::from_data<float>({2, 2}, {1, 2, 3, 4}), b_values}).shape(),
            (Shape{1, 4}));
  EXPECT_EQ(reshaped(Json::array({2, 2})).outputs()[0].shape(), (Shape{2, 2}));
  EXPECT_THROW(reshaped(Json::array({-1, -1})), Error);
}

// Lengths of the batch are equal: a product of its samples with one another, and with the samples.
TEST(Operations, MultiplySamplesByOneAnother) {
  const layers::SymbolicTensor x = layers::Input({.shape = Shape{3}});
  const layers::SymbolicTensor products = matmul(x, transpose(x));
  EXPECT_EQ(products.shape(), (Shape{-1, -1}));
  EXPECT_EQ(matmul(products, x).shape(), (Shape{-1, 3}));
}

// A layer Add refuses these shapes: it adds axes after the batch.
TEST(Operations, BroadcastByTheRuleOfNumPy) {
  const Json flat = Json::array({2});
  const Model model = model_of("Add", Json::array({a, tensor_of("b", flat)}), flat);
  EXPECT_EQ(model.outputs()[0].shape(), (Shape{-1, 2}));
  const Tensor sum = model(
      std::vector<Tensor>{Tensor::from_data<float>({2, 2}, {1, 2, 3, 4}), Tensor::from_data<float>({2}, {10, 20})});
  EXPECT_EQ(sum.to_vector(), (std::vector<double>{11, 22, 13, 24}));
}

Json constant_of(const std::string& class_name, const Json& value, const std::string& dtype) {
  return Json::object({{"class_name", class_name}, {"config", Json::object({{"value", value}, {"dtype", dtype}})}});
}

TEST(Operations, TakeTensorsAsConstants) {
  for (const char* const class_name : {"__tensor__", "__numpy__"}) {
    const Json constant = constant_of(class_name, Json::array({0.5, 4.0}), "float32");
    const Model model = model_of("Multiply", Json::array({a, constant}));
    EXPECT_EQ(result_of(model), (std::vector<double>{0.5, 8}));
    const Json entry = Json::parse(model.to_json())["config"]["layers"][2];
    EXPECT_EQ(entry["inbound_nodes"][0]["args"][1], constant_of("__tensor__", Json::array({0.5, 4.0}), "float32"));
    EXPECT_EQ(result_of(model_from_json(model.to_json())), (std::vector<double>{0.5, 8}));
  }
  const Json is_kept = constant_of("__tensor__", Json::array({true, false}), "bool");
  EXPECT_EQ(result_of(model_of("Multiply", Json::array({a, is_kept}))), (std::vector<double>{1, 0}));
}

TEST(Operations, RefuseConstantsOfUnequalLists) {
  const Json uneven = constant_of("__tensor__", Json::array({Json::array({1.0, 2.0}), Json::array({3.0})}), "float32");
  EXPECT_THROW(model_of("Multiply", Json::array({a, uneven})), ValueError);
  EXPECT_THROW(model_of("Multiply", Json::array({a, constant_of("__tensor__", Json::array({"a"}), "float32")})), Error);
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
  const Model model = with_integers(model_of("Power", Json::array({a, 2})));
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
  EXPECT_EQ(result_of(model_of("GetItem", Json::array({a, 0}))), (std::vector<double>{1, 2}));
  const Json backwards = slice_of(nullptr, nullptr, -1);
  EXPECT_EQ(result_of(model_of("GetItem", Json::array({a, Json::array({all, backwards})}))),
            (std::vector<double>{2, 1}));
  const Model model = model_of("GetItem", Json::array({a, Json::array({all, nullptr, slice_of(-1, nullptr, 1)})}));
  EXPECT_EQ(model.outputs()[0].shape(), (Shape{-1, 1, 1}));
  EXPECT_EQ(result_of(model), (std::vector<double>{2}));
}

// Only its values tell how many elements such a slice selects from an axis of unknown length.
TEST(Operations, SlicesOfUnknownLengthsHaveUnknownLengths) {
  const Json first = slice_of(0, 3, nullptr);
  const Model model = model_of("GetItem", Json::array({a, Json::array({first})}));
  EXPECT_EQ(model.outputs()[0].shape(), (Shape{-1, 2}));
  EXPECT_EQ(result_of(model), (std::vector<double>{1, 2}));
  EXPECT_EQ(model_of("GetItem", Json::array({a, 300})).outputs()[0].shape(), (Shape{2}));
}

TEST(Operations, AreSavedAsTheyCame) {
  const Json key = Json::array({slice_of(nullptr, nullptr, nullptr), -1});
  const std::vector<std::pair<std::string, Json>> cases = {
      {"Add", Json::array({a, b})},      {"Multiply", Json::array({2, a})}, {"Power", Json::array({2.0, a})},
      {"Power", Json::array({a, 2})},    {"Negative", Json::array({a})},    {"TrueDivide", Json::array({1, a})},
      {"GetItem", Json::array({a, key})}};
  for (const auto& [operation, arguments] : cases) {
    const Json entry = Json::parse(model_of(operation, arguments).to_json())["config"]["layers"][2];
    EXPECT_EQ(entry["module"], Json("keras.src.ops.numpy"));
    EXPECT_EQ(entry["class_name"], Json(operation));
    EXPECT_EQ(entry["registered_name"], Json(operation));
    EXPECT_EQ(entry["config"].dump(), R"({"name": "joined"})");
    EXPECT_EQ(entry["inbound_nodes"][0]["args"].dump(), arguments.dump());
    EXPECT_EQ(entry["inbound_nodes"][0]["kwargs"].dump(), "{}");
  }
}

std::string error_of(const std::string& operation, const Json& arguments, const Json& options = Json::object()) {
  return test::message_of<Error>([&] { model_of(operation, arguments, two, options); });
}

void expect_part(const std::string& message, const std::string& part) {
  EXPECT_NE(message.find(part), std::string::npos) << message;
}

TEST(Operations, ThatRhytonLacksAreNamed) {
  EXPECT_THROW(model_of("Eig", Json::array({a})), NotImplementedError);
  const std::string message = error_of("Eig", Json::array({a}));
  expect_part(message, "'Eig' (keras.src.ops.numpy)");
  expect_part(message, "'joined'");
}

TEST(Operations, UnknownOptionsAndArgumentsAreErrors) {
  const Json options = Json::object({{"axis", 1}});
  EXPECT_THROW(model_of("Add", Json::array({a, b}), two, options), TypeError);
  expect_part(error_of("Add", Json::array({a, b}), options), "unexpected keyword argument 'axis'");
  expect_part(error_of("Negative", Json::array({a, b})), "expected at most 1");
  expect_part(error_of("Add", Json::array()), "missing a required argument: 'x1'");
  EXPECT_THROW(model_of("Add", Json::array({a, "b"})), TypeError);
  EXPECT_THROW(model_of("Add", Json::array({a})), TypeError);
}

TEST(Operations, KeysThatKerasRefusesAreErrors) {
  const auto error_of_key = [](const Json& key) { return error_of("GetItem", Json::array({a, key})); };
  expect_part(error_of_key(Json::array({0, 0, 0})),
              "Array has shape (None, 2) but slice has to many indices. Received: `(0, 0, 0)`");
  expect_part(error_of_key(Json::array({slice_of(nullptr, nullptr, nullptr), 2})),
              "Array has shape (None, 2) but out-of-bounds index (slice(None, None, None), 2) was requested.");
  const Json rest = Json::object({{"class_name", "__ellipsis__"}, {"config", Json::object()}});
  expect_part(error_of_key(Json::array({rest, 0, rest})),
              "Slice should only have one ellipsis. Received: `(Ellipsis, 0, Ellipsis)`");
  expect_part(error_of_key(rest), "Unsupported key type for array slice. Received: `Ellipsis`");
  expect_part(error_of_key(nullptr), "Unsupported key type for array slice. Received: `None`");
  expect_part(error_of_key(slice_of(1, 3, nullptr)),
              "Unsupported key type for array slice. Received: `slice(1, 3, None)`");
  expect_part(error_of_key(Json::array({Json::array({0, 1})})), "Unsupported key type for array slice.");
  expect_part(error_of_key(Json::array({slice_of(0, 1, 0)})), "slice step cannot be zero");
  for (const Json& key : {Json("a"), Json(true), Json(0.5), Json::array({b})}) {
    expect_part(error_of_key(key), "Unsupported key type for array slice.");
  }
}

TEST(Operations, OfNumbersOnlyAreErrors) { EXPECT_THROW(model_of("Power", Json::array({2, 3})), Error); }

}  // namespace
}  // namespace rhyton::models
