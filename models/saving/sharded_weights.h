#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <rhyton/framework/io/hdf5/hdf5.h>

// Weights that are divided over several HDF5 files (shards), in the form of Keras's `max_shard_size`: a JSON file
// `<name>.weights.json` with "metadata", which has the size of all weights in bytes, and "weight_map", from the path of
// each group with variables ("/layers/dense/vars") to the name of the file beside it that has them, or to a list of
// these. The shards, written by shard_writer.h, are `<name>_00000.weights.h5`, `<name>_00001.weights.h5`, …, in the
// form of `WeightsSnapshot`.

namespace rhyton::saving {

/// "weight_map", in its order.
using WeightMap = std::vector<std::pair<std::string, std::vector<std::string>>>;

/// Reads the JSON file. Throws NotFoundError if there is none; ValueError if it is damaged, and for a shard in another
/// folder.
WeightMap read_weight_map(const std::filesystem::path& path);

/// Such weights, read from their files.
class ShardedWeights {
 public:
  /// `path`: that of the JSON file. Throws as `read_weight_map`.
  explicit ShardedWeights(const std::filesystem::path& path);

  /// The groups of that path, "layers/dense/vars", one of each shard that the map names for it; none if it names none.
  /// Opens these shards. Throws NotFoundError if one is missing.
  std::vector<io::Hdf5Group> open_groups(const std::string& vars_path);

 private:
  std::filesystem::path folder_;
  std::map<std::string, std::vector<std::string>> shards_of_;
  std::map<std::string, io::Hdf5File> open_;
};

}  // namespace rhyton::saving
