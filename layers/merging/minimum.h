#pragma once

#include <vector>

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

/// `Minimum(options)(inputs)`.
SymbolicTensor minimum(const std::vector<SymbolicTensor>& inputs, const MergeOptions& options = {});
Tensor minimum(const std::vector<Tensor>& inputs, const MergeOptions& options = {});

}  // namespace rhyton::layers
