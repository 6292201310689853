// The execution of compiled functions on a GPU: recordings, messages, measurements.

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/framework/device/device_runtime.h>
#include <rhyton/framework/device/device_scope.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/graph/executable.h>
#include <rhyton/framework/graph/tracing.h>
#include <rhyton/framework/ops/conv.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/linear_algebra.h>
#include <rhyton/framework/ops/matmul.h>
#include <rhyton/framework/ops/name_scope.h>
#include <rhyton/framework/ops/optimizer_updates.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/ops/softmax.h>
#include <rhyton/framework/profiler/profiler.h>
#include <rhyton/framework/tensor/variable.h>
#include <rhyton/tests/framework/backends/gpu/gpus.h>
#include <rhyton/tests/support/environment_variable.h>
#include <rhyton/tests/support/random_tensor.h>
#include <rhyton/tests/support/tensor_distance.h>

#ifdef RHYTON_CUDA_EMULATION
#include <cudnn.h>
#include <emulator.h>

#include <rhyton/framework/backends/gpu/runtime/module.h>
#endif

namespace rhyton::gpu {
namespace {

using graph::Executable;
using test::random_tensor;
using test::relative_distance;

const TensorSpec matrix{{4, 4}, float32};

/// x ↦ x · kernel, and kernel ← kernel + 1.
Executable product_and_update(const Variable& kernel, LogicalDevice& device) {
  return Executable(graph::trace({{matrix, 0}},
                                 [&](const std::vector<Tensor>& x) {
                                   const NameScope layer("dense");
                                   const Tensor y = matmul(x[0], kernel.value());
                                   kernel.assign_add(Tensor::full({4, 4}, 1.0));
                                   return std::vector<Tensor>{y};
                                 }),
                    {.name = "product", .device = &device});
}

TEST(ExecutionOnGpu, EachRunReadsAndWritesVariablesThatLieThere) {
  const Variable kernel(Tensor::zeros({4, 4}));
  Executable executable = product_and_update(kernel, first_gpu());
  const Tensor x = Tensor::full({4, 4}, 0.25);
  for (int run = 0; run < 5; ++run) {
    EXPECT_EQ(executable({x})[0].to_vector(), std::vector<double>(16, run)) << run;
  }
  EXPECT_EQ(&kernel.stored_value().device(), &first_gpu());
  EXPECT_EQ(kernel.value().to_vector(), std::vector<double>(16, 5));
}

TEST(ExecutionOnGpu, AValueThatSomebodyHoldsStaysAsItIs) {
  const Variable kernel(Tensor::zeros({4, 4}));
  Executable executable = product_and_update(kernel, first_gpu());
  const Tensor x = Tensor::full({4, 4}, 0.25);
  for (int run = 0; run < 3; ++run) executable({x});
  const Tensor held = kernel.value();
  for (int run = 0; run < 3; ++run) executable({x});
  EXPECT_EQ(held.to_vector(), std::vector<double>(16, 3));
  EXPECT_EQ(kernel.value().to_vector(), std::vector<double>(16, 6));
}

TEST(ExecutionOnGpu, InputsMayLieAnywhere) {
  Executable executable(
      graph::trace({{matrix, 0}}, [](const std::vector<Tensor>& x) { return std::vector{x[0] + x[0]}; }),
      {.device = &first_gpu()});
  const Tensor x = random_tensor({4, 4}, 1);
  const std::vector<double> expected = (x + x).to_vector();
  for (int run = 0; run < 3; ++run) {
    for (LogicalDevice* device : {&cpu(), &first_gpu(), &second_gpu()}) {
      EXPECT_EQ(executable({x.to(*device)})[0].to_vector(), expected) << device->name();
    }
  }
}

TEST(ExecutionOnGpu, AnOpOfTheCpuRunsThereInTheMiddle) {
  Executable executable(graph::trace({{matrix, -1}},
                                     [](const std::vector<Tensor>& x) {
                                       const auto [q, r] = qr(x[0] + 1.0F);
                                       return std::vector{matmul(q, r) - 1.0F};
                                     }),
                        {.device = &first_gpu()});
  const Tensor x = random_tensor({4, 4}, 2);
  for (int run = 0; run < 3; ++run) EXPECT_LT(relative_distance(executable({x})[0], x), 2e-3);
}

TEST(ExecutionOnGpu, ThePlacementOfAPlanIsLoggedOnce) {
  const Variable kernel(Tensor::zeros({4, 4}));
  const Tensor x = Tensor::full({4, 4}, 0.25);
  debugging::set_log_device_placement(true);
  ::testing::internal::CaptureStderr();
  Executable executable = product_and_update(kernel, second_gpu());
  executable({x});
  executable({x});
  const std::string log = ::testing::internal::GetCapturedStderr();
  debugging::set_log_device_placement(false);
  EXPECT_EQ(log,
            "Executing op AddV2 in device /job:localhost/replica:0/task:0/device:GPU:1\n"
            "Executing op MatMul in device /job:localhost/replica:0/task:0/device:GPU:1\n"
            "Moved 1 variables of product from /job:localhost/replica:0/task:0/device:CPU:0 to "
            "/job:localhost/replica:0/task:0/device:GPU:1\n");
}

TEST(ExecutionOnGpu, TheProfilerTimesOpsAndCopies) {
  const Variable kernel(Tensor::zeros({4, 4}));
  Executable executable = product_and_update(kernel, first_gpu());
  const Tensor x = Tensor::full({4, 4}, 0.25);
  executable({x});
  profiler::start();
  executable({x});
  const std::string table = profiler::stop().table();
  for (const char* name : {"MatMul", "AddV2", "CopyToDevice"}) EXPECT_NE(table.find(name), std::string::npos) << table;
}

/// Two layers forward and backward, with the update of both kernels: much of it can run concurrently.
Executable two_layers(const Variable& first, const Variable& second) {
  return Executable(graph::trace({{matrix, 0}},
                                 [&](const std::vector<Tensor>& x) {
                                   const Tensor hidden = tanh(matmul(x[0], first.value()));
                                   const Tensor y = matmul(hidden, second.value());
                                   const Tensor back = matmul(y, second.value(), false, true);
                                   second.assign_add(matmul(hidden, y, true, false) * -0.01F);
                                   first.assign_add(matmul(x[0], back, true, false) * -0.01F);
                                   return std::vector<Tensor>{sum(y), mean(back)};
                                 }),
                    {.name = "two layers", .device = &first_gpu()});
}

/// All results of ten runs.
std::vector<std::vector<double>> results_of_two_layers() {
  const Variable first(random_tensor({4, 4}, 3).to(cpu()));
  const Variable second(random_tensor({4, 4}, 4).to(cpu()));
  Executable executable = two_layers(first, second);
  std::vector<std::vector<double>> results;
  for (std::uint64_t run = 0; run < 10; ++run) {
    for (const Tensor& output : executable({random_tensor({4, 4}, run)})) results.push_back(output.to_vector());
  }
  results.push_back(first.value().to_vector());
  results.push_back(second.value().to_vector());
  return results;
}

TEST(ExecutionOnGpu, BranchesChangeNoBit) {
  const std::vector<std::vector<double>> on_branches = results_of_two_layers();
  for (const char* const name : {"RHYTON_NO_BRANCHES", "RHYTON_NO_GRAPH"}) {
    const test::EnvironmentVariable off(name, "1");
    EXPECT_EQ(results_of_two_layers(), on_branches) << name;
  }
}

TEST(ExecutionOnGpu, NoMemoryIsUsedTwiceWhereThatTakesLittleOfIt) {
  const auto plan_on = [](LogicalDevice& device, std::int64_t elements) {
    const Executable executable(
        graph::trace({{{{elements}, float32}, -1}},
                     [](const std::vector<Tensor>& x) { return std::vector{sum(softmax(softmax(x[0])))}; }),
        {.device = &device});
    return executable.plan();
  };
  EXPECT_TRUE(plan_on(first_gpu(), 1000).is_spread);
  EXPECT_TRUE(plan_on(small_gpu(), 1000).is_spread);
  EXPECT_FALSE(plan_on(small_gpu(), 1'000'000).is_spread);
  const test::EnvironmentVariable off("RHYTON_NO_BRANCHES", "1");
  EXPECT_FALSE(plan_on(first_gpu(), 1000).is_spread);
}

#ifdef RHYTON_CUDA_EMULATION

TEST(ExecutionOnGpu, WhatDoesNotDependOnEachOtherStandsOnBranches) {
  results_of_two_layers();
  const std::int64_t with_branches = cuda_emulation::counters().longest_chain;
  const test::EnvironmentVariable off("RHYTON_NO_BRANCHES", "1");
  results_of_two_layers();
  EXPECT_GE(with_branches, 6);
  EXPECT_LE(with_branches, cuda_emulation::counters().longest_chain - 3);
}

TEST(ExecutionOnGpu, ConvolutionsOnBranchesKeepTheirHandlesOfCudnn) {
  const Tensor x = random_tensor({2, 8, 8, 8}, 5);
  const Tensor kernel = random_tensor({3, 3, 8, 8}, 6);
  const auto both_gradients = [](const std::vector<Tensor>& in) {
    const Tensor y = conv2d(in[0], in[1]);
    return std::vector<Tensor>{conv2d_input_gradient(in[1], y, 8, 8), conv2d_kernel_gradient(in[0], y, 3, 3)};
  };
  const auto results = [&] {
    Executable executable(graph::trace({{x.spec(), -1}, {kernel.spec(), -1}}, both_gradients),
                          {.name = "convolutions", .device = &first_gpu()});
    std::vector<std::vector<double>> all;
    for (int run = 0; run < 4; ++run) {
      for (const Tensor& output : executable({x, kernel})) all.push_back(output.to_vector());
    }
    return all;
  };
  const int moved = cuda_emulation::moved_cudnn_handles();
  const std::vector<std::vector<double>> on_branches = results();
  EXPECT_EQ(cuda_emulation::moved_cudnn_handles(), moved);
  const test::EnvironmentVariable off("RHYTON_NO_GRAPH", "1");
  EXPECT_EQ(results(), on_branches);
}

TEST(ExecutionOnGpu, ARefusedRecordingIsTriedWithoutBranchesAndThenGivenUp) {
  const std::vector<std::vector<double>> expected = results_of_two_layers();
  const auto launches = [] { return cuda_emulation::counters().graphs_launched; };
  const test::EnvironmentVariable log("RHYTON_LOG", "device");
  const auto results = [&](const char* call, int times) {
    for (int i = 0; i < times; ++i) cuda_emulation::fail_next(call, cudaErrorNotSupported);
    ::testing::internal::CaptureStderr();
    EXPECT_EQ(results_of_two_layers(), expected) << call;
    return ::testing::internal::GetCapturedStderr();
  };
  std::int64_t before = launches();
  std::string text = results("cudaStreamWaitEvent", 1);
  EXPECT_NE(
      text.find("The graph of two layers is not recorded with branches: cudaStreamWaitEvent failed with cudaErrorNot"),
      std::string::npos)
      << text;
  EXPECT_EQ(text.find("is not recorded:"), std::string::npos) << text;
  EXPECT_EQ(launches() - before, 9);

  before = launches();
  text = results("cudaGraphInstantiate", 2);
  EXPECT_NE(text.find("The graph of two layers is not recorded: "), std::string::npos) << text;
  EXPECT_EQ(launches() - before, 0);
}

TEST(ExecutionOnGpu, IsOneLaunchOnceItIsRecorded) {
  const Variable kernel(Tensor::zeros({4, 4}));
  Executable executable = product_and_update(kernel, first_gpu());
  const Tensor x = Tensor::full({4, 4}, 0.25).to(first_gpu());
  const std::vector<Tensor> inputs = {x};
  executable.run_on(inputs);
  executable.run_on(inputs);
  first_gpu().stream().synchronize();
  const cuda_emulation::Counters before = cuda_emulation::counters();
  for (int run = 0; run < 10; ++run) executable.run_on(inputs);
  const cuda_emulation::Counters after = cuda_emulation::counters();
  EXPECT_EQ(after.graphs_launched - before.graphs_launched, 10);
  EXPECT_EQ(after.kernels_launched - before.kernels_launched, 0);
  EXPECT_EQ(after.allocations - before.allocations, 0);
  EXPECT_EQ(after.synchronizations - before.synchronizations, 0);
  EXPECT_EQ(kernel.value().to_vector(), std::vector<double>(16, 12));
}

TEST(ExecutionOnGpu, UpdatesOfManyVariablesAreOneLaunch) {
  std::vector<Variable> variables;
  for (int i = 0; i < 12; ++i) variables.emplace_back(Tensor::full({3 + i}, i));
  const Variable rate(Tensor::full({}, 0.5));
  Executable executable(graph::trace({{{{}, float32}, -1}},
                                     [&](const std::vector<Tensor>& x) {
                                       for (const Variable& variable : variables) {
                                         const Tensor gradient = full_like(variable.value(), 2.0) * x[0];
                                         variable.assign(sgd_update(variable.value(), gradient, rate.value()));
                                       }
                                       return std::vector<Tensor>{};
                                     }),
                        {.device = &first_gpu()});
  const std::vector<Tensor> inputs = {Tensor::scalar(1.0F).to(first_gpu())};
  const std::int64_t before = cuda_emulation::counters().kernels_launched;
  executable.run_on(inputs);
  const std::int64_t launched = cuda_emulation::counters().kernels_launched - before;
  EXPECT_LE(launched, 2 * 12 + 1);
  for (int i = 0; i < 12; ++i) {
    EXPECT_EQ(variables[static_cast<std::size_t>(i)].value().to_vector(),
              std::vector<double>(static_cast<std::size_t>(3 + i), i - 1));
  }
}

TEST(ExecutionOnGpu, AnErrorOfCudaNamesOpLayerShapesAndDevice) {
  const Variable kernel(Tensor::zeros({4, 4}));
  Executable executable = product_and_update(kernel, first_gpu());
  const Tensor x = Tensor::full({4, 4}, 0.25);
  cuda_emulation::fail_next("cudaLaunchKernelEx", cudaErrorLaunchFailure);
  try {
    executable({x});
    FAIL() << "Nothing was thrown.";
  } catch (const RuntimeError& error) {
    EXPECT_EQ(std::string(error.what()),
              "AddV2 failed with cudaErrorLaunchFailure: " + std::string(cudaGetErrorString(cudaErrorLaunchFailure)) +
                  ". This was op AddV2 of 'dense' with inputs of float32 [4,4], float32 [4,4] on device "
                  "/job:localhost/replica:0/task:0/device:GPU:0.");
  }
}

TEST(GpuModule, SaysWhyThereIsNoGpu) {
  const auto problem_of = [](cudaError_t error) {
    cuda_emulation::fail_next("cudaGetDeviceCount", error);
    DeviceRuntime runtime;
    const char* const problem = rhyton_register_gpu_module(&runtime);
    EXPECT_TRUE(runtime.physical_devices("GPU").empty());
    return std::string(problem == nullptr ? "" : problem);
  };
  EXPECT_EQ(problem_of(cudaErrorInsufficientDriver),
            "the driver is too old for the CUDA version that Rhyton was built with.");
  EXPECT_EQ(problem_of(cudaErrorNoDevice), "the driver sees no GPU, or CUDA_VISIBLE_DEVICES hides it.");
  EXPECT_EQ(problem_of(cudaErrorUnknown).find("cudaGetDeviceCount failed with cudaErrorUnknown: "), 0U);
}

TEST(GpuModule, DescribesTheGpu) {
  setenv("RHYTON_LOG", "device", 1);
  ::testing::internal::CaptureStderr();
  DeviceRuntime runtime;
  EXPECT_EQ(rhyton_register_gpu_module(&runtime), nullptr);
  const std::string log = ::testing::internal::GetCapturedStderr();
  unsetenv("RHYTON_LOG");
  for (const char* part :
       {"name: ", "pci bus id: ", "compute capability: ", " MB are free", "driver for CUDA ", "cuDNN ", "cuBLASLt "}) {
    EXPECT_NE(log.find(part), std::string::npos) << log;
  }
  const PhysicalDevice gpu = runtime.physical_devices("GPU").at(0);
  EXPECT_TRUE(runtime.device_details(gpu).compute_capability.has_value());
}

#endif

}  // namespace
}  // namespace rhyton::gpu
