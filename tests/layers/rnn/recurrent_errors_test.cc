// What SimpleRNN, LSTM, GRU and their cells refuse, and what they say.

#include <cstdint>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rhyton/framework/context.h>
#include <rhyton/framework/error.h>
#include <rhyton/layers/core/input.h>
#include <rhyton/layers/rnn/gru.h>
#include <rhyton/layers/rnn/gru_cell.h>
#include <rhyton/layers/rnn/lstm.h>
#include <rhyton/tests/support/message_of.h>
#include <rhyton/tests/support/random_tensor.h>

namespace rhyton::layers {
namespace {

using test::random_tensor;
using ::testing::HasSubstr;

/// True everywhere.
Tensor all_true(const Shape& shape) { return Tensor::full(shape, 1.0).cast(DType::bool_); }

TEST(RecurrentLayerErrors, NameWhatDoesNotFit) {
  clear_session();
  const Tensor x = random_tensor({2, 3, 4}, 1);
  const auto message = [](const auto& call) { return test::message_of<ValueError>(call); };
  EXPECT_EQ(message([] { LSTM(0); }),
            "Received an invalid value for argument `units`, expected a positive integer, got 0.");
  EXPECT_EQ(message([] { GRUCell(-1); }),
            "Received an invalid value for argument `units`, expected a positive integer, got -1.");
  EXPECT_EQ(message([&] {
              LSTM(2, {.name = "lstm"})(Tensor::zeros({2, 4}));
            }),
            "Input 0 with name 'None' of layer 'lstm' is incompatible with the layer: expected ndim=3, found ndim=2. "
            "Full shape received: (2, 4)");
  EXPECT_THAT(message([&] {
                const LSTM layer(2);
                layer(x);
                layer(Tensor::zeros({2, 3, 5}));
              }),
              HasSubstr("expected axis -1 of input shape to have value 4"));
  EXPECT_EQ(message([] {
              LSTM(2, {.stateful = true})(Input({.shape = {3, 4}}));
            }),
            "When using `stateful=True` in a RNN, the batch size must be static. Found dynamic batch size: "
            "sequence.shape=(None, 3, 4)");

  // Symbolically, when a model is built, and on values.
  const SymbolicTensor inputs = Input({.shape = {3, 4}});
  const SymbolicTensor three = Input({.shape = {3}});
  const std::string wrong_state = "An `initial_state` was passed that is not compatible with `cell.state_size`.";
  EXPECT_THAT(message([&] { GRU(2)(inputs, {.args = {three}}); }), HasSubstr(wrong_state));
  EXPECT_THAT(message([&] { GRU(2)(x, {.args = {Tensor::zeros({2, 3})}}); }), HasSubstr(wrong_state));
  EXPECT_THAT(message([&] { GRU(3)(x, {.args = {Tensor::zeros({4, 3})}}); }), HasSubstr(wrong_state));
  EXPECT_THAT(message([&] { LSTM(3)(inputs, {.args = {three}}); }), HasSubstr(wrong_state));
  EXPECT_THAT(message([&] { LSTM(3)(x, {.args = {Tensor::zeros({2, 3})}}); }), HasSubstr(wrong_state));
  const SymbolicTensor mask = Input({.shape = {4}, .dtype = "bool"});
  EXPECT_THAT(message([&] {
                GRU(2, {.name = "g"})
                (inputs, {.mask = mask});
              }),
              HasSubstr("The `mask` passed to layer \"g\" has the shape (None, 4)"));
  EXPECT_THAT(message([&] { GRU(2)(x, {.mask = all_true({2, 2})}); }), HasSubstr("`mask`"));
  EXPECT_THAT(message([&] { GRU(2)(x, {.mask = all_true({3})}); }), HasSubstr("`mask`"));
  EXPECT_THAT(message([&] { GRU(2)(x, {.mask = all_true({})}); }), HasSubstr("`mask`"));
  EXPECT_THAT(message([&] {
                LSTM(2, {.activation = "softsign", .use_cudnn = true})
                (x);
              }),
              HasSubstr("use_cudnn=True was specified"));
}

TEST(RecurrentLayerErrors, ComeOfStatesThatAreNoTensors) {
  const CallOptions options = {.kwargs = {{"initial_state", 3.5}}};
  const auto message = [](const auto& call) { return test::message_of<TypeError>(call); };
  EXPECT_THAT(message([&] { GRU(2)(random_tensor({2, 3, 4}, 1), options); }), HasSubstr("Expected a tensor"));
  EXPECT_THAT(message([&] { GRU(2)(Input({.shape = {3, 4}}), options); }), HasSubstr("Expected a tensor"));
}

// The product of four gates and these units is a multiple of 2^64.
TEST(RecurrentLayerErrors, ComeOfUnitsWhoseProductsOverflow) {
  EXPECT_THAT(test::message_of<ValueError>([] {
                LSTM(std::int64_t{1} << 62)(Input({.shape = {3, 4}}));
              }),
              HasSubstr("does not fit into 64 bits"));
}

}  // namespace
}  // namespace rhyton::layers
