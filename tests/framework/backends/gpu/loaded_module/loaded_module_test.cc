// The module for GPUs as programs load it: a file with hidden symbols, opened with RTLD_LOCAL. Exceptions, casts and
// whole trainings cross its border.

#include <dlfcn.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/framework/context.h>
#include <rhyton/framework/device/best_fit_allocator.h>
#include <rhyton/framework/device/config.h>
#include <rhyton/framework/device/device_runtime.h>
#include <rhyton/framework/device/device_scope.h>
#include <rhyton/framework/device/gpu_module.h>
#include <rhyton/framework/device/logical_device.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/indexing.h>
#include <rhyton/framework/ops/matmul.h>
#include <rhyton/layers/convolutional/conv2d.h>
#include <rhyton/layers/core/dense.h>
#include <rhyton/layers/core/input.h>
#include <rhyton/layers/reshaping/flatten.h>
#include <rhyton/models/losses/crossentropy.h>
#include <rhyton/models/sequential.h>
#include <rhyton/optimizers/sgd.h>
#include <rhyton/tests/support/message_of.h>
#include <rhyton/tests/support/random_tensor.h>
#include <rhyton/tests/support/tensor_distance.h>

namespace rhyton::gpu::loaded_module_tests {
namespace {

/// Opens the module, once; its emulated card is the only GPU.
class LoadedGpuModule : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    setenv("RHYTON_GPU_MODULE", "", 1);  // no other module
    void* const module = dlopen(RHYTON_EMULATED_GPU_MODULE, RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(module, nullptr) << dlerror();
    const auto register_module = reinterpret_cast<RegisterGpuModule>(dlsym(module, register_gpu_module_symbol));
    ASSERT_NE(register_module, nullptr);
    ASSERT_EQ(register_module(&device_runtime()), nullptr);
  }
  void SetUp() override { ASSERT_EQ(config::list_logical_devices("GPU").size(), 1U); }
};

TEST_F(LoadedGpuModule, IsClosedToTheRestOfTheProgram) {
  EXPECT_EQ(dlsym(RTLD_DEFAULT, register_gpu_module_symbol), nullptr);
  EXPECT_EQ(dlsym(RTLD_DEFAULT, "cudaMalloc"), nullptr);
}

TEST_F(LoadedGpuModule, ComputesAsTheCpu) {
  const Tensor a = test::random_tensor({5, 7}, 1, -1, 1, float64);
  const Tensor b = test::random_tensor({7, 3}, 2, -1, 1, float64);
  const Tensor expected = [&] {
    const auto scope = device("/CPU:0");
    return matmul(a, b);
  }();
  const auto scope = device("/GPU:0");
  const Tensor product = matmul(a, b);
  EXPECT_EQ(product.device().name(), "/device:GPU:0");
  EXPECT_LT(test::relative_distance(product, expected), 1e-14);
}

TEST_F(LoadedGpuModule, ItsExceptionsAreCaughtByTheirTypes) {
  const auto scope = device("/GPU:0");
  const Tensor x = Tensor::full({4}, 1.0);
  const Tensor indices = Tensor::from_data({2}, std::vector<std::int64_t>{1, 4});
  EXPECT_EQ(test::message_of<InvalidArgumentError>([&] { take(x, indices, 0).to_vector(); }),
            "indices[1] = 4 is not in [0, 4)");
}

TEST_F(LoadedGpuModule, ItsObjectsCanBeCast) {
  Allocator& allocator = config::list_logical_devices("GPU").at(0)->allocator();
  EXPECT_NE(dynamic_cast<BestFitAllocator*>(&allocator), nullptr);
}

TEST_F(LoadedGpuModule, TrainsAsTheCpu) {
  const Tensor x = test::random_tensor({40, 6, 6, 5}, 3);
  const Tensor y = test::random_tensor({40}, 4, 0, 3.99).cast(uint8);
  const auto losses_on = [&](const char* name) {
    clear_session();
    set_random_seed(5);
    const auto scope = device(name);
    const models::Sequential model({layers::Input({.shape = {6, 6, 5}}),
                                    layers::Conv2D(8, {3, 3}, {.activation = "relu"}), layers::Conv2D(8, {3, 3}),
                                    layers::Flatten(), layers::Dense(4)});
    model.compile({.optimizer = optimizers::SGD({.learning_rate = 0.01}),
                   .loss = losses::SparseCategoricalCrossentropy({.from_logits = true})});
    return model.fit(x, y, {.batch_size = 16, .epochs = 2, .verbose = 0})["loss"];
  };
  config::enable_tensor_float_32_execution(false);
  const std::vector<double> expected = losses_on("/CPU:0");
  const std::vector<double> losses = losses_on("/GPU:0");
  ASSERT_EQ(losses.size(), 2U);
  for (std::size_t epoch = 0; epoch < losses.size(); ++epoch) EXPECT_NEAR(losses[epoch], expected[epoch], 1e-5);
}

}  // namespace
}  // namespace rhyton::gpu::loaded_module_tests
