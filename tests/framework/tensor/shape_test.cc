#include <rhyton/framework/tensor/shape.h>

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

#include <rhyton/framework/error.h>

namespace rhyton {
namespace {

TEST(ShapeTest, PrintsAsPythonPrintsATuple) {
  EXPECT_EQ(Shape().to_string(), "()");
  EXPECT_EQ((Shape{3}).to_string(), "(3,)");
  EXPECT_EQ((Shape{-1, 28, 28, 1}).to_string(), "(None, 28, 28, 1)");
}

TEST(ShapeTest, UnknownLengthsMayBeEqualToAll) {
  EXPECT_EQ(length_to_string(-1), "None");
  EXPECT_EQ(length_to_string(0), "0");
  EXPECT_TRUE(may_be_equal(-1, 3));
  EXPECT_TRUE(may_be_equal(3, -1));
  EXPECT_TRUE(may_be_equal(3, 3));
  EXPECT_FALSE(may_be_equal(3, 0));
}

TEST(ShapeTest, Size) {
  EXPECT_EQ(Shape().size(), 1);
  EXPECT_EQ((Shape{2, 3, 4}).size(), 24);
  EXPECT_EQ((Shape{2, 0, 4}).size(), 0);
  constexpr std::int64_t huge = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ((Shape{huge}).size(), huge);
  EXPECT_EQ((Shape{huge, huge, 0}).size(), 0);
  EXPECT_THROW(static_cast<void>((Shape{huge, 2}).size()), ValueError);
  EXPECT_THROW(static_cast<void>((Shape{-1, 2}).size()), ValueError);
  EXPECT_FALSE((Shape{-1, 2}).is_fully_known());
  EXPECT_TRUE(Shape().is_fully_known());
}

TEST(ShapeTest, RefusesTooManyAxesAndNegativeLengths) {
  EXPECT_THROW((Shape{1, 2, 3, 4, 5, 6, 7, 8, 9}), ValueError);
  EXPECT_THROW((Shape{-2}), ValueError);
  Shape full{1, 2, 3, 4, 5, 6, 7, 8};
  EXPECT_THROW(full.push_back(9), ValueError);
  EXPECT_EQ(full.rank(), 8);
  EXPECT_THROW(full.concatenate(Shape{1}), ValueError);
  EXPECT_THROW(full.with(0, -2), ValueError);
}

TEST(ShapeTest, AxesMayCountFromTheEnd) {
  const Shape shape{2, 3, 4};
  EXPECT_EQ(shape.at(-1), 4);
  EXPECT_EQ(shape.at(0), 2);
  EXPECT_THROW(static_cast<void>(shape.at(3)), ValueError);
  EXPECT_THROW(static_cast<void>(shape.at(-4)), ValueError);
  EXPECT_EQ(shape[-1], 4);
  EXPECT_EQ(shape[-3], 2);
  EXPECT_THROW(static_cast<void>(shape[3]), ValueError);
  EXPECT_THROW(static_cast<void>(shape[-4]), ValueError);
  EXPECT_THROW(static_cast<void>(Shape()[0]), ValueError);
  Shape changed = shape;
  changed[-1] = 5;
  EXPECT_EQ(changed, (Shape{2, 3, 5}));
  EXPECT_EQ(normalize_axis(-3, 3), 0);
  EXPECT_THROW(normalize_axis(0, 0), ValueError);
}

TEST(ShapeTest, PartsAndSums) {
  const Shape shape{2, 3, 4};
  EXPECT_EQ(shape.slice(1, 3), (Shape{3, 4}));
  EXPECT_EQ(shape.slice(1, 1), Shape());
  EXPECT_THROW(shape.slice(2, 1), ValueError);
  EXPECT_THROW(shape.slice(0, 4), ValueError);
  EXPECT_EQ((Shape{-1}).concatenate(shape), (Shape{-1, 2, 3, 4}));
  EXPECT_EQ(shape.with(-1, -1), (Shape{2, 3, -1}));
  EXPECT_FALSE((Shape{1, 2}) == (Shape{1, 2, 0}));
}

}  // namespace
}  // namespace rhyton
