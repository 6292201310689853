#include <rhyton/framework/backends/gpu/cudnn/convolution_plan.h>

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include <rhyton/tests/framework/backends/gpu/conv_checks.h>

namespace rhyton::gpu::conv_checks {
namespace {

TEST_F(GpuConv, DeterministicPlansHaveDeterministicAlgorithms) {
  for (const bool measures : {false, true}) {
    ConvolutionPlans plans({.measures = measures});
    for (const DType dtype : {float32, float16, bfloat16}) {
      for (const ConvolutionDirection direction : directions) {
        const auto plan =
            plans.get(library_problem(dtype), direction, {.deterministic = true}, stream(), &first_gpu().allocator());
        ASSERT_TRUE(plan->is_usable());
        EXPECT_TRUE(plan->algorithm().is_deterministic);
      }
    }
  }
}

TEST_F(GpuConv, PlansWithoutTensorFloat32UseFullProducts) {
  ConvolutionPlans plans({});
  for (const ConvolutionDirection direction : directions) {
    const auto exact = plans.get(library_problem(float32), direction, {.tensor_float_32 = false}, stream(), nullptr);
    ASSERT_TRUE(exact->is_usable());
    EXPECT_EQ(exact->algorithm().math, CUDNN_FMA_MATH);
    const auto fast = plans.get(library_problem(float32), direction, {.tensor_float_32 = true}, stream(), nullptr);
    EXPECT_NE(fast, exact);
  }
}

TEST_F(GpuConv, PlansAreMadeOnceAndKeepToTheLimitOfTheirWorkspace) {
  for (const bool measures : {false, true}) {
    ConvolutionPlans plans({.max_workspace_bytes = 0, .measures = measures});
    for (const ConvolutionDirection direction : directions) {
      const auto get = [&] {
        return plans.get(library_problem(float32), direction, {}, stream(), &first_gpu().allocator());
      };
      const auto plan = get();
      EXPECT_EQ(plan->workspace_bytes(), 0U);
      EXPECT_EQ(get(), plan);
      EXPECT_EQ(plans.workspace_bytes(library_problem(float32), direction, stream(), &first_gpu().allocator()), 0U);
    }
  }
}

TEST_F(GpuConv, WorkspacesAreLargeEnoughForAllSettings) {
  for (const bool measures : {false, true}) {
    ConvolutionPlans plans({.measures = measures});
    for (const ConvolutionDirection direction : directions) {
      const std::size_t bytes =
          plans.workspace_bytes(library_problem(float32), direction, stream(), &first_gpu().allocator());
      for (const bool tensor_float_32 : {false, true}) {
        for (const bool deterministic : {false, true}) {
          const auto plan =
              plans.get(library_problem(float32), direction, {tensor_float_32, deterministic}, stream(), nullptr);
          EXPECT_LE(plan->workspace_bytes(), bytes);
        }
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
  const std::vector<ConvolutionAlgorithm> ranked = {
      {.number = 1, .workspace_bytes = 900, .is_deterministic = true, .time = 1},
      {.number = 2, .workspace_bytes = 500, .is_deterministic = true, .time = 2},
      {.number = 3, .workspace_bytes = 800, .is_deterministic = true, .time = 3},
      {.number = 4, .workspace_bytes = 0, .is_deterministic = true, .time = 4}};
  EXPECT_EQ(numbers(algorithms_to_try(ranked, false, 900)), (std::vector{1, 2, 3, 4}));
  EXPECT_EQ(numbers(algorithms_to_try(ranked, false, 899)), (std::vector{2, 4}));
  EXPECT_EQ(numbers(algorithms_to_try(ranked, false, 0)), (std::vector{4}));
  EXPECT_TRUE(algorithms_to_try({}, false, 900).empty());
}

TEST(GpuConvAlgorithms, AreTriedOnlyIfTheyAreAsDeterministicAsTheyShallBe) {
  const std::vector<ConvolutionAlgorithm> ranked = {{.number = 1, .is_deterministic = false, .time = 1},
                                                    {.number = 2, .is_deterministic = true, .time = 2},
                                                    {.number = 3, .is_deterministic = true, .time = 2.5F},
                                                    {.number = 4, .is_deterministic = false, .time = 3}};
  EXPECT_EQ(numbers(algorithms_to_try(ranked, true, 0)), (std::vector{2, 3}));
  EXPECT_EQ(numbers(algorithms_to_try(ranked, false, 0)), (std::vector{1, 2, 3, 4}));
}

#ifdef RHYTON_CUDA_EMULATION

TEST_F(GpuConv, AsksForAlgorithmsOnceForEachKindOfProducts) {
  using cuda_emulation::cudnn_queries;
  for (const auto& [dtype, kinds] : {std::pair{float32, 2}, std::pair{float16, 1}}) {
    ConvolutionPlans plans({});
    const int before = cudnn_queries().expectations;
    plans.workspace_bytes(library_problem(dtype), ConvolutionDirection::forward, stream(), nullptr);
    EXPECT_EQ(cudnn_queries().expectations - before, kinds) << name_of(dtype);
    for (const bool tensor_float_32 : {false, true}) {
      for (const bool deterministic : {false, true}) {
        plans.get(library_problem(dtype), ConvolutionDirection::forward, {tensor_float_32, deterministic}, stream(),
                  nullptr);
      }
    }
    EXPECT_EQ(cudnn_queries().expectations - before, kinds) << name_of(dtype);
  }
}

TEST_F(GpuConv, MeasuresOnceForBothSettingsOfDeterminism) {
  ConvolutionPlans plans({.measures = true});
  const ConvolutionProblem problem = library_problem(float16);
  const auto bytes = [&] {
    return plans.workspace_bytes(problem, ConvolutionDirection::kernel_gradient, stream(), &first_gpu().allocator());
  };
  using cuda_emulation::cudnn_queries;
  const cuda_emulation::CudnnQueries before = cudnn_queries();
  const std::size_t first = bytes();
  EXPECT_EQ(cudnn_queries().expectations - before.expectations, 1);
  EXPECT_EQ(cudnn_queries().measurements - before.measurements, 1);
  EXPECT_EQ(bytes(), first);
  EXPECT_EQ(cudnn_queries().expectations - before.expectations, 1);
  EXPECT_EQ(cudnn_queries().measurements - before.measurements, 1);
}

#endif

}  // namespace
}  // namespace rhyton::gpu::conv_checks
