// Kernels that do many calls with few launches: the bits are those of the calls one by one.

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include <rhyton/framework/backends/gpu/block_shares.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/tests/framework/backends/gpu/cpu_reference.h>

namespace rhyton::gpu {
namespace {

/// Calls of one op, each with memory of its own; every fifth one's begins where no pack may.
class Calls {
 public:
  Calls(const Op& op, const std::vector<Tensor>& inputs) : op_(op) {
    for (const Tensor& input : inputs) {
      const std::vector<TensorSpec> outputs = op.infer(std::vector{input.spec()});
      const TensorView from = {block(input.spec()), input.spec()};
      test_stream().copy_from_host(from.data, input.raw_data(), input.spec().bytes());
      views_.push_back({from, {block(outputs[0]), outputs[0]}});
    }
  }

  std::vector<KernelArguments> arguments() const {
    std::vector<KernelArguments> result;
    for (const Views& views : views_) {
      result.push_back(
          {.op = &op_, .stream = &test_stream(), .inputs = {&views.input, 1}, .outputs = {&views.output, 1}});
    }
    return result;
  }

  const Kernel& kernel() const { return gpu_kernels().get(op_, std::vector{views_[0].input.spec}); }

  std::vector<Tensor> results() const {
    std::vector<Tensor> tensors;
    for (const Views& views : views_) {
      tensors.push_back(Tensor::uninitialized(views.output.spec.shape, views.output.spec.dtype));
      test_stream().copy_to_host(tensors.back().mutable_raw_data(), views.output.data, views.output.spec.bytes());
    }
    return tensors;
  }

 private:
  struct Views {
    TensorView input;
    TensorView output;
  };

  void* block(const TensorSpec& spec) {
    const std::size_t offset = views_.size() % 5 == 4 ? size_of(spec.dtype) : 0;
    return static_cast<std::byte*>(blocks_.emplace_back(spec.bytes() + offset).data()) + offset;
  }

  const Op& op_;
  std::vector<DeviceBlock> blocks_;
  std::vector<Views> views_;
};

void expect_same_together(const OpPtr& op, const std::vector<Tensor>& inputs) {
  SCOPED_TRACE(std::string(op->name()) + " of " + std::string(name_of(inputs[0].dtype())) + ": " + op->attributes());
  const Calls single(*op, inputs);
  for (const KernelArguments& call : single.arguments()) single.kernel().run(call);
  const Calls grouped(*op, inputs);
  ASSERT_NE(grouped.kernel().run_together, nullptr);
  grouped.kernel().run_together(grouped.arguments());
  EXPECT_TRUE(test::same_bits(grouped.results(), single.results()));
}

TEST(GpuGroupedCalls, CastsGiveTheBitsOfSingleOnes) {
  // More tensors than one launch takes, of all sizes, and more elements than its blocks take at once.
  std::vector<Shape> shapes = {{4500000}, {}, {0}, {7, 3}, {70000}};
  for (std::int64_t i = 1; i < 130; ++i) shapes.push_back({i});
  for (const auto& [from, to] : std::vector<std::pair<DType, DType>>{
           {float32, float16}, {float32, bfloat16}, {float16, float32}, {bfloat16, float32}, {float32, int32}}) {
    std::vector<Tensor> inputs;
    for (std::size_t i = 0; i < shapes.size(); ++i) inputs.push_back(random_of(shapes[i], from, i, -300, 300));
    expect_same_together(op_of([&inputs, target = to] { cast(inputs[0], target); }), inputs);
  }
}

TEST(GpuGroupedCalls, TransposesGiveTheBitsOfSingleOnes) {
  // Kernels of convolutions, wide and narrow, more than one launch takes; some that are no transposed matrices; and
  // more tiles than blocks.
  std::vector<Shape> shapes = {{3, 3, 64, 128}, {1, 1, 1, 1},   {3, 3, 1, 32},
                               {5, 3, 0, 4},    {7, 1, 3, 300}, {1, 1, 8, 140000}};
  for (std::int64_t i = 1; i < 130; ++i) shapes.push_back({3, 2, i % 17 + 1, i});
  for (const DType dtype : {float32, float64, bfloat16, uint8}) {
    std::vector<Tensor> inputs;
    for (std::size_t i = 0; i < shapes.size(); ++i) inputs.push_back(random_of(shapes[i], dtype, i, 0, 100));
    for (const std::vector<int>& axes : std::vector<std::vector<int>>{{3, 0, 1, 2}, {1, 2, 3, 0}, {0, 2, 1, 3}}) {
      expect_same_together(op_of([&] { transpose(inputs[0], axes); }), inputs);
    }
  }
}

TEST(GpuGroupedCalls, BlocksFindTheirShare) {
  BlockShares<int, 4> shares;
  shares.per_block = 10;
  shares.add(0, 25);
  shares.add(1, 10);
  shares.add(2, 1);
  EXPECT_EQ(shares.blocks, 5U);
  EXPECT_EQ(shares.part_of(0), 0);
  EXPECT_EQ(shares.part_of(2), 0);
  EXPECT_EQ(shares.part_of(3), 1);
  EXPECT_EQ(shares.part_of(4), 2);
  EXPECT_EQ(shares.first_element(2, 0), 20);
  EXPECT_EQ(shares.first_element(4, 2), 0);
}

TEST(GpuGroupedCalls, BlocksHaveMoreToDoWhereThereAreManyElements) {
  EXPECT_EQ(elements_per_block(1, 1024), 1024);
  EXPECT_EQ(elements_per_block(2112 * 1024, 1024), 1024);
  EXPECT_EQ(elements_per_block(std::int64_t{2112} * 1024 * 5, 1024), 5 * 1024);
}

}  // namespace
}  // namespace rhyton::gpu
