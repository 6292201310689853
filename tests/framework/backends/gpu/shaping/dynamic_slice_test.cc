#include <rhyton/framework/ops/dynamic_slice.h>

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include <rhyton/framework/error.h>
#include <rhyton/tests/framework/backends/gpu/cpu_results.h>
#include <rhyton/tests/support/message_of.h>
#include <rhyton/tests/support/random_tensor.h>

namespace rhyton::gpu::dynamic_slice_tests {
namespace {

struct Block {
  Shape whole;
  std::vector<std::int64_t> sizes;
  std::vector<std::int64_t> starts;
};

/// Blocks inside, at the ends, beyond the ends, of whole rows, of one element, of none and of all.
std::vector<Block> blocks() {
  return {{{5, 7, 3}, {2, 4, 2}, {3, 1, 0}},
          {{5, 7, 3}, {2, 4, 2}, {9, -2, 1}},
          {{5, 7, 4}, {2, 7, 4}, {1, 0, 0}},
          {{5, 7, 4}, {2, 3, 4}, {1, 2, 0}},
          {{5, 7, 3}, {1, 1, 1}, {4, 6, 2}},
          {{5, 7, 3}, {0, 7, 3}, {2, 0, 0}},
          {{5, 7, 3}, {5, 7, 3}, {0, 0, 0}},
          {{4, 0}, {2, 0}, {1, 0}},
          {{40, 65}, {33, 64}, {7, 1}},
          {{40, 64}, {33, 64}, {5, 0}},
          {{}, {}, {}},
          {{1000}, {999}, {1}},
          {{3, 1, 6}, {2, 1, 6}, {-1, 0, 0}}};
}

std::vector<DType> all_dtypes() { return {float32, float64, float16, bfloat16, int32, int64, uint8, bool_}; }

Tensor starts_of(const Block& block, DType dtype) {
  return Tensor::from_data({static_cast<std::int64_t>(block.starts.size())}, block.starts).cast(dtype);
}

TEST(GpuDynamicSlice, CopiesTheBlockThatTheCpuCopies) {
  for (const Block& block : blocks()) {
    for (const DType dtype : all_dtypes()) {
      for (const DType index : {int32, int64}) {
        const Tensor x = test::random_tensor(block.whole, 3, 0, 200).cast(dtype);
        const auto op = std::make_shared<const DynamicSliceOp>(block.sizes, true);
        EXPECT_TRUE(gives_bits_of_cpu(op, {x, starts_of(block, index)}))
            << block.whole.to_string() << " " << op->attributes() << " " << name_of(dtype);
      }
    }
  }
}

TEST(GpuDynamicSlice, ReplacesTheBlockThatTheCpuReplaces) {
  for (const Block& block : blocks()) {
    for (const DType dtype : all_dtypes()) {
      const Tensor x = test::random_tensor(block.whole, 3, 0, 200).cast(dtype);
      const Tensor updates = test::random_tensor(Shape(block.sizes), 4, 0, 200).cast(dtype);
      EXPECT_TRUE(
          gives_bits_of_cpu(std::make_shared<const DynamicUpdateSliceOp>(), {x, starts_of(block, int64), updates}))
          << block.whole.to_string() << " " << Shape(block.sizes).to_string() << " " << name_of(dtype);
    }
  }
}

TEST(GpuDynamicSlice, TellsOfABlockThatIsNotInside) {
  const Tensor x = Tensor::full({4, 3}, 1.0);
  const auto message = [&](std::vector<std::int64_t> sizes, std::vector<std::int32_t> starts) {
    return test::message_of<InvalidArgumentError>([&] {
      on_gpu(DynamicSliceOp(sizes, false), {x, Tensor::from_data<std::int32_t>({2}, starts)});
    });
  };
  EXPECT_EQ(message({2, 3}, {-1, 0}), "Expected begin[0] in [0, 4], but got -1");
  EXPECT_EQ(message({2, 2}, {2, 9}), "Expected begin[1] in [0, 3], but got 9");
  EXPECT_EQ(message({2, 3}, {3, 0}), "Expected size[0] in [0, 1], but got 2");
  EXPECT_EQ(message({2, 0}, {0, 4}), "Expected begin[1] in [0, 3], but got 4");
  // The next call succeeds.
  const Tensor inside = Tensor::from_data<std::int32_t>({2}, {2, 2});
  EXPECT_EQ(on_gpu(DynamicSliceOp({2, 1}, false), {x, inside}).to_vector(), (std::vector<double>{1, 1}));
}

}  // namespace
}  // namespace rhyton::gpu::dynamic_slice_tests
