#include <rhyton/framework/graph/passes/optimize.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include <rhyton/framework/graph/passes/constant_folding.h>
#include <rhyton/framework/graph/passes/conv_algorithms.h>
#include <rhyton/framework/graph/passes/dead_nodes.h>
#include <rhyton/framework/graph/passes/demanded_extents.h>
#include <rhyton/framework/graph/passes/drop_broadcasts.h>
#include <rhyton/framework/graph/passes/expand_batch_normalization.h>
#include <rhyton/framework/graph/passes/fuse_elementwise.h>
#include <rhyton/framework/graph/passes/fuse_epilogues.h>
#include <rhyton/framework/graph/passes/fuse_max_pooling.h>
#include <rhyton/framework/graph/passes/pooled_gradients.h>
#include <rhyton/framework/graph/passes/widen_half_sums.h>

namespace rhyton::graph {
namespace {

std::string_view environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view() : value;
}

/// Whether the name stands in a list that commas separate.
bool names(std::string_view list, std::string_view name) {
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(','), list.size());
    if (list.substr(0, end) == name) return true;
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return false;
}

}  // namespace

Graph optimize(const Graph& graph, const PassOptions& options) {
  const bool fuse = environment("RHYTON_NO_FUSION") != "1";
  const std::string_view disabled = environment("RHYTON_DISABLE_PASSES");
  Graph optimized = remove_dead_nodes(graph);
  const auto run = [&](std::string_view name, bool wanted, Graph (*pass)(const Graph&)) {
    if (wanted && !names(disabled, name)) optimized = remove_dead_nodes(pass(optimized));
  };
  run("fold_constants", options.fold_constants, &fold_constants);
  run("demanded_extents", fuse && options.demanded_extents, &shrink_to_demanded_extents);
  run("fuse_epilogues", fuse && options.fuse_epilogues, &fuse_epilogues);
  run("fuse_max_pooling", fuse && options.fuse_max_pooling, &fuse_max_pooling);
  run("pooled_gradients", fuse && options.pooled_gradients, &use_pooled_gradients);
  run("conv_algorithms", fuse && options.conv_algorithms, &choose_conv_algorithms);
  run("expand_batch_normalization", fuse && options.expand_batch_normalization, &expand_batch_normalization);
  run("widen_half_sums", fuse && options.widen_half_sums, &widen_half_sums);
  // Last: they take whatever elementwise ops the others have left.
  run("fuse_elementwise", fuse && options.fuse_elementwise, &drop_broadcasts);
  run("fuse_elementwise", fuse && options.fuse_elementwise, &fuse_elementwise);
  return optimized;
}

}  // namespace rhyton::graph
