#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <rhyton/models/model.h>

namespace rhyton::callbacks {

/// The names of the Embedding layers of a model. Throws ValueError in Keras's words if `metadata` names another layer.
std::vector<std::string> projected_embeddings(const models::Model& model,
                                              const std::map<std::string, std::string>& metadata);

/// Writes the tables of these layers as `<log_dir>/<layer>-<epoch>.tsv`, and the `projector_config.pbtxt` that names
/// them and the files of labels. Throws IOError.
void write_embeddings(const models::Model& model, const std::vector<std::string>& layers,
                      const std::map<std::string, std::string>& metadata, const std::filesystem::path& log_dir,
                      int epoch);

}  // namespace rhyton::callbacks
