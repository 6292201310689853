#include <rhyton/layers/merging/add.h>

#include <rhyton/framework/ops/elementwise.h>

namespace rhyton::layers {

Add::Add(const MergeOptions& options) : Layer(make_merge("Add", add, options)) {}

Add Add::from_config(const io::Json& config) { return Add(read_merge_options("Add", config)); }

}  // namespace rhyton::layers
