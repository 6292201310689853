#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include <rhyton/rhyton.h>

namespace rhyton::tool {

/// One layer of a model with the shapes of its inputs and outputs: one entry per call.
struct LayerNode {
  layers::Layer layer;
  std::vector<std::vector<Shape>> inputs;
  std::vector<std::vector<Shape>> outputs;
};

/// The layers of a model, Inputs included, and the edges along which tensors flow (indices of `layers`, each pair
/// once).
struct ModelGraph {
  std::vector<LayerNode> layers;
  std::vector<std::pair<std::size_t, std::size_t>> edges;

  /// The node of that layer; null if it is not called.
  const LayerNode* find(const layers::Layer& layer) const;
};

/// Derived from the outputs of the model. For a Sequential that is not built, its layers in sequence, without shapes.
ModelGraph graph_of(const models::Model& model);

}  // namespace rhyton::tool
