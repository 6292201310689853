#pragma once

#include <string>

#include <rhyton/rhyton.h>

namespace rhyton::tool {

/// Whether the values of that input come as they are to a layer that multiplies them by trained weights: through layers
/// that leave them as they are (Reshape, MaxPooling2D, Dropout, ...), and by none that could scale them. False in
/// doubt.
bool reaches_weights_unscaled(const models::Model& model, const std::string& input);

}  // namespace rhyton::tool
