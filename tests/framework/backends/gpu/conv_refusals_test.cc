// Calls that cuDNN refuses, as configured in the emulation, and the arguments of its calls.

#ifdef RHYTON_CUDA_EMULATION

#include <gtest/gtest.h>

#include <barrier>
#include <cmath>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <rhyton/framework/backends/gpu/cudnn/convolution_plan.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/warning.h>
#include <rhyton/tests/framework/backends/gpu/conv_checks.h>
#include <rhyton/tests/support/environment_variable.h>
#include <rhyton/tests/support/message_of.h>

namespace rhyton::gpu::conv_checks {
namespace {

using cuda_emulation::CudnnRefusal;
using cuda_emulation::last_cudnn_call;

/// During its lifetime, cuDNN refuses certain calls.
class Refusing {
 public:
  explicit Refusing(CudnnRefusal refusal, cudnnStatus_t status = CUDNN_STATUS_NOT_SUPPORTED,
                    cudaError_t error = cudaSuccess) {
    cuda_emulation::set_cudnn_refusal(refusal, status, error);
  }
  ~Refusing() { cuda_emulation::set_cudnn_refusal(CudnnRefusal::nothing); }
  Refusing(const Refusing&) = delete;
  Refusing& operator=(const Refusing&) = delete;
};

TEST_F(GpuConv, LeavesManyChannelsToTheLibraryUnlessItRefuses) {
  // Each refusal needs its own problem, since plans are cached.
  std::int64_t height = 10;
  for (const DType dtype : {float32, float16, bfloat16}) {
    for (const auto& [refusal, calls] : {std::pair{CudnnRefusal::nothing, 8}, std::pair{CudnnRefusal::queries, 0},
                                         std::pair{CudnnRefusal::convolutions, 0}}) {
      const Refusing refusing(refusal);
      const int before = last_cudnn_call().count;
      check_all({{2, ++height, 8, 8}, {3, 3, 8, 9}, {.strides = {2, 2}, .padding = Padding::same}}, dtype);
      EXPECT_EQ(last_cudnn_call().count - before, calls);
    }
  }
}

constexpr cudnnStatus_t refusals[] = {CUDNN_STATUS_BAD_PARAM_SIZE_INSUFFICIENT, CUDNN_STATUS_NOT_SUPPORTED,
                                      CUDNN_STATUS_NOT_SUPPORTED_SHAPE, CUDNN_STATUS_INTERNAL_ERROR,
                                      CUDNN_STATUS_EXECUTION_FAILED};

/// Inputs for kernels of any size: Winograd's algorithm applies to 3x3.
std::vector<Tensor> many_channels(std::int64_t height, std::int64_t kernel) {
  return {random_of({1, height, 8, 8}, float32, 14), random_of({kernel, kernel, 8, 9}, float32, 15)};
}

TEST_F(GpuConv, TriesTheNextAlgorithmWhenTheFirstIsRefused) {
  std::int64_t height = 60;
  for (const cudnnStatus_t status : refusals) {
    const OpPtr op = std::make_shared<Conv2DOp>();
    const std::vector<Tensor> inputs = many_channels(++height, 3);
    {
      const Refusing refusing(CudnnRefusal::winograd_convolutions, status);
      const int before = last_cudnn_call().count;
      check_all({{1, height, 8, 8}, {3, 3, 8, 9}}, float32);
      EXPECT_EQ(last_cudnn_call().count - before, 8);
      check(op, inputs);
      EXPECT_EQ(last_cudnn_call().algorithm, CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM);
    }
    // The refusal is cached.
    check(op, inputs);
    EXPECT_EQ(last_cudnn_call().algorithm, CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM);
  }
  check(std::make_shared<Conv2DOp>(), many_channels(++height, 3));
  EXPECT_EQ(last_cudnn_call().algorithm, CUDNN_CONVOLUTION_FWD_ALGO_WINOGRAD_NONFUSED);
}

/// Memory for computing `library_problem`.
class LibraryMemory {
 public:
  ConvolutionAddresses addresses(std::size_t workspace_bytes) const {
    return {.x = x_.data(),
            .kernel = kernel_.data(),
            .y = y_.data(),
            .workspace = workspace_.data(),
            .workspace_bytes = workspace_bytes};
  }

 private:
  static constexpr std::size_t bytes = std::size_t{1} << 16;
  DeviceBlock x_{bytes};
  DeviceBlock kernel_{bytes};
  DeviceBlock y_{bytes};
  DeviceBlock workspace_{bytes};
};

TEST_F(GpuConv, KeepsTheWorkspaceOfAPlanWhenItsAlgorithmIsRefused) {
  ConvolutionPlans plans;
  const auto plan = plans.get(library_problem(float32), ConvolutionDirection::forward, {}, stream());
  const std::size_t bytes = plan->workspace_bytes();
  ASSERT_EQ(plan->algorithm().workspace_bytes, bytes);
  const LibraryMemory memory;
  const Refusing refusing(CudnnRefusal::winograd_convolutions);
  EXPECT_TRUE(plan->run(stream().dnn(), memory.addresses(bytes)));
  stream().synchronize();
  EXPECT_LT(plan->algorithm().workspace_bytes, bytes);
  EXPECT_EQ(plan->workspace_bytes(), bytes);
}

TEST_F(GpuConv, StreamsThatAreRefusedAtOnceGoOnToTheSameAlgorithm) {
  constexpr int rounds = 8;
  constexpr int streams = 4;
  const Refusing refusing(CudnnRefusal::winograd_convolutions);
  for (int round = 0; round < rounds; ++round) {
    ConvolutionPlans plans;
    const auto plan = plans.get(library_problem(float32), ConvolutionDirection::forward, {}, stream());
    std::barrier ready(streams);
    std::vector<std::jthread> threads;
    for (int i = 0; i < streams; ++i) {
      threads.emplace_back([&] {
        GpuStream own(stream().ordinal());
        const LibraryMemory memory;
        const cudnnHandle_t handle = own.dnn();
        ready.arrive_and_wait();
        EXPECT_TRUE(plan->run(handle, memory.addresses(plan->workspace_bytes())));
        own.synchronize();
      });
    }
    threads.clear();
    ASSERT_TRUE(plan->is_usable());
    EXPECT_EQ(plan->algorithm().number, CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM);
  }
}

TEST_F(GpuConv, GoesToTheGeneralKernelsWhenEveryAlgorithmIsRefused) {
  std::int64_t height = 70;
  for (const cudnnStatus_t status : refusals) {
    const Refusing refusing(CudnnRefusal::convolutions, status);
    const int before = last_cudnn_call().count;
    check_all({{1, ++height, 8, 8}, {3, 3, 8, 9}}, float32);
    EXPECT_EQ(last_cudnn_call().count, before);
  }
}

TEST_F(GpuConv, GoesToTheGeneralKernelsWhateverRefusalAQueryReturns) {
  std::int64_t height = 100;
  for (const cudnnStatus_t status : refusals) {
    const Refusing refusing(CudnnRefusal::queries, status);
    const int before = last_cudnn_call().count;
    check_all({{1, ++height, 8, 8}, {3, 3, 8, 9}}, float32);
    EXPECT_EQ(last_cudnn_call().count, before);
  }
}

TEST_F(GpuConv, ComputesHalfTypesThatTheLibraryHasNoKernelsFor) {
  const Refusing refusing(CudnnRefusal::uneven_half_types);
  std::int64_t height = 120;
  for (const DType dtype : {float16, bfloat16}) {
    const int before = last_cudnn_call().count;
    check_all({{1, ++height, 8, 8}, {3, 3, 8, 9}}, dtype);
    check_all({{1, height, 8, 9}, {3, 3, 9, 8}}, dtype);
    check_all({{1, height, 8, 16}, {3, 3, 8, 16}, {.groups = 2}}, dtype);
    EXPECT_EQ(last_cudnn_call().count, before);
    check_all({{1, height, 8, 16}, {3, 3, 16, 8}}, dtype);
    EXPECT_EQ(last_cudnn_call().count - before, 8);
  }
}

TEST_F(GpuConv, WarnsOnceOfAConvolutionThatTheLibraryRefuses) {
  std::vector<std::string> warnings;
  const config::WarningHandler previous =
      config::set_warning_handler([&](const std::string& message) { warnings.push_back(message); });
  {
    const Refusing refusing(CudnnRefusal::queries);
    for (int repetition = 0; repetition < 2; ++repetition) check_all({{1, 110, 8, 8}, {3, 3, 8, 9}}, float32);
  }
  config::set_warning_handler(previous);
  const auto warning_of = [](const std::string& name) {
    return "cuDNN has no algorithm for " + name +
           " float32, 1 images 110x8x8, 9 filters 3x3, strides 1x1, dilation 1x1, padding 0x0, groups 1. A kernel that "
           "is many times slower computes it; RHYTON_LOG=device prints what cuDNN reports.";
  };
  EXPECT_EQ(warnings,
            (std::vector{warning_of("Conv2D"), warning_of("Conv2DInputGradient"), warning_of("Conv2DKernelGradient")}));
}

TEST_F(GpuConv, ThrowsWhatIsNoRefusal) {
  {
    const Refusing refusing(CudnnRefusal::convolutions, CUDNN_STATUS_NOT_INITIALIZED);
    const std::string message = test::message_of<RuntimeError>([] { on_gpu(Conv2DOp(), many_channels(80, 3)); });
    EXPECT_NE(message.find("cudnnConvolutionForward failed with CUDNN_STATUS_NOT_INITIALIZED: a test wants a refusal."),
              std::string::npos)
        << message;
  }
  {
    const Refusing refusing(CudnnRefusal::convolutions, CUDNN_STATUS_EXECUTION_FAILED, cudaErrorIllegalAddress);
    const std::string message = test::message_of<RuntimeError>([] { on_gpu(Conv2DOp(), many_channels(80, 3)); });
    EXPECT_NE(message.find("cudnnConvolutionForward failed with cudaErrorIllegalAddress"), std::string::npos)
        << message;
  }
  // Neither affects the plan.
  check(std::make_shared<Conv2DOp>(), many_channels(80, 3));
  EXPECT_EQ(last_cudnn_call().algorithm, CUDNN_CONVOLUTION_FWD_ALGO_WINOGRAD_NONFUSED);
}

TEST_F(GpuConv, AddsTheBiasItselfWhereTheLibraryHasNoFusedConvolution) {
  const auto op = std::make_shared<FusedConv2DOp>(Epilogue::none);
  const Tensor bias = random_of({9}, float32, 16);
  const auto inputs = [&](std::int64_t height) {
    std::vector<Tensor> result = many_channels(height, 2);
    result.push_back(bias);
    return result;
  };
  std::int64_t height = 30;
  for (const cudnnStatus_t status : {CUDNN_STATUS_NOT_INITIALIZED, CUDNN_STATUS_BAD_PARAM_SIZE_INSUFFICIENT,
                                     CUDNN_STATUS_NOT_SUPPORTED, CUDNN_STATUS_EXECUTION_FAILED}) {
    const Refusing refusing(CudnnRefusal::fused_convolutions, status);
    const int before = last_cudnn_call().count;
    check(op, inputs(++height));
    EXPECT_EQ(last_cudnn_call().count - before, 2);
    EXPECT_FALSE(last_cudnn_call().fused);
  }
  {
    const Refusing refusing(CudnnRefusal::fused_convolutions, CUDNN_STATUS_EXECUTION_FAILED, cudaErrorIllegalAddress);
    const std::string message = test::message_of<RuntimeError>([&] { on_gpu(*op, inputs(height + 1)); });
    EXPECT_NE(message.find("cudnnConvolutionBiasActivationForward failed with cudaErrorIllegalAddress"),
              std::string::npos)
        << message;
  }
  check(op, inputs(height + 1));
  EXPECT_TRUE(last_cudnn_call().fused);
}

TEST_F(GpuConv, LeavesReluToItsOwnKernel) {
  std::vector<Tensor> inputs = many_channels(29, 2);
  inputs.push_back(random_of({9}, float32, 16));
  check(std::make_shared<FusedConv2DOp>(Epilogue::relu), inputs);
  EXPECT_EQ(last_cudnn_call().algorithm, CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM);
  EXPECT_TRUE(last_cudnn_call().fused);
  EXPECT_FALSE(last_cudnn_call().relu);
}

TEST_F(GpuConv, LogsEachAlgorithmAndEachRefusal) {
  const test::EnvironmentVariable log("RHYTON_LOG", "device");
  const Refusing refusing(CudnnRefusal::winograd_convolutions, CUDNN_STATUS_INTERNAL_ERROR);
  const std::vector<Tensor> inputs = many_channels(90, 3);
  ::testing::internal::CaptureStderr();
  on_gpu(Conv2DOp(), inputs);
  on_gpu(Conv2DOp(), inputs);
  const std::string text = ::testing::internal::GetCapturedStderr();
  const std::string problem =
      "Conv2D float32, 1 images 90x8x8, 9 filters 3x3, strides 1x1, dilation 1x1, padding 0x0, groups 1";
  const auto algorithm = [](int number) {
    // The workspaces of the emulation's algorithms, besides the 3 * 3 * 8 * 9 weights.
    const int bytes = 3 * 3 * 8 * 9 * 4 + 1000 * (number + 1);
    return "algorithm " + std::to_string(number) + " with CUDNN_FMA_MATH and " + std::to_string(bytes) +
           " bytes of workspace";
  };
  const auto count = [&](const std::string& line) {
    int result = 0;
    for (std::size_t at = text.find(line); at != std::string::npos; at = text.find(line, at + 1)) ++result;
    return result;
  };
  // A plan for each setting of determinism, one of which is executed.
  EXPECT_EQ(count("cuDNN computes " + problem + " by " + algorithm(7) + ".\n"), 2) << text;
  EXPECT_EQ(count("cuDNN refuses cudnnConvolutionForward (" + problem + ") by " + algorithm(7) +
                  ": CUDNN_STATUS_INTERNAL_ERROR: a test wants a refusal.\n"),
            1)
      << text;
  EXPECT_EQ(count("cuDNN computes " + problem + " by " + algorithm(1) + ".\n"), 1) << text;
}

TEST_F(GpuConv, TensorFloat32RoundsFactorsAndOnlyWhereItIsAllowed) {
  // 1 + 2^-12 is no number of TensorFloat-32, but 1 is.
  const Tensor x = Tensor::full({1, 5, 6, 8}, 1.0 + std::ldexp(1.0, -12));
  const Tensor kernel = Tensor::full({1, 1, 8, 9}, 1.0);
  const auto sum = [&] { return on_gpu(Conv2DOp(), {x, kernel}).to_vector().front(); };
  EXPECT_EQ(sum(), 8 + std::ldexp(8.0, -12));
  context().enable_tensor_float_32_execution(true);
  EXPECT_EQ(sum(), 8);
}

TEST_F(GpuConv, RunsWithTheMathOfTheSettings) {
  const Conv2DOp op;
  const std::vector<Tensor> inputs = {random_of({1, 5, 6, 8}, float32, 17), random_of({3, 3, 8, 9}, float32, 18)};
  on_gpu(op, inputs);
  EXPECT_EQ(last_cudnn_call().math, CUDNN_FMA_MATH);
  context().enable_tensor_float_32_execution(true);
  on_gpu(op, inputs);
  EXPECT_EQ(last_cudnn_call().math, CUDNN_DEFAULT_MATH);
  on_gpu(op, {inputs[0].cast(float16), inputs[1].cast(float16)});
  EXPECT_EQ(last_cudnn_call().math, CUDNN_TENSOR_OP_MATH);
}

}  // namespace
}  // namespace rhyton::gpu::conv_checks

#endif
