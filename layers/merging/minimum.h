#pragma once

#include <rhyton/layers/merging/base_merge.h>

namespace rhyton::layers {

/// The smallest.
class Minimum : public Layer {
 public:
  explicit Minimum(const MergeOptions& options = {});
  static Minimum from_config(const io::Json& config);
};

}  // namespace rhyton::layers
