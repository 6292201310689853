// Cells by themselves, stacked cells, and custom cells.

#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rhyton/framework/autodiff/gradient_tape.h>
#include <rhyton/framework/context.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/matmul.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/framework/warning.h>
#include <rhyton/layers/layers.h>
#include <rhyton/layers/rnn/rnn_cell.h>
#include <rhyton/layers/serialization.h>
#include <rhyton/models/model.h>
#include <rhyton/models/sequential.h>
#include <rhyton/tests/framework/io/temporary_folder.h>
#include <rhyton/tests/support/message_of.h>
#include <rhyton/tests/support/random_tensor.h>
#include <rhyton/tests/support/tensor_distance.h>

namespace rhyton::layers {
namespace {

using models::Model;
using models::Sequential;
using test::random_tensor;
using ::testing::HasSubstr;
using Values = std::vector<double>;

/// The states of a cell, from zeros, over all steps of x.
std::vector<Tensor> steps_of(const Layer& cell, const Tensor& x, std::vector<Tensor> states) {
  std::vector<Tensor> outputs;
  for (const Tensor& step : unstack(x, 1)) {
    const std::vector<Tensor> results = cell.call_many({step}, {.args = {states}});
    outputs.push_back(results[0]);
    states.assign(results.begin() + 1, results.end());
  }
  return outputs;
}

TEST(Cells, ComputeOneStep) {
  set_random_seed(1);
  const Tensor x = random_tensor({2, 4, 3}, 1);
  const Tensor zeros = Tensor::zeros({2, 5});
  const std::vector<std::pair<Layer, std::vector<Tensor>>> cases = {
      {SimpleRNNCell(5), {zeros}},
      {LSTMCell(5), {zeros, zeros}},
      {GRUCell(5), {zeros}},
      {GRUCell(5, {.reset_after = false}), {zeros}},
  };
  for (const auto& [cell, states] : cases) {
    const Tensor expected = stack(steps_of(cell, x, states), 1);
    EXPECT_LT(test::relative_distance(RNN(cell, {.return_sequences = true})(x), expected), 1e-5) << cell.class_name();
  }
}

TEST(Cells, AreLayersOfModels) {
  set_random_seed(2);
  const SymbolicTensor x = Input({.shape = {3}});
  const SymbolicTensor h = Input({.shape = {4}});
  const SymbolicTensor c = Input({.shape = {4}});
  const LSTMCell cell(4);
  const std::vector<SymbolicTensor> outputs = cell.call_many({x}, {.args = {Argument{h, c}}});
  ASSERT_EQ(outputs.size(), 3U);
  for (const SymbolicTensor& output : outputs) EXPECT_EQ(output.shape(), (Shape{-1, 4}));
  const Model model({.inputs = {x, h, c}, .outputs = outputs});
  const std::vector<Tensor> values = {random_tensor({2, 3}, 1), random_tensor({2, 4}, 2), random_tensor({2, 4}, 3)};
  const std::vector<Tensor> direct = cell.call_many({values[0]}, {.args = {Argument{values[1], values[2]}}});
  const Model again = models::model_from_json(model.to_json());
  again.set_weights(model.get_weights());
  for (const Model& each : {model, again}) {
    const std::vector<Tensor> results = each.call_many(values);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_LT(test::relative_distance(results[i], direct[i]), 1e-6);
  }
  EXPECT_THAT(test::message_of<TypeError>([&] { cell.call_many({values[0]}); }),
              HasSubstr("missing a required argument: 'states'"));
}

TEST(Cells, AreSavedInKerasForm) {
  const LSTMCell lstm(2, {.unit_forget_bias = false, .dropout = 0.5, .seed = 3, .name = "c"});
  std::vector<std::string> keys;
  const io::Json config = lstm.get_config();
  for (const auto& [key, value] : config.items()) keys.push_back(key);
  EXPECT_THAT(keys, ::testing::ElementsAre(
                        "name", "trainable", "dtype", "units", "activation", "recurrent_activation", "use_bias",
                        "unit_forget_bias", "kernel_initializer", "recurrent_initializer", "bias_initializer",
                        "kernel_regularizer", "recurrent_regularizer", "bias_regularizer", "kernel_constraint",
                        "recurrent_constraint", "bias_constraint", "dropout", "recurrent_dropout", "seed"));
  for (const Layer& cell : std::vector<Layer>{lstm, GRUCell(3, {.reset_after = false}), SimpleRNNCell(2),
                                              StackedRNNCells({GRUCell(2), LSTMCell(3)})}) {
    EXPECT_EQ(deserialize(serialize(cell)).get_config(), cell.get_config());
    const RNN layer(cell, {.return_sequences = true, .unroll = true});
    layer.build({-1, 3, 2});
    const Layer again = deserialize(serialize(layer));
    EXPECT_EQ(again.get_config(), layer.get_config());
    EXPECT_TRUE(again.is_built());
  }
}

TEST(StackedRNNCells, HandOutputsOn) {
  set_random_seed(3);
  const Tensor x = random_tensor({2, 4, 3}, 1);
  const RNN stacked({LSTMCell(5), GRUCell(4)}, {.return_sequences = true, .return_state = true});
  const std::vector<Tensor> outputs = stacked.call_many({x});
  ASSERT_EQ(outputs.size(), 4U);
  EXPECT_EQ(outputs[2].shape(), (Shape{2, 5}));
  EXPECT_EQ(outputs[3].shape(), (Shape{2, 4}));

  const LSTM first(5, {.return_sequences = true, .return_state = true});
  const GRU second(4, {.return_sequences = true});
  first.build({-1, -1, 3});
  second.build({-1, -1, 5});
  const std::vector<Tensor> weights = stacked.get_weights();
  first.set_weights({weights[0], weights[1], weights[2]});
  second.set_weights({weights[3], weights[4], weights[5]});
  const std::vector<Tensor> of_first = first.call_many({x});
  EXPECT_LT(test::relative_distance(outputs[0], second(of_first[0])), 1e-5);
  EXPECT_LT(test::relative_distance(outputs[2], of_first[2]), 1e-5);

  // All states in one list, or a list for each cell.
  const Tensor h = random_tensor({2, 5}, 2);
  const Tensor c = random_tensor({2, 5}, 3);
  const Tensor g = random_tensor({2, 4}, 4);
  const Values flat = stacked.call_many({x}, {.kwargs = {{"initial_state", {h, c, g}}}})[0].to_vector();
  const Argument nested = {Argument{h, c}, g};
  EXPECT_EQ(stacked.call_many({x}, {.kwargs = {{"initial_state", nested}}})[0].to_vector(), flat);
  EXPECT_NE(flat, outputs[0].to_vector());
}

TEST(StackedRNNCells, HaveTheWeightsOfKeras) {
  clear_session();
  const Sequential model({Input({.shape = {5, 4}}), RNN({LSTMCell(2), GRUCell(3)})});
  EXPECT_EQ(model.weights()[0].path(), "sequential/rnn/stacked_rnn_cells/lstm_cell/kernel");
  EXPECT_EQ(model.weights()[5].path(), "sequential/rnn/stacked_rnn_cells/gru_cell/bias");
}

// As in Keras, a cell that was made before its layer learns of `trainable` only by `set_trainable`.
TEST(RNN, FreezesItsCellWhenItIsSet) {
  const Sequential model({Input({.shape = {5, 4}}), RNN(GRUCell(3), {.return_sequences = true, .trainable = false}),
                          LSTM(2, {.trainable = false})});
  EXPECT_EQ(model.weights().size(), 6U);
  EXPECT_EQ(model.trainable_weights().size(), 3U);
  model.layers()[0].set_trainable(true);
  EXPECT_EQ(model.trainable_weights().size(), 3U);
  model.layers()[0].set_trainable(false);
  EXPECT_TRUE(model.trainable_weights().empty());
}

TEST(RNN, RefusesWhatIsNoCell) {
  clear_session();
  EXPECT_EQ(test::message_of<ValueError>([] { RNN{Dense(3)}; }),
            "The RNN cell should have a `state_size` attribute (single integer or list of integers, one integer per "
            "RNN state). Received: cell=<Dense name=dense, built=False>");
  EXPECT_EQ(test::message_of<ValueError>([] { RNN{Layer()}; }),
            "Argument `cell` should have a `call` method. Received: cell=None");
  EXPECT_EQ(test::message_of<ValueError>([] { StackedRNNCells{{Dense(3)}}; }),
            "All cells must have a `state_size` attribute. Received cell without a `state_size`: <Dense name=dense_1, "
            "built=False>");
}

/// y = tanh(x · kernel + h) and a count of the steps, which starts with `first`.
class CountingCell final : public RNNCellImpl {
 public:
  CountingCell(std::int64_t units, double first, const LayerOptions& options = {})
      : RNNCellImpl(options), units_(units), first_(first) {}

  std::string class_name() const override { return "CountingCell"; }
  std::vector<std::int64_t> state_size() const override { return {units_, 1}; }
  void build(const std::vector<Shape>& inputs) override {
    kernel_ = add_weight({.shape = {inputs[0].at(-1), units_}, .name = "kernel"});
  }
  std::vector<Tensor> get_initial_state(const Tensor& inputs) const override {
    const std::vector<Tensor> zeros = RNNCellImpl::get_initial_state(inputs);
    return {zeros[0], add(zeros[1], first_)};
  }
  CellResult step(const Tensor& x, const std::vector<Tensor>& states, bool) override {
    const Tensor y = tanh(add(matmul(x, kernel_), states[0]));
    return {.output = y, .states = {y, add(states[1], 1)}};
  }
  io::Json get_config() const override {
    io::Json config = LayerImpl::get_config();
    config["units"] = units_;
    config["first"] = first_;
    return config;
  }
  static Layer from_config(const io::Json& config) {
    return make_layer<CountingCell>(config["units"].as_int(), config["first"].as_double(),
                                    LayerOptions{.name = config["name"].as_string()});
  }

 private:
  std::int64_t units_;
  double first_;
  Variable kernel_;
};

TEST(CustomCell, ComputesTheSteps) {
  set_random_seed(4);
  const Tensor x = random_tensor({2, 3, 4}, 1);
  const RNN layer(make_layer<CountingCell>(5, 10.0), {.return_sequences = true, .return_state = true});
  const std::vector<Tensor> outputs = layer.call_many({x});
  ASSERT_EQ(outputs.size(), 3U);
  Tensor h = Tensor::zeros({2, 5});
  for (std::int64_t t = 0; t < 3; ++t) {
    h = tanh(add(matmul(unstack(x, 1)[static_cast<std::size_t>(t)], layer.get_weights()[0]), h));
    EXPECT_LT(test::relative_distance(unstack(outputs[0], 1)[static_cast<std::size_t>(t)], h), 1e-6);
  }
  EXPECT_EQ(outputs[2].to_vector(), (Values{13, 13}));
  // Steps that are masked are not counted.
  const Tensor mask = Tensor::from_data<std::int32_t>({2, 3}, {1, 0, 0, 1, 1, 0}).cast(DType::bool_);
  EXPECT_EQ(layer.call_many({x}, {.mask = mask})[2].to_vector(), (Values{11, 12}));
}

TEST(CustomCell, IsTrainedAndSaved) {
  register_keras_serializable("cells", "CountingCell", CountingCell::from_config);
  clear_session();
  set_random_seed(5);
  const Layer cell = make_layer<CountingCell>(4, 0.0);
  Sequential model({Input({.shape = {-1, 3}}), RNN(cell), Dense(1)});
  EXPECT_EQ(model.weights()[0].path(), "sequential/rnn/counting_cell/kernel");
  model.compile({.optimizer = "adam", .loss = "mse"});
  const Tensor x = random_tensor({8, 5, 3}, 1);
  const auto history = model.fit(x, random_tensor({8, 1}, 2), {.batch_size = 4, .epochs = 30, .verbose = 0});
  EXPECT_LT(history["loss"].back(), history["loss"].front());
  const test::TemporaryFolder folder;
  for (const char* name : {"model.keras", "model.h5"}) {
    model.save((folder.path() / name).string());
    const Model again = models::load_model((folder.path() / name).string());
    EXPECT_TRUE(test::same_bits(again.predict(x, {.verbose = 0}), model.predict(x, {.verbose = 0}))) << name;
  }
}

/// A cell that calls a layer of its own.
/// Notes the dtypes of its states.
class NotingCell final : public RNNCellImpl {
 public:
  explicit NotingCell(std::vector<DType>& seen) : RNNCellImpl(LayerOptions{}), seen_(seen) {}
  std::string class_name() const override { return "NotingCell"; }
  std::vector<std::int64_t> state_size() const override { return {1}; }
  CellResult step(const Tensor& x, const std::vector<Tensor>& states, bool) override {
    seen_.push_back(states[0].dtype());
    const Tensor y = add(multiply(states[0], 0.5), cast(x, DType::float32));
    return {.output = y, .states = {y}};
  }

 private:
  std::vector<DType>& seen_;
};

TEST(CustomCell, TheStatesOfIntegerSequencesAreFloating) {
  std::vector<DType> seen;
  const RNN layer(make_layer<NotingCell>(seen), {.unroll = true});
  const Tensor y = layer(Tensor::from_data<std::int32_t>({1, 3, 1}, {1, 2, 3}));
  EXPECT_EQ(y.item(), 4.25);
  ASSERT_FALSE(seen.empty());
  for (const DType dtype : seen) EXPECT_EQ(dtype, DType::float32);
}

class DenseCell final : public RNNCellImpl {
 public:
  DenseCell() : RNNCellImpl(LayerOptions{}) {}
  std::string class_name() const override { return "DenseCell"; }
  std::vector<std::int64_t> state_size() const override { return {4}; }
  CellResult step(const Tensor& x, const std::vector<Tensor>& states, bool) override {
    const Tensor y = add(dense_(x), multiply(states[0], 0.5));
    return {.output = y, .states = {y}};
  }

 private:
  Dense dense_ = track("dense", Dense(4));
};

TEST(CustomCell, CallsLayersOfItsOwn) {
  std::vector<std::string> warnings;
  const auto previous = config::set_warning_handler([&](const std::string& text) { warnings.push_back(text); });
  clear_session();
  const RNN layer(make_layer<DenseCell>());
  EXPECT_EQ(layer(random_tensor({2, 3, 5}, 1)).shape(), (Shape{2, 4}));
  config::set_warning_handler(previous);
  EXPECT_TRUE(warnings.empty()) << warnings.front();
  ASSERT_EQ(layer.weights().size(), 2U);
  EXPECT_EQ(layer.weights()[0].path(), "rnn/dense_cell/dense/kernel");
  // Also in a model that was not called yet.
  const Sequential model({Input({.shape = {-1, 3}}), RNN({GRUCell(2), make_layer<DenseCell>()})});
  EXPECT_EQ(model.weights().size(), 5U);
}

}  // namespace
}  // namespace rhyton::layers
