#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/framework/context.h>
#include <rhyton/framework/ops/matmul.h>
#include <rhyton/tests/framework/backends/gpu/on_gpu.h>
#include <rhyton/tests/support/random_tensor.h>
#include <rhyton/tests/support/tensor_distance.h>

namespace rhyton::gpu::matmul_tests {

/// During its lifetime, products of float32 are (or are not) computed with TensorFloat-32.
class TensorFloat32 {
 public:
  explicit TensorFloat32(bool is_enabled) : was_enabled_(context().tensor_float_32_execution_enabled()) {
    context().enable_tensor_float_32_execution(is_enabled);
  }
  ~TensorFloat32() { context().enable_tensor_float_32_execution(was_enabled_); }
  TensorFloat32(const TensorFloat32&) = delete;
  TensorFloat32& operator=(const TensorFloat32&) = delete;

 private:
  bool was_enabled_;
};

class GpuMatMul : public ::testing::Test {
 private:
  TensorFloat32 full_precision_{false};
};

inline std::vector<DType> all_dtypes() { return {float32, float64, float16, bfloat16}; }

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

inline Tensor random_of(const Shape& shape, DType dtype, std::uint64_t seed) {
  return test::random_tensor(shape, seed, -1, 1, float64).cast(dtype);
}

/// The CPU's result in float64.
inline Tensor expected_of(const OpPtr& op, const std::vector<Tensor>& inputs) {
  std::vector<Tensor> exact;
  for (const Tensor& input : inputs) exact.push_back(input.cast(float64));
  return rhyton::apply(op, exact)[0];
}

inline void expect_close(const Tensor& actual, const Tensor& expected, double error) {
  ASSERT_EQ(actual.shape(), expected.shape());
  const std::vector<double> values = actual.to_vector();
  const std::vector<double> exact = expected.to_vector();
  double largest = 0;
  for (const double value : exact) {
    if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isnan(exact[i])) {
      ASSERT_TRUE(std::isnan(values[i])) << values[i] << " at element " << i;
    } else {
      ASSERT_NEAR(values[i], exact[i], error * largest) << "at element " << i;
    }
  }
}

/// Compares an op's kernel on the GPU with the CPU's, and with a second run.
inline void check(const OpPtr& op, const std::vector<Tensor>& inputs) {
  std::string trace = std::string(op->name()) + "(" + op->attributes() + ") " + std::string(name_of(inputs[0].dtype()));
  for (const Tensor& input : inputs) trace += " " + input.shape().to_string();
  SCOPED_TRACE(trace);
  const Tensor actual = on_gpu(*op, inputs);
  EXPECT_EQ(actual.dtype(), inputs[0].dtype());
  expect_close(actual, expected_of(op, inputs), tolerance(inputs[0].dtype()));
  EXPECT_TRUE(test::same_bits(on_gpu(*op, inputs), actual));
}

template <class O, class... Attributes>
OpPtr make_op(Attributes... attributes) {
  return std::make_shared<const O>(attributes...);
}

/// [..., rows, columns], or transposed.
inline Shape stored(Shape shape, bool is_transposed) {
  if (is_transposed) std::swap(shape[shape.rank() - 1], shape[shape.rank() - 2]);
  return shape;
}

struct Lengths {
  std::int64_t rows;
  std::int64_t depth;
  std::int64_t columns;
};

/// Calls function(dtype, transpose_a, transpose_b).
template <class Function>
void for_each_kind(Function&& function) {
  for (const DType dtype : all_dtypes()) {
    for (const bool transpose_a : {false, true}) {
      for (const bool transpose_b : {false, true}) function(dtype, transpose_a, transpose_b);
    }
  }
}

using GpuFusedMatMul = GpuMatMul;

}  // namespace rhyton::gpu::matmul_tests
