#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <rhyton/models/training/tensors.h>

namespace rhyton::training {

/// Which outputs of a model need targets. A batch has in its `y` either a target for each output, or one for each
/// output that needs it.
class RequiredTargets {
 public:
  RequiredTargets() = default;
  /// Whether each output has a loss, and metrics. Without any loss all outputs need targets.
  RequiredTargets(const std::vector<bool>& losses, const std::vector<bool>& metrics);

  /// The `y` of batches: of a list or map with a target for each output of these names, which may be empty where none is
  /// needed, or with a target for each output that has a loss. Throws ValueError in Keras's words for others.
  std::vector<Tensor> select(const Tensors& y, const std::vector<std::string>& names) const;
  /// Throws ValueError in Keras's words unless so many targets are those of all outputs, or of those that need one.
  void require_number(std::size_t targets, const std::vector<std::string>& names) const;

  /// The targets by output, empty where there is none.
  template <class T>
  std::vector<T> by_output(const std::vector<T>& y) const {
    if (y.empty() || y.size() == count_) return y;
    std::vector<T> targets(count_);
    for (std::size_t i = 0; i < outputs_.size(); ++i) targets[outputs_[i]] = y.at(i);
    return targets;
  }

 private:
  // The targets by output, empty where none is given.
  std::vector<Tensor> listed(const Tensors& y, const std::vector<std::string>& names) const;

  // The number of outputs.
  std::size_t count_ = 0;
  // Those that have a loss, and those that need targets.
  std::vector<std::size_t> with_loss_;
  std::vector<std::size_t> outputs_;
};

}  // namespace rhyton::training
