#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <vector>

#include <rhyton/framework/ops/sorting.h>
#include <rhyton/tests/framework/backends/gpu/random_indices.h>
#include <rhyton/tests/framework/backends/gpu/run_kernel.h>
#include <rhyton/tests/framework/backends/gpu/test_stream.h>
#include <rhyton/tests/support/tensor_distance.h>

namespace rhyton::gpu::sort_tests {
namespace {

struct SortCase {
  Shape shape;
  int axis;
  std::int64_t wanted;
};

/// Several lines in a tile, one line that fills it, lines of several tiles, and nothing.
std::vector<SortCase> sort_cases() {
  return {{{7}, 0, 7},        {{300, 10}, 1, 3}, {{5, 33, 4}, 1, 33}, {{2, 1024}, 1, 1024},
          {{2, 1025}, 1, 20}, {{5000}, 0, 5000}, {{2100, 3}, 0, 9},   {{1, 1}, 0, 1},
          {{0, 4}, 1, 4},     {{4, 0}, 1, 0},    {{4, 3}, 1, 0}};
}

/// Values and positions.
std::vector<Tensor> on_cpu(const OpPtr& op, const Tensor& x) { return rhyton::apply(op, std::vector<Tensor>{x}); }

std::vector<Tensor> sorted_on_gpu(const OpPtr& op, const Tensor& x) {
  return run_kernel(*op, std::vector<Tensor>{x}, test_stream());
}

TEST(GpuSort, OrdersAsTheCpuWithEqualElementsInTheirOrder) {
  for (const SortCase& test : sort_cases()) {
    for (const bool descending : {false, true}) {
      for (const DType dtype : {float32, float64, float16, bfloat16, int32, int64, uint8, bool_}) {
        // Many are equal.
        const Tensor x = random_indices(test.shape, dtype == uint8 ? 0 : -20, 100).cast(dtype);
        const auto op = std::make_shared<const SortOp>(test.axis, test.wanted, descending);
        EXPECT_TRUE(test::same_bits(sorted_on_gpu(op, x), on_cpu(op, x)))
            << test.shape.to_string() << " " << op->attributes() << " " << name_of(dtype);
      }
    }
  }
}

TEST(GpuSort, NanIsTheLargest) {
  std::vector<float> values(3000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i * 7919 % 3001);
  for (const std::size_t i : {5, 700, 2999}) values[i] = std::numeric_limits<float>::quiet_NaN();
  values[9] = -std::numeric_limits<float>::infinity();
  values[10] = std::numeric_limits<float>::infinity();
  const Tensor x = Tensor::from_data<float>({3000}, values);
  for (const bool descending : {false, true}) {
    const auto op = std::make_shared<const SortOp>(0, 3000, descending);
    EXPECT_TRUE(test::same_bits(sorted_on_gpu(op, x)[1], on_cpu(op, x)[1])) << op->attributes();
  }
}

}  // namespace
}  // namespace rhyton::gpu::sort_tests
