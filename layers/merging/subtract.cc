#include <rhyton/layers/merging/subtract.h>

#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/layers/layer_config.h>

namespace rhyton::layers {

Subtract::Subtract(const MergeOptions& options) : Layer(make_merge("Subtract", ops::subtract, options)) {}

Subtract Subtract::from_config(const io::Json& config) { return Subtract(read_layer<Subtract>(config)); }

SymbolicTensor subtract(const std::vector<SymbolicTensor>& inputs, const MergeOptions& options) {
  return Subtract(options)(inputs);
}

Tensor subtract(const std::vector<Tensor>& inputs, const MergeOptions& options) { return Subtract(options)(inputs); }

}  // namespace rhyton::layers
