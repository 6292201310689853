#pragma once

#include <rhyton/layers/argument.h>
#include <rhyton/layers/operations/argument_value.h>

namespace rhyton::layers {

/// A tensor, or a tensor of the numbers in a number or in nested lists, as Keras's `convert_to_tensor` makes it: of
/// truth values bool, of integers int32, else `floatx()`. Throws TypeError for anything else, ValueError for lists that
/// differ in length.
Tensor constant_of(const Argument& argument);

}  // namespace rhyton::layers
