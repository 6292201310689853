#include <rhyton/models/saving/legacy_h5.h>

#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <rhyton/framework/error.h>
#include <rhyton/framework/io/hdf5/hdf5.h>
#include <rhyton/framework/io/json/json.h>
#include <rhyton/framework/warning.h>
#include <rhyton/layers/weight_limit.h>
#include <rhyton/layers/weights_to_come.h>
#include <rhyton/models/model_impl.h>
#include <rhyton/models/saving/keras2_meaning.h>
#include <rhyton/models/saving/legacy_config.h>
#include <rhyton/models/saving/legacy_weights.h>
#include <rhyton/models/saving/model_config.h>
#include <rhyton/models/saving/optimizer_state.h>
#include <rhyton/models/saving/unknown_classes.h>
#include <rhyton/models/training/step_mutex.h>

namespace rhyton::saving {
namespace {

using io::Json;

constexpr const char* model_weights = "model_weights";
constexpr const char* optimizer_weights = "optimizer_weights";
constexpr const char* fresh_optimizer =
    "Error in loading the saved optimizer state. As a result, your model is starting with a freshly initialized "
    "optimizer.";

Json read_json(const io::Hdf5Group& root, const std::string& attribute, const std::string& path) {
  return without_legacy_forms(Json::parse(root.read_string_attribute(attribute), path + "@" + attribute));
}

/// Before Keras 2.2.3, the configuration of a Sequential model was only the list of its layers.
Json with_names(Json model_config) {
  Json* const config = model_config.is_object() ? model_config.find("config") : nullptr;
  if (config != nullptr && config->is_array()) {
    *config = Json::object({{"name", "sequential"}, {"layers", Json(*config)}});
  }
  return model_config;
}

PendingValues find_optimizer(const optimizers::Optimizer& optimizer, const io::Hdf5Group& group) {
  const std::vector<io::Hdf5Dataset> datasets = named_datasets(group);
  std::vector<std::string> names;
  for (const io::Hdf5Dataset& dataset : datasets) names.push_back(dataset.path());
  std::optional<PendingValues> values = find_state(optimizer, datasets, names);
  if (!values) warn(fresh_optimizer);
  return std::move(values).value_or(PendingValues());
}

}  // namespace

void save_legacy_h5(const models::Model& model, const std::string& path, bool include_optimizer) {
  const bool with_training = include_optimizer && model.is_compiled();
  std::unique_lock between_steps(training::step_mutex());
  std::unique_lock making(making_mutex());
  const Json model_config = legacy_model_config(model);
  const optimizers::Optimizer optimizer = with_training ? model.optimizer() : optimizers::Optimizer();
  Json training_config;
  if (with_training) {
    // Here Keras writes the optimizer used in training; in the `.keras` format, the one that `compile` was given.
    models::CompileOptions options = model.compile_options();
    options.optimizer = optimizer;
    training_config = legacy_training_config(options);
  }
  const LegacyWeightsSnapshot weights(model);
  NamedValues state;
  if (with_training) {
    for (const Variable& variable : optimizer.variables()) {
      state.emplace_back(variable.path(), variable.stored_value());
    }
  }
  making.unlock();
  between_steps.unlock();

  io::Hdf5File file = io::Hdf5File::create(std::filesystem::path(path));
  io::Hdf5Group root = file.root();
  root.write_string_attribute("keras_version", "3.0.0");
  root.write_string_attribute("backend", "tensorflow");
  root.write_string_attribute("model_config", model_config.dump());
  if (with_training) root.write_string_attribute("training_config", training_config.dump());
  weights.write(root.create_group(model_weights));
  if (!state.empty()) write_named_values(state, root.create_group(optimizer_weights));
  file.commit();
}

models::Model load_legacy_h5(const std::string& path, bool compile) {
  const io::Hdf5File file = io::Hdf5File::open_read(std::filesystem::path(path));
  const io::Hdf5Group root = file.root();
  if (!root.has_attribute("model_config")) {
    throw ValueError("No model config found in the file at " + path + "." +
                     (has_legacy_weights(root) ? " It holds weights alone: give them to `Model::load_weights`." : ""));
  }
  const layers::WeightLimit limit(layers::WeightLimit::for_file(std::filesystem::file_size(path)));
  const layers::WeightsToCome loading;
  const std::string version = root.has_attribute("keras_version") ? root.read_string_attribute("keras_version") : "";
  const Json model_config = in_meaning_of_keras3(with_names(read_json(root, "model_config", path)), version);
  const bool has_training = compile && root.has_attribute("training_config");
  const Json training_config = has_training ? read_json(root, "training_config", path) : Json();
  models::register_model_classes();
  require_known_classes(model_config, current_training_config(training_config));
  models::Model model = deserialize_model(model_config, false);
  find_legacy_weights(model, root.open_group(model_weights)).assign_one_by_one();
  if (!compile) return model;
  if (!has_training) {
    warn("No training configuration found in the save file, so the model was *not* compiled. Compile it manually.");
    return model;
  }
  model.compile(read_legacy_training_config(training_config));
  build_optimizer(model);
  if (root.has_group(optimizer_weights) && model.optimizer().is_built()) {
    find_optimizer(model.optimizer(), root.open_group(optimizer_weights)).assign_one_by_one();
  }
  return model;
}

}  // namespace rhyton::saving
