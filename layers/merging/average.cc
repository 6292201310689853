#include <rhyton/layers/merging/average.h>

#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/layers/layer_config.h>

namespace rhyton::layers {

Average::Average(const MergeOptions& options) : Layer(make_merge("Average", ops::add, options)) {}

Average Average::from_config(const io::Json& config) { return Average(read_layer<Average>(config)); }

SymbolicTensor average(const std::vector<SymbolicTensor>& inputs, const MergeOptions& options) {
  return Average(options)(inputs);
}

Tensor average(const std::vector<Tensor>& inputs, const MergeOptions& options) { return Average(options)(inputs); }

}  // namespace rhyton::layers
