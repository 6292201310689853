#include <rhyton/framework/graph/summation.h>

#include <vector>

#include <rhyton/framework/ops/kernel_table.h>

namespace rhyton::graph {
namespace {

// Smaller results are added up in less time than a barrier takes.
constexpr std::size_t fewest_bytes = 64 * 1024;
// How often slices write and read the results, which whole tensors write once; of inputs, whole tensors find less in the
// caches.
constexpr std::size_t times_accessed = 16;

}  // namespace

void prefer_whole_sums(const Graph& graph, BatchAnalysis& batch) {
  for (std::size_t i = 0; i < graph.nodes().size(); ++i) {
    const auto id = static_cast<NodeId>(i);
    const Node& node = graph.node(id);
    if (!batch.sums_any(node)) continue;
    std::size_t written = 0;
    bool has_narrow_sums = false;
    for (const ValueId output : node.outputs) {
      if (!batch.sums(output)) continue;
      const TensorSpec& spec = graph.value(output).spec;
      written += spec.bytes();
      has_narrow_sums = has_narrow_sums || size_of(spec.dtype) < size_of(DType::int32);
    }
    if (has_narrow_sums) {
      batch.run_whole(graph, id);
      continue;
    }
    const std::vector<TensorSpec> inputs = graph.specs_of(node.inputs);
    const Kernel* kernel = cpu_kernels().find(node.op->name(), node.op->kernel_dtype(inputs));
    if (kernel == nullptr || kernel->pieces == nullptr) continue;
    std::size_t read = 0;
    for (const TensorSpec& spec : inputs) read += spec.bytes();
    if (written >= fewest_bytes && times_accessed * written >= read) batch.run_whole(graph, id);
  }
}

}  // namespace rhyton::graph
