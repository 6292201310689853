#include <rhyton/framework/ops/summed_kernel_gradients.h>

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/matmul.h>
#include <rhyton/tests/framework/ops/kernel_checks.h>

namespace rhyton {
namespace {

using test::expect_near;
using test::random_tensor;
using test::run_kernel;
using test::run_kernel_sliced;
using test::tolerance;

std::vector<TensorSpec> infer(const std::vector<Shape>& shapes) {
  std::vector<TensorSpec> specs;
  for (const Shape& shape : shapes) specs.push_back({shape, float32});
  return SummedKernelGradientsOp().infer(specs);
}

std::string message_of(const std::vector<Shape>& shapes) {
  try {
    infer(shapes);
  } catch (const InvalidArgumentError& error) {
    return error.what();
  }
  return "nothing thrown";
}

TEST(SummedKernelGradients, AreTheSumOfTheGradientsOfAllPairs) {
  for (const DType dtype : {float32, float64}) {
    for (const std::int64_t rows : {1, 70, 600}) {
      SCOPED_TRACE(std::to_string(rows) + " " + std::string(name_of(dtype)));
      const std::vector<Tensor> pairs = {random_tensor({9, rows}, dtype, 1),     random_tensor({9, 65}, dtype, 2),
                                         random_tensor({9, 2, rows}, dtype, 3),  random_tensor({9, 2, 65}, dtype, 4),
                                         random_tensor({9, 40, rows}, dtype, 5), random_tensor({9, 40, 65}, dtype, 6)};
      const Tensor expected = matmul_kernel_gradient(pairs[0], pairs[1]) + matmul_kernel_gradient(pairs[2], pairs[3]) +
                              matmul_kernel_gradient(pairs[4], pairs[5]);
      const SummedKernelGradientsOp op;
      const double error = tolerance(dtype, std::int64_t{9} * 43);
      expect_near(run_kernel(op, pairs), expected.to_vector(), error);
      expect_near(rhyton::apply(std::make_shared<const SummedKernelGradientsOp>(), pairs)[0], expected.to_vector(),
                  error);
      expect_near(run_kernel_sliced(op, pairs, 4, std::vector<bool>(6, true)), expected.to_vector(), error);
    }
  }
}

TEST(SummedKernelGradients, SumOverTheBatchIfAllInputsCarryIt) {
  const TensorSpec x = {{8, 4}, float32};
  const std::vector<TensorSpec> pairs(4, x);
  const SummedKernelGradientsOp op;
  EXPECT_EQ(op.batch_rule(pairs, std::vector<int>{0, 0, 0, 0}).effect, BatchEffect::sums);
  EXPECT_EQ(op.batch_rule(pairs, std::vector<int>{0, 0, 0, -1}).effect, BatchEffect::mixes);
  EXPECT_EQ(op.flops(pairs, op.infer(pairs)), 2.0 * 2 * 4 * 4 * 8);
}

TEST(SummedKernelGradients, HaveOneShape) {
  EXPECT_EQ(infer({{8, 3}, {8, 5}, {2, 7, 3}, {2, 7, 5}})[0].shape, Shape({3, 5}));
  EXPECT_EQ(message_of({{8, 3}, {8, 5}, {8, 3}}),
            "SummedMatMulKernelGradients takes pairs of tensors. Received: 3 tensors.");
  EXPECT_EQ(message_of({{8, 3}, {8, 5}, {8, 3}, {8, 4}}),
            "SummedMatMulKernelGradients adds products of one shape. Received: (3, 5) and (3, 4).");
  EXPECT_EQ(message_of({{8, 3}, {7, 5}}), "Matrix size-incompatible: In[0]: [8,3], In[1]: [7,5]");
}

}  // namespace
}  // namespace rhyton
