#include <rhyton/framework/ops/category_counts.h>

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include <rhyton/framework/error.h>
#include <rhyton/tests/framework/backends/gpu/cpu_results.h>
#include <rhyton/tests/framework/backends/gpu/random_indices.h>
#include <rhyton/tests/support/message_of.h>
#include <rhyton/tests/support/random_tensor.h>

namespace rhyton::gpu::category_counts_tests {
namespace {

using enum CategoryCounting;
using enum NegativeCategories;

const std::vector<Shape>& shapes() {
  static const std::vector<Shape> all = {{9}, {3000}, {33, 70}, {2, 1, 1500}, {4, 0}, {0, 4}};
  return all;
}

TEST(GpuCategoryCounts, AreThoseOfTheCpu) {
  for (const Shape& shape : shapes()) {
    for (const DType dtype : {float32, float64, float16, bfloat16, int32, int64, uint8}) {
      for (const CategoryCounting counting : {occurrences, presence}) {
        for (const std::int64_t depth : {1, 10, 50}) {
          const auto op = std::make_shared<const CategoryCountsOp>(depth, dtype, counting, ignored);
          const Tensor categories = random_indices(shape, -2, 12, dtype == int64 ? int64 : int32);
          EXPECT_TRUE(gives_bits_of_cpu(op, {categories})) << shape.to_string() << " " << op->attributes();
        }
      }
    }
  }
}

TEST(GpuCategoryCounts, WeightsAreAddedInTheirOrder) {
  for (const Shape& shape : shapes()) {
    for (const DType dtype : {float32, float64, float16, bfloat16, int32, int64, uint8}) {
      const Tensor weights = test::random_tensor(shape, 3, 0, is_floating(dtype) ? 1 : 100).cast(dtype);
      const auto op = std::make_shared<const CategoryCountsOp>(10, dtype, occurrences, refused);
      EXPECT_TRUE(gives_bits_of_cpu(op, {random_indices(shape, 0, 12), weights}))
          << shape.to_string() << " " << name_of(dtype);
    }
  }
}

TEST(GpuCategoryCounts, TellOfANegativeCategory) {
  const Tensor categories = Tensor::from_data<std::int32_t>({2, 2}, {0, 9, -3, 1});
  EXPECT_EQ(test::message_of<InvalidArgumentError>(
                [&] { on_gpu(CategoryCountsOp(4, float32, occurrences, refused), {categories}); }),
            "Input 'in' must be non-negative! Negative input value found: -3 [Op:DenseBincount]");
}

}  // namespace
}  // namespace rhyton::gpu::category_counts_tests
