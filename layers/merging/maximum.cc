#include <rhyton/layers/merging/maximum.h>

#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/layers/layer_config.h>

namespace rhyton::layers {

Maximum::Maximum(const MergeOptions& options) : Layer(make_merge("Maximum", ops::maximum, options)) {}

Maximum Maximum::from_config(const io::Json& config) { return Maximum(read_layer<Maximum>(config)); }

SymbolicTensor maximum(const std::vector<SymbolicTensor>& inputs, const MergeOptions& options) {
  return Maximum(options)(inputs);
}

Tensor maximum(const std::vector<Tensor>& inputs, const MergeOptions& options) { return Maximum(options)(inputs); }

}  // namespace rhyton::layers
