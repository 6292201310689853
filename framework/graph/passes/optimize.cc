#include <rhyton/framework/graph/passes/optimize.h>

#include <cstdlib>
#include <string_view>

#include <rhyton/framework/graph/passes/constant_folding.h>
#include <rhyton/framework/graph/passes/dead_nodes.h>
#include <rhyton/framework/graph/passes/drop_broadcasts.h>
#include <rhyton/framework/graph/passes/fuse_elementwise.h>
#include <rhyton/framework/graph/passes/fuse_epilogues.h>

namespace rhyton::graph {

namespace {

bool is_on(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && std::string_view(value) == "1";
}

}  // namespace

Graph optimize(const Graph& graph, const PassOptions& options) {
  const bool may_fuse = !is_on("RHYTON_NO_FUSION");
  Graph optimized = remove_dead_nodes(graph);
  if (options.fold_constants) optimized = remove_dead_nodes(fold_constants(optimized));
  if (options.fuse && may_fuse) optimized = remove_dead_nodes(fuse_epilogues(optimized));
  // Last: it takes whatever elementwise ops the others have left.
  if (options.fuse_elementwise && may_fuse && !is_on("RHYTON_NO_ELEMENTWISE_FUSION")) {
    optimized = fuse_elementwise(remove_dead_nodes(drop_broadcasts(optimized)));
  }
  return optimized;
}

}  // namespace rhyton::graph
