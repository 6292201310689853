// Reductions of one axis, given as a number.

#include <vector>

#include <gtest/gtest.h>

#include <rhyton/framework/tensor/variable.h>
#include <rhyton/layers/core/input.h>
#include <rhyton/layers/operations/one_axis.h>
#include <rhyton/models/model.h>

namespace rhyton {
namespace {

using Axes = std::vector<int>;

const Tensor x = Tensor::from_data<float>({2, 3}, {5, 1, 3, 2, 0, 7});

/// Expects the same of a number as of a list of one axis, for a tensor, a variable and in a model.
template <class Reduction>
void expect_as_lists(const Reduction& reduction) {
  for (const int axis : {1, -1}) {
    const Tensor expected = reduction(x, Axes{axis});
    const auto expect = [&](const Tensor& result) {
      EXPECT_EQ(result.shape(), expected.shape());
      EXPECT_EQ(result.to_vector(), expected.to_vector());
    };
    expect(reduction(x, axis));
    expect(reduction(Variable(x), axis));
    const layers::Input input({.shape = {3}});
    expect(models::Model({.inputs = input, .outputs = reduction(input, axis)})(x));
    expect(models::Model({.inputs = input, .outputs = reduction(layers::SymbolicTensor(input), axis)})(x));
  }
}

TEST(OneAxis, IsAListOfOneAxis) {
  expect_as_lists([](const auto& a, const auto& axis) { return sum(a, axis); });
  expect_as_lists([](const auto& a, const auto& axis) { return mean(a, axis); });
  expect_as_lists([](const auto& a, const auto& axis) { return ops::max(a, axis); });
  expect_as_lists([](const auto& a, const auto& axis) { return ops::min(a, axis); });
  expect_as_lists([](const auto& a, const auto& axis) { return prod(a, axis); });
  expect_as_lists([](const auto& a, const auto& axis) { return all(a, axis); });
  expect_as_lists([](const auto& a, const auto& axis) { return any(a, axis); });
  expect_as_lists([](const auto& a, const auto& axis) { return variance(a, axis); });
  expect_as_lists([](const auto& a, const auto& axis) { return standard_deviation(a, axis); });
  expect_as_lists([](const auto& a, const auto& axis) { return median(a, axis); });
  expect_as_lists([](const auto& a, const auto& axis) { return ptp(a, axis); });
  expect_as_lists([](const auto& a, const auto& axis) { return logsumexp(a, axis); });
  expect_as_lists([](const auto& a, const auto& axis) { return count_nonzero(a, axis); });
}

TEST(OneAxis, TakesKeepdims) {
  EXPECT_EQ(sum(x, 1, true).shape(), (Shape{2, 1}));
  EXPECT_EQ(mean(layers::SymbolicTensor(layers::Input({.shape = {3}})), -1, true).shape(), (Shape{-1, 1}));
  EXPECT_EQ(squeeze(sum(x, 0, true), 0).to_vector(), (std::vector<double>{7, 1, 10}));
  const Moments both = moments(x, 0, true);
  EXPECT_EQ(both.mean.to_vector(), (std::vector<double>{3.5, 0.5, 5}));
  EXPECT_EQ(both.variance.to_vector(), (std::vector<double>{2.25, 0.25, 4}));
}

TEST(OneAxis, LeavesListsAsTheyAre) {
  EXPECT_EQ(sum(x, {}, true).shape(), (Shape{1, 1}));
  EXPECT_EQ(sum(x, {0}).to_vector(), (std::vector<double>{7, 1, 10}));
  EXPECT_EQ(ops::max(x).item(), 7);
}

}  // namespace
}  // namespace rhyton
