#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <rhyton/framework/backends/gpu/conv/problem.h>
#include <rhyton/framework/context.h>
#include <rhyton/framework/device/device_scope.h>
#include <rhyton/framework/ops/conv.h>
#include <rhyton/tests/framework/backends/gpu/gpus.h>
#include <rhyton/tests/framework/backends/gpu/run_kernel.h>
#include <rhyton/tests/support/random_tensor.h>
#include <rhyton/tests/support/tensor_distance.h>

// Shared by the tests of convolutions on GPUs: each op is compared with the CPU in float64, and with a second run.

namespace rhyton::gpu::conv_checks {

/// Without TensorFloat-32, so that float32 has its full precision.
class GpuConv : public ::testing::Test {
 public:
  GpuConv() : had_tensor_float_32_(context().tensor_float_32_execution_enabled()) {
    context().enable_tensor_float_32_execution(false);
  }
  ~GpuConv() override { context().enable_tensor_float_32_execution(had_tensor_float_32_); }

 private:
  bool had_tensor_float_32_;
};

inline const std::vector<DType> dtypes = {float32, float64, float16, bfloat16};

/// Relative to the largest element.
inline double tolerance(DType dtype) {
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

inline GpuStream& stream() { return static_cast<GpuStream&>(first_gpu().stream()); }

inline Tensor random_of(const Shape& shape, DType dtype, std::uint64_t seed) {
  const DeviceScope scope(cpu());
  return test::random_tensor(shape, seed, -1, 1, float64).cast(dtype);
}

inline Tensor on_gpu(const Op& op, const std::vector<Tensor>& inputs) {
  const DeviceScope scope(first_gpu());
  return run_kernel(op, inputs, stream())[0];
}

/// The CPU's result in float64.
inline Tensor expected_of(const OpPtr& op, const std::vector<Tensor>& inputs) {
  const DeviceScope scope(cpu());
  std::vector<Tensor> exact;
  for (const Tensor& input : inputs) exact.push_back(input.cast(float64));
  return rhyton::apply(op, exact)[0];
}

/// Compares an op's kernel on the GPU with the CPU's, and with a second run.
inline void check(const OpPtr& op, const std::vector<Tensor>& inputs) {
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
inline void check_all(const Case& conv, DType dtype) {
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

/// A convolution that is computed by cuDNN.
inline ConvolutionProblem library_problem(DType dtype) { return {dtype, {2, 8, 8, 16}, {3, 3, 16, 16}, {}}; }

inline constexpr ConvolutionDirection directions[] = {
    ConvolutionDirection::forward, ConvolutionDirection::input_gradient, ConvolutionDirection::kernel_gradient};

}  // namespace rhyton::gpu::conv_checks
