#include <rhyton/framework/ops/cumulative.h>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include <rhyton/tests/framework/backends/gpu/cpu_results.h>
#include <rhyton/tests/support/random_tensor.h>

namespace rhyton::gpu::cumulative_tests {
namespace {

using Kind = CumulativeOp::Kind;

struct LinesCase {
  Shape shape;
  int axis;
};

/// Lines of one thread each, of one block each, and of several blocks each.
std::vector<LinesCase> lines_cases() {
  return {{{7}, 0},       {{16, 5}, 0}, {{2, 20, 4100}, 1}, {{33, 17}, 1}, {{3, 130}, 1}, {{2, 1500, 3}, 1},
          {{2, 9001}, 1}, {{20000}, 0}, {{8200, 2}, 0},     {{1, 1}, 1},   {{0, 4}, 1},   {{4, 0}, 1}};
}

TEST(GpuCumulative, IntegersAreThoseOfTheCpu) {
  for (const LinesCase& test : lines_cases()) {
    for (const Kind kind : {Kind::sum, Kind::prod}) {
      for (const bool reverse : {false, true}) {
        for (const DType dtype : {int32, int64, uint8}) {
          const Tensor x = test::random_tensor(test.shape, 3, dtype == uint8 ? 0 : -100, 100).cast(dtype);
          const auto op = std::make_shared<const CumulativeOp>(kind, test.axis, reverse);
          EXPECT_TRUE(gives_bits_of_cpu(op, {x}))
              << test.shape.to_string() << " " << op->name() << " " << op->attributes() << " " << name_of(dtype);
        }
      }
    }
  }
}

TEST(GpuCumulative, FloatingNumbersAreCloseToThoseOfTheCpuAndTheSameInEveryRun) {
  for (const LinesCase& test : lines_cases()) {
    for (const Kind kind : {Kind::sum, Kind::prod}) {
      for (const bool reverse : {false, true}) {
        for (const DType dtype : {float32, float64, float16, bfloat16}) {
          const auto op = std::make_shared<const CumulativeOp>(kind, test.axis, reverse);
          SCOPED_TRACE(test.shape.to_string() + " " + std::string(op->name()) + " " + op->attributes() + " " +
                       std::string(name_of(dtype)));
          const double width = kind == Kind::sum ? 1 : 0.01;
          const double middle = kind == Kind::sum ? 0.2 : 1;
          const Tensor x = test::random_tensor(test.shape, 3, middle - width, middle + width, float64).cast(dtype);
          const Tensor y = on_gpu(*op, {x});
          const Tensor exact = apply_single(op, std::vector<Tensor>{x.cast(float64)});
          const double tolerance = dtype == float64   ? 1e-12
                                   : dtype == float32 ? 1e-4
                                   : dtype == float16 ? 0x1p-10
                                                      : 0x1p-7;
          test::expect_close_to_largest(y.cast(float64), exact, tolerance);
          EXPECT_TRUE(test::same_bits(on_gpu(*op, {x}), y));
        }
      }
    }
  }
}

// Joined in another order, parts of these would be infinite or 0, and so would the results behind them.
TEST(GpuCumulative, ProductsAreJoinedInOrder) {
  std::vector<float> values(9001, 1.0F);
  for (std::size_t i = 100; i < 130; ++i) values[i] = 10.0F;
  for (std::size_t i = 130; i < 190; ++i) values[i] = 0.1F;
  for (std::size_t i = 190; i < 220; ++i) values[i] = 10.0F;
  std::vector<float> zero(200, 1e10F);
  zero[0] = 0.0F;
  for (const std::vector<float>& line : {values, zero}) {
    const Tensor x = Tensor::from_data({static_cast<std::int64_t>(line.size())}, line);
    for (const bool reverse : {false, true}) {
      EXPECT_TRUE(gives_bits_of_cpu(std::make_shared<const CumulativeOp>(Kind::prod, 0, reverse), {x}));
    }
  }
}

TEST(GpuCumulative, LinesOfOneThreadHaveTheBitsOfTheCpu) {
  for (const DType dtype : {float32, float64, float16, bfloat16}) {
    const Tensor x = test::random_tensor({20, 4100}, 3).cast(dtype);
    EXPECT_TRUE(gives_bits_of_cpu(std::make_shared<const CumulativeOp>(Kind::sum, 0, false), {x}));
  }
}

TEST(GpuCumulative, NanAndInfinityReachOnlyWhatIsBehindThem) {
  std::vector<float> values(9001, 1.0F);
  values[0] = -0.0F;
  values[4500] = std::numeric_limits<float>::infinity();
  values[8000] = std::numeric_limits<float>::quiet_NaN();
  const Tensor y = on_gpu(CumulativeOp(Kind::sum, 0, false), {Tensor::from_data<float>({9001}, values)});
  const float* sums = y.data<float>();
  EXPECT_TRUE(std::signbit(sums[0]));
  EXPECT_EQ(sums[4499], 4499.0F);
  EXPECT_TRUE(std::isinf(sums[4500]));
  EXPECT_TRUE(std::isinf(sums[7999]));
  EXPECT_TRUE(std::isnan(sums[8000]));
  EXPECT_TRUE(std::isnan(sums[9000]));
}

}  // namespace
}  // namespace rhyton::gpu::cumulative_tests
