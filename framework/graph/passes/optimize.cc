#include <rhyton/framework/graph/passes/optimize.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <rhyton/framework/environment.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/graph/passes/bucket_reductions.h>
#include <rhyton/framework/graph/passes/dead_nodes.h>
#include <rhyton/framework/graph/passes/join_reductions.h>
#include <rhyton/framework/graph/passes/pass_table.h>

namespace rhyton::graph {
namespace {

/// The pass of that name; throws InvalidArgumentError where there is none. `source` says who names it.
const Pass& pass_named(std::string_view name, std::string_view source) {
  const std::span<const Pass> table = pass_table();
  const auto found = std::ranges::find(table, name, &Pass::name);
  if (found != table.end()) return *found;
  std::set<std::string_view> names;
  for (const Pass& pass : table) names.insert(pass.name);
  throw InvalidArgumentError(fmt::format("{} names the pass \"{}\", which does not exist. There are: {}.", source, name,
                                         fmt::join(names, ", ")));
}

std::set<std::string_view> passes_named(std::initializer_list<std::string_view> names) {
  std::set<std::string_view> result;
  for (const std::string_view name : names) result.insert(pass_named(name, "PassOptions").name);
  return result;
}

std::set<std::string_view> passes_disabled_by_environment() {
  std::set<std::string_view> names;
  for (std::string_view list = environment("RHYTON_DISABLE_PASSES"); !list.empty();) {
    const std::string_view name = list.substr(0, list.find(','));
    names.insert(pass_named(name, "RHYTON_DISABLE_PASSES").name);
    list.remove_prefix(std::min(name.size() + 1, list.size()));
  }
  return names;
}

Graph run_passes(Graph graph, Pass::Executor executor, const KernelTable& kernels, const PassOptions& options) {
  const bool may_fuse = !is_switched_on("RHYTON_NO_FUSION");
  const std::set<std::string_view> disabled = passes_disabled_by_environment();
  for (const Pass& pass : pass_table()) {
    if (pass.executor != executor && pass.executor != Pass::Executor::both) continue;
    if (!options.runs(pass.name) || disabled.contains(pass.name) || (pass.changes_ops && !may_fuse)) continue;
    const bool lacks_kernel = executor == Pass::Executor::stream && !pass.required_kernel.empty() &&
                              kernels.find(pass.required_kernel, DType::float32) == nullptr;
    if (!lacks_kernel) graph = remove_dead_nodes(pass.run(graph, kernels));
  }
  return graph;
}

}  // namespace

PassOptions PassOptions::without(std::initializer_list<std::string_view> names) {
  PassOptions options;
  options.switched_off_ = passes_named(names);
  return options;
}

PassOptions PassOptions::without_fusion() { return only({}); }

PassOptions PassOptions::only(std::initializer_list<std::string_view> names) {
  const std::set<std::string_view> wanted = passes_named(names);
  PassOptions options;
  for (const Pass& pass : pass_table()) {
    if (pass.changes_ops && !wanted.contains(pass.name)) options.switched_off_.insert(pass.name);
  }
  return options;
}

Graph optimize(const Graph& graph, const PassOptions& options) {
  return run_passes(bucket_reductions(join_reductions(remove_dead_nodes(graph))), Pass::Executor::host, cpu_kernels(),
                    options);
}

Graph optimize_for(const Graph& graph, const KernelTable& kernels, const PassOptions& options) {
  return run_passes(join_reductions(remove_dead_nodes(graph)), Pass::Executor::stream, kernels, options);
}

}  // namespace rhyton::graph
