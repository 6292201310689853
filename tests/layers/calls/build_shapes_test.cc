// Layers that are built for the shapes of several arguments, and what their `build_config` says.

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/framework/context.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/matmul.h>
#include <rhyton/layers/core/dense.h>
#include <rhyton/layers/core/input.h>
#include <rhyton/layers/rnn/bidirectional.h>
#include <rhyton/layers/rnn/gru.h>
#include <rhyton/layers/rnn/gru_cell.h>
#include <rhyton/layers/rnn/lstm.h>
#include <rhyton/layers/rnn/lstm_cell.h>
#include <rhyton/layers/rnn/rnn.h>
#include <rhyton/layers/serialization.h>
#include <rhyton/tests/support/message_of.h>

namespace rhyton::layers {
namespace {

using test::message_of;

/// query · A + value · B, whose shapes differ in the number of features; `key` is added to the value.
class Mixed final : public LayerImpl {
 public:
  explicit Mixed(const std::string& name = {}) : LayerImpl({.name = name}) {}
  std::string class_name() const override { return "Mixed"; }
  std::vector<std::string> call_parameters() const override { return {"query", "value", "key", "mask"}; }
  std::vector<std::string> build_parameters() const override { return {"query", "value", "key"}; }

  void build_with(const BuildShapes& shapes) override {
    of_query_ = add_weight({.shape = {shapes["query"][-1], 2}, .name = "of_query"});
    of_value_ = add_weight({.shape = {shapes["value"][-1], 2}, .name = "of_value"});
    if (shapes.has("key")) of_key_ = add_weight({.shape = {shapes["key"][-1], 2}, .name = "of_key"});
  }

  std::vector<Tensor> call_with(const BoundArguments& arguments, bool) override {
    Tensor result =
        add(matmul(arguments.tensor("query"), of_query_.value()), matmul(arguments.tensor("value"), of_value_.value()));
    if (const Tensor key = arguments.tensor("key"); !key.is_empty()) result = add(result, matmul(key, of_key_.value()));
    return {result};
  }

 private:
  Variable of_query_;
  Variable of_value_;
  Variable of_key_;
};

class BuildShapesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    clear_session();
    register_keras_serializable("test", "Mixed",
                                [](const io::Json& config) { return make_layer<Mixed>(config["name"].as_string()); });
  }

  static std::string build_config(const Layer& layer) { return serialize(layer)["build_config"].dump(); }
  /// The shapes of the weights after the layer was written and read.
  static std::vector<Shape> weights_of_copy(const Layer& layer) {
    std::vector<Shape> shapes;
    for (const Variable& weight : deserialize(serialize(layer)).weights()) shapes.push_back(weight.shape());
    return shapes;
  }

  const Input query = Input({.shape = {5, 3}});
  const Input value = Input({.shape = {5, 4}});
};

TEST_F(BuildShapesTest, ComeFromTheArgumentsOfTheFirstCall) {
  const Layer layer = make_layer<Mixed>();
  layer(query, {.args = {value}});
  EXPECT_EQ(build_config(layer), R"({"shapes_dict": {"query_shape": [null, 5, 3], "value_shape": [null, 5, 4]}})");
  EXPECT_EQ(weights_of_copy(layer), (std::vector<Shape>{{3, 2}, {4, 2}}));
  const Layer with_key = make_layer<Mixed>();
  with_key(query, {.kwargs = {{"key", query}, {"value", value}}});
  EXPECT_EQ(build_config(with_key), R"({"shapes_dict": {"query_shape": [null, 5, 3], "value_shape": [null, 5, 4], )"
                                    R"("key_shape": [null, 5, 3]}})");
  EXPECT_EQ(weights_of_copy(with_key), (std::vector<Shape>{{3, 2}, {4, 2}, {3, 2}}));
}

TEST_F(BuildShapesTest, AreForAnyBatchAfterACallOnValues) {
  const Layer layer = make_layer<Mixed>();
  layer(Tensor::zeros({2, 5, 3}), {.args = {Tensor::zeros({2, 5, 4})}});
  EXPECT_EQ(build_config(layer), R"({"shapes_dict": {"query_shape": [null, 5, 3], "value_shape": [null, 5, 4]}})");
}

TEST_F(BuildShapesTest, CanBeGiven) {
  const Layer layer = make_layer<Mixed>();
  layer.build_with({{"query", {-1, 5, 3}}, {"value", {-1, 5, 4}}});
  EXPECT_EQ(build_config(layer), R"({"shapes_dict": {"query_shape": [null, 5, 3], "value_shape": [null, 5, 4]}})");
  EXPECT_EQ(layer.count_params(), 3 * 2 + 4 * 2);
}

TEST_F(BuildShapesTest, MustHaveThoseThatAreNeeded) {
  EXPECT_EQ(message_of<TypeError>([&] { make_layer<Mixed>("m")(query); }),
            "Mixed.build() missing a required argument: 'value' (layer 'm')");
  EXPECT_EQ(message_of<TypeError>([&] {
              make_layer<Mixed>("m").build({-1, 5, 3});
            }),
            "Mixed.build() missing a required argument: 'value' (layer 'm')");
  EXPECT_EQ(message_of<TypeError>([&] {
              GRU(3, {.name = "gru"}).build_with({{"initial_state", {-1, 3}}});
            }),
            "GRU.build() missing a required argument: 'sequences' (layer 'gru'); it takes sequences, initial_state");
}

TEST_F(BuildShapesTest, MustBeOfOneTensorWhereTheLayerTakesOne) {
  EXPECT_EQ(message_of<ValueError>([&] {
              make_layer<Mixed>("m")(query, {.args = {Argument::List{value, value}}});
            }),
            "Expected one tensor as 'value'. Received the shapes: [[null, 5, 4], [null, 5, 4]] (layer 'm' of class "
            "Mixed)");
}

TEST_F(BuildShapesTest, MayBeGivenInAnyOrder) {
  const Layer layer = make_layer<Mixed>();
  layer.build_with({{"key", {-1, 5, 7}}, {"value", {-1, 5, 4}}, {"query", {-1, 5, 3}}});
  EXPECT_EQ(build_config(layer), R"({"shapes_dict": {"query_shape": [null, 5, 3], "value_shape": [null, 5, 4], )"
                                 R"("key_shape": [null, 5, 7]}})");
  EXPECT_EQ(weights_of_copy(layer), (std::vector<Shape>{{3, 2}, {4, 2}, {7, 2}}));
}

TEST_F(BuildShapesTest, OfOtherParametersAreRefused) {
  EXPECT_EQ(message_of<TypeError>([&] {
              GRU(3, {.name = "gru"}).build_with({{"sequences", {-1, 5, 3}}, {"keys", {-1, 3}}});
            }),
            "GRU.build() got an unexpected argument 'keys' (layer 'gru'); it takes sequences, initial_state");
  EXPECT_EQ(message_of<TypeError>([&] {
              Dense(3, {.name = "dense"}).build_with({{"input", {-1, 5}}});
            }),
            "Dense.build() got an unexpected argument 'input' (layer 'dense'); it takes inputs");
  const Layer layer = make_layer<Mixed>("m");
  EXPECT_EQ(message_of<TypeError>([&] {
              layer.build_with({{"query", {-1, 5, 3}}, {"value", {-1, 5, 4}}, {"keys", {-1, 5, 7}}});
            }),
            "Mixed.build() got an unexpected argument 'keys' (layer 'm'); it takes query, value, key");
  EXPECT_EQ(message_of<TypeError>([&] {
              layer.build_with({{"query", {-1, 5, 3}}, {"value", {-1, 5, 4}}, {"value", {-1, 5, 7}}});
            }),
            "Mixed.build() got multiple values for argument 'value' (layer 'm'); it takes query, value, key");
  EXPECT_FALSE(layer.is_built());
}

TEST_F(BuildShapesTest, InFilesMayHaveAnyOrderAndOtherKeys) {
  io::Json object = serialize(make_layer<Mixed>("m"));
  object["build_config"] = io::Json::parse(
      R"({"shapes_dict": {"value_shape": [null, 5, 4], "query_shape": [null, 5, 3], "mask_shape": [null, 5]}})");
  const Layer layer = deserialize(object);
  EXPECT_EQ(build_config(layer), R"({"shapes_dict": {"query_shape": [null, 5, 3], "value_shape": [null, 5, 4]}})");
  EXPECT_EQ(layer.count_params(), 3 * 2 + 4 * 2);
}

TEST_F(BuildShapesTest, OfInputsOnlyAreTheInputShape) {
  const GRU layer(3);
  layer(query, {.mask = Input({.shape = {5}, .dtype = "bool"})});
  EXPECT_EQ(build_config(layer), R"({"input_shape": [null, 5, 3]})");
}

TEST_F(BuildShapesTest, OfRecurrentLayersHaveTheInitialStateInItsForm) {
  const Input h = Input({.shape = {3}});
  const Input c = Input({.shape = {3}});
  const auto config_with = [&](const Layer& layer, const Argument& states) {
    layer.call_many({query}, {.kwargs = {{"initial_state", states}}});
    return build_config(layer);
  };
  const std::string sequences = R"({"shapes_dict": {"sequences_shape": [null, 5, 3], "initial_state_shape": )";
  EXPECT_EQ(config_with(LSTM(3), {h, c}), sequences + "[[null, 3], [null, 3]]}}");
  EXPECT_EQ(config_with(GRU(3), h), sequences + "[null, 3]}}");
  EXPECT_EQ(config_with(GRU(3), Argument::List{h}), sequences + "[[null, 3]]}}");
  EXPECT_EQ(config_with(Bidirectional(GRU(3)), {h, c}), sequences + "[[null, 3], [null, 3]]}}");
  EXPECT_EQ(config_with(RNN({LSTMCell(3), GRUCell(3)}), {Argument::List{h, c}, h}),
            sequences + "[[[null, 3], [null, 3]], [null, 3]]}}");
}

TEST_F(BuildShapesTest, OfALayerWithOneInputMayBeReadByParameter) {
  io::Json object = serialize(Dense(2));
  object["build_config"] = io::Json::parse(R"({"shapes_dict": {"inputs_shape": [null, 4], "other_shape": null}})");
  EXPECT_EQ(deserialize(object).count_params(), 4 * 2 + 2);
}

TEST_F(BuildShapesTest, ThatAreNoShapesAreRefused) {
  io::Json object = serialize(make_layer<Mixed>("m"));
  object["build_config"] =
      io::Json::parse(R"({"shapes_dict": {"query_shape": [null, 3], "value_shape": [null, "x"]}})");
  EXPECT_EQ(message_of<ValueError>([&] { deserialize(object); }),
            "The shape of 'value' in `build_config` cannot be read. Expected a shape as a list of lengths. Received: "
            "\"x\" (layer 'm' of class Mixed)");
}

TEST_F(BuildShapesTest, ThatAreMissingInAFileAreRefused) {
  io::Json object = serialize(make_layer<Mixed>("m"));
  object["build_config"] = io::Json::parse(R"({"shapes_dict": {"query_shape": [null, 3]}})");
  EXPECT_EQ(message_of<TypeError>([&] { deserialize(object); }),
            "Mixed.build() missing a required argument: 'value' (layer 'm')");
}

}  // namespace
}  // namespace rhyton::layers
