#pragma once

#include <optional>
#include <string>

#include <rhyton/framework/by_name.h>
#include <rhyton/models/callbacks/callback.h>
#include <rhyton/models/callbacks/save_frequency.h>

namespace rhyton::callbacks {

/// The rest of the arguments of `ModelCheckpoint`. Fields in the order of Keras's signature.
struct ModelCheckpointOptions {
  ByName by_name = ByName();
  /// What decides which model is the best: a name of the logs.
  std::string monitor = "val_loss";
  /// 1: says so when it acts.
  int verbose = 0;
  /// Saves only when `monitor` is better than it has ever been.
  bool save_best_only = false;
  /// `Model::save_weights` instead of `Model::save`.
  bool save_weights_only = false;
  /// Which way is better: "min", "max", or "auto": as the metric says.
  std::string mode = "auto";
  /// "epoch", or the number of batches after which it saves; the logs are then those of the epoch so far, without
  /// validation.
  SaveFrequency save_freq = "epoch";
  /// What the first model has to beat.
  std::optional<double> initial_value_threshold = std::nullopt;
};

/// Saves the model, or its weights, while it is trained (https://keras.io/api/callbacks/model_checkpoint).
///
/// `filepath` may hold names in braces, as in Python's `str.format`: `epoch`, counted from 1, the names of the logs,
/// and, where `save_freq` is a number, `batch`, counted from 1: "{epoch:02d}-{val_loss:.2f}.keras". It ends in
/// `.weights.h5` where only weights are saved, else in `.keras` or `.h5`. Missing folders are made. A file is replaced
/// in one step: whenever the program is killed, the old one or the new one is there.
///
/// ```
/// callbacks::ModelCheckpoint("best.keras", {.monitor = "val_accuracy", .save_best_only = true})
/// ```
class ModelCheckpoint : public Callback {
 public:
  /// Throws ValueError in Keras's words for another extension, an unknown mode and an unknown `save_freq`. `fit` throws
  /// ValueError when the mode is "auto" and the metric does not say which way is better, NotFoundError for a name in
  /// `filepath` that the logs do not have, ValueError for a form that Python would refuse, IOError where the file
  /// cannot be written.
  explicit ModelCheckpoint(const std::string& filepath, const ModelCheckpointOptions& options = {});
};

}  // namespace rhyton::callbacks
