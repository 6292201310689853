#include <rhyton/framework/backends/gpu/matmul/batch.h>

#include <gtest/gtest.h>

#include <vector>

namespace rhyton::gpu {
namespace {

/// The arguments of one call of `multiply`.
struct BatchCall {
  MatrixProduct product;
  std::int64_t a;
  std::int64_t b;
  std::int64_t c;

  friend bool operator==(const BatchCall&, const BatchCall&) = default;
};

std::vector<BatchCall> calls_of(const MatMulBatch& batch) {
  std::vector<BatchCall> calls;
  batch.for_each_call([&](const MatrixProduct& product, std::int64_t a, std::int64_t b, std::int64_t c) {
    calls.push_back({product, a, b, c});
  });
  return calls;
}

MatMulBatch plain_batch(const Shape& a, const Shape& b, const Shape& c) {
  return MatMulBatch(float32, a, b, c, false, false);
}

TEST(MatMulBatch, TwoMatricesAreOneProduct) {
  const std::vector<BatchCall> calls = calls_of(plain_batch({3, 5}, {5, 7}, {3, 7}));
  ASSERT_EQ(calls.size(), 1U);
  EXPECT_EQ(calls[0], (BatchCall{{.rows = 3, .columns = 7, .depth = 5}, 0, 0, 0}));
}

TEST(MatMulBatch, TransposedMatricesHaveTheLengthsOfTheProduct) {
  const std::vector<BatchCall> calls = calls_of(MatMulBatch(float64, {5, 3}, {7, 5}, {3, 7}, true, true));
  ASSERT_EQ(calls.size(), 1U);
  EXPECT_EQ(
      calls[0].product,
      (MatrixProduct{.dtype = float64, .transpose_a = true, .transpose_b = true, .rows = 3, .columns = 7, .depth = 5}));
}

TEST(MatMulBatch, ManyMatricesTimesOneAreOneTallMatrix) {
  const MatrixProduct tall = {.rows = 2 * 4 * 3, .columns = 7, .depth = 5};
  for (const Shape& b : {Shape{5, 7}, Shape{1, 5, 7}, Shape{1, 1, 5, 7}}) {
    const std::vector<BatchCall> calls = calls_of(plain_batch({2, 4, 3, 5}, b, {2, 4, 3, 7}));
    ASSERT_EQ(calls.size(), 1U);
    EXPECT_EQ(calls[0].product, tall);
  }
}

TEST(MatMulBatch, TransposedMatricesTimesOneShareIt) {
  const std::vector<BatchCall> calls = calls_of(MatMulBatch(float32, {2, 4, 5, 3}, {5, 7}, {2, 4, 3, 7}, true, false));
  ASSERT_EQ(calls.size(), 1U);
  EXPECT_EQ(calls[0].product,
            (MatrixProduct{
                .transpose_a = true, .rows = 3, .columns = 7, .depth = 5, .count = 8, .a_stride = 15, .c_stride = 21}));
}

TEST(MatMulBatch, AxesThatBothWalkAlikeAreJoined) {
  const std::vector<BatchCall> calls = calls_of(plain_batch({2, 4, 1, 3, 5}, {2, 4, 1, 5, 7}, {2, 4, 1, 3, 7}));
  ASSERT_EQ(calls.size(), 1U);
  EXPECT_EQ(
      calls[0].product,
      (MatrixProduct{.rows = 3, .columns = 7, .depth = 5, .count = 8, .a_stride = 15, .b_stride = 35, .c_stride = 21}));
}

TEST(MatMulBatch, OneMatrixTimesManyIsRepeated) {
  const std::vector<BatchCall> calls = calls_of(plain_batch({3, 5}, {2, 4, 5, 7}, {2, 4, 3, 7}));
  ASSERT_EQ(calls.size(), 1U);
  EXPECT_EQ(calls[0].product,
            (MatrixProduct{.rows = 3, .columns = 7, .depth = 5, .count = 8, .b_stride = 35, .c_stride = 21}));
}

TEST(MatMulBatch, TheLongestAxisGoesToTheLibraryAndTheOthersAreWalked) {
  const std::vector<BatchCall> calls = calls_of(plain_batch({4, 1, 3, 5}, {1, 2, 5, 7}, {4, 2, 3, 7}));
  const MatrixProduct product = {
      .rows = 3, .columns = 7, .depth = 5, .count = 4, .a_stride = 15, .b_stride = 0, .c_stride = 2 * 21};
  ASSERT_EQ(calls.size(), 2U);
  EXPECT_EQ(calls[0], (BatchCall{product, 0, 0, 0}));
  EXPECT_EQ(calls[1], (BatchCall{product, 0, 35, 21}));
}

TEST(MatMulBatch, ATallMatrixMayBePartOfABatch) {
  const std::vector<BatchCall> calls = calls_of(plain_batch({1, 4, 3, 5}, {2, 1, 5, 7}, {2, 4, 3, 7}));
  ASSERT_EQ(calls.size(), 1U);
  EXPECT_EQ(calls[0].product,
            (MatrixProduct{.rows = 12, .columns = 7, .depth = 5, .count = 2, .b_stride = 35, .c_stride = 84}));
}

TEST(MatMulBatch, ManyProductsAreSeveralCalls) {
  const std::int64_t count = 2 * max_products_per_call + 5;
  const std::vector<BatchCall> calls = calls_of(plain_batch({count, 1, 2}, {count, 2, 3}, {count, 1, 3}));
  ASSERT_EQ(calls.size(), 3U);
  EXPECT_EQ(calls[0].product.count, max_products_per_call);
  EXPECT_EQ(calls[2].product.count, 5);
  EXPECT_EQ(calls[2].a, 2 * max_products_per_call * 2);
  EXPECT_EQ(calls[2].b, 2 * max_products_per_call * 6);
  EXPECT_EQ(calls[2].c, 2 * max_products_per_call * 3);
}

TEST(MatMulBatch, WithoutResultsThereIsNothingToDo) {
  for (const MatMulBatch& batch : {plain_batch({0, 5}, {5, 7}, {0, 7}), plain_batch({3, 5}, {5, 0}, {3, 0}),
                                   plain_batch({0, 3, 5}, {1, 5, 7}, {0, 3, 7})}) {
    EXPECT_TRUE(batch.is_empty());
    EXPECT_TRUE(calls_of(batch).empty());
    EXPECT_EQ(workspace_bytes_of(batch.product), 0U);
  }
}

TEST(MatMulBatch, LargeProductsGetALargeWorkspace) {
  constexpr std::size_t mebibyte = 1 << 20;
  EXPECT_EQ(workspace_bytes_of({.rows = 64, .columns = 10, .depth = 64}), 4 * mebibyte);
  EXPECT_EQ(workspace_bytes_of({.rows = 4096, .columns = 4096, .depth = 4096}), 32 * mebibyte);
  EXPECT_EQ(workspace_bytes_of({.rows = 128, .columns = 128, .depth = 128, .count = 100}), 32 * mebibyte);
  EXPECT_EQ(workspace_bytes_of({.rows = 64, .columns = 10, .depth = 0}), 0U);
}

}  // namespace
}  // namespace rhyton::gpu
