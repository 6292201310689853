#pragma once

#include <optional>
#include <string>
#include <vector>

#include <rhyton/framework/by_name.h>
#include <rhyton/framework/tensor/tensor.h>
#include <rhyton/models/callbacks/callback.h>
#include <rhyton/models/callbacks/monitor.h>

namespace rhyton::callbacks {

/// Arguments of `EarlyStopping`. Fields in the order of Keras's signature.
struct EarlyStoppingOptions {
  ByName by_name = ByName();
  /// The monitored value: a name in the logs.
  std::string monitor = "val_loss";
  /// A smaller change is no improvement.
  double min_delta = 0;
  /// The epochs without improvement after which training ends.
  int patience = 0;
  /// 1: prints a line when it acts.
  int verbose = 0;
  /// Whether smaller or larger values are better: "min", "max", or "auto", which the metric determines.
  std::string mode = "auto";
  /// Training ends unless the value becomes better than this within `patience` epochs.
  std::optional<double> baseline = std::nullopt;
  /// Whether the weights of the best epoch are restored at the end.
  bool restore_best_weights = false;
  /// The epoch, counted from 0, with which monitoring begins.
  int start_from_epoch = 0;
};

/// Ends training when a value has stopped improving (https://keras.io/api/callbacks/early_stopping). May be used in
/// several calls of `fit`, one after the other.
class EarlyStopping : public Callback {
 public:
  /// Throws ValueError for an unknown mode. `fit` throws ValueError in Keras's words if the mode is "auto" and the
  /// metric does not determine it.
  explicit EarlyStopping(const EarlyStoppingOptions& options = {});

  /// The epoch at whose end training was stopped, counted from 0; 0 if it was not.
  int stopped_epoch() const;
  /// The epoch with the best value, and that value.
  int best_epoch() const;
  std::optional<double> best() const;
};

}  // namespace rhyton::callbacks
