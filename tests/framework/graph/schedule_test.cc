#include <rhyton/framework/graph/schedule.h>

#include <vector>

#include <gtest/gtest.h>

#include <rhyton/framework/autodiff/gradient_tape.h>
#include <rhyton/framework/graph/passes/optimize.h>
#include <rhyton/framework/graph/tracing.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/matmul.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/ops/shaping.h>

namespace rhyton::graph {
namespace {

InputSpec batch_of(const Shape& shape) { return {{shape, float32}, 0}; }

// For each phase whether it is sliced.
std::vector<bool> phases_of(const std::vector<InputSpec>& inputs, const Function& function) {
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
  EXPECT_EQ(analysis.execution[0], Execution::whole);
  EXPECT_EQ(analysis.execution[1], Execution::whole);
}

}  // namespace
}  // namespace rhyton::graph
