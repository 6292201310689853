#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <optional>
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
#include <rhyton/layers/core/dense.h>
#include <rhyton/layers/core/embedding.h>
#include <rhyton/layers/core/input.h>
#include <rhyton/layers/rnn/bidirectional.h>
#include <rhyton/layers/rnn/conv_lstm1d.h>
#include <rhyton/layers/rnn/gru.h>
#include <rhyton/layers/rnn/lstm.h>
#include <rhyton/layers/rnn/lstm_cell.h>
#include <rhyton/layers/rnn/rnn.h>
#include <rhyton/layers/rnn/simple_rnn.h>
#include <rhyton/layers/rnn/time_distributed.h>
#include <rhyton/layers/serialization.h>
#include <rhyton/models/model.h>
#include <rhyton/models/sequential.h>
#include <rhyton/tests/layers/golden_cases.h>
#include <rhyton/tests/support/message_of.h>
#include <rhyton/tests/support/random_tensor.h>

namespace rhyton::layers {
namespace {

using models::Model;
using models::Sequential;
using test::expect_all_close;
using test::expect_close;
using test::message_or_none;
using test::random_tensor;

/// The options of the layers in these tests, for any class.
struct DirectionSettings {
  bool return_sequences = false;
  bool return_state = false;
  bool go_backwards = false;
  bool zero_output_for_mask = false;
};

using LayerMaker = std::function<Layer(const DirectionSettings&)>;

std::vector<std::pair<std::string, LayerMaker>> layer_makers() {
  return {{"SimpleRNN",
           [](const DirectionSettings& s) {
             return SimpleRNN(3, {.return_sequences = s.return_sequences,
                                  .return_state = s.return_state,
                                  .go_backwards = s.go_backwards,
                                  .zero_output_for_mask = s.zero_output_for_mask});
           }},
          {"LSTM",
           [](const DirectionSettings& s) {
             return LSTM(3, {.return_sequences = s.return_sequences,
                             .return_state = s.return_state,
                             .go_backwards = s.go_backwards,
                             .zero_output_for_mask = s.zero_output_for_mask});
           }},
          {"LSTM without a fused form",
           [](const DirectionSettings& s) {
             return LSTM(3, {.activation = "softsign",
                             .return_sequences = s.return_sequences,
                             .return_state = s.return_state,
                             .go_backwards = s.go_backwards,
                             .zero_output_for_mask = s.zero_output_for_mask});
           }},
          {"GRU",
           [](const DirectionSettings& s) {
             return GRU(3, {.return_sequences = s.return_sequences,
                            .return_state = s.return_state,
                            .go_backwards = s.go_backwards,
                            .zero_output_for_mask = s.zero_output_for_mask});
           }},
          {"RNN of cells", [](const DirectionSettings& s) {
             return RNN({LSTMCell(4), LSTMCell(3)}, {.return_sequences = s.return_sequences,
                                                     .return_state = s.return_state,
                                                     .go_backwards = s.go_backwards,
                                                     .zero_output_for_mask = s.zero_output_for_mask});
           }}};
}

const std::vector<std::optional<std::string>> merge_modes = {"concat", "sum", "mul", "ave", std::nullopt};

std::vector<Tensor> merged_outputs(const std::optional<std::string>& mode, const Tensor& a, const Tensor& b) {
  if (!mode.has_value()) return {a, b};
  if (mode == "concat") return {ops::concatenate({a, b}, -1)};
  if (mode == "sum") return {add(a, b)};
  if (mode == "mul") return {multiply(a, b)};
  return {divide(add(a, b), 2)};
}

/// As Keras composes it: both layers by themselves, the outputs of the second one flipped.
std::vector<Tensor> composed_directions(const Bidirectional& layer, const LayerMaker& make, DirectionSettings settings,
                                        const std::optional<std::string>& mode, const Tensor& x,
                                        const Tensor& mask = {}, const std::vector<Tensor>& states = {}) {
  settings.zero_output_for_mask = settings.return_sequences;
  std::vector<std::vector<Tensor>> results;
  for (const bool second : {false, true}) {
    DirectionSettings own = settings;
    own.go_backwards = settings.go_backwards != second;
    const Layer twin = make(own);
    twin.build(x.shape());
    twin.set_weights((second ? layer.backward_layer() : layer.forward_layer()).get_weights());
    CallOptions options;
    if (!mask.is_empty()) options.mask = mask;
    const auto half = static_cast<std::ptrdiff_t>(states.size() / 2);
    if (!states.empty()) {
      options.kwargs = {{"initial_state", second ? std::vector<Tensor>(states.begin() + half, states.end())
                                                 : std::vector<Tensor>(states.begin(), states.begin() + half)}};
    }
    results.push_back(twin.call_many(std::vector<Tensor>{x}, options));
  }
  const Tensor flipped = settings.return_sequences ? reverse(results[1][0], {1}) : results[1][0];
  std::vector<Tensor> outputs = merged_outputs(mode, results[0][0], flipped);
  for (const std::vector<Tensor>& result : results) outputs.insert(outputs.end(), result.begin() + 1, result.end());
  return outputs;
}

/// Left, right, gaps, a whole sample.
Tensor mask_of_all_kinds() {
  return cast(Tensor::from_data({4, 5}, {0, 0, 1, 1, 1,  //
                                         1, 1, 1, 0, 0,  //
                                         1, 0, 1, 0, 1,  //
                                         0, 0, 0, 0, 0}),
              DType::bool_);
}

TEST(Bidirectional, ComputesBothDirections) {
  const Tensor x = random_tensor({4, 5, 2}, 1);
  for (const auto& [name, make] : layer_makers()) {
    for (const bool go_backwards : {false, true}) {
      for (const bool return_sequences : {false, true}) {
        for (const auto& mode : merge_modes) {
          const DirectionSettings settings{
              .return_sequences = return_sequences, .return_state = true, .go_backwards = go_backwards};
          DirectionSettings opposite = settings;
          opposite.go_backwards = !go_backwards;
          const Bidirectional layer(make(settings), {.merge_mode = mode, .backward_layer = make(opposite)});
          layer.build(x.shape());
          const std::string what = name + (go_backwards ? " backwards" : "") +
                                   (return_sequences ? " sequences " : " ") + mode.value_or("None");
          expect_all_close(layer.call_many({x}), composed_directions(layer, make, settings, mode, x), 1e-6, what);
          expect_all_close(layer.call_many({x}, {.mask = mask_of_all_kinds()}),
                           composed_directions(layer, make, settings, mode, x, mask_of_all_kinds()), 1e-6,
                           what + " masked");
        }
      }
    }
  }
}

/// Counts the calls of each op.
class OpCounter final : public Observer {
 public:
  void applied(const OpPtr& op, std::span<const Tensor> /*inputs*/, std::span<const Tensor> /*outputs*/) override {
    ++counts[std::string(op->name())];
  }
  void read(const Variable& /*variable*/, const Tensor& /*value*/) override {}
  void assigned(const Variable& /*variable*/) override {}

  std::map<std::string, int> counts;
};

TEST(Bidirectional, ReversesNothing) {
  const Tensor x = random_tensor({4, 5, 2}, 1);
  for (const auto& [name, make] : layer_makers()) {
    const Bidirectional layer(make({.return_sequences = true}));
    layer(x);
    OpCounter counter;
    {
      const ListenerScope scope(counter);
      layer(x, {.mask = mask_of_all_kinds()});
    }
    EXPECT_FALSE(counter.counts.empty()) << name;
    EXPECT_EQ(counter.counts["ReverseV2"], 0) << name;
  }
}

TEST(Bidirectional, CopiesTheLayerForBothDirections) {
  const Tensor x = random_tensor({2, 3, 2}, 2);
  const LSTM lstm(3, {.recurrent_activation = "hard_sigmoid", .return_sequences = true, .name = "words"});
  const Tensor alone = lstm(x);
  const Bidirectional layer(lstm);
  EXPECT_EQ(layer.forward_layer().name(), "forward_words");
  EXPECT_EQ(layer.backward_layer().name(), "backward_words");
  EXPECT_FALSE(layer.forward_layer().is_same(lstm));
  EXPECT_EQ(layer(x).shape(), (Shape{2, 3, 6}));
  EXPECT_NE(layer.forward_layer().get_weights()[0].to_vector(), lstm.get_weights()[0].to_vector())
      << "the weights are not copied";
  EXPECT_EQ(lstm(x).to_vector(), alone.to_vector());
  EXPECT_EQ(layer.forward_layer().get_config()["recurrent_activation"].as_string(), "hard_sigmoid");
  EXPECT_TRUE(layer.backward_layer().get_config()["go_backwards"].as_bool());

  const Bidirectional again(LSTM(3, {.name = "forward_words"}));
  EXPECT_EQ(again.forward_layer().name(), "forward_words");
  EXPECT_EQ(again.backward_layer().name(), "backward_forward_words");
}

TEST(Bidirectional, HasTheWeightsOfTheForwardLayerFirst) {
  clear_session();
  const Bidirectional layer(GRU(2));
  layer.build({-1, 4, 3});
  std::vector<std::string> paths;
  for (const Variable& weight : layer.weights()) paths.push_back(weight.path());
  EXPECT_EQ(paths,
            (std::vector<std::string>{
                "bidirectional/forward_gru/gru_cell/kernel", "bidirectional/forward_gru/gru_cell/recurrent_kernel",
                "bidirectional/forward_gru/gru_cell/bias", "bidirectional/backward_gru/gru_cell/kernel",
                "bidirectional/backward_gru/gru_cell/recurrent_kernel", "bidirectional/backward_gru/gru_cell/bias"}));
  const std::vector<LayerAttribute> attributes = layer.impl()->attributes();
  ASSERT_EQ(attributes.size(), 2);
  EXPECT_EQ(attributes[0].name, "forward_layer");
  EXPECT_EQ(attributes[1].name, "backward_layer");
}

TEST(Bidirectional, GivesOutputsOfMaskedStepsAsZeros) {
  const Tensor x = random_tensor({4, 5, 2}, 3);
  for (const auto& [name, make] : layer_makers()) {
    const Layer backward = make({.return_sequences = true, .go_backwards = true});
    const Bidirectional layer(make({.return_sequences = true}), {.backward_layer = backward});
    const Tensor y = layer(x, {.mask = mask_of_all_kinds()});
    const Tensor masked = where(expand_dims(mask_of_all_kinds(), 2), 0.0, abs(y));
    EXPECT_EQ(max(masked).item(), 0.0) << name;
    EXPECT_GT(max(y).item(), 0.0) << name;
    for (const Layer& inner : {layer.forward_layer(), layer.backward_layer()}) {
      EXPECT_TRUE(inner.get_config()["zero_output_for_mask"].as_bool()) << name;
    }
    const Bidirectional last(make({.zero_output_for_mask = true}));
    EXPECT_FALSE(last.forward_layer().get_config()["zero_output_for_mask"].as_bool()) << name;
  }
}

TEST(Bidirectional, GivesHalfOfTheStatesToEachDirection) {
  const Tensor x = random_tensor({2, 5, 2}, 4);
  std::vector<Tensor> states;
  for (int i = 0; i < 4; ++i) states.push_back(random_tensor({2, 3}, 10 + static_cast<std::uint64_t>(i)));
  const LayerMaker make = layer_makers()[1].second;
  const DirectionSettings settings{.return_sequences = true, .return_state = true};
  const Bidirectional layer(make(settings));
  const std::vector<Tensor> outputs = layer.call_many({x}, {.kwargs = {{"initial_state", states}}});
  expect_all_close(outputs, composed_directions(layer, make, settings, "concat", x, {}, states), 1e-6, "keyword");
  expect_all_close(layer.call_many({x}, {.args = {states}}), outputs, 1e-6, "position");

  const SymbolicTensor in = Input({.shape = {5, 2}});
  std::vector<SymbolicTensor> ins = {in};
  for (int i = 0; i < 4; ++i) ins.push_back(Input({.shape = {3}}));
  const std::vector<SymbolicTensor> given(ins.begin() + 1, ins.end());
  const Model model({.inputs = ins, .outputs = layer.call_many({in}, {.kwargs = {{"initial_state", given}}})});
  std::vector<Tensor> all = {x};
  all.insert(all.end(), states.begin(), states.end());
  expect_all_close(model.call_many(all), outputs, 1e-6, "model");

  GradientTape tape({.persistent = true});
  for (const Tensor& state : states) tape.watch(state);
  const Tensor value = sum(layer.call_many({x}, {.kwargs = {{"initial_state", states}}}).front());
  tape.stop_recording();
  for (const Tensor& state : states) EXPECT_FALSE(tape.gradient(value, state).is_empty());

  const auto with = [&](const Argument& state) {
    return message_or_none([&] { layer.call_many({x}, {.kwargs = {{"initial_state", state}}}); });
  };
  EXPECT_NE(with(states[0]).find("must be a list"), std::string::npos);
  EXPECT_NE(with(std::vector<Tensor>(states.begin(), states.begin() + 3)).find("must be a list"), std::string::npos);
  EXPECT_NE(with(std::vector<Tensor>(4, random_tensor({2, 4}, 1))), "no error");
  EXPECT_NE(message_or_none([&] {
              const SymbolicTensor wrong = Input({.shape = {4}});
              layer.call_many({in}, {.kwargs = {{"initial_state", {wrong, wrong, wrong, wrong}}}});
            }),
            "no error")
      << "found when the model is built";
}

TEST(Bidirectional, KeepsStatesBetweenCalls) {
  const Tensor x = random_tensor({2, 4, 3}, 5);
  const Bidirectional layer(LSTM(2, {.stateful = true}));
  const Tensor first = layer(x);
  ASSERT_EQ(layer.states().size(), 4);
  EXPECT_EQ(layer.states()[0].value().to_vector(), slice_axis(first, 1, 0, 2).to_vector());
  EXPECT_EQ(layer.states()[2].value().to_vector(), slice_axis(first, 1, 2, 4).to_vector());
  EXPECT_NE(layer(x).to_vector(), first.to_vector());
  layer.reset_state();
  EXPECT_EQ(layer(x).to_vector(), first.to_vector());
  EXPECT_EQ(layer.weights().size(), 6) << "states are no weights";
  reset_states(Sequential({layer}));
  EXPECT_EQ(layer(x).to_vector(), first.to_vector());

  EXPECT_EQ(message_or_none([] { Bidirectional(LSTM(2)).reset_states(); }), "Layer must be stateful.");
  EXPECT_EQ(message_or_none([] {
              Bidirectional(LSTM(2, {.stateful = true}))(Input({.shape = {4, 3}}));
            }),
            "When using `stateful=True` in a RNN, the batch size must be static. Found dynamic batch size: "
            "sequence.shape=(None, 4, 3)");
}

TEST(Bidirectional, PassesMasksOn) {
  const Tensor words = Tensor::from_data({2, 4}, {1, 2, 0, 0, 3, 1, 2, 0});
  const Embedding embedding(4, 3, {.mask_zero = true});
  const Tensor x = embedding(words);
  EXPECT_TRUE(Bidirectional(GRU(2, {.return_sequences = true}))(x).has_mask());
  EXPECT_FALSE(Bidirectional(GRU(2))(x).has_mask());
  const std::vector<Tensor> both =
      Bidirectional(GRU(2, {.return_sequences = true, .return_state = true}), {.merge_mode = std::nullopt})
          .call_many({x});
  ASSERT_EQ(both.size(), 4);
  EXPECT_TRUE(both[0].has_mask() && both[1].has_mask());
  EXPECT_FALSE(both[2].has_mask() || both[3].has_mask());

  // What the mask hides has no effect.
  const Bidirectional layer(GRU(2));
  const Tensor expected = layer(slice_axis(x.with_mask({}), 1, 0, 2));
  expect_close(slice_axis(layer(x), 0, 0, 1), slice_axis(expected, 0, 0, 1), 1e-6, "first sample");
  const SymbolicTensor in = Input({.shape = {-1}, .dtype = "int32"});
  const Model model({.inputs = in, .outputs = layer(embedding(in))});
  expect_close(model(words), layer(x), 1e-6, "model");
}

TEST(Bidirectional, KnowsItsShapesWithoutTheLengths) {
  const SymbolicTensor x = Input({.shape = {-1, 3}});
  const auto shapes = [&](const Layer& layer) {
    std::string text;
    for (const SymbolicTensor& y : layer.call_many({x})) text += y.shape().to_string();
    return text;
  };
  EXPECT_EQ(shapes(Bidirectional(LSTM(4))), "(None, 8)");
  EXPECT_EQ(shapes(Bidirectional(LSTM(4, {.return_sequences = true}), {.merge_mode = "sum"})), "(None, None, 4)");
  EXPECT_EQ(shapes(Bidirectional(LSTM(4, {.return_sequences = true, .return_state = true}))),
            "(None, None, 8)(None, 4)(None, 4)(None, 4)(None, 4)");
  EXPECT_EQ(shapes(Bidirectional(GRU(4, {.return_state = true}), {.merge_mode = std::nullopt})),
            "(None, 4)(None, 4)(None, 4)(None, 4)");
  EXPECT_EQ(shapes(Bidirectional(GRU(4), {.backward_layer = GRU(2, {.go_backwards = true})})), "(None, 6)");
  EXPECT_EQ(shapes(TimeDistributed(Dense(2))), "(None, None, 2)");
  const SymbolicTensor videos = Input({.shape = {5, -1, 3}});
  EXPECT_EQ(TimeDistributed(Bidirectional(GRU(4)))(videos).shape(), (Shape{-1, 5, 8}));
}

TEST(Bidirectional, ComputesInTheDtypeOfEachLayer) {
  const Tensor x = random_tensor({2, 3, 2}, 6);
  const Bidirectional half(LSTM(2, {.return_state = true, .dtype = "mixed_bfloat16"}));
  const std::vector<Tensor> outputs = half.call_many({x});
  EXPECT_EQ(outputs[0].dtype(), DType::float32);
  EXPECT_EQ(outputs[1].dtype(), DType::bfloat16);
  EXPECT_EQ(half.call_many({Input({.shape = {3, 2}})})[1].dtype(), DType::bfloat16);
  EXPECT_EQ(Bidirectional(LSTM(2), {.dtype = "float64"})(x).dtype(), DType::float64);
}

TEST(Bidirectional, AddsThePenaltiesOfItsLayers) {
  const Regularizer penalty = "l2";
  const Tensor x = random_tensor({2, 3, 2}, 7);
  const Bidirectional layer(
      LSTM(2, {.kernel_regularizer = penalty, .activity_regularizer = penalty, .return_sequences = true}));
  const Bidirectional plain(LSTM(2, {.return_sequences = true}));
  plain.build({-1, 3, 2});
  layer.build({-1, 3, 2});
  plain.set_weights(layer.get_weights());
  expect_close(layer(x), plain(x), 1e-6, "outputs");
  EXPECT_EQ(layer.losses().size(), 4) << "two of outputs, two of kernels";
  layer.set_trainable(false);
  EXPECT_TRUE(layer.trainable_weights().empty());
}

TEST(Bidirectional, DropsInTrainingOnly) {
  const Tensor x = random_tensor({2, 3, 2}, 8);
  const Bidirectional layer(LSTM(4, {.dropout = 0.5, .recurrent_dropout = 0.5, .seed = 1}));
  EXPECT_EQ(layer(x).to_vector(), layer(x).to_vector());
  EXPECT_NE(layer(x, {.training = true}).to_vector(), layer(x).to_vector());
}

TEST(Bidirectional, Trains) {
  clear_session();
  set_random_seed(3);
  // Whether the largest number comes in the first half: one direction alone knows it as well, a Dense layer behind it.
  Sequential model({Input({.shape = {6, 1}}), Bidirectional(GRU(4, {.return_sequences = true})),
                    Bidirectional(LSTM(4), {.merge_mode = "ave"}), Dense(1)});
  model.compile({.optimizer = "adam", .loss = "mse"});
  const Tensor x = random_tensor({32, 6, 1}, 1);
  const Tensor y = max(x, {1});
  const auto history = model.fit(x, y, {.batch_size = 8, .epochs = 30, .verbose = 0});
  const std::vector<double>& losses = history.history.at("loss");
  EXPECT_LT(losses.back(), 0.2 * losses.front());
}

TEST(Bidirectional, ConfigComesBack) {
  const Bidirectional layer(LSTM(3, {.return_sequences = true, .name = "x"}),
                            {.merge_mode = std::nullopt,
                             .backward_layer = LSTM(4, {.return_sequences = true, .go_backwards = true, .name = "y"}),
                             .name = "both"});
  layer.build({-1, 5, 2});
  const Layer read = deserialize(serialize(layer));
  EXPECT_EQ(read.get_config(), layer.get_config());
  EXPECT_EQ(read.weights().size(), 6);
  const io::Json config = layer.get_config();
  EXPECT_TRUE(config["merge_mode"].is_null());
  EXPECT_EQ(config["layer"]["config"]["name"].as_string(), "forward_x");
  EXPECT_EQ(config["backward_layer"]["config"]["name"].as_string(), "y");
  EXPECT_EQ(config["backward_layer"]["config"]["units"].as_int(), 4);

  // As Keras 2 writes one without a backward layer.
  io::Json old = Bidirectional(GRU(2, {.name = "gru"}), {.name = "old"}).get_config();
  old["layer"]["config"]["name"] = "gru";
  old.erase("backward_layer");
  old.erase("merge_mode");
  const Bidirectional from_old = Bidirectional::from_config(old);
  EXPECT_EQ(from_old.forward_layer().name(), "forward_gru");
  EXPECT_EQ(from_old.backward_layer().name(), "backward_gru");
  EXPECT_EQ(from_old.get_config()["merge_mode"].as_string(), "concat");
  old["backward_layer"] = nullptr;
  EXPECT_EQ(Bidirectional::from_config(old).backward_layer().name(), "backward_gru");
  EXPECT_THROW(Bidirectional::from_config(io::Json::object()), ValueError);
}

TEST(Bidirectional, RefusesWhatDoesNotFit) {
  const auto made = [](const Layer& layer, const BidirectionalOptions& options = {}) {
    return message_or_none([&] { const Bidirectional wrapper(layer, options); });
  };
  EXPECT_EQ(made(Layer()),
            "Please initialize `Bidirectional` layer with a `keras.layers.Layer` instance. Received: None");
  EXPECT_EQ(made(LSTM(2), {.merge_mode = "avg"}),
            "Invalid merge mode. Received: avg. Merge mode should be one of {\"sum\", \"mul\", \"ave\", \"concat\", "
            "None}");
  EXPECT_EQ(made(LSTM(2), {.backward_layer = LSTM(2)}),
            "Forward layer and backward layer should have different `go_backwards` value. Received: "
            "forward_layer.go_backwards False, backward_layer.go_backwards=False");
  EXPECT_EQ(made(LSTM(2, {.go_backwards = true})),
            "Forward layer and backward layer should have different `go_backwards` value. Received: "
            "forward_layer.go_backwards True, backward_layer.go_backwards=True");
  const std::string differs = "Forward layer and backward layer are expected to have the same value for attribute ";
  EXPECT_EQ(made(LSTM(2), {.backward_layer = LSTM(2, {.return_sequences = true, .go_backwards = true})}),
            differs + "\"return_sequences\", got \"False\" for forward layer and \"True\" for backward layer");
  EXPECT_EQ(made(LSTM(2, {.return_state = true}), {.backward_layer = LSTM(2, {.go_backwards = true})}),
            differs + "\"return_state\", got \"True\" for forward layer and \"False\" for backward layer");
  EXPECT_EQ(made(LSTM(2, {.stateful = true}), {.backward_layer = LSTM(2, {.go_backwards = true})}),
            differs + "\"stateful\", got \"True\" for forward layer and \"False\" for backward layer");
  EXPECT_EQ(made(LSTM(2), {.backward_layer = Dense(2)}), "'Dense' object has no attribute 'go_backwards'");
  EXPECT_NE(made(Dense(2)), "no error");
  EXPECT_NE(made(Bidirectional(LSTM(2)), {.name = "outer"}), "no error");

  const Bidirectional layer(LSTM(2), {.name = "both"});
  EXPECT_EQ(message_or_none([&] {
              layer(Tensor::zeros({2, 3}));
            }),
            "Input 0 with name 'None' of layer 'both' is incompatible with the layer: expected ndim=3, found ndim=2. "
            "Full shape received: (2, 3)");
  layer.build({-1, 3, 2});
  EXPECT_THROW(layer(Tensor::zeros({2, 3, 4})), ValueError);
  const Bidirectional sum(LSTM(2), {.merge_mode = "sum", .backward_layer = LSTM(3, {.go_backwards = true})});
  EXPECT_THROW(sum(Input({.shape = {3, 2}})), Error) << "found when the model is built";
}

}  // namespace
}  // namespace rhyton::layers
