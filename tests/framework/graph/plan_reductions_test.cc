// The placement of sums over replicas in a plan: their inputs next to each other, and the sums in place.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include <rhyton/framework/graph/arena_layout.h>
#include <rhyton/framework/graph/executable.h>
#include <rhyton/framework/graph/plan.h>
#include <rhyton/framework/graph/tracing.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/matmul.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/tests/framework/graph/twice.h>
#include <rhyton/tests/support/random_tensor.h>

namespace rhyton::graph {
namespace {

using Tensors = std::vector<Tensor>;

Tensors sums(const Tensors& tensors) { return sums_over(std::make_shared<Twice>(), tensors); }

/// The only sum over replicas of a plan.
const PlannedCall& reduction_of(const Plan& plan) {
  for (const PlannedPhase& phase : plan.phases) {
    for (const PlannedCall& call : phase.calls) {
      if (call.op->name() == "AllReduce") return call;
    }
  }
  throw NotFoundError("The plan has no AllReduce.");
}

bool is_same_place(const Operand& a, const Operand& b) { return a.slot == b.slot && a.offset == b.offset; }

/// Compiles a function of images [12, 5] and checks that its results equal those of eager execution.
Executable compiled(const Function& function) {
  const Tensors inputs{test::random_tensor({12, 5}, 1)};
  Executable executable(trace({{inputs[0].spec(), 0}}, function), {.plan = {.slices = 3, .check = true}});
  EXPECT_TRUE(is_valid(executable.plan().shared_intervals, executable.plan().shared_layout));
  const Tensors expected = function(inputs);
  for (int run = 0; run < 2; ++run) {
    const Tensors actual = executable(inputs);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const std::vector<double> a = actual[i].to_vector();
      const std::vector<double> b = expected[i].to_vector();
      for (std::size_t k = 0; k < b.size(); ++k) EXPECT_NEAR(a[k], b[k], 1e-4) << "element " << k << " of output " << i;
    }
  }
  return executable;
}

TEST(PlanReductions, WhatIsSummedStandsSideBySideAndTheSumsTakeItsPlace) {
  const Executable executable = compiled([](const Tensors& x) {
    const Tensors added =
        sums({sum(x[0], {0}), matmul(x[0], square(x[0]), /*transpose_a=*/true), mean(x[0]), sum(square(x[0]), {0})});
    return Tensors{added[0] * 2.0, added[1] - 1.0, added[2] + 1.0, added[3] * added[0]};
  });
  const PlannedCall& call = reduction_of(executable.plan());
  ASSERT_EQ(call.input_count, 4U);
  std::size_t next = call.operands[0].offset;
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(call.operands[i].slot, Plan::shared_slot);
    EXPECT_EQ(call.operands[i].offset, next) << "tensor " << i;
    EXPECT_TRUE(is_same_place(call.operands[i], call.operands[4 + i])) << "sum " << i;
    next += aligned(call.specs[i].bytes());
  }
}

TEST(PlanReductions, WhatIsReadElsewhereKeepsItsPlace) {
  const Executable executable = compiled([](const Tensors& x) {
    const Tensor own = sum(x[0], {0});
    const Tensors added = sums({own, sum(square(x[0]), {0})});
    return Tensors{added[0] - own, added[1] * 2.0};
  });
  const PlannedCall& call = reduction_of(executable.plan());
  EXPECT_FALSE(is_same_place(call.operands[0], call.operands[2]));
  EXPECT_TRUE(is_same_place(call.operands[1], call.operands[3]));
}

TEST(PlanReductions, ATensorMayBeSummedTwice) {
  const Executable executable = compiled([](const Tensors& x) {
    const Tensor own = sum(x[0], {0});
    const Tensors added = sums({own, own});
    return Tensors{added[0] * 2.0, added[1] + 1.0};
  });
  const PlannedCall& call = reduction_of(executable.plan());
  EXPECT_FALSE(is_same_place(call.operands[2], call.operands[3]));
}

TEST(PlanReductions, InputsConstantsAndVariablesAreLeftAsTheyAre) {
  const Variable variable(Tensor::full({3}, 2.0));
  const Executable executable = compiled([&](const Tensors& x) {
    const Tensors added = sums({x[0], Tensor::full({2}, 7.0), variable, sum(x[0])});
    return Tensors{added[0] * 2.0, added[1] * 2.0, added[2] * 2.0, added[3] * 2.0};
  });
  EXPECT_EQ(variable.value().to_vector(), std::vector<double>(3, 2.0));
  const PlannedCall& call = reduction_of(executable.plan());
  for (std::size_t i = 0; i < 3; ++i) EXPECT_FALSE(is_same_place(call.operands[i], call.operands[4 + i]));
  EXPECT_TRUE(is_same_place(call.operands[3], call.operands[7]));
}

TEST(PlanReductions, SumsMayLeaveTheGraph) {
  compiled([](const Tensors& x) {
    const Tensors added = sums({sum(x[0], {0}), mean(x[0])});
    return Tensors{added[0], added[1], added[1] * 2.0};
  });
}

TEST(PlanReductions, WhatFollowsASumMayNotTakeItsWholeStretch) {
  // Elementwise ops after the sums overwrite their inputs: only their own part.
  compiled([](const Tensors& x) {
    const Tensors added = sums({sum(x[0], {0}), sum(square(x[0]), {0}), sum(x[0] * 3.0, {0})});
    const Tensor first = exp(added[0] * 0.01);
    const Tensor second = exp(added[1] * 0.01);
    return Tensors{first + added[2], second + added[2], first * second};
  });
}

}  // namespace
}  // namespace rhyton::graph
