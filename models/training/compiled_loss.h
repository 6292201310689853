#pragma once

#include <string>
#include <vector>

#include <rhyton/models/training/mean_tracker.h>
#include <rhyton/models/training/options.h>

namespace rhyton::training {

/// The losses of all outputs, with their weights (Keras's `CompileLoss`).
class CompiledLoss {
 public:
  /// Throws ValueError in Keras's words if losses or weights do not fit the outputs. `is_dictionary`: whether the
  /// outputs are a dictionary; a map of losses may then lack some.
  CompiledLoss(const models::LossArgument& loss, const models::LossWeights& weights,
               const std::vector<std::string>& output_names, bool is_dictionary = false);

  bool is_empty() const;
  /// Whether each output has a loss.
  std::vector<bool> outputs() const;
  /// Σ weight · loss over the outputs, for one `y`, `y_pred` and (possibly empty) sample weight per output. The `y` of
  /// an output without a loss is not used and may be empty. Several
  /// losses are tracked one by one too. Not a scalar if a loss has no reduction.
  Tensor operator()(const std::vector<Tensor>& y, const std::vector<Tensor>& y_pred,
                    const std::vector<Tensor>& sample_weight) const;
  /// Throws what the losses throw for targets and outputs of these specs that do not fit; computes nothing. Ignores the
  /// length of the first axis, and outputs with another axis of unknown length.
  void require_fitting(const std::vector<TensorSpec>& y, const std::vector<TensorSpec>& y_pred) const;
  /// "<output>_loss" for each output that has a loss; none if there is only one such output.
  const std::vector<MeanTracker>& trackers() const { return trackers_; }

 private:
  std::vector<losses::Loss> losses_;
  std::vector<double> weights_;
  std::vector<MeanTracker> trackers_;
};

/// The value that logs show of a loss: the mean of its elements if it has no reduction.
Tensor mean_of(const Tensor& loss);

}  // namespace rhyton::training
