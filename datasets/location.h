#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

namespace rhyton::datasets {

/// The folder for downloaded data sets, as in Keras: `$KERAS_HOME/datasets`, else `~/.keras/datasets`, else (if the
/// home folder is not writable) `/tmp/.keras/datasets`. It need not exist.
std::filesystem::path cache_folder();

/// The folders that are searched for the data set of that name ("mnist"), in this order; they need not exist:
/// `$RHYTON_DATASETS/<name>`, the data installed with the library, the data in the source tree that the library was
/// built from. The cache folder is not among them.
std::vector<std::filesystem::path> dataset_folders(std::string_view name);

}  // namespace rhyton::datasets
