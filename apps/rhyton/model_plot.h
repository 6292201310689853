#pragma once

#include <string>

#include <rhyton/rhyton.h>

namespace rhyton::tool {

/// Draws the layers of a model as an SVG picture: a box for each, with its name, its class and its input and output
/// shapes, and arrows for the tensors between them (https://keras.io/api/utils/model_plotting_utils/). A nested model
/// is one box, or with `expand_nested` a frame around its layers.
std::string plot_model(const models::Model& model, bool expand_nested);

}  // namespace rhyton::tool
