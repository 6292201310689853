// Recurrent layers that keep their states between calls.

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rhyton/framework/context.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/layers/layers.h>
#include <rhyton/layers/serialization.h>
#include <rhyton/models/model.h>
#include <rhyton/models/sequential.h>
#include <rhyton/tests/framework/io/temporary_folder.h>
#include <rhyton/tests/support/message_of.h>
#include <rhyton/tests/support/random_tensor.h>
#include <rhyton/tests/support/tensor_distance.h>
#include <rhyton/tests/support/thread_count.h>

namespace rhyton::layers {
namespace {

using models::Model;
using models::Sequential;
using test::random_tensor;
using ::testing::HasSubstr;
using Values = std::vector<double>;

/// The first and the last half of the steps.
std::vector<Tensor> halves(const Tensor& x) { return split(x, 2, 1); }

TEST(Stateful, GoesOnWhereTheLastCallEnded) {
  set_random_seed(1);
  const Tensor x = random_tensor({3, 6, 2}, 1);
  const std::vector<std::pair<RNN, RNN>> pairs = {
      {SimpleRNN(4, {.stateful = true}), SimpleRNN(4)},
      {LSTM(4, {.stateful = true}), LSTM(4)},
      {GRU(4, {.stateful = true}), GRU(4)},
      {RNN({LSTMCell(4), GRUCell(4)}, {.stateful = true}), RNN({LSTMCell(4), GRUCell(4)})},
  };
  for (const auto& [layer, stateless] : pairs) {
    layer.build({3, -1, 2});
    stateless.build({3, -1, 2});
    stateless.set_weights(layer.get_weights());
    const Tensor whole = stateless(x);
    const Values first = layer(halves(x)[0]).to_vector();
    EXPECT_LT(test::relative_distance(layer(halves(x)[1]), whole), 1e-5) << layer.class_name();
    layer.reset_state();
    EXPECT_EQ(layer(halves(x)[0]).to_vector(), first);
    layer.reset_states();
    for (const Variable& state : layer.states()) {
      EXPECT_EQ(state.value().to_vector(), Values(state.value().to_vector().size(), 0.0));
    }
  }
  // Without states it does nothing.
  pairs[0].second.reset_state();
}

TEST(Stateful, StoresTheStatesOfCallsWithInitialStates) {
  const Tensor x = random_tensor({2, 3, 2}, 1);
  const Tensor h = random_tensor({2, 4}, 2);
  const GRU layer(4, {.return_state = true, .stateful = true});
  const std::vector<Tensor> outputs = layer.call_many({x}, {.args = {h}});
  EXPECT_EQ(layer.states()[0].value().to_vector(), outputs[1].to_vector());
}

TEST(Stateful, HasStatesThatAreNoWeights) {
  clear_session();
  const Sequential model({Input({.shape = {-1, 2}, .batch_size = 2}), GRU(3, {.stateful = true}), Dense(1)});
  EXPECT_EQ(model.weights().size(), 5U);
  EXPECT_EQ(model.count_params(), 2 * 9 + 3 * 9 + 2 * 9 + 3 + 1);
  const test::TemporaryFolder folder;
  model.predict(random_tensor({2, 3, 2}, 1), {.batch_size = 2, .verbose = 0});
  model.save((folder.path() / "model.keras").string());
  const Model again = models::load_model((folder.path() / "model.keras").string());
  const Tensor x = random_tensor({2, 3, 2}, 2);
  reset_states(model);
  EXPECT_TRUE(test::same_bits(again.predict(x, {.batch_size = 2, .verbose = 0}),
                              model.predict(x, {.batch_size = 2, .verbose = 0})));
}

TEST(Stateful, KeepsStatesInPredictAndFit) {
  for (const int threads : {1, 2}) {
    const test::ThreadCount count(threads);
    clear_session();
    set_random_seed(2);
    const Tensor x = random_tensor({8, 6, 2}, 1);
    const LSTM layer(4, {.stateful = true});
    Sequential model({Input({.shape = {-1, 2}, .batch_size = 8}), layer, Dense(1)});
    const LSTM stateless(4);
    stateless.build({-1, -1, 2});
    stateless.set_weights(layer.get_weights());
    model.predict(halves(x)[0], {.batch_size = 8, .verbose = 0});
    const std::vector<Variable> states = layer.states();
    EXPECT_LT(test::relative_distance(states[0].value(), stateless(halves(x)[0])), 1e-5);
    model.predict(halves(x)[1], {.batch_size = 8, .verbose = 0});
    EXPECT_LT(test::relative_distance(states[0].value(), stateless(x)), 1e-5);

    model.compile({.optimizer = "sgd", .loss = "mse"});
    reset_states(model);
    model.fit(x, random_tensor({8, 1}, 3), {.batch_size = 8, .epochs = 1, .verbose = 0, .shuffle = false});
    EXPECT_LT(test::relative_distance(states[0].value(), stateless(x)), 1e-5) << "of the weights before the step";
  }
}

TEST(Stateful, NeedsTheBatchSize) {
  const auto message = [](const auto& call) { return test::message_of<ValueError>(call); };
  EXPECT_EQ(message([] {
              Sequential({Input({.shape = {4, 3}}), LSTM(2, {.stateful = true})});
            }),
            "When using `stateful=True` in a RNN, the batch size must be static. Found dynamic batch size: "
            "sequence.shape=(None, 4, 3)");
  const GRU layer(2, {.stateful = true});
  layer(Tensor::zeros({2, 3, 4}));
  EXPECT_THAT(message([&] {
                layer(Tensor::zeros({3, 3, 4}));
              }),
              HasSubstr("If an RNN is stateful, the batch size of the input sequences must be the same as the batch "
                        "size of the initial state. \n- Expected batch size: 2\n- Received batch size: 3"));
}

TEST(Stateful, IsBuiltForItsBatchWhenItIsRead) {
  const GRU layer(2, {.stateful = true});
  layer(Tensor::zeros({2, 3, 4}));
  const io::Json saved = serialize(layer);
  EXPECT_EQ(saved["build_config"]["input_shape"].dump(), "[2, 3, 4]");
  EXPECT_TRUE(deserialize(saved).is_built());
}

TEST(Stateful, BuildsASequentialModelWithItsFirstBatch) {
  const Sequential model({LSTM(2, {.stateful = true}), Dense(1)});
  EXPECT_EQ(model(Tensor::zeros({2, 3, 4})).shape(), (Shape{2, 1}));
}

}  // namespace
}  // namespace rhyton::layers
