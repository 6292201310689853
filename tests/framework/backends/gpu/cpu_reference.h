#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/listeners.h>
#include <rhyton/tests/framework/backends/gpu/run_kernel.h>
#include <rhyton/tests/framework/backends/gpu/test_stream.h>
#include <rhyton/tests/support/random_tensor.h>
#include <rhyton/tests/support/tensor_distance.h>

// The reference of tests of the GPU's kernels: the CPU's kernel of the same op, in float64.

namespace rhyton::gpu {

/// Replaces the execution of ops: stores the last one, and returns zeros.
class OpCapture final : public Interpreter {
 public:
  std::vector<Tensor> apply(const OpPtr& op, std::span<const Tensor> inputs) override {
    op_ = op;
    std::vector<TensorSpec> specs;
    for (const Tensor& input : inputs) specs.push_back(input.spec());
    std::vector<Tensor> outputs;
    for (const TensorSpec& spec : op->infer(specs)) outputs.push_back(Tensor::zeros(spec.shape, spec.dtype));
    return outputs;
  }
  Tensor read(const Variable&) override { throw RuntimeError("Only ops are captured."); }
  void assign(const Variable&, const Tensor&) override { throw RuntimeError("Only ops are captured."); }

  const OpPtr& op() const { return op_; }

 private:
  OpPtr op_;
};

/// The op that a call of one of the ops' functions creates; its dtype need not have a kernel.
template <class Call>
OpPtr op_of(const Call& call) {
  OpCapture capture;
  const ListenerScope scope(capture);
  call();
  return capture.op();
}

/// The results of the CPU's kernel; floating inputs are converted to float64.
inline std::vector<Tensor> run_on_cpu(const Op& op, const std::vector<Tensor>& inputs) {
  std::vector<Tensor> exact;
  std::vector<TensorSpec> input_specs;
  std::vector<TensorView> input_views;
  for (const Tensor& input : inputs) {
    exact.push_back(is_floating(input.dtype()) ? input.cast(float64) : input);
    input_specs.push_back(exact.back().spec());
    input_views.push_back({const_cast<void*>(exact.back().raw_data()), exact.back().spec()});
  }
  const Kernel& kernel = cpu_kernels().get(op, input_specs);
  const std::vector<TensorSpec> output_specs = op.infer(input_specs);
  std::vector<Tensor> outputs;
  std::vector<TensorView> output_views;
  for (const TensorSpec& spec : output_specs) {
    outputs.push_back(Tensor::zeros(spec.shape, spec.dtype));
    output_views.push_back({outputs.back().mutable_raw_data(), spec});
  }
  const std::size_t bytes =
      kernel.workspace_bytes == nullptr ? 0 : kernel.workspace_bytes(op, input_specs, output_specs);
  std::vector<double> workspace(bytes / sizeof(double) + 1);
  kernel.run({.op = &op, .inputs = input_views, .outputs = output_views, .workspace = workspace.data()});
  return outputs;
}

inline constexpr double nan = std::numeric_limits<double>::quiet_NaN();
inline constexpr double infinity = std::numeric_limits<double>::infinity();

/// Random numbers in [low, high) that the dtype can represent.
inline Tensor random_of(const Shape& shape, DType dtype, std::uint64_t seed, double low = -1, double high = 1) {
  return test::random_tensor(shape, seed, low, high, float64).cast(dtype);
}

/// The allowed error of a result, relative to the largest element.
inline double tolerance(DType dtype) {
  switch (dtype) {
    case DType::float64:
      return 1e-12;
    case DType::float32:
      return 5e-6;
    case DType::float16:
      return 2e-3;
    case DType::bfloat16:
      return 1e-2;
    default:
      return 0;
  }
}

/// Expects numbers that differ by at most `error`, relative to the largest; NaN and infinities must be equal.
inline void expect_close(const Tensor& actual, const Tensor& expected, double error) {
  ASSERT_EQ(actual.shape(), expected.shape());
  const std::vector<double> values = actual.to_vector();
  const std::vector<double> exact = expected.to_vector();
  double largest = 0;
  for (const double value : exact) {
    if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
  }
  for (std::size_t i = 0; i < exact.size(); ++i) {
    if (!std::isfinite(exact[i])) {
      ASSERT_TRUE(std::isnan(exact[i]) ? std::isnan(values[i]) : values[i] == exact[i])
          << "element " << i << " is " << values[i] << " and not " << exact[i];
    } else {
      ASSERT_LE(std::abs(values[i] - exact[i]), error * largest)
          << "element " << i << " is " << values[i] << " and not " << exact[i];
    }
  }
}

/// Expects the results of the CPU on the GPU, and the same bits in a second run.
inline void expect_as_on_cpu(const Op& op, const std::vector<Tensor>& inputs) {
  SCOPED_TRACE(std::string(op.name()) + " " + std::string(name_of(inputs[0].dtype())) + " " +
               inputs[0].shape().to_string() + " " + op.attributes());
  const std::vector<Tensor> results = run_kernel(op, inputs, test_stream());
  const std::vector<Tensor> expected = run_on_cpu(op, inputs);
  ASSERT_EQ(results.size(), expected.size());
  for (std::size_t i = 0; i < results.size(); ++i) expect_close(results[i], expected[i], tolerance(results[i].dtype()));
  EXPECT_TRUE(test::same_bits(run_kernel(op, inputs, test_stream()), results));
}

}  // namespace rhyton::gpu
