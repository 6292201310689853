#include <rhyton/models/state_tree.h>

#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rhyton/framework/context.h>
#include <rhyton/framework/error.h>
#include <rhyton/layers/core/dense.h>
#include <rhyton/layers/core/input.h>
#include <rhyton/layers/normalization/batch_normalization.h>
#include <rhyton/models/sequential.h>
#include <rhyton/optimizers/adam.h>
#include <rhyton/tests/support/message_of.h>

namespace rhyton::models {
namespace {

using layers::BatchNormalization;
using layers::Dense;
using layers::Input;
using test::message_of;

using Paths = std::vector<std::string>;

Paths paths_of(const StateTree::Values& values) {
  Paths paths;
  for (const auto& [path, value] : values) paths.push_back(path);
  return paths;
}

Sequential trained_model() {
  Sequential model({Input({.shape = {1}}), Dense(1, {.name = "d"}), BatchNormalization({.name = "bn"})}, {.name = "m"});
  model.compile({.optimizer = optimizers::Adam({.name = "adam"}), .loss = "mse", .metrics = {"mae"}});
  model.fit(Tensor::full({4, 1}, 1.0), Tensor::full({4, 1}, 2.0), {.verbose = 0});
  return model;
}

TEST(StateTree, HasAllVariablesByTheirPaths) {
  const StateTree tree = trained_model().get_state_tree();
  EXPECT_EQ(paths_of(tree.trainable_variables), (Paths{"m/bn/beta", "m/bn/gamma", "m/d/bias", "m/d/kernel"}));
  EXPECT_EQ(paths_of(tree.non_trainable_variables), (Paths{"m/bn/moving_mean", "m/bn/moving_variance"}));
  EXPECT_EQ(tree.optimizer_variables.size(), 10);
  EXPECT_TRUE(tree.optimizer_variables.contains("adam/m_d_kernel_momentum"));
  EXPECT_EQ(tree.optimizer_variables.at("adam/iteration").item(), 1);
  EXPECT_EQ(paths_of(tree.metrics_variables),
            (Paths{"loss/count", "loss/total", "mean_absolute_error/count", "mean_absolute_error/total"}));
  EXPECT_EQ(tree.metrics_variables.at("mean_absolute_error/count").item(), 4);
}

TEST(StateTree, BringsAModelBack) {
  const Sequential model = trained_model();
  const StateTree tree = model.get_state_tree();
  const Tensor x = Tensor::full({2, 1}, 1.0);
  const float before = model.predict(x, {.verbose = 0}).elements<float>()[0];
  model.fit(x, Tensor::full({2, 1}, 9.0), {.epochs = 3, .verbose = 0});
  ASSERT_NE(model.predict(x, {.verbose = 0}).elements<float>()[0], before);
  model.set_state_tree(tree);
  EXPECT_EQ(model.predict(x, {.verbose = 0}).elements<float>()[0], before);
  EXPECT_EQ(model.optimizer().iterations().item(), 1);
}

TEST(StateTree, SetsOnlyWhatItNames) {
  const Sequential model = trained_model();
  model.set_state_tree({.trainable_variables = {{"m/d/kernel", Tensor::full({1, 1}, 7.0)}}});
  EXPECT_EQ(model.get_layer("d").weights()[0].value().item(), 7);
  EXPECT_EQ(model.optimizer().iterations().item(), 1);
}

TEST(StateTree, SetsNothingIfAnythingDoesNotFit) {
  const Sequential model = trained_model();
  const double kernel = model.get_layer("d").weights()[0].value().item();
  EXPECT_EQ(message_of<ValueError>([&] {
              model.set_state_tree({.trainable_variables = {{"m/d/kernel", Tensor::full({1, 1}, 7.0)}},
                                    .non_trainable_variables = {{"m/d/scale", Tensor::zeros({1})}}});
            }),
            "`set_state_tree`: the model has no variable 'm/d/scale' among its non-trainable variables.");
  EXPECT_EQ(
      message_of<ValueError>([&] {
        model.set_state_tree(
            {.trainable_variables = {{"m/d/bias", Tensor::full({1}, 1.0)}, {"m/d/kernel", Tensor::zeros({2, 1})}}});
      }),
      "The shape of the target variable and the shape of the target value in `variable.assign(value)` must match. "
      "variable.shape=(1, 1), Received: value.shape=(2, 1). Target variable: m/d/kernel");
  EXPECT_EQ(model.get_layer("d").weights()[0].value().item(), kernel);
  EXPECT_EQ(model.get_layer("d").weights()[1].value().item(),
            model.get_state_tree().trainable_variables.at("m/d/bias").item());
}

TEST(StateTree, NeedsPathsThatDiffer) {
  const auto wrapped = [](const std::string& name) {
    const Sequential inner({Input({.shape = {1}}), Dense(1, {.name = "d"})}, {.name = "inner"});
    return Sequential({Input({.shape = {1}}), inner}, {.name = name});
  };
  const Sequential model({Input({.shape = {1}}), wrapped("a"), wrapped("b")});
  EXPECT_EQ(message_of<ValueError>([&] { model.get_state_tree(); }),
            "The following variable path is found twice in the model: 'inner/d/kernel'. `get_state_tree()` can only be "
            "called when all variable paths are unique. Make sure to give unique names to your layers (and other "
            "objects).");
}

TEST(StateTree, OfAModelThatIsNotCompiledHasNoTrainingState) {
  const StateTree tree = Sequential({Input({.shape = {1}}), Dense(1)}).get_state_tree();
  EXPECT_EQ(tree.trainable_variables.size(), 2);
  EXPECT_TRUE(tree.optimizer_variables.empty());
  EXPECT_TRUE(tree.metrics_variables.empty());
}

TEST(MetricsResult, IsThatOfTheLastEpochOrEvaluation) {
  const Sequential model = trained_model();
  EXPECT_EQ(model.metrics_names(), (std::vector<std::string>{"loss", "mae"}));
  const Tensor x = Tensor::full({4, 1}, 1.0);
  const Tensor y = Tensor::full({4, 1}, 5.0);
  const callbacks::History history = model.fit(x, y, {.epochs = 2, .verbose = 0});
  EXPECT_DOUBLE_EQ(model.get_metrics_result().at("mae"), history["mae"].back());
  const callbacks::Logs logs = model.evaluate(x, y, {.verbose = 0});
  EXPECT_DOUBLE_EQ(model.get_metrics_result().at("loss"), logs.at("loss"));
  EXPECT_EQ(model.get_metrics_result().begin()->first, "loss");
  model.reset_metrics();
  EXPECT_EQ(model.get_metrics_result().at("mae"), 0);
}

TEST(MetricsResult, IsEmptyWithoutCompile) {
  const Sequential model({Input({.shape = {1}}), Dense(1)});
  EXPECT_TRUE(model.get_metrics_result().empty());
  EXPECT_TRUE(model.metrics_names().empty());
  EXPECT_TRUE(model.metrics_variables().empty());
  EXPECT_NO_THROW(model.reset_metrics());
}

}  // namespace
}  // namespace rhyton::models
