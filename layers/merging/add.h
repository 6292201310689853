#pragma once

#include <rhyton/layers/merging/base_merge.h>

namespace rhyton::layers {

/// The sum.
class Add : public Layer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "Add";
  using Arguments = MergeOptions;

  explicit Add(const MergeOptions& options = {});
  static Add from_config(const io::Json& config);
};

}  // namespace rhyton::layers
