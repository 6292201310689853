// ConvLSTM1D, ConvLSTM2D and ConvLSTM3D.

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include <rhyton/framework/autodiff/gradient_tape.h>
#include <rhyton/framework/context.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/listeners.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/framework/ops/spatial_convolution.h>
#include <rhyton/layers/core/dense.h>
#include <rhyton/layers/core/input.h>
#include <rhyton/layers/pooling/global_average_pooling2d.h>
#include <rhyton/layers/rnn/bidirectional.h>
#include <rhyton/layers/rnn/conv_lstm1d.h>
#include <rhyton/layers/rnn/conv_lstm2d.h>
#include <rhyton/layers/rnn/conv_lstm3d.h>
#include <rhyton/layers/serialization.h>
#include <rhyton/models/model.h>
#include <rhyton/models/sequential.h>
#include <rhyton/optimizers/adam.h>
#include <rhyton/tests/layers/golden_cases.h>
#include <rhyton/tests/support/message_of.h>
#include <rhyton/tests/support/random_tensor.h>

namespace rhyton::layers {
namespace {

using models::Sequential;
using test::expect_all_close;
using test::expect_close;
using test::message_or_none;
using test::random_tensor;

/// The equations of the layer, one gate and one step after the other, with channels last. Outputs of all steps, then
/// the last states.
std::vector<Tensor> conv_lstm_by_equations(const std::vector<Tensor>& weights, const Tensor& x,
                                           ConvolutionAttributes attributes, std::vector<Tensor> states = {},
                                           const Tensor& mask = {}, bool go_backwards = false) {
  const std::vector<Tensor> kernels = split(weights[0], 4, -1);
  const std::vector<Tensor> recurrent_kernels = split(weights[1], 4, -1);
  const std::vector<Tensor> biases =
      split(weights.size() > 2 ? weights[2] : Tensor::zeros({weights[0].shape().at(-1)}), 4, -1);
  const std::vector<std::int64_t> ones(attributes.strides.size(), 1);
  const ConvolutionAttributes recurrent = {.strides = ones, .padding = Padding::same, .dilation_rate = ones};
  const std::vector<Tensor> steps = unstack(x, 1);
  std::vector<Tensor> outputs;
  for (std::size_t step = 0; step < steps.size(); ++step) {
    const std::size_t t = go_backwards ? steps.size() - 1 - step : step;
    const auto of_input = [&](std::size_t gate) {
      return add(convolution(steps[t], kernels[gate], attributes), biases[gate]);
    };
    if (states.empty()) states = {zeros_like(of_input(0)), zeros_like(of_input(0))};
    const auto gate = [&](std::size_t i) {
      return add(of_input(i), convolution(states[0], recurrent_kernels[i], recurrent));
    };
    const Tensor c = add(multiply(sigmoid(gate(1)), states[1]), multiply(sigmoid(gate(0)), tanh(gate(2))));
    const Tensor h = multiply(sigmoid(gate(3)), tanh(c));
    const Tensor previous = outputs.empty() ? zeros_like(h) : outputs.back();
    if (mask.is_empty()) {
      outputs.push_back(h);
      states = {h, c};
      continue;
    }
    Shape one_per_sample = {x.shape()[0]};
    for (int axis = 1; axis < h.rank(); ++axis) one_per_sample.push_back(1);
    const Tensor is_valid = reshape(unstack(mask, 1)[t], one_per_sample);
    outputs.push_back(where(is_valid, h, previous));
    states = {where(is_valid, h, states[0]), where(is_valid, c, states[1])};
  }
  return {stack(outputs, 1), states[0], states[1]};
}

/// Weights with a bias that is not constant.
void set_random_conv_weights(const Layer& layer) {
  std::vector<Tensor> values;
  for (const Variable& weight : layer.weights()) {
    values.push_back(random_tensor(weight.shape(), 100 + values.size(), -0.6, 0.6, weight.dtype()));
  }
  layer.set_weights(values);
}

TEST(ConvLSTM, FollowsItsEquations) {
  struct Case {
    Layer layer;
    Tensor x;
    ConvolutionAttributes attributes;
  };
  const auto lines = [](std::uint64_t seed) { return random_tensor({2, 4, 7, 3}, seed); };
  const auto images = [](std::uint64_t seed) { return random_tensor({2, 4, 6, 5, 3}, seed); };
  const auto volumes = [](std::uint64_t seed) { return random_tensor({2, 3, 4, 5, 4, 2}, seed); };
  const Padding valid = Padding::valid;
  const Padding same = Padding::same;
  const std::vector<Case> cases = {
      {ConvLSTM1D(2, 3, {.return_sequences = true, .return_state = true}), lines(1), {{1}, valid, {1}}},
      {ConvLSTM1D(2, 3, {.strides = 2, .padding = "same", .return_sequences = true, .return_state = true}),
       lines(2),
       {{2}, same, {1}}},
      {ConvLSTM1D(2, 2, {.dilation_rate = 3, .use_bias = false, .return_sequences = true, .return_state = true}),
       lines(3),
       {{1}, valid, {3}}},
      {ConvLSTM2D(2, 3, {.return_sequences = true, .return_state = true}), images(4), {{1, 1}, valid, {1, 1}}},
      {ConvLSTM2D(2, {3, 2}, {.strides = {2, 1}, .padding = "same", .return_sequences = true, .return_state = true}),
       images(5),
       {{2, 1}, same, {1, 1}}},
      {ConvLSTM2D(2, {2, 1}, {.dilation_rate = {2, 1}, .return_sequences = true, .return_state = true}),
       images(6),
       {{1, 1}, valid, {2, 1}}},
      {ConvLSTM3D(2, 2, {.return_sequences = true, .return_state = true}), volumes(7), {{1, 1, 1}, valid, {1, 1, 1}}},
      {ConvLSTM3D(2, {3, 2, 1},
                  {.strides = {2, 1, 2}, .padding = "same", .return_sequences = true, .return_state = true}),
       volumes(8),
       {{2, 1, 2}, same, {1, 1, 1}}},
  };
  for (const Case& c : cases) {
    c.layer.build(c.x.shape().with(0, -1));
    set_random_conv_weights(c.layer);
    const std::vector<Tensor> expected = conv_lstm_by_equations(c.layer.get_weights(), c.x, c.attributes);
    expect_all_close(c.layer.call_many({c.x}), expected, 2e-6, c.layer.class_name());
    std::vector<Tensor> states = {random_tensor(expected[1].shape(), 8), random_tensor(expected[1].shape(), 9)};
    expect_all_close(c.layer.call_many({c.x}, {.kwargs = {{"initial_state", states}}}),
                     conv_lstm_by_equations(c.layer.get_weights(), c.x, c.attributes, states), 2e-6,
                     c.layer.class_name() + " with states");
  }
}

/// Counts the calls of Conv2D.
class ConvolutionCounter final : public Observer {
 public:
  void applied(const OpPtr& op, std::span<const Tensor> /*inputs*/, std::span<const Tensor> /*outputs*/) override {
    if (op->name() == "Conv2D") ++count;
  }
  void read(const Variable& /*variable*/, const Tensor& /*value*/) override {}
  void assigned(const Variable& /*variable*/) override {}

  int count = 0;
};

TEST(ConvLSTM, ConvolvesTheInputsOfAllStepsAtOnce) {
  const ConvLSTM2D layer(2, 3, {.dropout = 0.5, .recurrent_dropout = 0.5});
  for (const bool training : {false, true}) {
    layer.build({-1, 5, 4, 4, 1});
    ConvolutionCounter counter;
    {
      const ListenerScope scope(counter);
      layer(random_tensor({2, 5, 4, 4, 1}, 1), {.training = training});
    }
    EXPECT_EQ(counter.count, 1 + 5) << "one of the inputs, one of the state for each step and all gates";
  }
}

TEST(ConvLSTM, TakesMasksInBothDirections) {
  const Tensor x = random_tensor({3, 4, 5, 4, 2}, 1);
  const Tensor mask = cast(Tensor::from_data({3, 4}, {0, 1, 1, 0, 1, 0, 1, 1, 0, 0, 0, 0}), DType::bool_);
  for (const bool go_backwards : {false, true}) {
    const ConvLSTM2D all(3, 2, {.return_sequences = true, .return_state = true, .go_backwards = go_backwards});
    all.build({-1, 4, 5, 4, 2});
    set_random_conv_weights(all);
    const std::vector<Tensor> expected =
        conv_lstm_by_equations(all.get_weights(), x, {{1, 1}, Padding::valid, {1, 1}}, {}, mask, go_backwards);
    expect_all_close(all.call_many({x}, {.mask = mask}), expected, 2e-6, "masked");
    const ConvLSTM2D last(3, 2, {.go_backwards = go_backwards});
    last.build({-1, 4, 5, 4, 2});
    last.set_weights(all.get_weights());
    expect_close(last(x, {.mask = mask}), unstack(expected[0], 1)[3], 2e-6, "last output");
    const ConvLSTM2D zeros(3, 2,
                           {.return_sequences = true, .go_backwards = go_backwards, .zero_output_for_mask = true});
    zeros.build({-1, 4, 5, 4, 2});
    zeros.set_weights(all.get_weights());
    const Tensor in_order = go_backwards ? reverse(mask, {1}) : mask;
    expect_close(zeros(x, {.mask = mask}), where(reshape(in_order, {3, 4, 1, 1, 1}), expected[0], 0.0), 2e-6, "zeros");
  }
}

TEST(ConvLSTM, TakesChannelsFirst) {
  const Tensor x = random_tensor({2, 3, 5, 6, 4}, 2);
  const ConvLSTM2D last(3, 2, {.padding = "same", .return_sequences = true, .return_state = true});
  const ConvLSTM2D first(
      3, 2, {.padding = "same", .data_format = "channels_first", .return_sequences = true, .return_state = true});
  const std::vector<Tensor> expected = last.call_many({x});
  first.build({-1, 3, 4, 5, 6});
  first.set_weights(last.get_weights());
  const std::vector<Tensor> outputs = first.call_many({transpose(x, {0, 1, 4, 2, 3})});
  expect_close(transpose(outputs[0], {0, 1, 3, 4, 2}), expected[0], 1e-6, "outputs");
  for (std::size_t i : {1, 2}) expect_close(transpose(outputs[i], {0, 2, 3, 1}), expected[i], 1e-6, "states");
  EXPECT_EQ(first.call_many({Input({.shape = {-1, 4, 5, 6}})})[0].shape(), (Shape{-1, -1, 3, 5, 6}));
}

TEST(ConvLSTM, StartsWithABiasThatForgetsLittle) {
  const ConvLSTM2D layer(2, 2);
  layer.build({-1, 3, 4, 4, 1});
  EXPECT_EQ(layer.get_weights()[2].to_vector(), (std::vector<double>{0, 0, 1, 1, 0, 0, 0, 0}));
  const ConvLSTM2D other(2, 2, {.bias_initializer = "ones", .unit_forget_bias = false});
  other.build({-1, 3, 4, 4, 1});
  EXPECT_EQ(other.get_weights()[2].to_vector(), std::vector<double>(8, 1.0));
  const ConvLSTM1D without(2, 2, {.use_bias = false});
  without.build({-1, 3, 4, 1});
  EXPECT_EQ(without.weights().size(), 2);
}

TEST(ConvLSTM, HasKerasWeights) {
  clear_session();
  const ConvLSTM2D layer(5, {3, 2}, {.dropout = 0.5});
  layer.build({-1, 3, 8, 8, 4});
  std::string described;
  for (const Variable& weight : layer.weights()) described += weight.path() + " " + weight.shape().to_string() + "\n";
  EXPECT_EQ(described,
            "conv_lstm2d/conv_lstm_cell/kernel (3, 2, 4, 20)\n"
            "conv_lstm2d/conv_lstm_cell/recurrent_kernel (3, 2, 5, 20)\n"
            "conv_lstm2d/conv_lstm_cell/bias (20,)\n");
  EXPECT_EQ(layer.impl()->attributes().front().name, "cell");
}

TEST(ConvLSTM, KeepsStatesBetweenCalls) {
  const Tensor x = random_tensor({2, 3, 5, 2}, 3);
  const ConvLSTM1D layer(2, 2, {.stateful = true});
  const Tensor first = layer(x);
  ASSERT_EQ(layer.states().size(), 2);
  EXPECT_EQ(layer.states()[0].shape(), (Shape{2, 4, 2}));
  EXPECT_EQ(layer.states()[0].value().to_vector(), first.to_vector());
  const Tensor second = layer(x);
  expect_close(second,
               conv_lstm_by_equations(layer.get_weights(), ops::concatenate({x, x}, 1), {{1}, Padding::valid, {1}})[1],
               2e-6, "both sequences");
  layer.reset_states();
  EXPECT_EQ(layer(x).to_vector(), first.to_vector());
  EXPECT_NE(message_or_none([&] {
              layer(random_tensor({1, 3, 5, 2}, 1));
            }).find("If an RNN is stateful, the batch size of the input sequences must be the same"),
            std::string::npos);
  EXPECT_EQ(message_or_none([] {
              ConvLSTM1D(2, 2, {.stateful = true})(Input({.shape = {3, 5, 2}}));
            }),
            "When using `stateful=True` in a RNN, the batch size must be static. Found dynamic batch size: "
            "sequence.shape=(None, 3, 5, 2)");
}

/// Which elements of the gates' inputs were dropped is seen where each gate has one input and one weight.
TEST(ConvLSTM, DropsTheSameElementsAtAllSteps) {
  const Tensor ones = Tensor::full({2, 3, 40, 1}, 1.0, DType::float32);
  const auto cell_inputs = [&](double rate, std::int64_t seed) {
    // c = c + tanh(x), h = c, as the gates are open.
    const ConvLSTM1D layer(1, 1,
                           {.activation = "linear",
                            .recurrent_activation = "hard_sigmoid",
                            .dropout = rate,
                            .seed = seed,
                            .return_sequences = true});
    layer.build({-1, 3, 40, 1});
    layer.set_weights({Tensor::from_data({1, 1, 4}, {0.F, 0.F, 1.F, 0.F}), Tensor::zeros({1, 1, 4}),
                       Tensor::from_data({4}, {9.F, 9.F, 0.F, 9.F})});
    return layer(ones, {.training = true});
  };
  const std::vector<Tensor> steps = unstack(cell_inputs(0.25, 1), 1);
  const Tensor kept = multiply(steps[0], 0.75);
  for (const double value : kept.to_vector()) EXPECT_TRUE(std::abs(value) < 1e-6 || std::abs(value - 1) < 1e-6);
  const double share = sum(kept).item() / 80;
  EXPECT_NEAR(share, 0.75, 0.2);
  expect_close(steps[1], multiply(steps[0], 2.0), 1e-6, "the same mask at the second step");
  expect_close(steps[2], multiply(steps[0], 3.0), 1e-6, "the same mask at the third step");
  EXPECT_NE(cell_inputs(0.25, 2).to_vector(), cell_inputs(0.25, 1).to_vector());
  EXPECT_EQ(unstack(cell_inputs(1.0, 1), 1)[0].to_vector(), std::vector<double>(80, 1.0)) << "1 drops nothing";
}

TEST(ConvLSTM, DropsOtherElementsForEachGate) {
  const Tensor ones = Tensor::full({1, 1, 60, 1}, 1.0, DType::float32);
  const ConvLSTM1D layer(1, 1,
                         {.activation = "linear",
                          .recurrent_activation = "linear",
                          .dropout = 0.5,
                          .recurrent_dropout = 0.5,
                          .seed = 3,
                          .return_state = true});
  layer.build({-1, 1, 60, 1});
  layer.set_weights({Tensor::full({1, 1, 4}, 1.0, DType::float32), Tensor::full({1, 1, 4}, 10.0, DType::float32),
                     Tensor::zeros({4})});
  // With h = 1 and c = 0 each gate is 0 or 2, plus 0 or 20.
  const std::vector<Tensor> results = layer.call_many(
      {ones},
      {.training = true,
       .kwargs = {{"initial_state", {Tensor::full({1, 60, 1}, 1.0, DType::float32), Tensor::zeros({1, 60, 1})}}}});
  // c = input · candidate, h = output · c.
  std::set<double> products;
  for (const double c : results[2].to_vector()) products.insert(std::round(c));
  EXPECT_EQ(products, (std::set<double>{0, 4, 40, 44, 400, 440, 484}));
  EXPECT_EQ(layer.call_many({ones})[2].to_vector(), std::vector<double>(60, 1.0)) << "nothing in inference";
}

TEST(ConvLSTM, HasGradients) {
  for (const bool drops : {false, true}) {
    const double rate = drops ? 0.5 : 0.0;
    const auto make = [&] {
      ConvLSTM2D layer(2, 2, {.dropout = rate, .recurrent_dropout = rate, .seed = 1, .dtype = "float64"});
      layer.build({-1, 3, 4, 3, 2});
      set_random_conv_weights(layer);
      return layer;
    };
    const Tensor x = random_tensor({2, 3, 4, 3, 2}, 4, -1, 1, DType::float64);
    const Tensor cotangent = random_tensor({2, 3, 2, 2}, 5, -1, 1, DType::float64);
    // The first call of a layer with that seed, so that the same elements are dropped.
    const auto value = [&](const Layer& layer, const Tensor& inputs) {
      return sum(multiply(layer(inputs, {.training = true}), cotangent));
    };
    const ConvLSTM2D layer = make();
    GradientTape tape({.persistent = true});
    tape.watch(x);
    const Tensor y = value(layer, x);
    tape.stop_recording();
    const Tensor direction = random_tensor(x.shape(), 6, -1, 1, DType::float64);
    const double slope = sum(multiply(tape.gradient(y, x), direction)).item();
    const auto moved = [&](double by) { return value(make(), add(x, multiply(direction, by))).item(); };
    EXPECT_NEAR(slope, (moved(1e-5) - moved(-1e-5)) / 2e-5, 1e-8);
    for (const Variable& weight : layer.weights()) {
      EXPECT_FALSE(tape.gradient(y, weight).is_empty()) << weight.path();
    }
  }
}

TEST(ConvLSTM, Trains) {
  clear_session();
  set_random_seed(1);
  // Four times the mean of the last image.
  Sequential model({Input({.shape = {-1, 5, 5, 1}}),
                    ConvLSTM2D(4, 3, {.padding = "same", .dropout = 0.1, .return_sequences = true}),
                    ConvLSTM2D(4, 3, {.padding = "same"}), GlobalAveragePooling2D(), Dense(1)});
  model.compile({.optimizer = optimizers::Adam({.learning_rate = 0.01}), .loss = "mse"});
  const Tensor x = random_tensor({16, 4, 5, 5, 1}, 1);
  const Tensor y = multiply(mean(unstack(x, 1)[3], {1, 2}), 4.0);
  const auto history = model.fit(x, y, {.batch_size = 8, .epochs = 80, .verbose = 0});
  const std::vector<double>& losses = history.history.at("loss");
  EXPECT_LT(losses.back(), 0.5 * losses.front());
  EXPECT_EQ(model.predict(random_tensor({3, 2, 5, 5, 1}, 2), {.verbose = 0}).shape(), (Shape{3, 1}));
}

TEST(ConvLSTM, GoesInBothDirections) {
  const Tensor x = random_tensor({2, 3, 4, 2}, 7);
  const Bidirectional layer(ConvLSTM1D(3, 2, {.return_sequences = true}));
  const Tensor y = layer(x);
  EXPECT_EQ(y.shape(), (Shape{2, 3, 3, 6}));
  const std::vector<Tensor> weights = layer.get_weights();
  const ConvolutionAttributes attributes = {{1}, Padding::valid, {1}};
  const Tensor forward = conv_lstm_by_equations({weights[0], weights[1], weights[2]}, x, attributes)[0];
  const Tensor backward = conv_lstm_by_equations({weights[3], weights[4], weights[5]}, x, attributes, {}, {}, true)[0];
  expect_close(y, ops::concatenate({forward, reverse(backward, {1})}, -1), 2e-6, "both");
}

TEST(ConvLSTM, KnowsItsShapes) {
  const ConvLSTM2D layer(3, 2, {.strides = {1, 2}, .return_sequences = true, .return_state = true});
  const std::vector<SymbolicTensor> outputs = layer.call_many({Input({.shape = {-1, 5, 6, 2}})});
  ASSERT_EQ(outputs.size(), 3);
  EXPECT_EQ(outputs[0].shape(), (Shape{-1, -1, 4, 3, 3}));
  EXPECT_EQ(outputs[2].shape(), (Shape{-1, 4, 3, 3}));
  EXPECT_EQ(layer.call_many({Tensor::zeros({0, 3, 5, 6, 2})})[0].shape(), (Shape{0, 3, 4, 3, 3}));
  const std::vector<Tensor> no_steps = layer.call_many({Tensor::zeros({2, 0, 5, 6, 2})});
  EXPECT_EQ(no_steps[0].shape(), (Shape{2, 0, 4, 3, 3}));
  EXPECT_EQ(no_steps[1].shape(), (Shape{2, 4, 3, 3}));
  EXPECT_EQ(ConvLSTM1D(3, 2)(Input({.shape = {7, 9, 1}})).shape(), (Shape{-1, 8, 3}));
  EXPECT_EQ(ConvLSTM3D(3, 2)(Input({.shape = {7, 4, 5, 6, 1}})).shape(), (Shape{-1, 3, 4, 5, 3}));
}

TEST(ConvLSTM, ComputesInTheDtypeOfThePolicy) {
  const ConvLSTM2D layer(2, 2, {.return_state = true, .dtype = "mixed_float16"});
  const std::vector<Tensor> outputs = layer.call_many({random_tensor({1, 2, 3, 3, 1}, 1)});
  for (const Tensor& output : outputs) EXPECT_EQ(output.dtype(), DType::float16);
  EXPECT_EQ(layer.weights()[0].dtype(), DType::float32);
}

TEST(ConvLSTM, ConfigComesBack) {
  const ConvLSTM2D layer(4, {3, 2},
                         {.strides = 2,
                          .padding = "SAME",
                          .recurrent_activation = "hard_sigmoid",
                          .kernel_regularizer = "l2",
                          .dropout = 1.5,
                          .recurrent_dropout = 0.25,
                          .seed = 7,
                          .return_sequences = true,
                          .zero_output_for_mask = true,
                          .name = "video"});
  layer.build({-1, 3, 8, 8, 2});
  const io::Json config = layer.get_config();
  EXPECT_EQ(config["kernel_size"], io::Json::array({3, 2}));
  EXPECT_EQ(config["strides"], io::Json::array({2, 2}));
  EXPECT_EQ(config["padding"].as_string(), "same");
  EXPECT_EQ(config["data_format"].as_string(), "channels_last");
  EXPECT_EQ(config["dropout"].as_double(), 1.0);
  EXPECT_TRUE(config["zero_output_for_mask"].as_bool());
  EXPECT_FALSE(config.contains("cell"));
  const Layer read = deserialize(serialize(layer));
  EXPECT_EQ(read.get_config(), config);
  EXPECT_EQ(read.weights().size(), 3);
  EXPECT_EQ(ConvLSTM1D(2, 3).get_config()["dilation_rate"], io::Json::array({1}));
  EXPECT_EQ(deserialize(serialize(ConvLSTM1D(2, 3))).class_name(), "ConvLSTM1D");
  EXPECT_EQ(deserialize(serialize(ConvLSTM3D(2, {1, 2, 3}))).get_config()["kernel_size"], io::Json::array({1, 2, 3}));
}

TEST(ConvLSTM, RefusesWhatDoesNotFit) {
  const auto made = [](Size2 kernel_size, const ConvLSTM2DOptions& options = {}) {
    return message_or_none([&] { const ConvLSTM2D layer(2, kernel_size, options); });
  };
  EXPECT_EQ(made(2, {.strides = 2, .dilation_rate = 2}),
            "Specifying `strides > 1` is not compatible with `dilation_rate > 1`. Please provide `strides=1` or "
            "`dilation_rate=1`. Received: strides=(2, 2) and dilation_rate=(2, 2)");
  EXPECT_EQ(made(0),
            "The `kernel_size` argument must be a tuple of 2 integers. Received kernel_size=0, including values {0} "
            "that do not satisfy `value > 0`");
  EXPECT_EQ(made(2, {.strides = -1}),
            "The `strides` argument must be a tuple of 2 integers. Received strides=-1, including values {-1} that do "
            "not satisfy `value >= 0`");
  EXPECT_NE(made(2, {.strides = {0, 1}}), "no error");
  EXPECT_EQ(made(2, {.dilation_rate = 0}),
            "The `dilation_rate` argument must be a tuple of 2 integers. Received dilation_rate=0, including values "
            "{0} that do not satisfy `value > 0`");
  EXPECT_NE(made(2, {.padding = "causal"}), "no error");
  EXPECT_NE(made(2, {.data_format = "channels_middle"}), "no error");
  EXPECT_THROW(ConvLSTM2D(0, 2), ValueError);
  EXPECT_EQ(message_or_none([] { const ConvLSTM1D layer(2, 0); }),
            "The `kernel_size` argument must be a tuple of 1 integers. Received kernel_size=0, including values {0} "
            "that do not satisfy `value > 0`");

  const auto called = [](const Shape& shape, Size2 kernel_size = 2, const std::string& data_format = {}) {
    return message_or_none(
        [&] { ConvLSTM2D(2, kernel_size, {.data_format = data_format, .name = "video"})(Input({.shape = shape})); });
  };
  EXPECT_EQ(called({3, 5, 6}),
            "Input 0 with name 'None' of layer 'video' is incompatible with the layer: expected ndim=5, found ndim=4. "
            "Full shape received: (None, 3, 5, 6)");
  EXPECT_EQ(called({3, -1, 6, 2}),
            "ConvLSTM layers only support static input shapes for the spatial dimension. Received invalid input shape: "
            "input_shape=(None, None, 6, 2)");
  EXPECT_EQ(called({3, 6, 6, -1}),
            "The channel dimension of the inputs (last axis) should be defined. Found None. Full input shape received: "
            "input_shape=(None, 6, 6, None)");
  EXPECT_EQ(
      called({3, 5, 6, 2}, 7),
      "Computed output size would be zero or negative. Received `inputs shape=(None, 5, 6, 2)`, `kernel shape=(7, "
      "7, 2, 2)`, `dilation_rate=[1 1]`, `strides=(1, 1)`, `padding=valid`.");
  EXPECT_EQ(called({3, 2, 5, 6}, 2, "channels_first"), "no error");

  const ConvLSTM2D layer(2, 2, {.return_state = true});
  layer.call_many({random_tensor({2, 3, 5, 6, 2}, 1)});
  EXPECT_EQ(message_or_none([&] {
              layer.call_many({random_tensor({2, 3, 5, 6, 3}, 1)});
            }),
            "Input 0 with name 'None' of layer 'conv_lstm_cell' is incompatible with the layer: expected shape=(None, "
            "5, 6, 2), found shape=(2, 5, 6, 3)");
  const auto with_states = [&](const std::vector<Tensor>& states) {
    return message_or_none([&] {
      layer.call_many({random_tensor({2, 3, 5, 6, 2}, 1)}, {.kwargs = {{"initial_state", states}}});
    });
  };
  EXPECT_EQ(with_states({Tensor::zeros({2, 4, 5, 2}), Tensor::zeros({2, 4, 5, 2})}), "no error");
  EXPECT_NE(with_states({Tensor::zeros({2, 4, 4, 2}), Tensor::zeros({2, 4, 4, 2})}), "no error");
  EXPECT_NE(with_states({Tensor::zeros({2, 4, 5, 2})}), "no error");
  EXPECT_NE(message_or_none([&] {
              layer.call_many({random_tensor({2, 3, 5, 6, 2}, 1)}, {.mask = Tensor::full({2, 4}, 1, DType::bool_)});
            }),
            "no error");
}

}  // namespace
}  // namespace rhyton::layers
