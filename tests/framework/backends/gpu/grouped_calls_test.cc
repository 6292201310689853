// Kernels that execute many calls in few launches: the bits are those of the single calls.

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <rhyton/framework/backends/gpu/primitives/block_shares.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/elementwise_chain.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/tests/framework/backends/gpu/cpu_reference.h>

#ifdef RHYTON_CUDA_EMULATION
#include <emulator.h>
#endif

namespace rhyton::gpu {
namespace {

struct Call {
  OpPtr op;
  std::vector<Tensor> inputs;
};

/// Calls of one kernel, each with its own memory; that of every fifth call is not aligned for packs.
class Calls {
 public:
  explicit Calls(const std::vector<Call>& calls) : calls_(calls) {
    for (const Call& call : calls) {
      Views& views = views_.emplace_back();
      std::vector<TensorSpec> specs;
      for (const Tensor& input : call.inputs) {
        specs.push_back(input.spec());
        views.inputs.push_back({block(input.spec()), input.spec()});
        test_stream().copy_from_host(views.inputs.back().data, input.raw_data(), input.spec().bytes());
      }
      for (const TensorSpec& output : call.op->infer(specs)) views.outputs.push_back({block(output), output});
    }
  }

  std::vector<KernelArguments> arguments() const {
    std::vector<KernelArguments> result;
    for (std::size_t i = 0; i < calls_.size(); ++i) {
      result.push_back({.op = calls_[i].op.get(),
                        .stream = &test_stream(),
                        .inputs = views_[i].inputs,
                        .outputs = views_[i].outputs});
    }
    return result;
  }

  const Kernel& kernel() const { return gpu_kernels().get(*calls_[0].op, std::vector{views_[0].inputs[0].spec}); }

  std::vector<Tensor> results() const {
    std::vector<Tensor> tensors;
    for (const Views& views : views_) {
      for (const TensorView& output : views.outputs) {
        tensors.push_back(Tensor::uninitialized(output.spec.shape, output.spec.dtype));
        test_stream().copy_to_host(tensors.back().mutable_raw_data(), output.data, output.spec.bytes());
      }
    }
    return tensors;
  }

 private:
  struct Views {
    std::vector<TensorView> inputs;
    std::vector<TensorView> outputs;
  };

  void* block(const TensorSpec& spec) {
    const std::size_t offset = views_.size() % 5 == 4 ? size_of(spec.dtype) : 0;
    return static_cast<std::byte*>(blocks_.emplace_back(spec.bytes() + offset).data()) + offset;
  }

  const std::vector<Call>& calls_;
  std::vector<DeviceBlock> blocks_;
  std::vector<Views> views_;
};

void expect_same_together(const std::vector<Call>& calls) {
  const Op& op = *calls[0].op;
  SCOPED_TRACE(std::string(op.name()) + " of " + std::string(name_of(calls[0].inputs[0].dtype())) + ": " +
               op.attributes());
  const Calls single(calls);
  for (const KernelArguments& call : single.arguments()) single.kernel().run(call);
  const Calls grouped(calls);
  ASSERT_NE(grouped.kernel().run_together, nullptr);
  grouped.kernel().run_together(grouped.arguments());
  EXPECT_TRUE(test::same_bits(grouped.results(), single.results()));
}

void expect_same_together(const OpPtr& op, const std::vector<Tensor>& inputs) {
  std::vector<Call> calls;
  for (const Tensor& input : inputs) calls.push_back({op, {input}});
  expect_same_together(calls);
}

TEST(GpuGroupedCalls, CastsGiveTheBitsOfSingleOnes) {
  // More tensors than one launch takes, of all sizes, and more elements than its blocks process at once.
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
  // Wide and narrow kernels of convolutions, more than one launch takes; some that are not transposed matrices; and
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

/// x · y + a number, as a chain.
Call chain_of(const Tensor& x, const Tensor& y, const Tensor& number) {
  const std::vector<ChainMember> members = {{op_of([&] { multiply(x, y); }), {0, 1}},
                                            {op_of([&] { add(x, number); }), {3, 2}}};
  std::vector<TensorSpec> specs = {x.spec(), y.spec(), number.spec()};
  return {std::make_shared<const ElementwiseChainOp>(std::move(specs), members, std::vector{1}), {x, y, number}};
}

TEST(GpuGroupedCalls, ChainsGiveTheBitsOfSingleOnes) {
  // More than one launch takes; large ones, which have their own launches; rows and columns between full inputs.
  std::vector<Call> calls;
  const auto add_call = [&](const Shape& x, const Shape& y, DType dtype) {
    const std::uint64_t seed = calls.size();
    calls.push_back(chain_of(random_of(x, dtype, seed), random_of(y, dtype, seed + 1), random_of({}, dtype, seed + 2)));
  };
  for (std::int64_t i = 1; i < 130; ++i) add_call({i}, {i}, float32);
  add_call({300, 256}, {300, 256}, float32);
  add_call({3, 256}, {256}, float32);
  add_call({3, 256}, {3, 1}, float32);
  add_call({5, 7}, {7}, float32);
  add_call({0}, {0}, float32);
  for (const DType dtype : {float32, bfloat16, float64, float32}) add_call({64}, {64}, dtype);
  expect_same_together(calls);
}

#ifdef RHYTON_CUDA_EMULATION

TEST(GpuGroupedCalls, SmallChainsOfOneProgramShareALaunch) {
  std::vector<Call> calls;
  for (std::int64_t i = 2; i < 40; ++i) {
    calls.push_back(chain_of(random_of({i}, float32, 1), random_of({i}, float32, 2), random_of({}, float32, 3)));
  }
  const Calls grouped(calls);
  const std::int64_t before = cuda_emulation::counters().kernels_launched;
  grouped.kernel().run_together(grouped.arguments());
  EXPECT_EQ(cuda_emulation::counters().kernels_launched, before + 1);
}

#endif

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
