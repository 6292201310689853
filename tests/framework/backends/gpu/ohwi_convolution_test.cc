// Convolutions with the OHWI kernel layout, compared with the same convolutions in Keras's layout bit for bit.

#include <rhyton/framework/ops/ohwi_convolution.h>

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include <rhyton/framework/device/device_scope.h>
#include <rhyton/framework/ops/conv.h>
#include <rhyton/framework/ops/conv_max_pool.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/tests/framework/backends/gpu/cpu_reference.h>
#include <rhyton/tests/framework/backends/gpu/gpus.h>

namespace rhyton::gpu::ohwi_convolution_tests {
namespace {

std::vector<TensorSpec> specs_of(const std::vector<Tensor>& tensors) {
  std::vector<TensorSpec> specs;
  for (const Tensor& tensor : tensors) specs.push_back(tensor.spec());
  return specs;
}

bool accepts(const OhwiConvolutionOp& op, const std::vector<Tensor>& keras_inputs) {
  const std::vector<TensorSpec> inputs = op.own_inputs(specs_of(keras_inputs));
  const Kernel& kernel = gpu_kernels().get(op, inputs);
  return kernel.accepts(op, inputs, op.infer(inputs));
}

std::vector<Tensor> on_gpu(const Op& op, const std::vector<Tensor>& inputs) {
  const DeviceScope scope(first_gpu());
  return run_kernel(op, inputs, static_cast<GpuStream&>(first_gpu().stream()));
}

Tensor transposed(const Tensor& x, const std::vector<int>& axes) {
  const DeviceScope scope(cpu());
  return transpose(x, axes);
}

void expect_same_in_ohwi(const OpPtr& plain, std::vector<Tensor> inputs) {
  const OhwiConvolutionOp op(plain);
  SCOPED_TRACE(std::string(op.name()) + " " + std::string(name_of(inputs[0].dtype())));
  ASSERT_TRUE(accepts(op, inputs));
  const std::vector<Tensor> expected = on_gpu(*plain, inputs);
  if (op.kernel_input() >= 0) {
    Tensor& kernel = inputs[static_cast<std::size_t>(op.kernel_input())];
    kernel = transposed(kernel, hwio_to_ohwi());
  }
  std::vector<Tensor> actual = on_gpu(op, inputs);
  if (op.kernel_input() < 0) actual[0] = transposed(actual[0], ohwi_to_hwio());
  EXPECT_TRUE(test::same_bits(actual, expected));
}

/// A convolution, alone and with everything that passes fuse into it, and its gradients.
void expect_all_same(const Shape& x_shape, const Shape& kernel_shape, DType dtype, const Conv2DAttributes& window) {
  const Tensor x = random_of(x_shape, dtype, 1);
  const Tensor kernel = random_of(kernel_shape, dtype, 2);
  const Tensor bias = random_of({kernel_shape[3]}, dtype, 3);
  const auto forward = std::make_shared<const Conv2DOp>(window);
  const Tensor dy = random_of(forward->infer(specs_of({x, kernel}))[0].shape, dtype, 4);
  const FusedConv2DOp fused(Epilogue::relu, window);
  expect_same_in_ohwi(forward, {x, kernel});
  expect_same_in_ohwi(std::make_shared<const FusedConv2DOp>(fused), {x, kernel, bias});
  expect_same_in_ohwi(std::make_shared<const FusedConv2DMaxPoolOp>(fused, Pool2DAttributes()), {x, kernel, bias});
  expect_same_in_ohwi(std::make_shared<const Conv2DInputGradientOp>(x_shape[1], x_shape[2], window), {kernel, dy});
  expect_same_in_ohwi(std::make_shared<const Conv2DKernelGradientOp>(kernel_shape[0], kernel_shape[1], window),
                      {x, dy});
}

TEST(GpuOhwi, ConvolutionsGiveTheSameBits) {
  for (const DType dtype : {float32, float16, bfloat16}) {
    expect_all_same({2, 9, 8, 16}, {3, 3, 16, 24}, dtype, {});
    expect_all_same({2, 9, 8, 8}, {3, 2, 8, 9}, dtype, {.strides = {2, 2}, .padding = Padding::same});
    expect_all_same({1, 7, 7, 32}, {3, 3, 16, 6}, dtype, {.groups = 2});
  }
}

TEST(GpuOhwi, WhatTheLibraryDoesNotComputeIsNotAccepted) {
  const auto is_accepted = [](const Shape& x, const Shape& kernel, DType dtype) {
    return accepts(OhwiConvolutionOp(std::make_shared<const Conv2DOp>()),
                   {Tensor::zeros(x, dtype), Tensor::zeros(kernel, dtype)});
  };
  EXPECT_TRUE(is_accepted({2, 9, 8, 16}, {3, 3, 16, 24}, float32));
  EXPECT_FALSE(is_accepted({2, 9, 8, 16}, {3, 3, 16, 24}, float64));
  EXPECT_FALSE(is_accepted({2, 28, 28, 1}, {3, 3, 1, 32}, float32));
  EXPECT_FALSE(is_accepted({0, 9, 8, 16}, {3, 3, 16, 24}, float32));
  // Both layouts are identical.
  EXPECT_FALSE(is_accepted({2, 9, 8, 16}, {3, 3, 16, 1}, float32));
}

#ifdef RHYTON_CUDA_EMULATION

TEST(GpuOhwi, WhatTheLibraryRefusesGoesToTheGeneralKernels) {
  using cuda_emulation::CudnnRefusal;
  cuda_emulation::set_cudnn_refusal(CudnnRefusal::convolutions);
  const int before = cuda_emulation::last_cudnn_call().count;
  // Its own problem, since plans are cached.
  for (const DType dtype : {float32, bfloat16}) {
    expect_all_same({2, 91, 8, 16}, {3, 3, 16, 24}, dtype, {});
    // Images must be padded for the library, which also takes memory.
    expect_all_same({2, 92, 8, 8}, {3, 2, 8, 9}, dtype, {.strides = {2, 2}, .padding = Padding::same});
  }
  EXPECT_EQ(cuda_emulation::last_cudnn_call().count, before);
  cuda_emulation::set_cudnn_refusal(CudnnRefusal::nothing);
}

#endif

}  // namespace
}  // namespace rhyton::gpu::ohwi_convolution_tests
