#include <rhyton/layers/merging/add.h>

#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/layers/layer_config.h>

namespace rhyton::layers {

Add::Add(const MergeOptions& options) : Layer(make_merge("Add", add, options)) {}

Add Add::from_config(const io::Json& config) { return Add(read_layer<Add>(config)); }

}  // namespace rhyton::layers
