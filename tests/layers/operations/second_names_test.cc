// The second names of functions, of tensors and of symbolic tensors.

#include <vector>

#include <gtest/gtest.h>
#include <rhyton/layers/core/input.h>
#include <rhyton/layers/operations/second_names.h>
#include <rhyton/models/model.h>

namespace rhyton::layers::second_names {
namespace {

const Tensor& given() {
  static const Tensor x = Tensor::from_data<float>({2, 3}, {-1.5, 2, 0.5, 4, -3, 8});
  return x;
}

/// Both functions are one, of tensors and of symbolic tensors.
template <class First, class Second>
void expect_one(const First& first, const Second& second) {
  const Tensor expected = first(given());
  EXPECT_EQ(second(given()).to_vector(), expected.to_vector());
  const Input x({.shape = {3}});
  EXPECT_EQ(models::Model(x, second(x))(given()).to_vector(), models::Model(x, first(x))(given()).to_vector());
}

TEST(SecondNames, AreOfTheSameFunctions) {
  expect_one([](const auto& x) { return abs(x); }, [](const auto& x) { return absolute(x); });
  expect_one([](const auto& x) { return silu(x); }, [](const auto& x) { return swish(x); });
  expect_one([](const auto& x) { return hard_silu(x); }, [](const auto& x) { return hard_swish(x); });
  expect_one([](const auto& x) { return divide(x, 3); }, [](const auto& x) { return true_divide(x, 3); });
  expect_one([](const auto& x) { return divide(3, x); }, [](const auto& x) { return true_divide(3, x); });
}

TEST(SecondNames, OfReductionsTakeAxes) {
  expect_one([](const auto& x) { return max(x, -1, true); }, [](const auto& x) { return amax(x, -1, true); });
  expect_one([](const auto& x) { return min(x, -1, true); }, [](const auto& x) { return amin(x, -1, true); });
  expect_one([](const auto& x) { return variance(x, -1); }, [](const auto& x) { return var(x, -1); });
  EXPECT_EQ(amax(given()).item(), 8);
  EXPECT_EQ(amin(given(), {0, 1}).item(), -3);
  EXPECT_EQ(var(given(), {0}, true).shape(), (Shape{1, 3}));
}

}  // namespace
}  // namespace rhyton::layers::second_names
