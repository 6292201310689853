#pragma once

#include <vector>

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

/// `Subtract(options)(inputs)`.
SymbolicTensor subtract(const std::vector<SymbolicTensor>& inputs, const MergeOptions& options = {});
Tensor subtract(const std::vector<Tensor>& inputs, const MergeOptions& options = {});

}  // namespace rhyton::layers
