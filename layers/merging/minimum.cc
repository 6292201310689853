#include <rhyton/layers/merging/minimum.h>

#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/layers/layer_config.h>

namespace rhyton::layers {

Minimum::Minimum(const MergeOptions& options) : Layer(make_merge("Minimum", ops::minimum, options)) {}

Minimum Minimum::from_config(const io::Json& config) { return Minimum(read_layer<Minimum>(config)); }

SymbolicTensor minimum(const std::vector<SymbolicTensor>& inputs, const MergeOptions& options) {
  return Minimum(options)(inputs);
}

Tensor minimum(const std::vector<Tensor>& inputs, const MergeOptions& options) { return Minimum(options)(inputs); }

}  // namespace rhyton::layers
