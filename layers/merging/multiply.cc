#include <rhyton/layers/merging/multiply.h>

#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/layers/layer_config.h>

namespace rhyton::layers {

Multiply::Multiply(const MergeOptions& options) : Layer(make_merge("Multiply", ops::multiply, options)) {}

Multiply Multiply::from_config(const io::Json& config) { return Multiply(read_layer<Multiply>(config)); }

SymbolicTensor multiply(const std::vector<SymbolicTensor>& inputs, const MergeOptions& options) {
  return Multiply(options)(inputs);
}

Tensor multiply(const std::vector<Tensor>& inputs, const MergeOptions& options) { return Multiply(options)(inputs); }

}  // namespace rhyton::layers
