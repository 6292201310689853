#pragma once

#include <rhyton/layers/merging/base_merge.h>

namespace rhyton::layers {

/// The first of two less the second.
class Subtract : public Layer {
 public:
  explicit Subtract(const MergeOptions& options = {});
  static Subtract from_config(const io::Json& config);
};

}  // namespace rhyton::layers
