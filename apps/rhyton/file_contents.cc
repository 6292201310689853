#include <rhyton/apps/rhyton/file_contents.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <vector>

#include <rhyton/apps/rhyton/json_output.h>
#include <rhyton/apps/rhyton/messages.h>

namespace rhyton::tool {
namespace {

using io::Json;

// --- NumPy -----------------------------------------------------------------------------------------------------------

void add_header(Json& entry, const io::NpyHeader& header) {
  entry["shape"] = to_json(header.shape);
  entry["dtype"] = header.descr;
  entry["fortran_order"] = header.fortran_order;
}

Json npy_contents(const std::string& path) {
  const std::vector<std::byte> bytes = io::read_file(path);
  Json contents = Json::object({{"format", "npy"}});
  add_header(contents, io::parse_npy_header(bytes, path));
  try {
    io::parse_npy(bytes, path);  // detects truncated files
  } catch (const NotImplementedError&) {
    // Arrays whose elements are not numbers still have a shape and a type.
  }
  return contents;
}

Json npz_contents(const std::string& path, io::ZipReader& archive) {
  Json arrays = Json::array();
  for (const io::ZipMember& member : archive.members()) {
    std::string_view name = member.name;
    if (name.ends_with(".npy")) name.remove_suffix(std::string_view(".npy").size());
    Json entry = Json::object({{"name", name}});
    add_header(entry, io::parse_npy_header(archive.read(member.name), path + "/" + member.name));
    arrays.push_back(std::move(entry));
  }
  return Json::object({{"format", "npz"}, {"arrays", std::move(arrays)}});
}

// --- HDF5 ------------------------------------------------------------------------------------------------------------

/// The maximum depth, since groups may form cycles.
constexpr int deepest = 64;

std::string child_path(const io::Hdf5Group& group, const std::string& name) {
  return (group.path() == "/" ? "" : group.path()) + "/" + name;
}

/// Names sorted with the numbers first, which are the names of variables, in numerical order.
std::vector<std::string> in_order(std::vector<std::string> names) {
  const auto is_number = [](const std::string& name) {
    return !name.empty() && name.find_first_not_of("0123456789") == std::string::npos;
  };
  std::stable_sort(names.begin(), names.end(), [&](const std::string& a, const std::string& b) {
    if (is_number(a) != is_number(b)) return is_number(a);
    if (is_number(a) && a.size() != b.size()) return a.size() < b.size();
    return a < b;
  });
  return names;
}

Json attributes_of(const io::Hdf5Object& object) {
  Json attributes = Json::object();
  for (const std::string& name : object.attribute_names()) attributes[name] = object.read_attribute(name);
  return attributes;
}

Json describe(const io::Hdf5Dataset& dataset, const std::string& path) {
  Json entry = Json::object({{"path", path}});
  try {
    const TensorSpec spec = dataset.spec();
    entry["shape"] = to_json(spec.shape);
    entry["dtype"] = name_of(spec.dtype);
  } catch (const TypeError&) {
    entry["shape"] = nullptr;
    entry["dtype"] = nullptr;  // strings or structures
  }
  entry["attributes"] = attributes_of(dataset);
  return entry;
}

void add_objects(Json& objects, const io::Hdf5Group& group, const std::string& path, int depth) {
  if (depth > deepest)
    throw IOError("the groups of \"" + path + "\" are nested in more than " + std::to_string(deepest) + " levels");
  objects.push_back(Json::object({{"path", path}, {"attributes", attributes_of(group)}}));
  for (const std::string& name : in_order(group.dataset_names())) {
    objects.push_back(describe(group.open_dataset(name), child_path(group, name)));
  }
  for (const std::string& name : group.group_names()) {
    add_objects(objects, group.open_group(name), child_path(group, name), depth + 1);
  }
}

Json objects_of(const io::Hdf5File& file) {
  Json objects = Json::array();
  add_objects(objects, file.root(), "/", 0);
  return objects;
}

// --- Keras -----------------------------------------------------------------------------------------------------------

constexpr std::string_view config_name = "config.json";
constexpr std::string_view metadata_name = "metadata.json";
constexpr std::string_view weights_name = "model.weights.h5";

Json keras_contents(const std::string& path, io::ZipReader& archive) {
  Json members = Json::array();
  for (const io::ZipMember& member : archive.members()) {
    members.push_back(Json::object({{"name", member.name}, {"size", member.size}}));
  }
  const auto json_member = [&](std::string_view name) {
    return Json::parse(archive.read_text(name), path + "/" + std::string(name));
  };
  const Json config = json_member(config_name);
  const Json* const inner = config.find("config");
  const bool has_name = inner != nullptr && inner->is_object();
  Json contents = Json::object({{"format", "keras"},
                                {"metadata", archive.contains(metadata_name) ? json_member(metadata_name) : Json()},
                                {"class_name", config.get_or("class_name", "")},
                                {"name", has_name ? Json(inner->get_or("name", "")) : Json()},
                                {"members", std::move(members)}});
  if (archive.contains(weights_name)) {
    contents["objects"] =
        objects_of(io::Hdf5File::open_image(archive.read(weights_name), path + "/" + std::string(weights_name)));
  }
  return contents;
}

// --- Selection by the first bytes ------------------------------------------------------------------------------------

std::string first_bytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::array<char, 8> bytes{};
  file.read(bytes.data(), bytes.size());
  return {bytes.data(), static_cast<std::size_t>(file.gcount())};
}

Json zip_contents(const std::string& path) {
  io::ZipReader archive{std::filesystem::path(path)};
  if (archive.contains(config_name)) return keras_contents(path, archive);
  const std::vector<io::ZipMember>& members = archive.members();
  const bool is_npz = std::all_of(members.begin(), members.end(),
                                  [](const io::ZipMember& member) { return member.name.ends_with(".npy"); });
  if (is_npz) return npz_contents(path, archive);
  throw IOError("\"" + path +
                "\" is a zip archive, but neither a .keras file (it has no config.json) nor an .npz file");
}

}  // namespace

Json contents_of(const std::string& path) {
  return naming_file(path, [&]() -> Json {
    const std::string start = first_bytes(path);
    if (start.starts_with("PK")) return zip_contents(path);
    if (start.starts_with("\x93NUMPY")) return npy_contents(path);
    if (start.starts_with("\x89HDF") || path.ends_with(".h5") || path.ends_with(".hdf5")) {
      return Json::object({{"format", "h5"}, {"objects", objects_of(io::Hdf5File::open_read(path))}});
    }
    if (start.empty()) io::read_file(path, 0);  // throws a specific error, unless the file is empty
    throw IOError("\"" + path + "\" is not a .keras, .h5, .npz or .npy file");
  });
}

}  // namespace rhyton::tool
