#include <rhyton/framework/graph/plan.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/framework/autodiff/gradient_tape.h>
#include <rhyton/framework/context.h>
#include <rhyton/framework/graph/executable.h>
#include <rhyton/framework/graph/passes/optimize.h>
#include <rhyton/framework/graph/tracing.h>
#include <rhyton/framework/ops/dynamic_slice.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/matmul.h>
#include <rhyton/framework/ops/normalization.h>
#include <rhyton/framework/ops/random.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/ops/scatter.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/framework/ops/softmax.h>
#include <rhyton/tests/framework/graph/batch_of.h>
#include <rhyton/tests/framework/graph/planning.h>
#include <rhyton/tests/support/random_tensor.h>

namespace rhyton::graph {
namespace {

using test::random_tensor;

// --- Memory of inputs for outputs

/// Adds one to two tensors; each output may take the memory of the input with its number.
class AddOneToBothOp final : public Op {
 public:
  explicit AddOneToBothOp(bool in_place) : in_place_(in_place) {}
  std::string_view name() const override { return "AddOneToBoth"; }
  std::vector<TensorSpec> infer(std::span<const TensorSpec> inputs) const override { return {inputs[0], inputs[1]}; }
  BatchRule batch_rule(std::span<const TensorSpec>, std::span<const int>) const override { return BatchRule::maps(); }
  bool may_overwrite(std::size_t input, std::size_t output) const override { return in_place_ && input == output; }

 private:
  bool in_place_;
};

void add_one_to_both(const KernelArguments& arguments) {
  for (std::size_t i = 0; i < 2; ++i) {
    const float* x = arguments.inputs[i].as<float>();
    float* y = arguments.outputs[i].as<float>();
    for (std::int64_t k = 0; k < arguments.inputs[i].size(); ++k) y[k] = x[k] + 1;
  }
}

class InPlace : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { cpu_kernels().add("AddOneToBoth", float32, {.run = &add_one_to_both}); }

  static Function function(bool in_place) {
    return [in_place](const Tensors& in) {
      // The kernel of softmax is no part of a chain.
      const Tensors both = call_many<AddOneToBothOp>({softmax(in[0]), softmax(in[0] * 2.0)}, in_place);
      return Tensors{matmul(both[0], both[1], false, true)};
    };
  }

  static Plan plan(const Shape& shape, bool in_place, int batch_axis) {
    const PlanOptions options{.slices = 2, .samples_per_chunk = 1};
    return make_plan(trace({{{shape, float32}, batch_axis}}, function(in_place)), options);
  }
};

TEST_F(InPlace, AnyOutputTakesTheMemoryOfAnInputThatItsOpMayOverwrite) {
  const auto operands = [](const Plan& plan) { return call_of(plan, "AddOneToBoth").operands; };
  for (const int batch_axis : {0, -1}) {
    SCOPED_TRACE("batch on " + std::to_string(batch_axis));
    const Plan in_place = plan({4, 3, 50}, true, batch_axis);
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_EQ(operands(in_place)[i].slot, operands(in_place)[2 + i].slot);
      EXPECT_EQ(operands(in_place)[i].offset, operands(in_place)[2 + i].offset);
    }
    const Plan apart = plan({4, 3, 50}, false, batch_axis);
    for (std::size_t i = 0; i < 2; ++i) {
      for (std::size_t k = 2; k < 4; ++k) EXPECT_NE(operands(apart)[i].offset, operands(apart)[k].offset);
    }
  }
}

TEST_F(InPlace, TheResultsStay) { expect_planned_as_eager({random_tensor({7, 3, 50}, 1)}, function(true)); }

TEST_F(InPlace, TwoOutputsDoNotShareTheMemoryOfOneInput) {
  expect_planned_as_eager({random_tensor({7, 50}, 1)}, [](const Tensors& in) {
    const Tensor x = softmax(in[0]);
    const Tensors both = call_many<AddOneToBothOp>({x, x}, true);
    return Tensors{both[0] * 2.0 + both[1]};
  });
}

TEST_F(InPlace, AVariableIsOverwrittenByTheOutputThatMayDoSo) {
  const Variable a(Tensor::full({3}, 1.0), {.name = "a"});
  const Variable b(Tensor::full({3}, 10.0), {.name = "b"});
  const auto step = [&](bool swapped) {
    return trace({}, [&, swapped](const Tensors&) {
      const Tensors both = call_many<AddOneToBothOp>({a.value(), b.value()}, true);
      a.assign(both[swapped ? 1 : 0]);
      b.assign(both[swapped ? 0 : 1]);
      return Tensors{};
    });
  };
  Executable straight(step(false));
  EXPECT_TRUE(straight.plan().copies.empty());
  straight({});
  EXPECT_EQ(a.stored_value().to_vector(), std::vector<double>(3, 2.0));
  EXPECT_EQ(b.stored_value().to_vector(), std::vector<double>(3, 11.0));
  Executable swapped(step(true));
  EXPECT_EQ(swapped.plan().copies.size(), 2U);
  swapped({});
  EXPECT_EQ(a.stored_value().to_vector(), std::vector<double>(3, 12.0));
  EXPECT_EQ(b.stored_value().to_vector(), std::vector<double>(3, 3.0));
}

// The cost of an entry does not depend on the length of the cache.
TEST_F(InPlace, AnUpdateOfAPartOfAVariableWritesThisPartAlone) {
  const auto updated = [](const Tensor& cache, const Tensor& row, bool by_indices) {
    const Tensor entry = Tensor::full({1, 3}, 7.0);
    return by_indices ? scatter_update(cache, reshape(row, {1, 1}), entry)
                      : slice_update(cache, pad(reshape(row, {1}), {{0, 1}}), entry);
  };
  for (const bool by_indices : {false, true}) {
    SCOPED_TRACE(by_indices ? "scatter_update" : "slice_update");
    const Variable cache(Tensor::full({50, 3}, 1.0), {.name = "cache"});
    Executable step(trace({{{{}, int32}, -1}}, [&](const Tensors& in) {
      cache.assign(updated(cache.value(), in[0], by_indices));
      return Tensors{sum(cache.value(), {1})};
    }));
    EXPECT_TRUE(step.plan().copies.empty());
    const PlannedCall& call = call_of(step.plan(), by_indices ? "ScatterRowsUpdate" : "DynamicUpdateSlice");
    EXPECT_EQ(call.operands.front().slot, call.operands.back().slot);
    step({Tensor::scalar(4)});
    const std::vector<double> sums = step({Tensor::scalar(40)})[0].to_vector();
    for (std::size_t i = 0; i < sums.size(); ++i) EXPECT_EQ(sums[i], i == 4 || i == 40 ? 21.0 : 3.0) << i;
  }
}

TEST_F(InPlace, AValueThatIsStillReadKeepsItsMemory) {
  expect_planned_as_eager({random_tensor({5, 3}, 1)}, [](const Tensors& in) {
    const Tensor x = softmax(in[0]);
    const Tensor y = slice_update(x, {2, 0}, Tensor::full({1, 3}, 7.0));
    const Tensor z = scatter_update(y, Tensor::from_data<std::int32_t>({1, 1}, {0}), Tensor::full({1, 3}, 9.0));
    return Tensors{x + y, y * z};
  });
}

// --- Rules of outputs

TEST(OutputRules, AnOpThatMapsAndSumsRunsInASlicedPhase) {
  const Tensors inputs{random_tensor({13, 6, 37}, 1), random_tensor({13, 6, 37}, 2), random_tensor({37}, 3)};
  const Tensor& gamma = inputs[2];
  const auto function = [&](const Tensors& in) {
    const Tensors all = call_many<LayerNormalizationGradOp>({in[0] * 2.0, tanh(in[1]), gamma}, 1e-3);
    return Tensors{sum(all[0] * in[0], {1, 2}), all[1], all[2]};
  };
  const Tensors batches{inputs[0], inputs[1]};
  const Plan plan = make_plan(trace(batches_of(batches), function), {.slices = 4});
  EXPECT_EQ(phases_of(plan), std::vector<bool>{true});
  const PlannedCall& call = call_of(plan, "LayerNormalizationGrad");
  EXPECT_TRUE(call.sums);
  EXPECT_EQ(call.cut, (std::vector<bool>{true, true, false, true, false, false}));
  EXPECT_EQ(plan.phases[0].reductions.size(), 2U);
  expect_planned_as_eager(batches, function);
}

TEST(OutputRules, TheGradientOfLayerNormalizationIsOneOp) {
  const Variable gamma(random_tensor({37}, 3), {.name = "gamma"});
  const Variable beta(random_tensor({37}, 4), {.name = "beta"});
  const Variable kernel(random_tensor({37, 37}, 5), {.name = "kernel"});
  const Graph graph = trace({batch_of({13, 37})}, [&](const Tensors& in) {
    GradientTape tape;
    const Tensor loss = sum(square(layer_normalization(matmul(in[0], kernel), gamma, beta, 1e-3)));
    return tape.gradient(loss, std::vector<Variable>{kernel, gamma, beta});
  });
  const auto count = [&](std::string_view name) {
    return std::count_if(graph.nodes().begin(), graph.nodes().end(),
                         [&](const Node& node) { return node.op->name() == name; });
  };
  EXPECT_EQ(count("LayerNormalizationGrad"), 1);
  EXPECT_EQ(count("LayerNormalizationInputGrad"), 0);
  EXPECT_EQ(count("LayerNormalizationParameterGrad"), 0);
}

// --- Rows per sample

TEST(RowsPerSample, AReshapeThatJoinsTheBatchWithAnAxisKeepsOneSlicedPhase) {
  const Variable kernel(random_tensor({11, 7}, 3), {.name = "kernel"});
  const Variable gamma(random_tensor({7}, 4), {.name = "gamma"});
  const Variable beta(random_tensor({7}, 5), {.name = "beta"});
  const auto step = [&](const Tensors& in) {
    GradientTape tape;
    const Tensor rows = reshape(tanh(in[0]), {-1, 11});
    const Tensor y = softmax(layer_normalization(matmul(rows, kernel), gamma, beta, 1e-3));
    const Tensor back = reshape(y, {in[0].shape()[0], 5, 7});
    const Tensor loss = sum(square(back) * in[1]);
    Tensors results = tape.gradient(loss, std::vector<Variable>{kernel, gamma, beta});
    results.push_back(back);
    results.push_back(loss);
    return results;
  };
  for (const std::int64_t batch : {1, 2, 5, 13, 32}) {
    SCOPED_TRACE("batch " + std::to_string(batch));
    const Tensors inputs{random_tensor({batch, 5, 11}, 1), random_tensor({batch, 5, 7}, 2)};
    if (batch > 1) {
      const Plan plan = make_plan(trace(batches_of(inputs), step), {.slices = 4});
      EXPECT_EQ(phases_of(plan), std::vector<bool>{true});
      EXPECT_EQ(call_of(plan, "Softmax").rows_per_sample, 5);
      EXPECT_EQ(call_of(plan, "Tanh").rows_per_sample, 1);
    }
    expect_planned_as_eager(inputs, step);
  }
}

TEST(RowsPerSample, WhatTakesSamplesApartRunsWhole) {
  // 6 samples of 4 rows: 8 rows of the second shape belong to no whole number of samples.
  const auto function = [](const Tensors& in) { return Tensors{softmax(reshape(tanh(in[0]), {8, 9}))}; };
  const Tensors inputs{random_tensor({6, 4, 3}, 1)};
  EXPECT_EQ(phases_of(make_plan(trace(batches_of(inputs), function))), (std::vector<bool>{true, false}));
  expect_planned_as_eager(inputs, function);
}

TEST(RowsPerSample, SamplesOfDifferentRowsMeetInWholeTensors) {
  const auto function = [](const Tensors& in) {
    const Tensor rows = reshape(in[0], {18, 4});
    return Tensors{concatenate({reshape(rows, {6, 12}), in[1]}, 1), matmul(rows, reshape(in[1], {3, 4, 2}))};
  };
  expect_planned_as_eager({random_tensor({6, 3, 4}, 1), random_tensor({6, 4}, 2)}, function);
}

TEST(RowsPerSample, RandomNumbersAreThoseOfTheWholeTensor) {
  expect_planned_as_eager({random_tensor({7, 3, 4}, 1)}, [](const Tensors& in) {
    const Tensor rows = reshape(in[0], {-1, 4});
    return Tensors{rows * random_uniform_like(rows, 5, Tensor::full({}, 3, int64))};
  });
}

// --- Sums that depend on inputs alone

TEST(EarlySums, TheCountOfAMaskDoesNotPushActivationsOutOfTheWorkersArena) {
  const Variable kernel(random_tensor({30, 20}, 3), {.name = "kernel"});
  const auto step = [&](const Tensors& in) {
    GradientTape tape;
    const Tensor mask = cast(in[1] > 0.0, float32);
    const Tensor hidden = tanh(matmul(in[0], kernel));
    const Tensor loss = sum(sum(square(hidden), {1}) * mask) / sum(mask);
    return Tensors{tape.gradient(loss, kernel), loss};
  };
  const Tensors inputs{random_tensor({23, 30}, 1), random_tensor({23}, 2)};
  const Plan plan = make_plan(trace(batches_of(inputs), step), {.slices = 4});
  const auto tanh_call = call_of(plan, "Tanh");
  EXPECT_EQ(tanh_call.operands.back().slot, Plan::worker_slot);
  // The sum of the mask, what is computed from it, everything else.
  EXPECT_EQ(phases_of(plan), (std::vector<bool>{true, false, true, false}));
  expect_planned_as_eager(inputs, step);
}

TEST(EarlySums, TheCountOfAMaskDoesNotDecideTheNumberOfSlices) {
  const Variable kernel(random_tensor({256, 64}, 3), {.name = "kernel"});
  const auto slices = [&](bool divides) {
    const auto step = [&](const Tensors& in) {
      const Tensor loss = sum(square(tanh(matmul(in[0], kernel))), {1});
      const Tensor total = sum(loss * in[1]);
      return Tensors{divides ? total / sum(in[1]) : total};
    };
    return make_plan(trace(batches_of({random_tensor({192, 256}, 1), random_tensor({192}, 2)}), step)).slices;
  };
  EXPECT_GT(slices(false), 2);
  EXPECT_EQ(slices(true), slices(false));
}

TEST(EarlySums, ACountThatNoSliceWaitsForRunsWithTheOthers) {
  const auto step = [](const Tensors& in) { return Tensors{sum(tanh(in[0])) / sum(in[1])}; };
  const Tensors inputs{random_tensor({23, 30}, 1), random_tensor({23}, 2)};
  EXPECT_EQ(phases_of(make_plan(trace(batches_of(inputs), step))), (std::vector<bool>{true, false}));
}

TEST(EarlySums, ASumThatDependsOnWeightsRunsInItsOrder) {
  const Variable kernel(random_tensor({30, 20}, 3), {.name = "kernel"});
  const auto step = [&](const Tensors& in) {
    const Tensor hidden = matmul(in[0], kernel);
    return Tensors{tanh(hidden) / sum(hidden)};
  };
  const Tensors inputs{random_tensor({23, 30}, 1)};
  EXPECT_EQ(phases_of(make_plan(trace(batches_of(inputs), step))), (std::vector<bool>{true, true}));
  expect_planned_as_eager(inputs, step, 1e-2);
}

// --- Samples of a slice

/// The identity, by a kernel that wants 8 samples.
class EightAtLeastOp final : public Op {
 public:
  /// `operations`: of each element.
  explicit EightAtLeastOp(double operations = 1) : operations_(operations) {}
  std::string_view name() const override { return "EightAtLeast"; }
  double flops(std::span<const TensorSpec> inputs, std::span<const TensorSpec>) const override {
    return operations_ * static_cast<double>(inputs[0].shape.size());
  }
  std::vector<TensorSpec> infer(std::span<const TensorSpec> inputs) const override { return {inputs[0]}; }
  BatchRule batch_rule(std::span<const TensorSpec>, std::span<const int>) const override { return BatchRule::maps(); }

 private:
  double operations_;
};

/// Registers its kernel, with the needs of that one.
void register_eight_at_least(Kernel needs) {
  needs.run = [](const KernelArguments& arguments) {
    std::memcpy(arguments.outputs[0].data, arguments.inputs[0].data, arguments.outputs[0].spec.bytes());
  };
  cpu_kernels().add("EightAtLeast", float32, needs);
}

std::int64_t eight(const Op&, Kernel::Specs, Kernel::Specs) { return 8; }

TEST(LeastSamples, SlicesHaveAtLeastThatMany) {
  register_eight_at_least({.least_samples = &eight});
  const auto slices = [](std::int64_t batch) {
    return make_plan(
               trace({batch_of({batch, 3})}, [](const Tensors& in) { return Tensors{call<EightAtLeastOp>({in[0]})}; }))
        .slices;
  };
  EXPECT_EQ(slices(128), 16);
  EXPECT_EQ(slices(64), 8);
  EXPECT_EQ(slices(39), 4);
  // Two workers share any batch.
  EXPECT_EQ(slices(5), 2);
}

TEST(LeastSamples, ChunksHaveThatManyWhereAKernelNeedsThem) {
  // 1.2 MB for each sample, of which no second one stays in the cache.
  const auto chunk = [](const Kernel& needs, double operations) {
    register_eight_at_least(needs);
    const auto step = [operations](const Tensors& in) {
      return Tensors{sum(call<EightAtLeastOp>({in[0] * 2.0}, operations), {1})};
    };
    return make_plan(trace({batch_of({256, 300000})}, step)).chunk;
  };
  EXPECT_EQ(chunk({}, 1000), 1);
  EXPECT_EQ(chunk({.least_chunk = &eight}, 1000), 8);
  // A kernel has its share of the operations as its weight: here less than a half.
  const std::int64_t between = chunk({.least_chunk = &eight}, 1);
  EXPECT_GT(between, 1);
  EXPECT_LE(between, 4);
}

TEST(LeastSamples, AnUnrolledRecurrenceHasChunksThatAreWorthReadingItsWeights) {
  const auto step = [](const Tensors& in) {
    Tensor state = in[0];
    Tensors states;
    for (int i = 0; i < 64; ++i) {
      state = tanh(matmul(state, in[1]));
      states.push_back(state);
    }
    return Tensors{concatenate(states, 1)};
  };
  const TensorSpec weights{{512, 512}, float32};
  const Plan plan = make_plan(trace({batch_of({128, 512}), {weights, -1}}, step));
  EXPECT_GE(plan.chunk, 24);
}

// --- Variables that carry the batch

TEST(BatchVariables, AStateOfEachSampleIsReadAndAssignedInSlices) {
  const Tensor first = random_tensor({13, 6}, 1);
  const Tensor kernel = random_tensor({6, 6}, 2);
  const auto run = [&](bool carries_batch, int threads, std::vector<bool>& phases) {
    config::set_num_threads(threads);
    const Variable state(first, {.trainable = false, .name = "state", .carries_batch = carries_batch});
    const auto step = [&](const Tensors& in) {
      const Tensor next = tanh(matmul(state, kernel) + in[0]);
      state.assign(next);
      return Tensors{next * 2.0, sum(next)};
    };
    Executable executable(trace({batch_of({13, 6})}, step), {.plan = {.slices = 4, .check = true}});
    phases = phases_of(executable.plan());
    EXPECT_EQ(executable.plan().copies.size() + executable.plan().staging.size(), 0U);
    for (unsigned i = 0; i < 3; ++i) executable({random_tensor({13, 6}, 10 + i)});
    return state.stored_value().to_vector();
  };
  const int threads = config::num_threads();
  std::vector<bool> phases;
  const std::vector<double> whole = run(false, 1, phases);
  for (const int count : {1, 2, 5}) {
    EXPECT_EQ(run(true, count, phases), whole);
    EXPECT_EQ(phases, std::vector<bool>{true});
  }
  config::set_num_threads(threads);
}

TEST(BatchVariables, AValueThatIsStillReadIsCopiedAtTheEnd) {
  const Variable state(random_tensor({13, 6}, 1), {.name = "state", .carries_batch = true});
  const Tensor old = state.stored_value().clone();
  Executable executable(trace({batch_of({13, 6})},
                              [&](const Tensors& in) {
                                const Tensor before = state.value();
                                state.assign(softmax(in[0]));
                                return Tensors{before * state.value(), matmul(in[0], before, true)};
                              }),
                        {.plan = {.slices = 4, .check = true}});
  const Tensor x = random_tensor({13, 6}, 2);
  const Tensors results = executable({x});
  expect_close(results, {old * softmax(x), matmul(x, old, true)}, 1e-5);
  expect_close({state.stored_value()}, {softmax(x)}, 1e-6);
}

TEST(BatchVariables, AnotherNumberOfSamplesMakesItAnOrdinaryVariable) {
  const Variable state(random_tensor({1, 6}, 1), {.name = "state", .carries_batch = true});
  expect_planned_as_eager({random_tensor({13, 6}, 1)}, [&](const Tensors& in) { return Tensors{in[0] + state}; });
  EXPECT_THROW(Variable(Tensor::full({}, 1.0), {.name = "scalar", .carries_batch = true}), ValueError);
}

// --- Splits

TEST(Split, ItsGradientIsOneConcatenation) {
  const auto step = [](const Tensors& in) {
    GradientTape tape;
    tape.watch(in[0]);
    const Tensors gates = split(in[0], 4, -1);
    const Tensor loss = sum(tanh(gates[0]) * gates[1] + square(gates[3]));
    return Tensors{tape.gradient(loss, in[0])};
  };
  const Graph graph = trace({batch_of({9, 12})}, step);
  const auto count = [&](std::string_view name) {
    return std::count_if(graph.nodes().begin(), graph.nodes().end(),
                         [&](const Node& node) { return node.op->name() == name; });
  };
  EXPECT_EQ(count("SplitV"), 1);
  EXPECT_EQ(count("ConcatV2"), 1);
  EXPECT_EQ(count("StridedSlice") + count("PadV2"), 0);
  EXPECT_EQ(phases_of(make_plan(graph)), std::vector<bool>{true});
  expect_planned_as_eager({random_tensor({9, 12}, 1)}, step);
}

// --- Graphs of many nodes

TEST(ManyNodes, TwentyThousandElementwiseOpsAreFusedAndPlanned) {
  constexpr int nodes = 20'000;
  const Graph graph = trace({batch_of({2, 1024})}, [&](const Tensors& in) {
    const Tensor shift = in[0] * 0.25;
    Tensor x = in[0];
    for (int i = 0; i < nodes / 2; ++i) x = (x - shift) * 0.5;
    return Tensors{x};
  });
  Executable executable(graph);
  EXPECT_LE(executable.graph().nodes().size(), nodes / 20U);
  // x -> (x - s) / 2 converges to -s.
  const Tensor x = random_tensor({2, 1024}, 1);
  expect_close(executable({x}), {x * -0.25}, 1e-6);
}

TEST(ManyNodes, AValueMayHaveTwentyThousandReaders) {
  constexpr int nodes = 20'000;
  const Graph graph = trace({batch_of({2, 1024})}, [&](const Tensors& in) {
    const Tensor shared = tanh(in[0]);
    Tensors sums;
    for (int i = 0; i < nodes / 100; ++i) {
      Tensor x = shared * 0.5;
      for (int k = 1; k < 100; ++k) x = x + shared;
      sums.push_back(sum(x, {1}));
    }
    return sums;
  });
  const Plan plan = make_plan(optimize(graph));
  EXPECT_EQ(phases_of(plan), std::vector<bool>{true});
}

}  // namespace
}  // namespace rhyton::graph
