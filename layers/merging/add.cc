#include <rhyton/layers/merging/add.h>

#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/layers/layer_config.h>

namespace rhyton::layers {

Add::Add(const MergeOptions& options) : Layer(make_merge("Add", ops::add, options)) {}

Add Add::from_config(const io::Json& config) { return Add(read_layer<Add>(config)); }

SymbolicTensor add(const std::vector<SymbolicTensor>& inputs, const MergeOptions& options) {
  return Add(options)(inputs);
}

Tensor add(const std::vector<Tensor>& inputs, const MergeOptions& options) { return Add(options)(inputs); }

}  // namespace rhyton::layers
