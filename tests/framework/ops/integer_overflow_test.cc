// Sums and products of integers wrap around, as in TensorFlow.

#include <cstdint>
#include <limits>
#include <vector>

#include <gtest/gtest.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/ops/scatter.h>
#include <rhyton/framework/ops/segments.h>
#include <rhyton/framework/ops/shaping.h>

namespace rhyton {
namespace {

/// `value` and `rest` ones behind it.
template <class T>
Tensor and_ones(T value, std::int64_t rest) {
  std::vector<T> values(static_cast<std::size_t>(rest + 1), T(1));
  values[0] = value;
  return Tensor::from_data<T>({rest + 1}, values);
}

// Within a block of a row or column and beyond it.
constexpr std::int64_t counts[] = {1, 31, 700};

TEST(IntegerOverflow, SumsWrap) {
  for (const std::int64_t count : counts) {
    const double expected = -2147483649.0 + static_cast<double>(count);
    const Tensor x = and_ones<std::int32_t>(std::numeric_limits<std::int32_t>::max(), count);
    EXPECT_EQ(sum(x).item(), expected);
    EXPECT_EQ(sum(expand_dims(x, 1), {0}).to_vector(), std::vector<double>{expected});
    const Tensor y = sum(and_ones<std::int64_t>(std::numeric_limits<std::int64_t>::max(), count));
    EXPECT_EQ(y.data<std::int64_t>()[0], std::numeric_limits<std::int64_t>::min() + count - 1);
  }
}

TEST(IntegerOverflow, ProductsWrap) {
  for (const std::int64_t count : counts) {
    Tensor x = and_ones<std::int32_t>(65536, count);
    x = concatenate({x, Tensor::full({1}, 65537, int32)}, 0);
    EXPECT_EQ(prod(x).item(), 65536.0);
    EXPECT_EQ(prod(expand_dims(x, 1), {0}).to_vector(), std::vector<double>{65536.0});
    const Tensor y = prod(concatenate(
        {and_ones<std::int64_t>(std::int64_t{1} << 40, count), Tensor::full({1}, (std::int64_t{1} << 40) + 1, int64)},
        0));
    EXPECT_EQ(y.data<std::int64_t>()[0], std::int64_t{1} << 40);
  }
}

TEST(IntegerOverflow, SumsOfSegmentsAndPlacesWrap) {
  const Tensor data = Tensor::from_data<std::int32_t>({2}, {2147483647, 65536});
  const Tensor ids = Tensor::from_data<std::int32_t>({2}, {0, 0});
  EXPECT_EQ(segment_sum(data, ids, 1).item(), -2147418113.0);
  const Tensor place = Tensor::from_data<std::int32_t>({2, 1}, {0, 0});
  EXPECT_EQ(scatter(place, data, {1}).item(), -2147418113.0);
}

}  // namespace
}  // namespace rhyton
