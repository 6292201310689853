// Chains of elementwise ops: which ops are fused, and that the bits equal those of the single ops.

#include <cstring>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/framework/autodiff/gradient_tape.h>
#include <rhyton/framework/graph/executable.h>
#include <rhyton/framework/graph/passes/dead_nodes.h>
#include <rhyton/framework/graph/passes/drop_broadcasts.h>
#include <rhyton/framework/graph/passes/fuse_elementwise.h>
#include <rhyton/framework/graph/tracing.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/matmul.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/tests/framework/graph/batch_of.h>
#include <rhyton/tests/framework/graph/passes/traced_steps.h>

namespace rhyton::graph {
namespace {

using Tensors = std::vector<Tensor>;
using Names = std::vector<std::string>;

Tensor random(const Shape& shape, DType dtype = float32) {
  std::mt19937 generator(static_cast<unsigned>(shape.size()));
  std::uniform_real_distribution<float> distribution(-3.0F, 3.0F);
  std::vector<float> values(static_cast<std::size_t>(shape.size()));
  for (float& value : values) value = distribution(generator);
  return cast(Tensor::from_data(shape, values), dtype);
}

/// Runs `function` with and without chains, on slices of the batch and as a whole, and compares the bits; returns the
/// names of the nodes with chains. Memory without further readers is overwritten with NaN.
Names check_bits(const Tensors& inputs, const Function& function, std::size_t with_batch = 100) {
  Names names;
  for (const bool has_batch : {false, true}) {
    std::vector<FunctionInput> specs;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      specs.push_back({inputs[i].spec(), has_batch && i < with_batch ? 0 : -1});
    }
    const Graph graph = trace(specs, function);
    Executable fused(graph, {.plan = {.check = true}});
    Executable plain(graph, {.passes = PassOptions::without({"fuse_elementwise"}), .plan = {.check = true}});
    names = names_of(fused.graph());
    EXPECT_LT(fused.graph().nodes().size(), plain.graph().nodes().size());
    const Tensors actual = fused(inputs);
    const Tensors expected = plain(inputs);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      EXPECT_EQ(std::memcmp(actual[i].raw_data(), expected[i].raw_data(), expected[i].spec().bytes()), 0)
          << "output " << i << (has_batch ? " of a batch" : "");
    }
  }
  return names;
}

const Names one_chain{"ElementwiseChain"};

TEST(FuseElementwise, ARowOfOpsBecomesOne) {
  for (const std::int64_t size : {1024, 1025, 5003, 100001}) {
    EXPECT_EQ(check_bits({random({size})},
                         [](const Tensors& x) { return Tensors{sqrt(abs(x[0] * x[0] - 1.0)) * exp(-x[0]) + x[0]}; }),
              one_chain);
  }
}

TEST(FuseElementwise, EveryKindOfMember) {
  const Function function = [](const Tensors& x) {
    const Tensor a = gelu(x[0], false) + silu(x[0]) * softplus(x[0]);
    const Tensor b = clip_by_value(leaky_relu(a, 0.1), -2.0, 2.0) - elu(x[1]);
    const Tensor c = maximum(tanh(b), sigmoid(x[1])) / (erf(x[0]) + 3.0);
    return Tensors{squared_difference(log1p(abs(c)), gelu(b, true)) + sin(a) * zeros_like(b)};
  };
  for (const DType dtype : {float32, float64}) {
    for (const Shape& shape : {Shape{1031}, Shape{37, 53}, Shape{5, 7, 11, 13}}) {
      EXPECT_EQ(check_bits({random(shape, dtype), random(shape, dtype)}, function), one_chain);
    }
  }
}

TEST(FuseElementwise, IntegersComparisonsAndCasts) {
  const Function integers = [](const Tensors& x) { return Tensors{maximum(x[0] * 3.0 + x[0], square(x[0])) - x[0]}; };
  for (const DType dtype : {int32, int64}) EXPECT_EQ(check_bits({random({1501}, dtype)}, integers), one_chain);
  const Function mixed = [](const Tensors& x) {
    const Tensor is_large = logical_or(greater(x[0], 1.0), logical_not(isfinite(x[1])));
    const Tensor chosen = where(is_large, x[0], x[1] * 2.0);
    return Tensors{cast(is_large, uint8), cast(cast(chosen, float16), float32) + cast(chosen, bfloat16).cast(float32),
                   cast(chosen, int64), cast(chosen, float64) * 0.5};
  };
  for (const Shape& shape : {Shape{1777}, Shape{67, 31}}) {
    EXPECT_EQ(check_bits({random(shape), random(shape)}, mixed), one_chain);
  }
}

TEST(FuseElementwise, RowsColumnsAndScalars) {
  const Function function = [](const Tensors& x) {
    const Tensor centered = x[0] - x[1];
    return Tensors{centered * x[2] + x[3], relu(centered) * x[4]};
  };
  for (const std::int64_t length : {1, 3, 10, 64, 333, 5000}) {
    const Shape shape{length < 100 ? 1100 : 7, length};
    check_bits({random(shape), random({shape[0], 1}), random({length}), random({1, length}), random({})}, function, 2);
  }
  EXPECT_EQ(check_bits({random({6, 9, 10, 5}), random({6, 9, 10, 1}), random({5}), random({1, 1, 1, 5}), random({})},
                       function, 2),
            one_chain);
  // The vector's length equals that of the batch.
  EXPECT_EQ(check_bits({random({64, 64}), random({64, 1}), random({64}), random({1, 64}), random({})}, function, 2),
            one_chain);
}

TEST(FuseElementwise, RowsOfTwoLengthsStayApart) {
  const Graph graph = trace({batch_of({64, 8, 4})}, [](const Tensors& x) {
    const Tensor wide = Tensor::full({8, 4}, 2.0);
    const Tensor narrow = Tensor::full({4}, 2.0);
    return Tensors{exp(x[0] * wide) * narrow};
  });
  EXPECT_EQ(names_of(fuse_elementwise(graph)), (Names{"Mul", "ElementwiseChain"}));
}

TEST(FuseElementwise, ABroadcastInTheMiddleIsLeft) {
  const Graph graph =
      trace({batch_of({64, 8, 4}), batch_of({64, 1, 4})}, [](const Tensors& x) { return Tensors{exp(x[0] * x[1])}; });
  EXPECT_EQ(fuse_elementwise(graph).nodes().size(), 2U);
}

TEST(FuseElementwise, WhatOthersReadIsAnOutputToo) {
  EXPECT_EQ(check_bits({random({97, 33})},
                       [](const Tensors& x) {
                         const Tensor a = x[0] * 2.0;
                         const Tensor b = a + x[0];
                         return Tensors{a, b, b * x[0] - a};
                       }),
            one_chain);
}

TEST(FuseElementwise, WhatWouldWaitForItselfStaysApart) {
  const Names names = check_bits({random({97, 33})}, [](const Tensors& x) {
    const Tensor e = exp(x[0] * 2.0);
    return Tensors{e / sum(e, {1}, true) + 1.0};
  });
  EXPECT_EQ(names, (Names{"ElementwiseChain", "Sum", "ElementwiseChain"}));
}

TEST(FuseElementwise, TwoChainsAreNotJoinedAroundSomethingElse) {
  // a and b would be fused with c, but the sum between them needs a and is needed by b.
  check_bits({random({97, 33})}, [](const Tensors& x) {
    const Tensor a = sqrt(abs(x[0]));
    const Tensor b = exp(x[0] * sum(a, {1}, true));
    return Tensors{a * b + a};
  });
}

TEST(FuseElementwise, ChainsThatWouldWaitForEachOtherAreNotBothMade) {
  // r and its product with the sum of a are a chain; a and its product with r would be one that needs r and is needed
  // for the sum.
  const Graph graph = trace({{{{7, 5}, float32}, -1}, {{{5}, float32}, -1}}, [](const Tensors& x) {
    const Tensor a = x[0] * x[1];
    const Tensor total = sum(a, {0});
    const Tensor r = exp(x[1]);
    const Tensor scaled = r * total;
    return Tensors{scaled, a * r};
  });
  EXPECT_EQ(names_of(fuse_elementwise_for(graph, cpu_kernels())), (Names{"Mul", "Sum", "ElementwiseChain", "Mul"}));
}

TEST(FuseElementwise, ValuesAreWrittenAsTheNarrowTypeTheyAreCastFrom) {
  // The sum separates both chains; the cast belongs to the second one.
  const Graph graph = trace({{{{7, 5}, bfloat16}, -1}}, [](const Tensors& x) {
    const Tensor a = relu(x[0] * 2.0);
    const Tensor wide = cast(a, float32);
    return Tensors{cast(wide * sum(a, {0}, false, float32), bfloat16)};
  });
  const Graph fused = fuse_elementwise_for(graph, cpu_kernels());
  ASSERT_EQ(names_of(fused), (Names{"ElementwiseChain", "Sum", "ElementwiseChain"}));
  EXPECT_EQ(fused.nodes()[0].outputs.size(), 1U);
  EXPECT_EQ(fused.value(fused.nodes()[0].outputs[0]).spec.dtype, bfloat16);
}

TEST(FuseElementwise, CountersOfADeviceAreOneChain) {
  const auto count = [](const char* name, DType dtype) { return Variable(Tensor::zeros({}, dtype), {.name = name}); };
  const std::vector<Variable> counters = {count("steps", int64), count("total", float32), count("position", int64)};
  const auto step = [&](const Tensors& x) {
    for (const Variable& counter : counters) counter.assign(counter.value() + Tensor::full({}, 2, counter.dtype()));
    return Tensors{sum(x[0])};
  };
  const Graph graph = trace({{{{7, 5}, float32}, -1}}, step);
  EXPECT_EQ(names_of(fuse_elementwise(graph)), (Names{"AddV2", "AddV2", "AddV2", "Sum"}));
  const Graph fused = fuse_elementwise_for(graph, cpu_kernels());
  EXPECT_EQ(names_of(fused), (Names{"ElementwiseChain", "Sum"}));
  Executable executable(fused, {.passes = PassOptions::without_fusion()});
  for (int run = 0; run < 3; ++run) executable({random({7, 5})});
  for (const Variable& counter : counters) EXPECT_EQ(counter.value().item(), 6.0) << counter.name();
}

TEST(FuseElementwise, WhatNeedsTheWholeBatchIsABarrier) {
  check_bits({random({97, 33})}, [](const Tensors& x) {
    const Tensor a = square(x[0]) + 1.0;
    const Moments batch = moments(a, {0});
    return Tensors{(a - batch.mean) * rsqrt(batch.variance + 1e-3), abs(a)};
  });
}

TEST(FuseElementwise, ResultsAreNotMadeLongBeforeTheyAreRead) {
  // Fused, all three products would exist at once; in sequence each is summed at once.
  const Names names = check_bits({random({97, 33}), random({97, 33})}, [](const Tensors& x) {
    const Tensor a = exp(x[0] * x[1]);
    Tensors sums;
    sums.push_back(sum(a, {1}));
    sums.push_back(sum(a * x[0], {1}));
    sums.push_back(sum(-a, {1}));
    return sums;
  });
  EXPECT_EQ(names, (Names{"ElementwiseChain", "Sum", "Mul", "Sum", "Neg", "Sum"}));
}

TEST(FuseElementwise, TinyTensorsAndSingleOpsAreLeft) {
  const Graph tiny = trace({batch_of({8, 8})}, [](const Tensors& x) { return Tensors{exp(x[0]) * 2.0}; });
  EXPECT_EQ(names_of(fuse_elementwise(tiny)), (Names{"Exp", "Mul"}));
  const Graph single = trace({batch_of({64, 64})}, [](const Tensors& x) { return Tensors{sum(exp(x[0]))}; });
  EXPECT_EQ(names_of(fuse_elementwise(single)), (Names{"Exp", "Sum"}));
}

TEST(FuseElementwise, VariablesAreUpdatedInPlace) {
  for (const bool fuse : {false, true}) {
    const Variable position(random({50, 41}), {.name = "position"});
    const Variable speed(random({41, 50}).reshape({50, 41}), {.name = "speed"});
    const Graph graph = trace({{{{50, 41}, float32}, -1}}, [&](const Tensors& x) {
      const Tensor faster = speed * 0.9 + x[0];
      speed.assign(faster);
      position.assign(position + faster * position - speed);
      return Tensors{};
    });
    Executable executable(
        graph, {.passes = fuse ? PassOptions() : PassOptions::without({"fuse_elementwise"}), .plan = {.check = true}});
    EXPECT_EQ(names_of(executable.graph()) == one_chain, fuse);
    static Tensors expected;
    executable({random({50, 41})});
    executable({random({50, 41})});
    const Tensors actual{position.value().clone(), speed.value().clone()};
    if (!fuse) expected = actual;
    for (std::size_t i = 0; i < 2; ++i) EXPECT_EQ(actual[i].to_vector(), expected[i].to_vector());
  }
}

TEST(FuseElementwise, ATrainingStepOfManyOpsGivesTheSameBits) {
  const Variable kernel(random({31, 45}), {.name = "kernel"});
  const Variable scale(random({45}), {.name = "scale"});
  check_bits({random({83, 31}), random({83, 45})}, [&](const Tensors& x) {
    GradientTape tape;
    const Tensor hidden = tanh(matmul(x[0], kernel)) * scale;
    const Tensor centered = hidden - mean(hidden, {1}, true);
    const Tensor loss = sum(square(centered * rsqrt(mean(square(centered), {1}, true) + 1e-3) - x[1]));
    return tape.gradient(loss, std::vector<Variable>{kernel, scale});
  });
}

TEST(FuseElementwise, TheSameBitsForAnyNumberOfSlices) {
  const Graph graph = trace({batch_of({61, 77})}, [](const Tensors& x) {
    return Tensors{exp(x[0] - sum(x[0], {1}, true) * 0.1) * gelu(x[0])};
  });
  const Tensor x = random({61, 77});
  Executable one(graph, {.plan = {.slices = 1, .samples_per_chunk = 61}});
  const std::vector<double> expected = one({x})[0].to_vector();
  for (const std::int64_t slices : {2, 5}) {
    Executable many(graph, {.plan = {.slices = slices, .samples_per_chunk = 3, .check = true}});
    EXPECT_EQ(many({x})[0].to_vector(), expected);
  }
}

TEST(DropBroadcasts, WhatBroadcastsAnywayIsNotSpreadBefore) {
  const Graph graph = trace({batch_of({64, 8}), batch_of({64, 1})}, [](const Tensors& x) {
    return Tensors{x[0] * broadcast_to(x[1], {64, 8})};
  });
  EXPECT_EQ(names_of(remove_dead_nodes(drop_broadcasts(graph))), Names{"Mul"});
}

TEST(DropBroadcasts, WhatGivesTheResultItsShapeStays) {
  const Graph graph = trace({batch_of({64, 1})}, [](const Tensors& x) {
    const Tensor wide = broadcast_to(x[0], {64, 8});
    return Tensors{exp(wide), wide * x[0]};
  });
  EXPECT_EQ(names_of(remove_dead_nodes(drop_broadcasts(graph))), (Names{"BroadcastTo", "Exp", "Mul"}));
}

TEST(DropBroadcasts, DerivativesOfActivationsBroadcastByThemselves) {
  // The gradient of a mean over pixels is one number per channel.
  const std::vector<Tensor (*)(const Tensor&)> activations = {
      [](const Tensor& x) { return relu(x); },       [](const Tensor& x) { return tanh(x); },
      [](const Tensor& x) { return sigmoid(x); },    [](const Tensor& x) { return softplus(x); },
      [](const Tensor& x) { return silu(x); },       [](const Tensor& x) { return elu(x, 1.0); },
      [](const Tensor& x) { return gelu(x, true); }, [](const Tensor& x) { return leaky_relu(x, 0.1); }};
  for (const auto& activation : activations) {
    check_bits({random({4, 9, 9, 17})}, [&](const Tensors& in) {
      GradientTape tape;
      tape.watch(in[0]);
      const Tensor loss = sum(square(mean(activation(in[0]), {1, 2})));
      return Tensors{tape.gradient(loss, in)[0]};
    });
  }
}

}  // namespace
}  // namespace rhyton::graph
