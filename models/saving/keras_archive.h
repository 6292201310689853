#pragma once

#include <string>

#include <rhyton/models/model.h>
#include <rhyton/models/saving/pending_values.h>

// The `.keras` format: a zip archive, or a folder, of metadata.json, config.json and model.weights.h5.

namespace rhyton::saving {

/// Whether `path` is such an archive, valid or not, or such a folder.
bool is_keras_archive(const std::string& path);

void save_keras_archive(const models::Model& model, const std::string& path);

/// Reads the model of an archive or folder. Throws as `load_model`.
models::Model load_keras_archive(const std::string& path, bool compile);

/// Finds the values for the variables of an existing model. Throws as `find_weights`.
PendingValues find_weights_in_archive(const models::Model& model, const std::string& path, bool skip_mismatch);

}  // namespace rhyton::saving
