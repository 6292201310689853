// Which weights a training step trains: those that are trainable, and since when.

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/framework/warning.h>
#include <rhyton/layers/core/dense.h>
#include <rhyton/layers/core/input.h>
#include <rhyton/models/model.h>
#include <rhyton/models/sequential.h>
#include <rhyton/optimizers/optimizer.h>
#include <rhyton/tests/models/training/small_models.h>
#include <rhyton/tests/support/random_tensor.h>
#include <rhyton/tests/support/tensor_distance.h>

namespace rhyton::models {
namespace {

/// By whether steps run eagerly.
class TrainedWeights : public ::testing::TestWithParam<bool> {
 protected:
  static CompileOptions options(const optimizers::Optimizer& optimizer) {
    return {.optimizer = optimizer, .loss = "mse", .run_eagerly = GetParam()};
  }

  const Tensor x_ = test::random_tensor({12, 4}, 1);
  const Tensor y_ = test::random_tensor({12, 2}, 2);
};

INSTANTIATE_TEST_SUITE_P(Modes, TrainedWeights, ::testing::Values(false, true),
                         [](const auto& info) { return info.param ? "eagerly" : "compiled"; });

// As Keras 3.15 does: what is trainable is decided by the first step, which is compiled then.
TEST_P(TrainedWeights, TrainableActsUntilTheFirstStepAndAtTheNextCompile) {
  const bool eagerly = GetParam();
  const layers::Dense dense(2);
  const Sequential model({layers::Input({.shape = {4}}), layers::Dense(3), dense});
  const auto step_changes_weights = [&] {
    const std::vector<Tensor> before = copies_of_weights(dense);
    model.train_on_batch(x_, y_);
    return !test::same_bits(copies_of_weights(dense), before);
  };
  model.compile(options("sgd"));
  dense.set_trainable(false);
  EXPECT_FALSE(step_changes_weights()) << "frozen after compile, before the first step";
  dense.set_trainable(true);
  model.compile(options("sgd"));
  EXPECT_TRUE(step_changes_weights()) << "compiled when thawed";
  dense.set_trainable(false);
  EXPECT_EQ(step_changes_weights(), !eagerly) << "frozen after the first step";
  model.compile(options("sgd"));
  EXPECT_FALSE(step_changes_weights()) << "compiled when frozen";
  dense.set_trainable(true);
  if (eagerly) {
    EXPECT_THROW(step_changes_weights(), ValueError) << "the optimizer does not know the thawed weights";
  } else {
    EXPECT_FALSE(step_changes_weights()) << "thawed after the first step";
  }
}

TEST_P(TrainedWeights, TrainableThatIsSetAfterCompileIsWarnedOf) {
  const layers::Dense dense(2, {.name = "frozen_late"});
  const Sequential model({layers::Input({.shape = {4}}), layers::Dense(3), dense});
  std::vector<std::string> warnings;
  const config::WarningHandler previous =
      config::set_warning_handler([&](const std::string& message) { warnings.push_back(message); });
  model.compile(options("sgd"));
  dense.set_trainable(false);
  model.train_on_batch(x_, y_);
  model.train_on_batch(x_, y_);
  model.compile(options("sgd"));
  model.train_on_batch(x_, y_);
  config::set_warning_handler(previous);
  ASSERT_EQ(warnings.size(), 1);
  EXPECT_NE(warnings[0].find("frozen_late/kernel' is frozen now and will not be trained"), std::string::npos)
      << warnings[0];
}

TEST_P(TrainedWeights, LayersFrozenAfterAnEvaluationStay) {
  const layers::Dense dense(2);
  const Sequential model({layers::Input({.shape = {4}}), layers::Dense(3), dense});
  model.compile(options("adam"));
  model.evaluate(x_, y_, {.verbose = 0});
  dense.set_trainable(false);
  const std::vector<Tensor> before = copies_of_weights(dense);
  model.fit(x_, y_, {.verbose = 0});
  EXPECT_TRUE(test::same_bits(copies_of_weights(dense), before));
}

}  // namespace
}  // namespace rhyton::models
