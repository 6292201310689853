#pragma once

#include <string>
#include <string_view>

namespace rhyton::layers {

/// What layers of that class of Keras wrap, where it is code of another framework, which Rhyton cannot run: "a Python
/// function of JAX" for JaxLayer. Empty for all other classes.
std::string_view foreign_code_of(std::string_view class_name);

/// The sentence about such layers; `layers` says which: "Rhyton cannot run the layer 'JaxLayer' (layer 'encoder'),
/// which wraps code of another framework, a Python function of JAX."
std::string foreign_layers_text(std::string_view class_name, const std::string& layers);

}  // namespace rhyton::layers
