#pragma once

#include <string>

#include <rhyton/framework/by_name.h>
#include <rhyton/models/callbacks/callback.h>
#include <rhyton/models/callbacks/save_frequency.h>

namespace rhyton::callbacks {

/// The rest of the arguments of `BackupAndRestore`. Fields in the order of Keras's signature.
struct BackupAndRestoreOptions {
  ByName by_name = ByName();
  /// "epoch", or the number of batches after which a backup is made.
  SaveFrequency save_freq = "epoch";
  /// Keeps the last backup but one too (`….bkp`), for the case that the last cannot be read.
  bool double_checkpoint = false;
  /// Removes the backup when training has come to its end.
  bool delete_checkpoint = true;
};

/// Lets a program that is started again after a crash go on training where it was
/// (https://keras.io/api/callbacks/backup_and_restore): `fit`, called with the same arguments, begins at the last
/// backup in `backup_dir` if there is one. As in Keras its History then begins with the epoch in which it goes on.
///
/// Unlike Keras it continues with the bits of a training that was never interrupted, also within an epoch: besides
/// weights and optimizer, the order of the samples, the random states, the loss and metrics of the epoch so far and the
/// state of the other callbacks are kept (of one's own: what `CallbackImpl::state` gives).
///
/// The folder holds Keras's files, `latest.weights.h5` and `training_metadata.json`; Keras can go on from them too, and
/// from its files `fit` goes on at the beginning of an epoch. What Keras does not have is a group of the former file,
/// which is replaced in one step: whenever the program is killed, one whole backup is there. Behind its end it has a
/// checksum, which Keras passes over: from a file that has changed since it was written `fit` does not go on, but
/// throws or, with `double_checkpoint`, warns and takes the backup before. Let every training have a folder of its own.
///
/// ```
/// model.fit(x, y, {.epochs = 20, .callbacks = {callbacks::BackupAndRestore("backup", {.save_freq = 500})}});
/// ```
class BackupAndRestore : public Callback {
 public:
  /// Throws ValueError in Keras's words for an empty folder name and an unknown `save_freq`. `fit` throws IOError when
  /// a backup cannot be written, or read where there is no earlier one, and ValueError when it belongs to another model
  /// or to a `fit` with other arguments.
  explicit BackupAndRestore(const std::string& backup_dir, const BackupAndRestoreOptions& options = {});
};

}  // namespace rhyton::callbacks
