#pragma once

#include <string>

#include <rhyton/framework/by_name.h>
#include <rhyton/models/callbacks/callback.h>

namespace rhyton::callbacks {

/// Arguments of `ReduceLROnPlateau`. Fields in the order of Keras's signature.
struct ReduceLROnPlateauOptions {
  ByName by_name = ByName();
  /// What to watch: a name of the logs.
  std::string monitor = "val_loss";
  /// What the learning rate is multiplied by, below 1.
  double factor = 0.1;
  /// The epochs without improvement after which it is reduced.
  int patience = 10;
  /// 1: says so when it acts.
  int verbose = 0;
  /// Which way is better: "min", "max", or "auto": as the metric says.
  std::string mode = "auto";
  /// A smaller change is no improvement.
  double min_delta = 1e-4;
  /// The epochs to wait after a reduction before watching goes on.
  int cooldown = 0;
  double min_lr = 0.0;
};

/// Reduces the learning rate when a value has stopped improving (https://keras.io/api/callbacks/reduce_lr_on_plateau).
/// Adds "learning_rate" to the logs.
class ReduceLROnPlateau : public Callback {
 public:
  /// Throws ValueError in Keras's words for a factor of 1 or more, and for an unknown mode.
  explicit ReduceLROnPlateau(const ReduceLROnPlateauOptions& options = {});
};

}  // namespace rhyton::callbacks
