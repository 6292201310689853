#pragma once

#include <cstdint>
#include <vector>

#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/tensor/tensor.h>
#include <rhyton/framework/tensor/variable.h>
#include <rhyton/layers/core/dense.h>
#include <rhyton/layers/core/input.h>
#include <rhyton/models/losses/loss.h>
#include <rhyton/models/model.h>
#include <rhyton/models/sequential.h>
#include <rhyton/optimizers/sgd.h>

namespace rhyton::models {

/// float32 [n, 1].
inline Tensor column(const std::vector<float>& values) {
  return Tensor::from_data<float>({static_cast<std::int64_t>(values.size()), 1}, values);
}

/// float32 [n].
inline Tensor vector_of(const std::vector<float>& values) {
  return Tensor::from_data<float>({static_cast<std::int64_t>(values.size())}, values);
}

/// slope · x + offset, for x of shape [n, 1].
inline Sequential linear_model(float slope = 0, float offset = 0) {
  Sequential model({layers::Input({.shape = {1}}), layers::Dense(1)});
  model.set_weights({column({slope}), vector_of({offset})});
  return model;
}

/// The options of `compile` under which nothing is learned, so that values are known in advance.
inline CompileOptions standing_still(const LossArgument& loss = "mse", const MetricsArgument& metrics = {}) {
  return {.optimizer = optimizers::SGD({.learning_rate = 0.0}), .loss = loss, .metrics = metrics};
}

/// Copies of the values of variables.
inline std::vector<Tensor> copies_of(const std::vector<Variable>& variables) {
  std::vector<Tensor> values;
  for (const Variable& variable : variables) values.push_back(variable.value().clone());
  return values;
}

inline std::vector<Tensor> copies_of_weights(const layers::Layer& layer) { return copies_of(layer.weights()); }

/// The mean squared error, which records its targets. Only for models that run eagerly.
class TargetRecorder {
 public:
  losses::Loss loss() {
    return [this](const Tensor& y_true, const Tensor& y_pred) {
      batches_.push_back(y_true.to_vector());
      return mean(squared_difference(y_true, y_pred), {-1});
    };
  }
  /// The targets of each batch since the last call.
  std::vector<std::vector<double>> take() {
    std::vector<std::vector<double>> batches;
    batches.swap(batches_);
    return batches;
  }
  std::vector<double> take_flat() {
    std::vector<double> all;
    for (const std::vector<double>& batch : take()) all.insert(all.end(), batch.begin(), batch.end());
    return all;
  }

 private:
  std::vector<std::vector<double>> batches_;
};

}  // namespace rhyton::models
