#pragma once

#include <optional>
#include <string>

#include <rhyton/framework/by_name.h>
#include <rhyton/models/callbacks/callback.h>
#include <rhyton/models/callbacks/frequency.h>

namespace rhyton::callbacks {

/// The optional arguments of `ModelCheckpoint`. Fields in the order of Keras's signature.
struct ModelCheckpointOptions {
  ByName by_name = ByName();
  /// The value that determines the best model: a name in the logs.
  std::string monitor = "val_loss";
  /// 1: prints a line when it acts.
  int verbose = 0;
  /// Saves only if the monitored value is better than all before.
  bool save_best_only = false;
  /// Calls `Model::save_weights` instead of `Model::save`.
  bool save_weights_only = false;
  /// Whether smaller or larger values are better: "min", "max", or "auto", which the metric determines.
  std::string mode = "auto";
  /// "epoch", or the number of batches after which it saves; the logs are then those of the epoch so far, without
  /// validation.
  Frequency save_freq = "epoch";
  /// The value that the first saved model must improve on.
  std::optional<double> initial_value_threshold = std::nullopt;
};

/// Saves the model or its weights during training (https://keras.io/api/callbacks/model_checkpoint).
///
/// `filepath` may contain names in braces, as in Python's `str.format`: `epoch`, counted from 1, the names of the logs,
/// and, if `save_freq` is a number, `batch`, counted from 1: "{epoch:02d}-{val_loss:.2f}.keras". It must end in
/// `.weights.h5` if only weights are saved, else in `.keras` or `.h5`. Missing folders are created. A file is replaced
/// atomically: whenever the program is killed, the old or the new one exists.
///
/// ```
/// callbacks::ModelCheckpoint("best.keras", {.monitor = "val_accuracy", .save_best_only = true})
/// ```
class ModelCheckpoint : public Callback {
 public:
  /// Throws ValueError in Keras's words for another extension, an unknown mode and an unknown `save_freq`. `fit` throws
  /// ValueError if the mode is "auto" and the metric does not determine it, NotFoundError for a name in `filepath` that
  /// the logs do not have, ValueError for a format that Python would refuse, IOError if the file cannot be written.
  explicit ModelCheckpoint(const std::string& filepath, const ModelCheckpointOptions& options = {});
};

}  // namespace rhyton::callbacks
