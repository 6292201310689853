#include <rhyton/framework/backends/gpu/cudnn/convolution_plan.h>

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include <rhyton/tests/framework/backends/gpu/conv_checks.h>

namespace rhyton::gpu::conv_checks {
namespace {

TEST_F(GpuConv, DeterministicPlansHaveDeterministicAlgorithms) {
  ConvolutionPlans plans;
  for (const DType dtype : {float32, float16, bfloat16}) {
    for (const ConvolutionDirection direction : directions) {
      const auto plan = plans.get(library_problem(dtype), direction, {.deterministic = true}, stream());
      ASSERT_TRUE(plan->is_usable());
      EXPECT_TRUE(plan->algorithm().is_deterministic);
    }
  }
}

TEST_F(GpuConv, PlansWithoutTensorFloat32UseFullProducts) {
  ConvolutionPlans plans;
  for (const ConvolutionDirection direction : directions) {
    const auto exact = plans.get(library_problem(float32), direction, {.tensor_float_32 = false}, stream());
    ASSERT_TRUE(exact->is_usable());
    EXPECT_EQ(exact->algorithm().math, CUDNN_FMA_MATH);
    const auto fast = plans.get(library_problem(float32), direction, {.tensor_float_32 = true}, stream());
    EXPECT_NE(fast, exact);
  }
}

TEST_F(GpuConv, PlansAreMadeOnceAndKeepToTheLimitOfTheirWorkspace) {
  ConvolutionPlans plans(0);
  for (const ConvolutionDirection direction : directions) {
    const auto get = [&] { return plans.get(library_problem(float32), direction, {}, stream()); };
    const auto plan = get();
    EXPECT_EQ(plan->workspace_bytes(), 0U);
    EXPECT_EQ(get(), plan);
    EXPECT_EQ(plans.workspace_bytes(library_problem(float32), direction, stream()), 0U);
  }
}

TEST_F(GpuConv, WorkspacesAreLargeEnoughForAllSettings) {
  ConvolutionPlans plans;
  for (const ConvolutionDirection direction : directions) {
    const std::size_t bytes = plans.workspace_bytes(library_problem(float32), direction, stream());
    for (const bool tensor_float_32 : {false, true}) {
      for (const bool deterministic : {false, true}) {
        const auto plan = plans.get(library_problem(float32), direction, {tensor_float_32, deterministic}, stream());
        EXPECT_LE(plan->workspace_bytes(), bytes);
      }
    }
  }
}

std::vector<int> numbers(const std::vector<ConvolutionAlgorithm>& algorithms) {
  std::vector<int> result;
  for (const ConvolutionAlgorithm& algorithm : algorithms) result.push_back(algorithm.number);
  return result;
}

TEST(GpuConvAlgorithms, AreTriedWhileTheWorkspaceOfTheFirstIsEnough) {
  const std::vector<ConvolutionAlgorithm> ranked = {{.number = 1, .workspace_bytes = 900, .is_deterministic = true},
                                                    {.number = 2, .workspace_bytes = 500, .is_deterministic = true},
                                                    {.number = 3, .workspace_bytes = 800, .is_deterministic = true},
                                                    {.number = 4, .workspace_bytes = 0, .is_deterministic = true}};
  EXPECT_EQ(numbers(algorithms_to_try(ranked, false, 900)), (std::vector{1, 2, 3, 4}));
  EXPECT_EQ(numbers(algorithms_to_try(ranked, false, 899)), (std::vector{2, 4}));
  EXPECT_EQ(numbers(algorithms_to_try(ranked, false, 0)), (std::vector{4}));
  EXPECT_TRUE(algorithms_to_try({}, false, 900).empty());
}

TEST(GpuConvAlgorithms, AreTriedOnlyIfTheyAreAsDeterministicAsTheyShallBe) {
  const std::vector<ConvolutionAlgorithm> ranked = {{.number = 1, .is_deterministic = false},
                                                    {.number = 2, .is_deterministic = true},
                                                    {.number = 3, .is_deterministic = true},
                                                    {.number = 4, .is_deterministic = false}};
  EXPECT_EQ(numbers(algorithms_to_try(ranked, true, 0)), (std::vector{2, 3}));
  EXPECT_EQ(numbers(algorithms_to_try(ranked, false, 0)), (std::vector{2, 3, 1, 4}));
}

#ifdef RHYTON_CUDA_EMULATION

TEST_F(GpuConv, OnlyPlansThatMustBeDeterministicAreUnusableWithoutSuchAnAlgorithm) {
  // Without workspace the emulation has no deterministic algorithm for gradients.
  ConvolutionPlans plans(0);
  for (const ConvolutionDirection direction :
       {ConvolutionDirection::input_gradient, ConvolutionDirection::kernel_gradient}) {
    EXPECT_FALSE(plans.get(library_problem(float32), direction, {.deterministic = true}, stream())->is_usable());
    EXPECT_TRUE(plans.get(library_problem(float32), direction, {.deterministic = false}, stream())->is_usable());
  }
}

TEST_F(GpuConv, AsksForAlgorithmsOnceForEachKindOfProducts) {
  using cuda_emulation::cudnn_queries;
  for (const auto& [dtype, kinds] : {std::pair{float32, 2}, std::pair{float16, 1}}) {
    ConvolutionPlans plans;
    const int before = cudnn_queries();
    plans.workspace_bytes(library_problem(dtype), ConvolutionDirection::forward, stream());
    EXPECT_EQ(cudnn_queries() - before, kinds) << name_of(dtype);
    for (const bool tensor_float_32 : {false, true}) {
      for (const bool deterministic : {false, true}) {
        plans.get(library_problem(dtype), ConvolutionDirection::forward, {tensor_float_32, deterministic}, stream());
      }
    }
    EXPECT_EQ(cudnn_queries() - before, kinds) << name_of(dtype);
  }
}

#endif

}  // namespace
}  // namespace rhyton::gpu::conv_checks
