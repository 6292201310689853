#include <rhyton/models/saving/shard_writer.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include <rhyton/framework/error.h>
#include <rhyton/framework/io/atomic_file.h>
#include <rhyton/framework/io/hdf5/hdf5.h>
#include <rhyton/framework/io/json/json.h>
#include <rhyton/framework/warning.h>
#include <rhyton/models/memory_size.h>
#include <rhyton/models/saving/sharded_weights.h>

namespace rhyton::saving {
namespace {

namespace fs = std::filesystem;
using io::Json;

constexpr std::string_view shard_extension = ".weights.h5";

/// Which shard has which values.
struct Division {
  std::vector<std::vector<SavedGroup>> shards = std::vector<std::vector<SavedGroup>>(1);
  /// Where the variables of a group are.
  struct Places {
    std::string group;
    std::vector<std::size_t> shards;
    /// Keras writes a single variable's shard without a list.
    bool is_list = false;
  };
  std::vector<Places> places;
  double total_bytes = 0;
};

/// As Keras counts, to which a bool is one bit.
double bytes_of(const Tensor& value) {
  const auto bytes = static_cast<double>(value.spec().bytes());
  return value.dtype() == DType::bool_ ? bytes / 8 : bytes;
}

/// Fills one shard after the other, as Keras does. A group of which some variables no longer fit goes on in the next.
Division divided(const std::vector<SavedGroup>& groups, double max_bytes) {
  Division division;
  double shard_bytes = 0;
  for (const SavedGroup& group : groups) {
    std::vector<std::size_t> places;
    division.shards.back().push_back({.vars_path = group.vars_path, .name = group.name, .values = {}});
    for (const auto& [name, value] : group.values) {
      const double bytes = bytes_of(value);
      if (bytes > max_bytes) {
        throw ValueError("The size of " + group.vars_path + "/" + name + " is " + models::readable_memory_size(bytes) +
                         " which exceeds the maximum shard size " + models::readable_memory_size(max_bytes) +
                         ". You can increase the `max_shard_size` parameter to accommodate the size.");
      }
      division.total_bytes += bytes;
      shard_bytes += bytes;
      if (shard_bytes > max_bytes) {
        shard_bytes = bytes;
        division.shards.push_back({{.vars_path = group.vars_path, .name = {}, .values = {}}});
      }
      division.shards.back().back().values.emplace_back(name, value);
      const std::size_t place = division.shards.size() - 1;
      if (places.empty() || places.back() != place) places.push_back(place);
    }
    if (!places.empty()) division.places.push_back({"/" + group.vars_path, std::move(places), group.values.size() > 1});
  }
  return division;
}

/// The names of a set of shards. Set 0 has Keras's names; the others are for shards that are written while a JSON file
/// names those of set 0.
class ShardNames {
 public:
  ShardNames(std::string base, int set) : base_(std::move(base)), infix_(set == 0 ? "" : fmt::format(".new{}", set)) {}

  std::string operator[](std::size_t index) const {
    return fmt::format("{}_{:05}{}{}", base_, index, infix_, shard_extension);
  }
  std::vector<std::string> first(std::size_t count) const {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < count; ++i) names.push_back((*this)[i]);
    return names;
  }

 private:
  std::string base_;
  std::string infix_;
};

/// Whether a file of that name is a shard of some set.
bool is_shard(std::string_view name, const std::string& base) {
  if (!name.starts_with(base + "_") || !name.ends_with(shard_extension)) return false;
  name.remove_prefix(base.size() + 1);
  constexpr std::size_t digits = 5;
  return name.size() > digits && std::all_of(name.begin(), name.begin() + digits,
                                             [](unsigned char character) { return std::isdigit(character) != 0; });
}

/// The shards that the JSON file names; none if there is no such file, or a damaged one. Throws IOError if it cannot be
/// read.
std::set<std::string> shards_named_by(const fs::path& path) {
  try {
    std::set<std::string> names;
    for (const auto& [group, shards] : read_weight_map(path)) names.insert(shards.begin(), shards.end());
    return names;
  } catch (const IOError&) {
    throw;
  } catch (const Error&) {
    return {};
  }
}

/// Whether the JSON file names that shard, or might.
bool may_name(const fs::path& path, const std::string& shard) {
  try {
    return shards_named_by(path).contains(shard);
  } catch (const Error&) {
    return true;
  }
}

void write_map(const fs::path& path, const Division& division, const std::vector<std::string>& names) {
  Json weight_map = Json::object();
  for (const Division::Places& places : division.places) {
    Json shards = Json::array();
    for (const std::size_t place : places.shards) shards.push_back(names[place]);
    weight_map[places.group] = places.is_list ? shards : shards[0];
  }
  // Python's sum of no floats is an integer.
  const Json total = division.places.empty() ? Json(0) : Json(division.total_bytes);
  constexpr int indent = 4;
  io::write_file(
      path,
      Json::object({{"metadata", Json::object({{"total_size", total}})}, {"weight_map", weight_map}}).dump(indent));
}

/// Shards that are removed again if the write fails.
class NewShards {
 public:
  explicit NewShards(fs::path folder) : folder_(std::move(folder)) {}
  ~NewShards() {
    std::error_code ignored;
    for (const std::string& name : names_) fs::remove(folder_ / name, ignored);
  }
  NewShards(const NewShards&) = delete;
  NewShards& operator=(const NewShards&) = delete;

  void write(const std::string& name, const std::vector<SavedGroup>& groups) {
    io::Hdf5File file = io::Hdf5File::create(folder_ / name);
    io::Hdf5Group root = file.root();
    for (const SavedGroup& group : groups) group.write(root);
    file.commit();
    names_.push_back(name);
  }
  void keep() { names_.clear(); }

 private:
  fs::path folder_;
  std::vector<std::string> names_;
};

fs::path link_path(const fs::path& folder, const std::string& name) { return folder / (name + ".link"); }

/// Gives each of the files a second name, which another file may have had; false if the file system cannot.
bool link_files(const fs::path& folder, const std::vector<std::string>& from, const std::vector<std::string>& to) {
  std::error_code error;
  for (std::size_t i = 0; i < from.size(); ++i) {
    const fs::path link = link_path(folder, to[i]);
    fs::remove(link, error);
    fs::create_hard_link(folder / from[i], link, error);
    if (error) return false;
    fs::rename(link, folder / to[i], error);
    if (error) return false;
  }
  return true;
}

/// Gives shards of another set, which the JSON file names, Keras's names where possible. Returns their names.
std::vector<std::string> renamed(const fs::path& path, const Division& division, const std::vector<std::string>& names,
                                 const std::vector<std::string>& final_names) {
  if (!link_files(path.parent_path(), names, final_names)) return names;
  write_map(path, division, final_names);
  return final_names;
}

/// Keras's name of the shards: that of the file without extensions.
std::string base_name(const fs::path& path) {
  constexpr std::string_view extension = ".weights";
  std::string name = path.stem().string();
  for (std::size_t place = 0; (place = name.find(extension, place)) != std::string::npos;)
    name.erase(place, extension.size());
  return name;
}

}  // namespace

void write_shards(const std::vector<SavedGroup>& groups, fs::path path, double max_shard_size) {
  constexpr double gigabyte = 1024.0 * 1024.0 * 1024.0;
  const Division division = divided(groups, max_shard_size * gigabyte);
  const std::string base = base_name(path);
  if (path.extension() != ".json") {
    const std::string given = path.string();
    path.replace_extension(".json");
    warn("Saving sharded weights requires `*.json` as the extension. The original path: " + given +
         " will be renamed to " + path.string() + ".");
  }
  const fs::path folder = path.parent_path();
  const std::size_t count = division.shards.size();

  const std::set<std::string> replaced = shards_named_by(path);
  const auto is_replaced = [&](const std::string& name) { return replaced.contains(name); };
  int set = 0;
  std::vector<std::string> names = ShardNames(base, set).first(count);
  while (std::any_of(names.begin(), names.end(), is_replaced)) names = ShardNames(base, ++set).first(count);

  NewShards shards(folder);
  for (std::size_t i = 0; i < count; ++i) shards.write(names[i], division.shards[i]);
  try {
    write_map(path, division, names);
  } catch (const Error&) {
    // The file may have been replaced when this was noticed.
    if (may_name(path, names.front())) shards.keep();
    throw;
  }
  shards.keep();

  const std::vector<std::string> final_names = ShardNames(base, 0).first(count);
  const std::vector<std::string> used = set == 0 ? names : renamed(path, division, names, final_names);

  std::set<std::string> kept(used.begin(), used.end());
  kept.insert(final_names.front());  // Keras opens it in any case
  std::error_code ignored;
  for (const std::string& name : replaced) {
    if (is_shard(name, base) && !kept.contains(name)) fs::remove(folder / name, ignored);
  }
  // Those of a write that was interrupted.
  for (const std::string& name : final_names) fs::remove(link_path(folder, name), ignored);
  for (std::size_t i = used == names ? count : 0; set > 0 && fs::remove(folder / ShardNames(base, set)[i], ignored);)
    ++i;
}

}  // namespace rhyton::saving
