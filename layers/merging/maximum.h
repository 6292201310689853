#pragma once

#include <vector>

#include <rhyton/layers/merging/base_merge.h>

namespace rhyton::layers {

/// The largest.
class Maximum : public Layer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "Maximum";
  using Arguments = MergeOptions;

  explicit Maximum(const MergeOptions& options = {});
  static Maximum from_config(const io::Json& config);
};

/// `Maximum(options)(inputs)`.
SymbolicTensor maximum(const std::vector<SymbolicTensor>& inputs, const MergeOptions& options = {});
Tensor maximum(const std::vector<Tensor>& inputs, const MergeOptions& options = {});

}  // namespace rhyton::layers
