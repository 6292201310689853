#pragma once

#include <rhyton/framework/graph/graph.h>

namespace rhyton::graph {

/// Chooses minimal filtering (Winograd) for the convolutions and their derivatives that are faster that way: float32;
/// kernels of 3 x 3, 1 x 3 or 1 x 5; stride 1, no dilation, one group, at least 16 channels and filters; and images
/// large enough that most of a tile is inside and, for derivatives with respect to large kernels, that many products
/// are saved. Depends on shapes only. Tiles of 2 outputs along each axis are about as exact as the direct form; larger
/// ones are used where all of an image is one tile of 3 x 3, and, with `config::set_fast_math(true)`, everywhere.
Graph choose_conv_algorithms(const Graph& graph);

}  // namespace rhyton::graph
