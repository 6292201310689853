#include <rhyton/framework/graph/passes/optimize.h>

#include <cstdlib>
#include <string_view>

#include <rhyton/framework/graph/passes/constant_folding.h>
#include <rhyton/framework/graph/passes/dead_nodes.h>
#include <rhyton/framework/graph/passes/fuse_epilogues.h>

namespace rhyton::graph {

Graph optimize(const Graph& graph, const PassOptions& options) {
  const char* no_fusion = std::getenv("RHYTON_NO_FUSION");
  const bool fuse = options.fuse && (no_fusion == nullptr || std::string_view(no_fusion) != "1");
  Graph optimized = remove_dead_nodes(graph);
  if (options.fold_constants) optimized = remove_dead_nodes(fold_constants(optimized));
  if (fuse) optimized = remove_dead_nodes(fuse_epilogues(optimized));
  return optimized;
}

}  // namespace rhyton::graph
