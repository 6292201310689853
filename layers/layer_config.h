#pragma once

#include <string>
#include <utility>

#include <rhyton/framework/io/json/json.h>
#include <rhyton/framework/serialization/config_reader.h>
#include <rhyton/framework/serialization/config_writer.h>
#include <rhyton/framework/tensor/shape.h>
#include <rhyton/layers/layer.h>

namespace rhyton::layers {

/// Writes [null, 28, 28, 1], as `config.json` does for (None, 28, 28, 1).
io::Json shape_to_json(const Shape& shape);
/// Reads that form. Throws ValueError for anything else.
Shape shape_from_json(const io::Json& json);

/// The layer options among the options of a layer class.
template <class Options>
LayerOptions base_options(const Options& options) {
  LayerOptions result;
  result.name = options.name;
  if constexpr (requires { options.dtype; }) result.dtype = options.dtype;
  if constexpr (requires { options.trainable; }) result.trainable = options.trainable;
  if constexpr (requires { options.activity_regularizer; }) result.activity_regularizer = options.activity_regularizer;
  return result;
}

/// Lists all members of a layer's options: those that all layers have, then its own.
template <class Options, class Fields>
void visit_layer(Options& options, Fields& fields) {
  LayerOptions::visit(options, fields);
  if constexpr (requires { Options::visit(options, fields); }) Options::visit(options, fields);
}

/// The arguments in the config of a layer of that class. Throws ValueError in Keras's words for unknown arguments that
/// have an effect, and the errors of ConfigReader.
template <class Handle>
typename Handle::Arguments read_layer(const io::Json& config) {
  ConfigReader reader("layer", Handle::keras_name, config);
  typename Handle::Arguments arguments;
  visit_layer(arguments, reader);
  reader.finish();
  return arguments;
}

}  // namespace rhyton::layers

namespace rhyton {

/// A shape in a configuration: [null, 28, 28, 1].
template <>
struct ConfigForm<Shape> {
  static constexpr const char* type = "a list of lengths";
  static constexpr bool is_object = true;
  static constexpr bool refuses_null = false;
  static io::Json write(const Shape& shape) { return layers::shape_to_json(shape); }
  static Shape read(const char* /*key*/, const io::Json& json) { return layers::shape_from_json(json); }
};

}  // namespace rhyton
