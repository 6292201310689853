#include <rhyton/layers/merging/minimum.h>

#include <rhyton/framework/ops/elementwise.h>

namespace rhyton::layers {

Minimum::Minimum(const MergeOptions& options) : Layer(make_merge("Minimum", minimum, options)) {}

Minimum Minimum::from_config(const io::Json& config) { return Minimum(read_merge_options("Minimum", config)); }

}  // namespace rhyton::layers
