// x[key], compared with the rule of Python's slices element by element.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/framework/autodiff/gradient_tape.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/integer_arithmetic.h>
#include <rhyton/framework/ops/item.h>
#include <rhyton/framework/ops/reduce.h>

namespace rhyton {
namespace {

Tensor numbered(const Shape& shape) {
  std::vector<float> values(static_cast<std::size_t>(shape.size()));
  std::iota(values.begin(), values.end(), 0.0F);
  return Tensor::from_data(shape, values);
}

/// The positions that Python's `range(length)[start:stop:step]` has, by its definition.
std::vector<std::int64_t> python_positions(const Slice& slice, std::int64_t length) {
  const std::int64_t step = slice.step.value_or(1);
  const auto bound = [&](const std::optional<std::int64_t>& given, std::int64_t fallback) {
    if (!given) return fallback;
    const std::int64_t position = *given < 0 ? *given + length : *given;
    if (step > 0) return std::min(std::max<std::int64_t>(position, 0), length);
    return std::min(std::max<std::int64_t>(position, -1), length - 1);
  };
  const std::int64_t first = bound(slice.start, step > 0 ? 0 : length - 1);
  const std::int64_t last = bound(slice.stop, step > 0 ? length : -1);
  std::vector<std::int64_t> positions;
  for (std::int64_t i = first; step > 0 ? i < last : i > last; i += step) positions.push_back(i);
  return positions;
}

TEST(GetItem, TakesOneSlice) {
  const Tensor x = numbered({3, 2});
  EXPECT_EQ(x[Slice(0, 2)].to_vector(), (std::vector<double>{0, 1, 2, 3}));
  EXPECT_EQ(x[newaxis].shape(), (Shape{1, 3, 2}));
  EXPECT_EQ(x[ellipsis].shape(), (Shape{3, 2}));
}

TEST(GetItem, FollowsPythonsSlices) {
  std::mt19937 random(std::random_device{}());
  for (int trial = 0; trial < 2000; ++trial) {
    const auto draw = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
    const std::int64_t length = draw(0, 6);
    const auto bound = [&] { return draw(0, 3) == 0 ? std::nullopt : std::optional<std::int64_t>(draw(-9, 9)); };
    Slice slice(bound(), bound(), bound());
    if (slice.step == 0) slice.step = 7;
    const Tensor x = numbered({length, 2});
    const Tensor result = x[{slice, 1}];
    std::vector<double> expected;
    for (const std::int64_t position : python_positions(slice, length)) {
      expected.push_back(static_cast<double>(2 * position + 1));
    }
    ASSERT_EQ(result.shape(), (Shape{static_cast<std::int64_t>(expected.size())}));
    ASSERT_EQ(result.to_vector(), expected) << length << ": " << slice.start.value_or(99) << ":"
                                            << slice.stop.value_or(99) << ":" << slice.step.value_or(99);
  }
}

TEST(GetItem, AddsAndRemovesAxes) {
  const Tensor x = numbered({2, 3, 4});
  EXPECT_EQ((x[{1, 2, 3}]).item(), 23);
  EXPECT_EQ((x[{-1}]).shape(), (Shape{3, 4}));
  EXPECT_EQ((x[{ellipsis, -1}]).shape(), (Shape{2, 3}));
  EXPECT_EQ((x[{newaxis, ellipsis, newaxis}]).shape(), (Shape{1, 2, 3, 4, 1}));
  EXPECT_EQ((x[{Slice(), newaxis, 0}]).shape(), (Shape{2, 1, 4}));
  EXPECT_EQ((x[{0, ellipsis, Slice(1, 3)}]).to_vector(), (std::vector<double>{1, 2, 5, 6, 9, 10}));
  EXPECT_EQ((x[std::vector<Index>{}]).shape(), x.shape());
}

TEST(GetItem, TakesStepsOfAnySize) {
  constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
  constexpr std::int64_t smallest = std::numeric_limits<std::int64_t>::min();
  const Tensor x = numbered({5});
  EXPECT_EQ((x[{Slice({}, {}, largest)}]).to_vector(), (std::vector<double>{0}));
  EXPECT_EQ((x[{Slice({}, {}, smallest)}]).to_vector(), (std::vector<double>{4}));
  EXPECT_EQ((x[{Slice(smallest, largest, 2)}]).to_vector(), (std::vector<double>{0, 2, 4}));
}

TEST(GetItem, HasTheGradientOfASelection) {
  const Tensor x = numbered({3, 4});
  GradientTape tape;
  tape.watch(x);
  const Tensor loss = sum(square(x[{Slice({}, {}, -2), Slice(1, {}, 2)}]));
  const Tensor gradient = tape.gradient(loss, x);
  EXPECT_EQ(gradient.to_vector(), (std::vector<double>{0, 2, 0, 6, 0, 0, 0, 0, 0, 18, 0, 22}));
}

TEST(GetItem, RefusesWhatPythonDoes) {
  const Tensor x = numbered({2, 3});
  EXPECT_THROW((x[{2}]), InvalidArgumentError);
  EXPECT_THROW((x[{0, -4}]), InvalidArgumentError);
  EXPECT_THROW((x[{std::numeric_limits<std::int64_t>::min()}]), InvalidArgumentError);
  EXPECT_THROW((x[{0, 0, 0}]), ValueError);
  EXPECT_THROW((x[{ellipsis, 0, ellipsis}]), ValueError);
  EXPECT_THROW((x[{Slice(0, 1, 0)}]), ValueError);
}

TEST(IntegerOperators, AreThoseOfPython) {
  const Tensor x = Tensor::from_data<std::int32_t>({4}, {-7, 6, 5, 12});
  EXPECT_EQ((x % 4).to_vector(), (std::vector<double>{1, 2, 1, 0}));
  EXPECT_EQ((x % 4).dtype(), int32);
  EXPECT_EQ((100 % x).to_vector(), (std::vector<double>{-5, 4, 0, 4}));
  EXPECT_EQ((x % 2.5).dtype(), float32);
  EXPECT_EQ((x & 6).to_vector(), (std::vector<double>{0, 6, 4, 4}));
  EXPECT_EQ((x | 1).to_vector(), (std::vector<double>{-7, 7, 5, 13}));
  EXPECT_EQ((x ^ x).to_vector(), (std::vector<double>{0, 0, 0, 0}));
  EXPECT_EQ((~x).to_vector(), (std::vector<double>{6, -7, -6, -13}));
  const Tensor positive = x > 0;
  const Tensor even = equal(x % 2, 0);
  EXPECT_EQ((positive & even).dtype(), DType::bool_);
  EXPECT_EQ((positive & even).to_vector(), (std::vector<double>{0, 1, 0, 1}));
  EXPECT_EQ((positive | even).to_vector(), (std::vector<double>{0, 1, 1, 1}));
  EXPECT_EQ((positive ^ even).to_vector(), (std::vector<double>{0, 0, 1, 0}));
  EXPECT_EQ((~positive).to_vector(), (std::vector<double>{1, 0, 0, 0}));
  EXPECT_EQ((positive & true).to_vector(), positive.to_vector());
}

}  // namespace
}  // namespace rhyton
