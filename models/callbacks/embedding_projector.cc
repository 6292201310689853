#include <rhyton/models/callbacks/embedding_projector.h>

#include <algorithm>
#include <system_error>

#include <fmt/format.h>

#include <rhyton/framework/error.h>
#include <rhyton/framework/io/atomic_file.h>
#include <rhyton/framework/io/json/json.h>
#include <rhyton/layers/core/embedding.h>

namespace rhyton::callbacks {
namespace {

std::string table_text(const Tensor& table) {
  const std::vector<double> values = table.to_vector();
  const auto columns = static_cast<std::size_t>(table.shape()[1]);
  std::string text;
  for (std::size_t i = 0; i < values.size(); ++i) {
    text += fmt::format("{:.9g}{}", values[i], (i + 1) % columns == 0 ? '\n' : '\t');
  }
  return text;
}

/// A string of the text format of protocol buffers, whose escapes are those of JSON for the names of files and layers.
std::string quoted(const std::string& text) { return io::Json(text).dump(); }

}  // namespace

std::vector<std::string> projected_embeddings(const models::Model& model,
                                              const std::map<std::string, std::string>& metadata) {
  std::vector<std::string> names;
  for (const layers::Layer& layer : model.layers()) {
    if (layer.class_name() == layers::Embedding::keras_name) names.push_back(layer.name());
  }
  std::string unknown;
  for (const auto& [name, file] : metadata) {
    if (std::find(names.begin(), names.end(), name) == names.end())
      unknown += (unknown.empty() ? "'" : ", '") + name + "'";
  }
  if (unknown.empty()) return names;
  throw ValueError(
      "Unrecognized `Embedding` layer names passed to `keras.callbacks.TensorBoard` `embeddings_metadata` argument: [" +
      unknown + "]");
}

void write_embeddings(const models::Model& model, const std::vector<std::string>& layers,
                      const std::map<std::string, std::string>& metadata, const std::filesystem::path& log_dir,
                      int epoch) {
  std::error_code error;
  std::filesystem::create_directories(log_dir, error);
  if (error) throw IOError("Cannot create the folder '" + log_dir.string() + "': " + error.message());
  std::string config;
  for (const std::string& name : layers) {
    const std::string file = fmt::format("{}-{}.tsv", name, epoch);
    io::write_file(log_dir / file, table_text(model.get_layer(name).weights().front().value()));
    config += fmt::format("embeddings {{\n  tensor_name: {}\n  tensor_path: {}\n", quoted(name), quoted(file));
    const auto labels = metadata.find(name);
    if (labels != metadata.end()) config += fmt::format("  metadata_path: {}\n", quoted(labels->second));
    config += "}\n";
  }
  io::write_file(log_dir / "projector_config.pbtxt", config);
}

}  // namespace rhyton::callbacks
