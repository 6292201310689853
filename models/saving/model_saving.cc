// `Model::save` and `load_model`: the `.keras` archive of config.json, metadata.json and model.weights.h5.

#include <algorithm>
#include <array>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>

#include <rhyton/framework/error.h>
#include <rhyton/framework/io/hdf5.h>
#include <rhyton/framework/io/json.h>
#include <rhyton/framework/io/zip.h>
#include <rhyton/layers/serialization.h>
#include <rhyton/layers/weight_limit.h>
#include <rhyton/models/model.h>
#include <rhyton/models/model_impl.h>
#include <rhyton/models/saving/compile_config.h>
#include <rhyton/models/saving/weights_file.h>

namespace rhyton::models {
namespace {

using io::Json;

constexpr std::string_view metadata_name = "metadata.json";
constexpr std::string_view config_name = "config.json";
constexpr std::string_view weights_name = "model.weights.h5";
/// The longest configuration that is read: a value of JSON takes up to 40 times its text.
constexpr std::uint64_t config_limit = std::uint64_t{64} << 20;
/// The oldest version whose form this is. Keras itself does not look at it.
constexpr std::string_view keras_version = "3.0.0";

bool is_legacy_h5(const std::string& path) { return path.ends_with(".h5") || path.ends_with(".hdf5"); }

/// The local time as Keras writes it: "2026-01-31@12:34:56".
std::string date_now() {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  localtime_r(&now, &local);
  std::array<char, 32> text{};
  const std::size_t length = std::strftime(text.data(), text.size(), "%Y-%m-%d@%H:%M:%S", &local);
  return {text.data(), length};
}

/// Whether the file is an archive at all, sound or not.
bool starts_like_zip(const std::string& path) {
  std::array<char, 2> start{};
  std::ifstream file(path, std::ios::binary);
  return file.read(start.data(), start.size()) && start == std::array{'P', 'K'};
}

[[noreturn]] void throw_unreadable(const std::string& path) {
  if (is_legacy_h5(path)) {
    throw NotImplementedError("Models in the legacy H5 format cannot be loaded: filepath=" + path +
                              ". Save the model as a `.keras` file.");
  }
  if (path.ends_with(".keras")) {
    throw ValueError("File not found: filepath=" + path +
                     ". Please ensure the file is an accessible `.keras` zip file.");
  }
  throw ValueError(
      "File format not supported: filepath=" + path +
      ". Keras 3 only supports V3 `.keras` files, legacy H5 format files (`.h5` extension). Note that the legacy "
      "SavedModel format is not supported by `load_model()` in Keras 3. In order to reload a TensorFlow SavedModel as "
      "an "
      "inference-only layer in Keras 3, use `keras.layers.TFSMLayer(" +
      path + ", call_endpoint='serving_default')` (note that your `call_endpoint` might have a different name).");
}

Model model_from_archive_config(const Json& config) {
  register_model_classes();
  Model model = Model::from_layer(layers::deserialize(config));
  const Json* const compile_config = config.find("compile_config");
  if (compile_config == nullptr || !compile_config->is_object() || compile_config->empty()) return model;
  model.compile(saving::deserialize_compile_config(*compile_config));
  // So that there is something for the saved state to go into.
  if (model.is_built()) model.model_impl()->trainer().build_optimizer();
  return model;
}

}  // namespace

void Model::save(const std::string& path) const {
  if (is_legacy_h5(path)) {
    throw ValueError("Invalid `filepath` argument: expected a `.keras` extension. Received: filepath=" + path);
  }
  if (!path.ends_with(".keras")) {
    throw ValueError(
        "Invalid filepath extension for saving. Please add either a `.keras` extension for the native Keras format "
        "(recommended) or a `.h5` extension. Use `model.export(filepath)` if you want to export a SavedModel for use "
        "with TFLite/TFServing/etc. Received: filepath=" +
        path + ".");
  }
  Json config = layers::serialize(*this);
  if (is_compiled()) {
    config["compile_config"] = saving::serialize_compile_config(model_impl()->trainer().compile_options());
  }
  const Json metadata = Json::object({{"keras_version", keras_version}, {"date_saved", date_now()}});
  io::Hdf5File weights = io::Hdf5File::create_image();
  saving::write_weights(*this, weights.root());

  io::ZipWriter archive(path);
  archive.add_stored(metadata_name, metadata.dump());
  archive.add_stored(config_name, config.dump());
  archive.add_stored(weights_name, weights.image());
  archive.commit();
}

Model load_model(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored) || !starts_like_zip(path)) throw_unreadable(path);
  io::ZipReader archive{std::filesystem::path(path)};
  const auto& members = archive.members();
  const auto weights_member = std::find_if(members.begin(), members.end(),
                                           [](const io::ZipMember& member) { return member.name == weights_name; });
  if (weights_member == members.end()) {
    throw ValueError("Expected a model.weights.h5 or model.weights.npz file.");
  }
  const layers::WeightLimit limit(layers::WeightLimit::for_file(weights_member->size));
  Model model =
      model_from_archive_config(Json::parse(archive.read_text(config_name, config_limit), path + "/config.json"));
  const io::Hdf5File weights =
      io::Hdf5File::open_image(archive.read(weights_name), path + "/" + std::string(weights_name));
  saving::read_weights(model, weights.root());
  return model;
}

}  // namespace rhyton::models
