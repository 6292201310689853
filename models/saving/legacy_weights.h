#pragma once

#include <string>
#include <utility>
#include <vector>

#include <rhyton/framework/io/hdf5/hdf5.h>
#include <rhyton/models/model.h>
#include <rhyton/models/saving/pending_values.h>

// How weights stand in a legacy `.h5` file: a group per layer of the model, under the layer's name, whose attribute
// "weight_names" lists the datasets in it; the layers in the attribute "layer_names". All trainable weights of a layer,
// with those of the layers in it, come before the others: freezing one of these changes the order.

namespace rhyton::saving {

/// Names and values of some variables at one moment.
using NamedValues = std::vector<std::pair<std::string, Tensor>>;

/// Writes the datasets of these names, and the names as the attribute "weight_names".
void write_named_values(const NamedValues& values, io::Hdf5Group group);
/// The datasets that the attribute "weight_names" lists.
std::vector<io::Hdf5Dataset> named_datasets(const io::Hdf5Group& group);

/// The weights of a model's layers at one moment, to be written in that form.
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

/// Whether the group holds weights in that form.
bool has_legacy_weights(const io::Hdf5Group& group);

/// Finds the values for a model's weights, layer by layer in the order of the model and the file. Throws ValueError in
/// Keras's words where numbers or shapes differ; with `skip_mismatch` weights of other shapes are left out, with a
/// warning.
PendingValues find_legacy_weights(const models::Model& model, const io::Hdf5Group& group, bool skip_mismatch = false);

/// The same for layers that the file has under the same name.
PendingValues find_legacy_weights_by_name(const models::Model& model, const io::Hdf5Group& group,
                                          bool skip_mismatch = false);

}  // namespace rhyton::saving
