#pragma once

#include <vector>

#include <rhyton/layers/merging/base_merge.h>

namespace rhyton::layers {

/// The mean.
class Average : public Layer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "Average";
  using Arguments = MergeOptions;

  explicit Average(const MergeOptions& options = {});
  static Average from_config(const io::Json& config);
};

/// `Average(options)(inputs)`.
SymbolicTensor average(const std::vector<SymbolicTensor>& inputs, const MergeOptions& options = {});
Tensor average(const std::vector<Tensor>& inputs, const MergeOptions& options = {});

}  // namespace rhyton::layers
