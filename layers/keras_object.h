#pragma once

#include <string>
#include <string_view>

#include <rhyton/framework/io/json/json.h>

namespace rhyton::layers {

/// Writes an object as `config.json` does: module ("keras.initializers"), class, config, no registered name.
io::Json keras_object(std::string_view module, std::string_view class_name, io::Json config);

/// The contents of such an object, of a Keras 2 object without a module, or of a plain name.
struct KerasObject {
  std::string class_name;
  io::Json config;
  /// "package>name"; empty for a class of Keras.
  std::string registered_name = {};
};

/// Reads any of these forms. `what` names the kind of object in error messages ("initializer"). Throws ValueError for
/// any other value.
KerasObject read_keras_object(const io::Json& json, std::string_view what);

}  // namespace rhyton::layers
