#include <rhyton/layers/foreign_layers.h>

namespace rhyton::layers {

std::string_view foreign_code_of(std::string_view class_name) {
  if (class_name == "FlaxLayer") return "a Python module of Flax";
  if (class_name == "JaxLayer") return "a Python function of JAX";
  if (class_name == "TFSMLayer") return "a SavedModel of TensorFlow";
  if (class_name == "TorchModuleWrapper") return "a Python module of PyTorch";
  return {};
}

std::string foreign_layers_text(std::string_view class_name, const std::string& layers) {
  return "Rhyton cannot run the layer '" + std::string(class_name) + "' (" + layers +
         "), which wraps code of another framework, " + std::string(foreign_code_of(class_name)) + ".";
}

}  // namespace rhyton::layers
