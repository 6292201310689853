#pragma once

#include <string>
#include <vector>

namespace rhyton::training {

/// What the logs of a step consist of.
struct LogForm {
  /// Whether the results of the model's metrics belong to them.
  bool has_metrics = true;
  /// The names of the step's outputs, in their order, where these are logs.
  std::vector<std::string> names = {};
};

}  // namespace rhyton::training
