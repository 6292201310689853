#include <rhyton/layers/merging/maximum.h>

#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/layers/layer_config.h>

namespace rhyton::layers {

Maximum::Maximum(const MergeOptions& options) : Layer(make_merge("Maximum", maximum, options)) {}

Maximum Maximum::from_config(const io::Json& config) { return Maximum(read_layer<Maximum>(config)); }

}  // namespace rhyton::layers
