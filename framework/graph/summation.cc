#include <rhyton/framework/graph/summation.h>

#include <algorithm>
#include <vector>

#include <rhyton/framework/ops/kernel_table.h>

namespace rhyton::graph {
namespace {

// Smaller results are added up in less time than a barrier takes.
constexpr std::size_t fewest_bytes = 64 * 1024;

}  // namespace

void prefer_whole_sums(const Graph& graph, BatchAnalysis& batch) {
  for (std::size_t i = 0; i < graph.nodes().size(); ++i) {
    const Node& node = graph.nodes()[i];
    if (batch.execution[i] != Execution::sums) continue;
    const std::vector<TensorSpec> inputs = graph.specs_of(node.inputs);
    const std::vector<TensorSpec> outputs = graph.specs_of(node.outputs);
    if (std::any_of(outputs.begin(), outputs.end(), [](const TensorSpec& spec) { return is_half(spec.dtype); })) {
      batch.execution[i] = Execution::whole;
      continue;
    }
    const Kernel* kernel = cpu_kernels().find(node.op->name(), node.op->kernel_dtype(inputs));
    if (kernel == nullptr || kernel->pieces == nullptr) continue;
    std::size_t read = 0;
    std::size_t written = 0;
    for (const TensorSpec& spec : inputs) read += spec.bytes();
    for (const TensorSpec& spec : outputs) written += spec.bytes();
    // Slices would write and read it several times over; whole tensors are written and read once.
    if (written >= fewest_bytes && 4 * written >= read) batch.execution[i] = Execution::whole;
  }
}

}  // namespace rhyton::graph
