#include <rhyton/models/saving/legacy_weights.h>

#include <algorithm>
#include <set>

#include <rhyton/framework/error.h>
#include <rhyton/framework/warning.h>

namespace rhyton::saving {
namespace {

using layers::Layer;

constexpr const char* layer_names = "layer_names";
constexpr const char* weight_names = "weight_names";
constexpr const char* top_level_weights = "top_level_model_weights";

std::vector<Variable> legacy_weights(const Layer& layer) {
  std::vector<Variable> weights = layer.trainable_weights();
  const std::vector<Variable> others = layer.non_trainable_weights();
  weights.insert(weights.end(), others.begin(), others.end());
  return weights;
}

/// A list of names, which may be divided over several attributes; empty if there is no such attribute.
std::vector<std::string> names_in(const io::Hdf5Object& object, const char* name) {
  const bool is_there = object.has_attribute(name) || object.has_attribute(std::string(name) + "0");
  return is_there ? object.read_string_list_attribute(name) : std::vector<std::string>();
}

/// The layer's name in messages: "layer #2 (named dense)".
std::string numbered(std::size_t number, const Layer& layer) {
  return "layer #" + std::to_string(number) + " (named " + layer.name() + ")";
}

/// Pairs weights and datasets, equal in number.
PendingValues pair_up(const std::vector<Variable>& weights, const std::vector<io::Hdf5Dataset>& datasets,
                      const std::string& layer, bool skip_mismatch) {
  PendingValues values;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const Shape shape = datasets[i].spec().shape;
    if (shape == weights[i].shape()) {
      values.add(weights[i], datasets[i]);
      continue;
    }
    const std::string difference = "for weight " + weights[i].path() + ". Weight expects shape " +
                                   weights[i].shape().to_string() + ". Received saved weight with shape " +
                                   shape.to_string();
    if (!skip_mismatch) throw ValueError("Shape mismatch in " + layer + " " + difference);
    warn("Skipping loading weights for " + layer + " due to mismatch in shape " + difference);
  }
  return values;
}

/// Checks the file's weights of the model itself, besides those of its layers. Models of Rhyton have none.
void check_top_level_weights(const io::Hdf5Group& group, bool skip_mismatch) {
  if (!group.has_group(top_level_weights)) return;
  const std::size_t count = named_datasets(group.open_group(top_level_weights)).size();
  if (count == 0) return;
  const std::string text =
      "Model expects 0 top-level weight(s). Received " + std::to_string(count) + " saved top-level weight(s)";
  if (!skip_mismatch)
    throw ValueError("Weight count mismatch for top-level weights when loading weights from file. " + text);
  warn("Skipping loading top-level weights for model due to mismatch in number of weights. " + text);
}

}  // namespace

void write_named_values(const NamedValues& values, io::Hdf5Group group) {
  std::vector<std::string> names;
  std::set<std::string> taken;
  for (const auto& [path, tensor] : values) {
    // Weights of nested models may have equal paths.
    std::string name = path;
    for (int count = 1; !taken.insert(name).second; ++count) name = path + "_" + std::to_string(count);
    names.push_back(name);
  }
  group.write_string_list_attribute(weight_names, names);
  for (std::size_t i = 0; i < values.size(); ++i) group.write_dataset(names[i], values[i].second);
}

std::vector<io::Hdf5Dataset> named_datasets(const io::Hdf5Group& group) {
  std::vector<io::Hdf5Dataset> datasets;
  for (const std::string& name : names_in(group, weight_names)) datasets.push_back(group.open_dataset(name));
  return datasets;
}

LegacyWeightsSnapshot::LegacyWeightsSnapshot(const models::Model& model) {
  for (const Layer& layer : model.layers()) {
    NamedValues values;
    for (const Variable& variable : legacy_weights(layer))
      values.emplace_back(variable.path(), variable.stored_value());
    layers_.push_back({layer.name(), std::move(values)});
  }
}

void LegacyWeightsSnapshot::write(io::Hdf5Group group) const {
  std::vector<std::string> names;
  for (const LayerWeights& layer : layers_) names.push_back(layer.name);
  group.write_string_list_attribute(layer_names, names);
  group.write_bytes_attribute("backend", "tensorflow");
  group.write_bytes_attribute("keras_version", "3.0.0");
  std::vector<LayerWeights> sorted = layers_;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const LayerWeights& a, const LayerWeights& b) { return a.name < b.name; });
  for (const LayerWeights& layer : sorted) write_named_values(layer.values, group.create_group(layer.name));
  write_named_values({}, group.create_group(top_level_weights));
}

bool has_legacy_weights(const io::Hdf5Group& group) {
  return group.has_attribute(layer_names) || group.has_attribute(std::string(layer_names) + "0");
}

PendingValues find_legacy_weights(const models::Model& model, const io::Hdf5Group& group, bool skip_mismatch) {
  std::vector<Layer> layers;
  for (const Layer& layer : model.layers()) {
    if (!layer.weights().empty()) layers.push_back(layer);
  }
  std::vector<std::pair<std::string, std::vector<io::Hdf5Dataset>>> saved;
  for (const std::string& name : names_in(group, layer_names)) {
    std::vector<io::Hdf5Dataset> datasets = named_datasets(group.open_group(name));
    if (!datasets.empty()) saved.emplace_back(name, std::move(datasets));
  }
  if (saved.size() != layers.size()) {
    throw ValueError("Layer count mismatch when loading weights from file. Model expected " +
                     std::to_string(layers.size()) + " layers, found " + std::to_string(saved.size()) +
                     " saved layers.");
  }
  PendingValues values;
  for (std::size_t k = 0; k < layers.size(); ++k) {
    const auto& [name, datasets] = saved[k];
    const std::vector<Variable> weights = legacy_weights(layers[k]);
    if (datasets.size() != weights.size()) {
      throw ValueError("Weight count mismatch for layer #" + std::to_string(k) + " (named " + layers[k].name() +
                       " in the current model, " + name + " in the save file). Layer expects " +
                       std::to_string(weights.size()) + " weight(s). Received " + std::to_string(datasets.size()) +
                       " saved weight(s)");
    }
    values.add(pair_up(weights, datasets, numbered(k, layers[k]), skip_mismatch));
  }
  check_top_level_weights(group, false);
  return values;
}

PendingValues find_legacy_weights_by_name(const models::Model& model, const io::Hdf5Group& group, bool skip_mismatch) {
  PendingValues values;
  const std::vector<std::string> names = names_in(group, layer_names);
  for (std::size_t k = 0; k < names.size(); ++k) {
    const std::vector<io::Hdf5Dataset> datasets = named_datasets(group.open_group(names[k]));
    for (const Layer& layer : model.layers()) {
      if (layer.name() != names[k]) continue;
      const std::vector<Variable> weights = legacy_weights(layer);
      if (datasets.size() == weights.size()) {
        values.add(pair_up(weights, datasets, numbered(k, layer), skip_mismatch));
        continue;
      }
      const std::string counts = "Layer expects " + std::to_string(weights.size()) + " weight(s). Received " +
                                 std::to_string(datasets.size()) + " saved weight(s)";
      if (!skip_mismatch) throw ValueError("Weight count mismatch for " + numbered(k, layer) + ". " + counts);
      warn("Skipping loading of weights for " + numbered(k, layer) + " due to mismatch in number of weights. " +
           counts);
    }
  }
  check_top_level_weights(group, skip_mismatch);
  return values;
}

}  // namespace rhyton::saving
