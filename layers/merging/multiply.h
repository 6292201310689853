#pragma once

#include <rhyton/layers/merging/base_merge.h>

namespace rhyton::layers {

/// The product.
class Multiply : public Layer {
 public:
  explicit Multiply(const MergeOptions& options = {});
  static Multiply from_config(const io::Json& config);
};

}  // namespace rhyton::layers
