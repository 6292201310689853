#pragma once

#include <filesystem>
#include <vector>

#include <rhyton/models/saving/saved_group.h>

namespace rhyton::saving {

/// Writes weights in the form of `ShardedWeights`. `path`: that of the JSON file, which gets the extension `.json` if
/// it has another one, with a warning; `max_shard_size` in GB (2³⁰ bytes).
///
/// An interrupted write leaves the weights that were there: shards that a JSON file names are not replaced as long as
/// it names them, but the new ones are first written beside them. Throws ValueError, before anything is written, if one
/// value is larger than `max_shard_size`; IOError.
void write_shards(const std::vector<SavedGroup>& groups, std::filesystem::path path, double max_shard_size);

}  // namespace rhyton::saving
