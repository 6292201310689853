#pragma once

#include <string>

#include <rhyton/models/model.h>
#include <rhyton/models/saving/pending_values.h>

// Whole models in one HDF5 file, `.h5` or `.hdf5`: the format of Keras 2, which Keras 3 still writes and reads.

namespace rhyton::saving {

/// Writes architecture and weights; with `include_optimizer`, if the model is compiled, also the arguments of `compile`
/// and the optimizer's variables.
void save_legacy_h5(const models::Model& model, const std::string& path, bool include_optimizer);

/// Reads a model. Throws as `load_model`.
models::Model load_legacy_h5(const std::string& path, bool compile);

}  // namespace rhyton::saving
