#pragma once

#include <string>

#include <rhyton/rhyton.h>

namespace rhyton::tool {

/// The layers of a model as an SVG picture: a box for each, with its name, its class and the shapes that it takes and
/// gives, and arrows along which tensors go (https://keras.io/api/utils/model_plotting_utils/). A nested model is one
/// box, or with `expand_nested` a frame around its layers.
std::string plot_model(const models::Model& model, bool expand_nested);

}  // namespace rhyton::tool
