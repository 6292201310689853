#include <rhyton/framework/graph/device_assignment.h>

#include <functional>
#include <string>

#include <gtest/gtest.h>

#include <rhyton/framework/autodiff/gradient_tape.h>
#include <rhyton/framework/device/device_scope.h>
#include <rhyton/framework/graph/tracing.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/matmul.h>
#include <rhyton/framework/ops/optimizer_updates.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/tests/framework/graph/batch_of.h>
#include <rhyton/tests/framework/graph/pretended_devices.h>

namespace rhyton::graph {
namespace {

using test::PretendedDevices;
using Tensors = std::vector<Tensor>;

Variable weights(const Shape& shape, const std::string& name) { return Variable(Tensor::zeros(shape), {.name = name}); }

/// The devices of the nodes with that op, in order: "01" for one on the first and one on the second.
std::string places(const Graph& graph, const DeviceAssignment& assignment, std::string_view op) {
  std::string found;
  for (std::size_t i = 0; i < graph.nodes().size(); ++i) {
    if (graph.nodes()[i].op->name() == op) found += std::to_string(assignment.nodes[i]->index());
  }
  return found;
}

class DeviceAssignmentTest : public ::testing::Test {
 protected:
  PretendedDevices devices;
};

TEST_F(DeviceAssignmentTest, ScopesAroundATraceSayNothingOfItsNodes) {
  const auto outer = device(devices[1]);
  const Graph graph = trace({batch_of(4, 3)}, [&](const Tensors& in) {
    const Tensor x = relu(in[0]);
    const auto scope = device(devices[2]);
    return Tensors{tanh(x)};
  });
  EXPECT_EQ(graph.nodes()[0].device, nullptr);
  EXPECT_EQ(graph.nodes()[1].device, &devices[2]);
  EXPECT_NE(graph.to_string().find("Tanh(%1) on /device:CPU:2"), std::string::npos) << graph.to_string();
  EXPECT_TRUE(names_other_devices(graph, devices[1]));
  EXPECT_FALSE(names_other_devices(graph, devices[2]));
}

TEST_F(DeviceAssignmentTest, GradientsRunWhereTheirOpsDo) {
  const Variable first = weights({3, 5}, "first");
  const Variable second = weights({5, 2}, "second");
  const Graph graph = trace({batch_of(4, 3)}, [&](const Tensors& in) {
    GradientTape tape;
    Tensor x = in[0];
    {
      const auto scope = device(devices[1]);
      x = tanh(matmul(x, first));
    }
    {
      const auto scope = device(devices[2]);
      x = matmul(x, second);
    }
    return tape.gradient(mean(square(x)), std::vector<Variable>{first, second});
  });
  const DeviceAssignment assignment = assign_devices(graph, devices[0]);
  EXPECT_EQ(places(graph, assignment, "MatMul"), "122");
  EXPECT_EQ(places(graph, assignment, "MatMulKernelGradient"), "21");
  EXPECT_EQ(places(graph, assignment, "TanhGrad"), "1") << graph.to_string();
  EXPECT_EQ(&assignment.of(first), &devices[1]);
  EXPECT_EQ(&assignment.of(second), &devices[2]);
}

TEST_F(DeviceAssignmentTest, ALossRunsWhereThePredictionsAreAndTargetsArePreparedThere) {
  const Graph graph = trace({batch_of(4, 3), {{{4, 3}, int32}, 0}}, [&](const Tensors& in) {
    Tensor x = in[0];
    {
      const auto scope = device(devices[1]);
      x = tanh(x);
    }
    return Tensors{mean(square(x - in[1].cast(float32)))};
  });
  const DeviceAssignment assignment = assign_devices(graph, devices[0]);
  EXPECT_EQ(assignment.only_device(), &devices[1]);
}

TEST_F(DeviceAssignmentTest, WhatPicksPartOfAnInputStaysWhereTheGraphRuns) {
  const Graph graph = trace({{{{100, 3}, float32}, -1}}, [&](const Tensors& in) {
    const Tensor picked = in[0].slice(0, 4);
    const auto scope = device(devices[1]);
    return Tensors{tanh(picked)};
  });
  const DeviceAssignment assignment = assign_devices(graph, devices[0]);
  EXPECT_EQ(assignment.nodes.front(), &devices[0]);
  EXPECT_EQ(assignment.nodes.back(), &devices[1]);
}

TEST_F(DeviceAssignmentTest, UpdatesAndSlotsFollowTheirVariableAndCountersDoNot) {
  const Variable first = weights({3, 5}, "first");
  const Variable second = weights({5, 3}, "second");
  const Variable slot = weights({3, 5}, "slot");
  const Variable momentum = weights({5, 3}, "momentum");
  const Variable rate(Tensor::scalar(0.1F), {.name = "rate"});
  const Variable counter(Tensor::scalar<std::int64_t>(0), {.name = "counter"});
  const Graph graph = trace({batch_of(4, 3)}, [&](const Tensors& in) {
    GradientTape tape;
    Tensor x = in[0];
    for (const auto& [index, variable] : {std::pair(1, first), std::pair(2, second)}) {
      const auto scope = device(devices[index]);
      x = matmul(x, variable);
    }
    const std::vector<Tensor> gradients = tape.gradient(mean(x), std::vector<Variable>{first, second});
    const std::vector<Tensor> updated = sgd_momentum_update(first, slot, gradients[0], rate, 0.9);
    first.assign(updated[0]);
    slot.assign(updated[1]);
    momentum.assign(momentum.value() * 0.9F - gradients[1] * rate.value());
    second.assign_add(momentum.value());
    counter.assign_add(Tensor::scalar<std::int64_t>(1));
    return Tensors{};
  });
  const DeviceAssignment assignment = assign_devices(graph, devices[0]);
  EXPECT_EQ(&assignment.of(first), &devices[1]);
  EXPECT_EQ(&assignment.of(slot), &devices[1]);
  EXPECT_EQ(&assignment.of(second), &devices[2]);
  EXPECT_EQ(&assignment.of(momentum), &devices[2]);
  EXPECT_EQ(&assignment.of(counter), &devices[0]);
  EXPECT_EQ(places(graph, assignment, "Sub"), "2") << graph.to_string();
}

TEST_F(DeviceAssignmentTest, TheGradientOfAWeightThatTwoDevicesReadIsAddedUpWhereItLives) {
  const Variable shared = weights({3, 3}, "shared");
  const Graph graph = trace({batch_of(4, 3)}, [&](const Tensors& in) {
    GradientTape tape;
    Tensor x = in[0];
    for (const int index : {2, 1}) {
      const auto scope = device(devices[index]);
      x = matmul(x, shared);
    }
    return tape.gradient(mean(x), std::vector<Variable>{shared});
  });
  const DeviceAssignment assignment = assign_devices(graph, devices[0]);
  EXPECT_EQ(&assignment.of(shared), &devices[2]);
  EXPECT_EQ(places(graph, assignment, "AddV2"), "2") << graph.to_string();
}

}  // namespace
}  // namespace rhyton::graph
