#include <rhyton/framework/ops/conv.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <barrier>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <rhyton/framework/backends/gpu/conv_direct.h>
#include <rhyton/framework/backends/gpu/convolution_plan.h>
#include <rhyton/framework/context.h>
#include <rhyton/framework/device/device_scope.h>
#include <rhyton/framework/error.h>
#include <rhyton/tests/framework/backends/gpu/gpus.h>
#include <rhyton/tests/framework/backends/gpu/run_kernel.h>
#include <rhyton/tests/support/environment_variable.h>
#include <rhyton/tests/support/random_tensor.h>
#include <rhyton/tests/support/tensor_distance.h>

namespace rhyton::gpu {
namespace {

/// Without TensorFloat-32, so that float32 is as exact as it looks.
class GpuConv : public ::testing::Test {
 public:
  GpuConv() : had_tensor_float_32_(context().tensor_float_32_execution_enabled()) {
    context().enable_tensor_float_32_execution(false);
  }
  ~GpuConv() override { context().enable_tensor_float_32_execution(had_tensor_float_32_); }

 private:
  bool had_tensor_float_32_;
};

const std::vector<DType> dtypes = {float32, float64, float16, bfloat16};

/// Relative to the largest element.
double tolerance(DType dtype) {
  switch (dtype) {
    case DType::float64:
      return 1e-12;
    case DType::float16:
      return 2e-3;
    case DType::bfloat16:
      return 2e-2;
    default:
      return 1e-5;
  }
}

GpuStream& stream() { return static_cast<GpuStream&>(first_gpu().stream()); }

Tensor random_of(const Shape& shape, DType dtype, std::uint64_t seed) {
  const DeviceScope scope(cpu());
  return test::random_tensor(shape, seed, -1, 1, float64).cast(dtype);
}

Tensor on_gpu(const Op& op, const std::vector<Tensor>& inputs) {
  const DeviceScope scope(first_gpu());
  return run_kernel(op, inputs, stream())[0];
}

/// The CPU's result in float64.
Tensor expected_of(const OpPtr& op, const std::vector<Tensor>& inputs) {
  const DeviceScope scope(cpu());
  std::vector<Tensor> exact;
  for (const Tensor& input : inputs) exact.push_back(input.cast(float64));
  return rhyton::apply(op, exact)[0];
}

/// Compares an op's kernel on the GPU with the CPU's, and with itself.
void check(const OpPtr& op, const std::vector<Tensor>& inputs) {
  const DType dtype = inputs[0].dtype();
  std::string trace = std::string(op->name()) + "(" + op->attributes() + ") " + std::string(name_of(dtype));
  for (const Tensor& input : inputs) trace += " " + input.shape().to_string();
  SCOPED_TRACE(trace);
  const Tensor actual = on_gpu(*op, inputs);
  ASSERT_EQ(actual.dtype(), dtype);
  const Tensor expected = expected_of(op, inputs);
  ASSERT_EQ(actual.shape(), expected.shape());
  const std::vector<double> values = actual.to_vector();
  const std::vector<double> exact = expected.to_vector();
  double largest = 0;
  for (const double value : exact) largest = std::max(largest, std::abs(value));
  for (std::size_t i = 0; i < values.size(); ++i) {
    ASSERT_NEAR(values[i], exact[i], tolerance(dtype) * largest) << "at element " << i;
  }
  EXPECT_TRUE(test::same_bits(on_gpu(*op, inputs), actual));
}

struct Case {
  Shape x;
  Shape kernel;
  Conv2DAttributes window = {};
};

/// The output of a case and all its derivatives.
void check_all(const Case& conv, DType dtype) {
  const Tensor x = random_of(conv.x, dtype, 1);
  const Tensor kernel = random_of(conv.kernel, dtype, 2);
  const OpPtr forward = std::make_shared<Conv2DOp>(conv.window);
  const Shape y = forward->infer(std::vector{x.spec(), kernel.spec()})[0].shape;
  const Tensor bias = random_of({conv.kernel[3]}, dtype, 3);
  const Tensor dy = random_of(y, dtype, 4);
  check(forward, {x, kernel});
  check(std::make_shared<FusedConv2DOp>(Epilogue::relu, conv.window), {x, kernel, bias});
  check(std::make_shared<Conv2DInputGradientOp>(conv.x[1], conv.x[2], conv.window), {kernel, dy});
  check(std::make_shared<Conv2DKernelGradientOp>(conv.kernel[0], conv.kernel[1], conv.window), {x, dy});
}

TEST_F(GpuConv, ConvolvesImagesOfFewChannels) {
  for (const DType dtype : dtypes) {
    check_all({{2, 28, 28, 1}, {3, 3, 1, 32}}, dtype);
    check_all({{1, 9, 11, 3}, {5, 3, 3, 7}, {.padding = Padding::same}}, dtype);
    check_all({{3, 10, 7, 4}, {3, 3, 4, 33}, {.strides = {2, 2}, .padding = Padding::same}}, dtype);
    check_all({{2, 12, 13, 2}, {3, 3, 2, 20}, {.dilation_rate = {2, 2}}}, dtype);
  }
}

TEST_F(GpuConv, ConvolvesImagesOfManyChannels) {
  for (const DType dtype : dtypes) {
    check_all({{2, 11, 11, 32}, {3, 3, 32, 64}}, dtype);
    check_all({{1, 7, 9, 5}, {3, 3, 5, 3}, {.padding = Padding::same}}, dtype);
    check_all({{2, 6, 5, 31}, {1, 1, 31, 33}}, dtype);
    check_all({{3, 9, 8, 6}, {3, 3, 6, 10}, {.dilation_rate = {2, 2}, .groups = 1}}, dtype);
  }
}

TEST_F(GpuConv, PadsMoreBelowAndOnTheRightThanAboveAndOnTheLeft) {
  for (const DType dtype : dtypes) {
    check_all({{2, 8, 8, 8}, {3, 3, 8, 9}, {.strides = {2, 2}, .padding = Padding::same}}, dtype);
    check_all({{1, 9, 6, 5}, {2, 4, 5, 6}, {.padding = Padding::same}}, dtype);
    check_all({{2, 7, 10, 6}, {3, 2, 6, 4}, {.strides = {1, 3}, .padding = Padding::same}}, dtype);
  }
}

TEST_F(GpuConv, ConvolvesGroupsOfChannels) {
  for (const DType dtype : dtypes) {
    check_all({{2, 7, 7, 12}, {3, 3, 6, 10}, {.padding = Padding::same, .groups = 2}}, dtype);
    check_all({{2, 7, 6, 33}, {3, 3, 1, 33}, {.padding = Padding::same, .groups = 33}}, dtype);
    check_all({{1, 8, 8, 3}, {3, 3, 1, 12}, {.strides = {2, 2}, .padding = Padding::same, .groups = 3}}, dtype);
    check_all({{1, 12, 12, 2}, {9, 9, 1, 40}, {.padding = Padding::same, .groups = 2}}, dtype);
  }
}

TEST_F(GpuConv, TakesKernelsLargerThanTheImages) {
  for (const DType dtype : dtypes) {
    check_all({{2, 2, 3, 8}, {5, 7, 8, 6}, {.padding = Padding::same}}, dtype);
    check_all({{2, 2, 3, 1}, {5, 7, 1, 6}, {.padding = Padding::same}}, dtype);
  }
}

TEST_F(GpuConv, LeavesOutRowsThatNoWindowReaches) {
  for (const DType dtype : dtypes) {
    check_all({{1, 11, 12, 8}, {2, 2, 8, 5}, {.strides = {4, 5}}}, dtype);
    check_all({{1, 11, 12, 3}, {2, 2, 3, 5}, {.strides = {4, 5}}}, dtype);
  }
}

TEST_F(GpuConv, TakesEmptyTensors) {
  for (const DType dtype : dtypes) {
    check_all({{0, 8, 8, 8}, {3, 3, 8, 8}}, dtype);
    check_all({{2, 2, 8, 8}, {3, 3, 8, 8}}, dtype);
    check_all({{2, 8, 8, 0}, {3, 3, 0, 8}}, dtype);
    check_all({{2, 8, 8, 8}, {3, 3, 8, 0}}, dtype);
  }
}

TEST_F(GpuConv, AddsABiasAndCutsOffWhatIsNegative) {
  for (const DType dtype : dtypes) {
    for (const std::int64_t channels : {1, 8}) {
      const Tensor x = random_of({2, 6, 5, channels}, dtype, 5);
      const Tensor kernel = random_of({3, 3, channels, 9}, dtype, 6);
      const Tensor bias = random_of({9}, dtype, 7);
      for (const Epilogue epilogue : {Epilogue::none, Epilogue::relu}) {
        check(std::make_shared<FusedConv2DOp>(epilogue), {x, kernel});
        check(std::make_shared<FusedConv2DOp>(epilogue), {x, kernel, bias});
      }
    }
  }
}

TEST_F(GpuConv, KeepsNotANumberThroughRelu) {
  for (const bool tensor_float_32 : {false, true}) {
    context().enable_tensor_float_32_execution(tensor_float_32);
    for (const DType dtype : dtypes) {
      for (const auto& [channels, filters] : {std::pair{1, 5}, std::pair{8, 5}, std::pair{32, 64}}) {
        const DeviceScope scope(cpu());
        const Tensor x = Tensor::full({1, 6, 6, channels}, std::numeric_limits<double>::quiet_NaN(), dtype);
        const Tensor kernel = random_of({3, 3, channels, filters}, dtype, 8);
        const Tensor bias = random_of({filters}, dtype, 9);
        for (const double value : on_gpu(FusedConv2DOp(Epilogue::relu), {x, kernel, bias}).to_vector()) {
          EXPECT_TRUE(std::isnan(value));
        }
      }
    }
  }
}

TEST_F(GpuConv, SumsKernelGradientsOverManyPixels) {
  for (const DType dtype : dtypes) {
    check(std::make_shared<Conv2DKernelGradientOp>(3, 3),
          {random_of({9, 28, 28, 1}, dtype, 10), random_of({9, 26, 26, 32}, dtype, 11)});
    check(std::make_shared<Conv2DKernelGradientOp>(1, 1),
          {random_of({9, 13, 13, 6}, dtype, 12), random_of({9, 13, 13, 8}, dtype, 13)});
  }
}

/// A convolution that is cuDNN's.
ConvolutionProblem library_problem(DType dtype) { return {dtype, {2, 8, 8, 16}, {3, 3, 16, 16}, {}}; }

constexpr ConvolutionDirection directions[] = {ConvolutionDirection::forward, ConvolutionDirection::input_gradient,
                                               ConvolutionDirection::kernel_gradient};

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
    ConvolutionPlans plans({.most_workspace_bytes = 0, .measures = measures});
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

TEST(GpuConvRoute, OnlyFewChannelsGoToTheDirectKernels) {
  EXPECT_TRUE(is_direct({float32, {64, 28, 28, 1}, {3, 3, 1, 32}, {}}));
  EXPECT_TRUE(is_direct({float32, {64, 28, 28, 64}, {3, 3, 1, 64}, {.groups = 64}}));
  EXPECT_FALSE(is_direct({float32, {64, 13, 13, 32}, {3, 3, 32, 64}, {}}));
  EXPECT_FALSE(is_direct({float32, {64, 224, 224, 3}, {7, 7, 3, 64}, {}}));
}

#ifdef RHYTON_CUDA_EMULATION

using cuda_emulation::cudnn_queries;
using cuda_emulation::CudnnQueries;
using cuda_emulation::CudnnRefusal;
using cuda_emulation::last_cudnn_call;

/// As long as it lives, cuDNN turns something down.
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
  // Each refusal needs a problem of its own, as plans are remembered.
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
                                      CUDNN_STATUS_INTERNAL_ERROR, CUDNN_STATUS_EXECUTION_FAILED};

/// The message of the RuntimeError that the function throws.
std::string message_of(const std::function<void()>& function) {
  try {
    function();
  } catch (const RuntimeError& error) {
    return error.what();
  }
  ADD_FAILURE() << "Nothing was thrown.";
  return "";
}

/// Of kernels of any size: 3x3 is for Winograd's algorithm.
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
    // The refusal is remembered.
    check(op, inputs);
    EXPECT_EQ(last_cudnn_call().algorithm, CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM);
  }
  check(std::make_shared<Conv2DOp>(), many_channels(++height, 3));
  EXPECT_EQ(last_cudnn_call().algorithm, CUDNN_CONVOLUTION_FWD_ALGO_WINOGRAD_NONFUSED);
}

/// Memory that `library_problem` is computed in.
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
  ConvolutionPlans plans({});
  const auto plan = plans.get(library_problem(float32), ConvolutionDirection::forward, {}, stream(), nullptr);
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
    ConvolutionPlans plans({});
    const auto plan = plans.get(library_problem(float32), ConvolutionDirection::forward, {}, stream(), nullptr);
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

TEST_F(GpuConv, ThrowsWhatIsNoRefusal) {
  {
    const Refusing refusing(CudnnRefusal::convolutions, CUDNN_STATUS_NOT_INITIALIZED);
    const std::string message = message_of([] { on_gpu(Conv2DOp(), many_channels(80, 3)); });
    EXPECT_NE(message.find("cudnnConvolutionForward failed with CUDNN_STATUS_NOT_INITIALIZED: a test wants a refusal."),
              std::string::npos)
        << message;
  }
  {
    const Refusing refusing(CudnnRefusal::convolutions, CUDNN_STATUS_EXECUTION_FAILED, cudaErrorIllegalAddress);
    const std::string message = message_of([] { on_gpu(Conv2DOp(), many_channels(80, 3)); });
    EXPECT_NE(message.find("cudnnConvolutionForward failed with cudaErrorIllegalAddress"), std::string::npos)
        << message;
  }
  // Neither has spoilt the plan.
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
    const std::string message = message_of([&] { on_gpu(*op, inputs(height + 1)); });
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
  const tests::EnvironmentVariable log("RHYTON_LOG", "device");
  const Refusing refusing(CudnnRefusal::winograd_convolutions, CUDNN_STATUS_INTERNAL_ERROR);
  const std::vector<Tensor> inputs = many_channels(90, 3);
  ::testing::internal::CaptureStderr();
  on_gpu(Conv2DOp(), inputs);
  on_gpu(Conv2DOp(), inputs);
  const std::string text = ::testing::internal::GetCapturedStderr();
  const std::string problem =
      "Conv2D float32, 1 images 90x8x8, 9 filters 3x3, strides 1x1, dilation 1x1, padding 0x0, groups 1";
  const auto algorithm = [](int number) {
    // What the emulation's algorithms need beside the 3 * 3 * 8 * 9 weights.
    const int bytes = 3 * 3 * 8 * 9 * 4 + 1000 * (number + 1);
    return "algorithm " + std::to_string(number) + " with CUDNN_FMA_MATH and " + std::to_string(bytes) +
           " bytes of workspace";
  };
  const auto count = [&](const std::string& line) {
    int result = 0;
    for (std::size_t at = text.find(line); at != std::string::npos; at = text.find(line, at + 1)) ++result;
    return result;
  };
  // A plan for each setting of determinism, one of which runs.
  EXPECT_EQ(count("cuDNN computes " + problem + " by " + algorithm(7) + ".\n"), 2) << text;
  EXPECT_EQ(count("cuDNN refuses cudnnConvolutionForward (" + problem + ") by " + algorithm(7) +
                  ": CUDNN_STATUS_INTERNAL_ERROR: a test wants a refusal.\n"),
            1)
      << text;
  EXPECT_EQ(count("cuDNN computes " + problem + " by " + algorithm(1) + ".\n"), 1) << text;
}

TEST_F(GpuConv, MeasuresOnceForBothSettingsOfDeterminism) {
  ConvolutionPlans plans({.measures = true});
  const ConvolutionProblem problem = library_problem(float16);
  const auto bytes = [&] {
    return plans.workspace_bytes(problem, ConvolutionDirection::kernel_gradient, stream(), &first_gpu().allocator());
  };
  const CudnnQueries before = cudnn_queries();
  const std::size_t first = bytes();
  EXPECT_EQ(cudnn_queries().expectations - before.expectations, 1);
  EXPECT_EQ(cudnn_queries().measurements - before.measurements, 1);
  EXPECT_EQ(bytes(), first);
  EXPECT_EQ(cudnn_queries().expectations - before.expectations, 1);
  EXPECT_EQ(cudnn_queries().measurements - before.measurements, 1);
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

#endif

}  // namespace
}  // namespace rhyton::gpu
