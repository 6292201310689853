#pragma once

#include <string>

#include <rhyton/models/model.h>
#include <rhyton/models/saving/pending_values.h>

// Whole models in one HDF5 file, `.h5` or `.hdf5`: what Keras 2 wrote, and Keras 3 still writes and reads.

namespace rhyton::saving {

/// Architecture and weights; where `include_optimizer` and the model is compiled, also what `compile` was given and the
/// optimizer's variables.
void save_legacy_h5(const models::Model& model, const std::string& path, bool include_optimizer);

/// Throws as `load_model` says.
models::Model load_legacy_h5(const std::string& path, bool compile);

}  // namespace rhyton::saving
