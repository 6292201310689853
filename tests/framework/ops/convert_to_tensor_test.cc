#include <rhyton/framework/ops/convert_to_tensor.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/framework/context.h>
#include <rhyton/framework/error.h>
#include <rhyton/tests/support/message_of.h>

namespace rhyton {
namespace {

using test::message_of;
using Values = std::vector<double>;

void expect(const Tensor& x, const Shape& shape, DType dtype, const Values& values) {
  EXPECT_EQ(x.shape(), shape);
  EXPECT_EQ(x.dtype(), dtype);
  EXPECT_EQ(x.to_vector(), values);
}

TEST(ConvertToTensor, TakesListsAsPythonDoes) {
  expect(convert_to_tensor({1, 2, 3}), {3}, DType::int32, {1, 2, 3});
  expect(convert_to_tensor({{1, 2}, {3, 4}, {5, 6}}), {3, 2}, DType::int32, {1, 2, 3, 4, 5, 6});
  expect(convert_to_tensor({{{1.5, 2}}}), {1, 1, 2}, DType::float32, {1.5, 2});
  expect(convert_to_tensor({{7}}), {1, 1}, DType::int32, {7});
  expect(convert_to_tensor({true, false}), {2}, DType::bool_, {1, 0});
  expect(convert_to_tensor({}), {0}, DType::float32, {});
  expect(convert_to_tensor({std::int64_t{1} << 40, 1}), {2}, DType::int64, {1099511627776.0, 1});
  expect(convert_to_tensor(2.5), {}, DType::float32, {2.5});
  expect(convert_to_tensor(true), {}, DType::bool_, {1});
  const int n = 3;
  const float x = 0.25F;
  expect(convert_to_tensor({n * x, 1.0F}), {2}, DType::float32, {0.75, 1});
}

TEST(ConvertToTensor, TakesVectorsAsNumPysArrays) {
  expect(convert_to_tensor(std::vector<double>{1, 2}), {2}, DType::float64, {1, 2});
  expect(convert_to_tensor(std::vector<std::int64_t>{1, 2}), {2}, DType::int64, {1, 2});
  expect(convert_to_tensor(std::vector<std::vector<float>>{{1, 2, 3}, {4, 5, 6}}), {2, 3}, DType::float32,
         {1, 2, 3, 4, 5, 6});
  expect(convert_to_tensor(std::vector<std::vector<float>>{}, DType::int32), {0, 0}, DType::int32, {});
  expect(convert_to_tensor(std::vector<int>{3, 0}, DType::bool_), {2}, DType::bool_, {1, 0});
}

TEST(ConvertToTensor, ConvertsToTheDtype) {
  expect(convert_to_tensor({1.7, -2.7}, DType::int32), {2}, DType::int32, {1, -2});
  expect(convert_to_tensor({1, 2}, DType::float16), {2}, DType::float16, {1, 2});
  expect(convert_to_tensor({0.0, 0.5}, DType::bool_), {2}, DType::bool_, {0, 1});
  expect(convert_to_tensor({true, 2}, DType::int64), {2}, DType::int64, {1, 2});
  expect(convert_to_tensor(convert_to_tensor({1, 2}), DType::float64), {2}, DType::float64, {1, 2});
  const Tensor x = convert_to_tensor({1, 2});
  EXPECT_TRUE(convert_to_tensor(x).is_same(x));
}

TEST(ConvertToTensor, FloatingNumbersHaveFloatx) {
  config::set_floatx("float64");
  EXPECT_EQ(convert_to_tensor({0.1}).dtype(), DType::float64);
  EXPECT_EQ(convert_to_tensor({0.1}).item(), 0.1);
  config::set_floatx("float32");
}

TEST(ConvertToTensor, RefusesWhatIsNoTensor) {
  const std::string not_rectangular = "Can't convert a non-rectangular list to a tensor.";
  EXPECT_EQ(message_of<ValueError>([] { convert_to_tensor({{1, 2}, {3}}); }), not_rectangular);
  EXPECT_EQ(message_of<ValueError>([] { convert_to_tensor({{1, 2}, 3}); }), not_rectangular);
  EXPECT_EQ(message_of<ValueError>([] { convert_to_tensor({1, {2, 3}}); }), not_rectangular);
  EXPECT_EQ(message_of<ValueError>([] {
              convert_to_tensor(std::vector<std::vector<int>>{{1}, {2, 3}});
            }),
            not_rectangular);
  EXPECT_EQ(message_of<ValueError>([] {
              convert_to_tensor({true, 2});
            }),
            "Can't convert a list of mixed types to a tensor: bools are beside numbers. Pass a `dtype`.");
  EXPECT_EQ(message_of<ValueError>([] {
              convert_to_tensor({1, 300}, DType::uint8);
            }),
            "The value 300 is out of range for dtype uint8");
  EXPECT_THROW(convert_to_tensor({std::nan("")}, DType::int32), ValueError);
  EXPECT_THROW(convert_to_tensor({{{{{{{{{1}}}}}}}}}), ValueError);
}

}  // namespace
}  // namespace rhyton
