#include <rhyton/framework/ops/scatter.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include <rhyton/framework/error.h>
#include <rhyton/tests/framework/backends/gpu/cpu_results.h>
#include <rhyton/tests/framework/backends/gpu/random_indices.h>
#include <rhyton/tests/support/message_of.h>
#include <rhyton/tests/support/random_tensor.h>

namespace rhyton::gpu::scatter_tests {
namespace {

struct RowsCase {
  Shape table;
  std::int64_t updates;
};

/// Rows without an update, rows with many, more updates than a block searches at once, wide and narrow rows.
std::vector<RowsCase> rows_cases() {
  return {{{5, 3}, 4},  {{700, 8}, 30}, {{3, 5}, 3000}, {{600, 2}, 1100}, {{4, 300}, 1030},
          {{9, 1}, 50}, {{4, 2}, 0},    {{0, 4}, 0},    {{3, 0}, 5}};
}

TEST(GpuScatter, JoinsRowsAsTheCpuInTheOrderOfTheUpdates) {
  using enum ScatterReduction;
  for (const RowsCase& test : rows_cases()) {
    for (const ScatterReduction reduction : {update, max, min, mul}) {
      for (const DType dtype : {float32, float64, float16, bfloat16, int32, int64, uint8, bool_}) {
        if (dtype == bool_ && reduction != update) continue;
        const double largest = is_floating(dtype) ? 1.5 : 100;
        const double lowest = dtype == uint8 || dtype == bool_ ? 0 : -largest;
        const Tensor table = test::random_tensor(test.table, 3, lowest, largest).cast(dtype);
        const Tensor updates = test::random_tensor({test.updates, test.table[1]}, 4, lowest, largest).cast(dtype);
        const Tensor rows = random_indices({test.updates}, 0, std::max<std::int64_t>(1, test.table[0]), int64);
        EXPECT_TRUE(gives_bits_of_cpu(std::make_shared<const ScatterRowsOp>(reduction), {table, rows, updates}))
            << test.table.to_string() << " " << ScatterRowsOp(reduction).name() << " " << name_of(dtype);
      }
    }
  }
}

TEST(GpuScatter, NanWins) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Tensor table = Tensor::from_data<float>({3, 1}, {nan, 1, 2});
  const Tensor rows = Tensor::from_data<std::int64_t>({4}, {0, 1, 1, 2});
  const Tensor updates = Tensor::from_data<float>({4, 1}, {5, nan, 5, 5});
  for (const ScatterReduction reduction : {ScatterReduction::max, ScatterReduction::min}) {
    const std::vector<double> y = on_gpu(ScatterRowsOp(reduction), {table, rows, updates}).to_vector();
    EXPECT_TRUE(std::isnan(y[0]));
    EXPECT_TRUE(std::isnan(y[1]));
    EXPECT_EQ(y[2], reduction == ScatterReduction::max ? 5 : 2);
  }
}

TEST(GpuScatter, NumbersPlacesAsTheCpu) {
  for (const DType dtype : {int32, int64}) {
    const Tensor deep = random_indices({70, 9, 2}, 0, 6, dtype);
    EXPECT_TRUE(gives_bits_of_cpu(std::make_shared<const RavelIndicesOp>(Shape{6, 7, 3}), {deep}));
    EXPECT_TRUE(gives_bits_of_cpu(std::make_shared<const RavelIndicesOp>(Shape{6}), {random_indices({0, 1}, 0, 6)}));
    EXPECT_TRUE(gives_bits_of_cpu(std::make_shared<const RavelIndicesOp>(Shape{6}), {Tensor::zeros({3, 0}, dtype)}));
  }
}

TEST(GpuScatter, TellsOfAnIndexThatIsOutOfRange) {
  const auto message_of = [&](const std::vector<std::int32_t>& indices) {
    return test::message_of<InvalidArgumentError>([&] {
      on_gpu(RavelIndicesOp(Shape{3, 2}), {Tensor::from_data<std::int32_t>({2, 2}, indices)});
    });
  };
  EXPECT_EQ(message_of({0, 1, 3, 0}), "indices[2] = 3 is not in [0, 3)");
  EXPECT_EQ(message_of({0, 1, 1, -1}), "indices[3] = -1 is not in [0, 2)");
}

TEST(GpuScatter, IgnoresARowThatIsOutOfRange) {
  // It has been reported by the op that computed it.
  const Tensor table = Tensor::from_data<float>({2, 1}, {1, 2});
  const Tensor rows = Tensor::from_data<std::int64_t>({3}, {-1, 2, 1});
  const Tensor updates = Tensor::from_data<float>({3, 1}, {7, 8, 9});
  EXPECT_EQ(on_gpu(ScatterRowsOp(ScatterReduction::update), {table, rows, updates}).to_vector(),
            (std::vector<double>{1, 9}));
}

}  // namespace
}  // namespace rhyton::gpu::scatter_tests
