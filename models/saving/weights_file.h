#pragma once

#include <string>
#include <vector>

#include <rhyton/framework/io/hdf5/hdf5.h>
#include <rhyton/models/model.h>
#include <rhyton/models/saving/pending_values.h>

// How the variables of a model stand in an HDF5 file, as Keras 3 writes them: the layers of a model in
// `layers/<class>/vars/0`, `/1`, …, where the class is in snake case and the second of a class is `<class>_1`; what a
// layer is made of below that layer in the same way; the optimizer's in `optimizer/vars/…`. Names of layers play no
// part.

namespace rhyton::saving {

/// The values of a model's variables at one moment, to be written in that form.
class WeightsSnapshot {
 public:
  /// The weights, and the optimizer's variables where the model is compiled. Copies nothing: who changes a variable
  /// afterwards copies it first.
  explicit WeightsSnapshot(const models::Model& model);

  void write(io::Hdf5Group root) const;

 private:
  struct Group {
    std::string path;
    std::string name;
    std::vector<Tensor> values;
  };
  std::vector<Group> groups_;
};

/// Finds the values for a model's variables in what `WeightsSnapshot`, any Keras 3 or a tf.keras since 2.12 has
/// written; groups that belong to nothing are passed over. As in Keras the optimizer's stay as they are, with a
/// warning, where they are those of another. Throws ValueError in Keras's words, listing the layers, where numbers or
/// shapes differ; with `skip_mismatch` that is a warning too, and those layers are left out.
PendingValues find_weights(const models::Model& model, const io::Hdf5Group& root, bool skip_mismatch = false);

}  // namespace rhyton::saving
