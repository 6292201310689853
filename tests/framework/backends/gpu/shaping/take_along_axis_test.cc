#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/indexing.h>
#include <rhyton/tests/framework/backends/gpu/cpu_results.h>
#include <rhyton/tests/framework/backends/gpu/random_indices.h>
#include <rhyton/tests/support/message_of.h>
#include <rhyton/tests/support/random_tensor.h>

namespace rhyton::gpu::take_along_axis_tests {
namespace {

struct TakeCase {
  Shape shape;
  int axis;
  std::int64_t taken;
};

std::vector<TakeCase> take_cases() {
  return {{{5, 7, 3}, 0, 4},  {{5, 7, 3}, 1, 9},   {{5, 7, 3}, 2, 1}, {{3, 1000}, 1, 2500},
          {{20, 100}, 0, 70}, {{6, 40, 33}, 1, 5}, {{9}, 0, 1200},    {{3, 20, 301}, 1, 50},
          {{4, 3}, 1, 0},     {{0, 3}, 1, 2},      {{3, 0}, 0, 2},    {{1, 1}, 0, 1}};
}

Shape with_length(const Shape& shape, int axis, std::int64_t length) {
  return shape.slice(0, axis).concatenate(Shape({length})).concatenate(shape.slice(axis + 1, shape.rank()));
}

/// Also negative ones.
Tensor indices_of(const TakeCase& test, DType dtype) {
  const std::int64_t length = std::max<std::int64_t>(1, test.shape[test.axis]);
  return random_indices(with_length(test.shape, test.axis, test.taken), -length, length, dtype);
}

TEST(GpuTakeAlongAxis, PicksTheElementsThatTheCpuPicks) {
  for (const TakeCase& test : take_cases()) {
    for (const DType dtype : {float32, float64, float16, bfloat16, int32, int64, uint8, bool_}) {
      for (const DType index : {int32, int64}) {
        const Tensor x = test::random_tensor(test.shape, 3, 0, 200).cast(dtype);
        EXPECT_TRUE(gives_bits_of_cpu(std::make_shared<const TakeAlongAxisOp>(test.axis), {x, indices_of(test, index)}))
            << test.shape.to_string() << " axis " << test.axis << " " << name_of(dtype);
      }
    }
  }
}

TEST(GpuTakeAlongAxis, GradientsAreAddedInTheOrderOfTheIndices) {
  // Another order of additions would give other bits.
  for (const TakeCase& test : take_cases()) {
    for (const DType dtype : {float32, float64, float16, bfloat16}) {
      const Tensor indices = indices_of(test, int64);
      const Tensor dy = test::random_tensor(indices.shape(), 5).cast(dtype);
      const auto op = std::make_shared<const TakeAlongAxisGradOp>(test.axis, test.shape[test.axis]);
      EXPECT_TRUE(gives_bits_of_cpu(op, {dy, indices}))
          << test.shape.to_string() << " axis " << test.axis << " " << name_of(dtype);
    }
  }
}

TEST(GpuTakeAlongAxis, TellsOfAnIndexThatIsOutOfRange) {
  const Tensor x = Tensor::full({3, 2}, 1.0);
  const Tensor wrong = Tensor::from_data<std::int32_t>({2, 2}, {0, -3, -4, 1});
  const std::string message = "indices[2] = -1 is not in [0, 3)";
  const auto message_of = [&](const Op& op, const std::vector<Tensor>& inputs) {
    return test::message_of<InvalidArgumentError>([&] { on_gpu(op, inputs); });
  };
  EXPECT_EQ(message_of(TakeAlongAxisOp(0), {x, wrong}), message);
  EXPECT_EQ(message_of(TakeAlongAxisGradOp(0, 3), {Tensor::full({2, 2}, 1.0), wrong}), message);
  EXPECT_EQ(message_of(TakeAlongAxisGradOp(1, 3), {Tensor::full({2, 2}, 1.0), wrong}), message);
}

}  // namespace
}  // namespace rhyton::gpu::take_along_axis_tests
