#include <rhyton/layers/merging/subtract.h>

#include <rhyton/framework/ops/elementwise.h>

namespace rhyton::layers {

Subtract::Subtract(const MergeOptions& options) : Layer(make_merge("Subtract", subtract, options)) {}

Subtract Subtract::from_config(const io::Json& config) { return Subtract(read_merge_options("Subtract", config)); }

}  // namespace rhyton::layers
