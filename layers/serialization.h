#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <rhyton/framework/io/json/json.h>
#include <rhyton/layers/layer.h>

namespace rhyton::layers {

/// Creates a layer from the result of its `get_config`.
using LayerFactory = std::function<Layer(const io::Json& config)>;

/// The layer in the form of `config.json`: `{"module", "class_name", "config", "registered_name", "build_config"}`, the
/// last only if it is built. Every Keras 3 reads it.
io::Json serialize(const Layer& layer);

/// The layer that such an object, written by any Keras 3 or Keras 2, describes; built if it has a `build_config` with
/// shapes. Throws ValueError naming layer, class and remedy for an unknown class, and for unknown arguments that have
/// an effect; NotImplementedError for `Lambda` outside of safe mode and for layers that wrap code of another framework.
Layer deserialize(const io::Json& object);

/// Registers a custom layer class for `serialize` and `deserialize` (`keras.saving.register_keras_serializable`).
/// `name` is its `class_name()`. Saved models name it "package>name".
void register_keras_serializable(const std::string& package, const std::string& name, LayerFactory factory);

/// During its lifetime, `serialize` on this thread gives these layers, which are shared by several models of one file,
/// a "shared_object_id", by which reading restores them as one layer.
class SharedLayersScope {
 public:
  explicit SharedLayersScope(std::map<const LayerImpl*, std::int64_t> ids);
  ~SharedLayersScope();
  SharedLayersScope(const SharedLayersScope&) = delete;
  SharedLayersScope& operator=(const SharedLayersScope&) = delete;

  std::optional<std::int64_t> id_of(const LayerImpl& layer) const;

 private:
  std::map<const LayerImpl*, std::int64_t> ids_;
  const SharedLayersScope* previous_;
};

/// Registers a built-in class that is not defined in layers/: the models, and layers of models. `module` is Keras's,
/// which files name.
void register_builtin(const std::string& class_name, LayerFactory factory, const std::string& module = "keras.layers");

// Whether `deserialize` and `from_config` can create a class. `registered_name` ("package>name") may be empty.

/// Whether layers of that class can be created: built-in, registered, or in the custom object scope.
bool is_known_layer(const std::string& registered_name, const std::string& class_name);
/// The same for activation functions, by the function's name.
bool is_known_activation(const std::string& name);
/// The same for initializers, by class or by Keras's string for it.
bool is_known_initializer(const std::string& registered_name, const std::string& name);
/// The same for regularizers, by class or by Keras's string for it.
bool is_known_regularizer(const std::string& registered_name, const std::string& name);
/// The same for constraints, by class or by Keras's string for it.
bool is_known_constraint(const std::string& registered_name, const std::string& name);

/// The name of a built-in class in Keras's source, by which legacy files call it: `class_name` unless Keras exports the
/// class by another name.
std::string source_name_of(const std::string& class_name);

/// The classes of layers that can be read and written, without those of `register_keras_serializable`.
std::vector<std::string> serializable_classes();

}  // namespace rhyton::layers
