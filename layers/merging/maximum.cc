#include <rhyton/layers/merging/maximum.h>

#include <rhyton/framework/ops/elementwise.h>

namespace rhyton::layers {

Maximum::Maximum(const MergeOptions& options) : Layer(make_merge("Maximum", maximum, options)) {}

Maximum Maximum::from_config(const io::Json& config) { return Maximum(read_merge_options("Maximum", config)); }

}  // namespace rhyton::layers
