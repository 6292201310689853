#include <rhyton/framework/ops/linear_systems.h>

#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/matmul.h>
#include <rhyton/framework/ops/sequences.h>
#include <rhyton/tests/framework/ops/kernel_checks.h>
#include <rhyton/tests/support/message_of.h>

namespace rhyton::linear_systems {
namespace {

using test::expect_near;
using test::message_of;
using test::random_tensor;
using test::run_kernel_sliced;

Tensor matrix(const std::vector<double>& elements) { return Tensor::from_data(Shape{2, 2}, elements); }

const Tensor& rank_one() {
  static const Tensor x = matrix({1, 2, 2, 4});
  return x;
}

TEST(Solve, FindsTheSolution) {
  for (const DType dtype : {float32, float64}) {
    const Tensor a = random_tensor({4, 10, 10}, dtype, 1) + eye(10, std::nullopt, 0, dtype) * 4.0;
    const Tensor b = random_tensor({4, 10, 3}, dtype, 2);
    expect_near(matmul(a, solve(a, b)), b.to_vector(), dtype == float32 ? 1e-5 : 1e-14);
    expect_near(run_kernel_sliced(SolveOp(), {a, b}, 3, {true, true}), solve(a, b).to_vector(), 0.0);
  }
  expect_near(solve(matrix({2, 1, 1, 3}), Tensor::from_data<double>({2}, {3, 4})), {1, 1}, 1e-15);
}

TEST(Solve, Errors) {
  const Tensor a = matrix({1, 2, 2, 1});
  EXPECT_EQ(message_of<InvalidArgumentError>([&] { solve(rank_one(), a); }), "Input matrix is not invertible.");
  EXPECT_EQ(message_of<ValueError>([&] {
              solve(a, Tensor::zeros({3, 1}));
            }),
            "Incompatible shapes between `a` and `b`. Expected `a.shape[-2] == b.shape[-2]`. Received: a.shape=(2, 2), "
            "b.shape=(3, 1)");
  EXPECT_EQ(message_of<ValueError>([&] {
              solve(a, Tensor::zeros({4, 2, 1}));
            }),
            "Incompatible shapes between `a` and `b`. Expected `a.shape[-1] == b.shape[-1]`. Received: a.shape=(2, 2), "
            "b.shape=(4, 2, 1)");
  EXPECT_THROW(solve(a, Tensor::zeros({3})), InvalidArgumentError);
  EXPECT_THROW(solve(a, Tensor::zeros(Shape{})), ValueError);
  EXPECT_THROW(solve(Tensor::zeros({2, 3}), Tensor::zeros({2})), ValueError);
  EXPECT_THROW(solve(Tensor::zeros({4, 2, 2}), Tensor::zeros({3, 2, 1})), InvalidArgumentError);
}

TEST(SolveTriangular, ReadsOneTriangle) {
  const Tensor b = Tensor::from_data<double>({2}, {2, 4});
  expect_near(solve_triangular(matrix({1, 2, 77, 4}), b), {0, 1}, 1e-15);
  expect_near(solve_triangular(matrix({1, 77, 2, 4}), b, true), {2, 0}, 1e-15);
}

TEST(SolveTriangular, BroadcastsBatchesAndDividesByZero) {
  const Tensor a = Tensor::from_data<double>({2, 1, 1}, {1, 2});
  const Tensor b = Tensor::from_data<double>({1, 1, 2}, {2, 4});
  EXPECT_EQ(solve_triangular(a, b).to_vector(), (std::vector<double>{2, 4, 1, 2}));
  EXPECT_EQ(solve_triangular(Tensor::zeros({1, 1}), Tensor::full({1}, 1.0)).item(), INFINITY);
  EXPECT_THROW(solve_triangular(a, Tensor::zeros({3, 1, 1}, float64)), InvalidArgumentError);
}

TEST(Lstsq, OfAnyRank) {
  const Tensor a = Tensor::from_data<double>({3, 2}, {1, 0, 1, 1, 1, 2});
  expect_near(lstsq(a, Tensor::from_data<double>({3}, {6, 0, 0})), {5, -3}, 1e-14);
  // The shortest of the solutions.
  expect_near(lstsq(Tensor::from_data<double>({1, 2}, {3, 4}), Tensor::from_data<double>({1}, {25})), {3, 4}, 1e-14);
  expect_near(lstsq(rank_one(), Tensor::from_data<double>({2}, {1, 2})), {0.2, 0.4}, 1e-15);
  expect_near(lstsq(Tensor::zeros({2, 2}), Tensor::full({2}, 1.0)), {0, 0}, 0.0);
}

TEST(Lstsq, SmallSingularValuesCountAsZero) {
  const Tensor a = matrix({1, 0, 0, 0.25});
  const Tensor b = Tensor::from_data<double>({2}, {1, 1});
  expect_near(lstsq(a, b, 0.25), {1, 4}, 1e-15);
  expect_near(lstsq(a, b, 0.26), {1, 0}, 1e-15);
  expect_near(lstsq(matrix({1, 0, 0, 1e-15}), b), {1, 1e15}, 1e-14);
  expect_near(lstsq(matrix({1, 0, 0, 3e-16}), b), {1, 0}, 1e-14);
  expect_near(lstsq(matrix({1, 0, 0, 3e-16}), b, -1.0), {1, 1 / 3e-16}, 1e-14);
}

TEST(Lstsq, Errors) {
  const Tensor a = matrix({1, 2, 2, 1});
  EXPECT_EQ(message_of<ValueError>([&] { lstsq(a, Tensor::zeros({3})); }),
            "Leading dimensions of input arrays must match");
  EXPECT_EQ(message_of<TypeError>([&] {
              lstsq(Tensor::zeros({2, 2, 2}), Tensor::zeros({2}));
            }),
            "3-dimensional array given. Array must be two-dimensional");
  EXPECT_EQ(message_of<TypeError>([&] {
              lstsq(a, Tensor::zeros({2, 2, 2}));
            }),
            "3-dimensional array given. Array must be one or two-dimensional");
}

TEST(Inv, FindsTheInverse) {
  expect_near(inv(matrix({1, 2, 2, 1})), {-1.0 / 3, 2.0 / 3, 2.0 / 3, -1.0 / 3}, 1e-15);
  EXPECT_EQ(inv(Tensor::zeros({0, 0})).shape(), Shape({0, 0}));
  EXPECT_EQ(message_of<InvalidArgumentError>([] { inv(rank_one()); }), "Input is not invertible.");
  EXPECT_EQ(message_of<InvalidArgumentError>([] { inv(Tensor::zeros({2, 2})); }), "Input is not invertible.");
  EXPECT_THROW(inv(Tensor::zeros({2, 3})), ValueError);
}

TEST(CholeskyInverse, IsTheInverseOfTheSquare) {
  expect_near(cholesky_inverse(matrix({1, 77, 2, 1})), {5, -2, -2, 1}, 1e-15);
  expect_near(cholesky_inverse(matrix({1, 2, 77, 1}), true), {5, -2, -2, 1}, 1e-15);
  for (const double value : cholesky_inverse(Tensor::zeros({2, 2})).to_vector()) EXPECT_FALSE(std::isfinite(value));
}

TEST(Pinv, OfAnyRank) {
  expect_near(pinv(rank_one()), {0.04, 0.08, 0.08, 0.16}, 1e-15);
  expect_near(pinv(Tensor::zeros({2, 3})), std::vector<double>(6, 0.0), 0.0);
  const Tensor x = random_tensor({3, 7, 4}, float64, 1);
  const Tensor p = pinv(x);
  EXPECT_EQ(p.shape(), Shape({3, 4, 7}));
  expect_near(matmul(matmul(x, p), x), x.to_vector(), 1e-13);
  expect_near(matmul(matmul(p, x), p), p.to_vector(), 1e-13);
  expect_near(pinv(matrix({1, 0, 0, 0.25}), 0.24), {1, 0, 0, 4}, 1e-15);
  expect_near(pinv(matrix({1, 0, 0, 0.25}), 0.25), {1, 0, 0, 0}, 1e-15);
  EXPECT_THROW(pinv(Tensor::zeros({3})), ValueError);
}

TEST(Det, IsTheProductOfEigenvalues) {
  expect_near(det(matrix({1, 2, 2, 1})), {-3}, 1e-15);
  expect_near(det(rank_one()), {0}, 0.0);
  EXPECT_EQ(det(Tensor::zeros({0, 0})).item(), 1.0);
  EXPECT_EQ(det(Tensor::zeros({0, 2, 2})).shape(), Shape({0}));
  EXPECT_THROW(det(Tensor::zeros({2, 3})), ValueError);
}

TEST(Slogdet, HasSignAndLogarithm) {
  const auto [sign, logabsdet] = slogdet(Tensor::from_data<double>({3, 2, 2}, {1, 2, 2, 1, 0, 0, 0, 0, 2, 0, 0, 2}));
  EXPECT_EQ(sign.to_vector(), (std::vector<double>{-1, 0, 1}));
  expect_near(slogdet(matrix({1, 2, 2, 1})).logabsdet, {std::log(3.0)}, 1e-15);
  EXPECT_EQ(logabsdet.to_vector()[1], -INFINITY);
  // The determinant itself is 0 in float32.
  const Tensor small = eye(100) * 1e-3;
  EXPECT_NEAR(slogdet(small).logabsdet.item(), 100 * std::log(1e-3), 1e-3);
  EXPECT_THROW(slogdet(Tensor::zeros({2, 3})), InvalidArgumentError);
  EXPECT_THROW(slogdet(Tensor::zeros({3})), InvalidArgumentError);
}

TEST(Logdet, IsNanUnlessPositiveDefinite) {
  expect_near(logdet(matrix({4, 2, 2, 10})), {std::log(36.0)}, 1e-15);
  EXPECT_TRUE(std::isnan(logdet(matrix({1, 2, 2, 1})).item()));
  EXPECT_EQ(logdet(Tensor::zeros({0, 0})).item(), 0.0);
  EXPECT_THROW(logdet(Tensor::zeros({2, 3})), InvalidArgumentError);
}

TEST(MatrixRank, CountsSingularValues) {
  EXPECT_EQ(matrix_rank(rank_one()).item(), 1.0);
  EXPECT_EQ(matrix_rank(Tensor::zeros({2, 2})).item(), 0.0);
  EXPECT_EQ(matrix_rank(matrix({1, 0, 0, 0.25}), 0.25).item(), 1.0);
  EXPECT_EQ(matrix_rank(matrix({1, 0, 0, 0.25}), 0.24).item(), 2.0);
  EXPECT_EQ(matrix_rank(Tensor::zeros({3, 0, 2})).to_vector(), (std::vector<double>{0, 0, 0}));
  EXPECT_EQ(matrix_rank(rank_one()).dtype(), int32);
  EXPECT_THROW(matrix_rank(Tensor::zeros({3})), ValueError);
}

}  // namespace
}  // namespace rhyton::linear_systems
