#pragma once

#include <rhyton/layers/merging/base_merge.h>

namespace rhyton::layers {

/// The sum.
class Add : public Layer {
 public:
  explicit Add(const MergeOptions& options = {});
  static Add from_config(const io::Json& config);
};

}  // namespace rhyton::layers
