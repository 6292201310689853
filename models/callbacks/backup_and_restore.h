#pragma once

#include <string>

#include <rhyton/framework/by_name.h>
#include <rhyton/models/callbacks/callback.h>
#include <rhyton/models/callbacks/frequency.h>

namespace rhyton::callbacks {

/// The optional arguments of `BackupAndRestore`. Fields in the order of Keras's signature.
struct BackupAndRestoreOptions {
  ByName by_name = ByName();
  /// "epoch", or the number of batches after which a backup is made.
  Frequency save_freq = "epoch";
  /// Keeps the backup before the last one too (`….bkp`), in case the last one cannot be read.
  bool double_checkpoint = false;
  /// Removes the backup at the end of training.
  bool delete_checkpoint = true;
};

/// Continues the training of a program that is restarted after a crash
/// (https://keras.io/api/callbacks/backup_and_restore): `fit`, called with the same arguments, begins at the last
/// backup in `backup_dir` if there is one. As in Keras its History then begins with the epoch in which it continues.
///
/// Unlike in Keras the training has the same bits as one that was never interrupted, also within an epoch: a backup
/// contains weights, optimizer, the order of the samples, the random states, the loss and metrics of the epoch so far
/// and the state of the other callbacks (of custom callbacks: `CallbackImpl::state`).
///
/// The folder contains Keras's files, `latest.weights.h5` and `training_metadata.json`. Keras can continue from them,
/// and `fit` continues from Keras's files at the beginning of an epoch. The state that Keras does not have is a group
/// of the first file, which is replaced atomically: a complete backup exists whenever the program is killed. A checksum
/// follows its data, which Keras ignores: if a file was changed after it was written, `fit` throws or, with
/// `double_checkpoint`, warns and uses the backup before. Use one folder for each training.
///
/// ```
/// model.fit(x, y, {.epochs = 20, .callbacks = {callbacks::BackupAndRestore("backup", {.save_freq = 500})}});
/// ```
class BackupAndRestore : public Callback {
 public:
  /// Throws ValueError in Keras's words for an empty folder name and an unknown `save_freq`. `fit` throws IOError if a
  /// backup cannot be written, or cannot be read and no earlier one exists, and ValueError if it belongs to another
  /// model or to a `fit` with other arguments.
  explicit BackupAndRestore(const std::string& backup_dir, const BackupAndRestoreOptions& options = {});
};

}  // namespace rhyton::callbacks
