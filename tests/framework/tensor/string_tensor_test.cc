#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/framework/error.h>
#include <rhyton/framework/tensor/string_dtype.h>
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
  EXPECT_EQ(StringTensor(std::string("a")).shape(), Shape{});
  EXPECT_EQ(StringTensor(std::string_view("a")).item(), "a");
  EXPECT_EQ(StringTensor({"a", "b"}).shape(), (Shape{2}));
  EXPECT_EQ(StringTensor({{"a", "b"}}).shape(), (Shape{1, 2}));
  EXPECT_EQ(StringTensor({{"a"}, {"b"}}).shape(), (Shape{2, 1}));
  const StringTensor deep({{{"a"}, {"b"}}, {{"c"}, {"d"}}});
  EXPECT_EQ(deep.shape(), (Shape{2, 2, 1}));
  EXPECT_EQ(deep.elements(), (Strings{"a", "b", "c", "d"}));
}

TEST(StringTensor, OfOneStringInBracesIsAList) {
  const std::string text = "a";
  EXPECT_EQ(StringTensor({"a"}).shape(), (Shape{1}));
  EXPECT_EQ(StringTensor({text}).shape(), (Shape{1}));
  EXPECT_EQ(StringTensor({std::string("a")}).shape(), (Shape{1}));
  EXPECT_EQ(StringTensor{text}.shape(), (Shape{1}));
  EXPECT_EQ(StringTensor({{"a"}}).shape(), (Shape{1, 1}));
  EXPECT_EQ(StringTensor({{text}}).shape(), (Shape{1, 1}));
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

TEST(StringTensor, PicksAndJoinsParts) {
  const StringTensor rows({{"a", "b"}, {"c", "d"}, {"e", "f"}});
  const std::vector<std::int64_t> indices = {2, 0, 2};
  EXPECT_EQ(rows.gather(indices), StringTensor({{"e", "f"}, {"a", "b"}, {"e", "f"}}));
  EXPECT_EQ(StringTensor::stack({StringTensor("a"), StringTensor("b")}), StringTensor({"a", "b"}));
  EXPECT_EQ(StringTensor::concatenate({rows.slice(0, 1), rows.slice(2, 3)}), StringTensor({{"a", "b"}, {"e", "f"}}));
  const std::vector<std::int64_t> outside = {3};
  EXPECT_THROW(rows.gather(outside), ValueError);
  EXPECT_THROW(StringTensor::stack({rows, rows.slice(0, 1)}), ValueError);
  EXPECT_THROW(StringTensor::concatenate({rows, StringTensor({"a"})}), ValueError);
  EXPECT_THROW(StringTensor::stack({}), ValueError);
}

TEST(StringTensor, CanBeATensorWhoseElementsAreNoNumbers) {
  const StringTensor words({{"a"}, {"b"}});
  const Tensor tensor = words;
  EXPECT_EQ(tensor.spec(), (TensorSpec{{2, 1}, string_dtype}));
  EXPECT_TRUE(tensor.is_concrete());
  EXPECT_EQ(StringTensor::of(tensor), words);
  EXPECT_EQ(StringTensor::of(tensor.clone()), words);
  EXPECT_EQ(StringTensor::of(tensor.to(tensor.device())), words);
  const std::string refusal = message_of<TypeError>([&] { tensor.to_vector(); });
  EXPECT_EQ(refusal.substr(refusal.find(" takes ")),
            " takes numbers, not strings. TextVectorization, StringLookup and Hashing make numbers of them.");
  EXPECT_THROW(tensor.raw_data(), TypeError);
  EXPECT_THROW(tensor.item(), TypeError);
  EXPECT_THROW(Tensor::zeros({2}, string_dtype), TypeError);
  EXPECT_THROW(Tensor::full({2}, 1, string_dtype), TypeError);
  EXPECT_THROW(Tensor::from_storage({2}, string_dtype, Tensor::zeros({2}).storage()), TypeError);
  EXPECT_THROW(static_cast<void>(dtype_from_name("string")), ValueError);
  EXPECT_EQ(name_of(string_dtype), "string");
  EXPECT_EQ(message_of<TypeError>([] { StringTensor::of(Tensor::zeros({2})); }),
            "Expected a tensor of strings with values. Received: a tensor of numbers, shape=(2,), dtype=float32");
  EXPECT_THROW(StringTensor::of(Tensor()), TypeError);
}

TEST(StringTensor, IsPrintedAsTensorFlowPrintsIt) {
  EXPECT_EQ(Tensor(StringTensor({"a cat", "it's"})).to_string(),
            "tf.Tensor([b'a cat' b\"it's\"], shape=(2,), dtype=string)");
  EXPECT_EQ(StringTensor("ñ\n").to_string(), "tf.Tensor(b'\\xc3\\xb1\\n', shape=(), dtype=string)");
  EXPECT_EQ(StringTensor({{"a"}, {"b"}}).to_string(), "tf.Tensor(\n[[b'a']\n [b'b']], shape=(2, 1), dtype=string)");
}

}  // namespace
}  // namespace rhyton
