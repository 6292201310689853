#pragma once

#include <rhyton/framework/by_name.h>
#include <rhyton/models/saving/custom_objects.h>

namespace rhyton::models {

/// How `Model::save` writes. Fields in the order of `keras.Model.save`.
struct SaveOptions {
  ByName by_name = ByName();
  /// Whether a file that is there may be replaced. Where Keras asks the user, Rhyton throws ValueError.
  bool overwrite = true;
  /// Whether a legacy `.h5` file gets what `compile` was given and the optimizer's state. A `.keras` file always does.
  bool include_optimizer = true;
};

/// How `Model::save_weights` writes.
struct SaveWeightsOptions {
  ByName by_name = ByName();
  /// As in `SaveOptions`.
  bool overwrite = true;
};

/// How `Model::load_weights` reads. Fields in the order of `keras.Model.load_weights`.
struct LoadWeightsOptions {
  ByName keywords_only = ByName();
  /// Leaves layers as they are whose weights differ in number or shape from those in the file, with a warning.
  bool skip_mismatch = false;
  /// Takes weights by the names of layers, not by their order; layers that the file does not name are left as they are.
  /// For legacy `.h5` files only.
  bool by_name = false;
};

/// How `load_model` reads. Fields in the order of `keras.saving.load_model`.
struct LoadModelOptions {
  ByName by_name = ByName();
  /// Classes and functions of one's own that this file names, by name:
  ///
  ///     models::load_model("model.keras", {.custom_objects = {{"Scale", [](const io::Json& config) {
  ///                          return layers::make_layer<Scale>(config["factor"].as_double());
  ///                        }}}});
  saving::CustomObjectMap custom_objects = {};
  /// Whether the model is compiled as it was when it was saved.
  bool compile = true;
  /// What holds Python code (`Lambda`) is refused either way, as Rhyton cannot run it; this says in which words.
  bool safe_mode = true;
};

}  // namespace rhyton::models
