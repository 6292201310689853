#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/framework/error.h>
#include <rhyton/framework/tensor/string_tensor.h>
#include <rhyton/tests/support/message_of.h>

namespace rhyton {
namespace {

using test::message_of;
using Strings = std::vector<std::string>;

TEST(StringTensor, IsMadeOfListsOfAnyDepth) {
  EXPECT_EQ(StringTensor().shape(), (Shape{0}));
  EXPECT_EQ(StringTensor("a").shape(), Shape{});
  EXPECT_EQ(StringTensor("a").item(), "a");
  EXPECT_EQ(StringTensor({"a", "b"}).shape(), (Shape{2}));
  EXPECT_EQ(StringTensor({{"a", "b"}}).shape(), (Shape{1, 2}));
  EXPECT_EQ(StringTensor({{"a"}, {"b"}}).shape(), (Shape{2, 1}));
  const StringTensor deep({{{"a"}, {"b"}}, {{"c"}, {"d"}}});
  EXPECT_EQ(deep.shape(), (Shape{2, 2, 1}));
  EXPECT_EQ(deep.elements(), (Strings{"a", "b", "c", "d"}));
}

TEST(StringTensor, IsMadeOfVectors) {
  const Strings words = {"a", "b"};
  EXPECT_EQ(StringTensor(words), StringTensor({"a", "b"}));
  EXPECT_EQ(StringTensor(std::vector<Strings>{{"a", "b"}, {"c", ""}}), StringTensor({{"a", "b"}, {"c", ""}}));
  EXPECT_EQ(StringTensor(std::vector<Strings>()).shape(), (Shape{0, 0}));
  EXPECT_EQ(StringTensor(Shape{2, 1}, words), StringTensor({{"a"}, {"b"}}));
}

TEST(StringTensor, RefusesOddLists) {
  EXPECT_EQ(message_of<ValueError>([] {
              StringTensor({{"a"}, {"b", "c"}});
            }),
            "Lists of a StringTensor must have the same length on each level. Received: lists of 1 and 2 elements");
  EXPECT_EQ(message_of<ValueError>([] {
              StringTensor({{"a"}, "b"});
            }),
            "A StringTensor has strings, or lists of the same depth, on each level. Received: both.");
  EXPECT_EQ(message_of<ValueError>([] {
              StringTensor(std::vector<Strings>{{"a"}, {}});
            }),
            "Rows of a StringTensor must have the same length. Received: rows of 1 and 0 strings");
  EXPECT_EQ(message_of<ValueError>([] { StringTensor(Shape{3}, Strings{"a"}); }),
            "A StringTensor of shape (3,) cannot have 1 strings.");
}

TEST(StringTensor, HasOtherShapesAndParts) {
  const StringTensor rows({{"a", "b"}, {"c", "d"}, {"e", "f"}});
  EXPECT_EQ(rows.slice(1, 3), StringTensor({{"c", "d"}, {"e", "f"}}));
  EXPECT_EQ(rows.slice(1, 1).shape(), (Shape{0, 2}));
  EXPECT_EQ(rows.reshape({-1}), StringTensor({"a", "b", "c", "d", "e", "f"}));
  EXPECT_EQ(rows.reshape({2, -1}).shape(), (Shape{2, 3}));
  EXPECT_THROW(rows.reshape({4, -1}), ValueError);
  EXPECT_THROW(rows.slice(2, 4), ValueError);
  EXPECT_THROW(StringTensor("a").slice(0, 1), ValueError);
  EXPECT_THROW(rows.item(), ValueError);
}

}  // namespace
}  // namespace rhyton
