#pragma once

#include <string>
#include <vector>

#include <rhyton/models/training/mean_tracker.h>
#include <rhyton/models/training/options.h>

namespace rhyton::training {

/// The losses of all outputs, with their weights (Keras's `CompileLoss`).
class CompiledLoss {
 public:
  /// Throws ValueError in Keras's words when losses or weights do not fit the outputs.
  CompiledLoss(const models::LossArgument& loss, const models::LossWeights& weights,
               const std::vector<std::string>& output_names);

  bool is_empty() const;
  /// Σ weight · loss over the outputs, one `y`, `y_pred` and (possibly empty) weight per output. With several losses
  /// each one is tracked too. Not a scalar where a loss has no reduction.
  Tensor operator()(const std::vector<Tensor>& y, const std::vector<Tensor>& y_pred,
                    const std::vector<Tensor>& sample_weight) const;
  /// Throws as the losses themselves do where targets and outputs of these specs do not fit them; computes nothing. The
  /// length of the first axis is of no account, and outputs with another axis of unknown length are left out.
  void require_fitting(const std::vector<TensorSpec>& y, const std::vector<TensorSpec>& y_pred) const;
  /// "<output>_loss" for each output that has a loss, where there are several such outputs.
  const std::vector<MeanTracker>& trackers() const { return trackers_; }

 private:
  std::vector<losses::Loss> losses_;
  std::vector<double> weights_;
  std::vector<MeanTracker> trackers_;
};

/// What is shown of a loss: of one without reduction the mean of its elements.
Tensor mean_of(const Tensor& loss);

}  // namespace rhyton::training
