#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <vector>

#include <rhyton/framework/ops/sorting.h>
#include <rhyton/tests/framework/backends/gpu/cpu_results.h>
#include <rhyton/tests/support/random_tensor.h>

namespace rhyton::gpu::search_sorted_tests {
namespace {

TEST(GpuSearchSorted, FindsThePlacesThatTheCpuFinds) {
  for (const std::int64_t length : {0, 1, 2, 100, 1000}) {
    for (const Shape& shape : std::vector<Shape>{{}, {5}, {40, 20}, {0}}) {
      for (const DType dtype : {float32, float64, float16, bfloat16, int32, int64, uint8}) {
        for (const SearchSide side : {SearchSide::left, SearchSide::right}) {
          // Many are equal.
          const Tensor sequence = sort(test::random_tensor({length}, 3, 0, 50).cast(int32)).cast(dtype);
          const Tensor values = test::random_tensor(shape, 4, 0, 55).cast(int32).cast(dtype);
          EXPECT_TRUE(gives_bits_of_cpu(std::make_shared<const SearchSortedOp>(side), {sequence, values}))
              << length << " " << shape.to_string() << " " << name_of(dtype);
        }
      }
    }
  }
}

TEST(GpuSearchSorted, NanIsPlacedAsOnTheCpu) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Tensor sequence = Tensor::from_data<float>({5}, {1, 2, 3, nan, nan});
  const Tensor values = Tensor::from_data<float>({3}, {nan, 2, 9});
  for (const SearchSide side : {SearchSide::left, SearchSide::right}) {
    EXPECT_TRUE(gives_bits_of_cpu(std::make_shared<const SearchSortedOp>(side), {sequence, values}));
  }
}

}  // namespace
}  // namespace rhyton::gpu::search_sorted_tests
