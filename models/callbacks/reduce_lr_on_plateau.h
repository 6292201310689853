#pragma once

#include <string>

#include <rhyton/framework/by_name.h>
#include <rhyton/models/callbacks/callback.h>

namespace rhyton::callbacks {

/// Arguments of `ReduceLROnPlateau`. Fields in the order of Keras's signature.
struct ReduceLROnPlateauOptions {
  ByName by_name = ByName();
  /// The monitored value: a name in the logs.
  std::string monitor = "val_loss";
  /// The factor of a reduction, less than 1.
  double factor = 0.1;
  /// The epochs without improvement after which the learning rate is reduced.
  int patience = 10;
  /// 1: prints a line when it acts.
  int verbose = 0;
  /// Whether smaller or larger values are better: "min", "max", or "auto", which the metric determines.
  std::string mode = "auto";
  /// A smaller change is no improvement.
  double min_delta = 1e-4;
  /// The epochs after a reduction during which no other one follows.
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
