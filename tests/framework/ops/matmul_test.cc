#include <rhyton/framework/ops/matmul.h>

#include <gtest/gtest.h>

#include <string>

#include <rhyton/framework/graph/executable.h>
#include <rhyton/framework/graph/tracing.h>
#include <rhyton/tests/framework/ops/kernel_checks.h>

namespace rhyton::matmul_tests {
namespace {

using test::check_gradients;
using test::expect_near;
using test::random_tensor;
using test::run_kernel;
using test::run_kernel_sliced;
using test::to_dtype;
using test::tolerance;

std::size_t at(std::int64_t index) { return static_cast<std::size_t>(index); }

/// One matrix product, computed by loops.
std::vector<double> multiplied(const double* a, const double* b, std::int64_t rows, std::int64_t depth,
                               std::int64_t columns, bool transpose_a, bool transpose_b) {
  std::vector<double> c(at(rows * columns));
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = 0; j < columns; ++j) {
      for (std::int64_t k = 0; k < depth; ++k) {
        c[at(i * columns + j)] +=
            a[transpose_a ? k * rows + i : i * depth + k] * b[transpose_b ? j * depth + k : k * columns + j];
      }
    }
  }
  return c;
}

struct Lengths {
  std::int64_t rows;
  std::int64_t depth;
  std::int64_t columns;
};

std::vector<Lengths> lengths() {
  std::vector<Lengths> all = {{4, 576, 64},   {1, 1500, 200}, {2, 1500, 200}, {64, 100, 10}, {70, 300, 300},
                              {13, 2100, 65}, {2, 1, 200},    {600, 5, 3},    {530, 260, 35}};
  for (const std::int64_t rows : {1, 3, 5, 17}) {
    for (const std::int64_t depth : {1, 7, 64}) {
      for (const std::int64_t columns : {1, 3, 16, 33, 65, 129}) all.push_back({rows, depth, columns});
    }
  }
  return all;
}

TEST(MatMul, KernelsMatchLoops) {
  for (const auto& [rows, depth, columns] : lengths()) {
    for (const bool transpose_a : {false, true}) {
      for (const bool transpose_b : {false, true}) {
        SCOPED_TRACE(std::to_string(rows) + " " + std::to_string(depth) + " " + std::to_string(columns) + " " +
                     std::to_string(transpose_a) + std::to_string(transpose_b));
        for (const DType dtype : {float32, float64}) {
          const Tensor a = random_tensor(transpose_a ? Shape{depth, rows} : Shape{rows, depth}, dtype, 1);
          const Tensor b = random_tensor(transpose_b ? Shape{columns, depth} : Shape{depth, columns}, dtype, 2);
          const std::vector<double> expected =
              multiplied(a.to_vector().data(), b.to_vector().data(), rows, depth, columns, transpose_a, transpose_b);
          const MatMulOp op(transpose_a, transpose_b);
          const double error = tolerance(dtype, depth);
          expect_near(run_kernel(op, {a, b}), expected, error);
          if (!transpose_a) {
            for (const std::int64_t samples : {1, 7}) {
              expect_near(run_kernel_sliced(op, {a, b}, samples, {true, false}), expected, error);
            }
          }
          if (transpose_a && !transpose_b) {
            expect_near(run_kernel(MatMulKernelGradientOp(), {a, b}), expected, error);
            for (const std::int64_t samples : {3, 64}) {
              expect_near(run_kernel_sliced(op, {a, b}, samples, {true, true}), expected, error);
              expect_near(run_kernel_sliced(MatMulKernelGradientOp(), {a, b}, samples, {true, true}), expected, error);
            }
          }
        }
      }
    }
  }
}

// In pieces, whose number is limited, and in one.
TEST(MatMul, KernelGradientsOfAllSizesMatchLoops) {
  for (const auto& [rows, depth, columns] : std::vector<Lengths>{{1100, 9, 1100},
                                                                 {530, 300, 70},
                                                                 {24, 600, 130},
                                                                 {3, 4000, 300},
                                                                 {500, 40, 1},
                                                                 {0, 5, 3},
                                                                 {3, 5, 0},
                                                                 {600, 0, 65}}) {
    SCOPED_TRACE(std::to_string(rows) + " " + std::to_string(depth) + " " + std::to_string(columns));
    const Tensor a = random_tensor({depth, rows}, float32, 1);
    const Tensor b = random_tensor({depth, columns}, float32, 2);
    const std::vector<double> expected =
        multiplied(a.to_vector().data(), b.to_vector().data(), rows, depth, columns, true, false);
    expect_near(matmul_kernel_gradient(a, b), expected, tolerance(float32, depth));
    expect_near(run_kernel(MatMulKernelGradientOp(), {a, b}), expected, tolerance(float32, depth));
  }
}

TEST(MatMul, ARowHasTheSameBitsAloneAndAmongOthers) {
  for (const bool transpose_b : {false, true}) {
    for (const std::int64_t columns : {1, 16, 31, 64, 96, 129, 256, 520}) {
      for (const std::int64_t depth : {1, 100, 1500}) {
        SCOPED_TRACE(std::to_string(depth) + " " + std::to_string(columns) + " " + std::to_string(transpose_b));
        const Tensor a = random_tensor({17, depth}, float32, 1);
        const Tensor b = random_tensor(transpose_b ? Shape{columns, depth} : Shape{depth, columns}, float32, 2);
        const Tensor bias = random_tensor({columns}, float32, 3);
        const FusedMatMulOp op(Epilogue::relu, transpose_b);
        const std::vector<double> all = run_kernel(op, {a, b, bias}).to_vector();
        for (const std::int64_t rows : {1, 2, 3}) {
          const std::vector<double> few = run_kernel(op, {a.slice(5, 5 + rows), b, bias}).to_vector();
          const auto first = all.begin() + 5 * columns;
          EXPECT_EQ(few, std::vector<double>(first, first + rows * columns)) << rows << " rows";
        }
      }
    }
  }
}

TEST(MatMul, FusedFormAddsBiasAndActivates) {
  for (const bool transpose_b : {false, true}) {
    for (const std::int64_t columns : {1, 10, 64, 100}) {
      for (const std::int64_t depth : {5, 1500}) {
        const Tensor a = random_tensor({3, 2, depth}, float64, 1);
        const Tensor b = random_tensor(transpose_b ? Shape{columns, depth} : Shape{depth, columns}, float64, 2);
        const Tensor bias = random_tensor({columns}, float64, 3);
        std::vector<double> expected = run_kernel(MatMulOp(false, transpose_b), {a, b}).to_vector();
        const FusedMatMulOp rectified(Epilogue::relu, transpose_b);
        std::vector<double> positive = expected;
        for (double& value : positive) value = std::max(0.0, value);
        expect_near(run_kernel(rectified, {a, b}), positive, tolerance(float64, depth));
        const std::vector<double> biases = bias.to_vector();
        for (std::size_t i = 0; i < expected.size(); ++i) expected[i] += biases[i % biases.size()];
        expect_near(run_kernel(FusedMatMulOp(Epilogue::none, transpose_b), {a, b, bias}), expected,
                    tolerance(float64, depth));
        for (double& value : expected) value = std::max(0.0, value);
        expect_near(run_kernel_sliced(rectified, {a, b, bias}, 2, {true, false, false}), expected,
                    tolerance(float64, depth));
        expect_near(run_kernel(rectified, {to_dtype(a, float32), to_dtype(b, float32), to_dtype(bias, float32)}),
                    expected, tolerance(float32, depth));
      }
    }
  }
}

TEST(MatMul, BatchesBroadcast) {
  const std::vector<std::pair<Shape, Shape>> batches = {{{4}, {4}},    {{2, 3}, {2, 3}}, {{2, 3}, {3}}, {{3}, {2, 3}},
                                                        {{2, 1}, {3}}, {{1}, {5}},       {{2, 3}, {}},  {{}, {4}}};
  for (const auto& [batch_a, batch_b] : batches) {
    for (const bool transpose_a : {false, true}) {
      for (const bool transpose_b : {false, true}) {
        const Tensor a = random_tensor(batch_a.concatenate(transpose_a ? Shape{7, 5} : Shape{5, 7}), float64, 1);
        const Tensor b = random_tensor(batch_b.concatenate(transpose_b ? Shape{18, 7} : Shape{7, 18}), float64, 2);
        const Tensor c = matmul(a, b, transpose_a, transpose_b);
        const Shape batch = c.shape().slice(0, c.rank() - 2);
        std::vector<double> expected;
        for (std::int64_t i = 0; i < batch.size(); ++i) {
          const auto matrix = [&](const Tensor& tensor) {
            std::int64_t rest = i;
            std::int64_t place = 0;
            std::int64_t stride = 1;
            for (int axis = batch.rank() - 1; axis >= 0; --axis) {
              const std::int64_t position = rest % batch[axis];
              rest /= batch[axis];
              const int own = axis - (batch.rank() - (tensor.rank() - 2));
              if (own < 0) continue;
              if (tensor.shape()[own] > 1) place += position * stride;
              stride *= tensor.shape()[own];
            }
            return tensor.data<double>() + place * tensor.shape().at(-1) * tensor.shape().at(-2);
          };
          const std::vector<double> one = multiplied(matrix(a), matrix(b), 5, 7, 18, transpose_a, transpose_b);
          expected.insert(expected.end(), one.begin(), one.end());
        }
        expect_near(c, expected, tolerance(float64));
        check_gradients(std::make_shared<const MatMulOp>(transpose_a, transpose_b), {a, b});
      }
    }
  }
}

TEST(MatMul, BatchesAreSliced) {
  const Tensor a = random_tensor({5, 4, 3, 7}, float32, 1);
  const Tensor b = random_tensor({5, 4, 9, 7}, float32, 2);
  const MatMulOp op(false, true);
  const std::vector<double> whole = run_kernel(op, {a, b}).to_vector();
  expect_near(run_kernel_sliced(op, {a, b}, 2, {true, true}), whole, 1e-6);
  const Tensor shared = random_tensor({1, 4, 9, 7}, float32, 2);
  expect_near(run_kernel_sliced(op, {a, shared}, 2, {true, false}), run_kernel(op, {a, shared}).to_vector(), 1e-6);
  expect_near(run_kernel_sliced(op, {shared, a}, 2, {false, true}), run_kernel(op, {shared, a}).to_vector(), 1e-6);
}

TEST(MatMul, GradientsAreNumericallyRight) {
  for (const bool transpose_a : {false, true}) {
    for (const bool transpose_b : {false, true}) {
      check_gradients(std::make_shared<const MatMulOp>(transpose_a, transpose_b),
                      {random_tensor(transpose_a ? Shape{4, 3} : Shape{3, 4}, float64, 1),
                       random_tensor(transpose_b ? Shape{17, 4} : Shape{4, 17}, float64, 2)});
    }
  }
  check_gradients(std::make_shared<const MatMulOp>(),
                  {random_tensor({2, 3, 4}, float64, 1), random_tensor({4, 5}, float64, 2)});
  check_gradients(std::make_shared<const MatMulKernelGradientOp>(),
                  {random_tensor({2, 3, 4}, float64, 1), random_tensor({2, 3, 5}, float64, 2)});
}

TEST(MatMul, TakesVectorsForRowsAndColumns) {
  // keras.ops.matmul
  const Tensor row = Tensor::from_data<float>({2}, {1, 2});
  const Tensor matrix = Tensor::from_data<float>({2, 3}, {1, 2, 3, 4, 5, 6});
  const Tensor column = Tensor::from_data<std::int32_t>({3}, {1, 0, 2});
  EXPECT_EQ(matmul(row, matrix).to_vector(), (std::vector<double>{9, 12, 15}));
  EXPECT_EQ(matmul(matrix, column).to_vector(), (std::vector<double>{7, 16}));
  EXPECT_EQ(matmul(column, column).to_vector(), (std::vector<double>{5}));
  EXPECT_EQ(matmul(column, column).rank(), 0);
  EXPECT_EQ(matmul(row, Tensor::zeros({4, 2, 3})).shape(), Shape({4, 3}));
  EXPECT_EQ(matmul(Tensor::zeros({4, 2, 3}), column).shape(), Shape({4, 2}));
  EXPECT_EQ(matmul(row, matrix, false, false).shape(), Shape({3}));
  EXPECT_EQ(matmul(column, matrix, false, true).to_vector(), (std::vector<double>{7, 16}));
}

TEST(MatMul, BatchRules) {
  const TensorSpec x = {{8, 4}, float32};
  const TensorSpec weights = {{4, 4}, float32};
  const auto rule = [](const Op& op, const TensorSpec& a, const TensorSpec& b, int axis_a, int axis_b) {
    return op.batch_rule(std::vector<TensorSpec>{a, b}, std::vector<int>{axis_a, axis_b});
  };
  EXPECT_EQ(rule(MatMulOp(), x, weights, 0, -1).effect, BatchEffect::maps);
  EXPECT_EQ(rule(MatMulOp(true), x, x, 0, 0).effect, BatchEffect::sums);
  EXPECT_EQ(rule(MatMulOp(), weights, weights, 0, 0).effect, BatchEffect::mixes);
  EXPECT_EQ(rule(MatMulOp(false, true), weights, x, -1, 0).effect, BatchEffect::mixes);
  EXPECT_EQ(rule(MatMulOp(false, true), weights, x, -1, 0).output_axis, 1);
  EXPECT_EQ(rule(MatMulOp(), weights, {{8, 4, 5}, float32}, -1, 0).effect, BatchEffect::maps);
  EXPECT_EQ(rule(MatMulKernelGradientOp(), x, x, 0, 0).effect, BatchEffect::sums);
}

TEST(MatMul, SaysWhatIsWrong) {
  const auto message = [](const Tensor& a, const Tensor& b) {
    try {
      matmul(a, b);
    } catch (const InvalidArgumentError& error) {
      return std::string(error.what());
    }
    return std::string("nothing thrown");
  };
  EXPECT_EQ(message(Tensor::zeros({2, 3}), Tensor::zeros({4, 5})),
            "Matrix size-incompatible: In[0]: [2,3], In[1]: [4,5]");
  EXPECT_EQ(message(Tensor::scalar(1.0f), Tensor::zeros({3, 5})), "In[0] ndims must be >= 2: 0");
  EXPECT_EQ(message(Tensor::zeros({2, 4, 3}), Tensor::zeros({3, 3, 5})),
            "In[0] and In[1] must have compatible batch dimensions: [2,4,3] vs. [3,3,5]");
}

/// The planner asks for the tiles of a sample; there are none.
TEST(MatMul, OfNoColumnsIsCompiledForABatch) {
  for (const DType dtype : {float32, float64}) {
    const Tensor a = Tensor::zeros({4, 3}, dtype);
    const Tensor b = Tensor::zeros({3, 0}, dtype);
    const auto product = [](const std::vector<Tensor>& in) { return std::vector<Tensor>{matmul(in[0], in[1])}; };
    graph::Executable executable(graph::trace({{a.spec(), 0}, {b.spec()}}, product));
    EXPECT_EQ(executable({a, b})[0].shape(), (Shape{4, 0}));
  }
}

}  // namespace
}  // namespace rhyton::matmul_tests
