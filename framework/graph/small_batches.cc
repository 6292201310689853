#include <rhyton/framework/graph/small_batches.h>

#include <vector>

#include <rhyton/framework/ops/eager.h>
#include <rhyton/framework/ops/kernel_table.h>

namespace rhyton::graph {
namespace {

// Smaller ops take less time than waking other threads.
constexpr double least_flops = 2e6;
constexpr std::size_t least_bytes = 256 * 1024;  // of an op that computes next to nothing

bool is_large(const Op& op, const std::vector<TensorSpec>& inputs, const std::vector<TensorSpec>& outputs) {
  if (op.flops(inputs, outputs) >= least_flops) return true;
  std::size_t bytes = 0;
  for (const std::vector<TensorSpec>* specs : {&inputs, &outputs}) {
    for (const TensorSpec& spec : *specs) bytes += spec.bytes();
  }
  return can_be_divided_along_any_axis(op) && bytes >= least_bytes;
}

bool gains_by_pieces(const Op& op, const std::vector<TensorSpec>& inputs, const std::vector<TensorSpec>& outputs,
                     std::int64_t samples) {
  const Kernel* kernel = cpu_kernels().find(op.name(), op.kernel_dtype(inputs));
  if (kernel == nullptr || !is_large(op, inputs, outputs)) return false;
  const OpSplit split = split_op(op, *kernel, inputs, outputs);
  if (!split.by_kernel) return samples == 1 && split.pieces > 1;
  const std::int64_t least = kernel->least_samples == nullptr ? 1 : kernel->least_samples(op, inputs, outputs);
  return samples < 2 * least;
}

}  // namespace

void prefer_whole_pieces(const Graph& graph, BatchAnalysis& batch) {
  for (std::size_t i = 0; i < graph.nodes().size(); ++i) {
    const auto id = static_cast<NodeId>(i);
    const Node& node = graph.node(id);
    if (!batch.is_sliced(id) || batch.sums_any(node)) continue;
    if (gains_by_pieces(*node.op, graph.specs_of(node.inputs), graph.specs_of(node.outputs), batch.batch)) {
      batch.run_whole(graph, id);
    }
  }
}

}  // namespace rhyton::graph
