#pragma once

#include <vector>

#include <rhyton/framework/tensor/tensor.h>
#include <rhyton/models/training/batch_parts.h>

namespace rhyton::models {

/// A batch as `train_step`, `test_step` and `predict_step` get it: lists of the tensors of x, y and the sample weights,
/// [samples, …] each; a list is empty where there are none. Floating tensors have the dtype `floatx`. What
/// `keras.utils.unpack_x_y_sample_weight` does is `const auto& [x, y, sample_weight] = data;`.
using StepData = training::BatchParts<Tensor>;

/// The arguments of `compute_loss` and `compute_metrics`, in Keras's order:
/// `compute_loss({.x = data.x, .y = data.y, .y_pred = y_pred, .sample_weight = data.sample_weight})`.
struct LossArguments {
  std::vector<Tensor> x = {};
  std::vector<Tensor> y = {};
  /// The outputs of the model.
  std::vector<Tensor> y_pred = {};
  /// One tensor for each output, of which any may be empty, or none.
  std::vector<Tensor> sample_weight = {};
  /// Whether the model is trained, not evaluated.
  bool training = true;
};

}  // namespace rhyton::models
