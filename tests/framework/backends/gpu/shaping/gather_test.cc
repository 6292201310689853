#include <rhyton/framework/ops/gather.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/tests/framework/backends/gpu/on_gpu.h>
#include <rhyton/tests/framework/backends/gpu/random_indices.h>
#include <rhyton/tests/support/random_tensor.h>
#include <rhyton/tests/support/tensor_distance.h>

namespace rhyton::gpu::gather_tests {
namespace {

std::vector<DType> all_dtypes() { return {float32, float64, float16, bfloat16, int32, int64, uint8, bool_}; }

TEST(GpuGather, PicksTheElementsThatTheCpuPicks) {
  for (const DType dtype : all_dtypes()) {
    for (const DType index : {int32, int64}) {
      for (const int axis : {0, 1, 2}) {
        for (const Shape& params : std::vector<Shape>{{5, 7, 3}, {31, 2, 16}, {1, 33, 1}}) {
          for (const Shape& picked : std::vector<Shape>{{}, {1}, {4, 9}, {257}, {0}}) {
            const Tensor x = test::random_tensor(params, 3, 0, 200, float32).cast(dtype);
            const std::vector<Tensor> inputs = {x, random_indices(picked, 0, params[axis], index)};
            const auto op = std::make_shared<const GatherOp>(axis);
            EXPECT_TRUE(test::same_bits(on_gpu(*op, inputs), apply_single(op, inputs)))
                << name_of(dtype) << " " << params.to_string() << " " << picked.to_string() << " axis " << axis;
          }
        }
      }
    }
  }
}

TEST(GpuGather, TellsOfAnIndexThatIsOutOfRangeAndReadsNothing) {
  const Tensor x = Tensor::full({3, 2}, 1.0);
  for (const std::int32_t wrong : {3, -1, 1 << 30}) {
    const Tensor indices = Tensor::from_data<std::int32_t>({4}, {0, 2, wrong, 1});
    try {
      on_gpu(GatherOp(0), {x, indices});
      FAIL() << "nothing was said about " << wrong;
    } catch (const InvalidArgumentError& error) {
      EXPECT_NE(std::string(error.what()).find("indices[2] = " + std::to_string(wrong) + " is not in [0, 3)"),
                std::string::npos)
          << error.what();
    }
  }
  // The next call succeeds.
  EXPECT_EQ(on_gpu(GatherOp(0), {x, Tensor::from_data<std::int32_t>({1}, {2})}).to_vector(),
            std::vector<double>({1, 1}));
}

struct GradientCase {
  Shape params;
  Shape indices;
  int axis;
};

std::vector<GradientCase> gradient_cases() {
  return {{{5, 7, 3}, {4, 9}, 1}, {{31, 2, 16}, {257}, 0}, {{3, 33, 1}, {50}, 1},    {{700, 8}, {3, 5}, 0},
          {{10}, {1000}, 0},      {{4, 300}, {2600}, 0},   {{2, 3, 257}, {1030}, 1}, {{6, 4}, {0}, 0},
          {{0, 4}, {0}, 0},       {{3, 0}, {5}, 0},        {{1, 1}, {1}, 0},         {{1500, 2}, {2100}, 0}};
}

double tolerance(DType dtype) {
  switch (dtype) {
    case DType::float64:
      return 1e-12;
    case DType::float16:
      return 2e-3;
    case DType::bfloat16:
      return 2e-2;
    case DType::float32:
      return 1e-5;
    default:
      return 0;
  }
}

/// `inputs` are those of the op; its gradients are computed as float64 on the CPU.
void expect_sums_of_cpu(const OpPtr& op, const std::vector<Tensor>& inputs, std::size_t gradient) {
  const Tensor actual = on_gpu(*op, inputs);
  std::vector<Tensor> exact;
  for (std::size_t i = 0; i < inputs.size(); ++i) exact.push_back(i <= gradient ? inputs[i].cast(float64) : inputs[i]);
  const std::vector<double> values = actual.to_vector();
  const std::vector<double> expected = apply_single(op, exact).to_vector();
  ASSERT_EQ(values.size(), expected.size());
  double largest = 0;
  for (const double value : expected) largest = std::max(largest, std::abs(value));
  for (std::size_t i = 0; i < values.size(); ++i) {
    ASSERT_NEAR(values[i], expected[i], tolerance(actual.dtype()) * largest) << i;
  }
  EXPECT_TRUE(test::same_bits(on_gpu(*op, inputs), actual));
}

TEST(GpuGatherGradient, AddsWhereTheCpuAdds) {
  for (const GradientCase& test : gradient_cases()) {
    for (const DType dtype : {float32, float64, float16, bfloat16, int32, int64}) {
      SCOPED_TRACE(test.params.to_string() + " " + test.indices.to_string() + " " + std::string(name_of(dtype)));
      const Shape dy = test.params.slice(0, test.axis)
                           .concatenate(test.indices)
                           .concatenate(test.params.slice(test.axis + 1, test.params.rank()));
      const double size = is_floating(dtype) ? 1 : 100;
      const Tensor gradients = test::random_tensor(dy, 5, -size, size, float64).cast(dtype);
      const Tensor indices = random_indices(test.indices, 0, std::max<std::int64_t>(1, test.params[test.axis]), int64);
      expect_sums_of_cpu(std::make_shared<const GatherGradOp>(test.params, test.axis), {gradients, indices}, 0);
      if (test.axis != 0) continue;
      const Tensor params = Tensor::zeros(test.params, dtype);
      expect_sums_of_cpu(std::make_shared<const GatherRowsGradOp>(), {params, gradients, indices.cast(int32)}, 1);
    }
  }
}

TEST(GpuGatherGradient, AddsInTheOrderOfTheIndices) {
  // All 3000 gradients are added to a few rows; another order of additions would give other bits.
  const Tensor gradients = test::random_tensor({3000, 5}, 11);
  const Tensor indices = random_indices({3000}, 0, 3);
  std::vector<float> sums(15, 0.0F);
  for (std::size_t i = 0; i < 3000; ++i) {
    const auto row = static_cast<std::size_t>(indices.data<std::int32_t>()[i]);
    for (std::size_t k = 0; k < 5; ++k) sums[row * 5 + k] += gradients.data<float>()[i * 5 + k];
  }
  const Tensor expected = Tensor::from_data<float>({3, 5}, sums);
  EXPECT_TRUE(test::same_bits(on_gpu(GatherGradOp({3, 5}, 0), {gradients, indices}), expected));
}

TEST(GpuGatherGradient, TellsOfAnIndexThatIsOutOfRange) {
  const Tensor gradients = Tensor::full({2, 2}, 1.0);
  const Tensor indices = Tensor::from_data<std::int64_t>({2}, {0, 5});
  EXPECT_THROW(on_gpu(GatherGradOp({5, 2}, 0), {gradients, indices}), InvalidArgumentError);
}

TEST(GpuOneHot, AgreesWithTheCpu) {
  for (const DType dtype : all_dtypes()) {
    for (const DType index : {int32, int64, uint8}) {
      for (const Shape& shape : std::vector<Shape>{{}, {33}, {3, 31}, {0}}) {
        for (const std::int64_t depth : {0, 1, 10, 257}) {
          const std::vector<Tensor> inputs = {random_indices(shape, 0, 12, index)};
          const auto op = std::make_shared<const OneHotOp>(depth, dtype);
          EXPECT_TRUE(test::same_bits(on_gpu(*op, inputs), apply_single(op, inputs)))
              << name_of(dtype) << " " << name_of(index) << " " << shape.to_string() << " depth " << depth;
        }
      }
    }
  }
}

TEST(GpuOneHot, IsZeroForAnIndexOutside) {
  const Tensor indices = Tensor::from_data<std::int32_t>({3}, {-1, 2, 1});
  EXPECT_EQ(on_gpu(OneHotOp(2, float32), {indices}).to_vector(), std::vector<double>({0, 0, 0, 0, 0, 1}));
}

}  // namespace
}  // namespace rhyton::gpu::gather_tests
