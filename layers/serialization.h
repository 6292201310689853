#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <rhyton/framework/io/json.h>
#include <rhyton/layers/layer.h>

namespace rhyton::layers {

/// Makes a layer from what its `get_config` gave.
using LayerFactory = std::function<Layer(const io::Json& config)>;

/// The layer as `config.json` holds it: `{"module", "class_name", "config", "registered_name", "build_config"}`, the
/// last where it is built. Every Keras 3 reads it.
io::Json serialize(const Layer& layer);

/// The layer that such an object describes, as any Keras 3, or Keras 2, writes it; built where it says with which
/// shapes. Throws ValueError naming layer, class and what to do for a class that is not known, and for arguments that
/// Rhyton does not know and that mean something.
Layer deserialize(const io::Json& object);

/// Makes a class of one's own known to `serialize` and `deserialize` (`keras.saving.register_keras_serializable`).
/// `name` is its `class_name()`. Saved models name it "package>name".
void register_keras_serializable(const std::string& package, const std::string& name, LayerFactory factory);

/// While it lives, `serialize` on this thread gives these layers, which stand in several models of one file, a
/// "shared_object_id", by which reading makes them one layer again.
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

/// Makes a class of Rhyton known that is no layer of this room: the models.
void register_builtin(const std::string& class_name, LayerFactory factory);

// What `deserialize` and `from_config` would make. `registered_name` ("package>name") may be empty.

/// Whether layers of that class can be made: of Rhyton, registered, or of the scope of custom objects.
bool is_known_layer(const std::string& registered_name, const std::string& class_name);
/// The same for activation functions, by the function's name.
bool is_known_activation(const std::string& name);
/// The same for initializers, by class or by Keras's string for it.
bool is_known_initializer(const std::string& registered_name, const std::string& name);
/// The same for regularizers, by class or by Keras's string for it.
bool is_known_regularizer(const std::string& registered_name, const std::string& name);

/// The classes of layers that can be read and written, without those of `register_keras_serializable`.
std::vector<std::string> serializable_classes();

}  // namespace rhyton::layers
