#pragma once

#include <vector>

#include <rhyton/framework/io/hdf5/hdf5.h>
#include <rhyton/models/model.h>
#include <rhyton/models/saving/options.h>
#include <rhyton/models/saving/pending_values.h>
#include <rhyton/models/saving/saved_group.h>
#include <rhyton/models/saving/sharded_weights.h>

// The variables of a model in an HDF5 file, in the format of Keras 3: those of the layers in `layers/<class>/vars/0`,
// `/1`, …, where the class is in snake case and the second of a class is `<class>_1`; those of sublayers below their
// layer in the same way; the optimizer's in `optimizer/vars/…`. Names of layers are not used.

namespace rhyton::saving {

/// Where files have what LoRA adds to the kernels of layers: in the kernels, as in Keras's files, or as further values
/// of the layer, so that a training can go on with it.
enum class LoraInFiles { merged, separate };

/// A snapshot of the values of a model's variables, to be written in that form.
class WeightsSnapshot {
 public:
  /// Takes the weights, and the optimizer's variables if the model is compiled. It copies no values: a later assignment
  /// copies a variable's old value first.
  explicit WeightsSnapshot(const models::Model& model, const models::ObjectsToSkip& objects_to_skip = {},
                           LoraInFiles lora = LoraInFiles::merged);

  void write(io::Hdf5Group root) const;
  /// In the order in which Keras writes them.
  const std::vector<SavedGroup>& groups() const { return groups_; }

 private:
  std::vector<SavedGroup> groups_;
};

/// Finds the values for a model's variables in a file of `WeightsSnapshot`, of any Keras 3 or of tf.keras since 2.12;
/// groups without a matching object are ignored. As in Keras, the optimizer's variables are skipped, with a warning, if
/// the file has those of another optimizer. Throws ValueError with Keras's messages, listing the layers, where numbers
/// or shapes differ; with `skip_mismatch` that is a warning, and those layers are skipped.
PendingValues find_weights(const models::Model& model, const io::Hdf5Group& root, bool skip_mismatch = false,
                           const models::ObjectsToSkip& objects_to_skip = {});
/// The same for weights that are divided over several files. Throws NotFoundError if one of these is missing.
PendingValues find_weights(const models::Model& model, ShardedWeights& shards, bool skip_mismatch = false,
                           const models::ObjectsToSkip& objects_to_skip = {});

}  // namespace rhyton::saving
