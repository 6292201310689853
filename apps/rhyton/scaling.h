#pragma once

#include <string>

#include <rhyton/rhyton.h>

namespace rhyton::tool {

/// Whether the values of that input reach a layer that multiplies them by trained weights without being scaled: only
/// through layers that keep their magnitude (Reshape, MaxPooling2D, Dropout, ...). False if this is not certain.
bool reaches_weights_unscaled(const models::Model& model, const std::string& input);

}  // namespace rhyton::tool
