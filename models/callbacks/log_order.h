#pragma once

#include <string>
#include <vector>

#include <rhyton/models/callbacks/logs.h>

namespace rhyton::callbacks {

// The orders of the names in logs, all of them Keras's. Values that callbacks add follow the others.

/// By name: the order of the logs of batches, of epochs and of `on_test_end`.
Logs sorted_by_name(const Logs& logs);

/// The logs of an epoch: those of the training, then those of the validation under names with "val_" before them, both
/// in their order.
Logs with_validation(const Logs& training, const Logs& validation);

/// The order of the results of `evaluate`, `train_on_batch` and `test_on_batch`: the names in `metric_names`, in that
/// order, then the others by name.
Logs in_order_of_metrics(const Logs& logs, const std::vector<std::string>& metric_names);

/// The columns of a CSVLogger after the first epoch has these logs: by name. If that epoch was not validated, the
/// columns of a validation follow, since a later epoch may be.
std::vector<std::string> csv_columns(const Logs& logs);

}  // namespace rhyton::callbacks
