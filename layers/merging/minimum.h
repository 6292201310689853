#pragma once

#include <rhyton/layers/merging/base_merge.h>

namespace rhyton::layers {

/// The smallest.
class Minimum : public Layer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "Minimum";
  using Arguments = MergeOptions;

  explicit Minimum(const MergeOptions& options = {});
  static Minimum from_config(const io::Json& config);
};

}  // namespace rhyton::layers
