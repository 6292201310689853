#include <rhyton/framework/graph/passes/pass_table.h>

#include <rhyton/framework/graph/passes/concatenate_padded_sums.h>
#include <rhyton/framework/graph/passes/constant_folding.h>
#include <rhyton/framework/graph/passes/conv_algorithms.h>
#include <rhyton/framework/graph/passes/demanded_extents.h>
#include <rhyton/framework/graph/passes/drop_broadcasts.h>
#include <rhyton/framework/graph/passes/expand_batch_normalization.h>
#include <rhyton/framework/graph/passes/expand_channel_moments.h>
#include <rhyton/framework/graph/passes/fuse_batch_normalization.h>
#include <rhyton/framework/graph/passes/fuse_channel_scales.h>
#include <rhyton/framework/graph/passes/fuse_elementwise.h>
#include <rhyton/framework/graph/passes/fuse_epilogues.h>
#include <rhyton/framework/graph/passes/fuse_max_pooling.h>
#include <rhyton/framework/graph/passes/pooled_gradients.h>
#include <rhyton/framework/graph/passes/same_padding.h>
#include <rhyton/framework/graph/passes/sum_kernel_gradients.h>
#include <rhyton/framework/graph/passes/use_ohwi_kernels.h>
#include <rhyton/framework/graph/passes/whole_broadcasts.h>
#include <rhyton/framework/graph/passes/widen_half_sums.h>

namespace rhyton::graph {
namespace {

using enum Pass::Executor;

/// For passes that do not depend on the device's kernels.
template <Graph (*pass)(const Graph&)>
Graph on_any(const Graph& graph, const KernelTable& /*kernels*/) {
  return pass(graph);
}

constexpr Pass table[] = {
    {.name = "fold_constants", .executor = stream, .run = &on_any<whole_broadcasts>, .changes_ops = false},
    {.name = "fold_constants", .executor = both, .run = &on_any<fold_constants>, .changes_ops = false},
    {.name = "concatenate_padded_sums", .executor = both, .run = &on_any<concatenate_padded_sums>},
    {.name = "demanded_extents", .executor = both, .run = &on_any<shrink_to_demanded_extents>},
    {.name = "sum_kernel_gradients", .executor = host, .run = &on_any<sum_kernel_gradients>},
    {.name = "same_padding", .executor = host, .run = &on_any<use_same_padding>},
    {.name = "fuse_epilogues", .executor = both, .run = &on_any<fuse_epilogues>},
    {.name = "fuse_max_pooling",
     .executor = both,
     .run = &on_any<fuse_max_pooling>,
     .required_kernel = "FusedConv2DMaxPool"},
    {.name = "pooled_gradients", .executor = both, .run = &use_pooled_gradients},
    {.name = "conv_algorithms", .executor = host, .run = &on_any<choose_conv_algorithms>},
    {.name = "expand_channel_moments", .executor = host, .run = &on_any<expand_channel_moments>},
    {.name = "expand_batch_normalization", .executor = host, .run = &on_any<expand_batch_normalization>},
    {.name = "fuse_channel_scales", .executor = host, .run = &on_any<fuse_channel_scales>},
    {.name = "widen_half_sums", .executor = host, .run = &on_any<widen_half_sums>},
    {.name = "fuse_batch_normalization",
     .executor = stream,
     .run = &on_any<fuse_batch_normalization>,
     .required_kernel = "FusedBatchNormalization"},
    {.name = "use_ohwi_kernels", .executor = stream, .run = &use_ohwi_kernels},
    // Last: they take the elementwise ops that the others have left.
    {.name = "fuse_elementwise", .executor = both, .run = &on_any<drop_broadcasts>},
    {.name = "fuse_elementwise", .executor = host, .run = &on_any<fuse_elementwise>},
    {.name = "fuse_elementwise", .executor = stream, .run = &fuse_elementwise_for},
};

}  // namespace

std::span<const Pass> pass_table() { return table; }

}  // namespace rhyton::graph
