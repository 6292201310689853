#pragma once

#include <rhyton/framework/tensor/shape.h>
#include <rhyton/layers/argument.h>

namespace rhyton::layers {

/// The shape of a tensor or symbolic tensor, also of one in a list of one. Throws TypeError for anything else.
inline Shape shape_of_argument(const Argument& argument) {
  if (argument.is_list() && argument.list().size() == 1) return shape_of_argument(argument.list().front());
  return argument.is_symbolic() ? argument.symbolic().shape() : argument.tensor().shape();
}

}  // namespace rhyton::layers
