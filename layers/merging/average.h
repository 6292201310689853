#pragma once

#include <rhyton/layers/merging/base_merge.h>

namespace rhyton::layers {

/// The mean.
class Average : public Layer {
 public:
  explicit Average(const MergeOptions& options = {});
  static Average from_config(const io::Json& config);
};

}  // namespace rhyton::layers
