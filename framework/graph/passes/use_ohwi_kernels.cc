#include <rhyton/framework/graph/passes/use_ohwi_kernels.h>

#include <memory>
#include <unordered_map>
#include <vector>

#include <rhyton/framework/ops/ohwi_convolution.h>
#include <rhyton/framework/ops/shaping.h>

namespace rhyton::graph {
namespace {

class Turner {
 public:
  Turner(const Graph& graph, const KernelTable& kernels) : graph_(graph), kernels_(kernels), rewriter_(graph) {}

  Graph run() {
    for (const Node& node : graph_.nodes()) {
      if (!try_replace(node)) rewriter_.keep(node);
    }
    return rewriter_.finish();
  }

 private:
  bool try_replace(const Node& node) {
    if (!OhwiConvolutionOp::is_possible(*node.op)) return false;
    const auto op = std::make_shared<const OhwiConvolutionOp>(node.op);
    const std::vector<TensorSpec> input_specs = op->own_inputs(graph_.specs_of(node.inputs));
    const std::vector<TensorSpec> output_specs = op->infer(input_specs);
    const Kernel* const kernel = kernels_.find(op->name(), op->kernel_dtype(input_specs));
    if (kernel == nullptr) return false;
    if (kernel->accepts != nullptr && !kernel->accepts(*op, input_specs, output_specs)) return false;

    std::vector<ValueId> inputs = rewriter_.mapped(node.inputs);
    if (op->kernel_input() >= 0) {
      const auto place = static_cast<std::size_t>(op->kernel_input());
      inputs[place] = ohwi_kernel(node.inputs[place]);
    }
    const NodeId id = rewriter_.target().add_node(op, inputs, output_specs);
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
      const ValueId output = rewriter_.target().node(id).outputs[i];
      const bool is_gradient = op->kernel_input() < 0;
      // Maps first to the convolution, then to what follows it: both get the layer's scope.
      rewriter_.map(node.outputs[i], output);
      if (is_gradient) rewriter_.map(node.outputs[i], transposed(output, ohwi_to_hwio()));
    }
    return true;
  }

  /// A kernel in the OHWI layout.
  ValueId ohwi_kernel(ValueId kernel) {
    const auto known = ohwi_kernels_.find(kernel);
    if (known != ohwi_kernels_.end()) return known->second;
    return ohwi_kernels_[kernel] = transposed(rewriter_.mapped(kernel), hwio_to_ohwi());
  }

  ValueId transposed(ValueId value, const std::vector<int>& axes) {
    const auto op = std::make_shared<const TransposeOp>(axes);
    const std::vector<TensorSpec> outputs = op->infer(std::vector{rewriter_.target().value(value).spec});
    const NodeId id = rewriter_.target().add_node(op, {value}, outputs);
    return rewriter_.target().node(id).outputs[0];
  }

  const Graph& graph_;
  const KernelTable& kernels_;
  Rewriter rewriter_;
  std::unordered_map<ValueId, ValueId> ohwi_kernels_;
};

}  // namespace

Graph use_ohwi_kernels(const Graph& graph, const KernelTable& kernels) { return Turner(graph, kernels).run(); }

}  // namespace rhyton::graph
