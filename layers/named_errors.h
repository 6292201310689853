#pragma once

#include <string>

#include <rhyton/framework/error.h>
#include <rhyton/framework/tensor/checked_arithmetic.h>
#include <rhyton/layers/layer.h>

namespace rhyton::layers {

/// Calls `function` and adds the layer's name to errors about shapes with too many elements.
template <class Function>
auto naming(const LayerImpl& layer, Function&& function) {
  try {
    return function();
  } catch (const ShapeOverflowError& error) {
    throw ValueError(std::string(error.what()) + " (layer '" + layer.name() + "' of class " + layer.class_name() + ")");
  }
}

}  // namespace rhyton::layers
