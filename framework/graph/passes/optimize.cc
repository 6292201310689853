#include <rhyton/framework/graph/passes/optimize.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <rhyton/framework/environment.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/graph/passes/bucket_reductions.h>
#include <rhyton/framework/graph/passes/constant_folding.h>
#include <rhyton/framework/graph/passes/conv_algorithms.h>
#include <rhyton/framework/graph/passes/dead_nodes.h>
#include <rhyton/framework/graph/passes/demanded_extents.h>
#include <rhyton/framework/graph/passes/drop_broadcasts.h>
#include <rhyton/framework/graph/passes/expand_batch_normalization.h>
#include <rhyton/framework/graph/passes/expand_channel_moments.h>
#include <rhyton/framework/graph/passes/fuse_batch_normalization.h>
#include <rhyton/framework/graph/passes/fuse_elementwise.h>
#include <rhyton/framework/graph/passes/fuse_epilogues.h>
#include <rhyton/framework/graph/passes/fuse_max_pooling.h>
#include <rhyton/framework/graph/passes/join_reductions.h>
#include <rhyton/framework/graph/passes/pooled_gradients.h>
#include <rhyton/framework/graph/passes/put_filters_first.h>
#include <rhyton/framework/graph/passes/whole_broadcasts.h>
#include <rhyton/framework/graph/passes/widen_half_sums.h>

namespace rhyton::graph {
namespace {

/// All passes that can be disabled.
constexpr std::string_view pass_names[] = {
    "conv_algorithms",  "demanded_extents",         "expand_batch_normalization", "expand_channel_moments",
    "fold_constants",   "fuse_batch_normalization", "fuse_elementwise",           "fuse_epilogues",
    "fuse_max_pooling", "pooled_gradients",         "put_filters_first",          "widen_half_sums",
};

/// The passes that the environment disables. Throws InvalidArgumentError where it names one that does not exist.
std::vector<std::string_view> disabled_passes() {
  std::vector<std::string_view> names;
  for (std::string_view list = environment("RHYTON_DISABLE_PASSES"); !list.empty();) {
    const std::string_view name = list.substr(0, list.find(','));
    if (std::ranges::find(pass_names, name) == std::end(pass_names)) {
      throw InvalidArgumentError(
          fmt::format("RHYTON_DISABLE_PASSES names the pass \"{}\", which does not exist. There are: {}.", name,
                      fmt::join(pass_names, ", ")));
    }
    names.push_back(name);
    list.remove_prefix(std::min(name.size() + 1, list.size()));
  }
  return names;
}

/// Runs one pass after the other, except the disabled ones.
class Passes {
 public:
  explicit Passes(Graph graph) : optimized_(std::move(graph)) {}

  template <class Pass>
  void run(std::string_view name, bool wanted, const Pass& pass) {
    const bool is_disabled = std::ranges::find(disabled_, name) != disabled_.end();
    if (wanted && !is_disabled) optimized_ = remove_dead_nodes(pass(optimized_));
  }
  bool may_fuse() const { return may_fuse_; }
  Graph take() { return std::move(optimized_); }

 private:
  bool may_fuse_ = !is_switched_on("RHYTON_NO_FUSION");
  std::vector<std::string_view> disabled_ = disabled_passes();
  Graph optimized_;
};

}  // namespace

Graph optimize(const Graph& graph, const PassOptions& options) {
  Passes passes(bucket_reductions(join_reductions(remove_dead_nodes(graph))));
  const bool fuse = passes.may_fuse();
  passes.run("fold_constants", options.fold_constants, &fold_constants);
  passes.run("demanded_extents", fuse && options.demanded_extents, &shrink_to_demanded_extents);
  passes.run("fuse_epilogues", fuse && options.fuse_epilogues, &fuse_epilogues);
  passes.run("fuse_max_pooling", fuse && options.fuse_max_pooling, &fuse_max_pooling);
  passes.run("pooled_gradients", fuse && options.pooled_gradients, &use_pooled_gradients);
  passes.run("conv_algorithms", fuse && options.conv_algorithms, &choose_conv_algorithms);
  passes.run("expand_channel_moments", fuse && options.expand_channel_moments, &expand_channel_moments);
  passes.run("expand_batch_normalization", fuse && options.expand_batch_normalization, &expand_batch_normalization);
  passes.run("widen_half_sums", fuse && options.widen_half_sums, &widen_half_sums);
  // Last: they take the elementwise ops that the others have left.
  passes.run("fuse_elementwise", fuse && options.fuse_elementwise, &drop_broadcasts);
  passes.run("fuse_elementwise", fuse && options.fuse_elementwise, &fuse_elementwise);
  return passes.take();
}

Graph optimize_for(const Graph& graph, const KernelTable& kernels, const PassOptions& options) {
  Passes passes(join_reductions(remove_dead_nodes(graph)));
  const bool fuse = passes.may_fuse();
  passes.run("fold_constants", options.fold_constants, &whole_broadcasts);
  passes.run("fold_constants", options.fold_constants, &fold_constants);
  passes.run("demanded_extents", fuse && options.demanded_extents, &shrink_to_demanded_extents);
  passes.run("fuse_epilogues", fuse && options.fuse_epilogues, &fuse_epilogues);
  passes.run("fuse_max_pooling", fuse && options.fuse_max_pooling && kernels.find("FusedConv2DMaxPool", DType::float32),
             &fuse_max_pooling);
  passes.run("fuse_batch_normalization",
             fuse && options.fuse_batch_normalization && kernels.find("FusedBatchNormalization", DType::float32),
             &fuse_batch_normalization);
  passes.run("put_filters_first", fuse && options.put_filters_first,
             [&](const Graph& source) { return put_filters_first(source, kernels); });
  passes.run("fuse_elementwise", fuse && options.fuse_elementwise, &drop_broadcasts);
  passes.run("fuse_elementwise", fuse && options.fuse_elementwise,
             [&](const Graph& source) { return fuse_elementwise_for(source, kernels); });
  return passes.take();
}

}  // namespace rhyton::graph
