// Generators of random numbers that a custom layer keeps.

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/framework/context.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/seed_generator.h>
#include <rhyton/framework/ops/seeded_random.h>
#include <rhyton/layers/core/dense.h>
#include <rhyton/layers/layer.h>
#include <rhyton/models/training/random_states.h>

namespace rhyton::layers {
namespace {

/// x + noise.
class Noise final : public LayerImpl {
 public:
  Noise() : LayerImpl(LayerOptions{}) {}
  std::string class_name() const override { return "Noise"; }
  std::vector<Tensor> call(const std::vector<Tensor>& inputs, bool) override {
    return {inputs[0] + random::normal(inputs[0].shape(), {.seed = seeds_})};
  }

 private:
  random::SeedGenerator seeds_ = track("seed_generator", random::SeedGenerator(7));
};

/// Generators beside a weight and sublayers.
class Outer final : public LayerImpl {
 public:
  Outer() : LayerImpl(LayerOptions{}) { add_weight({.shape = {2}, .name = "w"}); }
  std::string class_name() const override { return "Outer"; }
  std::vector<Tensor> call(const std::vector<Tensor>& inputs, bool) override { return {noise_(inputs[0])}; }

 private:
  std::vector<random::SeedGenerator> generators_ =
      track("gens", std::vector{random::SeedGenerator(1), random::SeedGenerator(2)});
  Layer noise_ = track("noise", make_layer<Noise>());
};

std::vector<std::string> paths_of(const std::vector<Variable>& variables) {
  std::vector<std::string> paths;
  for (const Variable& variable : variables) paths.push_back(variable.path());
  return paths;
}

class TrackedSeedGenerators : public ::testing::Test {
 protected:
  void SetUp() override { context().clear_session(); }
};

// The paths and the order of Keras.
TEST_F(TrackedSeedGenerators, AreVariablesAndNoWeights) {
  const Layer layer = make_layer<Outer>();
  layer(Tensor::zeros({3, 2}));
  const std::vector<std::string> states = {"seed_generator/seed_generator_state",
                                           "seed_generator_1/seed_generator_state",
                                           "seed_generator_2/seed_generator_state"};
  EXPECT_EQ(paths_of(layer.variables()), (std::vector<std::string>{"outer/w", states[0], states[1], states[2]}));
  EXPECT_EQ(paths_of(layer.non_trainable_variables()), states);
  EXPECT_EQ(paths_of(layer.weights()), (std::vector<std::string>{"outer/w"}));
  EXPECT_TRUE(layer.non_trainable_weights().empty());
  EXPECT_EQ(layer.count_params(), 2);
  EXPECT_EQ(paths_of(training::random_states_of(layer)), states);  // what BackupAndRestore keeps
}

TEST_F(TrackedSeedGenerators, ContinueFromTheStateThatIsSet) {
  const Layer layer = make_layer<Noise>();
  const Tensor x = Tensor::zeros({4});
  layer(x);
  const Variable state = layer.variables()[0];
  const Tensor before = state.value().clone();
  const std::vector<double> drawn = layer(x).to_vector();
  EXPECT_NE(layer(x).to_vector(), drawn);
  state.assign(before);
  EXPECT_EQ(layer(x).to_vector(), drawn);
}

TEST_F(TrackedSeedGenerators, AreArgumentsOfStatelessCalls) {
  const Layer layer = make_layer<Noise>();
  const Tensor x = Tensor::zeros({4});
  const std::vector<Tensor> states = {layer.variables()[0].value()};
  layer.build({4});
  const StatelessResult first = layer.stateless_call({}, states, {x});
  EXPECT_EQ(layer.stateless_call({}, states, {x}).outputs[0].to_vector(), first.outputs[0].to_vector());
  EXPECT_NE(layer.stateless_call({}, first.non_trainable_variables, {x}).outputs[0].to_vector(),
            first.outputs[0].to_vector());
}

}  // namespace
}  // namespace rhyton::layers
