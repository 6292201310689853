#pragma once

#include <rhyton/layers/merging/base_merge.h>

namespace rhyton::layers {

/// The first of two less the second.
class Subtract : public Layer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "Subtract";
  using Arguments = MergeOptions;

  explicit Subtract(const MergeOptions& options = {});
  static Subtract from_config(const io::Json& config);
};

}  // namespace rhyton::layers
