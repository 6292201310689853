#pragma once

#include <string>

#include <rhyton/framework/error.h>
#include <rhyton/framework/tensor/checked_arithmetic.h>
#include <rhyton/layers/layer.h>

namespace rhyton::layers {

/// An error of an op whose message names the layer that called the op.
class NamedArgumentError : public InvalidArgumentError {
 public:
  using InvalidArgumentError::InvalidArgumentError;
};

/// Calls `function` and adds the layer's name to errors of ops about their arguments, unless an inner layer did, to
/// errors about shapes with too many elements, and about shapes for `build` that are missing or too many.
template <class Function>
auto naming(const LayerImpl& layer, Function&& function) {
  const auto named = [&](const std::string& message) {
    return message + " (layer '" + layer.name() + "' of class " + layer.class_name() + ")";
  };
  try {
    return function();
  } catch (const NamedArgumentError&) {
    throw;
  } catch (const InvalidArgumentError& error) {
    throw NamedArgumentError(named(error.what()));
  } catch (const ShapeOverflowError& error) {
    throw ValueError(named(error.what()));
  } catch (const SeveralShapesError& error) {
    throw ValueError(named(error.what()));
  } catch (const MissingShapeError& error) {
    throw TypeError(layer.class_name() + ".build() " + error.what() + " (layer '" + layer.name() + "')");
  }
}

}  // namespace rhyton::layers
