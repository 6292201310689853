#include <rhyton/layers/serialization.h>

#include <map>
#include <mutex>
#include <utility>

#include <rhyton/framework/context.h>
#include <rhyton/framework/error.h>
#include <rhyton/layers/activation_layers.h>
#include <rhyton/layers/batch_normalization.h>
#include <rhyton/layers/conv2d.h>
#include <rhyton/layers/dense.h>
#include <rhyton/layers/dropout.h>
#include <rhyton/layers/embedding.h>
#include <rhyton/layers/global_pooling.h>
#include <rhyton/layers/input.h>
#include <rhyton/layers/layer_config.h>
#include <rhyton/layers/layer_normalization.h>
#include <rhyton/layers/merging.h>
#include <rhyton/layers/pooling2d.h>
#include <rhyton/layers/rescaling.h>
#include <rhyton/layers/reshaping.h>

namespace rhyton::layers {
namespace {

template <class Handle>
Layer make(const io::Json& config) {
  return Handle::from_config(config);
}

using Table = std::map<std::string, LayerFactory, std::less<>>;

/// One line per class.
Table builtin_layers() {
  return {
      {"Activation", make<Activation>},
      {"Add", make<Add>},
      {"Average", make<Average>},
      {"AveragePooling2D", make<AveragePooling2D>},
      {"BatchNormalization", make<BatchNormalization>},
      {"Concatenate", make<Concatenate>},
      {"Conv2D", make<Conv2D>},
      {"Dense", make<Dense>},
      {"Dropout", make<Dropout>},
      {"Embedding", make<Embedding>},
      {"Flatten", make<Flatten>},
      {"GlobalAveragePooling1D", make<GlobalAveragePooling1D>},
      {"GlobalAveragePooling2D", make<GlobalAveragePooling2D>},
      {"InputLayer", make<Input>},
      {"LayerNormalization", make<LayerNormalization>},
      {"MaxPooling2D", make<MaxPooling2D>},
      {"Maximum", make<Maximum>},
      {"Minimum", make<Minimum>},
      {"Multiply", make<Multiply>},
      {"ReLU", make<ReLU>},
      {"Rescaling", make<Rescaling>},
      {"Reshape", make<Reshape>},
      {"Softmax", make<Softmax>},
      {"Subtract", make<Subtract>},
  };
}

struct Registry {
  std::mutex mutex;
  Table builtin = builtin_layers();
  /// By "package>name".
  Table custom;
};

/// "package>name" of a class that a user has registered; empty for others.
std::string registered_name(Registry& registry, const std::string& class_name) {
  const std::scoped_lock lock(registry.mutex);
  for (const auto& [key, factory] : registry.custom) {
    if (key.substr(key.find('>') + 1) == class_name) return key;
  }
  return {};
}

LayerFactory find_factory(Registry& registry, const std::string& registered, const std::string& class_name) {
  if (!registered.empty()) {
    const std::scoped_lock lock(registry.mutex);
    if (const auto found = registry.custom.find(registered); found != registry.custom.end()) return found->second;
  }
  const std::string custom = registered_name(registry, class_name);
  const std::scoped_lock lock(registry.mutex);
  if (!custom.empty()) return registry.custom[custom];
  const auto found = registry.builtin.find(class_name);
  return found == registry.builtin.end() ? LayerFactory() : found->second;
}

void build_from_config(const Layer& layer, const io::Json& object) {
  const io::Json* const build_config = object.find("build_config");
  if (build_config == nullptr || !build_config->is_object() || layer.is_built()) return;
  const io::Json* const shape = build_config->find("input_shape");
  if (shape == nullptr || !shape->is_array() || shape->empty()) return;
  std::vector<Shape> shapes;
  if ((*shape)[0].is_array()) {
    for (const io::Json& entry : *shape) shapes.push_back(shape_from_json(entry));
  } else {
    shapes.push_back(shape_from_json(*shape));
  }
  layer.impl()->ensure_built(shapes);
}

}  // namespace

io::Json serialize(const Layer& layer) {
  const std::string class_name = layer.class_name();
  auto& registry = context().slot<Registry>();
  io::Json module = "keras.layers";
  io::Json registered = nullptr;
  if (const std::string custom = registered_name(registry, class_name); !custom.empty()) {
    module = nullptr;
    registered = custom;
  } else if (class_name == "Sequential") {
    module = "keras";
  } else if (class_name == "Functional" || class_name == "Model") {
    module = "keras.src.models.functional";
    registered = "Functional";
  } else if (!find_factory(registry, {}, class_name)) {
    module = nullptr;
    registered = class_name;
  }
  io::Json object = io::Json::object({{"module", module},
                                      {"class_name", class_name},
                                      {"config", layer.get_config()},
                                      {"registered_name", registered}});
  io::Json build_config = layer.impl()->get_build_config();
  if (!build_config.is_null()) object["build_config"] = std::move(build_config);
  return object;
}

Layer deserialize(const io::Json& object) {
  const io::Json* const class_name = object.is_object() ? object.find("class_name") : nullptr;
  if (class_name == nullptr || !class_name->is_string()) {
    throw ValueError("Cannot deserialize a layer from an object without `class_name`: " + object.dump());
  }
  const io::Json* const config = object.find("config");
  if (config == nullptr || !config->is_object()) {
    throw ValueError("Cannot deserialize a " + class_name->as_string() + " layer without `config`: " + object.dump());
  }
  auto& registry = context().slot<Registry>();
  const io::Json* const registered = object.find("registered_name");
  const LayerFactory factory =
      find_factory(registry, registered != nullptr && registered->is_string() ? registered->as_string() : "",
                   class_name->as_string());
  if (!factory) {
    throw ValueError(
        "Could not locate class '" + class_name->as_string() + "' of layer '" + config->get_or("name", "") +
        "'. Make sure custom classes are registered with `layers::register_keras_serializable` before they "
        "are loaded. Full object config: " +
        object.dump());
  }
  Layer layer = factory(*config);
  build_from_config(layer, object);
  return layer;
}

void register_keras_serializable(const std::string& package, const std::string& name, LayerFactory factory) {
  auto& registry = context().slot<Registry>();
  const std::scoped_lock lock(registry.mutex);
  registry.custom[package + ">" + name] = std::move(factory);
}

void register_builtin(const std::string& class_name, LayerFactory factory) {
  auto& registry = context().slot<Registry>();
  const std::scoped_lock lock(registry.mutex);
  registry.builtin[class_name] = std::move(factory);
}

std::vector<std::string> serializable_classes() {
  std::vector<std::string> names;
  for (const auto& [name, factory] : builtin_layers()) names.push_back(name);
  return names;
}

}  // namespace rhyton::layers
