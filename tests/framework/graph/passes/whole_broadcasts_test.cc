#include <rhyton/framework/graph/passes/whole_broadcasts.h>

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <rhyton/framework/graph/passes/constant_folding.h>
#include <rhyton/framework/graph/passes/dead_nodes.h>
#include <rhyton/framework/graph/tracing.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/tests/framework/graph/passes/traced_steps.h>

namespace rhyton::graph {
namespace {

using Names = std::vector<std::string>;

TEST(WholeBroadcasts, WhatIsSpreadDoesNotWaitForWhatItIsLike) {
  const Graph graph = trace({{{{8, 3}, float32}, 0}, {{{3}, float32}, -1}}, [](const std::vector<Tensor>& in) {
    return std::vector<Tensor>{broadcast_like(in[1], exp(in[0]))};
  });
  const Graph whole = remove_dead_nodes(whole_broadcasts(graph));
  EXPECT_EQ(names_of(whole), Names{"BroadcastTo"});
  EXPECT_EQ(whole.value(whole.outputs[0]).spec, graph.value(graph.outputs[0]).spec);
}

TEST(WholeBroadcasts, ThoseOfConstantsAreConstants) {
  const Graph graph = trace({{{{8, 3}, float32}, 0}}, [](const std::vector<Tensor>& in) {
    return std::vector<Tensor>{in[0] * exp(broadcast_like(Tensor::full({1}, 0.25), in[0]))};
  });
  EXPECT_EQ(names_of(remove_dead_nodes(fold_constants(whole_broadcasts(graph)))), Names{"Mul"});
}

}  // namespace
}  // namespace rhyton::graph
