#pragma once

#include <string>
#include <utility>
#include <vector>

#include <rhyton/layers/option_tables.h>
#include <rhyton/models/losses/function_loss.h>
#include <rhyton/models/metrics/named_metrics.h>
#include <rhyton/optimizers/class_names.h>

namespace rhyton::test {

/// The options of all built-in classes, by kind.
inline std::vector<std::pair<std::string, std::vector<OptionTable>>> all_tables() {
  return {{"Layers", layers::option_tables()},
          {"Initializers", initializers::option_tables()},
          {"Regularizers", regularizers::option_tables()},
          {"Constraints", constraints::option_tables()},
          {"Losses", losses::option_tables()},
          {"Metrics", metrics::option_tables()},
          {"Optimizers", optimizers::option_tables()},
          {"Learning rate schedules", optimizers::schedules::option_tables()}};
}

}  // namespace rhyton::test
