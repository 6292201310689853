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
  /// What to watch: a name of the logs.
  std::string monitor = "val_loss";
  /// A smaller change is no improvement.
  double min_delta = 0;
  /// The epochs without improvement after which training ends.
  int patience = 0;
  /// 1: says so when it acts.
  int verbose = 0;
  /// Which way is better: "min", "max", or "auto": as the metric says.
  std::string mode = "auto";
  /// Training ends unless this is beaten within `patience` epochs.
  std::optional<double> baseline = std::nullopt;
  /// Whether the weights of the best epoch are put back at the end.
  bool restore_best_weights = false;
  /// Watching begins in this epoch, counted from 0.
  int start_from_epoch = 0;
};

/// Ends training when a value has stopped improving (https://keras.io/api/callbacks/early_stopping). May be used for
/// several `fit`s, one after the other.
class EarlyStopping : public Callback {
 public:
  /// Throws ValueError for an unknown mode. `fit` throws ValueError in Keras's words when the mode is "auto" and the
  /// metric does not say which way is better.
  explicit EarlyStopping(const EarlyStoppingOptions& options = {});

  /// The epoch at whose end training was stopped, counted from 0; 0 where it was not.
  int stopped_epoch() const;
  /// The epoch with the best value, and that value.
  int best_epoch() const;
  std::optional<double> best() const;
};

}  // namespace rhyton::callbacks
