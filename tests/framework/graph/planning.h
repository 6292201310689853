#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/framework/context.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/graph/executable.h>
#include <rhyton/framework/graph/plan.h>
#include <rhyton/framework/graph/tracing.h>

// What tests of plans share.

namespace rhyton::graph {

using Tensors = std::vector<Tensor>;

/// The inputs, each with the batch on axis 0.
inline std::vector<FunctionInput> batches_of(const Tensors& inputs) {
  std::vector<FunctionInput> specs;
  for (const Tensor& input : inputs) specs.push_back({input.spec(), 0});
  return specs;
}

/// For each phase whether it is sliced.
inline std::vector<bool> phases_of(const Plan& plan) {
  std::vector<bool> sliced;
  for (const PlannedPhase& phase : plan.phases) sliced.push_back(phase.sliced);
  return sliced;
}

/// The call of that op; it must occur.
inline const PlannedCall& call_of(const Plan& plan, std::string_view op) {
  for (const PlannedPhase& phase : plan.phases) {
    for (const PlannedCall& call : phase.calls) {
      if (call.op->name() == op) return call;
    }
  }
  throw ValueError("The plan has no call of " + std::string(op));
}

inline void expect_close(const Tensors& actual, const Tensors& expected, double tolerance) {
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t i = 0; i < actual.size(); ++i) {
    ASSERT_EQ(actual[i].spec(), expected[i].spec());
    const std::vector<double> a = actual[i].to_vector();
    const std::vector<double> e = expected[i].to_vector();
    for (std::size_t k = 0; k < a.size(); ++k) ASSERT_NEAR(a[k], e[k], tolerance) << "element " << k << " of " << i;
  }
}

/// Runs `function` as a plan with several slicings and numbers of threads, with the check for expired memory; results
/// must be those of eager execution, and the same bits for any number of threads.
inline void expect_planned_as_eager(const Tensors& inputs, const Function& function, double tolerance = 1e-4) {
  const Tensors eager = function(inputs);
  const Graph graph = trace(batches_of(inputs), function);
  const int threads = config::num_threads();
  for (const std::int64_t slices : {0, 1, 3, 16}) {
    for (const std::int64_t chunk : {0, 1, 2}) {
      SCOPED_TRACE("slices " + std::to_string(slices) + ", chunk " + std::to_string(chunk));
      std::vector<std::vector<double>> first;
      for (const int count : {1, 2, 5}) {
        config::set_num_threads(count);
        Executable executable(graph, {.plan = {.slices = slices, .samples_per_chunk = chunk, .check = true}});
        EXPECT_TRUE(is_valid(executable.plan().shared_intervals, executable.plan().shared_layout));
        const Tensors planned = executable(inputs);
        expect_close(planned, eager, tolerance);
        std::vector<std::vector<double>> values;
        for (const Tensor& tensor : planned) values.push_back(tensor.to_vector());
        if (first.empty()) first = values;
        EXPECT_EQ(values, first);
      }
    }
  }
  config::set_num_threads(threads);
}

}  // namespace rhyton::graph
