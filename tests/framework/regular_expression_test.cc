#include <rhyton/framework/regular_expression.h>

#include <regex>

#include <gtest/gtest.h>

namespace rhyton {
namespace {

using Strings = std::vector<std::string>;

TEST(RegularExpression, MatchesAllOfATextItsBeginningOrAPart) {
  const RegularExpression number("[0-9]+");
  EXPECT_TRUE(number.matches("128"));
  EXPECT_FALSE(number.matches("128 units"));
  EXPECT_TRUE(number.matches_beginning("128 units"));
  EXPECT_FALSE(number.matches_beginning("dense_128"));
  EXPECT_TRUE(number.is_found_in("dense_128"));
  EXPECT_FALSE(number.is_found_in("dense"));
}

TEST(RegularExpression, TellsAnEmptyGroupFromOneThatTakesNoPart) {
  const RegularExpression precision("([0-9]+)?([.]([0-9]*))?(f)?");
  const auto groups = precision.groups("12.");
  ASSERT_EQ(groups.size(), 5U);
  EXPECT_EQ(groups[0], "12.");
  EXPECT_EQ(groups[1], "12");
  EXPECT_EQ(groups[3], "");
  EXPECT_EQ(groups[4], std::nullopt);
  EXPECT_TRUE(precision.groups("12 units").empty());
}

TEST(RegularExpression, FindsAllPartsOfAText) {
  EXPECT_EQ(RegularExpression(R"(\w+)").find_all("(m, n),(k)"), (Strings{"m", "n", "k"}));
  EXPECT_TRUE(RegularExpression("x").find_all("(m, n)").empty());
}

TEST(RegularExpression, RefusesAPatternThatIsNone) { EXPECT_THROW(RegularExpression("(m"), std::regex_error); }

}  // namespace
}  // namespace rhyton
