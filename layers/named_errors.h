#pragma once

#include <string>

#include <rhyton/framework/error.h>
#include <rhyton/framework/tensor/checked_arithmetic.h>
#include <rhyton/layers/layer.h>

namespace rhyton::layers {

/// Calls `function` and adds the layer's name to errors about shapes with too many elements, and about shapes for
/// `build` that are missing or too many.
template <class Function>
auto naming(const LayerImpl& layer, Function&& function) {
  const auto named = [&](const std::string& message) {
    return message + " (layer '" + layer.name() + "' of class " + layer.class_name() + ")";
  };
  try {
    return function();
  } catch (const ShapeOverflowError& error) {
    throw ValueError(named(error.what()));
  } catch (const SeveralShapesError& error) {
    throw ValueError(named(error.what()));
  } catch (const MissingShapeError& error) {
    throw TypeError(layer.class_name() + ".build() " + error.what() + " (layer '" + layer.name() + "')");
  }
}

}  // namespace rhyton::layers
