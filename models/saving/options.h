#pragma once

#include <optional>
#include <variant>
#include <vector>

#include <rhyton/framework/by_name.h>
#include <rhyton/layers/layer.h>
#include <rhyton/models/saving/custom_objects.h>
#include <rhyton/optimizers/optimizer.h>

namespace rhyton::models {

/// Options of `Model::save`. Fields in the order of `keras.Model.save`.
struct SaveOptions {
  ByName by_name = ByName();
  /// Whether an existing file may be replaced. If not, Rhyton throws ValueError, where Keras prompts the user.
  bool overwrite = true;
  /// Whether the arguments of `compile` and the optimizer's state are written to a legacy `.h5` file. To a `.keras`
  /// file they always are.
  bool include_optimizer = true;
};

/// Parts of a model whose values are neither written to a file nor read from it: layers, with the layers that only they
/// hold, and the optimizer.
using ObjectsToSkip = std::vector<std::variant<layers::Layer, optimizers::Optimizer>>;

/// Options of `Model::save_weights`. Fields in the order of `keras.saving.save_weights`.
struct SaveWeightsOptions {
  ByName by_name = ByName();
  /// As in `SaveOptions`.
  bool overwrite = true;
  /// The maximum size in GB (2³⁰ bytes) of the weights in one file: they are divided over several files (shards). Empty
  /// for a single file.
  std::optional<double> max_shard_size = std::nullopt;
  ObjectsToSkip objects_to_skip = {};
};

/// Options of `Model::load_weights`. Fields in the order of `keras.Model.load_weights`.
struct LoadWeightsOptions {
  ByName keywords_only = ByName();
  /// Skips layers whose weights differ in number or shape from those in the file, with a warning.
  bool skip_mismatch = false;
  /// Matches weights by the names of layers, not by their order; layers that the file does not name keep their weights.
  /// For legacy `.h5` files only.
  bool by_name = false;
  /// These keep their values, and need none in the file: `model.load_weights(path, {.objects_to_skip = {head}})`. For
  /// `.weights.h5` and `.weights.json` files only.
  ObjectsToSkip objects_to_skip = {};
};

/// Options of `load_model`. Fields in the order of `keras.saving.load_model`.
struct LoadModelOptions {
  ByName by_name = ByName();
  /// Custom classes and functions that the file names, by their names:
  ///
  ///     models::load_model("model.keras", {.custom_objects = {{"Scale", [](const io::Json& config) {
  ///                          return layers::make_layer<Scale>(config["factor"].as_double());
  ///                        }}}});
  saving::CustomObjectMap custom_objects = {};
  /// Whether the model is compiled with the saved arguments of `compile`.
  bool compile = true;
  /// Selects the message for Python code (`Lambda`), which is refused in either case, as Rhyton cannot run it.
  bool safe_mode = true;
};

}  // namespace rhyton::models
