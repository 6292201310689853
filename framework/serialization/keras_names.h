#pragma once

#include <string_view>

namespace rhyton {

/// Whether Keras has an object of that kind and name, whether or not Rhyton has it. `kind` is "layer", "activation",
/// "initializer", "regularizer", "constraint", "optimizer", "schedule", "loss" or "metric", `name` that of a class or
/// function. False for any other kind. Distinguishes classes of Keras from custom ones, where a file does not name the
/// module.
bool is_keras_name(std::string_view kind, std::string_view name);

}  // namespace rhyton
