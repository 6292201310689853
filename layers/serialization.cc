#include <rhyton/layers/serialization.h>

#include <any>
#include <cctype>
#include <mutex>
#include <optional>
#include <utility>

#include <rhyton/framework/context.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/serialization/custom_objects.h>
#include <rhyton/framework/serialization/keras_names.h>
#include <rhyton/framework/serialization/option_table.h>
#include <rhyton/layers/foreign_layers.h>
#include <rhyton/layers/layer_config.h>
#include <rhyton/layers/layers.h>
#include <rhyton/layers/option_tables.h>

namespace rhyton::layers {
namespace {

using Table = std::map<std::string, LayerFactory, std::less<>>;

/// The built-in classes, including those registered by higher modules.
struct BuiltinClasses {
  BuiltinClasses() {
    for_each_class(BuiltinLayers(), [&]<class Handle>() {
      table[Handle::keras_name] = [](const io::Json& config) -> Layer { return Handle::from_config(config); };
      if constexpr (requires { Handle::source_name; }) {
        table[Handle::source_name] = table[Handle::keras_name];
        source_names[Handle::keras_name] = Handle::source_name;
      }
      if constexpr (requires { Handle::keras_module; }) modules[Handle::keras_name] = Handle::keras_module;
    });
  }

  std::mutex mutex;
  Table table;
  /// By the name that Keras exports, where it is another one.
  std::map<std::string, std::string, std::less<>> source_names;
  /// Keras's modules of classes that are not in keras.layers.
  std::map<std::string, std::string, std::less<>> modules;
};

LayerFactory find_builtin(const std::string& class_name) {
  auto& builtin = context().slot<BuiltinClasses>();
  const std::scoped_lock lock(builtin.mutex);
  const auto found = builtin.table.find(class_name);
  return found == builtin.table.end() ? LayerFactory() : found->second;
}

std::string builtin_module(const std::string& class_name) {
  auto& builtin = context().slot<BuiltinClasses>();
  const std::scoped_lock lock(builtin.mutex);
  const auto found = builtin.modules.find(class_name);
  return found == builtin.modules.end() ? "keras.layers" : found->second;
}

thread_local const SharedLayersScope* shared_layers = nullptr;

/// The JSON text of an object, shortened for messages.
std::string excerpt(const io::Json& object) {
  constexpr std::size_t maximum = 1000;
  const std::string text = object.dump();
  return text.size() <= maximum ? text : text.substr(0, maximum) + "…";
}

/// The outermost members of a saved object.
struct SavedObject {
  std::string class_name;
  std::string registered_name;
  std::string module;
  /// The name of the layer, if it has one.
  std::string name;
  const io::Json* given_config = nullptr;
  /// The configuration with plain values instead of NumPy values, if it has any.
  std::optional<io::Json> plain_config = std::nullopt;

  const io::Json& config() const { return plain_config ? *plain_config : *given_config; }
};

std::string text_or_empty(const io::Json& object, const char* key) {
  const io::Json* const member = object.find(key);
  return member != nullptr && member->is_string() ? member->as_string() : std::string();
}

/// The number or list of a NumPy value, as in files of TensorFlow 2.12; null for anything else.
const io::Json* numpy_value(const io::Json& argument) {
  if (!argument.is_object() || text_or_empty(argument, "class_name") != "__numpy__") return nullptr;
  const io::Json* const config = argument.find("config");
  return config != nullptr && config->is_object() ? config->find("value") : nullptr;
}

/// The arguments with plain values instead of NumPy values; empty if there are none.
std::optional<io::Json> plain_arguments(const io::Json& config) {
  std::optional<io::Json> plain;
  for (const auto& [key, argument] : config.items()) {
    const io::Json* const value = numpy_value(argument);
    if (value == nullptr) continue;
    if (!plain) plain = config;
    (*plain)[key] = *value;
  }
  return plain;
}

/// Layers of a functional model, and those of Keras 2, also have the name beside the configuration.
std::string name_of_layer(const io::Json& object, const io::Json& config) {
  const std::string name = text_or_empty(config, "name");
  return name.empty() ? text_or_empty(object, "name") : name;
}

SavedObject read_object(const io::Json& object) {
  const io::Json* const class_name = object.is_object() ? object.find("class_name") : nullptr;
  if (class_name == nullptr || !class_name->is_string()) {
    throw ValueError("Cannot deserialize a layer from an object without `class_name`: " + excerpt(object));
  }
  const io::Json* const config = object.find("config");
  if (config == nullptr || !config->is_object()) {
    throw ValueError("Cannot deserialize a " + class_name->as_string() + " layer without `config`: " + excerpt(object));
  }
  return {class_name->as_string(),
          text_or_empty(object, "registered_name"),
          text_or_empty(object, "module"),
          name_of_layer(object, *config),
          config,
          plain_arguments(*config)};
}

/// "layer 'upper'", for messages.
std::string described(const SavedObject& object) {
  return object.name.empty() ? "a layer without a name" : "layer '" + object.name + "'";
}

[[noreturn]] void throw_lambda(const SavedObject& object) {
  const io::Json* const function = object.config().find("function");
  const bool has_code =
      function != nullptr &&
      (function->is_array() || (function->is_object() && text_or_empty(*function, "class_name") == "__lambda__"));
  const DeserializationScope* const scope = DeserializationScope::innermost();
  if (has_code && (scope == nullptr || scope->safe_mode())) {
    throw ValueError(
        "Requested the deserialization of a `Lambda` layer whose `function` is a Python lambda. This carries a "
        "potential risk of arbitrary code execution and thus it is disallowed by default. Rhyton cannot run Python "
        "code: give a function that makes the layer, for example a `layers::Lambda` of a C++ function, "
        "`custom_objects = {{\"Lambda\", factory}}`. It is " +
        described(object) + ".");
  }
  std::string subject = described(object);
  subject.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(subject.front())));
  throw NotImplementedError(subject +
                            " is a `Lambda`: its Python function cannot be run. Give a function that makes the layer, "
                            "for example a `layers::Lambda` of a C++ function, `custom_objects = {{\"Lambda\", "
                            "factory}}`.");
}

[[noreturn]] void throw_unknown(const SavedObject& object, const io::Json& whole) {
  if (object.class_name == "Lambda") throw_lambda(object);
  // Legacy files do not have the module.
  const bool is_of_keras = object.module.empty() ? is_keras_name("layer", object.class_name)
                                                 : object.module == "keras" || object.module.starts_with("keras.");
  if (is_of_keras && !foreign_code_of(object.class_name).empty()) {
    throw NotImplementedError(foreign_layers_text(object.class_name, described(object)));
  }
  if (is_of_keras) {
    throw ValueError("Rhyton has no layer '" + object.class_name + "'" +
                     (object.module.empty() ? "" : " (" + object.module + ")") + ", which " + described(object) +
                     " is of. Make one of your own known with `layers::register_keras_serializable`, or give it in "
                     "`custom_objects`, before the model is loaded. Full object config: " +
                     excerpt(whole));
  }
  throw ValueError("Could not locate class '" + object.class_name + "' of " + described(object) +
                   ". Make sure custom classes are registered with `layers::register_keras_serializable`, or given in "
                   "`custom_objects`, before they are loaded. Full object config: " +
                   excerpt(whole));
}

/// Calls `function`, which creates or builds the layer. Errors name it.
template <class Function>
auto naming_saved(const SavedObject& object, const Function& function) {
  const auto named = [&](const std::string& message) {
    // The errors of a model already name one of its layers.
    if (object.config().contains("layers")) return message;
    if (object.name.empty()) return message + " (a layer of class " + object.class_name + " without a name)";
    const bool is_named = message.find("'" + object.name + "'") != std::string::npos ||
                          message.find('"' + object.name + '"') != std::string::npos;
    return is_named ? message : message + " (layer '" + object.name + "' of class " + object.class_name + ")";
  };
  try {
    return function();
  } catch (const ValueError& error) {
    throw ValueError(named(error.what()));
  } catch (const TypeError& error) {
    throw TypeError(named(error.what()));
  } catch (const NotFoundError& error) {
    throw ValueError(named(error.what()));
  } catch (const NotImplementedError& error) {
    throw NotImplementedError(named(error.what()));
  }
}

/// The constructor arguments of the layer. If they cannot be saved, the error names the layer.
io::Json config_of(const Layer& layer) {
  try {
    return layer.get_config();
  } catch (const ValueError& error) {
    const std::string message = error.what();
    // The error of a model already names one of its layers.
    if (message.find(" of class ") != std::string::npos) throw;
    throw ValueError(message + " (layer '" + layer.name() + "' of class " + layer.class_name() + ")");
  }
}

}  // namespace

SharedLayersScope::SharedLayersScope(std::map<const LayerImpl*, std::int64_t> ids)
    : ids_(std::move(ids)), previous_(std::exchange(shared_layers, this)) {}

SharedLayersScope::~SharedLayersScope() { shared_layers = previous_; }

std::optional<std::int64_t> SharedLayersScope::id_of(const LayerImpl& layer) const {
  const auto found = ids_.find(&layer);
  return found == ids_.end() ? std::nullopt : std::optional(found->second);
}

io::Json serialize(const Layer& layer) {
  const std::string class_name = layer.class_name();
  io::Json config = config_of(layer);
  io::Json object;
  if (!registered_name<Layer>(class_name).empty() || !find_builtin(class_name)) {
    object = custom_object<Layer>(class_name, std::move(config));
  } else {
    const std::string module = builtin_module(class_name);
    const bool is_functional = class_name == "Functional" || class_name == "Model";
    // Keras writes the name of a class that is not part of its public interface.
    const bool is_internal = module.starts_with("keras.src.");
    const std::string registered = is_functional ? "Functional" : class_name;
    object = io::Json::object({{"module", module},
                               {"class_name", class_name},
                               {"config", std::move(config)},
                               {"registered_name", is_internal ? io::Json(registered) : io::Json()}});
  }
  io::Json build_config = layer.impl()->get_build_config();
  if (!build_config.is_null()) object["build_config"] = std::move(build_config);
  const auto shared_id = shared_layers == nullptr ? std::nullopt : shared_layers->id_of(*layer.impl());
  if (shared_id) object["shared_object_id"] = *shared_id;
  return object;
}

Layer deserialize(const io::Json& object) {
  const SavedObject saved = read_object(object);
  std::any* shared = nullptr;
  if (const io::Json* const id = object.find("shared_object_id"); id != nullptr && id->is_int()) {
    DeserializationScope* const scope = DeserializationScope::innermost();
    if (scope != nullptr) shared = &scope->shared_object(id->as_int());
    if (shared != nullptr && shared->has_value()) return std::any_cast<Layer>(*shared);
  }
  LayerFactory factory = find_class<Layer>(saved.registered_name, saved.class_name);
  if (!factory) factory = find_builtin(saved.class_name);
  if (!factory) throw_unknown(saved, object);
  Layer layer = naming_saved(saved, [&] { return factory(saved.config()); });
  naming_saved(saved, [&] {
    if (const io::Json* const build_config = object.find("build_config")) layer.build_from_config(*build_config);
  });
  if (shared != nullptr) *shared = layer;
  return layer;
}

bool is_known_layer(const std::string& registered_name, const std::string& class_name) {
  return find_class<Layer>(registered_name, class_name) || find_builtin(class_name);
}

void register_keras_serializable(const std::string& package, const std::string& name, LayerFactory factory) {
  register_class<Layer>(package, name, std::move(factory));
}

void register_builtin(const std::string& class_name, LayerFactory factory, const std::string& module) {
  auto& builtin = context().slot<BuiltinClasses>();
  const std::scoped_lock lock(builtin.mutex);
  builtin.table[class_name] = std::move(factory);
  builtin.modules[class_name] = module;
}

std::string source_name_of(const std::string& class_name) {
  auto& builtin = context().slot<BuiltinClasses>();
  const std::scoped_lock lock(builtin.mutex);
  const auto found = builtin.source_names.find(class_name);
  return found == builtin.source_names.end() ? class_name : found->second;
}

std::vector<std::string> serializable_classes() {
  std::vector<std::string> names;
  for_each_class(BuiltinLayers(), [&]<class Handle>() { names.emplace_back(Handle::keras_name); });
  return names;
}

std::vector<OptionTable> option_tables() {
  std::vector<OptionTable> tables;
  for_each_class(BuiltinLayers(), [&]<class Handle>() {
    tables.push_back(option_table<typename Handle::Arguments>(
        Handle::keras_name, [](const auto& options, auto& table) { visit_layer(options, table); }));
  });
  return tables;
}

}  // namespace rhyton::layers
