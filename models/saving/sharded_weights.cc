#include <rhyton/models/saving/sharded_weights.h>

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <rhyton/framework/error.h>
#include <rhyton/framework/io/atomic_file.h>
#include <rhyton/framework/io/json/json.h>

namespace rhyton::saving {
namespace {

using io::Json;

constexpr std::uint64_t map_limit = std::uint64_t{64} << 20;

std::string shard_name(const Json& name, const std::string& place) {
  const std::string& text = name.as_string();
  const bool is_beside = !text.empty() && text != "." && text != ".." &&
                         text.find_first_of(std::string_view("/\0", 2)) == std::string::npos;
  if (!is_beside) {
    throw ValueError("Invalid name '" + text + "' of a shard: it must be a file beside \"" + place + "\".");
  }
  return text;
}

}  // namespace

WeightMap read_weight_map(const std::filesystem::path& path) {
  const std::string place = path.string();
  const std::vector<std::byte> bytes = io::read_file(path, map_limit);
  const Json config = Json::parse({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, place);
  WeightMap map;
  for (const auto& [group, shards] : config["weight_map"].items()) {
    std::vector<std::string> names;
    if (shards.is_array()) {
      for (const Json& shard : shards) names.push_back(shard_name(shard, place));
    } else {
      names.push_back(shard_name(shards, place));
    }
    map.emplace_back(group, std::move(names));
  }
  return map;
}

ShardedWeights::ShardedWeights(const std::filesystem::path& path) : folder_(path.parent_path()) {
  for (auto& [group, shards] : read_weight_map(path)) shards_of_.emplace(group, shards);
}

std::vector<io::Hdf5Group> ShardedWeights::open_groups(const std::string& vars_path) {
  std::vector<io::Hdf5Group> groups;
  const auto found = shards_of_.find("/" + vars_path);
  if (found == shards_of_.end()) return groups;
  for (const std::string& name : found->second) {
    auto file = open_.find(name);
    if (file == open_.end()) file = open_.emplace(name, io::Hdf5File::open_read(folder_ / name)).first;
    const io::Hdf5Group root = file->second.root();
    if (root.has_group(vars_path)) groups.push_back(root.open_group(vars_path));
  }
  return groups;
}

}  // namespace rhyton::saving
