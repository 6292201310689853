#pragma once

#include <filesystem>

#include <rhyton/datasets/dataset.h>
#include <rhyton/datasets/pipeline.h>

namespace rhyton::datasets {

/// See `Pipeline::cache(file)`. The file has records as TFRecord files have them: a name and version, then one per
/// element with dtypes, shapes and the bytes of the tensors.
Pipeline cached_in_file(const Dataset& source, const std::filesystem::path& file);

}  // namespace rhyton::datasets
