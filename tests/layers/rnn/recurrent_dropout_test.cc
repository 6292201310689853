// Dropout of the inputs and the states of recurrent layers.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/framework/context.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/layers/layers.h>
#include <rhyton/models/sequential.h>
#include <rhyton/tests/support/random_tensor.h>
#include <rhyton/tests/support/tensor_distance.h>
#include <rhyton/tests/support/thread_count.h>

namespace rhyton::layers {
namespace {

using models::Sequential;
using test::random_tensor;
using Values = std::vector<double>;

const CallOptions in_training = {.training = true};

/// The identity, step by step: the output is the dropped input.
SimpleRNN identity_of_inputs(double dropout, std::int64_t units, std::int64_t seed = 1) {
  return SimpleRNN(units, {.activation = "linear",
                           .use_bias = false,
                           .kernel_initializer = initializers::Identity(),
                           .recurrent_initializer = "zeros",
                           .dropout = dropout,
                           .return_sequences = true,
                           .seed = seed});
}

TEST(RecurrentDropout, DropsTheSameInputsInAllSteps) {
  const Tensor ones = Tensor::full({50, 4, 40}, 1.0, DType::float32);
  const SimpleRNN layer = identity_of_inputs(0.25, 40);
  EXPECT_EQ(layer(ones).to_vector(), ones.to_vector()) << "not in training";
  const std::vector<Tensor> steps = unstack(layer(ones, in_training), 1);
  std::size_t zeros = 0;
  for (const double value : steps[0].to_vector()) {
    if (value == 0) {
      ++zeros;
    } else {
      EXPECT_NEAR(value, 1 / 0.75, 1e-6);
    }
  }
  EXPECT_NEAR(static_cast<double>(zeros) / 2000, 0.25, 0.04);
  for (const Tensor& step : steps) EXPECT_EQ(step.to_vector(), steps[0].to_vector());
  const std::vector<Tensor> samples = unstack(steps[0], 0);
  EXPECT_NE(samples[0].to_vector(), samples[1].to_vector());
  EXPECT_NE(layer(ones, in_training).to_vector(), stack(steps, 1).to_vector()) << "each call draws";
}

TEST(RecurrentDropout, IsDeterminedByTheSeed) {
  const Tensor ones = Tensor::full({5, 3, 40}, 1.0, DType::float32);
  const Values first = identity_of_inputs(0.5, 40)(ones, in_training).to_vector();
  EXPECT_EQ(identity_of_inputs(0.5, 40)(ones, in_training).to_vector(), first);
  EXPECT_NE(identity_of_inputs(0.5, 40, 2)(ones, in_training).to_vector(), first);
}

TEST(RecurrentDropout, DropsTheSameStatesInAllSteps) {
  const std::int64_t units = 60;
  // h = x + h, whose part is dropped: with x = 1 at the first step only, each unit is 1, then 2, 4, … or 0.
  const SimpleRNN layer(units, {.activation = "linear",
                                .use_bias = false,
                                .kernel_initializer = "ones",
                                .recurrent_initializer = initializers::Identity(),
                                .recurrent_dropout = 0.5,
                                .return_sequences = true,
                                .seed = 1});
  const Tensor impulse = Tensor::from_data<float>({1, 3, 1}, {1, 0, 0});
  const std::vector<Tensor> steps = unstack(layer(impulse, in_training), 1);
  EXPECT_EQ(steps[0].to_vector(), Values(60, 1.0));
  std::size_t zeros = 0;
  for (std::size_t unit = 0; unit < 60; ++unit) {
    const double second = steps[1].to_vector()[unit];
    EXPECT_TRUE(second == 0 || second == 2);
    EXPECT_EQ(steps[2].to_vector()[unit], 2 * second);
    if (second == 0) ++zeros;
  }
  EXPECT_GT(zeros, 15U);
  EXPECT_LT(zeros, 45U);
  EXPECT_EQ(unstack(layer(impulse), 1)[2].to_vector(), Values(60, 1.0)) << "not in training";
}

/// LSTM or GRU whose gates see the same kernel: they differ where their masks do.
template <class Layer, class Options>
Layer with_equal_gates(Options options) {
  options.activation = "linear";
  options.recurrent_activation = "linear";
  options.use_bias = false;
  options.kernel_initializer = "ones";
  options.recurrent_initializer = "ones";
  options.seed = 4;
  return Layer(1, options);
}

// One step from zero states. LSTM: h = o · (i · g), z of GRU: (1 - z) · hh, each the sum of the kept inputs.
TEST(RecurrentDropout, HasMasksPerGateInImplementation1) {
  const Tensor ones = Tensor::full({200, 1, 1}, 1.0, DType::float32);
  const auto distinct = [&](const RNN& layer) {
    Values values = layer(ones, in_training).to_vector();
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    return values;
  };
  // Kept inputs are 2. GRU: z and hh kept or not: (1 - z) · hh.
  EXPECT_EQ(distinct(with_equal_gates<LSTM>(LSTMOptions{.dropout = 0.5})), (Values{0, 8}));
  EXPECT_EQ(distinct(with_equal_gates<GRU>(GRUOptions{.dropout = 0.5})), (Values{-2, 0}));
  EXPECT_EQ(distinct(with_equal_gates<GRU>(GRUOptions{.dropout = 0.5, .implementation = 1})), (Values{-2, 0, 2}));
  const Tensor y = with_equal_gates<LSTM>(LSTMOptions{.dropout = 0.5, .implementation = 1})(ones, in_training);
  EXPECT_NEAR(mean(y).item(), 1, 0.7) << "one of eight is kept";
}

// As in Keras: the gates of LSTM and GRU ignore a rate of 1, SimpleRNN drops everything.
TEST(RecurrentDropout, OfRateOne) {
  const Tensor x = random_tensor({2, 3, 4}, 1);
  const LSTM lstm(3, {.dropout = 1, .recurrent_dropout = 1});
  EXPECT_EQ(lstm(x, in_training).to_vector(), lstm(x).to_vector());
  EXPECT_EQ(SimpleRNN(3, {.dropout = 1})(x, in_training).to_vector(), Values(6, 0.0));
}

// Slices of the batch draw what the whole batch draws.
TEST(RecurrentDropout, DoesNotDependOnThreads) {
  const auto trained = [](int threads, const std::function<Layer()>& make) {
    const test::ThreadCount count(threads);
    clear_session();
    set_random_seed(3);
    Sequential model({Input({.shape = {5, 3}}), make(), Dense(1)});
    model.compile({.optimizer = "sgd", .loss = "mse"});
    model.fit(random_tensor({32, 5, 3}, 1), random_tensor({32, 1}, 2),
              {.batch_size = 16, .epochs = 3, .verbose = 0, .shuffle = false});
    return model.get_weights();
  };
  const std::vector<std::function<Layer()>> layers = {
      [] { return LSTM(4, {.dropout = 0.5, .seed = 1}); },
      [] { return LSTM(4, {.dropout = 0.5, .recurrent_dropout = 0.5, .seed = 1}); },
      [] { return GRU(4, {.recurrent_dropout = 0.5, .seed = 1, .reset_after = false}); },
      [] {
        return RNN({GRUCell(4, {.dropout = 0.5, .seed = 1}), SimpleRNNCell(4, {.dropout = 0.5, .seed = 2})});
      },
  };
  for (const auto& make : layers) EXPECT_TRUE(test::same_bits(trained(1, make), trained(2, make)));
}

TEST(RecurrentDropout, ChangesWhatIsTrained) {
  const Tensor x = random_tensor({4, 3, 2}, 1);
  for (const RNN& layer : {RNN(LSTM(3, {.recurrent_dropout = 0.5})), RNN(GRU(3, {.recurrent_dropout = 0.5})),
                           RNN(GRU(3, {.recurrent_dropout = 0.5, .reset_after = false}))}) {
    EXPECT_NE(layer(x, in_training).to_vector(), layer(x).to_vector());
    EXPECT_EQ(layer(x).to_vector(), layer(x).to_vector());
  }
}

}  // namespace
}  // namespace rhyton::layers
