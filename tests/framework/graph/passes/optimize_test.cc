#include <rhyton/framework/graph/passes/optimize.h>

#include <gtest/gtest.h>

#include <string>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/batch_normalization.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/tests/framework/graph/passes/traced_steps.h>
#include <rhyton/tests/support/environment_variable.h>

namespace rhyton::graph {
namespace {

TEST(Optimize, AStepOfTheCpuHasNothingThatMustSeeTheWholeBatchAtOnce) {
  const ConvolutionStep step{.after = [](const Tensor& y) {
    const Tensor row = Tensor::full({y.shape().at(-1)}, 1.5);
    return relu(batch_normalization(y, row, row, 1e-3).y);
  }};
  const Graph traced = step.trace();
  EXPECT_EQ(count(traced, "ChannelMoments"), 1);
  EXPECT_EQ(count(traced, "BatchNormalization"), 1);
  EXPECT_EQ(count(traced, "BatchNormalizationInputGradient"), 1);
  const Graph optimized = optimize(traced);
  EXPECT_EQ(count(optimized, "ChannelMoments"), 0);
  EXPECT_EQ(count(optimized, "SquaredDeviation"), 1);
  EXPECT_EQ(count(optimized, "BatchNormalization"), 0);
  EXPECT_EQ(count(optimized, "BatchNormalizationInputGradient"), 0);
}

TEST(Optimize, APassThatDoesNotExistCannotBeSwitchedOff) {
  const Graph traced = ConvolutionStep{.after = [](const Tensor& y) { return relu(y); }}.trace();
  const tests::EnvironmentVariable disabled("RHYTON_DISABLE_PASSES", "fold_constants,fuse_everything");
  try {
    optimize(traced);
    FAIL() << "Nothing was thrown.";
  } catch (const InvalidArgumentError& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find("\"fuse_everything\", which does not exist. There are: conv_algorithms, "),
              std::string::npos)
        << message;
  }
}

}  // namespace
}  // namespace rhyton::graph
