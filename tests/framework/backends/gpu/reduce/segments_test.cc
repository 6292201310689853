#include <rhyton/framework/ops/segments.h>

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include <rhyton/framework/error.h>
#include <rhyton/tests/framework/backends/gpu/cpu_results.h>
#include <rhyton/tests/framework/backends/gpu/random_indices.h>
#include <rhyton/tests/support/message_of.h>
#include <rhyton/tests/support/random_tensor.h>

namespace rhyton::gpu::segments_tests {
namespace {

using Kind = SegmentReduceOp::Kind;

struct SegmentsCase {
  Shape data;
  std::int64_t segments;
};

/// Empty segments, long ones, more ids than a block searches at once, and nothing at all.
std::vector<SegmentsCase> segments_cases() {
  return {{{7, 3}, 4}, {{3000}, 3}, {{1100, 2}, 600}, {{1030, 300}, 5}, {{50, 2, 5}, 60}, {{0, 4}, 3}, {{5, 0}, 3}};
}

TEST(GpuSegments, AreJoinedAsOnTheCpuInTheOrderOfTheRows) {
  for (const SegmentsCase& test : segments_cases()) {
    for (const Kind kind : {Kind::sum, Kind::max, Kind::min, Kind::prod}) {
      for (const DType dtype : {float32, float64, float16, bfloat16, int32, int64, uint8}) {
        const double largest = is_floating(dtype) ? 1.5 : 100;
        const Tensor data = test::random_tensor(test.data, 3, dtype == uint8 ? 0 : -largest, largest).cast(dtype);
        // Rows with a negative id belong to no segment.
        const Tensor ids = random_indices({test.data[0]}, -2, test.segments, dtype == int64 ? int64 : int32);
        const auto op = std::make_shared<const SegmentReduceOp>(kind, test.segments);
        EXPECT_TRUE(gives_bits_of_cpu(op, {data, ids}))
            << test.data.to_string() << " " << op->name() << " " << name_of(dtype);
      }
    }
  }
}

TEST(GpuSegments, TellOfAnIdThatIsOutOfRange) {
  const Tensor ids = Tensor::from_data<std::int32_t>({4}, {0, -1, 9, 1});
  const auto message_of = [&](const Tensor& data, std::int64_t segments) {
    return test::message_of<InvalidArgumentError>([&] { on_gpu(SegmentReduceOp(Kind::sum, segments), {data, ids}); });
  };
  EXPECT_EQ(message_of(Tensor::full({4, 2}, 1.0), 4), "segment_ids[2] = 9 is out of range [0, 4)");
  EXPECT_EQ(message_of(Tensor::full({4, 0}, 1.0), 4), "segment_ids[2] = 9 is out of range [0, 4)");
}

}  // namespace
}  // namespace rhyton::gpu::segments_tests
