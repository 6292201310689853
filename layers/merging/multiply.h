#pragma once

#include <vector>

#include <rhyton/layers/merging/base_merge.h>

namespace rhyton::layers {

/// The product.
class Multiply : public Layer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "Multiply";
  using Arguments = MergeOptions;

  explicit Multiply(const MergeOptions& options = {});
  static Multiply from_config(const io::Json& config);
};

/// `Multiply(options)(inputs)`.
SymbolicTensor multiply(const std::vector<SymbolicTensor>& inputs, const MergeOptions& options = {});
Tensor multiply(const std::vector<Tensor>& inputs, const MergeOptions& options = {});

}  // namespace rhyton::layers
