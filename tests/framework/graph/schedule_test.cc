#include <rhyton/framework/graph/schedule.h>

#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/framework/autodiff/gradient_tape.h>
#include <rhyton/framework/graph/executable.h>
#include <rhyton/framework/graph/passes/dead_nodes.h>
#include <rhyton/framework/graph/passes/optimize.h>
#include <rhyton/framework/graph/tracing.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/matmul.h>
#include <rhyton/framework/ops/optimizer_updates.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/ops/segments.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/tests/framework/graph/batch_of.h>

namespace rhyton::graph {
namespace {

// For each phase whether it is sliced.
std::vector<bool> phases_of(const std::vector<FunctionInput>& inputs, const Function& function) {
  const Graph graph = optimize(trace(inputs, function));
  std::vector<bool> sliced;
  for (const Phase& phase : make_schedule(graph, analyze_batch(graph)).phases) sliced.push_back(phase.sliced);
  return sliced;
}

TEST(Schedule, OpsThatMapShareOneSlicedPhase) {
  EXPECT_EQ(phases_of({batch_of({8, 3})},
                      [](const std::vector<Tensor>& in) {
                        return std::vector<Tensor>{relu(exp(in[0]) * 2.0), sum(in[0], {1})};
                      }),
            std::vector<bool>{true});
}

TEST(Schedule, ATrainingStepHasOneSlicedPhaseAndOneForTheUpdates) {
  const Variable kernel(Tensor::full({3, 5}, 0.1), {.name = "kernel"});
  const Variable bias(Tensor::full({5}, 0.1), {.name = "bias"});
  EXPECT_EQ(phases_of({batch_of({8, 3})},
                      [&](const std::vector<Tensor>& in) {
                        GradientTape tape;
                        const Tensor loss = mean(square(tanh(matmul(in[0], kernel) + bias)));
                        const std::vector<Variable> variables{kernel, bias};
                        const std::vector<Tensor> gradients = tape.gradient(loss, variables);
                        for (std::size_t i = 0; i < 2; ++i) variables[i].assign_sub(gradients[i] * 0.1);
                        return std::vector<Tensor>{loss};
                      }),
            (std::vector<bool>{true, false}));
}

TEST(Schedule, AMeanOverTheBatchIsABarrier) {
  EXPECT_EQ(phases_of({batch_of({8, 3})},
                      [](const std::vector<Tensor>& in) { return std::vector<Tensor>{in[0] - mean(in[0], {0})}; }),
            (std::vector<bool>{true, false, true}));
}

TEST(Schedule, WhatDependsOnNoBatchRunsAhead) {
  const Variable kernel(Tensor::full({5, 3}, 0.1), {.name = "kernel"});
  EXPECT_EQ(phases_of({batch_of({8, 3})},
                      [&](const std::vector<Tensor>& in) {
                        return std::vector<Tensor>{matmul(in[0], transpose(kernel.value()))};
                      }),
            (std::vector<bool>{false, true}));
}

TEST(Schedule, IndependentOpsOfAWholePhaseShareAWave) {
  const Variable a(Tensor::full({3}, 1.0), {.name = "a"});
  const Variable b(Tensor::full({3}, 2.0), {.name = "b"});
  const Graph graph =
      trace({}, [&](const std::vector<Tensor>&) { return std::vector<Tensor>{exp(a.value()) + exp(b.value())}; });
  const Schedule schedule = make_schedule(graph, analyze_batch(graph));
  ASSERT_EQ(schedule.phases.size(), 1U);
  ASSERT_EQ(schedule.phases[0].waves.size(), 2U);
  EXPECT_EQ(schedule.phases[0].waves[0].size(), 2U);
  EXPECT_EQ(schedule.end_time, 2);
}

TEST(Schedule, ImagesOfAHalfTypeAreKeptAsSuchBetweenPhases) {
  const Graph graph = trace({{{{8, 6}, bfloat16}, 0}}, [](const std::vector<Tensor>& in) {
    const Tensor wide = cast(exp(in[0]), float32);
    return std::vector<Tensor>{wide * sum(cast(in[0], float32), {0})};
  });
  const Schedule schedule = make_schedule(graph, analyze_batch(graph));
  const auto phase_of = [&](std::size_t i) { return schedule.phase[i]; };
  std::vector<std::string> names;
  for (const Node& node : graph.nodes()) names.emplace_back(node.op->name());
  ASSERT_EQ(names, (std::vector<std::string>{"Exp", "Cast", "Cast", "Sum", "Mul"}));
  EXPECT_LT(phase_of(0), phase_of(1));
  EXPECT_EQ(phase_of(1), phase_of(4));
  EXPECT_EQ(phase_of(2), phase_of(3));
}

TEST(Schedule, SumsOfBytesRunWhole) {
  const Graph graph = trace({{{{6, 2}, uint8}, 0}, {{{6}, int32}, 0}}, [](const std::vector<Tensor>& in) {
    return std::vector<Tensor>{segment_sum(in[0], in[1], 2)};
  });
  Executable executable{graph};
  const Tensor data = Tensor::from_data<std::uint8_t>({6, 2}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 250, 12});
  const Tensor ids = Tensor::from_data<std::int32_t>({6}, {0, 1, 0, 1, 0, 1});
  const Tensor sums = executable({data, ids})[0];
  EXPECT_EQ(sums.dtype(), uint8);
  EXPECT_EQ(sums.to_vector(), (std::vector<double>{15, 18, 4, 24}));
}

// The names of a graph's ops in the order in which a device with one queue runs them.
std::vector<std::string> run_order(const Graph& graph) {
  std::vector<std::string> names;
  for (const Phase& phase : make_sequential_schedule(graph).phases) {
    for (const NodeId id : phase.nodes) names.emplace_back(graph.node(id).op->name());
  }
  return names;
}

TEST(SequentialSchedule, CastsOfWeightsAndGradientsStandSideBySide) {
  const Variable a(Tensor::full({4, 4}, 0.5), {.name = "a"});
  const Variable b(Tensor::full({4, 4}, 0.5), {.name = "b"});
  const Graph graph = trace({{{{2, 4}, bfloat16}, 0}}, [&](const std::vector<Tensor>& in) {
    GradientTape tape;
    const Tensor hidden = matmul(in[0], cast(a.value(), bfloat16));
    const Tensor loss = sum(matmul(hidden, cast(b.value(), bfloat16)));
    const std::vector<Variable> variables{a, b};
    const std::vector<Tensor> gradients = tape.gradient(loss, variables);
    const Tensor rate = Tensor::full({}, 0.1);
    for (std::size_t i = 0; i < 2; ++i) {
      variables[i].assign(sgd_update(variables[i].value(), gradients[i], rate));
    }
    return std::vector<Tensor>{hidden};
  });
  const std::vector<std::string> names = run_order(remove_dead_nodes(graph));
  using Names = std::vector<std::string>;
  EXPECT_EQ(Names(names.begin(), names.begin() + 2), (Names{"Cast", "Cast"}));
  EXPECT_EQ(Names(names.end() - 4, names.end()), (Names{"Cast", "Cast", "SgdUpdate", "SgdUpdate"}));
}

TEST(SequentialSchedule, PenaltiesOfWeightsAreMadeOneAfterTheOther) {
  const Variable a(Tensor::full({4, 4}, 0.5), {.name = "a"});
  const Variable b(Tensor::full({4, 4}, 0.5), {.name = "b"});
  const Graph graph = trace({}, [&](const std::vector<Tensor>&) {
    const Tensor first = sum(square(a.value()));
    const Tensor second = sum(square(b.value()));
    return std::vector<Tensor>{first + second};
  });
  EXPECT_EQ(run_order(graph), (std::vector<std::string>{"Square", "Sum", "Square", "Sum", "AddV2"}));
}

TEST(SequentialSchedule, WhatIsSmallerThanItsInputIsMadeAtOnce) {
  const Variable total(Tensor::full({}, 0.5), {.name = "total"});
  const Graph graph = trace({batch_of({8, 3})}, [&](const std::vector<Tensor>& in) {
    const Tensor large = exp(in[0]);
    const Tensor small = sum(large);
    const Tensor other = sum(tanh(in[0]), {1});
    total.assign(total.value() + small);
    return std::vector<Tensor>{relu(other)};
  });
  EXPECT_EQ(run_order(graph), (std::vector<std::string>{"Exp", "Sum", "Tanh", "Sum", "AddV2", "Relu"}));
}

// Like the gradients of scales, which depend on sums and variances.
TEST(SequentialSchedule, SmallGradientsStandSideBySideAndLargeOnesAreMadeAtOnce) {
  const auto order = [](std::int64_t channels) {
    const Variable a(Tensor::full({channels}, 0.5), {.name = "a"});
    const Variable b(Tensor::full({channels}, 0.5), {.name = "b"});
    return run_order(trace({batch_of({8, channels})}, [&](const std::vector<Tensor>& in) {
      const Tensor rate = Tensor::full({}, 0.1);
      Tensor x = in[0];
      for (const Variable& scale : {a, b}) {
        x = exp(x);
        scale.assign(sgd_update(scale.value(), sum(x, {0}) * scale.value(), rate));
      }
      return std::vector<Tensor>{x};
    }));
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(order(4), (Names{"Exp", "Sum", "Exp", "Sum", "Mul", "Mul", "SgdUpdate", "SgdUpdate"}));
  EXPECT_EQ(order(8192), (Names{"Exp", "Sum", "Mul", "Exp", "Sum", "Mul", "SgdUpdate", "SgdUpdate"}));
}

// Like the averages of weights.
TEST(SequentialSchedule, UpdatesThatOthersReadStandSideBySideWhateverTheirSize) {
  const Variable small(Tensor::full({4}, 0.5), {.name = "small"});
  const Variable large(Tensor::full({8192}, 0.5), {.name = "large"});
  const std::vector<Variable> largest{Variable(Tensor::full({}, 0.5), {.name = "a"}),
                                      Variable(Tensor::full({}, 0.5), {.name = "b"})};
  const Graph graph = trace({batch_of({8, 8192})}, [&](const std::vector<Tensor>& in) {
    const Tensor rate = Tensor::full({}, 0.1);
    large.assign(sgd_update(large.value(), sum(in[0], {0}), rate));
    largest[0].assign(max(large.value()));
    const Tensor x = exp(in[0]);
    small.assign(sgd_update(small.value(), sum(reshape(x, {-1, 4}), {0}), rate));
    largest[1].assign(max(small.value()));
    return std::vector<Tensor>{x};
  });
  EXPECT_EQ(run_order(graph), (std::vector<std::string>{"Sum", "Exp", "Sum", "SgdUpdate", "SgdUpdate", "Max", "Max"}));
}

TEST(SequentialSchedule, WhatWeightsAreCastToIsNotMadeLargerAhead) {
  const Variable table(Tensor::full({4}, 0.5, bfloat16), {.name = "table"});
  const Graph graph = trace({batch_of({2048, 4})}, [&](const std::vector<Tensor>& in) {
    const Tensor large = exp(in[0]);
    const Tensor wide = cast(table.value(), float32);
    return std::vector<Tensor>{sum(large * wide)};
  });
  EXPECT_EQ(run_order(graph), (std::vector<std::string>{"Exp", "Cast", "Mul", "Sum"}));
}

TEST(BatchAnalysis, BatchesOfDifferentSizesAreRefused) {
  const Graph graph = trace({batch_of({8, 3}), batch_of({4, 3})}, [](const std::vector<Tensor>& in) { return in; });
  EXPECT_THROW(analyze_batch(graph), ValueError);
}

TEST(BatchAnalysis, ABatchOnAnotherAxisIsNotSliced) {
  const Graph graph = trace({{{{3, 8}, float32}, 1}}, [](const std::vector<Tensor>& in) {
    return std::vector<Tensor>{relu(in[0]), sum(in[0], {1})};
  });
  const BatchAnalysis analysis = analyze_batch(graph);
  EXPECT_EQ(analysis.batch, 8);
  EXPECT_FALSE(analysis.is_sliced(0));
  EXPECT_FALSE(analysis.is_sliced(1));
}

}  // namespace
}  // namespace rhyton::graph
