#include <gtest/gtest.h>

#include <vector>

#include <rhyton/framework/autodiff/gradient_tape.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/gather.h>
#include <rhyton/framework/ops/indexed_slices.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/tests/support/tensor_distance.h>

namespace rhyton {
namespace {

Variable table_of_four() { return Variable(Tensor::from_data<float>({4, 2}, {1, 2, 3, 4, 5, 6, 7, 8})); }

Tensor repeated_rows() { return Tensor::from_data<std::int32_t>({2, 2}, {2, 0, 2, 3}); }

TEST(SparseGradient, ALookupGivesASliceForEachPlace) {
  const Variable table = table_of_four();
  GradientTape tape({.persistent = true});
  const Tensor target = sum(square(gather(table.value(), repeated_rows())));
  const std::vector<SparseGradient> gradients = tape.sparse_gradient(target, {table});
  ASSERT_EQ(gradients[0].slices.size(), 1U);
  const IndexedSlices& slices = gradients[0].slices[0];
  EXPECT_TRUE(slices.indices.shape() == Shape({2, 2}));
  EXPECT_EQ(slices.values.to_vector(), (std::vector<double>{10, 12, 2, 4, 10, 12, 14, 16}));
  EXPECT_EQ(gradients[0].sum.to_vector(), (std::vector<double>{2, 4, 0, 0, 20, 24, 14, 16}));
  EXPECT_TRUE(test::same_bits(gradients[0].sum, tape.gradient(target, table)));
}

TEST(SparseGradient, SlicesSumAfterAFunctionOfEach) {
  const Tensor table = table_of_four().value();
  const std::vector<IndexedSlices> slices{
      {Tensor::from_data<float>({2, 2}, {1, -2, 3, 4}), Tensor::from_data<std::int32_t>({2}, {1, 1})},
      {Tensor::from_data<float>({1, 2}, {-5, 6}), Tensor::from_data<std::int64_t>({1}, {1})}};
  EXPECT_EQ(sum_of_slices(slices, table).to_vector(), (std::vector<double>{0, 0, -1, 8, 0, 0, 0, 0}));
  EXPECT_EQ(sum_of_slices(mapped(slices, [](const Tensor& x) { return square(x); }), table).to_vector(),
            (std::vector<double>{0, 0, 35, 56, 0, 0, 0, 0}));
}

TEST(SparseGradient, TwoLookupsGiveTheSlicesOfBoth) {
  const Variable table = table_of_four();
  GradientTape tape({.persistent = true});
  const Tensor one = Tensor::from_data<std::int32_t>({1}, {2});
  const Tensor target = sum(square(gather(table.value(), repeated_rows()))) + sum(gather(table.value(), one));
  const SparseGradient gradient = tape.sparse_gradient(target, {table})[0];
  EXPECT_EQ(gradient.slices.size(), 2U);
  EXPECT_EQ(gradient.sum.to_vector(), (std::vector<double>{2, 4, 0, 0, 21, 25, 14, 16}));
  EXPECT_TRUE(test::same_bits(gradient.sum, tape.gradient(target, table)));
}

TEST(SparseGradient, AnotherUseMakesItASum) {
  const Variable table = table_of_four();
  const auto slices_of = [&](const auto& target) {
    GradientTape tape;
    return tape.sparse_gradient(target(), {table})[0].slices.size();
  };
  const Tensor rows = repeated_rows();
  EXPECT_EQ(slices_of([&] { return sum(gather(table.value(), rows)) + sum(square(table.value())); }), 0U);
  EXPECT_EQ(slices_of([&] { return sum(gather(table.value() * 2.0, rows)); }), 0U);
  EXPECT_EQ(slices_of([&] { return sum(gather(table.value(), Tensor::from_data<std::int32_t>({2}, {1, 1}), 1)); }), 0U);
  // A use that the target does not depend on is none.
  EXPECT_EQ(slices_of([&] {
              static_cast<void>(square(table.value()));
              return sum(gather(table.value(), rows));
            }),
            1U);
}

TEST(SparseGradient, WithoutDependenceItIsEmpty) {
  const Variable table = table_of_four();
  const Variable other(Tensor::scalar(3.0f));
  GradientTape tape;
  const SparseGradient gradient = tape.sparse_gradient(square(other.value()), {table, other})[0];
  EXPECT_TRUE(gradient.sum.is_empty());
  EXPECT_FALSE(gradient.is_sparse());
}

TEST(SparseGradient, AnAssignedTableHasTheSlicesOfItsFirstValueOnlyAsASum) {
  const Variable table = table_of_four();
  GradientTape tape;
  const Tensor before = gather(table.value(), repeated_rows());
  const Tensor doubled = table.value() * 2.0;
  const Tensor target = sum(before) + sum(gather(doubled, repeated_rows()));
  const SparseGradient gradient = tape.sparse_gradient(target, {table})[0];
  EXPECT_FALSE(gradient.is_sparse());
  EXPECT_EQ(gradient.sum.to_vector(), (std::vector<double>{3, 3, 0, 0, 6, 6, 3, 3}));
}

}  // namespace
}  // namespace rhyton
