#pragma once

#include <rhyton/framework/graph/graph.h>

namespace rhyton::graph {

/// Replaces a padding with zeros and the convolution without padding that alone reads it by a convolution with
/// `Padding::same`, where that pads alike: with strides of 2, as the models of keras.applications pad images of even
/// sizes.
Graph use_same_padding(const Graph& graph);

}  // namespace rhyton::graph
