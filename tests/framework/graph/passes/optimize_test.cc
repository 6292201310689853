#include <rhyton/framework/graph/passes/optimize.h>

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include <rhyton/framework/error.h>
#include <rhyton/framework/graph/passes/pass_table.h>
#include <rhyton/framework/ops/batch_normalization.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/tests/framework/graph/passes/traced_steps.h>
#include <rhyton/tests/support/environment_variable.h>

namespace rhyton::graph {
namespace {

TEST(Optimize, AStepOfTheCpuHasNothingThatMustSeeTheWholeBatchAtOnce) {
  const ConvolutionStep step{.after = [](const Tensor& y) {
    const Tensor row = Tensor::full({y.shape().at(-1)}, 1.5);
    return relu(normalize_batch(y, row, row, 1e-3).y);
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
  const test::EnvironmentVariable disabled("RHYTON_DISABLE_PASSES", "fold_constants,fuse_everything");
  try {
    optimize(traced);
    FAIL() << "Nothing was thrown.";
  } catch (const InvalidArgumentError& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find("\"fuse_everything\", which does not exist. There are: concatenate_padded_sums, "),
              std::string::npos)
        << message;
  }
}

TEST(Optimize, OptionsNameWhichPassesRun) {
  EXPECT_TRUE(PassOptions().runs("fuse_elementwise"));
  EXPECT_FALSE(PassOptions::without({"fuse_elementwise"}).runs("fuse_elementwise"));
  EXPECT_TRUE(PassOptions::without({"fuse_elementwise"}).runs("fuse_epilogues"));
  EXPECT_TRUE(PassOptions::without_fusion().runs("fold_constants"));
  EXPECT_FALSE(PassOptions::without_fusion().runs("fuse_epilogues"));
  EXPECT_TRUE(PassOptions::only({"fuse_epilogues"}).runs("fuse_epilogues"));
  EXPECT_TRUE(PassOptions::only({"fuse_epilogues"}).runs("fold_constants"));
  EXPECT_FALSE(PassOptions::only({"fuse_epilogues"}).runs("fuse_elementwise"));
  EXPECT_THROW(PassOptions::without({"fuse_everything"}), InvalidArgumentError);
  EXPECT_THROW(PassOptions::only({"fuse_everything"}), InvalidArgumentError);
}

/// The first column of the table of passes in docs/architecture.md.
std::vector<std::string> documented_passes() {
  std::ifstream page(std::string(RHYTON_SOURCE_DIR) + "/docs/architecture.md");
  std::vector<std::string> names;
  bool is_in_section = false;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("## ")) is_in_section = line == "## Passes";
    constexpr std::string_view begin = "| `";
    if (!is_in_section || !line.starts_with(begin)) continue;
    names.push_back(line.substr(begin.size(), line.find('`', begin.size()) - begin.size()));
  }
  return names;
}

TEST(Optimize, TheDocumentationListsThePassesInTheirOrder) {
  std::vector<std::string> names = {"dead_nodes", "join_reductions", "bucket_reductions"};
  for (const Pass& pass : pass_table()) {
    if (names.back() != pass.name) names.emplace_back(pass.name);
  }
  EXPECT_EQ(documented_passes(), names);
}

}  // namespace
}  // namespace rhyton::graph
