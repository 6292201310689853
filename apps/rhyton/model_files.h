#pragma once

#include <string>

#include <rhyton/rhyton.h>

namespace rhyton::tool {

/// The forms of Keras's files, by their names.
enum class FileKind { keras, legacy_h5, weights_h5, json, other };

/// .keras; .h5 and .hdf5; .weights.h5; .json; anything else.
FileKind kind_of(const std::string& path);

/// The model in a file. Throws an Error naming the file.
models::Model load_model(const std::string& path);

/// Throws an Error naming `path` when nothing can be written there, so that long work is not begun in vain.
void require_folder_of(const std::string& path);

}  // namespace rhyton::tool
