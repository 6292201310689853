#include <rhyton/framework/distribute/reduction_buckets.h>

#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

#include <rhyton/framework/distribute/reduction_messages.h>
#include <rhyton/framework/error.h>
#include <rhyton/tests/support/environment_variable.h>

namespace rhyton::distribute {
namespace {

using test::EnvironmentVariable;
using Counts = std::vector<std::size_t>;

constexpr const char* variable = "RHYTON_REDUCTION_BUCKET_MB";
constexpr std::int64_t megabyte = 1 << 20;

TensorSpec kilobytes(std::int64_t count, DType dtype = DType::float32) {
  return {Shape{count * 1024 / static_cast<std::int64_t>(size_of(dtype))}, dtype};
}

TEST(ReductionBuckets, AreOf25MegabytesUnlessSaidOtherwise) {
  const EnvironmentVariable unset(variable, {});
  EXPECT_EQ(reduction_bucket_bytes(), 25 * megabyte);
  const EnvironmentVariable half(variable, "0.5");
  EXPECT_EQ(reduction_bucket_bytes(), megabyte / 2);
  const EnvironmentVariable none(variable, "0");
  EXPECT_EQ(reduction_bucket_bytes(), 0);
  for (const char* wrong : {"-1", "25MB", "nan", "1e9"}) {
    const EnvironmentVariable malformed(variable, wrong);
    EXPECT_THROW(reduction_bucket_bytes(), ValueError) << wrong;
  }
}

TEST(ReductionBuckets, TakeTensorsUntilTheyAreFull) {
  const std::vector<TensorSpec> tensors(7, kilobytes(1024));
  EXPECT_EQ(reduction_buckets(tensors, 2 * megabyte), (Counts{1, 2, 2, 2}));
  EXPECT_EQ(reduction_buckets(tensors, 3 * megabyte - 1), (Counts{1, 3, 3}));
  EXPECT_EQ(reduction_buckets(tensors, 1), (Counts{1, 1, 1, 1, 1, 1, 1}));
}

TEST(ReductionBuckets, SumsThatAreSmallOrShallStayWholeAreNotCut) {
  const std::vector<TensorSpec> tensors(7, kilobytes(1024));
  EXPECT_EQ(reduction_buckets(tensors, 7 * megabyte), Counts{7});
  EXPECT_EQ(reduction_buckets(tensors, 0), Counts{7});
  EXPECT_EQ(reduction_buckets({}, megabyte), Counts{0});
}

TEST(ReductionBuckets, WhatIsSentTogetherStaysTogether) {
  // Kernels with their biases, halves of a message, and a dtype that is summed separately.
  const std::vector<TensorSpec> tensors{kilobytes(2048), kilobytes(1),    kilobytes(500), kilobytes(500),
                                        kilobytes(600),  kilobytes(1024), kilobytes(4),   kilobytes(4, DType::int32),
                                        kilobytes(8),    kilobytes(3000), kilobytes(2)};
  std::vector<ReductionBuffer> all;
  for (const TensorSpec& tensor : tensors) all.push_back({.elements = tensor.shape.size(), .dtype = tensor.dtype});
  const std::size_t messages = reduction_messages(all).size();
  for (const std::int64_t bytes : {std::int64_t{1}, std::int64_t{1000}, megabyte, 2 * megabyte}) {
    std::size_t first = 0;
    std::size_t sent = 0;
    for (const std::size_t count : reduction_buckets(tensors, bytes)) {
      sent += reduction_messages(std::span(all).subspan(first, count)).size();
      first += count;
    }
    EXPECT_EQ(first, tensors.size());
    EXPECT_EQ(sent, messages) << "buckets of " << bytes << " bytes";
  }
}

}  // namespace
}  // namespace rhyton::distribute
