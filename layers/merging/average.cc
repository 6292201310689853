#include <rhyton/layers/merging/average.h>

#include <rhyton/framework/ops/elementwise.h>

namespace rhyton::layers {

Average::Average(const MergeOptions& options) : Layer(make_merge("Average", add, options)) {}

Average Average::from_config(const io::Json& config) { return Average(read_merge_options("Average", config)); }

}  // namespace rhyton::layers
