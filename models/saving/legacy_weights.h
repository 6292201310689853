#pragma once

#include <string>
#include <utility>
#include <vector>

#include <rhyton/framework/io/hdf5/hdf5.h>
#include <rhyton/models/model.h>
#include <rhyton/models/saving/pending_values.h>

// Weights in a legacy `.h5` file: a group per layer of the model, with the layer's name, whose attribute "weight_names"
// lists its datasets; the attribute "layer_names" lists the layers. All trainable weights of a layer, including those
// of its sublayers, come before the others: freezing a sublayer changes the order.

namespace rhyton::saving {

/// A snapshot of names and values of variables.
using NamedValues = std::vector<std::pair<std::string, Tensor>>;

/// Writes the datasets of these names, and the names as the attribute "weight_names".
void write_named_values(const NamedValues& values, io::Hdf5Group group);
/// The datasets that the attribute "weight_names" lists.
std::vector<io::Hdf5Dataset> named_datasets(const io::Hdf5Group& group);

/// A snapshot of the weights of a model's layers, to be written in that form.
class LegacyWeightsSnapshot {
 public:
  explicit LegacyWeightsSnapshot(const models::Model& model);

  void write(io::Hdf5Group group) const;

 private:
  struct LayerWeights {
    std::string name;
    NamedValues values;
  };
  std::vector<LayerWeights> layers_;
};

/// Whether the group contains weights in that form.
bool has_legacy_weights(const io::Hdf5Group& group);

/// Finds the values for a model's weights, layer by layer in the order of the model and the file. Throws ValueError
/// with Keras's messages where numbers or shapes differ; with `skip_mismatch` weights of other shapes are skipped, with
/// a warning.
PendingValues find_legacy_weights(const models::Model& model, const io::Hdf5Group& group, bool skip_mismatch = false);

/// The same for layers that the file has under the same name.
PendingValues find_legacy_weights_by_name(const models::Model& model, const io::Hdf5Group& group,
                                          bool skip_mismatch = false);

}  // namespace rhyton::saving
