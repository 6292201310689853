#include <rhyton/models/saving/keras_archive.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <rhyton/framework/error.h>
#include <rhyton/framework/io/atomic_file.h>
#include <rhyton/framework/io/hdf5/hdf5.h>
#include <rhyton/framework/io/json/json.h>
#include <rhyton/framework/io/zip/zip.h>
#include <rhyton/layers/assets.h>
#include <rhyton/layers/weight_limit.h>
#include <rhyton/layers/weights_to_come.h>
#include <rhyton/models/saving/keras2_meaning.h>
#include <rhyton/models/saving/model_config.h>
#include <rhyton/models/saving/weights_file.h>
#include <rhyton/models/training/step_mutex.h>

namespace rhyton::saving {
namespace {

namespace fs = std::filesystem;
using io::Json;

constexpr std::string_view metadata_name = "metadata.json";
constexpr std::string_view config_name = "config.json";
constexpr std::string_view weights_name = "model.weights.h5";
constexpr std::string_view npz_weights_name = "model.weights.npz";
constexpr std::string_view assets_folder = "assets/";
/// The oldest version with this format. Keras itself ignores it.
constexpr std::string_view keras_version = "3.0.0";
/// The maximum length of a configuration: JSON values take up to 20 times the memory of their text.
constexpr std::uint64_t config_limit = std::uint64_t{64} << 20;

/// The maximum length of a layer's file, such as a vocabulary.
constexpr std::uint64_t asset_limit = std::uint64_t{1} << 30;

/// Packed weights that take more than this go through a temporary file.
constexpr std::uint64_t max_in_memory = std::uint64_t{64} << 20;

/// The local time as Keras writes it: "2026-01-31@12:34:56".
std::string date_now() {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  localtime_r(&now, &local);
  std::array<char, 32> text{};
  const std::size_t length = std::strftime(text.data(), text.size(), "%Y-%m-%d@%H:%M:%S", &local);
  return {text.data(), length};
}

bool is_folder(const std::string& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

/// The members of an archive or folder.
class Archive {
 public:
  explicit Archive(const std::string& path) : path_(path) {
    if (!is_folder(path)) zip_.emplace(fs::path(path));
  }

  bool contains(std::string_view name) const {
    std::error_code ignored;
    return zip_ ? zip_->contains(name) : fs::is_regular_file(fs::path(path_) / name, ignored);
  }

  std::string read_text(std::string_view name, std::uint64_t limit) {
    if (zip_) return zip_->read_text(name, limit);
    const std::vector<std::byte> bytes = io::read_file(fs::path(path_) / name, limit);
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }

  /// The text is released before the function returns.
  Json read_json(std::string_view name) {
    const std::string place = path_ + "/" + std::string(name);
    return Json::parse(read_text(name, config_limit), place);
  }

  /// The version of Keras that wrote it; empty where that is not said, for which no file is refused.
  std::string keras_version() {
    if (!contains(metadata_name)) return {};
    try {
      const Json metadata = read_json(metadata_name);
      const Json* const version = metadata.is_object() ? metadata.find("keras_version") : nullptr;
      return version != nullptr && version->is_string() ? version->as_string() : std::string();
    } catch (const Error&) {
      return {};
    }
  }

  /// The unpacked size of the weights in bytes; 0 if there are none.
  std::uint64_t weights_size() const {
    if (zip_) {
      const auto& members = zip_->members();
      const auto found = std::find_if(members.begin(), members.end(),
                                      [](const io::ZipMember& member) { return member.name == weights_name; });
      return found == members.end() ? 0 : found->size;
    }
    std::error_code ignored;
    const std::uintmax_t size = fs::file_size(fs::path(path_) / weights_name, ignored);
    return ignored ? 0 : size;
  }

  io::Hdf5File open_weights() {
    if (contains(weights_name)) {
      if (!zip_) return io::Hdf5File::open_read(fs::path(path_) / weights_name);
      const std::string name = path_ + "/" + std::string(weights_name);
      if (const auto part = zip_->find_stored(weights_name)) return io::Hdf5File::open_part(*part, name);
      // A compressed member would otherwise be in memory together with the weights that are read from it.
      if (weights_size() > max_in_memory) {
        if (const auto part = zip_->read_to_file(weights_name)) return io::Hdf5File::open_part(*part, name);
      }
      return io::Hdf5File::open_image(zip_->read(weights_name), name);
    }
    if (contains(npz_weights_name)) {
      throw NotImplementedError("\"" + path_ + "\" has its weights in " + std::string(npz_weights_name) +
                                ", which are pickled Python objects and cannot be read. Save the model with weights in "
                                "the HDF5 format, as Keras does by itself.");
    }
    throw ValueError("Expected a model.weights.h5 or model.weights.npz file. Received: \"" + path_ + "\"");
  }

 private:
  std::string path_;
  std::optional<io::ZipReader> zip_;
};

/// The files of the layers' assets, by their names in the archive.
std::map<std::string, std::string> assets_of(const models::Model& model) {
  std::map<std::string, std::string> files;
  for (const auto& [path, layer] : layers_by_path(model)) {
    const auto* const holder = dynamic_cast<const layers::AssetHolder*>(layer.impl().get());
    if (holder == nullptr) continue;
    for (auto& [name, content] : holder->assets()) {
      files.emplace(std::string(assets_folder) + path + "/" + name, std::move(content));
    }
  }
  return files;
}

/// Gives the layers what the archive has for them.
void load_assets(const models::Model& model, Archive& archive) {
  for (const auto& [layer_path, layer] : layers_by_path(model)) {
    auto* const holder = dynamic_cast<layers::AssetHolder*>(layer.impl().get());
    if (holder == nullptr) continue;
    const std::string folder = std::string(assets_folder) + layer_path + "/";
    holder->set_assets([&](const std::string& name) -> std::optional<std::string> {
      const std::string member = folder + name;
      return archive.contains(member) ? std::optional(archive.read_text(member, asset_limit)) : std::nullopt;
    });
  }
}

}  // namespace

bool is_keras_archive(const std::string& path) {
  std::error_code ignored;
  if (is_folder(path)) return fs::exists(fs::path(path) / config_name, ignored);
  if (!fs::is_regular_file(path, ignored)) return false;
  std::array<char, 2> start{};
  std::ifstream file(path, std::ios::binary);
  return file.read(start.data(), start.size()) && start == std::array{'P', 'K'};
}

void save_keras_archive(const models::Model& model, const std::string& path) {
  std::unique_lock between_steps(training::step_mutex());
  std::unique_lock making(making_mutex());
  const Json config = serialize_model(model);
  std::optional<WeightsSnapshot> snapshot(model);
  const std::map<std::string, std::string> assets = assets_of(model);
  making.unlock();
  between_steps.unlock();

  const Json metadata = Json::object({{"keras_version", keras_version}, {"date_saved", date_now()}});
  io::ZipWriter archive{fs::path(path)};
  archive.add_stored(metadata_name, metadata.dump());
  archive.add_stored(config_name, config.dump());
  for (const auto& [name, content] : assets) archive.add_stored(name, content);
  snapshot->write(archive.begin_hdf5(weights_name).root());
  snapshot.reset();
  archive.commit();
}

models::Model load_keras_archive(const std::string& path, bool compile) {
  Archive archive(path);
  if (!archive.contains(config_name)) {
    throw NotFoundError("\"" + path + "\" has no member \"" + std::string(config_name) +
                        "\": it contains no Keras model.");
  }
  const layers::WeightLimit limit(layers::WeightLimit::for_file(archive.weights_size()));
  const layers::WeightsToCome loading;
  const Json config = in_meaning_of_keras3(archive.read_json(config_name), archive.keras_version());
  models::Model model = deserialize_model(config, compile);
  const io::Hdf5File weights = archive.open_weights();
  find_weights(model, weights.root()).assign_one_by_one();
  load_assets(model, archive);
  return model;
}

PendingValues find_weights_in_archive(const models::Model& model, const std::string& path, bool skip_mismatch) {
  Archive archive(path);
  const io::Hdf5File weights = archive.open_weights();
  return find_weights(model, weights.root(), skip_mismatch);
}

}  // namespace rhyton::saving
