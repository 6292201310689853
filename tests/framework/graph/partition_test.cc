#include <rhyton/framework/graph/partition.h>

#include <functional>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include <rhyton/framework/device/device_scope.h>
#include <rhyton/framework/graph/tracing.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/matmul.h>
#include <rhyton/tests/framework/graph/batch_of.h>
#include <rhyton/tests/framework/graph/pretended_devices.h>

namespace rhyton::graph {
namespace {

using Tensors = std::vector<Tensor>;

class PartitionTest : public ::testing::Test {
 protected:
  Tensor on(int index, const std::function<Tensor()>& compute) {
    const auto scope = device(devices[index]);
    return compute();
  }

  Partition cut(const Graph& graph) { return partition(graph, assign_devices(graph, devices[0])); }

  /// "0:Relu,Tanh 1:Exp": the parts, each with its device and its ops.
  static std::string describe(const Partition& partition) {
    std::string text;
    for (const GraphPart& part : partition.parts) {
      text += (text.empty() ? "" : " ") + std::to_string(part.device->index());
      std::string_view separator = ":";
      for (const Node& node : part.graph.nodes()) {
        text += std::string(separator) + std::string(node.op->name());
        separator = ",";
      }
    }
    return text;
  }

  test::PretendedDevices devices;
};

TEST_F(PartitionTest, APartEndsWhereAnotherDeviceGoesOn) {
  const Graph graph = trace({batch_of(4, 3)}, [&](const Tensors& in) {
    const Tensor first = on(0, [&] { return tanh(relu(in[0])); });
    const Tensor second = on(1, [&] { return exp(first); });
    return Tensors{on(0, [&] { return tanh(second); })};
  });
  const Partition partition = cut(graph);
  EXPECT_EQ(describe(partition), "0:Relu,Tanh 1:Exp 0:Tanh");
  ASSERT_EQ(partition.parts[1].inputs.size(), 1U);
  EXPECT_EQ(partition.parts[1].inputs, partition.parts[0].outputs);
  EXPECT_EQ(partition.parts[2].inputs, partition.parts[1].outputs);
  EXPECT_EQ(partition.parts[2].outputs, graph.outputs);
  for (const GraphPart& part : partition.parts) {
    EXPECT_EQ(part.graph.value(part.graph.inputs()[0]).batch_axis, 0);
    EXPECT_EQ(part.graph.nodes()[0].device, nullptr);
  }
}

TEST_F(PartitionTest, ADeviceRunsAllThatItCanBeforeAnotherGoesOn) {
  const Graph graph = trace({batch_of(4, 3)}, [&](const Tensors& in) {
    const Tensor a = on(0, [&] { return relu(in[0]); });
    const Tensor b = on(1, [&] { return relu(in[0]); });
    const Tensor c = on(0, [&] { return tanh(a); });
    const Tensor d = on(1, [&] { return tanh(b); });
    return Tensors{on(0, [&] { return c + d; })};
  });
  EXPECT_EQ(describe(cut(graph)), "1:Relu,Tanh 0:Relu,Tanh,AddV2");
}

TEST_F(PartitionTest, TheDeviceThatMostOthersWaitForBegins) {
  const Graph graph = trace({batch_of(4, 3)}, [&](const Tensors& in) {
    const Tensor a = on(0, [&] { return relu(in[0]); });
    const Tensor b = on(2, [&] { return relu(in[0]); });
    const Tensor c = on(1, [&] { return exp(b); });
    return Tensors{on(0, [&] { return a + c; })};
  });
  EXPECT_EQ(describe(cut(graph)), "2:Relu 1:Exp 0:Relu,AddV2");
}

TEST_F(PartitionTest, AValueCrossesOnceHoweverOftenItIsRead) {
  const Graph graph = trace({batch_of(4, 3)}, [&](const Tensors& in) {
    const Tensor a = on(1, [&] { return relu(in[0]); });
    const Tensor b = on(0, [&] { return exp(a); });
    return Tensors{on(0, [&] { return b * (a + a); }), a};
  });
  const Partition partition = cut(graph);
  ASSERT_EQ(describe(partition), "1:Relu 0:Exp,AddV2,Mul");
  EXPECT_EQ(partition.parts[0].outputs.size(), 1U);
  EXPECT_EQ(partition.parts[1].inputs.size(), 1U);
}

TEST_F(PartitionTest, AVariableGoesInWhereItDoesNotLive) {
  const Variable variable(Tensor::zeros({3, 3}), {.name = "variable"});
  const Graph graph = trace({batch_of(4, 3)}, [&](const Tensors& in) {
    const Tensor a = on(1, [&] { return matmul(in[0], variable); });
    return Tensors{on(0, [&] { return matmul(a, variable); })};
  });
  const Partition partition = cut(graph);
  ASSERT_EQ(describe(partition), "1:MatMul 0:MatMul");
  EXPECT_EQ(partition.parts[0].inputs.size(), 1U);
  ASSERT_EQ(partition.parts[1].inputs.size(), 2U);
  EXPECT_EQ(graph.value(partition.parts[1].inputs[1]).kind, Value::Kind::variable);
  EXPECT_EQ(partition.parts[1].graph.value(partition.parts[1].graph.inputs()[1]).batch_axis, -1);
}

TEST_F(PartitionTest, OnlyTheLastPartWritesVariablesItself) {
  const Variable early(Tensor::zeros({4, 3}), {.name = "early"});
  const Variable late(Tensor::zeros({4, 3}), {.name = "late"});
  const Variable from_elsewhere(Tensor::zeros({4, 3}), {.name = "from_elsewhere"});
  const Graph graph = trace({batch_of(4, 3)}, [&](const Tensors& in) {
    const Tensor a = on(1, [&] { return in[0] + early.value() + from_elsewhere.value(); });
    const Tensor b = on(0, [&] { return a * late.value(); });
    early.assign(a);
    late.assign(b);
    from_elsewhere.assign(b);
    return Tensors{};
  });
  const Partition partition = cut(graph);
  ASSERT_EQ(describe(partition), "1:AddV2,AddV2 0:Mul");
  EXPECT_TRUE(partition.parts[0].graph.updates.empty());
  ASSERT_EQ(partition.parts[1].graph.updates.size(), 1U);
  EXPECT_TRUE(partition.parts[1].graph.updates[0].variable.is_same(late));
  ASSERT_EQ(partition.updates.size(), 2U);
  EXPECT_TRUE(partition.updates[0].variable.is_same(early));
  EXPECT_TRUE(partition.updates[1].variable.is_same(from_elsewhere));
  // Both new values are outputs of the parts that compute them.
  EXPECT_EQ(partition.parts[0].outputs.size(), 1U);
  EXPECT_EQ(partition.parts[1].outputs.size(), 1U);
}

}  // namespace
}  // namespace rhyton::graph
