#pragma once

#include <rhyton/layers/merging/base_merge.h>

namespace rhyton::layers {

/// The largest.
class Maximum : public Layer {
 public:
  explicit Maximum(const MergeOptions& options = {});
  static Maximum from_config(const io::Json& config);
};

}  // namespace rhyton::layers
