// SimpleRNN, LSTM, GRU: values against a reference, the forms of states, masks and outputs.

#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/framework/autodiff/gradient_tape.h>
#include <rhyton/framework/context.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/layers/layers.h>
#include <rhyton/layers/serialization.h>
#include <rhyton/models/model.h>
#include <rhyton/models/sequential.h>
#include <rhyton/tests/layers/rnn/recurrent_reference.h>
#include <rhyton/tests/support/random_tensor.h>

namespace rhyton::layers {
namespace {

using models::Model;
using models::Sequential;
using test::random_tensor;
using test::RecurrentReference;
using Values = std::vector<double>;

double sigmoid_of(double x) { return 1 / (1 + std::exp(-x)); }
double tanh_of(double x) { return std::tanh(x); }
double relu_of(double x) { return x > 0 ? x : 0; }
double softsign_of(double x) { return x / (1 + std::abs(x)); }

void expect_near(const Tensor& actual, const Values& expected, const std::string& what) {
  const Values values = actual.to_vector();
  ASSERT_EQ(values.size(), expected.size()) << what;
  for (std::size_t i = 0; i < values.size(); ++i)
    ASSERT_NEAR(values[i], expected[i], 1e-5) << what << ", element " << i;
}

Tensor bool_tensor(const Shape& shape, const std::vector<bool>& values) {
  return Tensor::from_data<std::int32_t>(shape, std::vector<std::int32_t>(values.begin(), values.end()))
      .cast(DType::bool_);
}

/// What varies in a case.
struct Variant {
  std::string name = {};
  std::string activation = "tanh";
  double (*function)(double) = tanh_of;
  bool use_bias = true;
  bool go_backwards = false;
  bool zero_output_for_mask = false;
  bool has_states = false;
  std::vector<bool> mask = {};
};

/// A layer of each class with random weights, and its reference.
struct LayerCase {
  std::string name;
  RNN layer;
  RecurrentReference reference;
};

std::vector<LayerCase> cases_of(const Variant& variant, bool return_sequences) {
  const auto filled = [&]<class Options>(Options options) {
    options.activation = variant.activation;
    options.use_bias = variant.use_bias;
    options.bias_initializer = initializers::RandomUniform();
    options.go_backwards = variant.go_backwards;
    options.zero_output_for_mask = variant.zero_output_for_mask;
    options.return_sequences = return_sequences;
    options.return_state = true;
    return options;
  };
  GRUOptions reset_before = filled(GRUOptions());
  reset_before.reset_after = false;
  RecurrentReference reference{.cell = RecurrentCell::simple_rnn,
                               .activation = variant.function,
                               .recurrent_activation = sigmoid_of,
                               .reset_after = false,
                               .go_backwards = variant.go_backwards,
                               .zero_output_for_mask = variant.zero_output_for_mask};
  std::vector<LayerCase> cases = {{"simple_rnn", SimpleRNN(3, filled(SimpleRNNOptions())), reference}};
  reference.cell = RecurrentCell::lstm;
  cases.push_back({"lstm", LSTM(3, filled(LSTMOptions())), reference});
  reference.cell = RecurrentCell::gru;
  cases.push_back({"gru_reset_before", GRU(3, reset_before), reference});
  reference.reset_after = true;
  cases.push_back({"gru", GRU(3, filled(GRUOptions())), reference});
  return cases;
}

std::vector<Tensor> states_of(const RNN& layer) {
  std::vector<Tensor> states = {random_tensor({4, 3}, 7)};
  if (layer.class_name() == "LSTM") states.push_back(random_tensor({4, 3}, 8));
  return states;
}

std::vector<Variant> variants() {
  // Right, left, gaps, a whole sample.
  const std::vector<bool> mask = {true,  true, false, false, false, false, false, true,  true,  true,
                                  false, true, false, true,  false, false, false, false, false, false};
  std::vector<Variant> plain = {
      {.name = "tanh"},
      {.name = "without bias", .use_bias = false},
      {.name = "backwards", .go_backwards = true},
      {.name = "states", .has_states = true},
      {.name = "mask", .mask = mask},
      {.name = "mask, zeros", .zero_output_for_mask = true, .mask = mask},
      {.name = "mask, states", .has_states = true, .mask = mask},
      {.name = "mask, states, backwards", .go_backwards = true, .has_states = true, .mask = mask},
      {.name = "mask, states, backwards, zeros",
       .go_backwards = true,
       .zero_output_for_mask = true,
       .has_states = true,
       .mask = mask},
  };
  std::vector<Variant> all = plain;
  all.push_back({.name = "relu", .activation = "relu", .function = relu_of});
  // An activation without a kernel of its own: the steps are computed one by one.
  for (Variant variant : plain) {
    variant.name += ", softsign";
    variant.activation = "softsign";
    variant.function = softsign_of;
    all.push_back(variant);
  }
  return all;
}

TEST(RecurrentLayers, ComputeStepByStep) {
  set_random_seed(1);
  const Tensor x = random_tensor({4, 5, 2}, 3);
  for (const Variant& variant : variants()) {
    for (const bool return_sequences : {true, false}) {
      for (const auto& [name, layer, reference] : cases_of(variant, return_sequences)) {
        const std::string what = name + ", " + variant.name + (return_sequences ? ", sequences" : "");
        const std::vector<Tensor> states = variant.has_states ? states_of(layer) : std::vector<Tensor>();
        CallOptions options;
        if (variant.has_states) options.kwargs = {{"initial_state", states}};
        if (!variant.mask.empty()) options.mask = bool_tensor({4, 5}, variant.mask);
        const std::vector<Tensor> outputs = layer.call_many({x}, options);
        const RecurrentReference::Result expected = reference(x, layer.get_weights(), variant.mask, states);
        ASSERT_EQ(outputs.size(), layer.class_name() == "LSTM" ? 3U : 2U) << what;
        EXPECT_EQ(outputs[0].shape(), return_sequences ? (Shape{4, 5, 3}) : (Shape{4, 3})) << what;
        expect_near(outputs[0], return_sequences ? expected.outputs : expected.last_output, what);
        expect_near(outputs[1], expected.h, what + ", h");
        if (outputs.size() == 3) expect_near(outputs[2], expected.c, what + ", c");
      }
    }
  }
}

// Whatever computes them: fused layers, their cells in an RNN, and a model.
TEST(RecurrentLayers, ComputeTheSameInModels) {
  set_random_seed(2);
  const Tensor x = random_tensor({5, 4, 3}, 1);
  const std::vector<std::pair<Layer, Layer>> pairs = {
      {SimpleRNN(2, {.return_sequences = true}), RNN(SimpleRNNCell(2), {.return_sequences = true})},
      {LSTM(2, {.return_sequences = true}), RNN(LSTMCell(2), {.return_sequences = true})},
      {GRU(2, {.return_sequences = true}), RNN(GRUCell(2), {.return_sequences = true})},
  };
  for (const auto& [layer, other] : pairs) {
    const SymbolicTensor inputs = Input({.shape = {-1, 3}});
    const Model model({.inputs = inputs, .outputs = layer(inputs)});
    other.build({-1, -1, 3});
    other.set_weights(layer.get_weights());
    const Values expected = layer(x).to_vector();
    expect_near(model.predict(x, {.batch_size = 2, .verbose = 0}), expected, layer.class_name());
    expect_near(other(x), expected, layer.class_name());
  }
}

TEST(RecurrentLayers, HaveTheirShapesInModels) {
  const SymbolicTensor x = Input({.shape = {-1, 3}});
  EXPECT_EQ(LSTM(4)(x).shape(), (Shape{-1, 4}));
  EXPECT_EQ(LSTM(4, {.return_sequences = true})(x).shape(), (Shape{-1, -1, 4}));
  const std::vector<SymbolicTensor> all = LSTM(4, {.return_sequences = true, .return_state = true}).call_many({x});
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[0].shape(), (Shape{-1, -1, 4}));
  EXPECT_EQ(all[1].shape(), (Shape{-1, 4}));
  EXPECT_EQ(all[2].shape(), (Shape{-1, 4}));
  EXPECT_EQ(GRU(4, {.return_state = true, .dtype = "mixed_bfloat16"}).call_many({x})[1].dtype(), DType::bfloat16);
  // The steps of a long sequence are not computed for it.
  EXPECT_EQ(GRU(4, {.activation = "softsign"})(Input({.shape = {100000, 3}})).shape(), (Shape{-1, 4}));
}

TEST(RecurrentLayers, TakeStatesInAnyForm) {
  set_random_seed(3);
  const Tensor x = random_tensor({2, 3, 2}, 1);
  const Tensor h = random_tensor({2, 4}, 2);
  const Tensor c = random_tensor({2, 4}, 3);
  const GRU gru(4);
  const Values expected = gru(x, {.kwargs = {{"initial_state", {h}}}}).to_vector();
  EXPECT_NE(expected, gru(x).to_vector());
  EXPECT_EQ(gru(x, {.kwargs = {{"initial_state", h}}}).to_vector(), expected);
  EXPECT_EQ(gru(x, {.args = {h}}).to_vector(), expected);
  EXPECT_EQ(gru(x, {.args = {Argument({h})}}).to_vector(), expected);

  const LSTM lstm(4);
  const Values of_two = lstm(x, {.kwargs = {{"initial_state", {h, c}}}}).to_vector();
  const SymbolicTensor inputs = Input({.shape = {3, 2}});
  const SymbolicTensor first = Input({.shape = {4}});
  const SymbolicTensor second = Input({.shape = {4}});
  const Model by_keyword(
      {.inputs = {inputs, first, second}, .outputs = lstm(inputs, {.kwargs = {{"initial_state", {first, second}}}})});
  const Model by_position({.inputs = {inputs, first, second}, .outputs = lstm(inputs, {.args = {{first, second}}})});
  for (const Model& model : {by_keyword, by_position}) {
    expect_near(model.predict({x, h, c}, {.verbose = 0}), of_two, "in a model");
    const Model again = models::model_from_json(model.to_json());
    again.set_weights(model.get_weights());
    expect_near(again.predict({x, h, c}, {.verbose = 0}), of_two, "in a model that was saved");
  }
}

// One sample of states for the whole batch.
TEST(RecurrentLayers, RepeatTheStatesOfOneSample) {
  const Tensor x = random_tensor({3, 2, 2}, 1);
  const Tensor h = random_tensor({1, 4}, 2);
  const GRU gru(4);
  expect_near(gru(x, {.args = {h}}), gru(x, {.args = {ops::concatenate({h, h, h}, 0)}}).to_vector(), "gru");
}

TEST(RecurrentLayers, RepeatTheMaskOfOneSample) {
  const Tensor x = random_tensor({3, 4, 2}, 1);
  const std::vector<bool> steps = {true, false, true, false};
  std::vector<bool> all;
  for (int sample = 0; sample < 3; ++sample) all.insert(all.end(), steps.begin(), steps.end());
  const GRU layer(2, {.return_sequences = true, .zero_output_for_mask = true});
  const Values expected = layer(x, {.mask = bool_tensor({3, 4}, all)}).to_vector();
  EXPECT_EQ(layer(x, {.mask = bool_tensor({1, 4}, steps)}).to_vector(), expected);
  EXPECT_EQ(layer(x, {.mask = bool_tensor({1, 4, 1}, steps)}).to_vector(), expected);
}

TEST(RecurrentLayers, HandStatesOnInModels) {
  set_random_seed(4);
  const SymbolicTensor source = Input({.shape = {-1, 3}});
  const SymbolicTensor target = Input({.shape = {-1, 2}});
  const std::vector<SymbolicTensor> encoded = LSTM(4, {.return_state = true}).call_many({source});
  const SymbolicTensor decoded =
      LSTM(4, {.return_sequences = true})(target, {.kwargs = {{"initial_state", {encoded[1], encoded[2]}}}});
  Model model({.inputs = {source, target}, .outputs = Dense(2)(decoded)});
  model.compile({.optimizer = "adam", .loss = "mse"});
  const std::vector<Tensor> x = {random_tensor({6, 5, 3}, 1), random_tensor({6, 4, 2}, 2)};
  const Tensor y = random_tensor({6, 4, 2}, 3);
  const auto history = model.fit(x, y, {.batch_size = 3, .epochs = 30, .verbose = 0});
  EXPECT_LT(history["loss"].back(), 0.97 * history["loss"].front());
  const std::vector<Tensor> before = model.get_weights();
  model.fit(x, y, {.batch_size = 3, .verbose = 0});
  EXPECT_NE(before[1].to_vector(), model.get_weights()[1].to_vector()) << "the encoder learns through the states";
}

TEST(RecurrentLayers, AreMaskedByTheirInputs) {
  set_random_seed(5);
  const Tensor ids = Tensor::from_data<std::int32_t>({2, 4}, {1, 2, 0, 0, 3, 0, 1, 0});
  const Embedding embedding(4, 3, {.mask_zero = true});
  const GRU gru(2, {.return_sequences = true, .return_state = true});
  const std::vector<Tensor> outputs = gru.call_many({embedding(ids)});
  EXPECT_EQ(outputs[0].mask().to_vector(), (Values{1, 1, 0, 0, 1, 0, 1, 0}));
  EXPECT_FALSE(outputs[1].has_mask());
  const Tensor without_mask = stop_gradient(embedding(ids)).with_mask({});
  const Tensor given = not_equal(ids, 0);
  EXPECT_EQ(gru.call_many({without_mask}, {.mask = given})[0].to_vector(), outputs[0].to_vector());
  EXPECT_NE(gru.call_many({without_mask})[0].to_vector(), outputs[0].to_vector());
  EXPECT_EQ(gru.call_many({without_mask}, {.mask = expand_dims(given, 2)})[0].to_vector(), outputs[0].to_vector());
  EXPECT_EQ(gru.call_many({without_mask}, {.mask = cast(given, DType::float32)})[0].to_vector(),
            outputs[0].to_vector());
  EXPECT_FALSE(GRU(2)(embedding(ids)).has_mask());

  const SymbolicTensor inputs = Input({.shape = {-1}, .dtype = "int32"});
  const Model model({.inputs = inputs, .outputs = gru.call_many({embedding(inputs)})[0]});
  expect_near(model.predict(ids, {.verbose = 0}), outputs[0].to_vector(), "in a model");
}

// As in Keras, which hands automatic masks to calls with one argument only.
TEST(RecurrentLayers, AreNotMaskedByTheirInputsWithStates) {
  const Tensor ids = Tensor::from_data<std::int32_t>({1, 3}, {1, 0, 2});
  const Tensor embedded = Embedding(4, 3, {.mask_zero = true})(ids);
  const Tensor h = random_tensor({1, 2}, 1);
  const GRU gru(2, {.return_sequences = true});
  const Tensor y = gru(embedded, {.args = {h}});
  EXPECT_EQ(y.to_vector(), gru(embedded.with_mask({}), {.args = {h}}).to_vector());
  EXPECT_EQ(y.mask().to_vector(), (Values{1, 0, 1}));
  EXPECT_NE(y.to_vector(), gru(embedded, {.mask = not_equal(ids, 0), .args = {h}}).to_vector());
}

TEST(RecurrentLayers, TakeNoStepsAndEmptyBatches) {
  const Tensor h = random_tensor({2, 3}, 1);
  for (const char* activation : {"tanh", "softsign"}) {
    const GRU gru(3, {.activation = activation, .return_sequences = true, .return_state = true});
    const std::vector<Tensor> outputs = gru.call_many({Tensor::zeros({2, 0, 4})}, {.args = {h}});
    EXPECT_EQ(outputs[0].shape(), (Shape{2, 0, 3}));
    EXPECT_EQ(outputs[1].to_vector(), h.to_vector());
    EXPECT_EQ(gru.call_many({Tensor::zeros({0, 5, 4})})[0].shape(), (Shape{0, 5, 3}));
    EXPECT_EQ(gru.call_many({Tensor::zeros({2, 1, 4})})[0].shape(), (Shape{2, 1, 3}));
  }
}

TEST(RecurrentLayers, ComputeInMixedPrecision) {
  const Tensor x = random_tensor({2, 3, 4}, 1);
  const LSTM layer(3, {.return_state = true, .stateful = true, .dtype = "mixed_bfloat16"});
  const std::vector<Tensor> outputs = layer.call_many({x});
  for (const Tensor& output : outputs) EXPECT_EQ(output.dtype(), DType::bfloat16);
  for (const Variable& weight : layer.weights()) EXPECT_EQ(weight.dtype(), DType::float32);
  for (const Variable& state : layer.states()) EXPECT_EQ(state.dtype(), DType::float32);
  // The policy of a cell is its own.
  EXPECT_EQ(RNN(LSTMCell(2, {.dtype = "mixed_bfloat16"}))(x).dtype(), DType::float32);
}

TEST(RecurrentLayers, AddThePenaltiesOfAllOutputsAndWeights) {
  const Tensor x = random_tensor({2, 3, 4}, 1);
  const LSTM layer(3, {.kernel_regularizer = "l2",
                       .recurrent_regularizer = "l1",
                       .bias_regularizer = "l2",
                       .activity_regularizer = "l2",
                       .return_state = true});
  const std::vector<Tensor> outputs = layer.call_many({x});
  const std::vector<Tensor> losses = layer.losses();
  ASSERT_EQ(losses.size(), 6U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(losses[i].item(), 0.01 * sum(square(outputs[i])).item() / 2, 1e-6) << i;
  }
  EXPECT_NEAR(losses[3].item(), 0.01 * sum(square(layer.get_weights()[0])).item(), 1e-6);
}

TEST(RecurrentLayers, HaveTheWeightsOfKeras) {
  clear_session();
  const Sequential model({Input({.shape = {5, 4}}), SimpleRNN(3, {.return_sequences = true}),
                          LSTM(3, {.return_sequences = true}), GRU(3)});
  const std::vector<std::pair<std::string, Shape>> expected = {
      {"sequential/simple_rnn/simple_rnn_cell/kernel", {4, 3}},
      {"sequential/simple_rnn/simple_rnn_cell/recurrent_kernel", {3, 3}},
      {"sequential/simple_rnn/simple_rnn_cell/bias", {3}},
      {"sequential/lstm/lstm_cell/kernel", {3, 12}},
      {"sequential/lstm/lstm_cell/recurrent_kernel", {3, 12}},
      {"sequential/lstm/lstm_cell/bias", {12}},
      {"sequential/gru/gru_cell/kernel", {3, 9}},
      {"sequential/gru/gru_cell/recurrent_kernel", {3, 9}},
      {"sequential/gru/gru_cell/bias", {2, 9}},
  };
  const std::vector<Variable> weights = model.weights();
  ASSERT_EQ(weights.size(), expected.size());
  for (std::size_t i = 0; i < weights.size(); ++i) {
    EXPECT_EQ(weights[i].path(), expected[i].first);
    EXPECT_EQ(weights[i].shape(), expected[i].second);
  }
  EXPECT_EQ(weights[5].value().to_vector(), (Values{0, 0, 0, 1, 1, 1, 0, 0, 0, 0, 0, 0})) << "unit_forget_bias";
  const LSTM without(2, {.unit_forget_bias = false});
  without.build({-1, 3, 2});
  EXPECT_EQ(without.get_weights()[2].to_vector(), Values(8, 0.0));
}

TEST(RecurrentLayers, AreSavedInKerasForm) {
  const std::string head =
      R"({"name":"a","trainable":true,"dtype":"float32","return_sequences":true,"return_state":false,)"
      R"("go_backwards":true,"stateful":false,"unroll":false,"zero_output_for_mask":false,"units":3,)";
  const std::string initializers_text = R"("kernel_initializer":)" + Initializer("glorot_uniform").to_config().dump() +
                                        R"(,"recurrent_initializer":)" + Initializer("orthogonal").to_config().dump() +
                                        R"(,"bias_initializer":)" + Initializer("zeros").to_config().dump() + ",";
  const std::string rest =
      R"("kernel_regularizer":null,"recurrent_regularizer":null,"bias_regularizer":null,"activity_regularizer":null,)"
      R"("kernel_constraint":null,"recurrent_constraint":null,"bias_constraint":null,"dropout":1.0,)"
      R"("recurrent_dropout":0.25)";
  const std::vector<std::pair<Layer, std::string>> cases = {
      {SimpleRNN(
           3, {.dropout = 2, .recurrent_dropout = 0.25, .return_sequences = true, .go_backwards = true, .name = "a"}),
       R"("activation":"tanh","use_bias":true,)" + initializers_text + rest + "}"},
      {LSTM(3, {.dropout = 2, .recurrent_dropout = 0.25, .return_sequences = true, .go_backwards = true, .name = "a"}),
       R"("activation":"tanh","recurrent_activation":"sigmoid","use_bias":true,)" + initializers_text +
           R"("unit_forget_bias":true,)" + rest + R"(,"seed":null})"},
      {GRU(3, {.dropout = 2, .recurrent_dropout = 0.25, .return_sequences = true, .go_backwards = true, .name = "a"}),
       R"("activation":"tanh","recurrent_activation":"sigmoid","use_bias":true,)" + initializers_text + rest +
           R"(,"reset_after":true,"seed":null})"},
  };
  for (const auto& [layer, text] : cases) {
    EXPECT_EQ(layer.get_config().dump(), io::Json::parse(head + text).dump());
    EXPECT_EQ(deserialize(serialize(layer)).get_config(), layer.get_config());
  }
}

TEST(RecurrentLayers, KeepWhatKerasForgets) {
  const SimpleRNN seeded(2, {.dropout = 0.5, .seed = 3});
  EXPECT_EQ(deserialize(serialize(seeded)).get_config()["seed"], io::Json(3));
  const GRU gru(2, {.use_cudnn = false, .implementation = 1});
  EXPECT_EQ(deserialize(serialize(gru)).get_config(), gru.get_config());
}

// Files of Keras 2 have arguments that no Keras 3 has.
TEST(RecurrentLayers, ReadConfigurationsOfKeras2) {
  const Layer lstm = LSTM::from_config(
      io::Json::parse(R"({"name":"l","trainable":true,"batch_input_shape":[null,5,4],"return_sequences":true,)"
                      R"("time_major":false,"units":3,"implementation":2,"recurrent_activation":"hard_sigmoid"})"));
  EXPECT_EQ(lstm.get_config()["recurrent_activation"], io::Json("hard_sigmoid"));
  EXPECT_THROW(LSTM::from_config(io::Json::parse(R"({"units":3,"time_major":true})")), ValueError);
}

// Keras 2 lists the initial states behind the inputs.
TEST(RecurrentLayers, ReadStatesInModelsOfKeras2) {
  const auto input = [](const std::string& name, const std::string& features) {
    return R"({"class_name":"InputLayer","config":{"batch_input_shape":[null,null,)" + features +
           R"(],"dtype":"float32","sparse":false,"ragged":false,"name":")" + name + R"("},"name":")" + name +
           R"(","inbound_nodes":[]},)";
  };
  const auto lstm = [](const std::string& name, const std::string& nodes) {
    return R"({"class_name":"LSTM","config":{"name":")" + name +
           R"(","trainable":true,"dtype":"float32","return_state":true,"time_major":false,"units":4},"name":")" + name +
           R"(","inbound_nodes":)" + nodes + "}";
  };
  const Model model = models::model_from_json(
      R"({"class_name":"Functional","keras_version":"2.15.0","backend":"tensorflow","config":{"name":"model",)"
      R"("trainable":true,"layers":[)" +
      input("i", "3") + input("t", "2") + lstm("enc", R"([[["i",0,0,{}]]])") + "," +
      lstm("dec", R"([[["t",0,0,{}],["enc",0,1,{}],["enc",0,2,{}]]])") +
      R"(],"input_layers":[["i",0,0],["t",0,0]],"output_layers":[["dec",0,0]]}})");
  const LSTM encoder(4, {.return_state = true});
  const LSTM decoder(4);
  const Tensor x = random_tensor({2, 5, 3}, 1);
  const Tensor y = random_tensor({2, 4, 2}, 2);
  encoder.build(x.shape());
  decoder.build(y.shape());
  const std::vector<Tensor> weights = model.get_weights();
  encoder.set_weights({weights[0], weights[1], weights[2]});
  decoder.set_weights({weights[3], weights[4], weights[5]});
  const std::vector<Tensor> encoded = encoder.call_many({x});
  expect_near(model.predict({x, y}, {.verbose = 0}),
              decoder(y, {.args = {Argument{encoded[1], encoded[2]}}}).to_vector(), "decoder");
}

}  // namespace
}  // namespace rhyton::layers
