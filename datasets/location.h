#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

namespace rhyton::datasets {

/// Where downloaded data sets are kept, as Keras does: `$KERAS_HOME/datasets`, else `~/.keras/datasets`, else (where
/// the home folder cannot be written) `/tmp/.keras/datasets`. It need not exist.
std::filesystem::path cache_folder();

/// The folders in which the data set of that name ("mnist") is looked for, in this order; they need not exist:
/// `$RHYTON_DATASETS/<name>`, the data installed with the library, the data in the source tree that the library was
/// built from. The cache folder is not among them.
std::vector<std::filesystem::path> dataset_folders(std::string_view name);

}  // namespace rhyton::datasets
