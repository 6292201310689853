// What the golden values of KerasOps leave out.

#include <rhyton/framework/ops/counting.h>

#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>
#include <rhyton/framework/autodiff/gradient_tape.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/graph/tracing.h>
#include <rhyton/framework/ops/bitcast.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/indexing.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/ops/special_functions.h>

namespace rhyton {
namespace {

graph::Graph traced(const graph::Function& function) { return graph::trace({{TensorSpec{{4}, int32}, -1}}, function); }

TEST(Counting, ShapesThatDependOnValuesAreRefusedInAGraph) {
  EXPECT_THROW(traced([](const std::vector<Tensor>& x) { return nonzero(x[0]); }), ValueError);
  EXPECT_THROW(traced([](const std::vector<Tensor>& x) { return std::vector<Tensor>{unique(x[0]).values}; }),
               ValueError);
  EXPECT_THROW(traced([](const std::vector<Tensor>& x) { return std::vector<Tensor>{bincount(x[0])}; }), ValueError);
}

TEST(Counting, HistogramsHaveAShapeOfTheirOwn) {
  const auto function = [](const std::vector<Tensor>& x) {
    const auto [counts, edges] = histogram(x[0], 3);
    return std::vector<Tensor>{counts, edges};
  };
  EXPECT_NO_THROW(traced(function));
}

TEST(Counting, EveryNanIsUnique) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Unique result = unique(Tensor::from_data({5}, {nan, 2.0, nan, -1.0, 2.0}));
  EXPECT_EQ(result.values.size(), 4);
  EXPECT_EQ(result.counts.to_vector(), (std::vector<double>{1, 2, 1, 1}));
  EXPECT_EQ(result.indices.to_vector(), (std::vector<double>{3, 1, 0, 2}));
}

TEST(Counting, UniqueValuesHaveAGradient) {
  const Tensor x = Tensor::from_data<float>({4}, {3, 1, 3, 2});
  GradientTape tape;
  tape.watch(x);
  const Tensor y = sum(square(unique(x).values));
  EXPECT_EQ(tape.gradient(y, x).to_vector(), (std::vector<double>{6, 2, 0, 4}));
}

TEST(Counting, IndicesOfAnyRankAreUnravelled) {
  const std::vector<Tensor> places = unravel_index(Tensor::from_data<std::int32_t>({2, 2}, {0, 5, 11, -1}), {3, 4});
  EXPECT_EQ(places[0].to_vector(), (std::vector<double>{0, 1, 2, 2}));
  EXPECT_EQ(places[1].to_vector(), (std::vector<double>{0, 1, 3, 3}));
  EXPECT_EQ(places[0].shape(), Shape({2, 2}));
  EXPECT_THROW(unravel_index(Tensor::scalar(1), {3, -1}), ValueError);
}

TEST(NextAfter, IsTheNeighbourInTheDtypeOfTheResult) {
  const auto neighbour = [](double x, double other, DType dtype) {
    return nextafter(Tensor::full({}, x, dtype), Tensor::full({}, other, dtype)).item();
  };
  EXPECT_EQ(neighbour(1.0, 2.0, float32), 1.0 + 0x1p-23);
  EXPECT_EQ(neighbour(1.0, 0.0, float64), 1.0 - 0x1p-53);
  EXPECT_EQ(neighbour(0.0, -1.0, float32), -0x1p-149);
  EXPECT_EQ(neighbour(3.0, 3.0, float32), 3.0);
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(neighbour(infinity, 0.0, float64), std::numeric_limits<double>::max());
  EXPECT_EQ(neighbour(-infinity, infinity, float64), std::numeric_limits<double>::lowest());
  EXPECT_EQ(neighbour(std::numeric_limits<double>::max(), infinity, float64), infinity);
  EXPECT_EQ(neighbour(infinity, infinity, float64), infinity);
  EXPECT_EQ(neighbour(infinity, 0.0, float32), std::numeric_limits<float>::max());
}

TEST(NextAfter, OfHalfTypesVisitsEveryNumber) {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const DType dtype : {float16, bfloat16}) {
    // All numbers from 0 to infinity, whose bits count up.
    const std::int32_t last = dtype == float16 ? 0x7C00 : 0x7F80;
    std::vector<double> numbers;
    for (std::int32_t bits = 0; bits <= last; ++bits) {
      const auto low = static_cast<std::uint8_t>(bits & 0xFF);
      const auto high = static_cast<std::uint8_t>(bits >> 8);
      numbers.push_back(view(Tensor::from_data<std::uint8_t>({2}, {low, high}), dtype).item());
    }
    const std::vector<double> below(numbers.begin(), numbers.end() - 1);
    const std::vector<double> above(numbers.begin() + 1, numbers.end());
    const auto as_tensor = [&](const std::vector<double>& values) {
      return cast(Tensor::from_data({static_cast<std::int64_t>(values.size())}, values), dtype);
    };
    EXPECT_EQ(nextafter(as_tensor(below), Tensor::full({}, infinity, dtype)).to_vector(), above);
    EXPECT_EQ(nextafter(as_tensor(above), Tensor::full({}, -1.0, dtype)).to_vector(), below);
  }
}

TEST(View, RefusesBool) { EXPECT_THROW(view(Tensor::zeros({2}, bool_), uint8), TypeError); }

TEST(View, OfEveryOtherDType) {
  for (const DType dtype : {float32, float64, float16, bfloat16, int32, int64}) {
    const Tensor x = cast(Tensor::from_data<std::int32_t>({2}, {3, 5}), dtype);
    EXPECT_EQ(view(view(x, uint8), dtype).to_vector(), x.to_vector());
  }
}

}  // namespace
}  // namespace rhyton
