#include <gtest/gtest.h>

#include <rhyton/framework/error.h>
#include <rhyton/framework/io/stored_elements.h>

namespace rhyton::io {
namespace {

TEST(StoredElements, CountsBytesWithoutOverflow) {
  EXPECT_EQ(stored_bytes({2, 3}, StoredType::float64, "x"), 48U);
  EXPECT_EQ(stored_bytes({}, StoredType::int16, "x"), 2U);
  EXPECT_EQ(stored_bytes({0, 5}, StoredType::float32, "x"), 0U);
  EXPECT_THROW(stored_bytes({std::int64_t{1} << 40, std::int64_t{1} << 40}, StoredType::uint8, "x"), IOError);
  EXPECT_THROW(stored_bytes({std::int64_t{1} << 62}, StoredType::uint8, "x"), IOError);
  EXPECT_THROW(stored_bytes({-1}, StoredType::uint8, "x"), IOError);
}

TEST(StoredElements, EveryTypeHasADtypeThatHoldsIt) {
  for (int index = 0; index <= static_cast<int>(StoredType::float64); ++index) {
    const auto type = static_cast<StoredType>(index);
    EXPECT_GE(size_of(dtype_for(type)), size_of(type));
  }
}

}  // namespace
}  // namespace rhyton::io
