#include <rhyton/framework/ops/linear_algebra.h>

#include <gtest/gtest.h>

#include <rhyton/framework/ops/matmul.h>
#include <rhyton/tests/framework/ops/kernel_checks.h>

namespace rhyton {
namespace {

using test::expect_near;
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

}  // namespace
}  // namespace rhyton
