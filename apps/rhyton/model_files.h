#pragma once

#include <string>

#include <rhyton/models/saving/unknown_classes.h>
#include <rhyton/rhyton.h>

namespace rhyton::tool {

/// The formats of Keras's files.
enum class FileKind { keras, legacy_h5, weights_h5, json, other };

/// The format by file name: .keras; .h5 and .hdf5; .weights.h5; .json; anything else.
FileKind kind_of(const std::string& path);

/// Loads the model in a file, not compiled: for uses without a training configuration. Throws an Error naming the file;
/// for unknown classes one that lists all of them.
models::Model load_uncompiled(const std::string& path);

/// Loads the model in a file, compiled with the file's arguments if they can be created; else not compiled, with a
/// warning that gives `consequence` and the reason. Throws as `load_uncompiled` does.
models::Model load_compiled_if_possible(const std::string& path, const std::string& consequence);

/// Creates the model that a config.json describes, not compiled. Throws as `load_uncompiled` does.
models::Model model_from_config(const std::string& path);

/// The error message about unknown classes, in the words of the command line.
std::string complaint_of(const std::string& path, const saving::UnknownClassesError& error);

/// Throws an Error naming `path` if no file can be written there, before long work begins.
void require_folder_of(const std::string& path);

}  // namespace rhyton::tool
