#pragma once

#include <vector>

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

/// `Add(options)(inputs)`.
SymbolicTensor add(const std::vector<SymbolicTensor>& inputs, const MergeOptions& options = {});
Tensor add(const std::vector<Tensor>& inputs, const MergeOptions& options = {});

}  // namespace rhyton::layers
