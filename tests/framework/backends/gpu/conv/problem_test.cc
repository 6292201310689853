#include <rhyton/framework/backends/gpu/conv/problem.h>

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include <rhyton/framework/backends/gpu/cudnn/convolution.h>

namespace rhyton::gpu {
namespace {

ConvolutionProblem some_problem() {
  return {float32, {2, 28, 30, 8}, {3, 5, 4, 16}, {.strides = {2, 1}, .padding = Padding::same, .groups = 2}};
}

TEST(ConvolutionProblem, HasTheLengthsOfTheConvolution) {
  const ConvolutionProblem problem = some_problem();
  EXPECT_EQ(problem.images, 2);
  EXPECT_EQ(problem.group_channels(), 4);
  EXPECT_EQ(problem.group_filters(), 8);
  EXPECT_EQ(problem.depth(), 3 * 5 * 4);
  EXPECT_EQ(problem.output, (std::array<std::int64_t, 2>{14, 30}));
  EXPECT_EQ(problem.pad_before, (std::array<std::int64_t, 2>{0, 2}));
  EXPECT_EQ(problem.pad_after, (std::array<std::int64_t, 2>{1, 2}));
  EXPECT_EQ(problem.x_size(), 2 * 28 * 30 * 8);
  EXPECT_EQ(problem.y_size(), 2 * 14 * 30 * 16);
}

TEST(ConvolutionProblem, IsTheSameForAnOpAndItsDerivatives) {
  const ConvolutionProblem problem = some_problem();
  const Conv2DAttributes window = {.strides = {2, 1}, .padding = Padding::same, .groups = 2};
  const TensorSpec x = {{2, 28, 30, 8}, float32};
  const TensorSpec kernel = {{3, 5, 4, 16}, float32};
  const TensorSpec y = {{2, 14, 30, 16}, float32};
  const std::vector<TensorSpec> forward = {x, kernel};
  EXPECT_EQ(convolution_problem(Conv2DOp(window), forward, std::vector{y}), problem);
  EXPECT_EQ(convolution_problem(FusedConv2DOp(Epilogue::relu, window), forward, std::vector{y}), problem);
  EXPECT_EQ(convolution_problem(Conv2DInputGradientOp(28, 30, window), std::vector{kernel, y}, std::vector{x}),
            problem);
  EXPECT_EQ(convolution_problem(Conv2DKernelGradientOp(3, 5, window), std::vector{x, y}, std::vector{kernel}), problem);
}

TEST(ConvolutionProblem, BecomesSymmetricWithTheExtraZerosInTheImages) {
  const ConvolutionProblem problem = some_problem();
  EXPECT_FALSE(problem.is_symmetric());
  const ConvolutionProblem padded = problem.with_padded_input();
  EXPECT_TRUE(padded.is_symmetric());
  EXPECT_EQ(padded.input, (std::array<std::int64_t, 2>{29, 30}));
  EXPECT_EQ(padded.pad_before, problem.pad_before);
  EXPECT_EQ(padded.output, problem.output);
  EXPECT_EQ(padded.with_padded_input(), padded);
}

TEST(ConvolutionProblem, DiffersWhenAnythingDiffers) {
  const std::vector<std::function<void(ConvolutionProblem&)>> changes = {
      [](ConvolutionProblem& problem) { problem.dtype = float16; },
      [](ConvolutionProblem& problem) { problem.images = 3; },
      [](ConvolutionProblem& problem) { problem.channels = 10; },
      [](ConvolutionProblem& problem) { problem.filters = 18; },
      [](ConvolutionProblem& problem) { problem.groups = 1; },
      [](ConvolutionProblem& problem) { std::swap(problem.input[0], problem.input[1]); },
      [](ConvolutionProblem& problem) { std::swap(problem.kernel[0], problem.kernel[1]); },
      [](ConvolutionProblem& problem) { std::swap(problem.output[0], problem.output[1]); },
      [](ConvolutionProblem& problem) { std::swap(problem.strides[0], problem.strides[1]); },
      [](ConvolutionProblem& problem) { problem.dilation[1] = 2; },
      [](ConvolutionProblem& problem) { problem.pad_before[0] = 1; },
      [](ConvolutionProblem& problem) { problem.pad_after[1] = 3; },
  };
  std::unordered_set<ConvolutionProblem, ConvolutionProblemHash> all = {some_problem()};
  std::unordered_set<std::size_t> hashes = {ConvolutionProblemHash()(some_problem())};
  for (const auto& change : changes) {
    ConvolutionProblem problem = some_problem();
    change(problem);
    all.insert(problem);
    hashes.insert(ConvolutionProblemHash()(problem));
  }
  EXPECT_EQ(all.size(), changes.size() + 1);
  EXPECT_EQ(hashes.size(), changes.size() + 1);
  all.insert(some_problem());
  EXPECT_EQ(all.size(), changes.size() + 1);
}

TEST(ConvolutionProblem, KnowsWhenOffsetsNeedMoreThan32Bits) {
  EXPECT_TRUE(some_problem().fits_32_bits());
  EXPECT_FALSE(ConvolutionProblem(float32, {65536, 256, 256, 8}, {3, 3, 8, 8}, {}).fits_32_bits());
  EXPECT_TRUE(ConvolutionProblem(float32, {0, 28, 28, 8}, {3, 3, 8, 8}, {}).is_empty());
}

ConvolutionAlgorithm algorithm(int number, bool deterministic, std::size_t workspace_bytes) {
  return {.number = number, .workspace_bytes = workspace_bytes, .is_deterministic = deterministic};
}

TEST(ChooseAlgorithm, TakesTheFirstThatFits) {
  const std::vector<ConvolutionAlgorithm> ranked = {algorithm(5, true, 1000), algorithm(1, true, 100),
                                                    algorithm(0, true, 0)};
  EXPECT_EQ(choose_algorithm(ranked, false, 1000)->number, 5);
  EXPECT_EQ(choose_algorithm(ranked, false, 999)->number, 1);
  EXPECT_EQ(choose_algorithm(ranked, false, 0)->number, 0);
  EXPECT_FALSE(choose_algorithm({}, false, 0).has_value());
}

TEST(ChooseAlgorithm, TakesNothingThatIsNotDeterministicWhenAskedTo) {
  const std::vector<ConvolutionAlgorithm> ranked = {algorithm(0, false, 0), algorithm(3, false, 0),
                                                    algorithm(1, true, 0)};
  EXPECT_EQ(choose_algorithm(ranked, true, 0)->number, 1);
  EXPECT_FALSE(choose_algorithm(std::span(ranked).first(2), true, 0).has_value());
}

TEST(ChooseAlgorithm, PrefersADeterministicOneThatFits) {
  const std::vector<ConvolutionAlgorithm> ranked = {algorithm(0, false, 0), algorithm(1, true, 100)};
  EXPECT_EQ(choose_algorithm(ranked, false, 100)->number, 1);
  EXPECT_EQ(choose_algorithm(ranked, false, 99)->number, 0);
}

}  // namespace
}  // namespace rhyton::gpu
