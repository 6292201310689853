#include <rhyton/framework/graph/tracing.h>

#include <gtest/gtest.h>

#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/listeners.h>
#include <rhyton/framework/ops/matmul.h>
#include <rhyton/tests/framework/graph/batch_of.h>

namespace rhyton::graph {
namespace {

TEST(Trace, WritesDownTheOpsInOrder) {
  const Graph graph = trace(
      {batch_of(4, 3)}, [](const std::vector<Tensor>& inputs) { return std::vector<Tensor>{relu(inputs[0] * 2.0)}; });
  ASSERT_EQ(graph.nodes().size(), 2U);
  EXPECT_EQ(graph.nodes()[1].op->name(), "Relu");
  EXPECT_EQ(graph.outputs.size(), 1U);
  EXPECT_EQ(graph.value(graph.outputs[0]).spec.shape, Shape({4, 3}));
}

TEST(Trace, TheValuesOfATracedTensorAreNotAvailable) {
  trace({batch_of(2, 2)}, [](const std::vector<Tensor>& inputs) {
    EXPECT_TRUE(inputs[0].is_traced());
    EXPECT_THROW(inputs[0].to_vector(), RuntimeError);
    return inputs;
  });
}

TEST(Trace, AVariableIsReadOnceAndWrittenAtTheEnd) {
  const Variable counter(Tensor::scalar(1.0F), {.trainable = false, .name = "counter"});
  const Graph graph = trace({}, [&](const std::vector<Tensor>&) {
    counter.assign_add(Tensor::scalar(1.0F));
    counter.assign_add(Tensor::scalar(2.0F));
    return std::vector<Tensor>{counter.value()};
  });
  int reads = 0;
  for (const Value& value : graph.values()) reads += value.kind == Value::Kind::variable ? 1 : 0;
  EXPECT_EQ(reads, 1);
  ASSERT_EQ(graph.updates.size(), 1U);
  EXPECT_EQ(graph.updates[0].value, graph.outputs[0]);
  EXPECT_EQ(counter.stored_value().item(), 1.0) << "tracing must not run anything";
}

TEST(Trace, ATensorOfAnotherGraphIsRefused) {
  Tensor escaped;
  trace({batch_of(2, 2)}, [&](const std::vector<Tensor>& inputs) {
    escaped = inputs[0];
    return inputs;
  });
  EXPECT_THROW(trace({batch_of(2, 2)},
                     [&](const std::vector<Tensor>& inputs) { return std::vector<Tensor>{inputs[0] + escaped}; }),
               RuntimeError);
  EXPECT_THROW(relu(escaped), RuntimeError);
}

TEST(Trace, AConcreteTensorBecomesOneConstant) {
  const Tensor weights = Tensor::full({3, 2}, 0.5);
  const Graph graph = trace({batch_of(4, 3)}, [&](const std::vector<Tensor>& inputs) {
    return std::vector<Tensor>{matmul(inputs[0], weights), matmul(inputs[0], weights)};
  });
  int constants = 0;
  for (const Value& value : graph.values()) constants += value.kind == Value::Kind::constant ? 1 : 0;
  EXPECT_EQ(constants, 1);
}

TEST(Trace, AnInitScopeExecutesInsideATrace) {
  trace({batch_of(2, 2)}, [](const std::vector<Tensor>& inputs) {
    const InitScope eager;
    EXPECT_EQ(add(Tensor::scalar(1.0F), Tensor::scalar(2.0F)).item(), 3.0);
    return inputs;
  });
}

}  // namespace
}  // namespace rhyton::graph
