#include <rhyton/framework/ops/shaping.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include <rhyton/tests/framework/backends/gpu/run_kernel.h>
#include <rhyton/tests/framework/backends/gpu/test_stream.h>
#include <rhyton/tests/support/random_tensor.h>
#include <rhyton/tests/support/tensor_distance.h>

namespace rhyton::gpu::shaping_tests {
namespace {

using Numbers = std::vector<std::int64_t>;

std::vector<DType> all_dtypes() { return {float32, float64, float16, bfloat16, int32, int64, uint8, bool_}; }

/// Numbers that are distinct in every dtype but bool.
Tensor some_tensor(const Shape& shape, DType dtype) {
  return dtype == bool_ ? test::random_tensor(shape, 3, -1, 1, float32).cast(uint8).cast(bool_)
                        : test::random_tensor(shape, 3, 0, 250, float32).cast(dtype);
}

/// Expects the kernel to move the same bits as the CPU's, for every dtype.
void expect_same_as_on_cpu(const OpPtr& op, const std::vector<Shape>& shapes,
                           const std::vector<DType>& dtypes = all_dtypes()) {
  for (const DType dtype : dtypes) {
    std::vector<Tensor> inputs;
    for (const Shape& shape : shapes) inputs.push_back(some_tensor(shape, dtype));
    SCOPED_TRACE(std::string(op->name()) + "(" + op->attributes() + ") of " + shapes[0].to_string() + " " +
                 std::string(name_of(dtype)));
    EXPECT_TRUE(test::same_bits(run_kernel(*op, inputs, test_stream()), rhyton::apply(op, inputs)));
  }
}

template <class O, class... Attributes>
OpPtr make_op(Attributes... attributes) {
  return std::make_shared<const O>(attributes...);
}

/// The library's own op of this name cannot be created separately; kernels use only the shapes.
class BroadcastTo final : public Op {
 public:
  explicit BroadcastTo(const Shape& shape) : shape_(shape) {}
  std::string_view name() const override { return "BroadcastTo"; }
  std::vector<TensorSpec> infer(std::span<const TensorSpec> inputs) const override {
    return {{shape_, inputs[0].dtype}};
  }

 private:
  Shape shape_;
};

TEST(GpuReshape, KeepsTheElements) {
  expect_same_as_on_cpu(make_op<ReshapeOp>(Shape({33, 7})), {{3, 77}});
  expect_same_as_on_cpu(make_op<ReshapeOp>(Shape({0, 5})), {{3, 0}});
}

TEST(GpuBroadcastTo, RepeatsByNumPysRule) {
  struct Case {
    Shape from;
    Shape to;
  };
  const std::vector<Case> cases = {{{}, {257}},       {{31}, {3, 31}},
                                   {{3, 1}, {3, 31}}, {{5, 1, 4}, {2, 5, 3, 4}},
                                   {{1}, {0}},        {{2, 1, 3, 1}, {2, 33, 3, 2}},
                                   {{4, 8}, {4, 8}},  {{1, 16}, {9, 16}}};
  for (const Case& test : cases) {
    for (const DType dtype : all_dtypes()) {
      const Tensor x = some_tensor(test.from, dtype);
      const std::vector<Tensor> actual = run_kernel(BroadcastTo(test.to), std::vector{x}, test_stream());
      EXPECT_TRUE(test::same_bits(actual[0], broadcast_to(x, test.to)))
          << test.from.to_string() << " " << test.to.to_string() << " " << name_of(dtype);
    }
  }
}

TEST(GpuTranspose, AgreesWithTheCpuForEveryOrderOfThreeAxes) {
  for (const Shape& shape :
       std::vector<Shape>{{3, 31, 33}, {33, 1, 40}, {2, 64, 9}, {8, 8, 8}, {5, 0, 3}, {70, 3, 2}}) {
    std::vector<int> order = {0, 1, 2};
    do expect_same_as_on_cpu(make_op<TransposeOp>(order), {shape});
    while (std::next_permutation(order.begin(), order.end()));
  }
}

TEST(GpuTranspose, TurnsMatricesOfAllSizesAroundATile) {
  for (const std::int64_t rows : {1, 7, 8, 31, 32, 33, 65, 257}) {
    for (const std::int64_t columns : {1, 8, 32, 35, 129}) {
      expect_same_as_on_cpu(make_op<TransposeOp>(std::vector{1, 0}), {{rows, columns}}, {uint8, float32, float64});
    }
  }
}

TEST(GpuTranspose, TakesUpToEightAxes) {
  expect_same_as_on_cpu(make_op<TransposeOp>(std::vector{7, 6, 5, 4, 3, 2, 1, 0}), {{2, 3, 1, 2, 3, 2, 3, 2}});
  expect_same_as_on_cpu(make_op<TransposeOp>(std::vector{1, 0, 3, 2, 5, 4, 7, 6}), {{2, 9, 2, 9, 2, 1, 2, 9}});
  expect_same_as_on_cpu(make_op<TransposeOp>(std::vector<int>{}), {{}});
}

TEST(GpuConcatenate, JoinsAlongEachAxis) {
  for (const int axis : {0, 1, 2}) {
    const Shape shape = {5, 6, 4};
    expect_same_as_on_cpu(make_op<ConcatenateOp>(axis), {shape.with(axis, 3), shape.with(axis, 1), shape});
    expect_same_as_on_cpu(make_op<ConcatenateOp>(axis), {shape.with(axis, 0), shape.with(axis, 16)});
    expect_same_as_on_cpu(make_op<ConcatenateOp>(axis), {shape.with(axis, 0), shape.with(axis, 0)});
  }
}

TEST(GpuConcatenate, JoinsMoreTensorsThanOneLaunchTakes) {
  std::vector<Shape> shapes;
  for (std::int64_t i = 0; i < 75; ++i) shapes.push_back({3, i % 4, 2});
  expect_same_as_on_cpu(make_op<ConcatenateOp>(1), shapes, {float32, uint8});
}

TEST(GpuSlice, TakesBlocksAndSteps) {
  const std::vector<Shape> x = {{7, 33, 12}};
  expect_same_as_on_cpu(make_op<SliceOp>(Numbers{1, 2, 4}, Numbers{3, 31, 8}, Numbers{1, 1, 1}), x);
  expect_same_as_on_cpu(make_op<SliceOp>(Numbers{2, 0, 0}, Numbers{4, 33, 12}, Numbers{1, 1, 1}), x);
  expect_same_as_on_cpu(make_op<SliceOp>(Numbers{0, 3, 1}, Numbers{3, 10, 4}, Numbers{3, 3, 3}), x);
  expect_same_as_on_cpu(make_op<SliceOp>(Numbers{6, 32, 11}, Numbers{1, 1, 1}, Numbers{1, 1, 1}), x);
  expect_same_as_on_cpu(make_op<SliceOp>(Numbers{0, 33, 0}, Numbers{7, 0, 12}, Numbers{1, 1, 1}), x);
  expect_same_as_on_cpu(make_op<SliceOp>(Numbers{}, Numbers{}, Numbers{}), {{}});
}

TEST(GpuPad, SetsTensorsIntoBorders) {
  struct Case {
    Shape x;
    Numbers before;
    Numbers after;
    Numbers steps;
  };
  const std::vector<Case> cases = {
      {{3, 5, 4}, {1, 2, 0}, {0, 1, 0}, {1, 1, 1}},
      {{3, 5, 4}, {0, 0, 3}, {0, 0, 2}, {1, 1, 1}},
      {{3, 5, 4}, {0, 1, 0}, {2, 0, 1}, {2, 1, 3}},
      {{3, 5, 16}, {0, 2, 0}, {0, 2, 0}, {1, 2, 1}},
      {{33}, {16}, {15}, {1}},
      {{0, 3}, {2, 1}, {1, 1}, {1, 1}},
      {{3, 0}, {0, 0}, {0, 0}, {1, 1}},
      {{}, {}, {}, {}},
      {{4, 8, 8}, {0, 0, 8}, {0, 0, 0}, {1, 1, 1}},
      {{1, 1, 1}, {0, 1, 0}, {0, 1, 0}, {5, 1, 4}},
  };
  for (const Case& test : cases) {
    for (const double value : {0.0, 1.5}) {
      expect_same_as_on_cpu(make_op<PadOp>(test.before, test.after, test.steps, value), {test.x});
    }
  }
}

TEST(GpuReverse, WalksAxesBackwards) {
  const Shape x = {5, 33, 8};
  for (const std::vector<int>& axes : std::vector<std::vector<int>>{{}, {0}, {1}, {2}, {0, 1}, {0, 2}, {0, 1, 2}}) {
    expect_same_as_on_cpu(make_op<ReverseOp>(axes), {x});
  }
  expect_same_as_on_cpu(make_op<ReverseOp>(std::vector<int>{}), {{}});
  expect_same_as_on_cpu(make_op<ReverseOp>(std::vector<int>{0}), {{0, 4}});
}

TEST(GpuShaping, MovesNumbersAsTheyAre) {
  // A NaN with its own bits, and a negative zero.
  Tensor x = Tensor::zeros({2, 3}, float32);
  x.mutable_data<float>()[1] = std::nanf("5");
  x.mutable_data<float>()[2] = -0.0F;
  const OpPtr op = make_op<TransposeOp>(std::vector{1, 0});
  EXPECT_TRUE(test::same_bits(run_kernel(*op, std::vector{x}, test_stream()), rhyton::apply(op, std::vector{x})));
}

}  // namespace
}  // namespace rhyton::gpu::shaping_tests
