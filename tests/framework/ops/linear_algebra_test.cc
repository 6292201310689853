#include <rhyton/framework/ops/linear_algebra.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rhyton/framework/autodiff/gradient_tape.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/matmul.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/tests/framework/ops/kernel_checks.h>
#include <rhyton/tests/support/message_of.h>

namespace rhyton {
namespace {

using test::expect_near;
using test::message_of;
using test::random_tensor;
using test::run_kernel_sliced;

std::vector<double> identity(std::int64_t size, std::int64_t copies) {
  std::vector<double> elements;
  for (std::int64_t copy = 0; copy < copies; ++copy) {
    for (std::int64_t i = 0; i < size * size; ++i) elements.push_back(i % (size + 1) == 0 ? 1.0 : 0.0);
  }
  return elements;
}

TEST(Qr, ColumnsAreOrthonormalAndTheProductIsTheMatrix) {
  for (const Shape& shape : {Shape{1, 1}, Shape{5, 5}, Shape{33, 17}, Shape{17, 33}, Shape{1, 4}, Shape{4, 1},
                             Shape{2, 3, 9, 4}, Shape{100, 90}}) {
    for (const DType dtype : {float32, float64}) {
      const double error = dtype == float32 ? 1e-5 : 1e-13;
      const Tensor x = random_tensor(shape, dtype, 1);
      const auto [q, r] = qr(x);
      const std::int64_t shorter = std::min(shape.at(-2), shape.at(-1));
      EXPECT_EQ(q.shape(), shape.with(shape.rank() - 1, shorter));
      EXPECT_EQ(r.shape(), shape.with(shape.rank() - 2, shorter));
      expect_near(matmul(q, r), x.to_vector(), error);
      expect_near(matmul(q, q, true, false), identity(shorter, x.size() / shape.at(-1) / shape.at(-2)), error);
      const std::vector<double> triangle = r.to_vector();
      for (std::size_t i = 0; i < triangle.size(); ++i) {
        const auto width = static_cast<std::size_t>(shape.at(-1));
        if (i / width % static_cast<std::size_t>(shorter) > i % width) {
          EXPECT_EQ(triangle[i], 0.0);
        }
      }
    }
  }
}

TEST(Qr, SignsAreThoseOfLapack) {
  // numpy.linalg.qr([[3, 1], [4, 2]])
  const auto [q, r] = qr(Tensor::from_data<double>({2, 2}, {3, 1, 4, 2}));
  expect_near(q, {-0.6, -0.8, -0.8, 0.6}, 1e-15);
  expect_near(r, {-5.0, -2.2, 0.0, 0.4}, 1e-15);
}

TEST(Qr, TakesMatricesWithoutFullRank) {
  const auto [q, r] = qr(Tensor::zeros({4, 3}, float64));
  expect_near(matmul(q, q, true, false), identity(3, 1), 0.0);
  expect_near(r, std::vector<double>(9, 0.0), 0.0);
}

TEST(Qr, SlicesAndErrors) {
  const Tensor x = random_tensor({5, 4, 3}, float32, 1);
  expect_near(run_kernel_sliced(QrOp(), {x}, 2, {true}), qr(x).first.to_vector(), 0.0);
  EXPECT_THROW(qr(Tensor::zeros({3})), InvalidArgumentError);
}

TEST(Qr, CompleteDecompositionsHaveAWholeBasis) {
  for (const Shape& shape : {Shape{5, 3}, Shape{3, 5}, Shape{4, 4}, Shape{2, 4, 1}, Shape{2, 0}}) {
    const Tensor x = random_tensor(shape, float64, 1);
    const auto [q, r] = qr(x, QrMode::complete);
    const std::int64_t rows = shape.at(-2);
    EXPECT_EQ(q.shape(), shape.with(-1, rows));
    EXPECT_EQ(r.shape(), shape);
    expect_near(matmul(q, r), x.to_vector(), 1e-13);
    expect_near(matmul(q, q, true, false), identity(rows, q.size() / rows / rows), 1e-13);
  }
}

/// What numpy.linalg gives for these.
const Tensor& positive_definite() {
  static const Tensor matrix = Tensor::from_data<double>({3, 3}, {4, 2, 2, 2, 10, 4, 2, 4, 11});
  return matrix;
}

TEST(Cholesky, IsTheTriangleWhoseSquareIsTheMatrix) {
  expect_near(cholesky(positive_definite()), {2, 0, 0, 1, 3, 0, 1, 1, 3}, 1e-15);
  expect_near(cholesky(positive_definite(), true), {2, 1, 1, 0, 3, 1, 0, 0, 3}, 1e-15);
  const Tensor lower = Tensor::from_data<double>({2, 2}, {4, 77, 2, 10});
  expect_near(cholesky(lower), {2, 0, 1, 3}, 1e-15);
  EXPECT_EQ(cholesky(Tensor::zeros({0, 0})).shape(), Shape({0, 0}));
  EXPECT_EQ(cholesky(Tensor::zeros({0, 2, 2})).shape(), Shape({0, 2, 2}));
}

TEST(Cholesky, OfOtherMatricesIsAnError) {
  const auto cholesky_message = [](const std::vector<float>& elements) {
    return message_of<ValueError>([&] { cholesky(Tensor::from_data<float>({2, 2}, elements)); });
  };
  const std::string message = "Cholesky decomposition failed: the matrix is not positive definite.";
  EXPECT_EQ(cholesky_message({1, 2, 2, 1}), message);
  EXPECT_EQ(cholesky_message({1, 2, 2, 4}), message);
  EXPECT_EQ(cholesky_message({0, 0, 0, 0}), message);
  EXPECT_EQ(cholesky_message({NAN, 0, 0, 1}), message);
  EXPECT_EQ(message_of<ValueError>([] { cholesky(Tensor::zeros({3})); }),
            "Expected input to have rank >= 2. Received input with shape (3,).");
  EXPECT_EQ(message_of<ValueError>([] {
              cholesky(Tensor::zeros({2, 3}));
            }),
            "Expected a square matrix. Received non-square input with shape (2, 3)");
  EXPECT_EQ(message_of<InvalidArgumentError>([] {
              cholesky(Tensor::zeros({2, 2}, int32));
            }),
            "Cholesky takes tensors of a floating dtype. Received: int32");
}

TEST(LuFactor, RowsOfTheMatrixAreThoseOfTheProduct) {
  const auto [lu, pivots] = lu_factor(Tensor::from_data<double>({3, 3}, {1, 2, 4, 2, 1, 3, 8, 4, 16}));
  expect_near(lu, {8, 4, 16, 0.125, 1.5, 2, 0.25, 0, -1}, 1e-15);
  EXPECT_EQ(pivots.to_vector(), (std::vector<double>{1, 2, 0}));
  EXPECT_EQ(pivots.dtype(), int32);
}

TEST(LuFactor, Errors) {
  EXPECT_EQ(message_of<InvalidArgumentError>([] {
              lu_factor(Tensor::from_data<float>({2, 2}, {1, 2, 2, 4}));
            }),
            "Input is not invertible.");
  EXPECT_EQ(message_of<ValueError>([] {
              lu_factor(Tensor::zeros({2, 3}));
            }),
            "LU decomposition failed: Expected a square matrix. Received non-square input with shape (2, 3). LU "
            "decomposition is only supported for square matrices in Tensorflow.");
}

TEST(Eigh, VectorsAreOrthonormalAndValuesAscend) {
  for (const DType dtype : {float32, float64}) {
    const double error = dtype == float32 ? 2e-5 : 1e-13;
    const Tensor y = random_tensor({3, 20, 20}, dtype, 5);
    const Tensor x = y + matrix_transpose(y);
    const auto [values, vectors] = eigh(x);
    EXPECT_EQ(values.shape(), Shape({3, 20}));
    expect_near(matmul(vectors, vectors, true), identity(20, 3), error);
    expect_near(matmul(x, vectors), (vectors * expand_dims(values, -2)).to_vector(), error);
    const std::vector<double> numbers = values.to_vector();
    for (std::size_t i = 0; i < numbers.size(); i += 20) {
      EXPECT_TRUE(std::is_sorted(numbers.begin() + static_cast<std::ptrdiff_t>(i),
                                 numbers.begin() + static_cast<std::ptrdiff_t>(i) + 20));
    }
  }
}

TEST(Eigh, ReadsTheLowerTriangleAndTakesAnyNumbers) {
  const auto [values, vectors] = eigh(Tensor::from_data<double>({2, 2}, {1, 77, 2, 1}));
  expect_near(values, {-1, 3}, 1e-15);
  for (const double value : eigh(Tensor::from_data<float>({2, 2}, {NAN, 1, 1, 1})).eigenvalues.to_vector()) {
    EXPECT_TRUE(std::isnan(value));
  }
  EXPECT_EQ(eigh(Tensor::zeros({0, 0})).eigenvectors.shape(), Shape({0, 0}));
  EXPECT_THROW(eigh(Tensor::zeros({2, 3})), ValueError);
}

TEST(Eigh, EqualEigenvaluesHaveAFiniteGradient) {
  const Tensor x = Tensor::from_data<double>({2, 2}, {3, 0, 0, 3});
  GradientTape tape;
  tape.watch(x);
  const Tensor y = sum(eigh(x).eigenvectors);
  for (const double value : tape.gradient(y, x).to_vector()) EXPECT_TRUE(std::isfinite(value));
}

TEST(Eig, ValuesAndVectorsAreComplex) {
  const Tensor x = concatenate(
      {Tensor::from_data<double>({1, 3, 3}, {0, -1, 0, 1, 0, 0, 0, 0, 2}), random_tensor({2, 3, 3}, float64, 1)}, 0);
  const auto [values, vectors] = eig(x);
  const auto [real, imaginary] = vectors;
  const Tensor real_values = expand_dims(values.first, -2);
  const Tensor imaginary_values = expand_dims(values.second, -2);
  expect_near(matmul(x, real), (real * real_values - imaginary * imaginary_values).to_vector(), 1e-14);
  expect_near(matmul(x, imaginary), (real * imaginary_values + imaginary * real_values).to_vector(), 1e-14);
  expect_near(sum(square(real) + square(imaginary), {-2}), std::vector<double>(9, 1.0), 1e-14);
  std::vector<double> turns = values.second.to_vector();
  std::sort(turns.begin(), turns.begin() + 3);
  expect_near(Tensor::from_data(Shape{3}, std::vector<double>(turns.begin(), turns.begin() + 3)), {-1, 0, 1}, 1e-15);
  for (const double value : eig(Tensor::from_data<float>({1, 1}, {NAN})).eigenvalues.first.to_vector()) {
    EXPECT_TRUE(std::isnan(value));
  }
  EXPECT_THROW(eig(Tensor::zeros({2, 3})), ValueError);
}

TEST(Svd, VectorsAreOrthonormalAndTheProductIsTheMatrix) {
  for (const Shape& shape :
       {Shape{1, 1}, Shape{5, 5}, Shape{33, 17}, Shape{17, 33}, Shape{2, 3, 9, 4}, Shape{60, 50}}) {
    for (const bool full_matrices : {false, true}) {
      const Tensor x = random_tensor(shape, float64, 1);
      const auto [u, s, vh] = svd(x, full_matrices);
      const std::int64_t rows = shape.at(-2);
      const std::int64_t columns = shape.at(-1);
      const std::int64_t shorter = std::min(rows, columns);
      const std::int64_t matrices = x.size() / rows / columns;
      EXPECT_EQ(u.shape(), shape.with(-1, full_matrices ? rows : shorter));
      EXPECT_EQ(vh.shape(), shape.with(-2, full_matrices ? columns : shorter));
      expect_near(matmul(u, u, true), identity(u.shape().at(-1), matrices), 1e-12);
      expect_near(matmul(vh, vh, false, true), identity(vh.shape().at(-2), matrices), 1e-12);
      const Tensor left = slice_axis(u, -1, 0, shorter) * expand_dims(s, -2);
      expect_near(matmul(left, slice_axis(vh, -2, 0, shorter)), x.to_vector(), 1e-12);
      expect_near(svdvals(x), s.to_vector(), 1e-12);
    }
  }
}

TEST(Svd, OfUnusualMatrices) {
  expect_near(svdvals(Tensor::from_data<double>({2, 2}, {1, 2, 2, 4})), {5, 0}, 1e-15);
  expect_near(svdvals(Tensor::zeros({3, 2}, float64)), {0, 0}, 0.0);
  const auto [u, s, vh] = svd(Tensor::zeros({0, 2}));
  EXPECT_EQ(u.shape(), Shape({0, 0}));
  EXPECT_EQ(s.shape(), Shape({0}));
  EXPECT_EQ(vh.to_vector(), (std::vector<double>{1, 0, 0, 1}));
  for (const double value : svdvals(Tensor::from_data<float>({2, 2}, {NAN, 1, 1, 1})).to_vector()) {
    EXPECT_TRUE(std::isnan(value));
  }
  EXPECT_THROW(svd(Tensor::zeros({2})), ValueError);
}

}  // namespace
}  // namespace rhyton
