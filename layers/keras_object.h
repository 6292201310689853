#pragma once

#include <string>
#include <string_view>

#include <rhyton/framework/io/json.h>

namespace rhyton::layers {

/// How `config.json` writes an object of Keras: module ("keras.initializers"), class, config, no registered name.
io::Json keras_object(std::string_view module, std::string_view class_name, io::Json config);

/// What stands behind such an object, a Keras 2 object without a module, or a plain name.
struct KerasObject {
  std::string class_name;
  io::Json config;
  /// "package>name"; empty for a class of Keras.
  std::string registered_name = {};
};

/// Reads either form. `what` says in errors what was to be read ("initializer"). Throws ValueError for any other value.
KerasObject read_keras_object(const io::Json& json, std::string_view what);

}  // namespace rhyton::layers
