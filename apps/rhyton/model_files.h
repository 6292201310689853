#pragma once

#include <string>

#include <rhyton/models/saving/unknown_classes.h>
#include <rhyton/rhyton.h>

namespace rhyton::tool {

/// The forms of Keras's files, by their names.
enum class FileKind { keras, legacy_h5, weights_h5, json, other };

/// .keras; .h5 and .hdf5; .weights.h5; .json; anything else.
FileKind kind_of(const std::string& path);

/// The model in a file, not compiled: for what needs no training configuration. Throws an Error naming the file; for
/// classes that are not known one that lists all of them.
models::Model load_uncompiled(const std::string& path);

/// The model in a file, compiled as the file says where that can be made; else not compiled, with a warning that says
/// `consequence` and why. Throws as `load_uncompiled` does.
models::Model load_compiled_if_possible(const std::string& path, const std::string& consequence);

/// The model that a config.json describes, not compiled. Throws as `load_uncompiled` does.
models::Model model_from_config(const std::string& path);

/// What is said of classes that are not known, in the words of the command line.
std::string complaint_of(const std::string& path, const saving::UnknownClassesError& error);

/// Throws an Error naming `path` when nothing can be written there, so that long work is not begun in vain.
void require_folder_of(const std::string& path);

}  // namespace rhyton::tool
