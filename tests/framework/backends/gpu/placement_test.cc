// The devices of ops on a machine with a GPU, and the copies between devices.

#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/framework/device/config.h>
#include <rhyton/framework/device/device_scope.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/linear_algebra.h>
#include <rhyton/framework/ops/matmul.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/tensor/variable.h>
#include <rhyton/tests/framework/backends/gpu/gpus.h>
#include <rhyton/tests/support/random_tensor.h>
#include <rhyton/tests/support/tensor_distance.h>

namespace rhyton::gpu {
namespace {

using test::random_tensor;
using test::relative_distance;

class Placement : public ::testing::Test {
 protected:
  // On the host.
  const Tensor a = Tensor::from_data<float>({2, 3}, {1, 2, 3, 4, 5, 6});
  const Tensor b = Tensor::from_data<float>({3, 2}, {1, 2, 3, 4, 5, 6});
};

TEST_F(Placement, WithoutAScopeOpsRunOnTheFirstGpu) {
  Tensor c;
  std::thread([&] { c = matmul(a, b); }).join();  // scopes belong to a thread
  EXPECT_EQ(c.device().name(), "/device:GPU:0");
  EXPECT_EQ(a.device().name(), "/device:CPU:0");
  EXPECT_EQ(c.to_vector(), (std::vector<double>{22, 28, 49, 64}));
}

TEST_F(Placement, AScopeNamesTheDevice) {
  for (const char* name : {"/CPU:0", "/GPU:0", "/device:GPU:1", "/job:localhost/replica:0/task:0/device:GPU:1"}) {
    const auto scope = device(name);
    const Tensor c = matmul(a, b);
    EXPECT_EQ(&c.device(), &scope.target()) << name;
    EXPECT_EQ(c.to_vector(), (std::vector<double>{22, 28, 49, 64})) << name;
  }
}

TEST_F(Placement, InputsOfOtherDevicesAreCopied) {
  Tensor on_first;
  Tensor on_second;
  {
    const auto scope = device("/GPU:0");
    on_first = a + 1.0F;
  }
  {
    const auto scope = device("/GPU:1");
    on_second = matmul(on_first, b);
  }
  EXPECT_EQ(&on_first.device(), &first_gpu());
  EXPECT_EQ(&on_second.device(), &second_gpu());
  const auto scope = device("/CPU:0");
  const Tensor on_host = on_second + 1.0F;
  EXPECT_EQ(&on_host.device(), &cpu());
  EXPECT_EQ(on_host.to_vector(), (std::vector<double>{32, 41, 59, 77}));
}

TEST_F(Placement, AnOpWithoutAKernelForGpusRunsOnTheCpu) {
  const auto scope = device("/GPU:0");
  const Tensor square = random_tensor({4, 4}, 1);
  const auto [q, r] = qr(square);
  EXPECT_EQ(&q.device(), &cpu());
  EXPECT_EQ(&r.device(), &cpu());
  const auto on_cpu = device("/CPU:0");
  EXPECT_LT(relative_distance(matmul(q, r), square), 1e-5);
}

TEST_F(Placement, UnlessSoftPlacementIsForbidden) {
  config::set_soft_device_placement(false);
  const auto scope = device("/GPU:0");
  EXPECT_THROW(
      {
        try {
          qr(random_tensor({4, 4}, 1));
        } catch (const InvalidArgumentError& error) {
          EXPECT_EQ(std::string(error.what()),
                    "Cannot assign a device for operation Qr: Could not satisfy device specification "
                    "'/job:localhost/replica:0/task:0/device:GPU:0'. enable_soft_placement=0. Supported device types "
                    "[CPU]. All available devices [/job:localhost/replica:0/task:0/device:CPU:0, "
                    "/job:localhost/replica:0/task:0/device:GPU:0, /job:localhost/replica:0/task:0/device:GPU:1, "
                    "/job:localhost/replica:0/task:0/device:GPU:2].");
          throw;
        }
      },
      InvalidArgumentError);
  config::set_soft_device_placement(true);
  EXPECT_EQ(&device("/GPU:7").target(), &first_gpu());
  EXPECT_EQ(&device("/CPU:3").target(), &cpu());
}

TEST_F(Placement, IsLoggedAsTensorFlowDoes) {
  debugging::set_log_device_placement(true);
  ::testing::internal::CaptureStderr();
  {
    const auto scope = device("/GPU:1");
    matmul(a, b);
  }
  const std::string log = ::testing::internal::GetCapturedStderr();
  debugging::set_log_device_placement(false);
  EXPECT_EQ(log, "Executing op MatMul in device /job:localhost/replica:0/task:0/device:GPU:1\n");
}

TEST_F(Placement, TheHostReadsAndWritesWhatAGpuHas) {
  const auto scope = device("/GPU:0");
  Tensor c = matmul(a, b);
  EXPECT_EQ(c.data<float>()[3], 64);
  EXPECT_EQ(&c.device(), &first_gpu());
  c.mutable_data<float>()[3] = 7;
  EXPECT_EQ(&c.device(), &cpu());
  EXPECT_EQ(sum(c).item(), 22 + 28 + 49 + 7);
}

TEST_F(Placement, WhatTheHostHasReadIsReadAnewWhenTheGpuHasWritten) {
  const auto scope = device("/GPU:0");
  const Variable variable(a + 1.0F);
  EXPECT_EQ(variable.stored_value().data<float>()[0], 2);
  variable.assign(a);
  EXPECT_EQ(variable.stored_value().data<float>()[0], 1);
  EXPECT_EQ(&variable.stored_value().device(), &first_gpu());
}

TEST_F(Placement, AVariableStaysWhereItIs) {
  Variable variable;
  {
    const auto scope = device("/GPU:1");
    variable = Variable(a * 2.0F);
  }
  variable.assign_add(a);
  EXPECT_EQ(&variable.stored_value().device(), &second_gpu());
  EXPECT_EQ(variable.value().to_vector(), (std::vector<double>{3, 6, 9, 12, 15, 18}));
}

TEST_F(Placement, MemoryIsLimitedAndTheErrorSaysWhatToDo) {
  const auto scope = device("/GPU:0");
  const Tensor small = Tensor::uninitialized({10}, float32, first_gpu());
  const Shape too_large = {1 << 12, 1 << 10, 1 << 10};
  try {
    static_cast<void>(Tensor::uninitialized(too_large, float32, first_gpu()));
    FAIL() << "16 GB were given out";
  } catch (const ResourceExhaustedError& error) {
    const std::string what = error.what();
    EXPECT_EQ(what.find("OOM when allocating tensor with shape[4096,1024,1024] and type float32 on "
                        "/job:localhost/replica:0/task:0/device:GPU:0 by allocator GPU_0_bfc."),
              0U)
        << what;
    for (const char* part : {"limit", "in use", "largest free"}) EXPECT_NE(what.find(part), std::string::npos) << what;
  }
}

TEST_F(Placement, MemoryComesBack) {
  const config::MemoryInfo before = config::get_memory_info("GPU:1");
  {
    const Tensor large = Tensor::uninitialized({1 << 20}, float32, second_gpu());
    EXPECT_EQ(config::get_memory_info("GPU:1").current, before.current + (std::size_t{4} << 20));
  }
  EXPECT_EQ(config::get_memory_info("GPU:1").current, before.current);
}

}  // namespace
}  // namespace rhyton::gpu
