#pragma once

#include <map>
#include <string>

#include <rhyton/framework/tensor/tensor.h>

namespace rhyton::models {

/// The values of a model's variables by their paths, "dense/kernel" (`keras.Model.get_state_tree`, whose nested
/// dictionaries have one level for each part of a path).
struct StateTree {
  using Values = std::map<std::string, Tensor>;

  Values trainable_variables = {};
  Values non_trainable_variables = {};
  /// None before `compile`.
  Values optimizer_variables = {};
  /// Those of the loss and the metrics; none before `compile`.
  Values metrics_variables = {};
};

}  // namespace rhyton::models
